// SPDX-License-Identifier: MIT
/* Reads JSON (RFC 8259) into the values of json.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* Deeper values are refused, so that the stack suffices. */
#define MAX_DEPTH 64
/* The longest number that is read; a double needs far less. */
#define NUMBER_BYTES 64

struct reader {
	const char *at, *end;
	const char *wrong;		/* the first mistake; reading stops there */
	unsigned int depth;
};

/* Reads a value and adds it to `to` under the name; or returns it, if `to` is NULL. */
static struct json *read_value(struct reader *reader, struct json *to, const char *name);

static void *fail(struct reader *reader, const char *wrong)
{
	if (!reader->wrong)
		reader->wrong = wrong;
	return NULL;
}

static void skip_space(struct reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at)
		reader->at++;
}

/* Is this character the next one? Then it is taken. */
static bool take(struct reader *reader, char c)
{
	if (reader->at == reader->end || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

static bool take_word(struct reader *reader, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length))
		return false;
	reader->at += length;
	return true;
}

/* The four digits behind \u; -1 after a mistake. */
static long read_hex(struct reader *reader)
{
	long code = 0;

	for (unsigned int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *found;

		if (reader->at == reader->end || !*reader->at)
			return -1;
		found = strchr(digits, *reader->at | 0x20);
		if (!found)
			return -1;
		code = code * 16 + (found - digits);
		reader->at++;
	}
	return code;
}

static char *put_utf8(char *to, unsigned long code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* What follows a backslash. NULL after a mistake. */
static char *read_escape(struct reader *reader, char *to)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *found;
	long code, low;

	if (reader->at == reader->end || !*reader->at)
		return fail(reader, "a text without an end");
	found = strchr(letters, *reader->at);
	if (found) {
		reader->at++;
		*to++ = meanings[found - letters];
		return to;
	}
	code = take(reader, 'u') ? read_hex(reader) : -1;
	if (code >= 0xd800 && code < 0xdc00) {
		low = take_word(reader, "\\u") ? read_hex(reader) : -1;
		code = low >= 0xdc00 && low < 0xe000 ?
			       0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
	}
	/* A null byte would cut the text short. */
	if (code <= 0 || (code >= 0xdc00 && code < 0xe000))
		return fail(reader, "an escape sequence that JSON does not have");
	return put_utf8(to, (unsigned long)code);
}

/* A text behind its first quote, in memory to be freed. NULL after a mistake. */
static char *read_text(struct reader *reader)
{
	/* No escape sequence is shorter than what it stands for. */
	char *text = malloc((size_t)(reader->end - reader->at) + 1), *to = text;

	if (!text)
		return fail(reader, "more text than there is memory");
	while (to && !take(reader, '"')) {
		if (reader->at == reader->end)
			to = fail(reader, "a text without an end");
		else if ((unsigned char)*reader->at < ' ')
			to = fail(reader, "a control character in a text");
		else if (take(reader, '\\'))
			to = read_escape(reader, to);
		else
			*to++ = *reader->at++;
	}
	if (!to) {
		free(text);
		return NULL;
	}
	*to = '\0';
	return text;
}

static struct json *done(struct json *to, struct json *value)
{
	return to ? to : value;
}

static struct json *read_number(struct reader *reader, struct json *to, const char *name)
{
	char text[NUMBER_BYTES], *end;
	size_t length = 0;
	long long integer;
	double real;

	while (reader->at + length < reader->end && length < NUMBER_BYTES - 1 &&
	       reader->at[length] && strchr("+-.0123456789eE", reader->at[length]))
		length++;
	memcpy(text, reader->at, length);
	text[length] = '\0';
	if (!length || text[0] == '+' || text[0] == '.')
		return fail(reader, "something that is no value");
	errno = 0;
	integer = strtoll(text, &end, 10);
	if (*end || errno) {
		real = strtod(text, &end);
		if (*end || !isfinite(real))
			return fail(reader, "a number that is none");
		json_add_real(to, name, real);
	} else {
		json_add_integer(to, name, integer);
	}
	reader->at += length;
	return to;
}

static struct json *read_object(struct reader *reader)
{
	struct json *object = json_object();
	bool ok = true;

	skip_space(reader);
	if (take(reader, '}'))
		return object;
	do {
		char *name = NULL;

		skip_space(reader);
		ok = take(reader, '"') && (name = read_text(reader));
		skip_space(reader);
		ok = ok && take(reader, ':') && read_value(reader, object, name);
		free(name);
		skip_space(reader);
	} while (ok && take(reader, ','));
	if (ok && take(reader, '}'))
		return object;
	json_free(object);
	return fail(reader, "an object that lacks a name, a colon, a comma or its end");
}

static struct json *read_array(struct reader *reader)
{
	struct json *array = json_array();
	bool ok;

	skip_space(reader);
	if (take(reader, ']'))
		return array;
	do {
		ok = read_value(reader, array, NULL);
		skip_space(reader);
	} while (ok && take(reader, ','));
	if (ok && take(reader, ']'))
		return array;
	json_free(array);
	return fail(reader, "an array that lacks a comma or its end");
}

static struct json *read_inner(struct reader *reader, struct json *to, const char *name)
{
	struct json *value;

	if (reader->depth == MAX_DEPTH)
		return fail(reader, "values inside of values, too deep");
	reader->depth++;
	value = reader->at[-1] == '{' ? read_object(reader) : read_array(reader);
	reader->depth--;
	if (value && to)
		json_add(to, name, value);
	return value ? done(to, value) : NULL;
}

static struct json *read_value(struct reader *reader, struct json *to, const char *name)
{
	char *text;

	skip_space(reader);
	if (take(reader, '{') || take(reader, '['))
		return read_inner(reader, to, name);
	if (!to)
		return fail(reader, "neither an object nor an array");
	if (take(reader, '"')) {
		text = read_text(reader);
		if (!text)
			return NULL;
		json_add_text(to, name, text);
		free(text);
	} else if (take_word(reader, "true")) {
		json_add_bool(to, name, true);
	} else if (take_word(reader, "false")) {
		json_add_bool(to, name, false);
	} else if (take_word(reader, "null")) {
		json_add_null(to, name);
	} else {
		return read_number(reader, to, name);
	}
	return to;
}

struct json *json_read(const char *text, size_t length, unsigned int *line, const char **wrong)
{
	struct reader reader = { .at = text, .end = text + length };
	struct json *value = read_value(&reader, NULL, NULL);

	skip_space(&reader);
	if (value && reader.at < reader.end) {
		json_free(value);
		value = fail(&reader, "more than one value");
	}
	*wrong = reader.wrong;
	*line = 1;
	for (const char *c = text; !value && c < reader.at; c++)
		*line += *c == '\n';
	return value;
}
