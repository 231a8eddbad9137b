/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_HEX_H
#define KERNEL_LINUX_HEX_H

#include <linux/types.h>

static const char hex_asc[] __attribute__((__unused__)) = "0123456789abcdef";
static const char hex_asc_upper[] __attribute__((__unused__)) = "0123456789ABCDEF";
#define hex_asc_lo(x) hex_asc[(x) & 0x0f]
#define hex_asc_hi(x) hex_asc[((x) & 0xf0) >> 4]
#define hex_asc_upper_lo(x) hex_asc_upper[(x) & 0x0f]
#define hex_asc_upper_hi(x) hex_asc_upper[((x) & 0xf0) >> 4]

static inline char *hex_byte_pack(char *text, u8 byte)
{
	*text++ = hex_asc_hi(byte);
	*text++ = hex_asc_lo(byte);
	return text;
}

static inline char *hex_byte_pack_upper(char *text, u8 byte)
{
	*text++ = hex_asc_upper_hi(byte);
	*text++ = hex_asc_upper_lo(byte);
	return text;
}

/* The value of a digit, or -1. */
static inline int hex_to_bin(unsigned char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit |= 0x20;
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* n bytes from 2 * n digits; 0 or -EINVAL (-22). */
static inline int hex2bin(u8 *to, const char *from, size_t n)
{
	for (; n--; from += 2) {
		int high = hex_to_bin((unsigned char)from[0]), low;

		low = high < 0 ? -1 : hex_to_bin((unsigned char)from[1]);
		if (low < 0)
			return -22;
		*to++ = (u8)(high << 4 | low);
	}
	return 0;
}

static inline char *bin2hex(char *to, const void *from, size_t n)
{
	for (const u8 *byte = (const u8 *)from; n--; byte++)
		to = hex_byte_pack(to, *byte);
	return to;
}

#endif
