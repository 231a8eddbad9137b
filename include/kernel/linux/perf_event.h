/* SPDX-License-Identifier: MIT */
/* A process cannot program the counters from inside: creating one fails. */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <linux/err.h>
#include_next <linux/perf_event.h>

struct hw_perf_event {
	__u64 config;
	int idx;
};

struct perf_event {
	int cpu;
	struct hw_perf_event hw;
};

struct perf_sample_data;
struct pt_regs;
typedef void (*perf_overflow_handler_t)(struct perf_event *, struct perf_sample_data *,
					struct pt_regs *);

#define perf_event_create_kernel_counter(attr, cpu, task, callback, context) \
	((void)(attr), (void)(callback), (struct perf_event *)ERR_PTR(-EOPNOTSUPP))
#define perf_event_release_kernel(event) ((void)(event), 0)
#define perf_event_enable(event) ((void)(event))
#define perf_event_disable(event) ((void)(event))
#define perf_event_read_value(event, enabled, running) \
	((void)(event), *(enabled) = 0, *(running) = 0, 0ULL)

#endif
