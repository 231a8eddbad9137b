/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STRING_HELPERS_H
#define KERNEL_LINUX_STRING_HELPERS_H

#include <asm/string.h>
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/string.h>
#include <linux/string_choices.h>

enum string_size_units {
	STRING_UNITS_10, STRING_UNITS_2, STRING_UNITS_MASK = 1,
	STRING_UNITS_NO_SPACE = 1 << 30, STRING_UNITS_NO_BYTES = 1 << 31,
};

/* Prints the size of `size` blocks of block_bytes each, as "1.23 GiB". Returns the length. */
int string_get_size(u64 size, u64 block_bytes, enum string_size_units units, char *buffer,
		    int length) USERMM_API(string_get_size);

/*
 * string_unescape() replaces "\n" and the like by the characters that they stand for, and ends the
 * text. It stops when `size` bytes of the source are read, the end of the text included; 0 means no
 * limit. Source and target may be the same. Returns the length.
 */
#define UNESCAPE_SPACE BIT(0)
#define UNESCAPE_OCTAL BIT(1)
#define UNESCAPE_HEX BIT(2)
#define UNESCAPE_SPECIAL BIT(3)
#define UNESCAPE_ANY (UNESCAPE_SPACE | UNESCAPE_OCTAL | UNESCAPE_HEX | UNESCAPE_SPECIAL)
#define UNESCAPE_ALL_MASK GENMASK(3, 0)
int string_unescape(char *from, char *to, size_t size, unsigned int flags)
	USERMM_API(string_unescape);

static inline int string_unescape_inplace(char *text, unsigned int flags)
{
	return string_unescape(text, text, 0, flags);
}

#define string_unescape_any(from, to, size) string_unescape(from, to, size, UNESCAPE_ANY)
#define string_unescape_any_inplace(text) string_unescape_any(text, text, 0)

/*
 * string_escape_mem() does the reverse, and ends nothing. Returns how many bytes all of it takes;
 * no more than `size` are written. `only` names the characters that may be escaped, or with
 * ESCAPE_APPEND those that are escaped although ESCAPE_NP, _NA or _NAP spares their class:
 * printable characters, ASCII, what is both.
 */
#define ESCAPE_SPACE BIT(0)
#define ESCAPE_SPECIAL BIT(1)
#define ESCAPE_NULL BIT(2)
#define ESCAPE_OCTAL BIT(3)
#define ESCAPE_ANY (ESCAPE_SPACE | ESCAPE_OCTAL | ESCAPE_SPECIAL | ESCAPE_NULL)
#define ESCAPE_NP BIT(4)
#define ESCAPE_ANY_NP (ESCAPE_ANY | ESCAPE_NP)
#define ESCAPE_HEX BIT(5)
#define ESCAPE_NA BIT(6)
#define ESCAPE_NAP BIT(7)
#define ESCAPE_APPEND BIT(8)
#define ESCAPE_ALL_MASK GENMASK(8, 0)
int string_escape_mem(const char *from, size_t n, char *to, size_t size, unsigned int flags,
		      const char *only) USERMM_API(string_escape_mem);

#define string_escape_mem_any_np(from, n, to, size, only) \
	string_escape_mem(from, n, to, size, ESCAPE_ANY_NP, only)
#define string_escape_str(from, to, size, flags, only) \
	string_escape_mem(from, strlen(from), to, size, flags, only)
#define string_escape_str_any_np(from, to, size, only) \
	string_escape_str(from, to, size, ESCAPE_ANY_NP, only)

static inline bool string_is_terminated(const char *text, int length)
{
	return memchr(text, '\0', (size_t)length);
}

static inline void string_upper(char *to, const char *from)
{
	while ((*to++ = (char)toupper(*from++)))
		;
}

static inline void string_lower(char *to, const char *from)
{
	while ((*to++ = (char)tolower(*from++)))
		;
}

#endif
