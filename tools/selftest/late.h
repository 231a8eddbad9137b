/* SPDX-License-Identifier: MIT */
/*
 * Two ways in which a sequence is interrupted for long. After each, all objects are counted.
 *
 * Preempted: a thread hits a breakpoint inside a sequence and sleeps in the handler. Meanwhile
 * another thread uses the stack on the same CPU. The first thread must retry.
 *
 * Page fault: the stack's page is missing when a sequence first reads it, and userfaultfd(2)
 * supplies it much later. The sequence may be aborted once for each time that the thread slept, and
 * must then work on the page's content.
 */
#ifndef SELFTEST_LATE_H
#define SELFTEST_LATE_H

#include "selftest/boundaries.h"

struct late_proof {
	unsigned long cases, aborts, lost, duplicated;
	unsigned long elsewhere;	/* cases in which the other thread had another slot */
	char skipped[120];		/* why nothing was tried, or "" */
	char failure[200];		/* the first failure; "" if there was none */
};

/* Both add to the proof. The first binds the calling thread to its CPU meanwhile. */
void late_prove_preempted(const struct boundaries *boundaries, struct late_proof *proof);
void late_prove_fault(const struct primitive *primitive, struct late_proof *proof);

#endif
