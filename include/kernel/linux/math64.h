/* SPDX-License-Identifier: MIT */
/* 64-bit division, by the names that 32-bit machines need. */
#ifndef KERNEL_LINUX_MATH64_H
#define KERNEL_LINUX_MATH64_H

#include <linux/math.h>
#include <linux/types.h>

#define div64_long(n, d) ((s64)(n) / (d))
#define div64_ul(n, d) ((u64)(n) / (d))

static inline u64 div_u64_rem(u64 n, u32 divisor, u32 *rest)
{
	*rest = (u32)(n % divisor);
	return n / divisor;
}

static inline s64 div_s64_rem(s64 n, s32 divisor, s32 *rest)
{
	*rest = (s32)(n % divisor);
	return n / divisor;
}

static inline u64 div64_u64_rem(u64 n, u64 divisor, u64 *rest)
{
	*rest = n % divisor;
	return n / divisor;
}

static inline u64 div64_u64(u64 n, u64 divisor)
{
	return n / divisor;
}

static inline s64 div64_s64(s64 n, s64 divisor)
{
	return n / divisor;
}

static inline u64 div_u64(u64 n, u32 divisor)
{
	return n / divisor;
}

static inline s64 div_s64(s64 n, s32 divisor)
{
	return n / divisor;
}

static inline u32 iter_div_u64_rem(u64 n, u32 divisor, u64 *rest)
{
	*rest = n % divisor;
	return (u32)(n / divisor);
}

static inline u64 mul_u32_u32(u32 a, u32 b)
{
	return (u64)a * b;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * b) >> shift);
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * b) >> shift);
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	return (u64)((unsigned __int128)a * b / divisor);
}

static inline u64 mul_u64_u32_div(u64 a, u32 b, u32 divisor)
{
	return (u64)((unsigned __int128)a * b / divisor);
}

#define DIV64_U64_ROUND_UP(n, d) div64_u64((n) + (d) - 1, d)
#define DIV_U64_ROUND_UP(n, d) div_u64((n) + (d) - 1, d)
#define DIV64_U64_ROUND_CLOSEST(n, d) div64_u64((n) + (d) / 2, d)
#define DIV_U64_ROUND_CLOSEST(n, d) div_u64((n) + (d) / 2, d)
#define DIV_S64_ROUND_CLOSEST(n, d) \
	(((n) > 0) == ((d) > 0) ? ((n) + (d) / 2) / (d) : ((n) - (d) / 2) / (d))

/* Sets n to n / base. Returns the remainder. */
#define do_div(n, base)							\
	({								\
		u32 do_div_base_ = (base);				\
		u32 do_div_rest_ = (u32)((u64)(n) % do_div_base_);	\
									\
		(n) = (u64)(n) / do_div_base_;				\
		do_div_rest_;						\
	})

static inline u64 mul_u64_add_u64_div_u64(u64 a, u64 b, u64 add, u64 divisor)
{
	return (u64)(((unsigned __int128)a * b + add) / divisor);
}

#define mul_u64_u64_div_u64_roundup(a, b, divisor) \
	({ u64 round_ = (divisor); mul_u64_add_u64_div_u64(a, b, round_ - 1, round_); })

static inline u64 add_u64_u32(u64 a, u32 b)
{
	return a + b;
}

#endif
