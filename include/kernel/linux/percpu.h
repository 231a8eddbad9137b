/* SPDX-License-Identifier: MIT */
/* Per-CPU memory allocated at run time: zeroed, one copy for each CPU. */
#ifndef KERNEL_LINUX_PERCPU_H
#define KERNEL_LINUX_PERCPU_H

#include <asm/irqflags.h>
#include <linux/alloc_tag.h>
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/gfp_types.h>
#include <linux/mmdebug.h>
#include <linux/nodemask_types.h>
#include <linux/percpu-defs.h>
#include <linux/rbtree_types.h>
#include <linux/sched/types.h>
#include <linux/smp.h>
#include <linux/timer_types.h>
#include <usermm/compiler.h>

#define PCPU_MIN_UNIT_SIZE (32UL << 10)
#define PERCPU_DYNAMIC_RESERVE (28UL << 10)

USERMM_BEGIN_DECLS

/* NULL without memory, for more than PCPU_MIN_UNIT_SIZE, or for an alignment above a page. */
void __percpu *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp)
	USERMM_API(__alloc_percpu_gfp);
void free_percpu(void __percpu *ptr) USERMM_API(free_percpu);
/* Bytes in use on each CPU, for checks for leaks. */
size_t usermm_percpu_in_use(void) __attribute__((visibility("default")));

USERMM_END_DECLS

#define __alloc_percpu(size, align) __alloc_percpu_gfp(size, align, GFP_KERNEL)
#define alloc_percpu_gfp(type, gfp) \
	((__typeof__(type) __percpu *)__alloc_percpu_gfp(sizeof(type), __alignof__(type), gfp))
#define alloc_percpu(type) \
	((__typeof__(type) __percpu *)__alloc_percpu(sizeof(type), __alignof__(type)))
#define per_cpu_ptr_to_phys(address) ((phys_addr_t)(unsigned long)(address))
#define is_kernel_percpu_address(address) ((void)(address), false)

#endif
