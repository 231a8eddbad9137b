/* SPDX-License-Identifier: MIT */
/*
 * Checks the values of options of type TEXT. A range is of one of four kinds:
 *
 *	PATH		a file's name; %p, %n and %% are replaced
 *	a|b[...]	one of these words; if a bracket follows the word, ',' and more may follow
 *	[LETTERS]...	blocks of these letters, separated by ';'; after a block's ',' names
 *	interval,...	fault injection: four numbers, then NAME=VALUE
 */
#include "base/option_text.h"

#include <limits.h>

#include "base/fmt.h"
#include "base/text.h"

const char *option_read_number(const char *text, long *value)
{
	bool negative = *text == '-';
	unsigned long base = 10, result = 0, digit;
	const char *digits;

	text += negative;
	if (!strncmp(text, "0x", 2)) {
		text += 2;
		base = 16;
	}
	for (digits = text;; text++) {
		char lower = *text | 0x20;

		digit = *text >= '0' && *text <= '9' ? (unsigned long)(*text - '0') :
			lower >= 'a' && lower <= 'f' ? (unsigned long)(lower - 'a' + 10) : base;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(result, base, &result) ||
		    __builtin_add_overflow(result, digit, &result))
			return NULL;
	}
	*value = negative ? -(long)result : (long)result;
	return text > digits && (base == 16 || *value >= 0 || negative) ? text : NULL;
}

/* --- Words ------------------------------------------------------------------------ */

static bool is_word(const char *range, const char *text)
{
	size_t length = strlen(text);
	const char *choice = range;

	while (*choice) {
		size_t choice_length = strcspn(choice, "|");
		size_t word_length = strcspn(choice, "|[");

		if (!strncmp(text, choice, word_length) &&
		    (length == word_length ||
		     (word_length < choice_length && text[word_length] == ',')))
			return true;
		choice += choice_length + (choice[choice_length] == '|');
	}
	return false;
}

/* --- Letters ---------------------------------------------------------------------- */

static bool has_letter(const char *range, char letter)
{
	for (const char *allowed = range + 1; *allowed != ']'; allowed++)
		if (letter == *allowed || letter == (*allowed | 0x20))
			return true;
	return false;
}

static bool are_letters(const char *range, const char *text)
{
	while (*text) {
		for (; *text && *text != ',' && *text != ';'; text++)
			if (!has_letter(range, *text))
				return false;
		text += strcspn(text, ";");
		text += *text == ';';
	}
	return true;
}

/* --- Fault injection --------------------------------------------------------------- */

static const struct {
	const char *name;
	long low, high;
	const char *option;	/* the option that has this setting; NULL: all */
} settings[] = {
	{ "ignore-gfp-wait", 0, 1, NULL },
	{ "ignore-gfp-highmem", 0, 1, "fail_page_alloc" },
	{ "min-order", 0, UINT_MAX, "fail_page_alloc" },
	{ "cache-filter", 0, 1, "failslab" },
	{ "task-filter", 0, 1, NULL },
	{ "verbose", LONG_MIN, LONG_MAX, NULL },
	{ "stacktrace-depth", LONG_MIN, LONG_MAX, NULL },
	{ "require-start", LONG_MIN, LONG_MAX, NULL },
	{ "require-end", LONG_MIN, LONG_MAX, NULL },
	{ "reject-start", LONG_MIN, LONG_MAX, NULL },
	{ "reject-end", LONG_MIN, LONG_MAX, NULL },
};

static bool has_setting(const struct option_row *row, unsigned int i)
{
	return !settings[i].option || !strcmp(settings[i].option, row->name);
}

static bool is_setting(const struct option_row *row, const char *name, size_t length, long value)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(settings); i++)
		if (has_setting(row, i) && strlen(settings[i].name) == length &&
		    !memcmp(settings[i].name, name, length))
			return value >= settings[i].low && value <= settings[i].high;
	return false;
}

/* interval and probability must not be negative; space and times are of type int. */
static const char *skip_numbers(const char *text)
{
	long value;

	for (unsigned int i = 0; i < 4; i++) {
		text = option_read_number(text, &value);
		if (!text || (i < 2 ? value < 0 : value < INT_MIN || value > INT_MAX) ||
		    (i < 3 && *text++ != ','))
			return NULL;
	}
	return text;
}

static bool is_fault(const struct option_row *row, const char *text)
{
	text = skip_numbers(text);
	while (text && *text == ',') {
		const char *name = ++text;
		size_t length = strcspn(name, "=,");
		long value;

		if (name[length] != '=')
			return false;
		text = option_read_number(name + length + 1, &value);
		if (!text || !is_setting(row, name, length, value))
			return false;
	}
	return text && !*text;
}

/* --- A path --------------------------------------------------------------------------- */

static bool is_of_path(const struct option_row *row)
{
	return !strcmp(row->range, "PATH");
}

static bool is_path(const char *text)
{
	const char *at = text;

	while ((at = strchr(at, '%')) && at[1] && strchr("pn%", at[1]))
		at += 2;
	return *text && !at;
}

/* --- All ---------------------------------------------------------------------------- */

static bool is_of_numbers(const struct option_row *row)
{
	return !strchr(row->range, '|') && *row->range != '[' && !is_of_path(row);
}

bool option_text_is_good(const struct option_row *row, const char *text)
{
	if (is_of_path(row))
		return is_path(text);
	if (is_of_numbers(row))
		return is_fault(row, text);
	return *row->range == '[' ? are_letters(row->range, text) : is_word(row->range, text);
}

void option_text_explain(const struct option_row *row, char *text, size_t bytes)
{
	size_t used = 0;

	*text = '\0';
	if (is_of_path(row))
		fmt_format(text, bytes, ", in which %%p is the process, %%n a number, %%%% a %%");
	for (unsigned int i = 0; is_of_numbers(row) && i < ARRAY_SIZE(settings); i++)
		if (has_setting(row, i) && used < bytes)
			used += fmt_format(text + used, bytes - used, "%s%s",
					   used ? " " : "; NAMEs: ", settings[i].name);
}
