/* SPDX-License-Identifier: MIT */
/* Memory barriers. */
#ifndef KERNEL_ASM_BARRIER_H
#define KERNEL_ASM_BARRIER_H

#include <asm/bug.h>
#include <linux/compiler.h>
#include <linux/panic.h>
#include <linux/printk.h>

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer does not know fences. An atomic access to one shared word orders as much. */
extern unsigned int usermm_fence_word __attribute__((visibility("default")));
#define KERNEL_FENCE(order) ((void)__atomic_fetch_add(&usermm_fence_word, 0, __ATOMIC_ACQ_REL))
#else
#define KERNEL_FENCE(order) __atomic_thread_fence(order)
#endif

#define mb() KERNEL_FENCE(__ATOMIC_SEQ_CST)
#define rmb() KERNEL_FENCE(__ATOMIC_ACQUIRE)
#define wmb() KERNEL_FENCE(__ATOMIC_RELEASE)
#define dma_rmb() rmb()
#define dma_wmb() wmb()
#define smp_mb() mb()
#define smp_rmb() rmb()
#define smp_wmb() wmb()
#define smp_mb__before_atomic() mb()
#define smp_mb__after_atomic() mb()
#define smp_mb__after_spinlock() mb()
#define smp_mb__after_unlock_lock() mb()

#define smp_store_mb(var, value)					\
	do {								\
		WRITE_ONCE(var, value);					\
		smp_mb();						\
	} while (0)
#define smp_load_acquire(ptr)						\
	({								\
		__unqual_typeof(*(ptr)) load_acquire_ = READ_ONCE(*(ptr)); \
									\
		rmb();							\
		load_acquire_;						\
	})
#define smp_store_release(ptr, value)					\
	do {								\
		wmb();							\
		WRITE_ONCE(*(ptr), value);				\
	} while (0)
#define smp_acquire__after_ctrl_dep() smp_rmb()

/* If this thread holds its CPU, it also runs other CPUs' calls, as an interrupt would. */
void usermm_cpu_relax(void) __attribute__((visibility("default")));
#define cpu_relax() usermm_cpu_relax()

/* Waits until the condition holds, in which VAL is the value of *ptr. Returns this value. */
#define smp_cond_load_relaxed(ptr, condition)				\
	({								\
		__unqual_typeof(*(ptr)) VAL;				\
									\
		while (VAL = READ_ONCE(*(ptr)), !(condition))		\
			cpu_relax();					\
		VAL;							\
	})
#define smp_cond_load_acquire(ptr, condition)				\
	({								\
		__unqual_typeof(*(ptr)) cond_load_ =			\
			smp_cond_load_relaxed(ptr, condition);		\
									\
		smp_rmb();						\
		cond_load_;						\
	})

#endif
