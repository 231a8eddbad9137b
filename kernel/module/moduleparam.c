// SPDX-License-Identifier: MIT
/* Parameters of modules: parses and sets their values. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/moduleparam.h>

#include "module_run.h"

#define MAX_TEXT 1024		/* longest charp, as in Linux */

static struct kernel_param *params;

void usermm_module_param(struct kernel_param *param)
{
	struct kernel_param **link = &params;

	while (*link)
		link = &(*link)->next;
	*link = param;
}

/*
 * Parses a whole number in the kernel's notation (0x: hex, 0: octal, else decimal). Only a newline
 * may follow. Returns 0, -EINVAL or -ERANGE.
 */
static int parse_number(const char *text, int base, bool is_signed, unsigned long long max,
			unsigned long long *value)
{
	bool negative = text && *text == '-';
	char *end;

	if (!text)
		return -EINVAL;
	if (negative && !is_signed)
		return -EINVAL;
	if (negative || *text == '+')
		text++;
	if (*text < '0' || (*text > '9' && base != 16))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, base);
	if (*end == '\n')
		end++;
	if (end == text || *end)
		return -EINVAL;
	if (errno || *value > max + negative)
		return -ERANGE;
	if (negative)
		*value = -*value;
	return 0;
}

#define NUMBER(name, type, base, is_signed, max, format)			\
int param_set_##name(const char *value, const struct kernel_param *param)	\
{										\
	unsigned long long number;						\
	int error = parse_number(value, base, is_signed, max, &number);		\
										\
	if (!error)								\
		*(type *)param->arg = (type)number;				\
	return error;								\
}										\
int param_get_##name(char *buffer, const struct kernel_param *param)		\
{										\
	return sprintf(buffer, format "\n", *(type *)param->arg);		\
}										\
const struct kernel_param_ops param_ops_##name = {				\
	.set = param_set_##name, .get = param_get_##name,			\
}

NUMBER(byte, unsigned char, 0, false, UCHAR_MAX, "%hhu");
NUMBER(short, short, 0, true, SHRT_MAX, "%hd");
NUMBER(ushort, unsigned short, 0, false, USHRT_MAX, "%hu");
NUMBER(int, int, 0, true, INT_MAX, "%d");
NUMBER(uint, unsigned int, 0, false, UINT_MAX, "%u");
NUMBER(long, long, 0, true, LONG_MAX, "%ld");
NUMBER(ulong, unsigned long, 0, false, ULONG_MAX, "%lu");
NUMBER(ullong, unsigned long long, 0, false, ULLONG_MAX, "%llu");
NUMBER(hexint, unsigned int, 16, false, UINT_MAX, "%#08x");

int param_set_uint_minmax(const char *value, const struct kernel_param *param,
			  unsigned int min, unsigned int max)
{
	unsigned long long number;
	int error = parse_number(value, 0, false, UINT_MAX, &number);

	if (error)
		return error;
	if (number < min || number > max)
		return -EINVAL;
	*(unsigned int *)param->arg = (unsigned int)number;
	return 0;
}

/* Keeps a pointer to the text, not a copy: the command line stays in memory. */
int param_set_charp(const char *value, const struct kernel_param *param)
{
	if (!value)
		return -EINVAL;
	if (strlen(value) > MAX_TEXT)
		return -ENOSPC;
	*(const char **)param->arg = value;
	return 0;
}

int param_get_charp(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "%s\n", *(char **)param->arg);
}

const struct kernel_param_ops param_ops_charp = {
	.set = param_set_charp, .get = param_get_charp,
};

/* y Y 1 t T on: true; n N 0 f F off: false; a parameter's name alone: true. */
static int parse_bool(const char *text, bool *value)
{
	if (!text || strchr("yY1tT", *text ? *text : ' ') || !strncasecmp(text, "on", 2))
		*value = true;
	else if (strchr("nN0fF", *text ? *text : ' ') || !strncasecmp(text, "of", 2))
		*value = false;
	else
		return -EINVAL;
	return 0;
}

int param_set_bool(const char *value, const struct kernel_param *param)
{
	return parse_bool(value, param->arg);
}

int param_get_bool(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "%c\n", *(bool *)param->arg ? 'Y' : 'N');
}

const struct kernel_param_ops param_ops_bool = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG, .set = param_set_bool, .get = param_get_bool,
};

int param_set_invbool(const char *value, const struct kernel_param *param)
{
	bool on;
	int error = parse_bool(value, &on);

	if (!error)
		*(bool *)param->arg = !on;
	return error;
}

int param_get_invbool(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "%c\n", *(bool *)param->arg ? 'N' : 'Y');
}

