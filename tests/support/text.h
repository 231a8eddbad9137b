/* SPDX-License-Identifier: MIT */
/* Searches in the texts of reports. */
#ifndef SUPPORT_TEXT_H
#define SUPPORT_TEXT_H

#include <string.h>

/* How often `what` occurs in `text`. */
static inline unsigned int count_text(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		nr++;
	return nr;
}

#endif
