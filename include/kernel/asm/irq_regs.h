/* SPDX-License-Identifier: MIT */
#ifndef _ASM_X86_IRQ_REGS_H
#define _ASM_X86_IRQ_REGS_H

#include <linux/percpu.h>
#include <linux/stddef.h>

struct pt_regs;

/* The registers that an interrupt saved: none, since handlers are called like functions. */
static inline struct pt_regs *get_irq_regs(void)
{
	return NULL;
}

#endif
