/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TRACEPOINT_H
#define KERNEL_LINUX_TRACEPOINT_H

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/hrtimer.h>
#include <linux/kdev_t.h>
#include <linux/migrate_mode.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/user.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/types.h>
#include <linux/wait_bit.h>

/* The only trace point is that of the log: trace/events/printk.h. */
#define TP_PROTO(args...) args
#define TP_ARGS(args...) args
#define DECLARE_TRACE(name, proto, args)			\
	static inline void trace_##name(proto) { }		\
	static inline bool trace_##name##_enabled(void)		\
	{							\
		return false;					\
	}
#define TRACE_EVENT(name, proto, args, ...) DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DECLARE_EVENT_CLASS(name, ...)
#define DEFINE_EVENT(class, name, proto, args) DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define tracepoint_string(text) (text)
#define DEFINE_TRACE(name, ...)
#define EXPORT_TRACEPOINT_SYMBOL(name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)
#define PARAMS(args...) args

struct tracepoint {
	const char *name;
};

/* There is no point of the kernel's that could be found by its name. */
#define for_each_kernel_tracepoint(function, data) ((void)(function), (void)(data))
#define tracepoint_probe_register(point, probe, data) \
	((void)(point), (void)(probe), (void)(data), 0)
#define tracepoint_probe_unregister(point, probe, data) \
	((void)(point), (void)(probe), (void)(data), 0)

/* Waits until no unregistered probe is running. */
static inline void tracepoint_synchronize_unregister(void)
{
	synchronize_rcu();
}

#endif
