/* SPDX-License-Identifier: MIT */
/* Tells code under test which test is running. */
#ifndef KUNIT_TEST_BUG_H
#define KUNIT_TEST_BUG_H

#include <stdbool.h>

struct kunit;

/* The case that this thread works for, or NULL outside of one. */
struct kunit *kunit_get_current_test(void);

/*
 * Are warnings of this thread suppressed (kunit_warning_suppress())? With `count`, this counts as
 * one of them.
 */
bool kunit_is_suppressed_warning(bool count);

#define kunit_fail_current_test(...)					\
	do {								\
		struct kunit *kunit_current_ = kunit_get_current_test(); \
									\
		if (kunit_current_)					\
			KUNIT_FAIL(kunit_current_, __VA_ARGS__);	\
	} while (0)

#endif
