/* SPDX-License-Identifier: MIT */
/* Options whose value is a text: which texts are values. */
#ifndef BASE_OPTION_TEXT_H
#define BASE_OPTION_TEXT_H

#include "base/options.h"

/* Is it what the row's range shows? */
bool option_text_is_good(const struct option_row *row, const char *text);
/* What the range has no room for; "" if there is nothing more to say. */
void option_text_explain(const struct option_row *row, char *text, size_t bytes);
/* A number, perhaps with a sign, decimal or behind 0x, and what follows; NULL if there is none. */
const char *option_read_number(const char *text, long *value);

#endif
