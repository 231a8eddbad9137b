/* SPDX-License-Identifier: MIT */
/*
 * setuid() and its like of a preloaded program.
 *
 * Linux keeps user ids for each thread, so libc makes all threads call setuid(). The library's own
 * thread has no rights (os/rights.c), so it would be refused where the program is not, and libc
 * ends a process whose threads differ. So the thread ends before such a call. One that comes later
 * has the new ids.
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

/* Calls the next function of that name, mostly libc's, while there is no background thread. */
#define CALL_WITHOUT_THREAD(name, ...)						\
	({									\
		__typeof__(&(name)) next_ =					\
			(__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name); \
		bool had_thread_ = suspend();					\
		int result_ = -1;						\
										\
		if (next_)							\
			result_ = next_(__VA_ARGS__);				\
		else								\
			errno = ENOSYS;						\
		resume(had_thread_);						\
		result_;							\
	})

/* libc may have macros of these names. */
#undef setuid
#undef setgid
#undef seteuid
#undef setegid
#undef setreuid
#undef setregid
#undef setresuid
#undef setresgid
#undef setgroups
#undef initgroups

EXPORT int setuid(uid_t uid)
{
	return CALL_WITHOUT_THREAD(setuid, uid);
}

EXPORT int setgid(gid_t gid)
{
	return CALL_WITHOUT_THREAD(setgid, gid);
}

EXPORT int seteuid(uid_t uid)
{
	return CALL_WITHOUT_THREAD(seteuid, uid);
}

EXPORT int setegid(gid_t gid)
{
	return CALL_WITHOUT_THREAD(setegid, gid);
}

EXPORT int setreuid(uid_t real, uid_t effective)
{
	return CALL_WITHOUT_THREAD(setreuid, real, effective);
}

EXPORT int setregid(gid_t real, gid_t effective)
{
	return CALL_WITHOUT_THREAD(setregid, real, effective);
}

EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return CALL_WITHOUT_THREAD(setresuid, real, effective, saved);
}

EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
	return CALL_WITHOUT_THREAD(setresgid, real, effective, saved);
}

EXPORT int setgroups(size_t nr, const gid_t *groups)
{
	return CALL_WITHOUT_THREAD(setgroups, nr, groups);
}

EXPORT int initgroups(const char *user, gid_t group)
{
	return CALL_WITHOUT_THREAD(initgroups, user, group);
}

/* Another library or the program may have functions of these names in front of these. */
extern __typeof__(setuid) own_setuid ATTRIBUTES_OF(setuid)
	__attribute__((__alias__("setuid"), __visibility__("hidden")));
extern __typeof__(setresuid) own_setresuid ATTRIBUTES_OF(setresuid)
	__attribute__((__alias__("setresuid"), __visibility__("hidden")));

__attribute__((constructor(101))) static often_called void note_who_is_first(void)
{
	__typeof__(setuid) *first = setuid, *own = own_setuid;
	__typeof__(setresuid) *other_first = setresuid, *other_own = own_setresuid;

	/* The compiler believes that an alias has the same address. */
	__asm__("" : "+r"(first), "+r"(own), "+r"(other_first), "+r"(other_own));
	if (first == own && other_first == other_own)
		rights_changes_are_seen();
}
