/* SPDX-License-Identifier: MIT */
/* Signals that come again and again, for one thread. */
#ifndef MALLOC_SIGNAL_TIMER_H
#define MALLOC_SIGNAL_TIMER_H

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "harness.h"
#include "support/sigevent.h"

/* SIGPROF for the calling thread alone. */
static inline timer_t start_signal_timer(long period_ns)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGPROF,
		.sigev_notify_thread_id = (int)syscall(SYS_gettid),
	};
	struct itimerspec every = { { 0, period_ns }, { 0, period_ns } };
	timer_t timer;

	REQUIRE(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	REQUIRE(!timer_settime(timer, 0, &every, NULL));
	return timer;
}

#endif
