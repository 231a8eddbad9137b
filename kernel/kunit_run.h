/* SPDX-License-Identifier: MIT */
/* The runner's own interface: for the harness, its tests and its helpers. */
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

/* One KTAP report in the making. Sync: lock, except what main() sets up. */
struct kunit_runner {
	FILE *out;
	const char *filter;		/* "suite.case", "suite", "case"; NULL = all */
	pthread_mutex_t lock;
	unsigned int indent;		/* of the line to come, in spaces */
	struct kunit_totals totals;
};

/*
 * Text of a test's own format: libc's, until a runtime for kernel sources brings the kernel's.
 * Sync: constant after constructors.
 */
extern int (*kunit_format)(char *text, size_t size, const char *format, va_list args);

/* Runs the suites and prints the report, without the closing line of totals. */
void kunit_run_suites(struct kunit_runner *runner, struct kunit_suite *const *suites,
		      size_t nr);

/* The suites that registered themselves; how many. */
size_t kunit_registered_suites(struct kunit_suite *const **suites);

/*
 * Calls fn(arg) for the test in this thread, so that ASSERT inside comes back
 * here; false if it did.
 */
bool kunit_try(struct kunit *test, void (*fn)(void *arg), void *arg);

/* Everything the case owns goes, the latest first. */
void kunit_cleanup(struct kunit *test);

#endif
