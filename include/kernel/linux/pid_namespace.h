/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PID_NAMESPACE_H
#define _LINUX_PID_NAMESPACE_H

#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/ns_common.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/workqueue.h>

/* The one that there is. */
struct pid_namespace {
	struct task_struct *child_reaper;	/* NULL: it is not told */
	unsigned int level;
	struct pid_namespace *parent;
	struct ns_common ns;
};

#define get_pid_ns(namespace) (namespace)
#define put_pid_ns(namespace) ((void)(namespace))

#endif
