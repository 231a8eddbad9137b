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
 * Writes the whole text; goes on after EINTR. 0 or the error, negative. Raises neither SIGPIPE nor
 * SIGXFSZ.
 */
int fmt_write(int fd, const char *text, size_t length);

/* Collects text for a file descriptor. Lives on the stack. */
struct fmt_writer {
	int fd;
	int error;	/* the first error, negative; after it nothing is written */
	size_t used, size;
	char *text;	/* holds text that is not written yet: buffer, or the caller's memory */
	void (*take)(void *arg, const char *text);	/* gets the text instead of fd */
	void *take_arg;
	char buffer[2048];
};

void fmt_writer_open(struct fmt_writer *writer, int fd);
/*
 * Collects the text in the caller's memory: if it fits, one write(2) writes all of it. If memory is
 * NULL, this is fmt_writer_open().
 */
void fmt_writer_open_in(struct fmt_writer *writer, int fd, char *memory, size_t bytes);
/* Passes the text to a function, in pieces that end with a null byte. */
void fmt_writer_open_for(struct fmt_writer *writer, void (*take)(void *arg, const char *text),
			 void *arg);
void fmt_print(struct fmt_writer *writer, const char *format, ...) __printf(2, 3);
/* Writes the collected text; returns writer->error. */
int fmt_writer_flush(struct fmt_writer *writer);
/* Writes the rest; 0 or the first error, negative. */
int fmt_writer_close(struct fmt_writer *writer);
/* Calls print with a writer for fd; 0 or the first error, negative. */
int fmt_print_to(int fd, void (*print)(struct fmt_writer *writer));

#endif
