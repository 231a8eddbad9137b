/* SPDX-License-Identifier: MIT */
/* libc's <time.h>, which may be read after <linux/timer.h>: there this name is a macro. */
#ifdef KERNEL_LINUX_TIMER_H
#pragma push_macro("timer_delete")
#undef timer_delete
#endif
#include_next <time.h>
#ifdef KERNEL_LINUX_TIMER_H
#pragma pop_macro("timer_delete")
#endif
