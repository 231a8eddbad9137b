/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: if <linux/sched.h> came first, this name is a macro. */
#ifdef KERNEL_LINUX_SCHED_H
#pragma push_macro("sched_setscheduler")
#undef sched_setscheduler
#endif
#include_next <sched.h>
#ifdef KERNEL_LINUX_SCHED_H
#pragma pop_macro("sched_setscheduler")
#endif
