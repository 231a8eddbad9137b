// SPDX-License-Identifier: MIT
/*
 * The kernel's vsnprintf(). It differs from libc's: %#x of 0 gives 0x0, 0 pads even with a
 * precision, and NULL and error pointers are printed as text. %p takes further letters:
 *
 *	%p %px %pK	the address in 16 digits (%p is not hashed: no need to hide addresses here)
 *	%pS %ps %pF %pf %pB	function+offset/size, or the function alone (s, f)
 *	%pGg %pGp	names of gfp flags, names of a page's flags
 *	%*pE		so many characters, unprintable ones as C escapes
 *	%pe		the name of an error pointer
 *	%pV		another format and its arguments, struct va_format
 *	%pap %pad	the phys_addr_t or dma_addr_t that it points to
 *	%*ph[CDN]	small buffers in hex, separated by spaces, colons, dashes or nothing
 *	%pM[RF] %pm[R]	a MAC address with colons, without colons; R reversed, F with dashes
 *	%pI4 %pi4	an IPv4 address, with leading zeros (i); h n b l: its byte order
 *	%pI6[c] %pi6	an IPv6 address, short (c), without colons (i)
 *	%pU[bBlL]	a UUID, big or little endian, lower or upper case
 *	%*pb %*pbl	bitmaps in hex, as a list
 *	%pd, %pt and other letters, which need more of a kernel: the address
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* libc's function; further down its name means the kernel's. */
static int libc_vsnprintf(char *buffer, size_t size, const char *format, va_list args)
{
	return vsnprintf(buffer, size, format, args);
}

__attribute__((format(printf, 3, 4)))
static int libc_snprintf(char *buffer, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(buffer, size, format, args);
	va_end(args);
	return length;
}

static int libc_vsscanf(const char *text, const char *format, va_list args)
{
	return vsscanf(text, format, args);
}

#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mmzone.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "page/debug/flag_names.h"

#include "module/module_run.h"

struct output {
	char *buffer;
	size_t size;	/* 0: nothing is stored */
	size_t length;	/* of the whole text, even if it does not fit */
};

/* One conversion of the format, from % to the letter. */
struct spec {
	const char *begin, *end;
	int width, precision;	/* -1: none */
	bool left, zero, plus, space, special;
	char length[3];
	char letter;
};

static void put(struct output *out, char c)
{
	if (out->length + 1 < out->size)
		out->buffer[out->length] = c;
	out->length++;
}

static void put_text(struct output *out, const char *text, const struct spec *spec)
{
	size_t length = spec->precision < 0 ? strlen(text) :
			strnlen(text, (size_t)spec->precision);
	size_t pad = spec->width > 0 && (size_t)spec->width > length ?
		     (size_t)spec->width - length : 0;

	for (; pad && !spec->left; pad--)
		put(out, ' ');
	for (size_t i = 0; i < length; i++)
		put(out, text[i]);
	for (; pad; pad--)
		put(out, ' ');
}

static void put_repeated(struct output *out, char c, int nr)
{
	for (; nr > 0; nr--)
		put(out, c);
}

/* sign: the character to print in front of the number, or 0 for none. */
static void put_number(struct output *out, unsigned long long value, unsigned int base,
		       bool capitals, char sign, const struct spec *spec)
{
	const char *symbols = capitals ? "0123456789ABCDEF" : "0123456789abcdef";
	const char *prefix = !spec->special || base == 10 ? "" : base == 16 ?
			     (capitals ? "0X" : "0x") : value ? "0" : "";
	bool zeros = spec->zero && !spec->left;
	char digits[24];
	int nr = 0, precision, pad;

	do
		digits[nr++] = symbols[value % base];
	while (value /= base);
	precision = max(nr, spec->precision);
	pad = spec->width - precision - (sign != 0) - (int)strlen(prefix);
	put_repeated(out, ' ', zeros || spec->left ? 0 : pad);
	put_repeated(out, sign, sign != 0);
	for (; *prefix; prefix++)
		put(out, *prefix);
	put_repeated(out, '0', (zeros ? max(pad, 0) : 0) + precision - nr);
	while (nr)
		put(out, digits[--nr]);
	put_repeated(out, ' ', spec->left ? pad : 0);
}

