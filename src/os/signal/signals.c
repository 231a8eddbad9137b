/* SPDX-License-Identifier: MIT */
/*
 * libc's functions are not used: a program may define functions of these names that do not work
 * yet (ThreadSanitizer's).
 */
#include "os/signal/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	int saved_errno = errno;

	*before = 0;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, before, sizeof(set));
	errno = saved_errno;
}

void os_restore_signals(const os_signals *before)
{
	int saved_errno = errno;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof(*before));
	errno = saved_errno;
}
