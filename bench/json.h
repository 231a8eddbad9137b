/* SPDX-License-Identifier: MIT */
/*
 * JSON values (RFC 8259) in memory: the rows of suites, and samples of processes. They are
 * allocated by libc's malloc(); if it fails the program ends.
 */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* An object, an array, or a value in one of them. */
struct json;

struct json *json_object(void);
struct json *json_array(void);

/*
 * Add a value to an object under a name, or to an array (name is NULL). Nothing is added if the
 * object or array is NULL, or if JSON cannot express the number (NaN, infinity). Texts and names
 * are copied. json_add() takes over a value made by json_object() or json_array(): the value is
 * freed with the object or array, at once if this is NULL. The value may be NULL.
 */
void json_add_text(struct json *to, const char *name, const char *text);
void json_add_real(struct json *to, const char *name, double number);
void json_add_integer(struct json *to, const char *name, long long number);
void json_add_bool(struct json *to, const char *name, bool value);
void json_add_null(struct json *to, const char *name);
void json_add(struct json *to, const char *name, struct json *value);

/* The object's member of that name, or NULL. Other values, and NULL, have no members. */
const struct json *json_member(const struct json *object, const char *name);
/* A member's value; "?" if there is no such text, NaN if there is no such number. */
const char *json_text(const struct json *object, const char *name);
double json_number(const struct json *object, const char *name);
/* The object in the array whose member `name` is `text`, or NULL. */
struct json *json_find(const struct json *array, const char *name, const char *text);

bool json_is_object(const struct json *value);
bool json_is_array(const struct json *value);
/* The first inner value of an object or array, and the one behind an inner value; or NULL. */
const struct json *json_first(const struct json *of);
const struct json *json_next(const struct json *value);
/* The name of an object's member. */
const char *json_name(const struct json *member);
/* Is the value a text? Then *text is it. */
bool json_is_text(const struct json *value, const char **text);

/*
 * Reads one value and the space around it. NULL if the text is something else: then *line is the
 * line with the mistake, counted from 1, and *wrong says what it is.
 */
struct json *json_read(const char *text, size_t length, unsigned int *line, const char **wrong);

/* Writes the value, with a line for each inner value. 0 or a negative errno. */
int json_write(const struct json *value, int fd);
/* As json_write(), in one line. */
int json_write_line(const struct json *value, int fd);
/* Frees the value and all inner values. NULL is allowed. */
void json_free(struct json *value);

#endif
