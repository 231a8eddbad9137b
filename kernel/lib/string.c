// SPDX-License-Identifier: MIT
/* The kernel's own functions on text and memory, and parsing of numbers. */
#include <asm/byteorder.h>
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/string_helpers.h>

#include "base/linux_version.h"

struct word {
	unsigned long value;
} __packed __attribute__((__may_alias__));

/* In one access, where the processor has one for this address. */
__attribute__((__no_sanitize_thread__)) static inline unsigned long load_word(const void *p)
{
#ifdef __riscv
	/* It may have no unaligned loads, so the compiler loads the bytes of a packed word. */
	if (IS_ALIGNED((uintptr_t)p, sizeof(unsigned long)))
		return *(const volatile __attribute__((__may_alias__)) unsigned long *)p;
#endif
	return ((const volatile struct word *)p)->value;
}

/* Reads each byte once. The caller may compare memory that others write meanwhile. */
__attribute__((__no_sanitize_thread__)) int usermm_memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *left = a, *right = b;

	for (; n >= sizeof(struct word); n -= sizeof(struct word)) {
		unsigned long l = load_word(left), r = load_word(right);

		/* As big-endian numbers, words compare as their bytes do. */
		if (l != r)
			return cpu_to_be64(l) < cpu_to_be64(r) ? -1 : 1;
		left += sizeof(struct word);
		right += sizeof(struct word);
	}
	for (; n; n--, left++, right++) {
		int difference = READ_ONCE(*left) - READ_ONCE(*right);

		if (difference)
			return difference;
	}
	return 0;
}

size_t strlcpy(char *to, const char *from, size_t size)
{
	size_t length = strlen(from);

	if (size) {
		size_t n = min(length, size - 1);

		memcpy(to, from, n);
		to[n] = '\0';
	}
	return length;
}

size_t strlcat(char *to, const char *from, size_t size)
{
	size_t start = strnlen(to, size);

	return start + strlcpy(to + start, from, size - start);
}

ssize_t usermm_strscpy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);

	if (!size)
		return -E2BIG;
	if (length == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(to, from, length + 1);
	return (ssize_t)length;
}

ssize_t usermm_strscpy_pad(char *to, const char *from, size_t size)
{
	ssize_t length = usermm_strscpy(to, from, size);

	if (length >= 0)
		memset(to + length, 0, size - (size_t)length);
	return length;
}

void *memchr_inv(const void *memory, int byte, size_t n)
{
	const u8 *p = memory;

	for (; n; p++, n--)
		if (*p != (u8)byte)
			return (void *)p;
	return NULL;
}

void *memscan(void *memory, int byte, size_t n)
{
	void *found = memchr(memory, byte, n);

	return found ? found : (char *)memory + n;
}

char *strnchr(const char *text, size_t n, int c)
{
	for (; n--; text++) {
		if (*text == (char)c)
			return (char *)text;
		if (!*text)
			return NULL;
	}
	return NULL;
}

char *strnstr(const char *text, const char *part, size_t n)
{
	size_t length = strlen(part);

	for (; n >= length; text++, n--) {
		if (!memcmp(text, part, length))
			return (char *)text;
		if (!*text)
			break;
	}
	return NULL;
}

char *strreplace(char *text, char old, char new)
{
	for (char *p = text; *p; p++)
		if (*p == old)
			*p = new;
	return text;
}

char *skip_spaces(const char *text)
{
	while (isspace(*text))
		text++;
	return (char *)text;
}

char *strim(char *text)
{
	size_t length = strlen(text);

	while (length && isspace(text[length - 1]))
		text[--length] = '\0';
	return skip_spaces(text);
}

bool sysfs_streq(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	a += *a == '\n' && !a[1];
	b += *b == '\n' && !b[1];
	return !*a && !*b;
}

/* As match_string(), but a newline at the end of a text does not count. */
int __sysfs_match_string(const char *const *array, size_t n, const char *text)
{
	for (size_t i = 0; i < n && array[i]; i++)
		if (sysfs_streq(array[i], text))
			return (int)i;
	return -EINVAL;
}

int match_string(const char *const *array, size_t n, const char *text)
{
	for (size_t i = 0; i < n && array[i]; i++)
		if (!strcmp(array[i], text))
			return (int)i;
	return -EINVAL;
}

void memzero_explicit(void *memory, size_t n)
{
	memset(memory, 0, n);
	barrier_data(memory);
}

const char *kbasename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* from may be NULL if n is 0. */
void *kmemdup(const void *from, size_t n, gfp_t gfp)
{
	void *copy = kmalloc(n, gfp);

	if (copy && n)
		memcpy(copy, from, n);
	return copy;
}

