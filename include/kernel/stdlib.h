/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: if <linux/math.h> came first, this name is a macro. */
#ifdef KERNEL_LINUX_MATH_H
#pragma push_macro("abs")
#undef abs
#endif
#include_next <stdlib.h>
#ifdef KERNEL_LINUX_MATH_H
#pragma pop_macro("abs")
#endif
