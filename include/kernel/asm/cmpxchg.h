/* SPDX-License-Identifier: MIT */
/*
 * Exchange of words of 1, 2, 4 or 8 bytes, and of pointers. Operations without a suffix are fully
 * ordered.
 */
#ifndef KERNEL_ASM_CMPXCHG_H
#define KERNEL_ASM_CMPXCHG_H

#include <asm/barrier.h>
#include <asm/cpufeatures.h>
#include <linux/types.h>

/* The fence that a fully ordered operation needs beside the atomic instruction. */
#if defined(__x86_64__)
#define KERNEL_FULL_FENCE() ((void)0)
#else
#define KERNEL_FULL_FENCE() mb()
#endif

#define KERNEL_XCHG(ptr, value, order)					\
	({								\
		__unqual_typeof(*(ptr)) xchg_ =				\
			(__unqual_typeof(*(ptr)))(value);		\
									\
		__atomic_exchange_n(ptr, xchg_, order);			\
	})
#define KERNEL_CMPXCHG(ptr, old, new, order, failure)			\
	({								\
		__unqual_typeof(*(ptr)) cmpxchg_ =			\
			(__unqual_typeof(*(ptr)))(old);			\
									\
		__atomic_compare_exchange_n(ptr, &cmpxchg_,		\
					    (__unqual_typeof(*(ptr)))(new), \
					    0, order, failure);		\
		cmpxchg_;						\
	})
/* On failure *oldp becomes the value found. */
#define KERNEL_TRY_CMPXCHG(ptr, oldp, new, order, failure)		\
	((bool)__atomic_compare_exchange_n(ptr, oldp,			\
					   (__unqual_typeof(*(ptr)))(new), \
					   0, order, failure))
#define KERNEL_ORDERED(operation)					\
	({								\
		KERNEL_FULL_FENCE();					\
		__auto_type ordered_ = (operation);			\
		KERNEL_FULL_FENCE();					\
		ordered_;						\
	})

#define xchg(ptr, value) KERNEL_ORDERED(KERNEL_XCHG(ptr, value, __ATOMIC_SEQ_CST))
#define xchg_acquire(ptr, value) KERNEL_XCHG(ptr, value, __ATOMIC_ACQUIRE)
#define xchg_release(ptr, value) KERNEL_XCHG(ptr, value, __ATOMIC_RELEASE)
#define xchg_relaxed(ptr, value) KERNEL_XCHG(ptr, value, __ATOMIC_RELAXED)
#define cmpxchg(ptr, old, new)						\
	KERNEL_ORDERED(KERNEL_CMPXCHG(ptr, old, new, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define cmpxchg_acquire(ptr, old, new) \
	KERNEL_CMPXCHG(ptr, old, new, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
#define cmpxchg_release(ptr, old, new) \
	KERNEL_CMPXCHG(ptr, old, new, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define cmpxchg_relaxed(ptr, old, new) \
	KERNEL_CMPXCHG(ptr, old, new, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define try_cmpxchg(ptr, oldp, new)					\
	KERNEL_ORDERED(KERNEL_TRY_CMPXCHG(ptr, oldp, new, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define try_cmpxchg_acquire(ptr, oldp, new) \
	KERNEL_TRY_CMPXCHG(ptr, oldp, new, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
#define try_cmpxchg_release(ptr, oldp, new) \
	KERNEL_TRY_CMPXCHG(ptr, oldp, new, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define try_cmpxchg_relaxed(ptr, oldp, new) \
	KERNEL_TRY_CMPXCHG(ptr, oldp, new, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#define cmpxchg_local(ptr, old, new) cmpxchg_relaxed(ptr, old, new)
#define try_cmpxchg_local(ptr, oldp, new) try_cmpxchg_relaxed(ptr, oldp, new)
#define sync_cmpxchg(ptr, old, new) cmpxchg(ptr, old, new)
#define cmpxchg64(ptr, old, new) cmpxchg(ptr, old, new)
#define cmpxchg64_local(ptr, old, new) cmpxchg_local(ptr, old, new)
#define cmpxchg64_relaxed(ptr, old, new) cmpxchg_relaxed(ptr, old, new)
#define try_cmpxchg64(ptr, oldp, new) try_cmpxchg(ptr, oldp, new)

/* On other processors Linux does not have these, or the base instruction set does not. */
#if defined(__x86_64__) || defined(__aarch64__)
/* Exchanges 16 bytes, aligned to 16. True if exchanged; else *old becomes the value found. */
static __always_inline bool usermm_cmpxchg128(volatile u128 *ptr, u128 *old, u128 new)
{
#if defined(__x86_64__)
	u64 low = (u64)*old, high = (u64)(*old >> 64);
	bool done;

	__asm__ __volatile__("lock cmpxchg16b %1"
			     : "=@ccz"(done), "+m"(*ptr), "+a"(low), "+d"(high)
			     : "b"((u64)new), "c"((u64)(new >> 64))
			     : "memory");
	*old = (u128)high << 64 | low;
	return done;
#else
	u64 low, high;
	u32 failed;

	__asm__ __volatile__("dmb ish\n"
			     "1:	ldaxp	%0, %1, %3\n"
			     "	cmp	%0, %4\n"
			     "	ccmp	%1, %5, #0, eq\n"
			     "	b.ne	2f\n"
			     "	stlxp	%w2, %6, %7, %3\n"
			     "	cbnz	%w2, 1b\n"
			     "	b	3f\n"
			     "2:	stlxp	%w2, %0, %1, %3\n"
			     "	cbnz	%w2, 1b\n"
			     "	mov	%w2, #1\n"
			     "3:	dmb ish"
			     : "=&r"(low), "=&r"(high), "=&r"(failed), "+Q"(*ptr)
			     : "r"((u64)*old), "r"((u64)(*old >> 64)),
			       "r"((u64)new), "r"((u64)(new >> 64))
			     : "cc", "memory");
	*old = (u128)high << 64 | low;
	return !failed;
#endif
}

#define cmpxchg128(ptr, old, new)					\
	({								\
		u128 cmpxchg_ = (old);					\
									\
		usermm_cmpxchg128(ptr, &cmpxchg_, new);			\
		cmpxchg_;						\
	})
#define try_cmpxchg128(ptr, oldp, new) usermm_cmpxchg128(ptr, oldp, new)
#define cmpxchg128_local(ptr, old, new) cmpxchg128(ptr, old, new)
#define try_cmpxchg128_local(ptr, oldp, new) try_cmpxchg128(ptr, oldp, new)
#define system_has_cmpxchg128() 1

/* Exchanges two adjacent words at once. The first is aligned to 16 bytes. */
#define cmpxchg_double(word1, word2, old1, old2, new1, new2)		\
	({								\
		u128 cmpxchg_ = (u128)(unsigned long)(old2) << 64 |	\
				(unsigned long)(old1);			\
									\
		(void)(word2);						\
		usermm_cmpxchg128((volatile u128 *)(word1), &cmpxchg_,	\
				  (u128)(unsigned long)(new2) << 64 |	\
				  (unsigned long)(new1));		\
	})
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define cmpxchg_double_local cmpxchg_double
#define system_has_cmpxchg_double() 1
#endif
#else
#define system_has_cmpxchg128() 0
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define system_has_cmpxchg_double() 0
#endif
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#undef cmpxchg_double
USERMM_REMOVED(cmpxchg_double, "6.5", "cmpxchg128()")
USERMM_REMOVED(cmpxchg_double_local, "6.5", "cmpxchg128_local()")
USERMM_REMOVED(system_has_cmpxchg_double, "6.5", "system_has_cmpxchg128()")
#endif

#endif
