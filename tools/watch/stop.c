// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watch/stop.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

/* Sync: set by the signal handler, read by the only thread. */
static volatile sig_atomic_t came;
/* The signals that were blocked before. They are those during a wait. */
static sigset_t others;

static void note(int signal)
{
	(void)signal;
	came = 1;
}

void stop_on_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = note };
	struct sigaction old;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN) {
			sigaction(signals[i], &action, NULL);
			sigaddset(&set, signals[i]);
		}
	sigprocmask(SIG_BLOCK, &set, &others);
}

bool stopped(void)
{
	return came;
}

int stop_poll(struct pollfd *files, unsigned int nr, double seconds)
{
	struct timespec time = { .tv_sec = seconds > 0 ? (time_t)seconds : 0 };

	if (seconds > 0)
		time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
	return ppoll(files, nr, &time, &others);
}
