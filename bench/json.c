// SPDX-License-Identifier: MIT
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/metrics.h"

enum kind { OBJECT, ARRAY, TEXT, REAL, INTEGER, LITERAL };

struct json {
	enum kind kind;
	char *name;			/* if it is in an object */
	struct json *next;		/* next value of the same object or array */
	union {
		struct {
			struct json *first, *last;
		};
		char *text;
		double real;
		long long integer;
		const char *literal;	/* true, false, null */
	};
};

static void *need(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "usermm: out of memory for JSON\n");
	exit(1);
}

static struct json *new_value(enum kind kind)
{
	struct json *value = need(calloc(1, sizeof(*value)));

	value->kind = kind;
	return value;
}

struct json *json_object(void)
{
	return new_value(OBJECT);
}

struct json *json_array(void)
{
	return new_value(ARRAY);
}

void json_free(struct json *value)
{
	if (!value)
		return;
	if (value->kind == OBJECT || value->kind == ARRAY)
		for (struct json *child = value->first, *next; child; child = next) {
			next = child->next;
			json_free(child);
		}
	else if (value->kind == TEXT)
		free(value->text);
	free(value->name);
	free(value);
}

void json_add(struct json *to, const char *name, struct json *value)
{
	if (!to || !value) {
		json_free(value);
		return;
	}
	if (name)
		value->name = need(strdup(name));
	if (to->last)
		to->last->next = value;
	else
		to->first = value;
	to->last = value;
}

void json_add_text(struct json *to, const char *name, const char *text)
{
	struct json *value = new_value(TEXT);

	value->text = need(strdup(text));
	json_add(to, name, value);
}

void json_add_real(struct json *to, const char *name, double number)
{
	struct json *value;

	if (!isfinite(number))
		return;
	value = new_value(REAL);
	value->real = number;
	json_add(to, name, value);
}

void json_add_integer(struct json *to, const char *name, long long number)
{
	struct json *value = new_value(INTEGER);

	value->integer = number;
	json_add(to, name, value);
}

static void add_literal(struct json *to, const char *name, const char *literal)
{
	struct json *value = new_value(LITERAL);

	value->literal = literal;
	json_add(to, name, value);
}

void json_add_bool(struct json *to, const char *name, bool value)
{
	add_literal(to, name, value ? "true" : "false");
}

void json_add_null(struct json *to, const char *name)
{
	add_literal(to, name, "null");
}

bool json_is_object(const struct json *value)
{
	return value && value->kind == OBJECT;
}

bool json_is_array(const struct json *value)
{
	return value && value->kind == ARRAY;
}

const struct json *json_member(const struct json *object, const char *name)
{
	const struct json *first = json_is_object(object) ? object->first : NULL;

	for (const struct json *member = first; member; member = member->next)
		if (!strcmp(member->name, name))
			return member;
	return NULL;
}

const char *json_text(const struct json *object, const char *name)
{
	const struct json *member = json_member(object, name);

	return member && member->kind == TEXT ? member->text : "?";
}

double json_number(const struct json *object, const char *name)
{
	const struct json *member = json_member(object, name);

	if (member && member->kind == INTEGER)
		return (double)member->integer;
	return member && member->kind == REAL ? member->real : (double)NAN;
}

struct json *json_find(const struct json *array, const char *name, const char *text)
{
	for (struct json *object = array->first; object; object = object->next)
		if (!strcmp(json_text(object, name), text))
			return object;
	return NULL;
}

const struct json *json_first(const struct json *of)
{
	return json_is_object(of) || json_is_array(of) ? of->first : NULL;
}

const struct json *json_next(const struct json *value)
{
	return value->next;
}

const char *json_name(const struct json *member)
{
	return member->name;
}

bool json_is_text(const struct json *value, const char **text)
{
	if (!value || value->kind != TEXT)
		return false;
	*text = value->text;
	return true;
}

/* --- Writing -------------------------------------------------------------------- */

/* Writes a number with a point or an exponent, so that readers do not take it for an integer. */
static void write_real(struct fmt_writer *out, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.8g", number);
	fmt_print(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void write_integer(struct fmt_writer *out, long long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	fmt_print(out, "%s", text);
}

/* A negative depth: all is in one line. */
static void begin_line(struct fmt_writer *out, int depth)
{
	if (depth < 0)
		return;
	fmt_print(out, "\n");
	while (depth--)
		fmt_print(out, " ");
}

static void write_value(struct fmt_writer *out, const struct json *value, int depth);

static void write_children(struct fmt_writer *out, const struct json *value, int depth)
{
	fmt_print(out, "%c", value->kind == OBJECT ? '{' : '[');
	for (const struct json *child = value->first; child; child = child->next) {
		begin_line(out, depth < 0 ? depth : depth + 1);
		if (child->name) {
			metric_print_quoted(out, child->name, true);
			fmt_print(out, ": ");
		}
		write_value(out, child, depth < 0 ? depth : depth + 1);
		fmt_print(out, "%s", child->next ? "," : "");
	}
	if (value->first)
		begin_line(out, depth);
	fmt_print(out, "%c", value->kind == OBJECT ? '}' : ']');
}

static void write_value(struct fmt_writer *out, const struct json *value, int depth)
{
	switch (value->kind) {
	case OBJECT:
	case ARRAY:
		write_children(out, value, depth);
		break;
	case TEXT:
		metric_print_quoted(out, value->text, true);
		break;
	case REAL:
		write_real(out, value->real);
		break;
	case INTEGER:
		write_integer(out, value->integer);
		break;
	case LITERAL:
		fmt_print(out, "%s", value->literal);
	}
}

static int write_all(const struct json *value, int fd, int depth)
{
	struct fmt_writer out;

	fmt_writer_open(&out, fd);
	write_value(&out, value, depth);
	fmt_print(&out, "\n");
	return fmt_writer_close(&out);
}

int json_write(const struct json *value, int fd)
{
	return write_all(value, fd, 0);
}

int json_write_line(const struct json *value, int fd)
{
	return write_all(value, fd, -1);
}
