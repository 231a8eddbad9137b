/* SPDX-License-Identifier: MIT */
/* libc's <sched.h>, which may be read after <linux/sched.h>: there this name is a macro. */
#ifdef KERNEL_LINUX_SCHED_H
#pragma push_macro("sched_setscheduler")
#undef sched_setscheduler
#endif
#include_next <sched.h>
#ifdef KERNEL_LINUX_SCHED_H
#pragma pop_macro("sched_setscheduler")
#endif
