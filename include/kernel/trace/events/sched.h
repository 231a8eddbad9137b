/* SPDX-License-Identifier: MIT */
/* The scheduler's trace points, which no call reaches. */
#ifndef KERNEL_TRACE_EVENTS_SCHED_H
#define KERNEL_TRACE_EVENTS_SCHED_H

#include <linux/sched.h>
#include <linux/tracepoint.h>

#define register_trace_sched_switch(probe, data) ((void)(probe), (void)(data), 0)
#define unregister_trace_sched_switch(probe, data) ((void)(probe), (void)(data), 0)
#define register_trace_sched_process_fork(probe, data) ((void)(probe), (void)(data), 0)
#define unregister_trace_sched_process_fork(probe, data) ((void)(probe), (void)(data), 0)
#define register_trace_sched_process_exit(probe, data) ((void)(probe), (void)(data), 0)
#define unregister_trace_sched_process_exit(probe, data) ((void)(probe), (void)(data), 0)

#endif
