/* SPDX-License-Identifier: MIT */
/*
 * Formatting without allocation, locale or stdio: safe in every context that
 * may call write(2), the allocator's own error path included.
 *
 * Conversions: %s %c %d %u %x %p %%, with l or z, '#', '-', '0' and a width.
 */
#ifndef BASE_FMT_H
#define BASE_FMT_H

#include <stdarg.h>

#include "base/compiler.h"

/* Like snprintf: ends with a null byte if size > 0, returns the full length. */
size_t fmt_format(char *buffer, size_t size, const char *format, ...) __printf(3, 4);
size_t fmt_vformat(char *buffer, size_t size, const char *format, va_list args);

/*
 * All of it, but for an error other than EINTR: 0 or that one, negative. Neither SIGPIPE nor
 * SIGXFSZ is raised.
 */
int fmt_write(int fd, const char *text, size_t length);

/* Text on its way to a file descriptor; lives on the stack. */
struct fmt_writer {
	int fd;
	int error;	/* the first one, negative; nothing more is written then */
	size_t used, size;
	char *text;	/* what is not written yet: buffer, or the caller's memory */
	void (*take)(void *arg, const char *text);	/* gets it in the descriptor's place */
	void *take_arg;
	char buffer[2048];
};

void fmt_writer_open(struct fmt_writer *writer, int fd);
/*
 * A text that fits into this memory goes out by one write(2). The memory is the caller's. NULL: as
 * fmt_writer_open().
 */
void fmt_writer_open_in(struct fmt_writer *writer, int fd, char *memory, size_t bytes);
/* The text goes to a function, piece by piece, each with a null byte behind it. */
void fmt_writer_open_for(struct fmt_writer *writer, void (*take)(void *arg, const char *text),
			 void *arg);
void fmt_print(struct fmt_writer *writer, const char *format, ...) __printf(2, 3);
/* Writes what there is so far; the writer's error. */
int fmt_writer_flush(struct fmt_writer *writer);
/* Writes what is left; 0 or the first error, negative. */
int fmt_writer_close(struct fmt_writer *writer);
/* What a function prints goes to a file descriptor; 0 or the first error, negative. */
int fmt_print_to(int fd, void (*print)(struct fmt_writer *writer));

#endif
