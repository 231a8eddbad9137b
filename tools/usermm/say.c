// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "stats/metrics.h"

/* C0, DEL, C1 (c2 80 to c2 9f), and the marks of Unicode's bidirectional algorithm (UAX 9). */
static bool is_harmful(const unsigned char *at, unsigned int length)
{
	if (length < 2)
		return !length || *at < ' ' || *at == 0x7f;
	if (length == 2)
		return (at[0] == 0xc2 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c);
	return length == 3 && at[0] == 0xe2 &&
	       ((at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f ||
				   (at[2] >= 0xa8 && at[2] <= 0xae))) ||
		(at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

/* Writes one character of the text; returns how many bytes it read. */
static unsigned int clean_one(char to[20], const char *text)
{
	unsigned int length = metric_utf8_bytes(text), read = max(length, 1u);

	if (!is_harmful((const unsigned char *)text, length)) {
		snprintf(to, 20, "%.*s", (int)read, text);
		return read;
	}
	for (unsigned int i = 0; i < read; i++)
		snprintf(to + 4 * i, 20 - 4 * i, "\\x%02x", (unsigned char)text[i]);
	return read;
}

void say_clean(char *to, size_t bytes, const char *text)
{
	char character[20];
	size_t used = 0, length;

	for (; *text; used += length) {
		text += clean_one(character, text);
		length = strlen(character);
		if (used + length >= bytes)
			break;
		memcpy(to + used, character, length);
	}
	to[used] = '\0';
}

static void write_clean(FILE *to, const char *text)
{
	char character[20];

	while (*text) {
		text += clean_one(character, text);
		fputs(character, to);
	}
}

void say(FILE *to, const char *format, ...)
{
	size_t format_length = strlen(format), length;
	bool ends_line = format_length && format[format_length - 1] == '\n';
	char text[1024], *longer = NULL;
	va_list arguments;
	int needed;

	va_start(arguments, format);
	needed = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (needed >= (int)sizeof(text)) {
		va_start(arguments, format);
		if (vasprintf(&longer, format, arguments) < 0)
			longer = NULL;	/* then the beginning is all */
		va_end(arguments);
	}
	length = strlen(longer ? longer : text);
	if (ends_line && (longer || needed < (int)sizeof(text)))
		(longer ? longer : text)[length - 1] = '\0';
	write_clean(to, longer ? longer : text);
	if (ends_line)
		putc('\n', to);
	free(longer);
}
