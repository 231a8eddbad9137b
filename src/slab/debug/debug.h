/* SPDX-License-Identifier: MIT */
/*
 * Slab debugging: caches that watch over their objects, as Linux's do.
 *
 * 1. Purpose. A cache with debugging flags fills its objects and the bytes around
 *    them with known patterns. It checks the patterns at each allocation and free,
 *    reports damage in Linux's words, mends it, and lets the program go on.
 *    debug.c has the calls, debug_check.c the checks, debug_report.c the reports,
 *    debug_track.c notes who had an object, debug_traces.c lists that for all objects
 *    of a cache, debug_options.c reads the option slab_debug=.
 *
 * 2. How such a cache leaves the fast paths. It has no sheaf, so a pop finds nothing.
 *    Its divisor is 0, so object_starts_at() takes no address for an object. Both
 *    fast paths fail, and the slow ones look at the flags. Other caches pay nothing.
 *
 * 3. An object, from cache->size bytes:
 *
 *	red_left_pad	left red zone					Z
 *	object_size	the user's; free: 0x6b..., the last byte 0xa5	P
 *	  to inuse	right red zone (Z), else padding (P)
 *	8		link, if it may not lie in the object		P, ctor, RCU
 *	2 * 32		who allocated it, who freed it			U
 *	8		size that was asked of kmalloc			U
 *			(with Z: the object's bytes beyond it are red zone, too)
 *	rest		padding
 *
 *    Red zones are 0xbb while the object is free and 0xcc while it is in use. Padding
 *    is 0x5a. A new slab has all its objects prepared at once.
 *
 * 4. Who may touch what. All slabs of such a cache are in its first node, and that node's lock
 *    guards everything. So a validation sees each object either free or in use, and nobody pushes
 *    to a slab without the lock. A signal handler that interrupted the holder of a lock defers its
 *    frees: the list of deferred objects goes through their links. If the handler interrupted an
 *    allocation or free of this cache, a second free is found before it is deferred. Else it is
 *    found later, when it has overwritten the link of a free object.
 *
 * 5. Healing. Overwritten bytes are restored, except the user's own. A freelist that
 *    leaves its slab is cut there, and the rest of it is lost. If an object fails its
 *    check at an allocation, its slab is disabled: all objects of the slab count as used,
 *    and nobody touches the slab again. An object that fails its check at a free is not
 *    freed.
 *
 * 6. Differences from Linux. Without SLAB_CONSISTENCY_CHECKS three mistakes end the
 *    process, as in any other cache, where Linux goes on with broken lists: to free an
 *    address that is no object, to free an object twice, and a link that names no object.
 *    A stack starts at the caller. krealloc() keeps the size up to date, and a circle of
 *    free objects is reported as a cycle, as in later versions of Linux.
 */
#ifndef SLAB_DEBUG_DEBUG_H
#define SLAB_DEBUG_DEBUG_H

#include "base/upward_hooks.h"
#include "slab/cache.h"
#include "slab/slab.h"

/* The flags of `slab_debug` without letters. */
#define SLAB_DEBUG_DEFAULT (SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER)
/* The flags that need bytes beside the object. */
#define SLAB_DEBUG_METADATA (SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER)


/* failslab.c */
void slab_failslab_init(void);
/* Must every allocation ask should_failslab()? */
bool slab_failslab_is_armed(void);

/* debug_options.c */
/* Reads the option slab_debug=. */
void slab_debug_init(void);
/* Returns `flags` with those that the option adds for a cache of this name. */
slab_flags_t slab_debug_flags(const char *name, slab_flags_t flags);
/* Is the name in this list? ',' separates its patterns, and a '*' may end each. */
bool slab_names_have(const char *names, size_t names_length, const char *name);
/* Does the option forbid debugging that makes slabs larger (letter O)? */
bool slab_debug_keeps_order(void);

/* debug.c */
/* Sets offset, inuse, red_left_pad and size from the request and the cache's flags. */
void slab_debug_lay_out(struct kmem_cache *cache, const struct slab_cache_request *request);
/* Prepares all objects of a new slab and its freelist. */
void slab_debug_prepare(struct kmem_cache *cache, struct page *slab);
void slab_debug_check_discarded(struct kmem_cache *cache, struct page *slab);
void *slab_debug_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
void slab_debug_free(struct kmem_cache *cache, void *object, const char *function,
		     const void *caller);
/* Frees the deferred objects of the list that begins with object. */
void slab_debug_return_deferred(struct kmem_cache *cache, void *object);
/* Is it the address of an object, free or in use? */
bool slab_debug_is_object(const struct kmem_cache *cache, const void *object);
/* Like slab_debug_is_object(), but reports an address that is none. */
bool slab_debug_check_pointer(struct kmem_cache *cache, void *object);
/*
 * Is it an object in use? If not, it is reported. With F (SLAB_CONSISTENCY_CHECKS) the object's
 * bytes are checked, too, because the caller is about to change the object's size, which would hide
 * an overflow behind the old size. Without F a free object ends the process.
 */
bool slab_debug_check_in_use(struct kmem_cache *cache, void *object, const char *function,
			     const void *caller);
/*
 * May kfree_rcu() have it? If it is no object, is free, or waits for a grace period already, it is
 * reported; without F that ends the process.
 */
bool slab_debug_check_later(struct kmem_cache *cache, void *object, const char *function,
			    const void *caller);
/* For ksize(): from now on the user may use the whole object. 0 if it is no object. */
size_t slab_debug_usable(struct kmem_cache *cache, void *object);
/* The bytes that were asked for; the whole object's, if the cache does not keep that. */
size_t slab_debug_size(const struct kmem_cache *cache, const void *object);
bool slab_debug_knows_size(const struct kmem_cache *cache);
/* From now on `size` bytes are asked for; the caller knows that they fit. */
void slab_debug_resize(struct kmem_cache *cache, void *object, size_t size);

/* debug_report.c */
/* Prints one line. */
void slab_say(const char *format, ...) __printf(1, 2);
/* Prints one line, and the stack. */
void slab_warn(const char *format, ...) __printf(1, 2);
/* Lists a slab's objects that are still in use when their cache is destroyed. */
void slab_debug_list_remaining(struct kmem_cache *cache, struct page *slab);
/* Says that the cache is destroyed while objects are in use. */
void slab_debug_still_has_objects(struct kmem_cache *cache, const void *caller);
/* Says that an object of cache `owner` was freed to `cache`. */
void slab_debug_wrong_cache(const struct kmem_cache *cache, const struct kmem_cache *owner,
			    const void *object);
/* Says that the address lies in no slab at all. Printed once in a process. */
void slab_debug_no_slab(void);

#endif
