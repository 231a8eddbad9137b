/* SPDX-License-Identifier: MIT */
/* There is one namespace of each kind, and one structure with them for all tasks. */
#ifndef _LINUX_NSPROXY_H
#define _LINUX_NSPROXY_H

#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

struct cgroup_namespace;
struct ipc_namespace;
struct mnt_namespace;
struct net;
struct pid_namespace;
struct time_namespace;
struct uts_namespace;

struct nsproxy {
	refcount_t count;
	struct uts_namespace *uts_ns;
	struct ipc_namespace *ipc_ns;
	struct mnt_namespace *mnt_ns;
	struct pid_namespace *pid_ns_for_children;
	struct net *net_ns;
	struct time_namespace *time_ns, *time_ns_for_children;
	struct cgroup_namespace *cgroup_ns;
};

extern struct nsproxy init_nsproxy __asm__("usermm_init_nsproxy")
	__attribute__((visibility("default")));

#endif
