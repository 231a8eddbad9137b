/* SPDX-License-Identifier: MIT */
/* Descriptor tables, which a process cannot read: they are empty. */
#ifndef KERNEL_ASM_DESC_H
#define KERNEL_ASM_DESC_H

#include <linux/smp.h>
#include <linux/types.h>

struct desc_ptr {
	unsigned short size;
	unsigned long address;
} __attribute__((packed));

#define store_idt(pointer) ((void)(*(pointer) = (struct desc_ptr){ 0 }))
#define store_gdt(pointer) ((void)(*(pointer) = (struct desc_ptr){ 0 }))
#define native_store_gdt(pointer) store_gdt(pointer)

#endif
