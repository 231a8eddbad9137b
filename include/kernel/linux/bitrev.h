/* SPDX-License-Identifier: MIT */
/* Words whose bits stand in the other order. */
#ifndef KERNEL_LINUX_BITREV_H
#define KERNEL_LINUX_BITREV_H

#include <linux/types.h>

static inline u8 bitrev8(u8 x)
{
	x = (u8)((x & 0x55) << 1 | (x >> 1 & 0x55));
	x = (u8)((x & 0x33) << 2 | (x >> 2 & 0x33));
	return (u8)(x << 4 | x >> 4);
}

static inline u16 bitrev16(u16 x)
{
	return (u16)(bitrev8((u8)x) << 8 | bitrev8((u8)(x >> 8)));
}

static inline u32 bitrev32(u32 x)
{
	return (u32)bitrev16((u16)x) << 16 | bitrev16((u16)(x >> 16));
}

/* Within each byte. */
static inline u32 bitrev8x4(u32 x)
{
	return __builtin_bswap32(bitrev32(x));
}

#endif
