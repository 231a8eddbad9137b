/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CRC32_H
#define KERNEL_LINUX_CRC32_H

#include <linux/types.h>
#include <usermm/compiler.h>

/* The CRC of IEEE 802.3, least significant bit first. It inverts neither crc nor the result. */
u32 crc32_le(u32 crc, const unsigned char *bytes, size_t n) USERMM_API(crc32_le);

#define crc32(seed, data, n) crc32_le(seed, (const unsigned char *)(data), n)
#define ether_crc_le(n, data) crc32_le(~0u, (const unsigned char *)(data), n)

#endif
