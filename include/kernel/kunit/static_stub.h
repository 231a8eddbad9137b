/* SPDX-License-Identifier: MIT */
/*
 * Static stubs: functions that a case replaces while it runs. The replacement is called only in the
 * case's thread; other threads and other cases call the function itself.
 */
#ifndef KUNIT_STATIC_STUB_H
#define KUNIT_STATIC_STUB_H

#include <kunit/test-bug.h>
#include <kunit/test.h>

/* The function that replaces `function` in this test, or NULL. */
void *kunit_static_stub_of(struct kunit *test, void *function);
/* A NULL replacement deactivates the stub. */
void __kunit_activate_static_stub(struct kunit *test, void *function, void *replacement);
void kunit_deactivate_static_stub(struct kunit *test, void *function);

/* The first statement in a function that can be replaced. The arguments follow its name. */
#define KUNIT_STATIC_STUB_REDIRECT(function, ...)			\
	do {								\
		struct kunit *kunit_test_ = kunit_get_current_test();	\
		__typeof__(function) *kunit_stub_ = kunit_test_ ?	\
			kunit_static_stub_of(kunit_test_, (void *)(function)) : NULL; \
									\
		if (__builtin_expect(!!kunit_stub_, 0))			\
			return kunit_stub_(__VA_ARGS__);		\
	} while (0)

#define kunit_activate_static_stub(test, function, replacement)		\
	do {								\
		__typeof__(&(replacement)) kunit_function_ = (function);	\
									\
		__kunit_activate_static_stub(test, (void *)kunit_function_, \
					     (void *)(replacement));	\
	} while (0)

#endif
