/* SPDX-License-Identifier: MIT */
#ifndef _ASM_X86_HW_IRQ_H
#define _ASM_X86_HW_IRQ_H

#include <asm/irq.h>
#include <linux/irqreturn.h>
#include <linux/percpu.h>
#include <linux/profile.h>
#include <linux/smp.h>

#endif
