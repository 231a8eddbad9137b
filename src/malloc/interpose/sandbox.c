/* SPDX-License-Identifier: MIT */
/*
 * Calls of a preloaded program that need a process with one thread, or that begin a sandbox. The
 * library's background thread must not be in their way.
 *
 * unshare(2) and setns(2): the kernel refuses most kinds of namespaces to a process with several
 * threads. The background thread ends before the call and may be started again afterwards.
 *
 * prctl(2) with no_new_privs or seccomp: afterwards the process may be killed for making a thread,
 * so the background thread is not started any more. Programs permit the system calls that they saw
 * libc's malloc() make: mmap(2), munmap(2) and mremap(2). So malloc() makes no others afterwards,
 * by default. Threads that wait for each other need futex(2), hardened=1 needs mprotect(2), and
 * kfence_sample= needs more.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "base/system_call.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "malloc/size_classes.h"
#include "os/background.h"
#include "os/machine/cgroup.h"
#include "os/os.h"
#include "os/report/process.h"
#include "os/signal/segv_handler.h"
#include "page/prefault.h"
#include "page/reclaim/pressure.h"
#include "page/reclaim/release.h"
#include "page/zone.h"
#include "percpu/remote.h"
#include "percpu/vfork.h"

/* libc may have macros of these names. */
#undef unshare
#undef setns
#undef prctl

/*
 * A thread's number is free a little before the kernel has one thread less. So a call that was
 * refused is made again, for about a millisecond: it has had no effect.
 */
#define REFUSED_CALLS 20
#define REFUSED_POLL_US 50

/*
 * Makes a system call while there is no background thread. A vfork() child has none, and leaves
 * its parent's alone.
 */
static long call_alone(long number, long first, long second)
{
	long result;

	if (percpu_in_vfork_child())
		return system_call(number, first, second);
	background_suspend();
	result = system_call(number, first, second);
	for (unsigned int i = 0; result == -EINVAL && !background_is_forbidden() &&
	     i < REFUSED_CALLS; i++) {
		os_sleep_us(REFUSED_POLL_US);
		result = system_call(number, first, second);
	}
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
 * Memory comes and goes by mmap(2) alone. A new mapping has lost its memory policy, and is no view
 * of shared memory: where there may be either, the calls stay as they were.
 */
static void avoid_system_calls(void)
{
	os_remember_limits();
	percpu_forbid_restart();
	prefault_forbid();
	if (nr_online_nodes <= 1 && !mm_has_views())
		os_map_alone();
	else
		os_doubt_discards();
}

/*
 * Nothing is to be done in a vfork() child, which sandboxes only itself. The library comes up now,
 * and reads limits and tables, before this is forbidden.
 */
static void prepare_sandbox(void)
{
	if (percpu_in_vfork_child())
		return;
	classes_init();
	mapped_may_be_mapped();
	mapped_cache_forbid();
	background_forbid();
	avoid_system_calls();
	os_fault_settle();
	process_forbid_files();
	/* A running background thread would share the memory and not be under the filter. */
	background_suspend();
	background_resume();
	pressure_forget();
}

/*
 * In the strictest sandbox (SECCOMP_MODE_STRICT) the process may only read, write and end. malloc()
 * and free() go on with the memory that the library has, and give none back to the system.
 */
static long begin_strict_sandbox(const unsigned long *arguments)
{
	bool is_alone = percpu_in_vfork_child();
	long result;

	if (!is_alone)
		release_forbid(true);
	result = system_call(SYS_prctl, PR_SET_SECCOMP, arguments[0], arguments[1], arguments[2],
			     arguments[3]);
	if (result && !is_alone)
		release_forbid(false);
	return result;
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
	if (option == PR_SET_SECCOMP && arguments[0] == SECCOMP_MODE_STRICT)
		return (int)system_call_set_errno(begin_strict_sandbox(arguments));
	return (int)system_call_set_errno(system_call(SYS_prctl, option, arguments[0], arguments[1],
						      arguments[2], arguments[3]));
}
