/* SPDX-License-Identifier: MIT */
/*
 * Control registers. A process cannot read them: the values are those of a usual processor, and
 * writing has no effect.
 */
#ifndef KERNEL_ASM_SPECIAL_INSNS_H
#define KERNEL_ASM_SPECIAL_INSNS_H

#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/stringify.h>
#include <linux/types.h>

#define X86_CR0_PE 0x00000001UL
#define X86_CR0_WP 0x00010000UL
#define X86_CR0_PG 0x80000000UL
#define X86_CR4_PAE 0x00000020UL
#define X86_CR4_SMEP 0x00100000UL
#define X86_CR4_SMAP 0x00200000UL
#define read_cr0() (X86_CR0_PG | X86_CR0_WP | 0x33UL)
#define read_cr2() 0UL
#define read_cr3() 0UL
#define __read_cr3() 0UL
#define read_cr3_pa() 0UL
#define read_cr4() (X86_CR4_PAE | 0x600UL)
#define __read_cr4() read_cr4()
#define write_cr0(value) ((void)(value))
#define write_cr3(value) ((void)(value))
#define write_cr4(value) ((void)(value))
#define wbinvd() ((void)0)

#endif
