/* SPDX-License-Identifier: MIT */
/* Addresses as text. */
#ifndef _LINUX_INET_H
#define _LINUX_INET_H

#include <linux/byteorder.h>
#include <linux/kstrtox.h>
#include <linux/types.h>

/* A dotted address in the network's order. */
static inline __be32 in_aton(const char *text)
{
	u32 address = 0;

	for (int i = 0; i < 4; i++) {
		char *end;

		address = address << 8 | (u32)(simple_strtoul(text, &end, 10) & 0xff);
		text = *end == '.' ? end + 1 : end;
	}
	return (__be32)cpu_to_be32(address);
}

#endif
