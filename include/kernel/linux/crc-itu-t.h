/* SPDX-License-Identifier: MIT */
#ifndef CRC_ITU_T_H
#define CRC_ITU_T_H

#include <linux/types.h>

/* The CRC with polynomial 0x1021, most significant bit first. */
static inline u16 crc_itu_t_byte(u16 crc, const u8 byte)
{
	crc ^= (u16)(byte << 8);
	for (unsigned int bit = 0; bit < 8; bit++)
		crc = (u16)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	return crc;
}

static inline u16 crc_itu_t(u16 crc, const u8 *bytes, size_t n)
{
	while (n--)
		crc = crc_itu_t_byte(crc, *bytes++);
	return crc;
}

#endif
