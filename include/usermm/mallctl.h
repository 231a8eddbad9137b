/* SPDX-License-Identifier: MIT */
/*
 * jemalloc's mallctl(3) and related calls, for programs that query their allocator by these names.
 * Only libusermm_malloc has them. If it is preloaded into a program that is linked with jemalloc's
 * shared library, the calls describe usermm's heap. A program whose jemalloc has a prefix ("je_")
 * or is linked statically asks that jemalloc.
 *
 * Semantics are those of jemalloc's manual (5.3). One arena, number 0, has all memory. A program
 * may create more arenas, but they are only numbers and stay empty. The index equal to the number
 * of arenas, and 4096 (MALLCTL_ARENAS_ALL), stand for all arenas. jemalloc's bins are size classes
 * here.
 *
 *	name			type		meaning in usermm
 *	version			const char *	"usermm " and its version
 *	epoch			uint64_t	a write renews stats.*; the value is the number of
 *						renewals
 *	background_thread	bool		true unless background=off; only this value
 *						can be written
 *	max_background_threads	size_t		1; only this value can be written
 *	config.prof		bool		false
 *	config.stats		bool		true
 *	opt.background_thread	bool		as background_thread
 *	opt.narenas		unsigned	1
 *	opt.prof		bool		false
 *	opt.stats_print		bool		is the option stats= given?
 *	thread.arena		unsigned	0; a write changes nothing
 *	thread.tcache.flush	-		no effect: threads keep no blocks
 *	tcache.create		unsigned	an unused number, up to 4094
 *	tcache.flush		unsigned	a write has no effect
 *	tcache.destroy		unsigned	a write frees the number for tcache.create
 *	arenas.narenas		unsigned	1 + the number of created arenas
 *	arenas.create		unsigned	a new number, up to 4094; hooks must be NULL
 *	arenas.nbins		unsigned	72
 *	arenas.bin.<i>.size	size_t		size of an object
 *	arenas.bin.<i>.nregs	uint32_t	objects in a slab; 1 before the first slab exists
 *	arenas.page		size_t		4096: the allocator's page size
 *	arenas.quantum		size_t		16
 *	arena.<i>.initialized	bool		is there an arena of this number?
 *	arena.<i>.reset, .destroy	-	EFAULT: blocks do not belong to single arenas
 *	arena.<i>.purge		-		malloc_trim(0)
 *	arena.<i>.decay		-		malloc_trim(0); decay that is due happens by itself
 *	stats.allocated		size_t		allocated_bytes of struct usermm_stats
 *	stats.active		size_t		active_bytes
 *	stats.metadata		size_t		metadata_bytes
 *	stats.resident		size_t		resident_bytes, at least stats.active
 *	stats.mapped		size_t		stats.active + stats.metadata
 *	stats.retained		size_t		released_bytes
 *	stats.arenas.<i>.pactive	size_t	active_bytes, in pages
 *	stats.arenas.<i>.pdirty		size_t	dirty_bytes + pcp_bytes + large_kept_bytes,
 *						in pages
 *	stats.arenas.<i>.pmuzzy		size_t	0
 *	stats.arenas.<i>.resident, .mapped, .retained	size_t	as above
 *	stats.arenas.<i>.small.allocated	size_t	bytes in use in objects of caches
 *	stats.arenas.<i>.large.allocated	size_t	all other bytes in use
 *	stats.arenas.<i>.bins.<j>.curregs	size_t	objects in use
 *	stats.arenas.<i>.bins.<j>.curslabs	size_t	slabs
 *	usermm.NAME		uint64_t	the control NAME of usermm/control.h; it has no MIB
 *
 * Sizes are in bytes. All other names are unknown. In particular nothing is counted per thread.
 */
#ifndef USERMM_MALLCTL_H
#define USERMM_MALLCTL_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

/*
 * Reads the value into *oldp, if oldp and oldlenp are not NULL. Then writes *newp, if newp is not
 * NULL. stats.* are those of the last write to epoch, or of the first call. The call never
 * allocates; it takes the slab layer's locks, one at a time. If a signal handler interrupted its
 * thread while the thread held such a lock, epoch does not renew the numbers, and purge does not
 * wait.
 *
 * Returns 0 or an errno value; errno itself is not changed.
 *
 *	ENOENT	there is no such name, or no such arena
 *	EINVAL	*oldlenp or newlen is not the value's size, or the new value is not possible. As
 *		much of the old value as fits was read, and *oldlenp says how much
 *	EPERM	the value cannot be written; or it cannot be read (type "-", or write-only)
 *	EFAULT	there is no such thread cache or arena, or no number is left for a new one; or
 *		the action cannot be done
 *	EAGAIN	an arena cannot be created
 */
int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
	__attribute__((visibility("default")));
/*
 * Translates a name to numbers for mallctlbymib(). *miblenp is the room of mibp[], and afterwards
 * how many numbers were written. The name may end after any of its parts. The caller may replace
 * the number that an <i> became. The numbers are valid in this process only. Returns 0 or ENOENT.
 */
int mallctlnametomib(const char *name, size_t *mibp, size_t *miblenp)
	__attribute__((visibility("default")));
int mallctlbymib(const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp, void *newp,
		 size_t newlen) __attribute__((visibility("default")));
/*
 * Passes the text of usermm_print_stats() to write_cb, piece by piece; with a 'J' in opts the text
 * of usermm_print_json(). If write_cb is NULL, the text goes to stderr.
 */
void malloc_stats_print(void (*write_cb)(void *cbopaque, const char *text), void *cbopaque,
			const char *opts) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
