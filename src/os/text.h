/* SPDX-License-Identifier: MIT */
/* Numbers and words in what the kernel tells as text. */
#ifndef OS_TEXT_H
#define OS_TEXT_H

#include <string.h>

#include "base/compiler.h"

/* The decimal number at *text, which moves behind it; 0, and no move, if there is none. */
static inline uint64_t text_number(const char **text)
{
	uint64_t value = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value * 10 + (uint64_t)(**text - '0');
	return value;
}

/* So many words on, each with a blank behind it; NULL if there are not as many. */
static inline const char *text_skip_words(const char *text, unsigned int nr)
{
	for (; text && nr; nr--) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
}

#endif
