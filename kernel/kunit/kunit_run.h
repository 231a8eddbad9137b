/* SPDX-License-Identifier: MIT */
/*
 * The KUnit runner's functions for a test program's main(), for the runner's own tests, and for
 * helpers of tests.
 */
#ifndef KERNEL_KUNIT_RUN_H
#define KERNEL_KUNIT_RUN_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include <kunit/resource.h>
#include <kunit/test.h>

struct kunit_totals {
	unsigned int passed, failed, skipped;
};

/* One KTAP report being written. Sync: lock, except out and filter, which main() sets. */
struct kunit_runner {
	FILE *out;
	const char *filter;		/* "suite.case", "suite", "case"; NULL = all */
	pthread_mutex_t lock;
	unsigned int indent;		/* of the next line, in spaces */
	struct kunit_totals totals;
};

/*
 * Formats the texts of tests: libc's vsnprintf(), unless the runtime for kernel sources sets the
 * kernel's. Sync: constant after constructors.
 */
extern int (*kunit_format)(char *text, size_t size, const char *format, va_list args);

/* Runs the suites and prints the report, without the last line (the totals). */
void kunit_run_suites(struct kunit_runner *runner, struct kunit_suite *const *suites,
		      size_t nr);

/* Sets *suites to the registered suites. Returns how many. */
size_t kunit_registered_suites(struct kunit_suite *const **suites);

/*
 * Calls fn(arg) for the test in this thread. A failed ASSERT inside fn() returns here; the result
 * is then false.
 */
bool kunit_try(struct kunit *test, void (*fn)(void *arg), void *arg);

/* Frees everything that the case owns, the latest first. */
void kunit_cleanup(struct kunit *test);

#endif
