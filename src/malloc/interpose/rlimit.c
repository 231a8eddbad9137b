/* SPDX-License-Identifier: MIT */
/*
 * setrlimit(2) and prlimit(2), with which a preloaded program limits its own address space.
 *
 * The window is a reservation as large as most of the machine's memory. The kernel counts all of it
 * against RLIMIT_AS at once. So there would be no room for other mappings or a thread's stack. And
 * malloc() would have no limit, since memory that comes online in a reservation is not counted.
 * From the call on, the free part of the window is no longer reserved, and memory that comes online
 * counts. Under RLIMIT_DATA what is online counts anyway, but free memory makes room.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/system_call.h"
#include "malloc/mapped/mapped.h"
#include "os/os.h"
#include "page/zone.h"

/* libc may have macros of these names. */
#undef setrlimit
#undef prlimit
#undef setrlimit64
#undef prlimit64

#ifdef __GLIBC__
typedef __rlimit_resource_t rlimit_resource;
#else
typedef int rlimit_resource;
#endif

static void make_room(void)
{
	int saved_errno = errno;

	page_read_limits();
	page_make_address_space(SIZE_MAX);
	errno = saved_errno;
}

static int set_and_get(pid_t pid, rlimit_resource resource, const struct rlimit *new,
		       struct rlimit *old)
{
	int result = (int)system_call_set_errno(system_call(SYS_prlimit64, pid, resource, new,
							    old));

	/*
	 * *new is not read: it may be *old as well. A vfork() child limits only itself, and its
	 * next program.
	 */
	if (result || !new || (pid && pid != os_current_process()) ||
	    (resource != RLIMIT_AS && resource != RLIMIT_DATA) || !os_process_is_own())
		return result;
	os_renew_limits();
	mapped_limits_changed();
	make_room();
	return result;
}

EXPORT int setrlimit(rlimit_resource resource, const struct rlimit *limit)
{
	return set_and_get(0, resource, limit, NULL);
}

EXPORT int prlimit(pid_t pid, rlimit_resource resource, const struct rlimit *new,
		   struct rlimit *old)
{
	return set_and_get(pid, resource, new, old);
}

#ifdef __GLIBC__
/* glibc's other names. All numbers have 64 bits here, so the structures are one. */
_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64), "rlimit has 64 bits");

EXPORT int setrlimit64(rlimit_resource resource, const struct rlimit64 *limit)
{
	return set_and_get(0, resource, (const struct rlimit *)limit, NULL);
}

EXPORT int prlimit64(pid_t pid, rlimit_resource resource, const struct rlimit64 *new,
		     struct rlimit64 *old)
{
	return set_and_get(pid, resource, (const struct rlimit *)new, (struct rlimit *)old);
}
#endif
