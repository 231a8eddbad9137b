/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CRC7_H
#define _LINUX_CRC7_H

#include <linux/types.h>

/* The CRC with polynomial 0x09, in the seven high bits. */
static inline u8 crc7_be_byte(u8 crc, u8 byte)
{
	crc ^= byte;
	for (unsigned int bit = 0; bit < 8; bit++)
		crc = (u8)(crc & 0x80 ? (crc ^ 0x89) << 1 : crc << 1);
	return crc;
}

static inline u8 crc7_be(u8 crc, const u8 *bytes, size_t n)
{
	while (n--)
		crc = crc7_be_byte(crc, *bytes++);
	return crc;
}

#endif
