/* SPDX-License-Identifier: MIT */
/*
 * Calls of a preloaded program that are for processes with one thread, or are the beginning
 * of a sandbox: the library's own thread is not to stand in their way.
 *
 * The kernel refuses unshare(2) and setns(2) with most kinds of namespaces to a process with
 * threads: ours ends before and may come again afterwards. A process that shuts itself off
 * (no_new_privs, seccomp) may be killed for making a thread later: ours is not made any more. Nor
 * is memory made present by a call that filters of older programs do not know (page/prefault.h).
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "base/system_call.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "os/background.h"
#include "os/os.h"
#include "os/report/process.h"
#include "os/signal/segv_handler.h"
#include "page/prefault.h"
#include "percpu/percpu.h"

/* errno is the call's, and if it succeeds the program's. */
static void suspend(void)
{
	int saved_errno = errno;

	background_suspend();
	errno = saved_errno;
}

EXPORT int (unshare)(int flags)
{
	int result;

	suspend();
	result = (int)system_call_set_errno(system_call(SYS_unshare, flags));
	background_resume();
	return result;
}

EXPORT int (setns)(int fd, int type)
{
	int result;

	suspend();
	result = (int)system_call_set_errno(system_call(SYS_setns, fd, type));
	background_resume();
	return result;
}

/*
 * What a child does that shares this memory, and is about to be another program, is its own. What
 * is read from files when it is wanted for the first time is read before that is forbidden.
 */
static void prepare_sandbox(void)
{
	if (atomic_load_relaxed(&percpu.bound.children) && !os_process_is_own())
		return;
	mapped_may_be_mapped();
	mapped_cache_forbid();
	background_forbid();
	prefault_forbid();
	os_fault_settle();
	process_forbid_files();
	/* One that is there would not be under the filter, and in the same memory. */
	suspend();
	background_resume();
}

EXPORT int (prctl)(int option, ...)
{
	unsigned long arguments[4];
	va_list rest;

	va_start(rest, option);
	for (unsigned int i = 0; i < ARRAY_SIZE(arguments); i++)
		arguments[i] = va_arg(rest, unsigned long);
	va_end(rest);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		prepare_sandbox();
	return (int)system_call_set_errno(system_call(SYS_prctl, option, arguments[0], arguments[1],
						      arguments[2], arguments[3]));
}
