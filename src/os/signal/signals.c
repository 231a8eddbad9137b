/* SPDX-License-Identifier: MIT */
/*
 * libc's functions are not used: a program may define functions of these names that do not work
 * yet (ThreadSanitizer's).
 */
#include "os/signal/signals.h"

#include <signal.h>

#include "base/system_call.h"

/*
 * The function that libc itself calls, in glibc and in musl's archive. A program's own sigaction()
 * may take locks.
 */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *old)
	__attribute__((__weak__));

int os_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	return __sigaction ? __sigaction(number, action, old) : sigaction(number, action, old);
}

void os_block_signals(os_signals set, os_signals *before)
{
	*before = 0;
	system_call(SYS_rt_sigprocmask, SIG_BLOCK, &set, before, sizeof(set));
}

void os_restore_signals(const os_signals *before)
{
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof(*before));
}
