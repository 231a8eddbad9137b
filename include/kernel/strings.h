/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: if <linux/bitops.h> came first, this name is a macro. */
#ifdef KERNEL_LINUX_BITOPS_H
#pragma push_macro("ffs")
#undef ffs
#endif
#include_next <strings.h>
#ifdef KERNEL_LINUX_BITOPS_H
#pragma pop_macro("ffs")
#endif
