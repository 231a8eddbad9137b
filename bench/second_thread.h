/* SPDX-License-Identifier: MIT */
/* A second thread, pinned to its own CPU, which calls functions that it is given. */
#ifndef BENCH_SECOND_THREAD_H
#define BENCH_SECOND_THREAD_H

#include <stdbool.h>

/* The first call starts the thread. False if there is only one CPU. */
bool second_thread_available(void);

/* Has the other thread call function(arg). Wait before the next start. */
void second_thread_start(void (*function)(void *arg), void *arg);
void second_thread_wait(void);

static inline void second_thread_call(void (*function)(void *arg), void *arg)
{
	second_thread_start(function, arg);
	second_thread_wait();
}

#endif
