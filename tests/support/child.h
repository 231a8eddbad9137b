/* SPDX-License-Identifier: MIT */
/*
 * Things that end a process, or need a fresh one: run in a forked child, judged
 * by how it ended and by what it wrote to stderr.
 *
 * The library reports misuse in one line on stderr that names the pointer in
 * hex, and then aborts.
 */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include <kunit/test.h>

struct child_result {
	int status;		/* as from waitpid() */
	char err[1 << 16];	/* what the child wrote to stderr, cut to fit */
};

/*
 * SIGALRM for a child that hangs: one that only is slow, on a machine with much else to do, comes
 * to its end. In an emulated one it has TEST_SLOWNESS times as long.
 */
void child_alarm(void);

/*
 * fn(test, arg) in a child. It ends with exit status 0 if fn returns and no
 * check failed in it; failed checks are told on the child's stderr.
 */
void child_run(struct kunit *test, void (*fn)(struct kunit *test, void *arg), void *arg,
	       struct child_result *result);

/* Checks made through these two stand at the caller's line. */
void child_expect_death(struct kunit *test, const struct kunit_loc *loc,
			void (*fn)(struct kunit *test, void *arg), void *arg,
			const char *const *texts);
void child_expect_success(struct kunit *test, const struct kunit_loc *loc,
			  void (*fn)(struct kunit *test, void *arg), void *arg,
			  const char *const *texts);

/* fn dies by SIGABRT, with exactly one line on stderr that holds all texts. */
#define CHILD_EXPECT_DEATH(test, fn, arg, ...)				\
	child_expect_death(test, KUNIT_LOC(false), fn, arg,		\
			   (const char *const[]){ __VA_ARGS__, NULL })

/* fn comes back, and its stderr holds all texts (none need be given). */
#define CHILD_EXPECT_SUCCESS(test, fn, arg, ...)			\
	child_expect_success(test, KUNIT_LOC(false), fn, arg,		\
			     (const char *const[]){ NULL, ##__VA_ARGS__, NULL } + 1)

/* "0x..." for CHILD_EXPECT_DEATH; the text lasts for eight more calls. */
const char *child_hex(const void *pointer);

#endif
