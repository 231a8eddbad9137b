/* SPDX-License-Identifier: MIT */
/* Signals for one thread: at intervals, or one at a time on request. */
#ifndef MALLOC_SIGNAL_TIMER_H
#define MALLOC_SIGNAL_TIMER_H

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "harness.h"
#include "support/system/sigevent.h"

/* Sends SIGPROF to the calling thread alone, from the first request on. */
static inline timer_t make_signal_timer(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGPROF,
		.sigev_notify_thread_id = (int)syscall(SYS_gettid),
	};
	timer_t timer;

	REQUIRE(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	return timer;
}

/* Each period. */
static inline timer_t start_signal_timer(long period_ns)
{
	struct itimerspec every = { { 0, period_ns }, { 0, period_ns } };
	timer_t timer = make_signal_timer();

	REQUIRE(!timer_settime(timer, 0, &every, NULL));
	return timer;
}

/*
 * Requests one signal. A handler may request the next one at its end: if signals came at intervals
 * shorter than the handler, the thread would do nothing but handle them. A fork child has no timer.
 */
static inline void ask_for_signal(timer_t timer, long delay_ns)
{
	struct itimerspec once = { { 0, 0 }, { 0, delay_ns } };

	timer_settime(timer, 0, &once, NULL);
}

#endif
