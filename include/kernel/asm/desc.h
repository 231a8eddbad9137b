/* SPDX-License-Identifier: MIT */
/* Descriptor tables, which a process cannot read: they are empty. */
#ifndef KERNEL_ASM_DESC_H
#define KERNEL_ASM_DESC_H

#include <asm/processor.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/percpu-defs.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/seqlock.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct desc_ptr {
	unsigned short size;
	unsigned long address;
} __attribute__((packed));

#define store_idt(pointer) ((void)(*(pointer) = (struct desc_ptr){ 0 }))
#define store_gdt(pointer) ((void)(*(pointer) = (struct desc_ptr){ 0 }))
#define native_store_gdt(pointer) store_gdt(pointer)

#endif
