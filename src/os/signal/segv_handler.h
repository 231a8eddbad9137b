/* SPDX-License-Identifier: MIT */
/*
 * Accesses to inaccessible memory (SIGSEGV), seen before the program's own handler sees them.
 * os_fault_watch() (base/upward_hooks.h) says by whom.
 */
#ifndef OS_SIGNAL_SEGV_HANDLER_H
#define OS_SIGNAL_SEGV_HANDLER_H

#include "base/compiler.h"

struct os_fault {
	const void *address;
	const void *code;	/* the instruction */
	bool is_write;
};

/* From now on no handler is set: a seccomp filter may kill a process that asks for sigaction(2). */
void os_fault_settle(void);

#endif
