// SPDX-License-Identifier: MIT
/* Options as text: see linux/parser.h. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/parser.h>
#include <linux/slab.h>
#include <linux/string.h>

/* The end of the number at text that a %d, %u, %o or %x takes; NULL if there is none. */
static char *number_end(char *text, char kind)
{
	unsigned long long value;
	char *end;

	if (kind == 'd' && *text == '-')
		text++;
	value = simple_strtoull(text, &end, kind == 'o' ? 8 : kind == 'x' ? 16 : 0);
	(void)value;
	return end == text ? NULL : end;
}

/* Takes what the directive behind a % stands for; NULL if it is not there. */
static char *take(char *text, const char **pattern, substring_t *piece)
{
	char *end;
	size_t most = SIZE_MAX;

	if (isdigit(**pattern))
		most = simple_strtoul(*pattern, (char **)pattern, 10);
	piece->from = text;
	end = **pattern == 's' ? text + strnlen(text, most) : number_end(text, **pattern);
	if (**pattern == 's' && end == text)
		return NULL;
	(*pattern)++;
	piece->to = end;
	return end;
}

static bool matches(char *text, const char *pattern, substring_t args[])
{
	unsigned int n = 0;

	while (*pattern) {
		if (pattern[0] == '%' && pattern[1] != '%') {
			pattern++;
			if (n == MAX_OPT_ARGS)
				return false;
			text = take(text, &pattern, &args[n++]);
			if (!text)
				return false;
			continue;
		}
		pattern += pattern[0] == '%';
		if (*text++ != *pattern++)
			return false;
	}
	return !*text;
}

int match_token(char *text, const match_table_t table, substring_t args[])
{
	while (table->pattern && !matches(text, table->pattern, args))
		table++;
	return table->token;
}

static int read_number(const substring_t *piece, long long *result, int base, long long least,
		       long long most)
{
	char copy[32];
	int error;

	if (match_strlcpy(copy, piece, sizeof(copy)) >= sizeof(copy))
		return -ERANGE;
	error = kstrtoll(copy, base, result);
	if (error)
		return error;
	return *result < least || *result > most ? -ERANGE : 0;
}

static int match_number(const substring_t *piece, int *result, int base)
{
	long long value;
	int error = read_number(piece, &value, base, INT_MIN, INT_MAX);

	if (!error)
		*result = (int)value;
	return error;
}

int match_int(substring_t *piece, int *result)
{
	return match_number(piece, result, 0);
}

int match_octal(substring_t *piece, int *result)
{
	return match_number(piece, result, 8);
}

int match_hex(substring_t *piece, int *result)
{
	return match_number(piece, result, 16);
}

int match_uint(substring_t *piece, unsigned int *result)
{
	long long value;
	int error = read_number(piece, &value, 0, 0, UINT_MAX);

	if (!error)
		*result = (unsigned int)value;
	return error;
}

int match_u64(substring_t *piece, u64 *result)
{
	unsigned long long value;
	char copy[32];
	int error;

	if (match_strlcpy(copy, piece, sizeof(copy)) >= sizeof(copy))
		return -ERANGE;
	error = kstrtoull(copy, 0, &value);
	if (!error)
		*result = value;
	return error;
}

bool match_wildcard(const char *pattern, const char *text)
{
	const char *star = NULL, *again = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			again = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

size_t match_strlcpy(char *to, const substring_t *piece, size_t size)
{
	size_t length = (size_t)(piece->to - piece->from), used;

	if (size) {
		used = min(length, size - 1);
		memcpy(to, piece->from, used);
		to[used] = '\0';
	}
	return length;
}

char *match_strdup(const substring_t *piece)
{
	return kmemdup_nul(piece->from, (size_t)(piece->to - piece->from), GFP_KERNEL);
}
