/* SPDX-License-Identifier: MIT */
/* Checks the values of options of type TEXT. */
#ifndef BASE_OPTION_TEXT_H
#define BASE_OPTION_TEXT_H

#include "base/options.h"

/* Does the text have the form that the row's range shows? */
bool option_text_is_good(const struct option_row *row, const char *text);
/* Writes what an error message should add to the range; "" if nothing. */
void option_text_explain(const struct option_row *row, char *text, size_t bytes);
/*
 * Reads a number: decimal, or hexadecimal after 0x, maybe with a '-'. Returns the text behind it;
 * NULL if there is no number.
 */
const char *option_read_number(const char *text, long *value);

#endif
