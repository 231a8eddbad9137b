/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_IRQFLAGS_H
#define KERNEL_ASM_IRQFLAGS_H

#include <asm/msr-index.h>
#include <asm/percpu.h>
#include <asm/segment.h>
#include <linux/irqflags.h>
#include <linux/static_key.h>

#endif
