/* SPDX-License-Identifier: MIT */
/*
 * Slab debugging: caches that watch over their objects, as Linux's do.
 *
 * 1. Purpose. A cache with debugging flags fills its objects and what lies around
 *    them with known bytes, looks at these bytes whenever an object comes or goes,
 *    reports what it finds in Linux's words, mends it, and lets the program go on.
 *    debug.c has the calls, debug_check.c what is looked at, debug_report.c what is
 *    said, debug_track.c who had an object, debug_traces.c that for all objects of a
 *    cache, debug_options.c the option slab_debug=.
 *
 * 2. How such a cache leaves the fast path. It has no sheaf, so pop finds nothing,
 *    and its divisor is 0, so no address is an object to object_starts_at(): both
 *    fast paths fail, and the slow ones look at the flags. Other caches pay nothing.
 *
 * 3. An object, from cache->size bytes:
 *
 *	red_left_pad	left red zone					Z
 *	object_size	the user's; free: 0x6b..., the last byte 0xa5	P
 *	  to inuse	right red zone (Z), else padding (P)
 *	8		link, if it may not lie in the object		P, ctor, RCU
 *	2 * 32		who allocated it, who freed it			U
 *	8		size that was asked of kmalloc; behind it, in
 *			the object, is red zone as well			U and Z
 *	rest		padding
 *
 *    Red zones are 0xbb while the object is free and 0xcc while it is not; padding
 *    is 0x5a. All objects of a slab are prepared when it is made.
 *
 * 4. Who may touch what. All slabs of such a cache are in its first node, and everything
 *    is done under that node's lock, so that a validation at the same time sees objects
 *    in one state or the other. Nothing is ever pushed to a slab without the lock. What a
 *    signal handler frees above the holder of a lock is deferred, by way of its link. A
 *    second free is found before that if allocation or free of this cache was interrupted;
 *    else it has overwritten the link of a free object by the time it is told.
 *
 * 5. Healing. Bytes that were overwritten are restored, but for the user's own. A
 *    chain of free objects that leads astray is cut, and the rest of it is lost. A
 *    slab whose object fails its check at an allocation is disabled: all of its
 *    objects count as used, and the slab is left alone for ever. An object that
 *    fails its check at a free is not freed.
 *
 * 6. Differences from Linux. Without SLAB_CONSISTENCY_CHECKS an address that is no
 *    object, or is free already, ends the process as in any other cache, and so does a
 *    link that names no object, where Linux would go on with broken lists. A stack starts
 *    at the caller. krealloc() keeps the size up to date, and a circle of free objects is
 *    told as such, as in later versions of Linux.
 */
#ifndef SLAB_DEBUG_DEBUG_H
#define SLAB_DEBUG_DEBUG_H

#include "slab/cache.h"
#include "slab/slab.h"

/* What slab_debug without letters means. */
#define SLAB_DEBUG_DEFAULT (SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER)
/* Those that need bytes beside the object. */
#define SLAB_DEBUG_METADATA (SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER)

/*
 * What a program around the library may add. Sync: set before caches are used, by
 * constructors. Called under a cache's lock, so none of them may allocate from here.
 */
struct slab_debug_hooks {
	/* True if a test counts this error; then nothing is said. */
	bool (*count_error)(void);
	/* True if errors are being counted. */
	bool (*counts_errors)(void);
	/* One line of a report; else it goes to stderr. */
	void (*line)(const char *text);
	/* The end of a line that the caller has begun; else it is a line on stderr. */
	void (*rest)(const char *text);
	/* What lies at an address in no slab; false if that is not known. */
	bool (*other)(const void *address, char *text, size_t size);
	/* The stack, behind a report. */
	void (*stack)(void);
	/* The end of the process, with the reason; else that is one line on stderr. */
	void (*panic)(const char *text);
};
extern struct slab_debug_hooks slab_debug_hooks USERMM_API(slab_debug_hooks);

/* failslab.c */
void slab_failslab_init(void);
/* Does every allocation have to ask should_failslab()? */
bool slab_failslab_is_armed(void);

/* debug_options.c */
/* Reads the option. */
void slab_debug_init(void);
/* The flags of a cache of that name, with those that the option adds. */
slab_flags_t slab_debug_flags(const char *name, slab_flags_t flags);
/* Is the name among these, which are separated by ',' and may end with a '*'? */
bool slab_names_have(const char *names, size_t names_length, const char *name);
/* Did the option say that no cache's slabs should become larger? */
bool slab_debug_keeps_order(void);

/* debug.c */
/* Sets offset, inuse, red_left_pad and size from the request and the cache's flags. */
void slab_debug_lay_out(struct kmem_cache *cache, const struct slab_cache_request *request);
/* All objects of a new slab, and its freelist. */
void slab_debug_prepare(struct kmem_cache *cache, struct page *slab);
void slab_debug_check_discarded(struct kmem_cache *cache, struct page *slab);
void *slab_debug_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
void slab_debug_free(struct kmem_cache *cache, void *object, const char *function,
		     const void *caller);
/* What waited on the list of deferred objects. */
void slab_debug_return_deferred(struct kmem_cache *cache, void *object);
/* Is it an object's address, of any state? */
bool slab_debug_is_object(const struct kmem_cache *cache, const void *object);
/* The same; if not it is reported. */
bool slab_debug_check_pointer(struct kmem_cache *cache, void *object);
/*
 * Is it one that is not free? If not it is reported; without F that ends the process. With F it is
 * looked at, too: who asks gives it another size, which hides what was wrong behind the old one.
 */
bool slab_debug_check_in_use(struct kmem_cache *cache, void *object, const char *function,
			     const void *caller);
/*
 * May kfree_rcu() have it? Not what is free, or waits already, or is no object: that is reported;
 * without F it ends the process.
 */
bool slab_debug_check_later(struct kmem_cache *cache, void *object, const char *function,
			    const void *caller);
/* ksize(): the object is all the user's from now on. 0 if it is none. */
size_t slab_debug_usable(struct kmem_cache *cache, void *object);
/* Bytes of the object that were asked for; of the object, if that is not known. */
size_t slab_debug_size(const struct kmem_cache *cache, const void *object);
bool slab_debug_knows_size(const struct kmem_cache *cache);
/* So many are from now on; they fit. */
void slab_debug_resize(struct kmem_cache *cache, void *object, size_t size);

/* debug_report.c */
/* One line. */
void slab_say(const char *format, ...) __printf(1, 2);
/* The same, and the stack. */
void slab_warn(const char *format, ...) __printf(1, 2);
/* Objects of a slab that are still in use when their cache goes. */
void slab_debug_list_remaining(struct kmem_cache *cache, struct page *slab);
/* The cache goes, and objects stay. */
void slab_debug_still_has_objects(struct kmem_cache *cache, const void *caller);
/* object, of cache owner, was to be freed to cache. */
void slab_debug_wrong_cache(const struct kmem_cache *cache, const struct kmem_cache *owner,
			    const void *object);
/* Neither is there a slab. Told once. */
void slab_debug_no_slab(void);

#endif