static const struct spec plain = { .width = -1, .precision = -1 };

static void put_format(struct output *out, const char *format, ...)
{
	char text[80];
	va_list args;

	va_start(args, format);
	libc_vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_text(out, text, &plain);
}

static void put_flags(struct output *out, const void *ptr, char kind)
{
	char text[FLAG_NAMES_BYTES];

	if (kind == 'g')
		gfp_names(*(const gfp_t *)ptr, text, sizeof(text));
	else
		page_flag_names(*(const unsigned long *)ptr, -1, ZONE_NORMAL, text, sizeof(text));
	put_text(out, text, &plain);
}

/* Prints bytes, unprintable ones as C escapes. */
static void put_escaped(struct output *out, const u8 *bytes, const struct spec *spec)
{
	static const char controls[] = "\nn\rr\tt\vv\ff\aa\033e\0000";
	int nr = spec->width < 0 ? 1 : spec->width;

	for (int i = 0; i < nr; i++) {
		const char *known = memchr(controls, bytes[i], sizeof(controls) - 1);

		if (bytes[i] >= 32 && bytes[i] < 127)
			put_format(out, "%c", bytes[i]);
		else if (known)
			put_format(out, "\\%c", known[1]);
		else
			put_format(out, "\\%03o", bytes[i]);
	}
}

static void put_symbol(struct output *out, const void *address, bool with_offset,
		       const struct spec *spec)
{
	char text[256];

	symbol_text(address, text, sizeof(text));
	if (!with_offset)
		text[strcspn(text, "+")] = '\0';
	put_text(out, text, spec);
}

static void put_hex(struct output *out, const u8 *bytes, const struct spec *spec, char separator)
{
	int nr = spec->width < 1 ? 1 : spec->width > 64 ? 64 : spec->width;

	for (int i = 0; i < nr; i++) {
		if (i && separator)
			put(out, separator);
		put_format(out, "%02x", bytes[i]);
	}
}

static void put_bitmap(struct output *out, const unsigned long *map, const struct spec *spec)
{
	unsigned int nr = spec->width > 0 ? (unsigned int)spec->width : 0;

	for (unsigned int word = DIV_ROUND_UP(nr, 32); word-- > 0;) {
		u32 bits = (u32)(map[word / 2] >> (word % 2 * 32));
		unsigned int width = min(nr - word * 32, 32u);

		if (width < 32)
			bits &= (1u << width) - 1;
		put_format(out, "%0*x%s", (int)DIV_ROUND_UP(width, 4), bits, word ? "," : "");
	}
}

static void put_bitmap_list(struct output *out, const unsigned long *map,
			    const struct spec *spec)
{
	unsigned long nr = spec->width > 0 ? (unsigned long)spec->width : 0;
	unsigned long start = find_first_bit(map, nr), end;

	for (const char *comma = ""; start < nr; comma = ",") {
		end = find_next_zero_bit(map, nr, start);
		put_format(out, end == start + 1 ? "%s%lu" : "%s%lu-%lu", comma, start, end - 1);
		start = find_next_bit(map, nr, end);
	}
}

