/* SPDX-License-Identifier: MIT */
/*
 * The only spellings of shared memory accesses in src/: the order is part of
 * the name, so that a reader sees it and a reviewer can ask for its partner.
 */
#ifndef BASE_ATOMIC_H
#define BASE_ATOMIC_H

#include <stdbool.h>

#define atomic_load_relaxed(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define atomic_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define atomic_store_relaxed(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define atomic_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define atomic_add_relaxed(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define atomic_add_acq_rel(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define atomic_or_relaxed(p, v) __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define atomic_and_relaxed(p, v) __atomic_fetch_and(p, v, __ATOMIC_RELAXED)
#define atomic_or_acq_rel(p, v) __atomic_fetch_or(p, v, __ATOMIC_ACQ_REL)
#define atomic_and_acq_rel(p, v) __atomic_fetch_and(p, v, __ATOMIC_ACQ_REL)
#define atomic_sub_return_acq_rel(p, v) __atomic_sub_fetch(p, v, __ATOMIC_ACQ_REL)
#define atomic_exchange_acquire(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define atomic_exchange_acq_rel(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)
#define atomic_exchange_release(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELEASE)
/* On failure *expected takes the value found. */
#define atomic_cas_acquire(p, expected, v)					\
	__atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_ACQUIRE,	\
				    __ATOMIC_RELAXED)
#define atomic_cas_release(p, expected, v)					\
	__atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELEASE,	\
				    __ATOMIC_RELAXED)
#define atomic_cas_acq_rel(p, expected, v)					\
	__atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_ACQ_REL,	\
				    __ATOMIC_RELAXED)
#define atomic_cas_relaxed(p, expected, v)					\
	__atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELAXED,	\
				    __ATOMIC_RELAXED)

/* The word is v or more from now on; answers what it is. */
static inline unsigned long atomic_raise_relaxed(unsigned long *p, unsigned long v)
{
	unsigned long before = atomic_load_relaxed(p);

	while (before < v)
		if (atomic_cas_relaxed(p, &before, v))
			return v;
	return before;
}

/*
 * As atomic_load_relaxed(), of a word that the caller looks at once and that is as good old as
 * new: plain, since compilers make no operand of an atomic one.
 */
#ifdef __SANITIZE_THREAD__
#define atomic_load_operand(p) atomic_load_relaxed(p)
#else
#define atomic_load_operand(p) (*(p))
#endif

/* The same, and whoever sees a new word sees what was stored before it. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define atomic_load_operand_acquire(p) (*(p))	/* all loads are, if the compiler has no choice */
#else
#define atomic_load_operand_acquire(p) atomic_load_acquire(p)
#endif

/* For the compiler: a signal handler of this thread sees the stores before it. */
static inline void atomic_signal_barrier(void)
{
	__asm__ volatile("" : : : "memory");
}

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#elif defined(__riscv)
	/* `pause`, by its number: an older assembler does not know it, an older processor passes */
	__asm__ volatile(".insn 0x0100000f" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif
