// SPDX-License-Identifier: MIT
/* Variables as text, for handlers of /proc/sys: see linux/sysctl.h. cf. Linux kernel/sysctl.c. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysctl.h>

/* A number as its text has it. */
struct number {
	bool is_negative;
	u64 magnitude;
};

/* The type of a variable's elements: how one becomes a number, and a number one. */
struct element {
	size_t size;
	struct number (*load)(const void *variable);
	/* 0; -EINVAL for a number that does not fit, or is not within extra1 and extra2. */
	int (*store)(const struct ctl_table *table, void *variable, struct number number);
};

static const char *skip_space(const char *text, const char *end)
{
	while (text < end && isspace(*text))
		text++;
	return text;
}

/* The number that the text begins with. The text behind it, or NULL if there is none. */
static const char *parse(const char *text, const char *end, struct number *number)
{
	char copy[24];
	size_t length = 0;

	number->is_negative = text < end && *text == '-';
	text += number->is_negative;
	while (text + length < end && length < sizeof(copy) - 1 && isalnum(text[length])) {
		copy[length] = text[length];
		length++;
	}
	copy[length] = '\0';
	if (!length || !isdigit(*copy) || kstrtoull(copy, 0, &number->magnitude) ||
	    (text + length < end && text[length] && !isspace(text[length])))
		return NULL;
	return text + length;
}

/* Ignores text behind the last element, as Linux does. */
static int write_elements(const struct ctl_table *table, const char *text, size_t n,
			  const struct element *element)
{
	const char *end = text + strnlen(text, n);
	size_t nr = (size_t)table->maxlen / element->size;
	bool is_first = true;

	for (size_t i = 0; i < nr; i++) {
		struct number number;
		int error;

		text = skip_space(text, end);
		if (text >= end)
			break;
		text = parse(text, end, &number);
		if (!text)
			return -EINVAL;
		error = element->store(table, (char *)table->data + i * element->size, number);
		if (error)
			return error;
		is_first = false;
	}
	return is_first ? -EINVAL : 0;
}

static size_t read_elements(const struct ctl_table *table, char *buffer, size_t n,
			    const struct element *element)
{
	size_t nr = (size_t)table->maxlen / element->size, length = 0;

	for (size_t i = 0; i < nr; i++) {
		struct number number = element->load((char *)table->data + i * element->size);

		length += (size_t)scnprintf(buffer + length, n - length, "%s%s%llu", i ? "\t" : "",
					    number.is_negative ? "-" : "", number.magnitude);
	}
	return length + (size_t)scnprintf(buffer + length, n - length, "\n");
}

static int handle(const struct ctl_table *table, int write, void *buffer, size_t *n, loff_t *pos,
		  const struct element *element)
{
	if (!table->data || !table->maxlen || !*n || (*pos && !write)) {
		*n = 0;
		return 0;
	}
	if (write) {
		int error = write_elements(table, buffer, *n, element);

		if (error)
			return error;
	} else {
		*n = read_elements(table, buffer, *n, element);
	}
	*pos += (loff_t)*n;
	return 0;
}

static struct number load_int(const void *variable)
{
	int value = READ_ONCE(*(const int *)variable);

	return (struct number){ value < 0, value < 0 ? -(u64)value : (u64)value };
}

/* The number as an int, multiplied; -EINVAL if it is none. */
static int to_int(struct number number, u64 factor, int *value)
{
	u64 largest = (u64)INT_MAX + number.is_negative;

	if (factor && number.magnitude > largest / factor)
		return -EINVAL;
	*value = (int)(number.is_negative ? -(number.magnitude * factor)
					  : number.magnitude * factor);
	return 0;
}

static int store_int(const struct ctl_table *table, void *variable, struct number number)
{
	int value, error = to_int(number, 1, &value);

	(void)table;
	if (!error)
		WRITE_ONCE(*(int *)variable, value);
	return error;
}

static int store_int_within(const struct ctl_table *table, void *variable, struct number number)
{
	int value, error = to_int(number, 1, &value);

	if (error || (table->extra1 && value < *(int *)table->extra1) ||
	    (table->extra2 && value > *(int *)table->extra2))
		return -EINVAL;
	WRITE_ONCE(*(int *)variable, value);
	return 0;
}

static struct number load_unsigned(const void *variable)
{
	return (struct number){ false, READ_ONCE(*(const unsigned int *)variable) };
}

/* Limits of unsigned numbers are unsigned too. */
static bool is_within(const struct ctl_table *table, struct number number)
{
	return !number.is_negative && number.magnitude <= UINT_MAX &&
	       (!table->extra1 || number.magnitude >= *(unsigned int *)table->extra1) &&
	       (!table->extra2 || number.magnitude <= *(unsigned int *)table->extra2);
}

