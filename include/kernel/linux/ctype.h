/* SPDX-License-Identifier: MIT */
/*
 * Classes of characters. As in Linux the bytes from 160 on are Latin-1's: 192 is a capital, 160 a
 * space. isdigit(), isxdigit() and isascii() know ASCII alone.
 */
#ifndef KERNEL_LINUX_CTYPE_H
#define KERNEL_LINUX_CTYPE_H

#include <linux/types.h>

#undef isalnum
#undef isalpha
#undef iscntrl
#undef isdigit
#undef isgraph
#undef islower
#undef isprint
#undef ispunct
#undef isspace
#undef isupper
#undef isxdigit
#undef isascii
#undef toascii
#undef tolower
#undef toupper
#undef _tolower
#define isdigit(c) usermm_in_range(c, '0', '9')
#define islower(c) usermm_islower((unsigned char)(c))
#define isupper(c) usermm_isupper((unsigned char)(c))
#define isalpha(c) usermm_isalpha((unsigned char)(c))
#define isalnum(c) usermm_isalnum((unsigned char)(c))
#define isspace(c) usermm_isspace((unsigned char)(c))
#define isprint(c) usermm_isprint((unsigned char)(c))
#define isgraph(c) usermm_isgraph((unsigned char)(c))
#define iscntrl(c) usermm_iscntrl(c)
#define ispunct(c) usermm_ispunct((unsigned char)(c))
#define isxdigit(c) usermm_isxdigit(c)
#define isascii(c) ((unsigned int)(c) < 128)
#define toascii(c) ((c) & 0x7f)
#define tolower(c) usermm_tolower((unsigned char)(c))
#define toupper(c) usermm_toupper((unsigned char)(c))
#define _tolower(c) ((char)((c) | 0x20))

static inline bool usermm_in_range(int c, int low, int high)
{
	return c >= low && c <= high;
}

/* The signs of multiplication and division lie among Latin-1's letters. */
static inline bool usermm_isupper(int c)
{
	return usermm_in_range(c, 'A', 'Z') || (usermm_in_range(c, 0xc0, 0xde) && c != 0xd7);
}

static inline bool usermm_islower(int c)
{
	return usermm_in_range(c, 'a', 'z') || (usermm_in_range(c, 0xdf, 0xff) && c != 0xf7);
}

static inline bool usermm_isalpha(int c)
{
	return usermm_isupper(c) || usermm_islower(c);
}

static inline bool usermm_isalnum(int c)
{
	return isdigit(c) || usermm_isalpha(c);
}

static inline bool usermm_isspace(int c)
{
	return c == ' ' || usermm_in_range(c, '\t', '\r') || c == 0xa0;
}

static inline bool usermm_isgraph(int c)
{
	return usermm_in_range(c, '!', '~') || c > 0xa0;
}

static inline bool usermm_isprint(int c)
{
	return usermm_isgraph(c) || c == ' ' || c == 0xa0;
}

static inline bool usermm_iscntrl(int c)
{
	return usermm_in_range(c, 0, 31) || c == 127;
}

static inline bool usermm_ispunct(int c)
{
	return usermm_isgraph(c) && !usermm_isalnum(c);
}

static inline bool usermm_isxdigit(int c)
{
	return isdigit(c) || usermm_in_range(c | 0x20, 'a', 'f');
}

static inline int usermm_tolower(int c)
{
	return usermm_isupper(c) ? c + ('a' - 'A') : c;
}

static inline int usermm_toupper(int c)
{
	return usermm_islower(c) ? c - ('a' - 'A') : c;
}

static inline int isodigit(int c)
{
	return c >= '0' && c <= '7';
}

#endif
