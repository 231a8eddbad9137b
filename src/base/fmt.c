/* SPDX-License-Identifier: MIT */
#include "base/fmt.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/system_call.h"
#include "base/text.h"

#define DIGITS_MAX 24

struct output {
	char *buffer;
	size_t size;
	size_t length;	/* the whole text's, even if it does not fit */
};

struct conversion {
	bool left, zero, prefix;
	unsigned int width;
	bool wide;	/* l or z: 64 bits */
};

static void put(struct output *out, char c)
{
	if (out->length + 1 < out->size)
		out->buffer[out->length] = c;
	out->length++;
}

static void put_padding(struct output *out, char c, unsigned int width, size_t used)
{
	for (; used < width; used++)
		put(out, c);
}

static void put_text(struct output *out, const struct conversion *conv, const char *text,
		     size_t length)
{
	if (!conv->left)
		put_padding(out, ' ', conv->width, length);
	for (size_t i = 0; i < length; i++)
		put(out, text[i]);
	if (conv->left)
		put_padding(out, ' ', conv->width, length);
}

static void put_number(struct output *out, const struct conversion *conv,
		       unsigned long value, unsigned int base, const char *sign)
{
	char text[DIGITS_MAX + 4];
	char *end = text + sizeof(text), *start = end;
	size_t sign_length = strlen(sign);

	do {
		*--start = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	if (conv->zero && !conv->left)
		while ((size_t)(end - start) + sign_length < conv->width &&
		       start > text + 4)
			*--start = '0';
	start -= sign_length;
	memcpy(start, sign, sign_length);
	put_text(out, conv, start, (size_t)(end - start));
}

static const char *parse_conversion(const char *format, struct conversion *conv)
{
	for (;; format++) {
		if (*format == '-')
			conv->left = true;
		else if (*format == '0')
			conv->zero = true;
		else if (*format == '#')
			conv->prefix = true;
		else
			break;
	}
	for (; *format >= '0' && *format <= '9'; format++)
		conv->width = conv->width * 10 + (unsigned int)(*format - '0');
	for (; *format == 'l' || *format == 'z'; format++)
		conv->wide = true;
	return format;
}

static void put_signed(struct output *out, const struct conversion *conv, long value)
{
	unsigned long magnitude = value < 0 ? -(unsigned long)value : (unsigned long)value;

	put_number(out, conv, magnitude, 10, value < 0 ? "-" : "");
}

size_t fmt_vformat(char *buffer, size_t size, const char *format, va_list args)
{
	struct output out = { buffer, size, 0 };

	for (; *format; format++) {
		struct conversion conv = { 0 };
		const char *text;
		char c;

		if (*format != '%') {
			put(&out, *format);
			continue;
		}
		format = parse_conversion(format + 1, &conv);
		switch (*format) {
		case 's':
			text = va_arg(args, const char *);
			if (!text)
				text = "(null)";
			put_text(&out, &conv, text, strlen(text));
			break;
		case 'c':
			c = (char)va_arg(args, int);
			put_text(&out, &conv, &c, 1);
			break;
		case 'd':
			put_signed(&out, &conv, conv.wide ? va_arg(args, long) : va_arg(args, int));
			break;
		case 'u':
			put_number(&out, &conv, conv.wide ? va_arg(args, unsigned long) :
				   va_arg(args, unsigned int), 10, "");
			break;
		case 'x':
			put_number(&out, &conv, conv.wide ? va_arg(args, unsigned long) :
				   va_arg(args, unsigned int), 16, conv.prefix ? "0x" : "");
			break;
		case 'p':
			put_number(&out, &conv, (unsigned long)va_arg(args, void *), 16, "0x");
			break;
		default:
			put(&out, '%');
			if (*format && *format != '%')
				put(&out, *format);
			if (!*format)
				format--;
		}
	}
	if (size)
		buffer[out.length < size ? out.length : size - 1] = '\0';
	return out.length;
}

size_t fmt_format(char *buffer, size_t size, const char *format, ...)
{
	va_list args;
	size_t length;

	va_start(args, format);
	length = fmt_vformat(buffer, size, format, args);
	va_end(args);
	return length;
}

void fmt_writer_open_in(struct fmt_writer *writer, int fd, char *memory, size_t bytes)
{
	writer->fd = fd;
	writer->error = 0;
	writer->used = 0;
	writer->text = memory ? memory : writer->buffer;
	writer->size = memory ? bytes : sizeof(writer->buffer);
	writer->take = NULL;
}

void fmt_writer_open(struct fmt_writer *writer, int fd)
{
	fmt_writer_open_in(writer, fd, NULL, 0);
}

void fmt_writer_open_for(struct fmt_writer *writer, void (*take)(void *arg, const char *text),
			 void *arg)
{
	fmt_writer_open(writer, -1);
	writer->take = take;
	writer->take_arg = arg;
}

/* --- Writing ----------------------------------------------------------------------- */

/*
 * The signals of a write(2) to a pipe that nobody reads, or beyond RLIMIT_FSIZE, as bits of the
 * kernel's signal set. Without this code a message of the library could end the program or call its
 * handler. The calls are system calls, since a program may define functions with libc's names.
 */
#define SIGNAL_BIT(number) (1UL << ((number) - 1))
#define WRITE_SIGNALS (SIGNAL_BIT(SIGPIPE) | SIGNAL_BIT(SIGXFSZ))

struct held_signals {
	unsigned long blocked, pending;	/* as they were before */
};

static unsigned long pending_signals(void)
{
	unsigned long set = 0;

	system_call(SYS_rt_sigpending, &set, sizeof(set));
	return set & WRITE_SIGNALS;
}

/* Only a blocked signal can be pending, so the second call is often not needed. */
static void hold_signals(struct held_signals *before)
{
	const unsigned long set = WRITE_SIGNALS;

	*before = (struct held_signals){ 0 };
	system_call(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before->blocked, sizeof(set));
	if (before->blocked & WRITE_SIGNALS)
		before->pending = pending_signals();
}

/* Discards the signals that our write raised. Signals that were pending before stay. */
static void release_signals(const struct held_signals *before, int error)
{
	static const struct timespec at_once;
	unsigned long ours;
	long taken = 1;

	while ((error == -EPIPE || error == -EFBIG) &&
	       (ours = pending_signals() & ~before->pending) &&
	       (taken > 0 || taken == -EINTR))
		taken = system_call(SYS_rt_sigtimedwait, &ours, NULL, &at_once, sizeof(ours));
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, &before->blocked, NULL,
		    sizeof(before->blocked));
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		long n = system_call(SYS_write, fd, text, length);

		if (!n)
			return -EIO;
		if (n < 0 && n != -EINTR)
			return (int)n;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

seldom_called int fmt_write(int fd, const char *text, size_t length)
{
	struct held_signals before;
	int error;

	hold_signals(&before);
	error = write_all(fd, text, length);
	release_signals(&before, error);
	return error;
}

int fmt_writer_flush(struct fmt_writer *writer)
{
	if (writer->take) {
		writer->text[writer->used] = '\0';	/* fmt_print() leaves a byte free */
		writer->take(writer->take_arg, writer->text);
	} else if (!writer->error) {
		writer->error = fmt_write(writer->fd, writer->text, writer->used);
	}
	writer->used = 0;
	return writer->error;
}

seldom_called void fmt_print(struct fmt_writer *writer, const char *format, ...)
{
	char *end;
	size_t room, length;
	va_list args;

	for (int attempt = 0; attempt < 2; attempt++) {
		end = writer->text + writer->used;
		room = writer->size - writer->used;
		va_start(args, format);
		length = fmt_vformat(end, room, format, args);
		va_end(args);
		if (length < room) {
			writer->used += length;
			return;
		}
		if (!writer->used) {	/* longer than the whole buffer: cut off */
			writer->used = room - 1;
			return;
		}
		fmt_writer_flush(writer);
	}
}

int fmt_writer_close(struct fmt_writer *writer)
{
	return fmt_writer_flush(writer);
}

int fmt_print_to(int fd, void (*print)(struct fmt_writer *writer))
{
	struct fmt_writer writer;

	fmt_writer_open(&writer, fd);
	print(&writer);
	return fmt_writer_close(&writer);
}
