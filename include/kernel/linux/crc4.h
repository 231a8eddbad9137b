/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CRC4_H
#define _LINUX_CRC4_H

#include <linux/types.h>

/* The CRC with polynomial 0x3 of the low bits of x, the highest first. */
static inline uint8_t crc4(uint8_t crc, uint64_t x, int bits)
{
	static const uint8_t table[] = { 0, 7, 14, 9, 11, 12, 5, 2, 1, 6, 15, 8, 10, 13, 4, 3 };

	x &= bits < 64 ? (1ULL << bits) - 1 : ~0ULL;
	bits = (bits + 3) & ~3;
	for (int at = bits - 4; at >= 0; at -= 4)
		crc = table[crc ^ (x >> at & 15)];
	return crc;
}

#endif
