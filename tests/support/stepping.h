/* SPDX-License-Identifier: MIT */
/*
 * A thread that is interrupted where the test wants it (x86-64).
 *
 * With stepping on, the processor traps after each instruction, and a signal is
 * delivered every time. To a restartable sequence that is the worst case: it is
 * aborted at its first instruction, always. A breakpoint interrupts it at one
 * chosen instruction, once.
 */
#ifndef SUPPORT_STEPPING_H
#define SUPPORT_STEPPING_H

#include <kunit/test.h>

/* Is there code for this processor, and may the text be written to? */
bool stepping_works(void);

/*
 * Calls fn(arg) with stepping on; how many instructions that were. Each one's
 * address goes to note(), which runs in a signal handler; NULL is allowed.
 */
unsigned long stepping_run(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address));

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
 * Instructions inside restartable sequences that fn(arg) comes by, each once, in
 * the order of their first execution; at most max. Runs fn in a thread of its own
 * that has no sequences, so that none is aborted; 0 if that cannot be had. The
 * caller sees to it that the thread's slot index finds something to work on.
 */
unsigned int stepping_find(struct kunit *test, void (*fn)(void *arg), void *arg,
			   unsigned long *addresses, unsigned int max);

#endif
