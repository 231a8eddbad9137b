/* SPDX-License-Identifier: MIT */
/*
 * Limits that others set: the memory cgroup and its parents, RLIMIT_AS, RLIMIT_DATA. They may
 * change while the process runs.
 *
 * While memory is taken from the system, two questions are asked ten times a second:
 *
 *	what are the limits?	The budget and the zones' marks follow, up and down.
 *	how near is the cgroup	Near its limit, free memory goes back to the system before more is
 *	to its limit?		taken: first free blocks, then what CPUs, caches and mappings keep.
 *
 * The second question is asked sooner if half of what was left has been taken meanwhile.
 *
 * "Near" means that less is left than the request and a sixteenth of the limit (4 to 64 MiB). All
 * memory that the kernel counts for the cgroup counts here, whoever uses it. The exception is
 * cached files that nobody has used for a while. memory.high counts like a limit, but not for the
 * budget: beyond it the kernel slows the process down and refuses nothing.
 *
 * The time is looked at when 4 MiB of pages without memory were handed out (limits_left), when a
 * mapping is made, and when no zone has enough pages. A process that takes no memory never looks.
 * Requests that may wait look in their slow path, with no lock held. One thread at a time looks;
 * others go on meanwhile. No request is refused because the cgroup is near its limit: only the
 * budget refuses.
 *
 * Nothing is read in a process that has locked itself down by prctl(2), since a seccomp filter
 * might kill it for opening a file (process_forbid_files()).
 */
#ifndef PAGE_RECLAIM_LIMITS_H
#define PAGE_RECLAIM_LIMITS_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "os/machine/cgroup.h"

/* For how many milliseconds an answer is used. Sync: tests write it before there are threads */
extern unsigned int limits_known_ms;

/* Pages that may be taken from the system before somebody looks. Sync: atomic relaxed */
extern long limits_left;

/*
 * Was the cgroup near its limit when somebody last looked? Then no page is touched before it is
 * needed. Sync: atomic relaxed
 */
extern bool limits_are_near;

/* Counts pages that are about to need memory: they leave the free lists, or are mapped. */
static inline void limits_take(unsigned long pages)
{
	if (pages)
		atomic_add_relaxed(&limits_left, -(long)pages);
}

static inline bool limits_are_due(void)
{
	return unlikely(atomic_load_relaxed(&limits_left) <= 0);
}

/*
 * Looks, if it is time for it; a request for `bytes` bytes follows. Does nothing where it must not
 * wait or give memory back: with a lock held, in reclaim, in a vfork() child.
 */
void limits_look(size_t bytes) slow_path;

/* For a mapping of so many bytes that is about to be made: looks if limits are due. */
static inline void limits_before_mapping(size_t bytes)
{
	limits_take(bytes >> 12);
	if (limits_are_due())
		limits_look(bytes);
}

/* For reports: follows limits that have changed, and gives nothing back. */
void limits_refresh(void);

/* os_cgroup_open_stall(), unless another thread is looking. */
int limits_open_stall(enum os_cgroup_stall *kind);

/* What was done so far. Sync: atomic relaxed */
struct limits_counts {
	unsigned long followed;		/* how often limits were read */
	unsigned long asked;		/* how often the cgroup's usage was read */
	unsigned long near;		/* how often the cgroup was near its limit */
	unsigned long trimmed;		/* how often all that is kept was given back for it */
	unsigned long stalled;		/* how often, because the cgroup stalled (pressure.h) */
};
extern struct limits_counts limits_counts;

#endif
