/* SPDX-License-Identifier: MIT */
/* Minimum and maximum. Operands are evaluated once. */
#ifndef KERNEL_LINUX_MINMAX_H
#define KERNEL_LINUX_MINMAX_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Usable where a constant is required. */
#undef MIN
#undef MAX
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN_T(type, a, b) MIN((type)(a), (type)(b))
#define MAX_T(type, a, b) MAX((type)(a), (type)(b))

#define MINMAX_ONCE(op, x, y, unique_x, unique_y)			\
	({								\
		__auto_type unique_x = (x);				\
		__auto_type unique_y = (y);				\
									\
		unique_x op unique_y ? unique_x : unique_y;		\
	})
#define MINMAX(op, x, y) \
	MINMAX_ONCE(op, x, y, __UNIQUE_ID(x_), __UNIQUE_ID(y_))

/* The minimum of two constants is a constant, so it may be an array's length. */
#define min(x, y)							\
	__builtin_choose_expr(__is_constexpr(x) && __is_constexpr(y),	\
			      MIN(x, y), MINMAX(<, x, y))
#define max(x, y)							\
	__builtin_choose_expr(__is_constexpr(x) && __is_constexpr(y),	\
			      MAX(x, y), MINMAX(>, x, y))
#define min_t(type, x, y) min((type)(x), (type)(y))
#define max_t(type, x, y) max((type)(x), (type)(y))
#define umin(x, y) min((x) + 0u + 0ul + 0ull, (y) + 0u + 0ul + 0ull)
#define umax(x, y) max((x) + 0u + 0ul + 0ull, (y) + 0u + 0ul + 0ull)
#define min3(x, y, z) min(min(x, y), z)
#define max3(x, y, z) max(max(x, y), z)
#define min_not_zero(x, y)						\
	({								\
		__auto_type min_x_ = (x);				\
		__auto_type min_y_ = (y);				\
									\
		!min_x_ ? min_y_ : !min_y_ ? min_x_ : min(min_x_, min_y_); \
	})
#define clamp(x, low, high) min(max(x, low), high)
#define clamp_t(type, x, low, high) clamp((type)(x), (type)(low), (type)(high))
#define clamp_val(x, low, high) clamp_t(__typeof__(x), x, low, high)

static inline bool in_range64(u64 value, u64 start, u64 length)
{
	return value - start < length;
}

static inline bool in_range32(u32 value, u32 start, u32 length)
{
	return value - start < length;
}

#define in_range(value, start, length) in_range64(value, start, length)

#define swap(a, b)							\
	do {								\
		__typeof__(a) swap_ = (a);				\
		(a) = (b);						\
		(b) = swap_;						\
	} while (0)

#endif
