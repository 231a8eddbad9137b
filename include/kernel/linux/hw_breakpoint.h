/* SPDX-License-Identifier: MIT */
/* Breakpoints of the processor cannot be set from inside a process: -EOPNOTSUPP. */
#ifndef KERNEL_LINUX_HW_BREAKPOINT_H
#define KERNEL_LINUX_HW_BREAKPOINT_H

#include <linux/perf_event.h>
#include_next <linux/hw_breakpoint.h>

#define hw_breakpoint_init(attributes)						\
	((void)memset(attributes, 0, sizeof(*(attributes))),			\
	 (void)((attributes)->type = PERF_TYPE_BREAKPOINT),			\
	 (void)((attributes)->size = sizeof(*(attributes))),			\
	 (void)((attributes)->pinned = 1), (void)((attributes)->sample_period = 1))
#define ptrace_breakpoint_init(attributes) hw_breakpoint_init(attributes)
#define register_wide_hw_breakpoint(attributes, handler, context) \
	((void)(attributes), (void)(handler), (void)(context), \
	 (struct perf_event * __percpu *)ERR_PTR(-EOPNOTSUPP))
#define register_user_hw_breakpoint(attributes, handler, context, task) \
	((void)(attributes), (void)(handler), (void)(context), (void)(task), \
	 (struct perf_event *)ERR_PTR(-EOPNOTSUPP))
#define unregister_wide_hw_breakpoint(event) ((void)(event))
#define unregister_hw_breakpoint(event) ((void)(event))

#endif
