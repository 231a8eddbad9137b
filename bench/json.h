/* SPDX-License-Identifier: MIT */
/*
 * JSON values (RFC 8259) in memory, for the rows that suites find: made once, read a little,
 * written at the end. They are allocated by libc's malloc; if it fails the program ends.
 */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdbool.h>

/* An object, an array, or what is in one of them. */
struct json;

struct json *json_object(void);
struct json *json_array(void);

/*
 * Add a value to an object under a name, or to an array, whose values have none (NULL). Where
 * that is NULL nothing is added, nor is a number that JSON cannot express (NaN, infinity).
 * Texts and names are copied. The last one takes a value made by json_object() or json_array():
 * from then on it is freed with what has it, at once if that is NULL; no value is fine, too.
 */
void json_add_text(struct json *to, const char *name, const char *text);
void json_add_real(struct json *to, const char *name, double number);
void json_add_integer(struct json *to, const char *name, long long number);
void json_add_bool(struct json *to, const char *name, bool value);
void json_add_null(struct json *to, const char *name);
void json_add(struct json *to, const char *name, struct json *value);

/* An object's member or NULL. */
const struct json *json_member(const struct json *object, const char *name);
/* A member's value: "?" if there is no such text, NaN if there is no such number. */
const char *json_text(const struct json *object, const char *name);
double json_number(const struct json *object, const char *name);
/* The object in an array whose member of that name is that text, or NULL. */
struct json *json_find(const struct json *array, const char *name, const char *text);

/* Writes it with a line for each value; 0 or a negative errno. */
int json_write(const struct json *value, int fd);
/* With all that was added to it; NULL is fine. */
void json_free(struct json *value);

#endif
