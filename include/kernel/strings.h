/* SPDX-License-Identifier: MIT */
/* libc's, which may be read behind <linux/bitops.h>, where this name is a macro. */
#ifdef KERNEL_LINUX_BITOPS_H
#pragma push_macro("ffs")
#undef ffs
#endif
#include_next <strings.h>
#ifdef KERNEL_LINUX_BITOPS_H
#pragma pop_macro("ffs")
#endif
