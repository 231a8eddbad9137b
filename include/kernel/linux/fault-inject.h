/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: decides which calls fail. usermm/fault.h has the rules, and the functions that
 * replace /proc/self/fail-nth and make-it-fail.
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

/* The same layout as the core's struct usermm_fault_attr, up to count. */
struct fault_attr {
	unsigned long probability;	/* in percent */
	unsigned long interval;		/* N: only every N-th call may fail */
	atomic_t times;			/* failures still to come; -1: without end */
	atomic_t space;			/* bytes to pass before the first failure */
	unsigned long verbose;
	bool task_filter;
	unsigned long stacktrace_depth;
	unsigned long require_start, require_end;
	unsigned long reject_start, reject_end;
	unsigned long count;
	struct ratelimit_state ratelimit_state;	/* limits the reports */
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

/* Reads "interval,probability,space,times" from text. Returns 1; 0 if text is not like that. */
int setup_fault_attr(struct fault_attr *attr, char *text) USERMM_API(setup_fault_attr);
bool should_fail_ex(struct fault_attr *attr, ssize_t size, int flags)
	USERMM_API(should_fail_ex);
bool should_fail(struct fault_attr *attr, ssize_t size) USERMM_API(should_fail);

/* A folder of debugfs with the attributes; or an error pointer. */
struct dentry *fault_create_debugfs_attr(const char *name, struct dentry *parent,
					 struct fault_attr *attr)
	USERMM_API(fault_create_debugfs_attr);

#endif
