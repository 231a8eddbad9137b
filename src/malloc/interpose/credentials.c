/* SPDX-License-Identifier: MIT */
/*
 * setuid() and its like of a preloaded program.
 *
 * Linux keeps user ids for each thread, and libc makes all threads call. The library's own thread
 * has no rights (os/rights.c), so it would be refused where the program is not, and libc ends a
 * process whose threads differ. So the thread ends before such a call. One that comes later has the
 * new ids.
 *
 * A static program has these functions of its own, so these are in the shared library alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <unistd.h>

#include "base/compiler.h"
#include "os/background.h"
#include "os/rights.h"
#include "percpu/vfork.h"

/* Returns whether there was a thread. A vfork() child does not have its parent's. */
static bool suspend(void)
{
	return !percpu_in_vfork_child() && background_suspend();
}

static void resume(bool had_thread)
{
	if (!percpu_in_vfork_child())
		background_resume_and_go_on(had_thread);
}

/* Defines the function: libc's, or whose is next, with the thread away. */
#define WITHOUT_THREAD(name, parameters, ...)					\
	EXPORT int (name)parameters						\
	{									\
		int (*next)parameters =						\
			(int (*)parameters)(uintptr_t)dlsym(RTLD_NEXT, #name);	\
		bool had_thread;						\
		int result;							\
										\
		if (!next) {							\
			errno = ENOSYS;						\
			return -1;						\
		}								\
		had_thread = suspend();						\
		result = next(__VA_ARGS__);					\
		resume(had_thread);						\
		return result;							\
	}

WITHOUT_THREAD(setuid, (uid_t uid), uid)
WITHOUT_THREAD(setgid, (gid_t gid), gid)
WITHOUT_THREAD(seteuid, (uid_t uid), uid)
WITHOUT_THREAD(setegid, (gid_t gid), gid)
WITHOUT_THREAD(setreuid, (uid_t real, uid_t effective), real, effective)
WITHOUT_THREAD(setregid, (gid_t real, gid_t effective), real, effective)
WITHOUT_THREAD(setresuid, (uid_t real, uid_t effective, uid_t saved), real, effective, saved)
WITHOUT_THREAD(setresgid, (gid_t real, gid_t effective, gid_t saved), real, effective, saved)
WITHOUT_THREAD(setgroups, (size_t nr, const gid_t *groups), nr, groups)
WITHOUT_THREAD(initgroups, (const char *user, gid_t group), user, group)

/* Another library or the program may have functions of these names in front of these. */
extern __typeof__(setuid) own_setuid ATTRIBUTES_OF(setuid)
	__attribute__((__alias__("setuid"), __visibility__("hidden")));
extern __typeof__(setresuid) own_setresuid ATTRIBUTES_OF(setresuid)
	__attribute__((__alias__("setresuid"), __visibility__("hidden")));

__attribute__((constructor(101))) static void note_who_is_first(void)
{
	__typeof__(setuid) *first = setuid, *own = own_setuid;
	__typeof__(setresuid) *other_first = setresuid, *other_own = own_setresuid;

	/* The compiler believes that an alias has the same address. */
	__asm__("" : "+r"(first), "+r"(own), "+r"(other_first), "+r"(other_own));
	if (first == own && other_first == other_own)
		rights_changes_are_seen();
}
