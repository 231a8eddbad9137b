/* SPDX-License-Identifier: MIT */
/* Fences between what this CPU does and what others see. */
#ifndef KERNEL_ASM_BARRIER_H
#define KERNEL_ASM_BARRIER_H

#include <linux/compiler.h>

#define mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
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
		__atomic_thread_fence(__ATOMIC_ACQUIRE);		\
		load_acquire_;						\
	})
#define smp_store_release(ptr, value)					\
	do {								\
		__atomic_thread_fence(__ATOMIC_RELEASE);		\
		WRITE_ONCE(*(ptr), value);				\
	} while (0)
#define smp_acquire__after_ctrl_dep() smp_rmb()

#if defined(__x86_64__)
#define cpu_relax() __builtin_ia32_pause()
#else
#define cpu_relax() __asm__ __volatile__("yield" : : : "memory")
#endif

/* Until condition, in which VAL is the value of *ptr; that value. */
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
