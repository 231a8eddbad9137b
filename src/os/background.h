/* SPDX-License-Identifier: MIT */
/*
 * The one thread that the library has of its own, for work that nobody should wait for.
 *
 * It is created when there is work, with no lock held and all signals blocked, ends when
 * there has been none for a while or the library is unloaded, and is not there in a fork
 * child until there is work again. A signal handler does not create it, for it must not call
 * pthread_create(); nor does a thread in which a signal is blocked and whose stack does not
 * tell whether that is one. Where the system refuses threads it is asked once a second. It
 * never has a real-time policy. background_set_work() (base/upward_hooks.h) says what it does.
 */
#ifndef OS_BACKGROUND_H
#define OS_BACKGROUND_H

#include "base/compiler.h"

/* Of two times as work answers them, the sooner; 0 is none. */
static inline unsigned int background_sooner(unsigned int one_ms, unsigned int other_ms)
{
	return one_ms && other_ms ? min(one_ms, other_ms) : one_ms + other_ms;
}

/* There is work. From any context; if the thread cannot be created now, nothing happens. */
void background_wake(void);

/* Is there a thread, or is one being made? */
bool background_is_running(void);

/*
 * The thread ends and is waited for, and none is created until background_resume(): the process
 * is about to do what one with threads may not, the code to be unloaded, or the process ends. May
 * nest, and overlap in several threads. Who holds a lock, or is a signal handler above a holder,
 * does not wait: the thread may be waiting for that lock.
 */
void background_suspend(void);
void background_resume(void);
/* The same for good: the library goes. */
void background_unload(void);
/* From here on none is created; one that is there ends when it has nothing to do. */
void background_forbid(void);

/* In the child of fork(). */
void background_fork_child(void);

#endif
