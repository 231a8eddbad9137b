/* SPDX-License-Identifier: MIT */
/*
 * Every access to shared memory in src/ uses one of these names. The name contains the memory
 * order, so a reader sees the order, and a reviewer can ask what it pairs with.
 *
 * The comment of an acquire or a release has the form "pairs with FUNCTION(): WHAT". FUNCTION has
 * the other side, and its comment names this one. WHAT is the data that the pair makes visible: the
 * releasing thread wrote it (or, for a thread that leaves, read it) before its store, and the
 * acquiring thread sees it after its load.
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
#define atomic_exchange_relaxed(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELAXED)
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

/* Raises the word to v if it is less. Returns what it is then. */
static inline unsigned long atomic_raise_relaxed(unsigned long *p, unsigned long v)
{
	unsigned long before = atomic_load_relaxed(p);

	while (before < v)
		if (atomic_cas_relaxed(p, &before, v))
			return v;
	return before;
}

/*
 * As atomic_load_relaxed(), for a word that the caller reads once, and whose old value is as good
 * as the new one. A plain load, since compilers do not use an atomic load as the operand of an
 * instruction.
 */
#ifdef __SANITIZE_THREAD__
#define atomic_load_operand(p) atomic_load_relaxed(p)
#else
#define atomic_load_operand(p) (*(p))
#endif

/* As atomic_load_operand(), with acquire order. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define atomic_load_operand_acquire(p) (*(p))	/* x86: every load is an acquire load */
#else
#define atomic_load_operand_acquire(p) atomic_load_acquire(p)
#endif

/*
 * Makes the caller's last relaxed load of *p an acquire load, where its value calls for that. On
 * x86 every load is one, so this restricts only the compiler; elsewhere it loads again.
 */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define atomic_acquire_loaded(p) ((void)sizeof(*(p)), atomic_signal_barrier())
#else
#define atomic_acquire_loaded(p) ((void)atomic_load_acquire(p))
#endif

/* Restricts only the compiler: a signal handler of this thread sees the stores before it. */
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
	/* `pause` as a number: old assemblers do not know it, old processors ignore it */
	__asm__ volatile(".insn 0x0100000f" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif
