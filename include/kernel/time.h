/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: if <linux/timer.h> came first, this name is a macro. */
#ifdef KERNEL_LINUX_TIMER_H
#pragma push_macro("timer_delete")
#undef timer_delete
#endif
#include_next <time.h>
#ifdef KERNEL_LINUX_TIMER_H
#pragma pop_macro("timer_delete")
#endif
