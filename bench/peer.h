/* SPDX-License-Identifier: MIT */
/* A second thread, pinned to its own CPU, which calls functions that it is given. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>

/* The first call starts the thread. False if there is only one CPU. */
bool peer_available(void);

/* Has the other thread call function(arg). Wait before the next start. */
void peer_start(void (*function)(void *arg), void *arg);
void peer_wait(void);

static inline void peer_call(void (*function)(void *arg), void *arg)
{
	peer_start(function, arg);
	peer_wait();
}

#endif
