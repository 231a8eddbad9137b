// SPDX-License-Identifier: MIT
/*
 * Formatted text. Plain conversions are libc's; %p is ours:
 *
 *	%p %px %pK	the address in 16 digits (%p is not hashed: there is nobody to hide it from)
 *	%pS %ps %pF %pf %pB	function+offset/size, or the function alone (s, f)
 *	%pGg		the names of gfp flags
 *	%pe		the name of an error pointer
 *	%pV		another format and its arguments, struct va_format
 *	%pap %pad	a phys_addr_t, a dma_addr_t by its address
 *	%*ph[CDN]	small buffers in hex: by spaces, colons, dashes or nothing
 *	%pM %pm		six bytes with colons, without
 *	%*pb %*pbl	bitmaps in hex, as a list
 *	%pUb, %pI, %pd and other letters that need the rest of a kernel: the address
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* libc's, before the kernel's names hide them. */
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
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "module_run.h"

struct output {
	char *buffer;
	size_t size;	/* 0: nothing is stored */
	size_t length;	/* of the whole text */
};

/* One conversion as it stands in the format: % to the letter. */
struct spec {
	const char *begin, *end;
	int width, precision;	/* -1: none */
	bool left, zero;
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
	size_t length = strlen(text), pad;

	if (spec->precision >= 0 && (size_t)spec->precision < length)
		length = (size_t)spec->precision;
	pad = spec->width > 0 && (size_t)spec->width > length ? (size_t)spec->width - length : 0;
	for (; pad && !spec->left; pad--)
		put(out, ' ');
	for (size_t i = 0; i < length; i++)
		put(out, text[i]);
	for (; pad; pad--)
		put(out, ' ');
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

/* In the order in which Linux tries them: composites before their parts. */
static const struct {
	gfp_t mask;
	const char *name;
} gfp_names[] = {
#define NAME(flag) { flag, #flag }
	NAME(GFP_TRANSHUGE), NAME(GFP_TRANSHUGE_LIGHT), NAME(GFP_HIGHUSER_MOVABLE),
	NAME(GFP_HIGHUSER), NAME(GFP_USER), NAME(GFP_KERNEL_ACCOUNT), NAME(GFP_KERNEL),
	NAME(GFP_NOFS), NAME(GFP_ATOMIC), NAME(GFP_NOIO), NAME(GFP_NOWAIT), NAME(GFP_DMA),
	NAME(__GFP_HIGHMEM), NAME(GFP_DMA32), NAME(__GFP_HIGH), NAME(__GFP_IO), NAME(__GFP_FS),
	NAME(__GFP_NOWARN), NAME(__GFP_RETRY_MAYFAIL), NAME(__GFP_NOFAIL), NAME(__GFP_NORETRY),
	NAME(__GFP_COMP), NAME(__GFP_ZERO), NAME(__GFP_NOMEMALLOC), NAME(__GFP_MEMALLOC),
	NAME(__GFP_HARDWALL), NAME(__GFP_THISNODE), NAME(__GFP_RECLAIMABLE), NAME(__GFP_MOVABLE),
	NAME(__GFP_ACCOUNT), NAME(__GFP_WRITE), NAME(__GFP_RECLAIM), NAME(__GFP_DIRECT_RECLAIM),
	NAME(__GFP_KSWAPD_RECLAIM), NAME(__GFP_ZEROTAGS), NAME(__GFP_SKIP_ZERO),
	NAME(__GFP_SKIP_KASAN), NAME(__GFP_NOLOCKDEP), NAME(__GFP_NO_OBJ_EXT),
#undef NAME
};

static void put_gfp(struct output *out, gfp_t flags)
{
	bool first = true;

	if (!flags)
		put_text(out, "none", &plain);
	for (size_t i = 0; i < ARRAY_SIZE(gfp_names) && flags; i++) {
		if ((flags & gfp_names[i].mask) != gfp_names[i].mask)
			continue;
		put_format(out, "%s%s", first ? "" : "|", gfp_names[i].name);
		flags &= ~gfp_names[i].mask;
		first = false;
	}
	if (flags)
		put_format(out, "%s%#x", first ? "" : "|", flags);
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

static void put_error(struct output *out, const void *ptr, const struct spec *spec)
{
	const char *name = IS_ERR(ptr) ? strerrorname_np((int)-PTR_ERR(ptr)) : NULL;
	char text[32];

	if (!IS_ERR(ptr)) {
		put_format(out, "%016lx", (unsigned long)ptr);
		return;
	}
	if (name)
		libc_snprintf(text, sizeof(text), "-%s", name);
	else
		libc_snprintf(text, sizeof(text), "%ld", PTR_ERR(ptr));
	put_text(out, text, spec);
}

static void format_into(struct output *out, const char *format, va_list args);

/* Letters behind %p; how many of them belonged to it. */
static int put_pointer(struct output *out, const void *ptr, const char *letters,
		       const struct spec *spec)
{
	char text[24];
	va_list args;

	switch (letters[0]) {
	case 'S': case 'F': case 'B':
		put_symbol(out, ptr, true, spec);
		return letters[1] == 'R' || letters[1] == 'b' ? 2 : 1;
	case 's': case 'f':
		put_symbol(out, ptr, false, spec);
		return letters[1] == 'R' ? 2 : 1;
	case 'e':
		put_error(out, ptr, spec);
		return 1;
	case 'G':
		if (letters[1] == 'g')
			put_gfp(out, *(const gfp_t *)ptr);
		else
			put_format(out, "%#lx", *(const unsigned long *)ptr);
		return letters[1] ? 2 : 1;
	case 'V':
		va_copy(args, *((const struct va_format *)ptr)->va);
		format_into(out, ((const struct va_format *)ptr)->fmt, args);
		va_end(args);
		return 1;
	case 'a':
		put_format(out, "0x%016llx", *(const unsigned long long *)ptr);
		return letters[1] == 'p' || letters[1] == 'd' ? 2 : 1;
	case 'h':
		put_hex(out, ptr, spec, letters[1] == 'C' ? ':' : letters[1] == 'D' ? '-' :
			letters[1] == 'N' ? 0 : ' ');
		return letters[1] && strchr("CDN", letters[1]) ? 2 : 1;
	case 'M': case 'm':
		put_hex(out, ptr, &(struct spec){ .width = 6 }, letters[0] == 'M' ? ':' : 0);
		return 1;
	case 'b':
		if (letters[1] == 'l') {
			put_bitmap_list(out, ptr, spec);
			return 2;
		}
		put_bitmap(out, ptr, spec);
		return 1;
	default:
		libc_snprintf(text, sizeof(text), "%016lx", (unsigned long)ptr);
		put_text(out, text, &(struct spec){ .width = spec->width, .precision = -1,
						    .left = spec->left });
		return letters[0] == 'x' || letters[0] == 'K' ? 1 : 0;
	}
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
		spec->zero |= *p == '0';
	}
	if (isdigit(*p) || *p == '*')
		p = parse_number(p, &spec->width, args);
	if (*p == '.')
		p = parse_number(p + 1, &spec->precision, args);
	while (*p && strchr("hlLqjzZt", *p) && nr < 2)
		spec->length[nr++] = *p++;
	spec->letter = *p;
	spec->end = *p ? p + 1 : p;
	return spec->end;
}

/* The conversion with its width and precision as numbers, for libc. */
static void rebuild(const struct spec *spec, char *format, size_t size)
{
	size_t flags = strspn(spec->begin + 1, "-+ #0");
	int n = libc_snprintf(format, size, "%%%.*s", (int)flags, spec->begin + 1);

	if (spec->width != -1)
		n += libc_snprintf(format + n, size - (size_t)n, "%d", spec->width);
	if (spec->precision != -1)
		n += libc_snprintf(format + n, size - (size_t)n, ".%d", spec->precision);
	libc_snprintf(format + n, size - (size_t)n, "%s%c",
		 !strcmp(spec->length, "L") || !strcmp(spec->length, "q") ? "ll" :
		 !strcmp(spec->length, "Z") ? "z" : spec->length, spec->letter);
}

static void put_converted(struct output *out, const struct spec *spec, va_list *args)
{
	char format[64];
	size_t room = out->length < out->size ? out->size - out->length : 0;
	char *at = room ? out->buffer + out->length : NULL;
	va_list copy;
	int length;

	rebuild(spec, format, sizeof(format));
	va_copy(copy, *args);
	length = libc_vsnprintf(at, room, format, copy);
	va_end(copy);
	out->length += length > 0 ? (size_t)length : 0;
	if (strchr("s", spec->letter))
		(void)va_arg(*args, const char *);
	else if (spec->length[0] == 'l' || spec->length[0] == 'L' || spec->length[0] == 'q' ||
		 spec->length[0] == 'j' || spec->length[0] == 'z' || spec->length[0] == 'Z' ||
		 spec->length[0] == 't')
		(void)va_arg(*args, long);
	else
		(void)va_arg(*args, int);
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
		if (spec.letter == '%')
			put(out, '%');
		else if (spec.letter == 'p')
			format += put_pointer(out, va_arg(args, void *), format, &spec);
		else if (spec.letter && strchr("diouxXcs", spec.letter))
			put_converted(out, &spec, &args);
		else	/* %n and floating point are no kernel's; as they stand, like the kernel */
			for (const char *p = spec.begin; p < spec.end; p++)
				put(out, *p);
	}
	va_end(args);
}

