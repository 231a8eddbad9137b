/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CPUMASK_TYPES_H
#define KERNEL_LINUX_CPUMASK_TYPES_H

#include <asm/bitops.h>
#include <linux/bitops.h>
#include <linux/threads.h>

typedef struct cpumask {
	DECLARE_BITMAP(bits, NR_CPUS);
} cpumask_t;

#endif
