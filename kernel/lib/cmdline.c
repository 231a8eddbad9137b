// SPDX-License-Identifier: MIT
/* Lists of numbers and options as text: see linux/kernel.h. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

int get_option(char **text, int *value)
{
	char *at = *text;
	long number;

	if (!at || !*at)
		return 0;
	number = *at == '-' ? -(long)simple_strtoull(at + 1, text, 0)
			    : (long)simple_strtoull(at, text, 0);
	if (value)
		*value = (int)number;
	if (at == *text || (*at == '-' && *text == at + 1)) {
		*text = at;
		return 0;
	}
	if (**text == ',') {
		(*text)++;
		return 2;
	}
	return **text == '-' ? 3 : 1;
}

/* Stores the numbers behind first, up to the one after the hyphen; returns how many. */
static int store_range(char **text, int first, int *values, int room)
{
	int last, stored = 0;

	(*text)++;
	last = (int)simple_strtol(*text, NULL, 0);
	for (int number = first; number < last && stored < room; number++)
		values[stored++] = number;
	return stored;
}

char *get_options(const char *text, int nr, int *values)
{
	char *at = (char *)text;
	int stored = 0;

	while (stored < nr - 1) {
		int value, kind = get_option(&at, &value);

		if (!kind)
			break;
		if (kind == 3) {
			int more = store_range(&at, value, values + 1 + stored, nr - 1 - stored);

			if (!more)
				break;
			stored += more;
			continue;	/* with the range's last number */
		}
		values[1 + stored++] = value;
		if (kind == 1)
			break;
	}
	values[0] = stored;
	return at;
}

bool parse_option_str(const char *text, const char *option)
{
	size_t length = strlen(option);

	while (*text) {
		if (!strncmp(text, option, length) && (!text[length] || text[length] == ','))
			return true;
		text += strcspn(text, ",");
		text += *text == ',';
	}
	return false;
}

char *next_arg(char *args, char **name, char **value)
{
	bool quoted = *args == '"', in_quotes = quoted;
	size_t equals = 0, i;

	if (quoted)
		args++;
	for (i = 0; args[i] && (in_quotes || !isspace(args[i])); i++) {
		if (!equals && args[i] == '=')
			equals = i;
		if (args[i] == '"')
			in_quotes = !in_quotes;
	}
	*name = args;
	*value = NULL;
	if (equals) {
		args[equals] = '\0';
		*value = args + equals + 1;
		if (**value == '"') {
			(*value)++;
			if (args[i - 1] == '"')
				args[i - 1] = '\0';
		}
	}
	if (quoted && i > 0 && args[i - 1] == '"')
		args[i - 1] = '\0';
	if (!args[i])
		return args + i;
	args[i] = '\0';
	return skip_spaces(args + i + 1);
}
