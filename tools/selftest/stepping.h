/* SPDX-License-Identifier: MIT */
/*
 * A thread that is interrupted where the test wants it.
 *
 * A breakpoint in the program's own text interrupts it at one chosen instruction,
 * once; the kernel delivers SIGTRAP, and that aborts a restartable sequence. With
 * stepping on (x86-64), the processor traps after each instruction. To a sequence
 * that is the worst case: it is aborted at its first instruction, always.
 *
 * One thread at a time steps or has a breakpoint.
 */
#ifndef SELFTEST_STEPPING_H
#define SELFTEST_STEPPING_H

#include "base/compiler.h"

/* Is there code for this processor, and may the program's text be written to? */
bool stepping_works(void);

/* Can single instructions be stepped? If not, all of them have STEPPING_FIXED_BYTES. */
#if defined(__x86_64__)
#define STEPPING_SINGLE 1
#else
#define STEPPING_SINGLE 0
#endif
#define STEPPING_FIXED_BYTES 4

/*
 * Calls fn(arg) with stepping on; how many instructions that were. Each one's
 * address goes to note(), which runs in a signal handler; NULL is allowed.
 */
unsigned long stepping_run(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address));

/*
 * The same in a thread of its own that has no restartable sequences, so that none
 * is aborted; false if that cannot be had. The thread works on slot 0.
 */
bool stepping_run_bare(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address));

/* Bytes of the jump at this address, or 0 if that is no jump: it falls through. */
unsigned int stepping_jump_bytes(unsigned long address);

struct stepping_hits {
	unsigned int all;
	unsigned int aborted;	/* the kernel has sent the thread elsewhere */
};

/*
 * Calls fn(arg) with a breakpoint at address, which is gone after the first hit.
 * meanwhile(), if given, then runs in the signal handler: what others do.
 */
struct stepping_hits stepping_break_at(unsigned long address, void (*fn)(void *arg), void *arg,
				       void (*meanwhile)(void));

/*
 * Instructions inside restartable sequences that fn(arg) comes by in such a bare
 * thread, each once, in the order of their first execution; at most max. 0 if
 * that cannot be had.
 */
unsigned int stepping_find(void (*fn)(void *arg), void *arg, unsigned long *addresses,
			   unsigned int max);

/* The kernel's description of a sequence; the program's are in section __rseq_cs. */
struct stepping_sequence {
	uint32_t version, flags;
	uint64_t start, bytes, abort;
};

/* The first sequence in start .. stop - 1 behind the given one (NULL: of all), or NULL. */
const struct stepping_sequence *stepping_next(const struct stepping_sequence *sequence,
					      const char *start, const char *stop);

#endif
