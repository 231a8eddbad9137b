/* SPDX-License-Identifier: MIT */
/*
 * The library's one thread, for work that nobody should wait for.
 *
 * It is created when there is work, with no lock held and all signals blocked. It ends when there
 * has been no work for a while or the library is unloaded. A fork child has no such thread until
 * there is work again. After background_stay() (base/upward_hooks.h) it does not end for want of
 * work, and sleeps without a limit then.
 *
 * A signal handler does not create the thread, for it must not call pthread_create(). Nor does a
 * thread that may be in a handler: its stack does not tell, and it blocks a signal or runs on an
 * alternate stack. If the system refuses a thread, it is asked again once a second. The thread
 * never has a real-time policy. background_set_work() (base/upward_hooks.h) sets its work.
 */
#ifndef OS_BACKGROUND_H
#define OS_BACKGROUND_H

#include <stdint.h>

#include "base/compiler.h"

/*
 * The thread's stack. libc's default would be a large part of a small RLIMIT_AS or RLIMIT_DATA, and
 * libc keeps the stacks of threads that have ended.
 */
#define BACKGROUND_STACK_BYTES (128 * KIB)

/* The sooner of two results of `work`; 0 means none. */
static inline unsigned int background_sooner(unsigned int one_ms, unsigned int other_ms)
{
	return one_ms && other_ms ? min(one_ms, other_ms) : one_ms + other_ms;
}

/*
 * Says that there is work. From any context; if the thread cannot be created now, nothing happens.
 */
void background_wake(void);

/*
 * The number of requests for work, on which the thread sleeps by futex(2), and whether it does so.
 * Tools outside the process read both, and wake the thread (stats/control_request.h). Sync: atomic
 */
extern uint32_t background_requests, background_sleeping;

/* Is there a thread, or is one being made? */
bool background_is_running(void);

/*
 * Ends the thread and waits for it. None is created until background_resume(). For a process that
 * is about to do what a process with threads must not do, for code about to be unloaded, and for
 * the process's end. Calls may nest, and overlap in several threads. A thread that holds a lock
 * does not wait, nor does a signal handler that interrupted a holder: the background thread may be
 * waiting for that lock. Returns whether there was a thread.
 */
bool background_suspend(void);
void background_resume(void);
/*
 * As background_resume(), where the process goes on as before: if there was a thread, another one
 * is made for its work.
 */
void background_resume_and_go_on(bool was_running);
/* Like background_suspend(), for good: the library is unloaded. */
void background_unload(void);
/* No thread is created from now on. One that exists ends when it has nothing to do. */
void background_forbid(void);
bool background_is_forbidden(void);

/*
 * Before fork(), with no lock held: in a program without threads of its own the thread ends.
 * Such a program may count its threads right after fork(), as CPython does, and warn if there are
 * two. The thread comes again when memory is freed or allocated some time later. After
 * background_stay() the thread does not end here.
 */
void background_fork_prepare(void);
/* In the child of fork(): there is no thread. Comes before the child has its locks back. */
void background_fork_child(void);
/* Creates the thread again if background_stay() was called. The caller holds no lock. */
void background_come_back(void);

#endif
