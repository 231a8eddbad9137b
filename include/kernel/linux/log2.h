/* SPDX-License-Identifier: MIT */
/* Powers of two; a constant argument gives a constant. */
#ifndef KERNEL_LINUX_LOG2_H
#define KERNEL_LINUX_LOG2_H

#include <asm/bitops.h>
#include <linux/bitops.h>
#include <linux/types.h>

/* The number of the highest set bit; n > 0. */
#define ilog2(n) \
	(sizeof(n) <= 4 ? 31 - __builtin_clz((u32)(n)) : 63 - __builtin_clzll((u64)(n)))
#define const_ilog2(n) ilog2(n)

static inline __attribute__((const)) bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

#define roundup_pow_of_two(n) \
	((n) == 1 ? 1UL : 1UL << (63 - __builtin_clzl((unsigned long)(n) - 1) + 1))
#define rounddown_pow_of_two(n) (1UL << (63 - __builtin_clzl((unsigned long)(n))))
#define __roundup_pow_of_two(n) roundup_pow_of_two(n)
#define __rounddown_pow_of_two(n) rounddown_pow_of_two(n)

/* The smallest order with 2^order >= n. */
#define order_base_2(n) \
	((n) > 1 ? 63 - __builtin_clzl((unsigned long)(n) - 1) + 1 : 0)
#define bits_per(n) ((n) < 2 ? 1 : 64 - __builtin_clzl((unsigned long)(n)))
#define get_count_order(n) ((n) ? order_base_2(n) : -1)
#define get_count_order_long(n) get_count_order(n)

#endif
