/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_NODEMASK_TYPES_H
#define KERNEL_LINUX_NODEMASK_TYPES_H

#include <asm/bitops.h>
#include <linux/bitops.h>
#include <linux/numa.h>

typedef struct nodemask {
	DECLARE_BITMAP(bits, MAX_NUMNODES);
} nodemask_t;

#endif
