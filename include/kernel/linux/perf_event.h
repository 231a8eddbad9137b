/* SPDX-License-Identifier: MIT */
/*
 * Performance counters. Creating one fails, as on a machine without them, so the other calls are
 * never reached; they exist so that sources compile.
 */
#ifndef KERNEL_LINUX_PERF_EVENT_H
#define KERNEL_LINUX_PERF_EVENT_H

#include <asm/msr.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include <linux/bsearch.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/dma-direction.h>
#include <linux/err.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kdebug.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/list_nulls.h>
#include <linux/memcontrol.h>
#include <linux/migrate_mode.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/pid_namespace.h>
#include <linux/rhashtable-types.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/static_call.h>
#include <linux/string_helpers.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>
#include_next <linux/perf_event.h>

struct perf_event;
struct perf_sample_data;
struct pt_regs;
struct task_struct;

struct hw_perf_event {
	u64 config;
	u64 last_tag;
	unsigned long config_base;
	unsigned long event_base;
	int event_base_rdpmc;
	int idx;
	int last_cpu;
	int flags;
	u64 sample_period, last_period;
	u64 interrupts_seq, interrupts;
	u64 freq_time_stamp, freq_count_stamp;
	int state;
};

enum perf_event_state {
	PERF_EVENT_STATE_DEAD = -4,
	PERF_EVENT_STATE_EXIT = -3,
	PERF_EVENT_STATE_ERROR = -2,
	PERF_EVENT_STATE_OFF = -1,
	PERF_EVENT_STATE_INACTIVE = 0,
	PERF_EVENT_STATE_ACTIVE = 1,
};

struct perf_event {
	int cpu;
	int oncpu;
	enum perf_event_state state;
	struct perf_event_attr attr;
	struct hw_perf_event hw;
};

typedef void (*perf_overflow_handler_t)(struct perf_event *event, struct perf_sample_data *data,
					struct pt_regs *regs);

static inline struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu, struct task_struct *task,
				 perf_overflow_handler_t callback, void *context)
{
	(void)attr;
	(void)cpu;
	(void)task;
	(void)callback;
	(void)context;
	return ERR_PTR(-EOPNOTSUPP);
}

static inline int perf_event_release_kernel(struct perf_event *event)
{
	(void)event;
	return 0;
}

static inline void perf_event_enable(struct perf_event *event)
{
	(void)event;
}

static inline void perf_event_disable(struct perf_event *event)
{
	(void)event;
}

static inline u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running)
{
	(void)event;
	*enabled = *running = 0;
	return 0;
}

static inline int perf_event_read_local(struct perf_event *event, u64 *value, u64 *enabled,
					u64 *running)
{
	(void)event;
	(void)value;
	(void)enabled;
	(void)running;
	return -EOPNOTSUPP;
}

#endif
