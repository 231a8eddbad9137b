/* SPDX-License-Identifier: MIT */
#ifndef _ASM_X86_IRQ_H
#define _ASM_X86_IRQ_H

#include <linux/bits.h>
#include <linux/threads.h>

#define irq_canonicalize(irq) ((irq) == 2 ? 9 : (irq))

#endif
