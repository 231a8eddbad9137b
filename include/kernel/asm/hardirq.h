/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_HARDIRQ_H
#define KERNEL_ASM_HARDIRQ_H

#include <asm/percpu.h>
#include <linux/hardirq.h>

#endif
