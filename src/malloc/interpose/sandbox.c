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

#include "base/system_call.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "os/background.h"
#include "os/machine/cgroup.h"
#include "os/os.h"
#include "os/report/process.h"
#include "os/signal/segv_handler.h"
#include "page/prefault.h"
#include "page/reclaim/pressure.h"
#include "percpu/vfork.h"

/* libc may have macros of these names. */
#undef unshare
#undef setns
#undef prctl

/* A system call without the thread. A vfork() child does not have it. */
static long call_alone(long number, long first, long second)
{
	bool is_alone = percpu_in_vfork_child();
	long result;

	if (!is_alone)
		background_suspend();
	result = system_call(number, first, second);
	if (!is_alone)
		background_resume();
	return result;
}

EXPORT int unshare(int flags)
{
	if (flags & CLONE_NEWCGROUP && !percpu_in_vfork_child())
		os_cgroup_settle();
	return (int)system_call_set_errno(call_alone(SYS_unshare, flags, 0));
}

EXPORT int setns(int fd, int type)
{
	return (int)system_call_set_errno(call_alone(SYS_setns, fd, type));
}

/*
 * Nothing is to be done in a vfork() child, which sandboxes only itself. Limits and tables that the
 * library reads from files at first use are read now, before reading is forbidden.
 */
static void prepare_sandbox(void)
{
	if (percpu_in_vfork_child())
		return;
	mapped_may_be_mapped();
	mapped_cache_forbid();
	background_forbid();
	prefault_forbid();
	os_doubt_discards();
	os_fault_settle();
	process_forbid_files();
	/* A running background thread would share the memory and not be under the filter. */
	background_suspend();
	background_resume();
	pressure_forget();
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
	return (int)system_call_set_errno(system_call(SYS_prctl, option, arguments[0], arguments[1],
						      arguments[2], arguments[3]));
}
