/* SPDX-License-Identifier: MIT */
/* Hashes by multiplication with the golden ratio. */
#ifndef KERNEL_LINUX_HASH_H
#define KERNEL_LINUX_HASH_H

#include <linux/bits.h>
#include <linux/types.h>

#define GOLDEN_RATIO_32 0x61C88647
#define GOLDEN_RATIO_64 0x61C8864680B583EBull
#define GOLDEN_RATIO_PRIME GOLDEN_RATIO_64

static inline u32 __hash_32(u32 value)
{
	return value * GOLDEN_RATIO_32;
}

static inline u32 hash_32(u32 value, unsigned int bits)
{
	return __hash_32(value) >> (32 - bits);
}

static inline u32 hash_64(u64 value, unsigned int bits)
{
	return (u32)(value * GOLDEN_RATIO_64 >> (64 - bits));
}

#define hash_long(value, bits) hash_64(value, bits)

static inline u32 hash_ptr(const void *ptr, unsigned int bits)
{
	return hash_long((unsigned long)ptr, bits);
}

static inline u32 hash32_ptr(const void *ptr)
{
	return (u32)((unsigned long)ptr ^ (unsigned long)ptr >> 32);
}

#endif
