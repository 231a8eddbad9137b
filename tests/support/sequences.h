/* SPDX-License-Identifier: MIT */
/* For tests that interrupt restartable sequences (selftest/stepping.h). */
#ifndef SUPPORT_SEQUENCES_H
#define SUPPORT_SEQUENCES_H

#include <kunit/test.h>

#include "percpu/percpu.h"
#include "selftest/stepping.h"

/*
 * Skips the case if restartable sequences are not in use, or cannot be interrupted. Call it after
 * the library has come up.
 */
static inline void test_need_stepping(struct kunit *test)
{
	if (RSEQ_IN_C || percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "no restartable sequences in use");
	if (!stepping_works())
		kunit_skip(test, "the program's text cannot be changed here");
}

#endif