void *kmemdup_array(const void *from, size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kmemdup(from, bytes, gfp);
}

void *kvmemdup(const void *from, size_t n, gfp_t gfp)
{
	void *copy = kvmalloc(n, gfp);

	if (copy)
		memcpy(copy, from, n);
	return copy;
}

char *kmemdup_nul(const char *from, size_t n, gfp_t gfp)
{
	char *copy = from ? kmalloc(n + 1, gfp) : NULL;

	if (copy) {
		memcpy(copy, from, n);
		copy[n] = '\0';
	}
	return copy;
}

char *kstrndup(const char *text, size_t max, gfp_t gfp)
{
	return text ? kmemdup_nul(text, strnlen(text, max), gfp) : NULL;
}

char *kstrdup(const char *text, gfp_t gfp)
{
	return text ? kmemdup_nul(text, strlen(text), gfp) : NULL;
}

const char *kstrdup_const(const char *text, gfp_t gfp)
{
	return kstrdup(text, gfp);
}

void kfree_const(const void *text)
{
	kfree(text);
}

static unsigned int digit_value(char c)
{
	if (isdigit(c))
		return (unsigned int)(c - '0');
	return isalpha(c) ? (unsigned int)((c | 0x20) - 'a' + 10) : 99;
}

static const char *read_base(const char *text, unsigned int *base)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x' && isxdigit(text[2]);

	if (!*base)
		*base = hex ? 16 : text[0] == '0' ? 8 : 10;
	return *base == 16 && hex ? text + 2 : text;
}

/* Reads digits and returns the text behind them. Sets *overflow if the number is too large. */
/* A number that does not fit becomes the largest since Linux 7.3; before, its low bits. */
static const char *read_digits(const char *text, unsigned int base, unsigned long long *value,
			       bool *overflow)
{
	*value = 0;
	*overflow = false;
	for (; digit_value(*text) < base; text++)
		*overflow |= __builtin_mul_overflow(*value, base, value) ||
			     __builtin_add_overflow(*value, digit_value(*text), value);
	if (*overflow && linux_since(7, 3))
		*value = ULLONG_MAX;
	return text;
}

static int read_all(const char *text, unsigned int base, unsigned long long *value)
{
	const char *digits = read_base(text, &base);
	bool overflow;
	const char *end = read_digits(digits, base, value, &overflow);

	if (overflow)
		return -ERANGE;		/* whatever follows the number */
	if (end == digits)
		return -EINVAL;
	end += *end == '\n';
	return *end ? -EINVAL : 0;
}

int kstrtoull(const char *text, unsigned int base, unsigned long long *result)
{
	unsigned long long value;
	int error = read_all(text + (*text == '+'), base, &value);

	if (!error)
		*result = value;
	return error;
}

int kstrtoll(const char *text, unsigned int base, long long *result)
{
	bool negative = *text == '-';
	unsigned long long value;
	int error = read_all(text + (negative || *text == '+'), base, &value);

	if (error)
		return error;
	if (value > (unsigned long long)LLONG_MAX + negative)
		return -ERANGE;
	*result = negative ? (long long)-value : (long long)value;
	return 0;
}

/* Reads digits, with at most `scale` of them behind the point, and multiplies to the scale. */
static int read_scaled(const char *text, unsigned int scale, unsigned long long *value)
{
	bool is_fraction = false, overflow = false, any = false;

	*value = 0;
	for (;; text++) {
		if (*text == '.' && !is_fraction) {
			is_fraction = true;
			continue;
		}
		if (!isdigit(*text))
			break;
		any = true;
		if (is_fraction && !scale)
			continue;
		scale -= is_fraction;
		overflow |= __builtin_mul_overflow(*value, 10, value) ||
			    __builtin_add_overflow(*value, digit_value(*text), value);
	}
	if (overflow)
		return -ERANGE;		/* whatever follows the number */
	text += *text == '\n';
	if (!any || *text)
		return -EINVAL;
	for (; *value && scale; scale--)
		if (__builtin_mul_overflow(*value, 10, value))
			return -ERANGE;
	return 0;
}

int kstrtoudec64(const char *text, unsigned int scale, u64 *result)
{
	unsigned long long value;
	int error = read_scaled(text + (*text == '+'), scale, &value);

	if (!error)
		*result = value;
	return error;
}

int kstrtodec64(const char *text, unsigned int scale, s64 *result)
{
	bool negative = *text == '-';
	unsigned long long value;
	int error = read_scaled(text + (negative || *text == '+'), scale, &value);

	if (error)
		return error;
	if (value > (unsigned long long)LLONG_MAX + negative)
		return -ERANGE;
	*result = negative ? (s64)-value : (s64)value;
	return 0;
}

