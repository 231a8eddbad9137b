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
#include <linux/static_call.h>
#include <linux/sysctl.h>
#include <linux/types.h>
#include <linux/wait_bit.h>

/*
 * A module's own trace points call the probes that it registers. Of the kernel's trace points only
 * the log's exists: trace/events/printk.h. Nothing is recorded.
 */
enum { USERMM_TRACE_PROBES = 8 };

struct usermm_trace_probe {
	void *function;		/* Sync: release, after data; the module registers in turn */
	void *data;
};

struct tracepoint {
	const char *name;
	struct usermm_trace_probe probes[USERMM_TRACE_PROBES];
};

/* 0; -EEXIST if it is there; -ENOMEM for more than USERMM_TRACE_PROBES. */
static inline int tracepoint_probe_register(struct tracepoint *point, void *probe, void *data)
{
	for (unsigned int i = 0; i < USERMM_TRACE_PROBES; i++) {
		struct usermm_trace_probe *at = &point->probes[i];

		if (at->function == probe && at->data == data)
			return -EEXIST;
		if (at->function)
			continue;
		at->data = data;
		smp_store_release(&at->function, probe);
		return 0;
	}
	return -ENOMEM;
}

/* 0; -ENOENT. The probe may run until tracepoint_synchronize_unregister(). */
static inline int tracepoint_probe_unregister(struct tracepoint *point, void *probe, void *data)
{
	for (unsigned int i = 0; i < USERMM_TRACE_PROBES; i++) {
		struct usermm_trace_probe *at = &point->probes[i];

		if (at->function != probe || at->data != data)
			continue;
		WRITE_ONCE(at->function, NULL);
		return 0;
	}
	return -ENOENT;
}

#define TP_PROTO(args...) args
#define TP_ARGS(args...) args
#define DECLARE_TRACE(name, proto, args)					\
	__attribute__((weak)) struct tracepoint __tracepoint_##name = { #name, { { 0, 0 } } }; \
	static inline bool trace_##name##_enabled(void)				\
	{									\
		for (unsigned int i = 0; i < USERMM_TRACE_PROBES; i++)		\
			if (READ_ONCE(__tracepoint_##name.probes[i].function))	\
				return true;					\
		return false;							\
	}									\
	_Pragma("GCC diagnostic push")						\
	_Pragma("GCC diagnostic ignored \"-Wstrict-prototypes\"")			\
	static inline void trace_##name(proto)					\
	{									\
		rcu_read_lock();						\
		for (unsigned int i = 0; i < USERMM_TRACE_PROBES; i++) {	\
			struct usermm_trace_probe *p = &__tracepoint_##name.probes[i]; \
			void (*function)() = (void (*)())READ_ONCE(p->function); \
										\
			if (function)						\
				USERMM_TRACE_CALL(function, p->data, args);	\
		}								\
		rcu_read_unlock();						\
	}									\
	_Pragma("GCC diagnostic pop")						\
	static inline int register_trace_##name(void *probe, void *data)	\
	{									\
		return tracepoint_probe_register(&__tracepoint_##name, probe, data); \
	}									\
	static inline int unregister_trace_##name(void *probe, void *data)	\
	{									\
		return tracepoint_probe_unregister(&__tracepoint_##name, probe, data); \
	}
#define USERMM_TRACE_CALL(function, data, ...) function(data __VA_OPT__(,) __VA_ARGS__)
#define TRACE_EVENT(name, proto, args, ...) DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DECLARE_EVENT_CLASS(name, ...)
#define DEFINE_EVENT(class, name, proto, args) DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DECLARE_TRACE_EVENT(name, proto, args, ...) DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN(name, proto, args, structure, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, condition, ...) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN_COND(name, proto, args, condition, ...) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_FN(class, name, proto, args, reg, unreg) \
	DEFINE_EVENT(class, name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(class, name, proto, args, print) \
	DEFINE_EVENT(class, name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_CONDITION(class, name, proto, args, condition) \
	DEFINE_EVENT(class, name, PARAMS(proto), PARAMS(args))
#define TRACE_DEFINE_ENUM(name)
#define TRACE_DEFINE_SIZEOF(name)
#define TRACE_EVENT_FLAGS(name, value)
#define TRACE_EVENT_PERF_PERM(name, expression)
#define TRACE_CUSTOM_EVENT(name, ...)
#define tracepoint_string(text) (text)
#define DEFINE_TRACE(name, ...)
#define EXPORT_TRACEPOINT_SYMBOL(name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)
#define PARAMS(args...) args


/* Visits nothing: the kernel's own tracepoints do not exist here. */
#define for_each_kernel_tracepoint(function, data) ((void)(function), (void)(data))

/* Waits until no unregistered probe is running. */
static inline void tracepoint_synchronize_unregister(void)
{
	synchronize_rcu();
}

#endif
