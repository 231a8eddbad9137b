/* SPDX-License-Identifier: MIT */
/* The set of control groups that all tasks are in. No groups are behind it. */
#ifndef _LINUX_CGROUP_DEFS_H
#define _LINUX_CGROUP_DEFS_H

#include <linux/list.h>
#include <linux/refcount.h>

struct css_set {
	refcount_t refcount;
	int nr_tasks;			/* Sync: atomic */
	struct list_head tasks;		/* by their cg_list. Sync: the registry's lock, RCU */
	struct list_head mg_tasks, dying_tasks;	/* empty */
};

#endif
