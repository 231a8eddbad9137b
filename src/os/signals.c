/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's signals. Not by libc's functions: a program may bring others of these
 * names, which do not work yet (ThreadSanitizer's).
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "os/os.h"

/* What libc itself calls, in glibc and in musl's archive; a program's own sigaction() may lock. */
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

static os_signals pending(void)
{
	os_signals set = 0;

	syscall(SYS_rt_sigpending, &set, sizeof(set));
	return set;
}

#define WRITE_SIGNALS (OS_SIGNAL(SIGPIPE) | OS_SIGNAL(SIGXFSZ))

void os_begin_writing(struct os_writing *writing)
{
	int saved_errno = errno;

	os_block_signals(WRITE_SIGNALS, &writing->blocked);
	writing->pending = pending();
	errno = saved_errno;
}

void os_end_writing(const struct os_writing *writing)
{
	static const struct timespec at_once;
	int saved_errno = errno;
	os_signals ours;

	while ((ours = pending() & WRITE_SIGNALS & ~writing->pending) &&
	       (syscall(SYS_rt_sigtimedwait, &ours, NULL, &at_once, sizeof(ours)) > 0 ||
		errno == EINTR))
		;
	os_restore_signals(&writing->blocked);
	errno = saved_errno;
}
