/* SPDX-License-Identifier: MIT */
#ifndef _CRYPTO_UTILS_H
#define _CRYPTO_UTILS_H

#include <linux/types.h>
#include <linux/unaligned.h>

/* 0 if equal; looks at all bytes in any case. */
static inline unsigned long crypto_memneq(const void *a, const void *b, size_t size)
{
	const u8 *one = (const u8 *)a, *other = (const u8 *)b;
	unsigned long different = 0;

	for (size_t i = 0; i < size; i++)
		different |= (unsigned long)(one[i] ^ other[i]);
	return different;
}

static inline void crypto_xor_cpy(u8 *to, const u8 *a, const u8 *b, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		to[i] = a[i] ^ b[i];
}

static inline void crypto_xor(u8 *to, const u8 *from, unsigned int size)
{
	crypto_xor_cpy(to, to, from, size);
}

/* Adds one to a number of size bytes whose highest byte comes first. */
static inline void crypto_inc(u8 *number, unsigned int size)
{
	while (size-- && !++number[size])
		;
}

#endif