static int store_unsigned(const struct ctl_table *table, void *variable, struct number number)
{
	(void)table;
	if (number.is_negative || number.magnitude > UINT_MAX)
		return -EINVAL;
	WRITE_ONCE(*(unsigned int *)variable, (unsigned int)number.magnitude);
	return 0;
}

static int store_unsigned_within(const struct ctl_table *table, void *variable,
				 struct number number)
{
	if (!is_within(table, number))
		return number.magnitude > UINT_MAX || number.is_negative ? -EINVAL : -ERANGE;
	WRITE_ONCE(*(unsigned int *)variable, (unsigned int)number.magnitude);
	return 0;
}

static struct number load_byte(const void *variable)
{
	return (struct number){ false, READ_ONCE(*(const u8 *)variable) };
}

static int store_byte(const struct ctl_table *table, void *variable, struct number number)
{
	if (number.is_negative)
		return -EINVAL;
	if (number.magnitude > U8_MAX || !is_within(table, number))
		return -ERANGE;
	WRITE_ONCE(*(u8 *)variable, (u8)number.magnitude);
	return 0;
}

/* Any number but 0 is true. */
static int store_bool(const struct ctl_table *table, void *variable, struct number number)
{
	(void)table;
	WRITE_ONCE(*(bool *)variable, number.magnitude != 0);
	return 0;
}

static struct number load_long(const void *variable)
{
	return (struct number){ false, READ_ONCE(*(const unsigned long *)variable) };
}

static int store_long(const struct ctl_table *table, void *variable, struct number number)
{
	if (number.is_negative ||
	    (table->extra1 && number.magnitude < *(unsigned long *)table->extra1) ||
	    (table->extra2 && number.magnitude > *(unsigned long *)table->extra2))
		return -EINVAL;
	WRITE_ONCE(*(unsigned long *)variable, (unsigned long)number.magnitude);
	return 0;
}

static struct number load_seconds(const void *variable)
{
	struct number number = load_int(variable);

	number.magnitude /= HZ;
	return number;
}

static int store_seconds(const struct ctl_table *table, void *variable, struct number number)
{
	int value, error = to_int(number, HZ, &value);

	(void)table;
	if (!error)
		WRITE_ONCE(*(int *)variable, value);
	return error;
}

static struct number load_milliseconds(const void *variable)
{
	int value = READ_ONCE(*(const int *)variable);

	return (struct number){ value < 0, jiffies_to_msecs((unsigned long)abs(value)) };
}

static int store_milliseconds(const struct ctl_table *table, void *variable,
			      struct number number)
{
	int value, error = to_int(number, 1, &value);
	unsigned long ticks;

	(void)table;
	if (error)
		return error;
	ticks = msecs_to_jiffies((unsigned int)abs(value));
	if (ticks > INT_MAX)
		return -EINVAL;
	WRITE_ONCE(*(int *)variable, value < 0 ? -(int)ticks : (int)ticks);
	return 0;
}

#define HANDLER(name, type, load, store)						\
int name(const struct ctl_table *table, int write, void *buffer, size_t *n, loff_t *pos)	\
{											\
	static const struct element element = { sizeof(type), load, store };		\
											\
	return handle(table, write, buffer, n, pos, &element);				\
}
HANDLER(proc_dointvec, int, load_int, store_int)
HANDLER(proc_dointvec_minmax, int, load_int, store_int_within)
HANDLER(proc_douintvec, unsigned int, load_unsigned, store_unsigned)
HANDLER(proc_douintvec_minmax, unsigned int, load_unsigned, store_unsigned_within)
HANDLER(proc_dou8vec_minmax, u8, load_byte, store_byte)
HANDLER(proc_dobool, bool, load_byte, store_bool)
HANDLER(proc_doulongvec_minmax, unsigned long, load_long, store_long)
HANDLER(proc_dointvec_jiffies, int, load_seconds, store_seconds)
HANDLER(proc_dointvec_ms_jiffies, int, load_milliseconds, store_milliseconds)

int proc_dostring(const struct ctl_table *table, int write, void *buffer, size_t *n, loff_t *pos)
{
	char *text = table->data;
	size_t length;

	if (!text || !table->maxlen || !*n || (*pos && !write)) {
		*n = 0;
		return 0;
	}
	if (write) {
		length = strcspn(buffer, "\n");
		length = min(min(length, *n), (size_t)table->maxlen - 1);
		memcpy(text, buffer, length);
		text[length] = '\0';
	} else {
		*n = (size_t)scnprintf(buffer, *n, "%.*s\n", table->maxlen, text);
	}
	*pos += (loff_t)*n;
	return 0;
}
