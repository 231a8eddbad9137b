/* SPDX-License-Identifier: MIT */
#ifndef __CRC8_H_
#define __CRC8_H_

#include <linux/types.h>

#define CRC8_INIT_VALUE 0xff
#define CRC8_TABLE_SIZE 256
#define DECLARE_CRC8_TABLE(name) static u8 name[CRC8_TABLE_SIZE]

/* The table for this polynomial, most significant bit first. */
static inline void crc8_populate_msb(u8 table[CRC8_TABLE_SIZE], u8 polynomial)
{
	for (unsigned int i = 0; i < CRC8_TABLE_SIZE; i++) {
		u8 crc = (u8)i;

		for (unsigned int bit = 0; bit < 8; bit++)
			crc = (u8)(crc & 0x80 ? crc << 1 ^ polynomial : crc << 1);
		table[i] = crc;
	}
}

static inline u8 crc8(const u8 table[CRC8_TABLE_SIZE], const u8 *bytes, size_t n, u8 crc)
{
	while (n--)
		crc = table[crc ^ *bytes++];
	return crc;
}

#endif
