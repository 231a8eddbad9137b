/* SPDX-License-Identifier: MIT */
/* A function as the handler of a signal that comes at this very moment. */
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
	/* Of raise() itself the compiler believes that it touches nothing of this file's. */
	int (*volatile raise_it)(int) = raise;

	in_handler.fn = fn;
	in_handler.arg = arg;
	sigaction(SIGUSR1, &action, NULL);
	raise_it(SIGUSR1);
}

#endif
