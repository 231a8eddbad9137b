/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_TOPOLOGY_H
#define KERNEL_ASM_TOPOLOGY_H

#include <asm/irqflags.h>
#include <asm/processor.h>
#include <linux/pfn.h>
#include <linux/topology.h>

#endif
