/* SPDX-License-Identifier: MIT */
/*
 * Runs test code that ends its process, or needs a fresh one, in a forked child. The child is
 * judged by how it ended and by what it wrote to stderr.
 *
 * The library reports misuse in one line on stderr that names the pointer in hex, and then aborts.
 */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include <kunit/test.h>

struct child_result {
	int status;		/* as from waitpid() */
	char err[1 << 16];	/* what the child wrote to stderr, cut to fit */
};

/*
 * Ends a child that hangs, by SIGALRM. A child that is only slow, on a busy machine, still comes to
 * its end. In an emulated machine a child has TEST_SLOWNESS times as long.
 */
void child_alarm(void);

/*
 * Runs fn(test, arg) in a child. The child exits with status 0 if fn returns and no check failed in
 * it. Failed checks are reported on the child's stderr.
 */
void child_run(struct kunit *test, void (*fn)(struct kunit *test, void *arg), void *arg,
	       struct child_result *result);

/* Failures of these two name the source line loc: the line of the macros below. */
void child_expect_death(struct kunit *test, const struct kunit_loc *loc,
			void (*fn)(struct kunit *test, void *arg), void *arg,
			const char *const *texts);
void child_expect_success(struct kunit *test, const struct kunit_loc *loc,
			  void (*fn)(struct kunit *test, void *arg), void *arg,
			  const char *const *texts);

/* Expects that fn dies by SIGABRT, with exactly one line on stderr, which holds all texts. */
#define CHILD_EXPECT_DEATH(test, fn, arg, ...)				\
	child_expect_death(test, KUNIT_LOC(false), fn, arg,		\
			   (const char *const[]){ __VA_ARGS__, NULL })

/* Expects that fn returns, and that its stderr holds all texts (there need be none). */
#define CHILD_EXPECT_SUCCESS(test, fn, arg, ...)			\
	child_expect_success(test, KUNIT_LOC(false), fn, arg,		\
			     (const char *const[]){ NULL, ##__VA_ARGS__, NULL } + 1)

/* The pointer as "0x...", for CHILD_EXPECT_DEATH. Only the last eight texts are kept. */
const char *child_hex(const void *pointer);

#endif
