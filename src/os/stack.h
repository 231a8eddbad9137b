/* SPDX-License-Identifier: MIT */
/* Who called: return addresses, the dynamic loader, an interrupted thread below a handler. */
#ifndef OS_STACK_H
#define OS_STACK_H

#include "base/compiler.h"

/*
 * Saves the return addresses above the caller, innermost first, without the first `skip`; at most
 * max. Returns how many; 0 where there is no unwinder (musl).
 */
unsigned int os_stack_save(const void **frames, unsigned int max, unsigned int skip);

/*
 * Is the dynamic loader among the callers? The loader may hold locks of libc's that a new thread
 * needs. True also if that cannot be found out.
 */
bool os_called_by_loader(void);

/*
 * Does the calling thread run a signal handler? OS_UNSURE if its stack does not tell: on musl,
 * above code without unwind tables (made at run time by the program), on a coroutine's stack.
 */
enum os_answer { OS_NO, OS_YES, OS_UNSURE };
enum os_answer os_in_signal_handler(void);

#endif
