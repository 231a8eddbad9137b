/* SPDX-License-Identifier: MIT */
/* Signals of the calling thread, without libc's functions. */
#ifndef OS_SIGNAL_SIGNALS_H
#define OS_SIGNAL_SIGNALS_H

#include "base/compiler.h"

/* A set of 64 signals, as the kernel has it. */
typedef uint64_t os_signals;
#define OS_SIGNAL(number) (1UL << ((number) - 1))
/* All but the two that libc keeps for its threads (32 and 33) and never blocks. */
#define OS_SIGNALS_ALL (~(3UL << (32 - 1)))
/*
 * The signals that instructions raise. If one is raised while it is blocked, the kernel ends the
 * process.
 */
#define OS_SIGNALS_FAULTS (OS_SIGNAL(SIGSEGV) | OS_SIGNAL(SIGBUS) | OS_SIGNAL(SIGILL) | \
			   OS_SIGNAL(SIGFPE) | OS_SIGNAL(SIGTRAP) | OS_SIGNAL(SIGSYS))

struct sigaction;
/*
 * sigaction(2), but never by a sigaction() that the program defines: that one may take locks or
 * allocate. Sets errno.
 */
int os_sigaction(int number, const struct sigaction *action, struct sigaction *old);
/* Blocks these signals, too. *before is the set that was blocked, for os_restore_signals(). */
void os_block_signals(os_signals set, os_signals *before);
void os_restore_signals(const os_signals *before);

#endif
