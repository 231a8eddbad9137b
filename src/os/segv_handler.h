/* SPDX-License-Identifier: MIT */
/*
 * Accesses to memory that cannot be touched (SIGSEGV), seen before the program's own handler
 * sees them. os_fault_watch() (base/upward_hooks.h) says who does.
 */
#ifndef OS_SEGV_HANDLER_H
#define OS_SEGV_HANDLER_H

#include "base/compiler.h"

struct os_fault {
	const void *address;
	const void *code;	/* the instruction */
	bool is_write;
};

/* From now on the handler stays as it is: a filter may end who asks for it. */
void os_fault_settle(void);

#endif
