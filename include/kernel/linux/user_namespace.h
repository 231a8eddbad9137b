/* SPDX-License-Identifier: MIT */
/* The one namespace of users. */
#ifndef _LINUX_USER_NAMESPACE_H
#define _LINUX_USER_NAMESPACE_H

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/ns_common.h>
#include <linux/nsproxy.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/sysctl.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

struct user_namespace {
	struct user_namespace *parent;	/* NULL */
	int level;
	kuid_t owner;
	kgid_t group;
};

static inline struct user_namespace *get_user_ns(struct user_namespace *ns)
{
	return ns;
}

static inline void put_user_ns(struct user_namespace *ns)
{
	(void)ns;
}

#endif
