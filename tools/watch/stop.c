// SPDX-License-Identifier: MIT
#include "watch/stop.h"

#include <signal.h>
#include <stddef.h>

/* Sync: set by the signal handler, read by the only thread. */
static volatile sig_atomic_t came;

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

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

bool stopped(void)
{
	return came;
}
