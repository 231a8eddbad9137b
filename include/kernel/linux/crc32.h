/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CRC32_H
#define KERNEL_LINUX_CRC32_H

#include <linux/bitrev.h>
#include <linux/types.h>
#include <usermm/compiler.h>

/* The CRC of IEEE 802.3, least significant bit first. It inverts neither crc nor the result. */
u32 crc32_le(u32 crc, const unsigned char *bytes, size_t n) USERMM_API(crc32_le);

/* The same, most significant bit first. */
static inline u32 crc32_be(u32 crc, const void *bytes, size_t n)
{
	const u8 *p = (const u8 *)bytes;

	while (n--) {
		crc ^= (u32)*p++ << 24;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc & 0x80000000 ? crc << 1 ^ 0x04c11db7 : crc << 1;
	}
	return crc;
}

/* The CRC of Castagnoli, least significant bit first. */
static inline u32 crc32c(u32 crc, const void *bytes, size_t n)
{
	const u8 *p = (const u8 *)bytes;

	while (n--) {
		crc ^= *p++;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return crc;
}

#define ether_crc(n, data) bitrev32(crc32_le(~0u, (const unsigned char *)(data), n))
#define __crc32c_le(crc, data, n) crc32c(crc, data, n)
#define crc32(seed, data, n) crc32_le(seed, (const unsigned char *)(data), n)
#define ether_crc_le(n, data) crc32_le(~0u, (const unsigned char *)(data), n)

#endif
