/* SPDX-License-Identifier: MIT */
/*
 * Deciding when something should fail: usermm/fault.h has the rules, and what takes the
 * place of /proc/self/fail-nth and make-it-fail.
 */
#ifndef _LINUX_FAULT_INJECT_H
#define _LINUX_FAULT_INJECT_H

#include <asm/tsc.h>
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/kref.h>
#include <linux/limits.h>
#include <linux/ratelimit.h>
#include <linux/string.h>
#include <linux/time32.h>
#include <linux/types.h>
#include <usermm/compiler.h>
#include <usermm/fault.h>

#define FAULT_ATTR_DNAME_LEN 64

/* The core's struct usermm_fault_attr up to count. */
struct fault_attr {
	unsigned long probability;	/* in percent */
	unsigned long interval;		/* only every so many-th call may fail */
	atomic_t times;			/* failures still to come; -1 is no end */
	atomic_t space;			/* bytes that pass before the first failure */
	unsigned long verbose;
	bool task_filter;
	unsigned long stacktrace_depth;
	unsigned long require_start, require_end;
	unsigned long reject_start, reject_end;
	unsigned long count;
	struct ratelimit_state ratelimit_state;	/* of what is said */
	char dname[FAULT_ATTR_DNAME_LEN];
};

enum fault_flags { FAULT_NOWARN = 1 << 0 };

#define FAULT_ATTR_INITIALIZER {						\
		.interval = 1,							\
		.times = ATOMIC_INIT(1),					\
		.require_end = ULONG_MAX,					\
		.stacktrace_depth = USERMM_FAULT_STACK_MAX,			\
		.ratelimit_state = RATELIMIT_STATE_INIT_DISABLED,		\
		.verbose = 2,							\
	}
#define DECLARE_FAULT_ATTR(name) struct fault_attr name = FAULT_ATTR_INITIALIZER

/* "interval,probability,space,times"; 1, or 0 if that is not what text holds. */
int setup_fault_attr(struct fault_attr *attr, char *text) USERMM_API(setup_fault_attr);
bool should_fail_ex(struct fault_attr *attr, ssize_t size, int flags)
	USERMM_API(should_fail_ex);
bool should_fail(struct fault_attr *attr, ssize_t size) USERMM_API(should_fail);

/* There is no file system that would show the attributes; the name is kept. */
static inline struct dentry *fault_create_debugfs_attr(const char *name, struct dentry *parent,
						       struct fault_attr *attr)
{
	(void)parent;
	strscpy(attr->dname, name, sizeof(attr->dname));
	return USERMM_DEBUGFS_ENTRY;
}

#endif
