/* SPDX-License-Identifier: MIT */
/*
 * Proof 1: every primitive is interrupted at each of its instructions.
 *
 * First the proof finds the instructions: it steps through the primitive in a thread without
 * restartable sequences, in all states of the stack. The next step tells the length of an
 * instruction that falls through; a jump's opcode tells its length. The instructions that were seen
 * must cover the sequence byte by byte. (If all instructions have one length, no search is needed.)
 *
 * Then it sets a breakpoint on each instruction, in each state, without and with another operation
 * on the same stack while the sequence is aborted. It also sets one behind the sequence, where the
 * kernel must not abort: a committed operation must take effect exactly once.
 */
#ifndef SELFTEST_BOUNDARIES_H
#define SELFTEST_BOUNDARIES_H

#include "selftest/primitives.h"

#define BOUNDARIES_MAX 400
#define BOUNDARIES_SEQUENCES_MAX 4

struct boundaries {
	const struct primitive *primitive;
	unsigned int bytes;		/* length of all its sequences */
	unsigned int nr;
	unsigned int nr_sequences;	/* a compiler may make copies */
	unsigned long inside[BOUNDARIES_MAX];
	unsigned long behind[BOUNDARIES_SEQUENCES_MAX];
	bool forced[BOUNDARIES_MAX];	/* an abort was forced at this instruction */
};

struct boundaries_proof {
	unsigned int forced;
	unsigned long cases, aborts, lost, duplicated;
	unsigned long behind;		/* breakpoints hit behind a sequence; none may abort */
	unsigned long steps;		/* instructions of boundaries_prove_end()'s run */
	char failure[200];		/* the first failure; "" if there was none */
};

/*
 * Finds the primitive's instructions. NULL, or why they cannot be found. Call it between
 * scene_begin() and scene_end().
 */
const char *boundaries_find(struct boundaries *boundaries, const struct primitive *primitive);

/* Sets all the breakpoints described above, one after the other. */
void boundaries_prove(struct boundaries *boundaries, struct boundaries_proof *proof);

/*
 * If every instruction of a thread is stepped, each of its sequences is aborted. The operation must
 * then report "empty" or "full" after a bounded number of tries, with nothing changed. Adds to the
 * proof.
 */
void boundaries_prove_end(const struct primitive *primitive, struct boundaries_proof *proof);

#endif
