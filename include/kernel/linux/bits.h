/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_BITS_H
#define KERNEL_LINUX_BITS_H

#include <linux/build_bug.h>
#include <linux/const.h>
#include <linux/overflow.h>
#include <linux/types.h>

#define BITS_PER_BYTE 8
#define BITS_PER_LONG 64
#define BITS_PER_LONG_LONG 64
#define BITS_PER_TYPE(type) (sizeof(type) * BITS_PER_BYTE)
#define BITS_TO_LONGS(nr) (((nr) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define BITS_TO_U64(nr) (((nr) + 63) / 64)
#define BITS_TO_U32(nr) (((nr) + 31) / 32)
#define BITS_TO_BYTES(nr) (((nr) + 7) / 8)

#undef BIT
#define BIT(nr) (1UL << (nr))
#define BIT_ULL(nr) (1ULL << (nr))
#define BIT_MASK(nr) (1UL << ((nr) % BITS_PER_LONG))
#define BIT_WORD(nr) ((nr) / BITS_PER_LONG)
#define BIT_ULL_MASK(nr) (1ULL << ((nr) % BITS_PER_LONG_LONG))
#define BIT_ULL_WORD(nr) ((nr) / BITS_PER_LONG_LONG)
#define BITS_PER_LONG_MASK (BITS_PER_LONG - 1)

/* A mask of the bits low to high, both included. */
#define GENMASK(high, low) ((~0UL << (low)) & (~0UL >> (BITS_PER_LONG - 1 - (high))))
#define GENMASK_ULL(high, low) ((~0ULL << (low)) & (~0ULL >> (BITS_PER_LONG_LONG - 1 - (high))))

/*
 * Masks of a given type. A constant bit that the type lacks is an error at compile time, and so is
 * a constant mask whose high bit lies below its low bit.
 */
#define USERMM_ERROR_IF(condition) \
	((int)sizeof(struct { int : (-!!(__builtin_choose_expr( \
		__builtin_constant_p(condition), (condition), 0))); }))
#define __GENMASK(high, low) ((~0UL << (low)) & (~0UL >> (BITS_PER_LONG - 1 - (high))))
#define __GENMASK_ULL(high, low) ((~0ULL << (low)) & (~0ULL >> (BITS_PER_LONG_LONG - 1 - (high))))
#define GENMASK_INPUT_CHECK(high, low) USERMM_ERROR_IF((low) > (high))
#define BIT_TYPE(type, nr) ((type)(USERMM_ERROR_IF((nr) >= BITS_PER_TYPE(type)) + BIT_ULL(nr)))
#define BIT_U8(nr) BIT_TYPE(u8, nr)
#define BIT_U16(nr) BIT_TYPE(u16, nr)
#define BIT_U32(nr) BIT_TYPE(u32, nr)
#define BIT_U64(nr) BIT_TYPE(u64, nr)
#define GENMASK_TYPE(type, high, low)					\
	((type)(USERMM_ERROR_IF((low) > (high)) +			\
		((type)~(type)0 << (low) &				\
		 (type)~(type)0 >> (BITS_PER_TYPE(type) - 1 - (high)))))
#define GENMASK_U8(high, low) GENMASK_TYPE(u8, high, low)
#define GENMASK_U16(high, low) GENMASK_TYPE(u16, high, low)
#define GENMASK_U32(high, low) GENMASK_TYPE(u32, high, low)
#define GENMASK_U64(high, low) GENMASK_TYPE(u64, high, low)
#define GENMASK_U128(high, low) GENMASK_TYPE(u128, high, low)

#endif
