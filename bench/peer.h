/* SPDX-License-Identifier: MIT */
/* A second thread, pinned to a CPU of its own, that executes what it is given. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>

/* Starts the thread at the first call; false if there is only one CPU. */
bool peer_available(void);

/* Lets the other thread execute function(arg); one at a time. */
void peer_start(void (*function)(void *arg), void *arg);
void peer_wait(void);

static inline void peer_call(void (*function)(void *arg), void *arg)
{
	peer_start(function, arg);
	peer_wait();
}

#endif
