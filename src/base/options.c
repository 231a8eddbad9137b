/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <string.h>

#include "base/fmt.h"
#include "base/option_text.h"

struct options options = {
#define OPTION(name, type, default_value, range, stability, help) .name = default_value,
#include "base/options.def"
#undef OPTION
};

static const struct option_row rows[] = {
#define OPTION(name, type, default_value, range, stability, help) \
	{ #name, #type, default_value, range, #stability, help, &options.name },
#include "base/options.def"
#undef OPTION
};

const struct option_row *options_row(unsigned int i)
{
	return i < ARRAY_SIZE(rows) ? &rows[i] : NULL;
}

/* The values of options of type TEXT, one behind the other. */
static char texts[1024] __large_bss;
static size_t texts_used, last_text;

static bool is_none(const char *text, size_t length)
{
	return (length == 1 && *text == '-') || (length == 3 && !memcmp(text, "off", 3));
}

static bool parse_text(const struct option_row *row, const char *text, size_t length,
		       unsigned long *value)
{
	char copy[sizeof(texts)];

	if (is_none(text, length)) {
		*value = 0;
		return true;
	}
	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (!option_text_is_good(row, copy))
		return false;
	if (*row->value == (unsigned long)(texts + last_text))
		texts_used = last_text;	/* given again: the new text takes the old one's place */
	if (length >= sizeof(texts) - texts_used)
		return false;
	last_text = texts_used;
	texts_used += length + 1;
	*value = (unsigned long)memcpy(texts + last_text, copy, length + 1);
	return true;
}

/* Old names of options. They still work, with the values that they had. */
static const struct {
	const char *name, *new_name;
	const char *range;	/* the old values; NULL: the same as today */
} old_names[] = {
	{ "guard", "kfence_sample", NULL },
	{ "populate", "prefault", NULL },
	{ "slab_path", "slab_cpu_cache", "sheaf|freelist[,CACHE...]" },
	{ "window", "reserve", NULL },
};
/* Sync: as options */
static bool old_name_was_given[ARRAY_SIZE(old_names)];

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

static bool find_row(const char *name, size_t length, struct option_row *row)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		if (is_name(rows[i].name, name, length)) {
			*row = rows[i];
			return true;
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(old_names); i++) {
		if (is_name(old_names[i].name, name, length)) {
			find_row(old_names[i].new_name, strlen(old_names[i].new_name), row);
			row->name = old_names[i].name;
			if (old_names[i].range)
				row->range = old_names[i].range;
			return true;
		}
	}
	return false;
}

static void note_old_name(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(old_names); i++)
		if (name == old_names[i].name)
			old_name_was_given[i] = true;
}

bool options_old_name_row(unsigned int i, const char **name, const char **new_name)
{
	if (i >= ARRAY_SIZE(old_names))
		return false;
	*name = old_names[i].name;
	*new_name = old_names[i].new_name;
	return true;
}

bool options_old_name(unsigned int i, const char **name, const char **new_name)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(old_names); k++) {
		if (old_name_was_given[k] && !i--)
			return options_old_name_row(k, name, new_name);
	}
	return false;
}

/* Reads a number with an optional suffix. False for any other text, or if it is too large. */
static bool parse_number(const char *text, size_t length, bool suffixes, unsigned long *value)
{
	static const char units[] = "KMGT";
	unsigned int shift = 0;
	unsigned long result = 0;
	const char *unit;

	if (suffixes && length && text[length - 1]) {
		unit = strchr(units, text[length - 1] & ~0x20);
		if (unit && *unit) {
			shift = 10 * (unsigned int)(unit - units + 1);
			length--;
		}
	}
	if (!length)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		if (__builtin_mul_overflow(result, 10UL, &result) ||
		    __builtin_add_overflow(result, (unsigned long)(text[i] - '0'), &result))
			return false;
	}
	if (shift && result > (~0UL >> shift))
		return false;
	*value = result << shift;
	return true;
}

static bool parse_ranged(const struct option_row *row, const char *text, size_t length,
			 unsigned long *value)
{
	bool suffixes = !strcmp(row->type, "SIZE");
	const char *dots = strstr(row->range, "..");
	unsigned long low = 0, high = 0;

	parse_number(row->range, (size_t)(dots - row->range), suffixes, &low);
	parse_number(dots + 2, strlen(dots + 2), suffixes, &high);
	return parse_number(text, length, suffixes, value) && *value >= low && *value <= high;
}

