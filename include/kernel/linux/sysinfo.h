/* SPDX-License-Identifier: MIT */
/* The machine in numbers, as si_meminfo() fills it in. */
#ifndef KERNEL_LINUX_SYSINFO_H
#define KERNEL_LINUX_SYSINFO_H

#include <linux/types.h>

struct sysinfo {
	long uptime;
	unsigned long loads[3];
	unsigned long totalram;		/* sizes in units of mem_unit bytes */
	unsigned long freeram;
	unsigned long sharedram;
	unsigned long bufferram;
	unsigned long totalswap;
	unsigned long freeswap;
	__u16 procs;
	unsigned long totalhigh;
	unsigned long freehigh;
	__u32 mem_unit;
};

#endif
