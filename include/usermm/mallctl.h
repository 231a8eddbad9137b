/* SPDX-License-Identifier: MIT */
/*
 * mallctl(3) and its like, as jemalloc has them, for programs that ask their allocator by these
 * names. They are libusermm_malloc's alone: a program that is preloaded with it, and is linked with
 * jemalloc's shared library, gets the numbers of the allocator that it has. One whose jemalloc has
 * another prefix ("je_"), or is part of the program, asks that one.
 *
 * Semantics are those of jemalloc's manual (5.3). There is one arena, 0, which has all memory. A
 * program may create more: they are numbers, and nothing is ever in them. How many there are, and
 * 4096 (MALLCTL_ARENAS_ALL), stand for all. What jemalloc calls a bin is a size class here.
 *
 *	name			type		what it is here
 *	version			const char *	"usermm " and its version
 *	epoch			uint64_t	written: stats.* are read anew; how often that was
 *	background_thread	bool		background= is not off; nothing else can be written
 *	max_background_threads	size_t		1; nothing else can be written
 *	config.prof		bool		false
 *	config.stats		bool		true
 *	opt.background_thread	bool		as background_thread
 *	opt.narenas		unsigned	1
 *	opt.prof		bool		false
 *	opt.stats_print		bool		is the option stats= given?
 *	thread.arena		unsigned	0; writing one changes nothing
 *	thread.tcache.flush	-		nothing: threads keep no blocks
 *	tcache.create		unsigned	a number that no other has, up to 4094
 *	tcache.flush		unsigned	written: nothing
 *	tcache.destroy		unsigned	written: the number may be another's
 *	arenas.narenas		unsigned	1, and one more for each that was created
 *	arenas.create		unsigned	a new number, up to 4094; hooks have to be NULL
 *	arenas.nbins		unsigned	72
 *	arenas.bin.<i>.size	size_t		of an object
 *	arenas.bin.<i>.nregs	uint32_t	objects of a slab; 1 while there has been none
 *	arenas.page		size_t		4096: the allocator's pages
 *	arenas.quantum		size_t		16
 *	arena.<i>.initialized	bool		is the number one of arenas.narenas?
 *	arena.<i>.reset, .destroy	-	EFAULT: an arena's blocks are not known as such
 *	arena.<i>.purge		-		malloc_trim(0)
 *	arena.<i>.decay		-		malloc_trim(0): what is due goes by itself
 *	stats.allocated		size_t		allocated_bytes of struct usermm_stats
 *	stats.active		size_t		active_bytes
 *	stats.metadata		size_t		metadata_bytes
 *	stats.resident		size_t		resident_bytes, and not less than active
 *	stats.mapped		size_t		active and metadata
 *	stats.retained		size_t		released_bytes
 *	stats.arenas.<i>.pactive, .pdirty, .pmuzzy	size_t	pages: active_bytes; dirty_bytes and
 *							what is kept for the next blocks; 0
 *	stats.arenas.<i>.resident, .mapped, .retained	size_t	as above
 *	stats.arenas.<i>.small.allocated, .large.allocated	size_t	in objects; the rest
 *	stats.arenas.<i>.bins.<j>.curregs, .curslabs	size_t	objects that somebody has; slabs
 *
 * A size is in bytes. All other names are unknown: no function counts what single threads take.
 */
#ifndef USERMM_MALLCTL_H
#define USERMM_MALLCTL_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

/*
 * Reads the value to *oldp, if oldp and oldlenp are not NULL, and then writes *newp, if newp is not
 * NULL. stats.* are as they were at the last write to epoch, or at the first call. They take the
 * slab layer's locks one at a time, and never allocate; in a signal handler above a holder of such
 * a lock epoch leaves the numbers as they are, and purge does not wait.
 *
 * 0, or an errno value, which errno is not set to: ENOENT: there is no such name, or no such arena.
 * EINVAL: *oldlenp or newlen is not the value's size, or the new value cannot be; of the old one as
 * much as fits was read, and *oldlenp says how much. EPERM: it cannot be written; nor read, where
 * the type is "-", or it can only be written. EFAULT: there is no such thread cache, or arena, or
 * there are no numbers left for one; or it cannot be done. EAGAIN: an arena cannot be created.
 */
int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
	__attribute__((visibility("default")));
/*
 * Numbers for a name, for mallctlbymib(): *miblenp at most, then as many as there are. A name may
 * end before its last part. The number that an <i> became may be replaced by another one. The
 * numbers hold for this process. 0 or ENOENT.
 */
int mallctlnametomib(const char *name, size_t *mibp, size_t *miblenp)
	__attribute__((visibility("default")));
int mallctlbymib(const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp, void *newp,
		 size_t newlen) __attribute__((visibility("default")));
/*
 * What usermm_print_stats() prints, or with a 'J' in opts usermm_print_json(), in pieces by the
 * caller's function, or to stderr if that is NULL.
 */
void malloc_stats_print(void (*write_cb)(void *cbopaque, const char *text), void *cbopaque,
			const char *opts) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