int vsnprintf(char *buffer, size_t size, const char *format, va_list args)
{
	struct output out = { .buffer = buffer, .size = size };

	format_into(&out, format, args);
	if (size)
		buffer[min(out.length, size - 1)] = '\0';
	return (int)out.length;
}

int snprintf(char *buffer, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(buffer, size, format, args);
	va_end(args);
	return length;
}

int vsprintf(char *buffer, const char *format, va_list args)
{
	return vsnprintf(buffer, INT_MAX, format, args);
}

int sprintf(char *buffer, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsprintf(buffer, format, args);
	va_end(args);
	return length;
}

int vscnprintf(char *buffer, size_t size, const char *format, va_list args)
{
	int length = vsnprintf(buffer, size, format, args);

	return !size ? 0 : (size_t)length < size ? length : (int)size - 1;
}

int scnprintf(char *buffer, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vscnprintf(buffer, size, format, args);
	va_end(args);
	return length;
}

int vsscanf(const char *text, const char *format, va_list args)
{
	return libc_vsscanf(text, format, args);
}

int sscanf(const char *text, const char *format, ...)
{
	va_list args;
	int nr;

	va_start(args, format);
	nr = vsscanf(text, format, args);
	va_end(args);
	return nr;
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

char *kasprintf(gfp_t gfp, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = kvasprintf(gfp, format, args);
	va_end(args);
	return text;
}
