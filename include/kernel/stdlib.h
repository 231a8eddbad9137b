/* SPDX-License-Identifier: MIT */
/* libc's <stdlib.h>, which may be read after <linux/math.h>: there this name is a macro. */
#ifdef KERNEL_LINUX_MATH_H
#pragma push_macro("abs")
#undef abs
#endif
#include_next <stdlib.h>
#ifdef KERNEL_LINUX_MATH_H
#pragma pop_macro("abs")
#endif
