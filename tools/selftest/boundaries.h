/* SPDX-License-Identifier: MIT */
/*
 * Proof 1: every primitive, interrupted at every one of its instructions.
 *
 * Where the instructions are is found by stepping through the primitive in a
 * thread that has no restartable sequences, in all states of the stack. Of every
 * instruction that falls through the step tells the length, of a jump its opcode
 * does; so the instructions that were seen must cover the sequence byte by byte.
 * (Where instructions have one length, they are where they must be.)
 *
 * Then a breakpoint goes to each of them, in each state, without and with another
 * operation on the same stack while the sequence is aborted. Behind the sequence
 * a breakpoint is hit as well, and there the kernel must not abort: what has been
 * committed stands once.
 */
#ifndef SELFTEST_BOUNDARIES_H
#define SELFTEST_BOUNDARIES_H

#include "selftest/primitives.h"

#define BOUNDARIES_MAX 400
#define BOUNDARIES_SEQUENCES_MAX 4

struct boundaries {
	const struct primitive *primitive;
	unsigned int bytes;		/* of all its sequences */
	unsigned int nr;
	unsigned int nr_sequences;	/* a compiler may make copies */
	unsigned long inside[BOUNDARIES_MAX];
	unsigned long behind[BOUNDARIES_SEQUENCES_MAX];
	bool forced[BOUNDARIES_MAX];	/* an abort there was forced */
};

struct boundaries_proof {
	unsigned int forced;
	unsigned long cases, aborts, lost, duplicated;
	unsigned long behind;		/* breakpoints behind a sequence, none of them aborts */
	unsigned long steps;		/* of the run that is stepped for good */
	char failure[200];		/* the first one; "" when all held */
};

/* NULL, or why they cannot be found. Between scene_begin() and scene_end(). */
const char *boundaries_find(struct boundaries *boundaries, const struct primitive *primitive);

/* Does all of the above to them. */
void boundaries_prove(struct boundaries *boundaries, struct boundaries_proof *proof);

/*
 * A thread that is stepped for good gets nothing done: it hears "empty" or "full"
 * after a bounded number of tries, and nothing has changed. Adds to the proof.
 */
void boundaries_prove_end(const struct primitive *primitive, struct boundaries_proof *proof);

#endif
