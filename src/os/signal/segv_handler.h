/* SPDX-License-Identifier: MIT */
/*
 * Accesses to memory that cannot be touched (SIGSEGV), seen before the program's own handler
 * sees them.
 */
#ifndef OS_SIGNAL_SEGV_HANDLER_H
#define OS_SIGNAL_SEGV_HANDLER_H

#include "base/compiler.h"

struct os_fault {
	const void *address;
	const void *code;	/* the instruction */
	bool is_write;
};

/*
 * look() is called for every such access, in the thread that made it. If it returns true the
 * access is made once more; else it is the program's, as if nobody had looked. May be called
 * again, and has to be if the program has set a handler meanwhile, which then comes second. In a
 * program with threads it does so once it was there at some dozens of these calls in a row. If a
 * thread sets another at the very moment, the one before it may be in force for as long as a system
 * call takes.
 */
void os_fault_watch(bool (*look)(const struct os_fault *fault));

/* From now on the handler stays as it is: a filter may end who asks for it. */
void os_fault_settle(void);

#endif
