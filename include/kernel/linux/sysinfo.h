/* SPDX-License-Identifier: MIT */
/* struct sysinfo, which si_meminfo() fills in: the system's or musl's. */
#ifndef KERNEL_LINUX_SYSINFO_H
#define KERNEL_LINUX_SYSINFO_H

#include <linux/types.h>
#ifdef __GLIBC__
#include_next <linux/sysinfo.h>
#else
#include <sys/sysinfo.h>
#endif

#endif
