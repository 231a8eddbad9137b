/* SPDX-License-Identifier: MIT */
#ifndef __CRC16_H
#define __CRC16_H

#include <linux/types.h>

/* The CRC with polynomial 0x8005, least significant bit first. */
static inline u16 crc16(u16 crc, const u8 *bytes, size_t n)
{
	while (n--) {
		crc ^= *bytes++;
		for (unsigned int i = 0; i < 8; i++)
			crc = (u16)(crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1);
	}
	return crc;
}

#endif
