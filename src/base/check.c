/* SPDX-License-Identifier: MIT */
#include "base/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/fmt.h"

#define LINE_BYTES 512

/* Sync: atomic relaxed; only a count, no data hangs on it. */
static unsigned int warnings;

static void write_line(const char *format, va_list args)
{
	static const char prefix[] = "usermm: ";
	char line[LINE_BYTES];
	size_t length = fmt_format(line, sizeof(line), "%s", prefix);

	length += fmt_vformat(line + length, sizeof(line) - length - 1, format, args);
	length = min(length, sizeof(line) - 2);
	line[length++] = '\n';
	fmt_write(STDERR_FILENO, line, length);
}

void report_warning(const char *format, ...)
{
	unsigned int number = atomic_add_relaxed(&warnings, 1);
	va_list args;

	if (number >= REPORT_WARNINGS_MAX)
		return;
	va_start(args, format);
	write_line(format, args);
	va_end(args);
	if (number == REPORT_WARNINGS_MAX - 1) {
		static const char last[] = "usermm: further warnings are not shown\n";

		fmt_write(STDERR_FILENO, last, sizeof(last) - 1);
	}
}

void report_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args);
	va_end(args);
}

void report_fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args);
	va_end(args);
	abort();
}
