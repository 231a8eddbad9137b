/* SPDX-License-Identifier: MIT */
/*
 * Messages about mistakes. Each is one line on stderr that starts with "usermm: ". It
 * is built on the stack and never allocates.
 *
 *	report_warning()  the caller goes on; a process shows a limited number of
 *			  warnings in all
 *	REPORT_ONCE()	  a warning that each place in the code gives once
 *	report_line()	  a line of a report; the caller limits their number and rate
 *	report_fatal()	  misuse or corruption: the line, then SIGABRT
 *	CHECK()		  always compiled in
 *	ASSERT()	  only in builds with USERMM_DEBUG
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include "base/atomic.h"
#include "base/compiler.h"

#ifndef USERMM_DEBUG
#define USERMM_DEBUG 0
#endif

/* A process shows this many warnings; then a line says that no more follow. */
#define REPORT_WARNINGS_MAX 20

void report_warning(const char *format, ...) __printf(1, 2) slow_path;
/* Writes the warning to fd instead of stderr. */
void report_warning_to(int fd, const char *format, ...) __printf(2, 3) slow_path;
void report_line(const char *format, ...) __printf(1, 2) slow_path;
void report_fatal(const char *format, ...) __printf(1, 2) slow_path
	__attribute__((__noreturn__));

/* `told` only decides which thread reports. It publishes nothing, so its order is relaxed. */
#define REPORT_ONCE(condition, ...)					\
	do {								\
		static bool told;	/* Sync: atomic relaxed */	\
									\
		if (unlikely(condition) &&				\
		    !atomic_exchange_relaxed(&told, true))		\
			report_warning("WARNING: " __VA_ARGS__);	\
	} while (0)

#define CHECK(condition, ...)						\
	do {								\
		if (unlikely(!(condition)))				\
			report_fatal(__VA_ARGS__);			\
	} while (0)

#define ASSERT(condition)						\
	do {								\
		if (USERMM_DEBUG && unlikely(!(condition)))		\
			report_fatal("%s:%d: assertion failed: %s",	\
				     __FILE__, __LINE__, #condition);	\
	} while (0)

#endif
