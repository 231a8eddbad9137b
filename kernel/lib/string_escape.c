// SPDX-License-Identifier: MIT
/* Characters that do not print, as text and back: "\n", "\a", "\012", "\x0a". */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

/* What an escape of one letter stands for: the letter at the same place. */
struct letters {
	const char *letters, *meanings;
};
static const struct letters spaces = { "fnrtv", "\f\n\r\t\v" };
static const struct letters specials = { "ae\"\\", "\a\033\"\\" };

static char *find(const char *text, unsigned char c)
{
	return c ? strchr(text, c) : NULL;
}

/* Replaces a letter by its meaning. Returns how many characters were read. */
static unsigned int read_letter(const struct letters *table, const char *from, char *to)
{
	const char *found = find(table->letters, (unsigned char)*from);

	if (!found)
		return 0;
	*to = table->meanings[found - table->letters];
	return 1;
}

/* Up to `max` digits, whose number fits into a byte. */
static unsigned int read_number(const char *from, unsigned int base, unsigned int max, char *to)
{
	unsigned int value = 0, n;

	for (n = 0; n < max; n++) {
		int digit = hex_to_bin((unsigned char)from[n]);

		if (digit < 0 || digit >= (int)base || value * base + (unsigned int)digit > 255)
			break;
		value = value * base + (unsigned int)digit;
	}
	*to = (char)value;
	return n;
}

/* Reads what stands behind a backslash. Returns how many characters it took, 0 if it is none. */
static unsigned int read_escape(const char *from, unsigned int flags, char *to)
{
	unsigned int n = 0;

	if (flags & UNESCAPE_SPACE)
		n = read_letter(&spaces, from, to);
	if (!n && flags & UNESCAPE_OCTAL)
		n = read_number(from, 8, 3, to);
	if (!n && flags & UNESCAPE_HEX && *from == 'x') {
		n = read_number(from + 1, 16, 2, to);
		n += n > 0;
	}
	if (!n && flags & UNESCAPE_SPECIAL)
		n = read_letter(&specials, from, to);
	return n;
}

int string_unescape(char *from, char *to, size_t size, unsigned int flags)
{
	size_t left = size ? size : SIZE_MAX;
	char *out = to;

	while (*from && --left) {
		unsigned int n;
		char c;

		if (*from == '\\' && from[1] && left > 1) {
			left--;
			n = read_escape(++from, flags, &c);
			from += n;
			if (n) {
				*out++ = c;
				continue;
			}
			*out++ = '\\';
		}
		*out++ = *from++;
	}
	*out = '\0';
	return (int)(out - to);
}

/* May c stay as it is, by its class, or because `only` does not name it? */
static bool stays(unsigned char c, unsigned int flags, const char *only)
{
	bool has_names = only && *only, is_named = has_names && strchr(only, c);
	bool appended = flags & ESCAPE_APPEND;

	if (appended && is_named)
		return false;
	if (has_names && !appended && !is_named)
		return true;
	return (flags & ESCAPE_NAP && isascii(c) && isprint(c)) ||
	       (flags & ESCAPE_NP && isprint(c)) || (flags & ESCAPE_NA && isascii(c));
}

/* The text for c; 0 if no flag has one. At most four characters. */
static unsigned int write_escape(unsigned char c, unsigned int flags, char *text)
{
	const char *found;

	text[0] = '\\';
	found = flags & ESCAPE_SPACE ? find(spaces.meanings, c) : NULL;
	if (found) {
		text[1] = spaces.letters[found - spaces.meanings];
		return 2;
	}
	found = flags & ESCAPE_SPECIAL ? find(specials.meanings, c) : NULL;
	if (found) {
		text[1] = specials.letters[found - specials.meanings];
		return 2;
	}
	if (flags & ESCAPE_NULL && !c) {
		text[1] = '0';
		return 2;
	}
	if (flags & ESCAPE_OCTAL) {
		for (unsigned int i = 0; i < 3; i++)
			text[1 + i] = (char)('0' + (c >> (6 - 3 * i) & 7));
		return 4;
	}
	if (flags & ESCAPE_HEX) {
		text[1] = 'x';
		text[2] = hex_asc_hi(c);
		text[3] = hex_asc_lo(c);
		return 4;
	}
	return 0;
}

int string_escape_mem(const char *from, size_t n, char *to, size_t size, unsigned int flags,
		      const char *only)
{
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)from[i];
		unsigned int bytes = 0;
		char text[4];

		if (!stays(c, flags, only))
			bytes = write_escape(c, flags, text);
		if (!bytes) {
			text[0] = (char)c;
			bytes = 1;
		}
		for (unsigned int k = 0; k < bytes; k++, length++)
			if (length < size)
				to[length] = text[k];
	}
	return (int)length;
}