/* The name of an errno, also of those that libc does not know. */
static const char *error_name(int error)
{
	static const struct {
		int error;
		const char *name;
	} kernels[] = {
		{ ERESTARTSYS, "ERESTARTSYS" }, { EPROBE_DEFER, "EPROBE_DEFER" },
		{ ENOTSUPP, "ENOTSUPP" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if (kernels[i].error == error)
			return kernels[i].name;
	return strerrorname_np(error);
}

static void put_error(struct output *out, const void *ptr, const struct spec *spec)
{
	const char *name = error_name((int)-PTR_ERR(ptr));
	char text[32];

	if (name)
		libc_snprintf(text, sizeof(text), "-%s", name);
	else
		libc_snprintf(text, sizeof(text), "%ld", PTR_ERR(ptr));
	put_text(out, text, spec);
}

static void format_into(struct output *out, const char *format, va_list args);

static void put_bytes(struct output *out, const u8 *bytes, const char *order, int nr,
		      const char *format)
{
	for (int i = 0; i < nr; i++)
		put_format(out, format, bytes[order ? order[i] : i]);
}

static void put_mac(struct output *out, const u8 *bytes, const char *letters)
{
	static const char reversed[] = { 5, 4, 3, 2, 1, 0 };
	const char *order = letters[1] == 'R' ? reversed : NULL;
	const char *format = letters[0] == 'm' ? "%02x" : letters[1] == 'F' ? "-%02x" : ":%02x";

	put_format(out, "%02x", bytes[order ? 5 : 0]);
	put_bytes(out, order ? bytes : bytes + 1, order ? order + 1 : NULL, 5, format);
}

static void put_ipv4(struct output *out, const u8 *bytes, const char *letters)
{
	bool little = letters[2] == 'l' || (letters[2] == 'h' &&
					    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	for (int i = 0; i < 4; i++)
		put_format(out, letters[0] == 'i' ? "%s%03u" : "%s%u", i ? "." : "",
			   bytes[little ? 3 - i : i]);
}

/* "::" replaces the longest run of two or more zero words; of equal runs the first. */
static void put_ipv6_short(struct output *out, const u8 *bytes)
{
	int start = -1, longest = 1, run = 0;

	for (int i = 0; i < 8; i++) {
		run = bytes[2 * i] || bytes[2 * i + 1] ? 0 : run + 1;
		if (run > longest) {
			longest = run;
			start = i - run + 1;
		}
	}
	for (int i = 0; i < 8; i++) {
		if (i == start) {
			put_format(out, i ? ":" : "::");
			i += longest - 1;
			continue;
		}
		put_format(out, "%x%s", bytes[2 * i] << 8 | bytes[2 * i + 1], i < 7 ? ":" : "");
	}
}

static void put_ipv6(struct output *out, const u8 *bytes, const char *letters)
{
	if (letters[0] == 'I' && letters[2] == 'c') {
		put_ipv6_short(out, bytes);
		return;
	}
	for (int i = 0; i < 16; i++)
		put_format(out, letters[0] == 'I' && i && i % 2 == 0 ? ":%02x" : "%02x",
			   bytes[i]);
}

static void put_uuid(struct output *out, const u8 *bytes, const char *letters)
{
	static const char little[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool is_little = letters[1] == 'l' || letters[1] == 'L';
	bool capitals = letters[1] == 'B' || letters[1] == 'L';

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			put(out, '-');
		put_format(out, capitals ? "%02X" : "%02x", bytes[is_little ? little[i] : i]);
	}
}

static void put_address(struct output *out, const void *ptr, const struct spec *spec)
{
	struct spec wide = *spec;

	if (wide.width == -1) {
		wide.width = 2 * sizeof(ptr) + (wide.special ? 2 : 0);
		wide.zero = true;
	}
	wide.precision = -1;
	put_number(out, (unsigned long)ptr, 16, false, 0, &wide);
}

/* If the pointer cannot be read, prints text instead and returns true. */
static bool put_bad(struct output *out, const void *ptr, const struct spec *spec)
{
	if (ptr && (unsigned long)ptr >= PAGE_SIZE && !IS_ERR(ptr))
		return false;
	put_text(out, ptr ? "(efault)" : "(null)", spec);
	return true;
}

static void put_va_format(struct output *out, const struct va_format *format)
{
	va_list args;

	va_copy(args, *format->va);
	format_into(out, format->fmt, args);
	va_end(args);
}

/* Handles the letters that print the memory at the address. */
static void put_pointed(struct output *out, const void *ptr, const char *letters,
			const struct spec *spec)
{
	switch (letters[0]) {
	case 'G':
		put_flags(out, ptr, letters[1]);
		break;
	case 'E':
		put_escaped(out, ptr, spec);
		break;
	case 'V':
		put_va_format(out, ptr);
		break;
	case 'a':
		put_format(out, "0x%016llx", *(const unsigned long long *)ptr);
		break;
	case 'h':
		put_hex(out, ptr, spec, letters[1] == 'C' ? ':' : letters[1] == 'D' ? '-' :
			letters[1] == 'N' ? 0 : ' ');
		break;
	case 'M': case 'm':
		put_mac(out, ptr, letters);
		break;
	case 'I': case 'i':
		if (letters[1] == '4')
			put_ipv4(out, ptr, letters);
		else
			put_ipv6(out, ptr, letters);
		break;
	case 'U':
		put_uuid(out, ptr, letters);
		break;
	case 'b':
		if (letters[1] == 'l')
			put_bitmap_list(out, ptr, spec);
		else
			put_bitmap(out, ptr, spec);
		break;
	}
}

static void put_pointer(struct output *out, const void *ptr, const char *letters,
			const struct spec *spec)
{
	bool is_ip = (letters[0] == 'I' || letters[0] == 'i') &&
		     (letters[1] == '4' || letters[1] == '6');

	if (letters[0] && strchr("SFB", letters[0]))
		put_symbol(out, ptr, true, spec);
	else if (letters[0] && strchr("sf", letters[0]))
		put_symbol(out, ptr, false, spec);
	else if (letters[0] == 'e' && IS_ERR(ptr))
		put_error(out, ptr, spec);
	else if (!letters[0] || (!strchr("EGVahMmUb", letters[0]) && !is_ip))
		put_address(out, ptr, spec);
	else if (!put_bad(out, ptr, spec))
		put_pointed(out, ptr, letters, spec);
}

static const char *parse_number(const char *p, int *number, va_list *args)
{
	if (*p == '*') {
		*number = va_arg(*args, int);
		return p + 1;
	}
	for (*number = 0; isdigit(*p); p++)
		*number = *number * 10 + (*p - '0');
	return p;
}

static const char *parse(const char *p, struct spec *spec, va_list *args)
{
	unsigned int nr = 0;

	*spec = (struct spec){ .begin = p, .width = -1, .precision = -1 };
	for (p++; *p && strchr("-+ #0", *p); p++) {
		spec->left |= *p == '-';
		spec->plus |= *p == '+';
		spec->space |= *p == ' ';
		spec->special |= *p == '#';
		spec->zero |= *p == '0';
	}
	if (isdigit(*p) || *p == '*')
		p = parse_number(p, &spec->width, args);
	if (spec->width < -1) {
		spec->left = true;
		spec->width = -spec->width;
	}
	if (*p == '.')
		p = parse_number(p + 1, &spec->precision, args);
	while (*p && strchr("hlLqjzZt", *p) && nr < 2)
		spec->length[nr++] = *p++;
	spec->letter = *p;
	spec->end = *p ? p + 1 : p;
	return spec->end;
}

/* Takes the argument of d, i, u, x, X or o, and converts it from its type. */
static unsigned long long take_number(const struct spec *spec, bool is_signed, va_list *args)
{
	unsigned int value;

	if (spec->length[0] && strchr("lLqjzZt", spec->length[0]))
		return va_arg(*args, unsigned long long);
	value = va_arg(*args, unsigned int);
	if (spec->length[0] == 'h' && spec->length[1] == 'h')
		return is_signed ? (unsigned long long)(signed char)value : (unsigned char)value;
	if (spec->length[0] == 'h')
		return is_signed ? (unsigned long long)(short)value : (unsigned short)value;
	return is_signed ? (unsigned long long)(int)value : value;
}

static void put_argument(struct output *out, const struct spec *spec, va_list *args)
{
	bool is_signed = spec->letter == 'd' || spec->letter == 'i';
	unsigned long long value = take_number(spec, is_signed, args);
	bool negative = is_signed && (long long)value < 0;
	char sign = negative ? '-' : !is_signed ? 0 : spec->plus ? '+' : spec->space ? ' ' : 0;

	put_number(out, negative ? -value : value,
		   spec->letter == 'o' ? 8 : (spec->letter | 0x20) == 'x' ? 16 : 10,
		   spec->letter == 'X', sign, spec);
}

static void put_character(struct output *out, char c, const struct spec *spec)
{
	put_repeated(out, ' ', spec->left ? 0 : spec->width - 1);
	put(out, c);
	put_repeated(out, ' ', spec->left ? spec->width - 1 : 0);
}

static void put_string(struct output *out, const char *text, const struct spec *spec)
{
	if (!put_bad(out, text, spec))
		put_text(out, text, spec);
}

static void format_into(struct output *out, const char *format, va_list original)
{
	struct spec spec;
	va_list args;

	va_copy(args, original);
	while (*format) {
		if (*format != '%') {
			put(out, *format++);
			continue;
		}
		format = parse(format, &spec, &args);
		if (spec.letter == '%') {
			put(out, '%');
		} else if (spec.letter == 'p') {
			put_pointer(out, va_arg(args, void *), format, &spec);
			while (isalnum(*format))
				format++;
		} else if (spec.letter == 'c') {
			put_character(out, (char)va_arg(args, int), &spec);
		} else if (spec.letter == 's') {
			put_string(out, va_arg(args, const char *), &spec);
		} else if (spec.letter && strchr("diouxX", spec.letter)) {
			put_argument(out, &spec, &args);
		} else {
			/*
			 * The kernel has no %n and no floating point; no argument behind is safe.
			 */
			WARN_ONCE(1, "unsupported %%%c in a format\n", spec.letter);
			break;
		}
	}
	va_end(args);
}

int vsnprintf(char *buffer, size_t size, const char *format, va_list args)
{
	struct output out = { .buffer = buffer, .size = size };

	if (WARN_ON_ONCE(size > INT_MAX))
		return 0;
	format_into(&out, format, args);
	if (size)
		buffer[min(out.length, size - 1)] = '\0';
	return (int)out.length;
}

int vsprintf(char *buffer, const char *format, va_list args)
{
	return vsnprintf(buffer, INT_MAX, format, args);
}

int vscnprintf(char *buffer, size_t size, const char *format, va_list args)
{
	int length = vsnprintf(buffer, size, format, args);

	return !size ? 0 : (size_t)length < size ? length : (int)size - 1;
}

int vsscanf(const char *text, const char *format, va_list args)
{
	return libc_vsscanf(text, format, args);
}

char *kvasprintf(gfp_t gfp, const char *format, va_list args)
{
	va_list copy;
	int length;
	char *text;

	va_copy(copy, args);
	length = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	text = kmalloc((size_t)length + 1, gfp);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

const char *kvasprintf_const(gfp_t gfp, const char *format, va_list args)
{
	return kvasprintf(gfp, format, args);
}

/* The variants of the functions above that take variable arguments. */
#define VARIADIC(type, name, call, parameters...)	\
	type name(parameters, ...)			\
	{						\
		va_list args;				\
		type result;				\
							\
		va_start(args, format);			\
		result = call;				\
		va_end(args);				\
		return result;				\
	}

VARIADIC(int, snprintf, vsnprintf(buffer, size, format, args),
	 char *buffer, size_t size, const char *format)
VARIADIC(int, scnprintf, vscnprintf(buffer, size, format, args),
	 char *buffer, size_t size, const char *format)
VARIADIC(int, sprintf, vsprintf(buffer, format, args), char *buffer, const char *format)
VARIADIC(int, sscanf, vsscanf(text, format, args), const char *text, const char *format)
VARIADIC(char *, kasprintf, kvasprintf(gfp, format, args), gfp_t gfp, const char *format)
