/* SPDX-License-Identifier: MIT */
/* Tells code under test which test is running. */
#ifndef KUNIT_TEST_BUG_H
#define KUNIT_TEST_BUG_H

struct kunit;

/* The case that this thread works for, or NULL outside of one. */
struct kunit *kunit_get_current_test(void);

#define kunit_fail_current_test(...)					\
	do {								\
		struct kunit *kunit_current_ = kunit_get_current_test(); \
									\
		if (kunit_current_)					\
			KUNIT_FAIL(kunit_current_, __VA_ARGS__);	\
	} while (0)

#endif
