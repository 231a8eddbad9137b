/* SPDX-License-Identifier: MIT */
/* libc's <sys/sysinfo.h>. glibc's asks for <linux/kernel.h>, and means the system's. */
#define KERNEL_FOR_SYSINFO
#include_next <sys/sysinfo.h>
#undef KERNEL_FOR_SYSINFO
