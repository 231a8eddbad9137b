/* SPDX-License-Identifier: MIT */
/* Numbers of which each half byte is a decimal digit. */
#ifndef _BCD_H
#define _BCD_H

#include <linux/compiler.h>

#define bcd2bin(value) ((((value) >> 4) & 0x0f) * 10 + ((value) & 0x0f))
#define bin2bcd(value) ((unsigned char)((((value) / 10) << 4) + (value) % 10))
#define bcd_is_valid(value) (((value) & 0x0f) < 10 && (((value) >> 4) & 0x0f) < 10)

#endif
