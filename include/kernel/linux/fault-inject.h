/* SPDX-License-Identifier: MIT */
/*
 * Deciding when something should fail. Semantics: Linux 6.12 lib/fault-inject.c, without
 * task and stack filters (usermm/fault.h). Slab caches do not ask by themselves yet.
 */
#ifndef _LINUX_FAULT_INJECT_H
#define _LINUX_FAULT_INJECT_H

#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/types.h>
#include <usermm/compiler.h>
#include <usermm/fault.h>

struct fault_attr {
	unsigned long probability;	/* in percent */
	unsigned long interval;		/* only every so many-th call may fail */
	atomic_t times;			/* failures still to come; -1 is no end */
	atomic_t space;			/* bytes that pass before the first failure */
	unsigned long verbose;
	bool task_filter;
	unsigned long count;
	const char *dname;
};

enum fault_flags { FAULT_NOWARN = 1 << 0 };

#define FAULT_ATTR_INITIALIZER {						\
		.interval = 1,							\
		.times = ATOMIC_INIT(1),					\
		.space = ATOMIC_INIT(0),					\
		.verbose = 2,							\
	}
#define DECLARE_FAULT_ATTR(name) struct fault_attr name = FAULT_ATTR_INITIALIZER

/* "interval,probability,space,times"; 1, or 0 if that is not what text holds. */
int setup_fault_attr(struct fault_attr *attr, char *text) USERMM_API(setup_fault_attr);
bool should_fail_ex(struct fault_attr *attr, ssize_t size, int flags)
	USERMM_API(should_fail_ex);
#define should_fail(attr, size) should_fail_ex(attr, size, 0)

/* There is no file system that would show the attributes. */
#define fault_create_debugfs_attr(name, parent, attr) \
	((void)(name), (void)(parent), (void)(attr), USERMM_DEBUGFS_ENTRY)

struct dentry;
struct kmem_cache;
#define should_failslab(cache, gfp) ((void)(cache), (void)(gfp), 0)

#endif
