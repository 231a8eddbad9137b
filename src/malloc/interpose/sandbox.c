/* SPDX-License-Identifier: MIT */
/*
 * Calls of a preloaded program that need a process with one thread, or that begin a sandbox. The
 * library's background thread must not be in their way.
 *
 * unshare(2) and setns(2): the kernel refuses most kinds of namespaces to a process with several
 * threads. The background thread ends before the call and may be started again afterwards.
 *
 * prctl(2) with no_new_privs or seccomp: afterwards the process may be killed for making a thread,
 * so the background thread is not started any more. Nor does the library use the system call of
 * page/prefault.h, which filters of older programs do not know.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "os/background.h"
#include "os/os.h"
#include "os/report/process.h"
#include "os/signal/segv_handler.h"
#include "page/prefault.h"
#include "percpu/percpu.h"

/* libc may have macros of these names. */
#undef unshare
#undef setns
#undef prctl

/* Keeps errno, which only the interposed call may change. */
static void suspend(void)
{
	int saved_errno = errno;

	background_suspend();
	errno = saved_errno;
}

EXPORT int unshare(int flags)
{
	int result;

	suspend();
	result = (int)syscall(SYS_unshare, flags);
	background_resume();
	return result;
}

EXPORT int setns(int fd, int type)
{
	int result;

	suspend();
	result = (int)syscall(SYS_setns, fd, type);
	background_resume();
	return result;
}

/*
 * Nothing is to be done in a vfork() child, which sandboxes only itself. Limits and tables that the
 * library reads from files at first use are read now, before reading is forbidden.
 */
static void prepare_sandbox(void)
{
	if (atomic_load_relaxed(&percpu.bound.children) && !os_process_is_own())
		return;
	mapped_may_be_mapped();
	mapped_cache_forbid();
	background_forbid();
	prefault_forbid();
	os_doubt_discards();
	os_fault_settle();
	process_forbid_files();
	/* A running background thread would share the memory and not be under the filter. */
	suspend();
	background_resume();
}

EXPORT int prctl(int option, ...)
{
	unsigned long arguments[4];
	va_list rest;

	va_start(rest, option);
	for (unsigned int i = 0; i < ARRAY_SIZE(arguments); i++)
		arguments[i] = va_arg(rest, unsigned long);
	va_end(rest);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		prepare_sandbox();
	return (int)syscall(SYS_prctl, option, arguments[0], arguments[1], arguments[2],
			    arguments[3]);
}
