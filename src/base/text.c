/* SPDX-License-Identifier: MIT */
/*
 * Compiled without builtins (CMakeLists.txt): a compiler would replace these loops by calls of
 * libc's functions.
 */
#include "base/text.h"

size_t text_length(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

int text_compare_start(const char *one, const char *other, size_t most)
{
	for (size_t i = 0; i < most; i++)
		if (one[i] != other[i] || !one[i])
			return (unsigned char)one[i] - (unsigned char)other[i];
	return 0;
}

int text_compare(const char *one, const char *other)
{
	return text_compare_start(one, other, SIZE_MAX);
}

char *text_find(const char *text, int c)
{
	for (;; text++) {
		if (*text == (char)c)
			return (char *)text;
		if (!*text)
			return NULL;
	}
}

char *text_find_last(const char *text, int c)
{
	const char *last = NULL;

	for (;; text++) {
		if (*text == (char)c)
			last = text;
		if (!*text)
			return (char *)last;
	}
}

char *text_find_text(const char *text, const char *part)
{
	size_t length = text_length(part);

	for (;; text++) {
		if (!text_compare_start(text, part, length))
			return (char *)text;
		if (!*text)
			return NULL;
	}
}

static bool is_one_of(char c, const char *of)
{
	for (; *of; of++)
		if (*of == c)
			return true;
	return false;
}

size_t text_span(const char *text, const char *of)
{
	size_t length = 0;

	while (text[length] && is_one_of(text[length], of))
		length++;
	return length;
}

size_t text_span_without(const char *text, const char *of)
{
	size_t length = 0;

	while (text[length] && !is_one_of(text[length], of))
		length++;
	return length;
}

void *text_find_byte(const void *bytes, int c, size_t nr)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < nr; i++)
		if (byte[i] == (unsigned char)c)
			return (void *)(byte + i);
	return NULL;
}

int text_compare_bytes(const void *one, const void *other, size_t nr)
{
	const unsigned char *a = one, *b = other;

	for (size_t i = 0; i < nr; i++)
		if (a[i] != b[i])
			return a[i] - b[i];
	return 0;
}
