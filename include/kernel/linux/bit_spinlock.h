/* SPDX-License-Identifier: MIT */
/* A lock that is one bit of a word; the word's other bits have another use. */
#ifndef __LINUX_BIT_SPINLOCK_H
#define __LINUX_BIT_SPINLOCK_H

#include <asm/atomic.h>
#include <asm/preempt.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/hex.h>
#include <linux/instruction_pointer.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/wordpart.h>

static inline int bit_spin_trylock(int bitnum, unsigned long *addr)
{
	preempt_disable();
	if (!test_and_set_bit_lock(bitnum, addr))
		return 1;
	preempt_enable();
	return 0;
}

/* A waiter does not hold its CPU, since the lock's owner may be another thread of this CPU. */
static inline void bit_spin_lock(int bitnum, unsigned long *addr)
{
	while (!bit_spin_trylock(bitnum, addr))
		while (test_bit(bitnum, addr))
			cpu_relax();
}

static inline void bit_spin_unlock(int bitnum, unsigned long *addr)
{
	clear_bit_unlock(bitnum, addr);
	preempt_enable();
}

/* Not atomic. Use it only if nobody else writes the word. */
static inline void __bit_spin_unlock(int bitnum, unsigned long *addr)
{
	__clear_bit_unlock(bitnum, addr);
	preempt_enable();
}

static inline int bit_spin_is_locked(int bitnum, unsigned long *addr)
{
	return test_bit(bitnum, addr);
}

#endif
