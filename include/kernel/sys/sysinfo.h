/* SPDX-License-Identifier: MIT */
/* Wraps libc's header. glibc's includes <linux/kernel.h>, by which it means the system's. */
#define KERNEL_FOR_SYSINFO
#include_next <sys/sysinfo.h>
#undef KERNEL_FOR_SYSINFO
