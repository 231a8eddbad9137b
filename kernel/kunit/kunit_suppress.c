/* SPDX-License-Identifier: MIT */
/*
 * Warnings that a test expects are counted instead of printed, for the thread that asked for it.
 * cf. Linux lib/kunit/bug.c.
 */
#include <stdlib.h>

#include <kunit/resource.h>
#include <kunit/test-bug.h>
#include <kunit/test.h>

struct kunit_suppressed_warning {
	struct kunit *test;
	struct kunit_suppressed_warning **active;	/* its thread's `active` */
	int count;
};

static _Thread_local struct kunit_suppressed_warning *active;

/* The count stays readable until the case ends. */
static void stop(void *context)
{
	struct kunit_suppressed_warning *warning = context;

	*warning->active = NULL;
}

struct kunit_suppressed_warning *kunit_start_suppress_warning(struct kunit *test)
{
	struct kunit_suppressed_warning *warning;

	if (active) {
		KUNIT_FAIL(test, "warnings are suppressed already");
		return NULL;
	}
	warning = calloc(1, sizeof(*warning));
	if (!warning || kunit_add_action_or_reset(test, free, warning) ||
	    kunit_add_action(test, stop, warning)) {
		KUNIT_FAIL(test, "no memory to suppress warnings");
		return NULL;
	}
	warning->test = test;
	warning->active = &active;
	active = warning;
	return warning;
}

void kunit_end_suppress_warning(struct kunit *test, struct kunit_suppressed_warning *warning)
{
	if (warning)
		kunit_release_action(test, stop, warning);
}

void kunit_suppress_cleanup(struct kunit_suppressed_warning **warning)
{
	if (*warning)
		kunit_end_suppress_warning((*warning)->test, *warning);
	*warning = NULL;
}

int kunit_suppressed_warning_count(struct kunit_suppressed_warning *warning)
{
	return warning ? warning->count : 0;
}

bool kunit_has_active_suppress_warning(void)
{
	return active;
}

bool kunit_is_suppressed_warning(bool count)
{
	if (active && count)
		active->count++;
	return active;
}
