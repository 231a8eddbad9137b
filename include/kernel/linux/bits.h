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

#endif
