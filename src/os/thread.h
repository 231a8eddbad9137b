/* SPDX-License-Identifier: MIT */
/* The calling thread and its process. */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include "base/compiler.h"

/* The calling thread's number in the kernel (gettid(2)). */
int os_current_thread(void);
/* Has the calling thread a real-time or deadline policy? */
bool os_thread_is_realtime(void);
/*
 * Gives the calling thread SCHED_OTHER instead of a real-time or deadline policy, if the system
 * permits.
 */
void os_thread_make_ordinary(void);
/* The calling thread's name; at most 15 characters and a null byte. */
#define OS_NAME_BYTES 16
void os_thread_name(char name[OS_NAME_BYTES]);

/* Is there no other thread in the process? False if the system does not say. */
bool os_is_only_thread(void);

/* The process's number (getpid(2)). */
int os_current_process(void);
/* The process's page faults so far: all, and those that had to wait for a disk. */
void os_page_faults(unsigned long *all, unsigned long *major);

/*
 * Grows by one in each child of fork(). A thread that may leave something behind stores this number
 * with it. If the stored number differs later, the thread was the parent's, so it does not exist
 * here. Sync: written in the child before there are other threads.
 */
extern uint32_t os_fork_generation;
/*
 * Is this the process that called os_process_set_own() last: where the library came up, or a child
 * by fork()? False in a child by vfork(), which has the same memory, and after calls that run no
 * fork handlers (clone(2), _Fork()).
 */
bool os_process_is_own(void);
void os_process_set_own(void);

#endif