const struct kernel_param_ops param_ops_invbool = {
	.set = param_set_invbool, .get = param_get_invbool,
};

int param_set_copystring(const char *value, const struct kernel_param *param)
{
	if (!value)
		return -EINVAL;
	if (strlen(value) >= param->str->maxlen)
		return -ENOSPC;
	strcpy(param->str->string, value);
	return 0;
}

int param_get_string(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "%s\n", param->str->string);
}

const struct kernel_param_ops param_ops_string = {
	.set = param_set_copystring, .get = param_get_string,
};

/* Sets one element of an array; text has its value alone. */
static int set_element(const struct kernel_param *param, unsigned int i, char *text)
{
	const struct kparam_array *array = param->arr;
	struct kernel_param element = {
		.name = param->name, .ops = array->ops, .perm = param->perm,
		.arg = (char *)array->elem + (size_t)i * array->elemsize,
		.module = param->module,
	};

	return i < array->max ? array->ops->set(text, &element) : -EINVAL;
}

/* Elements may keep pointers into the copy (charp), so it is never freed. */
static int array_set(const char *value, const struct kernel_param *param)
{
	char *text = value ? strdup(value) : NULL, *next = text;
	unsigned int count = 0;
	int error = text ? 0 : -EINVAL;

	while (next && !error) {
		error = set_element(param, count, strsep(&next, ","));
		count += !error;
	}
	if (param->arr->num)
		*param->arr->num = count;
	return error;
}

static int array_get(char *buffer, const struct kernel_param *param)
{
	const struct kparam_array *array = param->arr;
	unsigned int nr = array->num ? *array->num : array->max;
	int length = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct kernel_param element = {
			.arg = (char *)array->elem + (size_t)i * array->elemsize,
		};

		if (length)
			buffer[length - 1] = ',';
		length += array->ops->get(buffer + length, &element);
	}
	return length;
}

const struct kernel_param_ops param_array_ops = { .set = array_set, .get = array_get };

/* In a parameter's name '-' and '_' count as equal, as in Linux. */
static bool same_name(const char *text, size_t length, const char *name)
{
	if (strlen(name) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((text[i] == '-' ? '_' : text[i]) != (name[i] == '-' ? '_' : name[i]))
			return false;
	return true;
}

/* Does the text name the parameter? It is "name" or, as on Linux's command line, "module.name". */
static bool is_meant(const struct kernel_param *param, const char *text, size_t length)
{
	const char *dot = memchr(text, '.', length);

	if (!dot)
		return same_name(text, length, param->name);
	return same_name(text, (size_t)(dot - text), param->module) &&
	       same_name(dot + 1, length - (size_t)(dot + 1 - text), param->name);
}

static void report_unknown(const char *text, size_t length)
{
	fprintf(stderr, "usermm module: there is no parameter '%.*s'%s", (int)length, text,
		params ? "; there are:" : ", and no other");
	for (const struct kernel_param *param = params; param; param = param->next)
		fprintf(stderr, " %s", param->name);
	fputc('\n', stderr);
}

static bool set_param(const char *argument)
{
	const char *equals = strchr(argument, '='), *value = equals ? equals + 1 : NULL;
	size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
	bool found = false;

	for (const struct kernel_param *param = params; param; param = param->next) {
		int error = -EINVAL;

		if (!is_meant(param, argument, length))
			continue;
		found = true;
		if (value || (param->ops->flags & KERNEL_PARAM_OPS_FL_NOARG))
			error = param->ops->set ? param->ops->set(value, param) : -EPERM;
		if (error) {
			fprintf(stderr, "usermm module: parameter '%.*s' of type %s cannot be "
				"'%s': %s\n", (int)length, argument,
				!strcmp(param->type, "_Bool") ? "bool" : param->type,
				value ? value : "", strerror(-error));
			return false;
		}
	}
	if (!found)
		report_unknown(argument, length);
	return found;
}

/* Removes quotes around the value or the whole argument. cf. Linux lib/cmdline.c: next_arg() */
static void strip_quotes(char *argument)
{
	size_t length = strlen(argument);
	char *equals, *value;

	if (*argument == '"') {
		memmove(argument, argument + 1, length);
		if (length > 1 && argument[length - 2] == '"')
			argument[length - 2] = '\0';
	}
	equals = strchr(argument, '=');
	if (!equals || equals[1] != '"')
		return;
	value = equals + 1;
	length = strlen(value);
	memmove(value, value + 1, length);
	if (length > 1 && value[length - 2] == '"')
		value[length - 2] = '\0';
}

const struct kernel_param *module_params(void)
{
	return params;
}

bool module_set_param(char *argument)
{
	strip_quotes(argument);
	return set_param(argument);
}
