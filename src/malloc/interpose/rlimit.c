/* SPDX-License-Identifier: MIT */
/*
 * Calls by which a preloaded program limits its own addresses.
 *
 * The window is a reservation then, most of the machine's memory large. The kernel counts all
 * of it at once, so there would be no room for anybody's mapping, or a thread's stack; and what
 * is brought online inside it is not counted any more, so malloc() would have no limit. From
 * the call on what is free is no longer reserved, and what is brought online counts.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/system_call.h"
#include "malloc/mapped/mapped_cache.h"
#include "os/os.h"
#include "page/zone.h"

#ifdef __GLIBC__
typedef __rlimit_resource_t rlimit_resource;
#else
typedef int rlimit_resource;
#endif

/*
 * First the reservation goes, then free sections; once, since other threads may free and take such
 * for ever.
 */
static void make_room(void)
{
	int saved_errno = errno;

	if (page_make_address_space(SIZE_MAX))
		page_make_address_space(SIZE_MAX);
	errno = saved_errno;
}

static int set_and_get(pid_t pid, rlimit_resource resource, const struct rlimit *new,
		       struct rlimit *old)
{
	int result = (int)system_call_set_errno(system_call(SYS_prlimit64, pid, resource, new,
							    old));

	/*
	 * Not by what *new says: it may be *old as well. What a child does that shares this memory
	 * is its own, until it is another program.
	 */
	if (result || !new || (pid && pid != os_current_process()) ||
	    (resource != RLIMIT_AS && resource != RLIMIT_DATA) || !os_process_is_own())
		return result;
	mapped_cache_forbid();
	if (resource == RLIMIT_AS)
		make_room();
	return result;
}

EXPORT int (setrlimit)(rlimit_resource resource, const struct rlimit *limit)
{
	return set_and_get(0, resource, limit, NULL);
}

EXPORT int (prlimit)(pid_t pid, rlimit_resource resource, const struct rlimit *new,
		   struct rlimit *old)
{
	return set_and_get(pid, resource, new, old);
}

#ifdef __GLIBC__
/* The other names of the same: all numbers here have 64 bits. */
_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64), "they are one");

EXPORT int (setrlimit64)(rlimit_resource resource, const struct rlimit64 *limit)
	__attribute__((__alias__("setrlimit")));
EXPORT int (prlimit64)(pid_t pid, rlimit_resource resource, const struct rlimit64 *new,
		     struct rlimit64 *old) __attribute__((__alias__("prlimit")));
#endif
