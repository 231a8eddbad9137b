/* SPDX-License-Identifier: MIT */
/* Division with rounding, and other integer arithmetic. */
#ifndef KERNEL_LINUX_MATH_H
#define KERNEL_LINUX_MATH_H

#include <linux/const.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_POW2(n, d) ((n) / (d) + !!((n) & ((d) - 1)))
#define DIV_ROUND_UP_ULL(n, d) ((unsigned long long)(((unsigned long long)(n) + (d) - 1) / (d)))
#define DIV_ROUND_DOWN_ULL(n, d) ((unsigned long long)(n) / (d))
#define DIV_ROUND_UP_SECTOR_T(n, d) DIV_ROUND_UP_ULL(n, d)

/* Round to a multiple of `to`, a power of two. */
#define round_mask_(x, to) ((__typeof__(x))((to) - 1))
#define round_up(x, to) ((((x) - 1) | round_mask_(x, to)) + 1)
#define round_down(x, to) ((x) & ~round_mask_(x, to))

/* Round to a multiple of any number. */
#undef roundup
#define roundup(x, to)							\
	({								\
		__typeof__(to) to_ = (to);				\
									\
		(((x) + (to_ - 1)) / to_) * to_;			\
	})
#define rounddown(x, to)						\
	({								\
		__typeof__(x) x_ = (x);					\
									\
		x_ - x_ % (to);						\
	})

#define DIV_ROUND_CLOSEST(x, divisor)					\
	({								\
		__typeof__(x) x_ = (x);					\
		__typeof__(divisor) d_ = (divisor);			\
									\
		(((__typeof__(x))-1) > 0 || ((__typeof__(divisor))-1) > 0 || \
		 (x_ > 0) == (d_ > 0)) ?				\
			(x_ + d_ / 2) / d_ : (x_ - d_ / 2) / d_;	\
	})
#define DIV_ROUND_CLOSEST_ULL(x, divisor) \
	((u64)(((u64)(x) + (divisor) / 2) / (divisor)))
#define mult_frac(x, n, d)						\
	({								\
		__typeof__(x) x_ = (x);					\
		__typeof__(n) n_ = (n);					\
		__typeof__(d) d_ = (d);					\
									\
		x_ / d_ * n_ + x_ % d_ * n_ / d_;			\
	})

#define sector_div(n, base)						\
	({								\
		u32 sector_rest_ = (u32)((n) % (base));			\
									\
		(n) /= (base);						\
		sector_rest_;						\
	})

#undef abs
#define abs(x)								\
	({								\
		__auto_type abs_ = (x);					\
									\
		abs_ < 0 ? -abs_ : abs_;				\
	})
#define abs_diff(a, b)							\
	({								\
		__auto_type abs_a_ = (a);				\
		__auto_type abs_b_ = (b);				\
									\
		abs_a_ > abs_b_ ? abs_a_ - abs_b_ : abs_b_ - abs_a_;	\
	})

static inline u32 reciprocal_scale(u32 value, u32 end)
{
	return (u32)(((u64)value * end) >> 32);
}

USERMM_BEGIN_DECLS

unsigned long int_sqrt(unsigned long x) USERMM_API(int_sqrt);
u32 int_sqrt64(u64 x) USERMM_API(int_sqrt64);
u64 int_pow(u64 base, unsigned int exponent) USERMM_API(int_pow) __attribute__((const));
unsigned long gcd(unsigned long a, unsigned long b) USERMM_API(gcd) __attribute__((const));
unsigned long lcm(unsigned long a, unsigned long b) USERMM_API(lcm) __attribute__((const));
unsigned long lcm_not_zero(unsigned long a, unsigned long b)
	USERMM_API(lcm_not_zero) __attribute__((const));

USERMM_END_DECLS

#endif
