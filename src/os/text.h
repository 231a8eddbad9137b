/* SPDX-License-Identifier: MIT */
/* Numbers and words in the kernel's text files. */
#ifndef OS_TEXT_H
#define OS_TEXT_H

#include "base/compiler.h"
#include "base/text.h"

/* The decimal number at *text, which moves behind it. Without a number: 0, and *text stays. */
static inline uint64_t text_number(const char **text)
{
	uint64_t value = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value * 10 + (uint64_t)(**text - '0');
	return value;
}

/* Skips nr words, each with one space behind it; NULL if there are fewer. */
static inline const char *text_skip_words(const char *text, unsigned int nr)
{
	for (; text && nr; nr--) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
}

#endif
