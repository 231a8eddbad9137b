/* SPDX-License-Identifier: MIT */
/*
 * Two ways of coming back late, each followed by a count of all objects.
 *
 * Preempted: a thread runs into a breakpoint inside a sequence and sleeps in the
 * handler; on the same CPU another one uses the stack; the first one must retry.
 *
 * Page fault: the stack's page is missing when a sequence first reads it, and
 * userfaultfd(2) supplies it much later. The sequence may be aborted once for
 * each time that the thread slept, and then finds what is on the page.
 */
#ifndef SELFTEST_LATE_H
#define SELFTEST_LATE_H

#include "selftest/boundaries.h"

struct late_proof {
	unsigned long cases, aborts, lost, duplicated;
	unsigned long elsewhere;	/* cases in which the other thread had another slot */
	char skipped[120];		/* why nothing was tried; "" if it was */
	char failure[200];		/* the first one; "" when all held */
};

/* Adds to the proof. The calling thread stays on its CPU as long as this takes. */
void late_prove_preempted(const struct boundaries *boundaries, struct late_proof *proof);
void late_prove_fault(const struct primitive *primitive, struct late_proof *proof);

#endif
