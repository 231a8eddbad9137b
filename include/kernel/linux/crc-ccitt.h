/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CRC_CCITT_H
#define _LINUX_CRC_CCITT_H

#include <linux/types.h>

/* The CRC with polynomial 0x1021, least significant bit first. */
static inline u16 crc_ccitt_byte(u16 crc, const u8 byte)
{
	crc ^= byte;
	for (unsigned int i = 0; i < 8; i++)
		crc = (u16)(crc & 1 ? crc >> 1 ^ 0x8408 : crc >> 1);
	return crc;
}

static inline u16 crc_ccitt(u16 crc, const u8 *bytes, size_t n)
{
	while (n--)
		crc = crc_ccitt_byte(crc, *bytes++);
	return crc;
}

#endif