#define NARROW(name, type, wide, wide_type)					\
	int name(const char *text, unsigned int base, type *result)		\
	{									\
		wide_type value;						\
		int error = wide(text, base, &value);				\
										\
		if (error)							\
			return error;						\
		if (value != (wide_type)(type)value)				\
			return -ERANGE;						\
		*result = (type)value;						\
		return 0;							\
	}
NARROW(kstrtoul, unsigned long, kstrtoull, unsigned long long)
NARROW(kstrtol, long, kstrtoll, long long)
NARROW(kstrtouint, unsigned int, kstrtoull, unsigned long long)
NARROW(kstrtoint, int, kstrtoll, long long)
NARROW(kstrtou16, u16, kstrtoull, unsigned long long)
NARROW(kstrtos16, s16, kstrtoll, long long)
NARROW(kstrtou8, u8, kstrtoull, unsigned long long)
NARROW(kstrtos8, s8, kstrtoll, long long)

int kstrtobool(const char *text, bool *result)
{
	if (!text || !*text)
		return -EINVAL;
	if (strchr("yYtT1", *text) || !strncasecmp(text, "on", 2))
		*result = true;
	else if (strchr("nNfF0", *text) || !strncasecmp(text, "of", 2))
		*result = false;
	else
		return -EINVAL;
	return 0;
}

unsigned long long simple_strtoull(const char *text, char **end, unsigned int base)
{
	unsigned long long value;
	bool overflow;
	const char *digits = read_base(text, &base);
	const char *behind = read_digits(digits, base, &value, &overflow);

	if (end)
		*end = (char *)behind;
	return value;
}

long long simple_strtoll(const char *text, char **end, unsigned int base)
{
	if (*text == '-')
		return (long long)-simple_strtoull(text + 1, end, base);
	return (long long)simple_strtoull(text, end, base);
}

unsigned long simple_strtoul(const char *text, char **end, unsigned int base)
{
	return (unsigned long)simple_strtoull(text, end, base);
}

long simple_strtol(const char *text, char **end, unsigned int base)
{
	return (long)simple_strtoll(text, end, base);
}

unsigned long long memparse(const char *text, char **end)
{
	static const char units[] = "KMGTPE";
	char *behind;
	unsigned long long value = simple_strtoull(text, &behind, 0);
	const char *unit = *behind ? strchr(units, *behind & ~0x20) : NULL;

	if (unit && isalpha(*behind)) {
		value <<= 10 * (unit - units + 1);
		behind++;
	}
	if (end)
		*end = behind;
	return value;
}

int string_get_size(u64 size, u64 block_bytes, enum string_size_units units, char *buffer,
		    int length)
{
	static const char *const prefixes[2][9] = {
		{ "", "k", "M", "G", "T", "P", "E", "Z", "Y" },
		{ "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi" },
	};
	static const unsigned int half[] = { 500, 50, 5 };	/* of the last digit shown */
	bool binary = (units & STRING_UNITS_MASK) == STRING_UNITS_2;
	unsigned int divisor = binary ? 1024 : 1000, i, digits, thousandths = 0;
	unsigned __int128 bytes = (unsigned __int128)size * block_bytes;
	char fraction[8] = "";

	for (i = 0; bytes >= divisor; i++, bytes /= divisor)
		thousandths = (unsigned int)(bytes % divisor) * 1000 / divisor;
	/* Three digits in all; nothing has none behind the point. */
	digits = !bytes || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2;
	thousandths += half[digits];
	bytes += thousandths >= 1000;
	if (digits)
		snprintf(fraction, sizeof(fraction), ".%0*u", (int)digits,
			 thousandths % 1000 / (digits == 2 ? 10 : 100));
	return snprintf(buffer, (size_t)length, "%llu%s%s%s%s", (unsigned long long)bytes, fraction,
			units & STRING_UNITS_NO_SPACE ? "" : " ",
			i < ARRAY_SIZE(prefixes[0]) ? prefixes[binary][i] : "UNK",
			units & STRING_UNITS_NO_BYTES ? "" : "B");
}

unsigned int full_name_hash(const void *salt, const char *text, unsigned int length)
{
	unsigned long hash = init_name_hash(salt);

	while (length--)
		hash = partial_name_hash((unsigned char)*text++, hash);
	return end_name_hash(hash);
}

u64 hashlen_string(const void *salt, const char *text)
{
	unsigned int length = (unsigned int)strlen(text);

	return hashlen_create(full_name_hash(salt, text, length), length);
}
