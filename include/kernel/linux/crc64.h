/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CRC64_H
#define _LINUX_CRC64_H

#include <linux/types.h>

/* The CRC of ECMA-182, most significant bit first. */
static inline u64 crc64_be(u64 crc, const void *bytes, size_t n)
{
	const u8 *p = (const u8 *)bytes;

	while (n--) {
		crc ^= (u64)*p++ << 56;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 63 ? crc << 1 ^ 0x42f0e1eba9ea3693ULL : crc << 1;
	}
	return crc;
}

/* The CRC of NVMe, least significant bit first, inverted before and after. */
static inline u64 crc64_nvme(u64 crc, const void *bytes, size_t n)
{
	const u8 *p = (const u8 *)bytes;

	crc = ~crc;
	while (n--) {
		crc ^= *p++;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x9a6c9329ac4bc9b5ULL : crc >> 1;
	}
	return ~crc;
}

#endif
