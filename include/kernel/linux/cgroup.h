/* SPDX-License-Identifier: MIT */
/* As without CONFIG_CGROUPS. */
#ifndef _LINUX_CGROUP_H
#define _LINUX_CGROUP_H

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

#endif
