/* SPDX-License-Identifier: MIT */
/* Runs a function as a signal handler, now. */
#ifndef SUPPORT_HANDLER_H
#define SUPPORT_HANDLER_H

#include <signal.h>
#include <stddef.h>

static struct {
	void (*fn)(void *arg);
	void *arg;
} in_handler;

static void call_in_handler(int signal)
{
	(void)signal;
	in_handler.fn(in_handler.arg);
}

static inline void run_in_handler(void (*fn)(void *arg), void *arg)
{
	struct sigaction action = { .sa_handler = call_in_handler, .sa_flags = SA_ONSTACK };
	/*
	 * By a pointer, because the compiler believes that raise() changes no variable of this
	 * file.
	 */
	int (*volatile raise_it)(int) = raise;

	in_handler.fn = fn;
	in_handler.arg = arg;
	sigaction(SIGUSR1, &action, NULL);
	raise_it(SIGUSR1);
}

#endif
