/* SPDX-License-Identifier: MIT */
/* The machine in numbers, as si_meminfo() fills it in: the system's structure, or musl's own. */
#ifndef KERNEL_LINUX_SYSINFO_H
#define KERNEL_LINUX_SYSINFO_H

#include <linux/types.h>
#if defined(__GLIBC__) || !defined(_SYS_SYSINFO_H)
#include_next <linux/sysinfo.h>
#endif

#endif
