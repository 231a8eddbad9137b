/* SPDX-License-Identifier: MIT */
/* As without CONFIG_CGROUPS, but for the set that all tasks are in. */
#ifndef _LINUX_CGROUP_H
#define _LINUX_CGROUP_H

#include <linux/cgroup-defs.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/kernel_stat.h>
#include <linux/kref.h>
#include <linux/kthread.h>
#include <linux/nodemask.h>
#include <linux/ns_common.h>
#include <linux/nsproxy.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/seqlock.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>
#include <linux/user_namespace.h>

extern struct css_set init_css_set __asm__("usermm_init_css_set")
	__attribute__((visibility("default")));
#define task_css_set(task) READ_ONCE((task)->cgroups)

#endif
