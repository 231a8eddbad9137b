/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_IO_H
#define KERNEL_ASM_IO_H

#include <asm/irqflags.h>
#include <asm/page.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/pfn.h>
#include <linux/sizes.h>
#include <linux/static_key.h>
#include <linux/types.h>

/* Access to device registers; here it is access to memory. */
#define readb(address) (*(const volatile u8 __force *)(address))
#define readw(address) (*(const volatile u16 __force *)(address))
#define readl(address) (*(const volatile u32 __force *)(address))
#define readq(address) (*(const volatile u64 __force *)(address))
#define writeb(value, address) ((void)(*(volatile u8 __force *)(address) = (value)))
#define writew(value, address) ((void)(*(volatile u16 __force *)(address) = (value)))
#define writel(value, address) ((void)(*(volatile u32 __force *)(address) = (value)))
#define writeq(value, address) ((void)(*(volatile u64 __force *)(address) = (value)))

#endif
