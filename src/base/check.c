/* SPDX-License-Identifier: MIT */
#include "base/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/fmt.h"

#define LINE_BYTES 512

/* Sync: atomic relaxed; it only limits the number of warnings */
static unsigned int warnings;

static void write_line(int fd, const char *format, va_list args)
{
	static const char prefix[] = "usermm: ";
	char line[LINE_BYTES];
	size_t length = fmt_format(line, sizeof(line), "%s", prefix);

	length += fmt_vformat(line + length, sizeof(line) - length - 1, format, args);
	length = min(length, sizeof(line) - 2);
	line[length++] = '\n';
	fmt_write(fd, line, length);
}

static void warn(int fd, const char *format, va_list args)
{
	static const char last[] = "usermm: further warnings are not shown\n";
	unsigned int number = atomic_add_relaxed(&warnings, 1);

	if (number < REPORT_WARNINGS_MAX)
		write_line(fd, format, args);
	if (number == REPORT_WARNINGS_MAX - 1)
		fmt_write(fd, last, sizeof(last) - 1);
}

void report_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	warn(STDERR_FILENO, format, args);
	va_end(args);
}

void report_warning_to(int fd, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	warn(fd, format, args);
	va_end(args);
}

void report_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(STDERR_FILENO, format, args);
	va_end(args);
}

void report_fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(STDERR_FILENO, format, args);
	va_end(args);
	abort();
}
