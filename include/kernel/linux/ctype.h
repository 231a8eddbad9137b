/* SPDX-License-Identifier: MIT */
/* Classes of ASCII characters. */
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
#define islower(c) usermm_in_range(c, 'a', 'z')
#define isupper(c) usermm_in_range(c, 'A', 'Z')
#define isalpha(c) usermm_in_range((c) | 0x20, 'a', 'z')
#define isalnum(c) usermm_isalnum(c)
#define isspace(c) usermm_isspace(c)
#define isprint(c) usermm_in_range(c, ' ', '~')
#define isgraph(c) usermm_in_range(c, '!', '~')
#define iscntrl(c) usermm_iscntrl(c)
#define ispunct(c) usermm_ispunct(c)
#define isxdigit(c) usermm_isxdigit(c)
#define isascii(c) ((unsigned int)(c) < 128)
#define toascii(c) ((c) & 0x7f)
#define tolower(c) usermm_tolower(c)
#define toupper(c) usermm_toupper(c)
#define _tolower(c) ((char)((c) | 0x20))

static inline bool usermm_in_range(int c, int low, int high)
{
	return c >= low && c <= high;
}

static inline bool usermm_isalnum(int c)
{
	return isdigit(c) || isalpha(c);
}

static inline bool usermm_isspace(int c)
{
	return c == ' ' || usermm_in_range(c, '\t', '\r');
}

static inline bool usermm_iscntrl(int c)
{
	return usermm_in_range(c, 0, 31) || c == 127;
}

static inline bool usermm_ispunct(int c)
{
	return isgraph(c) && !isalnum(c);
}

static inline bool usermm_isxdigit(int c)
{
	return isdigit(c) || usermm_in_range(c | 0x20, 'a', 'f');
}

static inline int usermm_tolower(int c)
{
	return isupper(c) ? c + ('a' - 'A') : c;
}

static inline int usermm_toupper(int c)
{
	return islower(c) ? c - ('a' - 'A') : c;
}

static inline int isodigit(int c)
{
	return c >= '0' && c <= '7';
}

#endif
