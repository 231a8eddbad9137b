/* SPDX-License-Identifier: MIT */
/* Accesses to inaccessible memory (SIGSEGV), seen before the program's own handler sees them. */
#ifndef OS_SIGNAL_SEGV_HANDLER_H
#define OS_SIGNAL_SEGV_HANDLER_H

#include "base/compiler.h"

struct os_fault {
	const void *address;
	const void *code;	/* the instruction */
	bool is_write;
};

/*
 * Calls look() for every such access, in the thread that made it. If look() returns true, the
 * access is made once more. If not, the program gets the signal, as if nobody had looked.
 *
 * May be called again. It must be called again after the program has set a handler: then the
 * library's handler comes first and the program's second. In a program with threads this happens
 * only after some dozens of calls in a row found the same handler. If a thread sets another handler
 * at that very moment, the one before it may be in force for as long as a system call takes.
 */
void os_fault_watch(bool (*look)(const struct os_fault *fault));

/* From now on no handler is set: a seccomp filter may kill a process that asks for sigaction(2). */
void os_fault_settle(void);

#endif