static bool parse_enum(const struct option_row *row, const char *text, size_t length,
		       unsigned long *value)
{
	const char *choice = row->range;

	for (unsigned long number = 0;; number++) {
		size_t choice_length = strcspn(choice, "|");

		if (choice_length == length && !memcmp(choice, text, length)) {
			*value = number;
			return true;
		}
		if (!choice[choice_length])
			return false;
		choice += choice_length + 1;
	}
}

static bool parse_value(const struct option_row *row, const char *text, size_t length,
			unsigned long *value)
{
	if (!strcmp(row->type, "TEXT"))
		return parse_text(row, text, length, value);
	if (!strcmp(row->type, "ENUM"))
		return parse_enum(row, text, length, value);
	return parse_ranged(row, text, length, value);
}

/* Does the value contain another option, after a ',', ';' or ' ' in place of a ':'? */
static bool has_another(const char *text, size_t length)
{
	struct option_row row;

	for (const char *end = text + length; text < end; text++)
		if (strchr(",; ", *text) && find_row(text + 1, strcspn(text + 1, "=:"), &row))
			return true;
	return false;
}

/* Writes what an error message should add to the range. */
static void explain(const struct option_row *row, const char *text, size_t length, char *more,
		    size_t bytes)
{
	unsigned long value;

	*more = '\0';
	if (!strcmp(row->type, "TEXT"))
		option_text_explain(row, more, bytes);
	else if (has_another(text, length))
		fmt_format(more, bytes, "; options are separated by ':'");
	else if (!strcmp(row->type, "SIZE") && !parse_number(text, length, true, &value))
		fmt_format(more, bytes, ": bytes, or a number with K, M, G or T behind it");
}

static void describe_bad_value(const struct option_row *row, const char *text, size_t length,
			       const char *shown, char *error, size_t error_bytes)
{
	char more[OPTION_ERROR_BYTES];

	explain(row, text, length, more, sizeof(more));
	fmt_format(error, error_bytes, "bad value in option '%s'; %s takes %s%s", shown, row->name,
		   row->range, more);
}

/* Copies text for a message of one line: control characters become \xNN. */
static void show(const char *text, size_t length, char *shown, size_t bytes)
{
	size_t used = 0;

	*shown = '\0';
	for (size_t i = 0; i < length && used < bytes - 1; i++) {
		bool is_control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;

		used += fmt_format(shown + used, bytes - used, is_control ? "\\x%02x" : "%c",
				   is_control ? (unsigned char)text[i] : text[i]);
	}
}

static bool apply(const char *text, size_t length, char *error, size_t error_bytes)
{
	const char *equals = memchr(text, '=', length);
	size_t name_length = equals ? (size_t)(equals - text) : length;
	struct option_row row;
	char shown[64];
	unsigned long value;

	show(text, length, shown, sizeof(shown));
	if (!find_row(text, name_length, &row)) {
		fmt_format(error, error_bytes,
			   "unknown option '%s'; `usermm doctor --options` lists them", shown);
		return false;
	}
	if (!equals && strcmp(row.type, "TEXT")) {
		fmt_format(error, error_bytes, "option '%s' needs a value: %s=%s", shown, row.name,
			   row.range);
		return false;
	}
	note_old_name(row.name);
	text += name_length + (equals != NULL);
	length -= name_length + (equals != NULL);
	if (!parse_value(&row, text, length, &value)) {
		describe_bad_value(&row, text, length, shown, error, error_bytes);
		return false;
	}
	*row.value = value;
	return true;
}

int options_parse(const char *text, char *error, size_t error_bytes)
{
	char later[160];
	bool good = true;

	while (*text) {
		size_t length = strcspn(text, ":");

		if (length && !apply(text, length, good ? error : later,
				     good ? error_bytes : sizeof(later)))
			good = false;
		text += length;
		text += *text == ':';
	}
	return good ? 0 : -1;
}

void options_format_value(const struct option_row *row, unsigned long value, char *text,
			  size_t bytes)
{
	static const char units[] = "\0KMGT";
	unsigned int unit = 0;
	const char *choice = row->range;

	if (!strcmp(row->type, "TEXT")) {
		fmt_format(text, bytes, "%s", value ? option_text(value) : "-");
		return;
	}
	if (!strcmp(row->type, "ENUM")) {
		while (value--)
			choice += strcspn(choice, "|") + 1;
		fmt_format(text, min(bytes, strcspn(choice, "|") + 1), "%s", choice);
		return;
	}
	if (!strcmp(row->type, "SIZE"))
		for (; value && !(value % 1024) && unit < 4; unit++)
			value /= 1024;
	if (unit)
		fmt_format(text, bytes, "%lu%c", value, units[unit]);
	else
		fmt_format(text, bytes, "%lu", value);
}
