/* SPDX-License-Identifier: MIT */
/*
 * Interrupts a thread at an instruction that the test chooses.
 *
 * A breakpoint in the program's own text interrupts the thread once, at one chosen instruction: the
 * kernel delivers SIGTRAP, which aborts a restartable sequence. With stepping on (x86-64), the
 * processor traps after each instruction. This is the worst case for a sequence: it is always
 * aborted at its first instruction.
 *
 * One thread at a time steps or has a breakpoint.
 */
#ifndef SELFTEST_STEPPING_H
#define SELFTEST_STEPPING_H

#include "base/compiler.h"

/* Is this processor supported, and may the program's text be written to? */
bool stepping_works(void);

/* Can single instructions be stepped? If not, all instructions have STEPPING_FIXED_BYTES. */
#if defined(__x86_64__)
#define STEPPING_SINGLE 1
#else
#define STEPPING_SINGLE 0
#endif
#define STEPPING_FIXED_BYTES 4

/*
 * Calls fn(arg) with stepping on, and returns the number of instructions. note() (or NULL) gets the
 * address of each instruction, in a signal handler.
 */
unsigned long stepping_run(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address));

/*
 * stepping_run() in a thread that has no restartable sequences, so that no sequence is aborted. The
 * thread works on slot 0. False if there can be no such thread.
 */
bool stepping_run_bare(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address));

/* Bytes of the jump at this address; 0 if the instruction there is no jump. */
unsigned int stepping_jump_bytes(unsigned long address);

struct stepping_hits {
	unsigned int all;
	unsigned int aborted;	/* hits after which the kernel aborted the sequence */
};

/*
 * Calls fn(arg) with a breakpoint at address. The first hit removes the breakpoint and calls
 * meanwhile() (unless NULL) in the signal handler.
 */
struct stepping_hits stepping_break_at(unsigned long address, void (*fn)(void *arg), void *arg,
				       void (*meanwhile)(void));

/*
 * Finds the instructions inside restartable sequences that fn(arg) executes in the thread of
 * stepping_run_bare(): each once, in the order of their first execution, at most max. Returns how
 * many; 0 if there can be no such thread.
 */
unsigned int stepping_find(void (*fn)(void *arg), void *arg, unsigned long *addresses,
			   unsigned int max);

/* The kernel's description of a sequence; the program's are in section __rseq_cs. */
struct stepping_sequence {
	uint32_t version, flags;
	uint64_t start, bytes, abort;
};

/* The next sequence in start .. stop - 1 after the given one (NULL: the first one); or NULL. */
const struct stepping_sequence *stepping_next(const struct stepping_sequence *sequence,
					      const char *start, const char *stop);

#endif
