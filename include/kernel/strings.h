/* SPDX-License-Identifier: MIT */
/* libc's <strings.h>, which may be read after <linux/bitops.h>: there this name is a macro. */
#ifdef KERNEL_LINUX_BITOPS_H
#pragma push_macro("ffs")
#undef ffs
#endif
#include_next <strings.h>
#ifdef KERNEL_LINUX_BITOPS_H
#pragma pop_macro("ffs")
#endif
