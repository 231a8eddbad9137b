/* SPDX-License-Identifier: MIT */
/*
 * slab: caches of equal objects, in the manner of SLUB.
 *
 * 1. Purpose. The tower inside this layer: kmalloc.c (entry points) -> slab_fast.h (this CPU's free
 *    objects) -> slowpath.c (everything rare) -> sheaf.c or cpu_slab.c (more free objects for this
 *    CPU, or fewer) -> partial.c, slab_free.c (a memory node's slabs with free objects; objects
 *    from and to them) -> slab.c (slabs come and go) -> cache.c (making and destroying caches).
 *
 *    A CPU's free objects of a cache are kept in one of two ways (option slab_cpu_cache), behind
 *    one table of operations (cpu_cache.h):
 *
 *	sheaf		an array of objects of any slab; slab_fast.h, sheaf.c
 *	slab		a list of the free objects of one slab, which the CPU has for itself.
 *			The list ends in the slab's token instead of NULL (seed 2); cpu_slab.c
 *
 * 2. What it must not know: malloc, and how pages are found.
 *
 * 3. Objects and their states. A slab is a block of pages, aligned to its size;
 *    a table by the page names the cache (mm_slab_cache()). An object of a slab is
 *
 *	not opened	behind the first `opened` objects: memory not touched yet
 *	not carved	behind the first `carved` ones: marked free
 *	free in slab	on the slab's freelist
 *	cached		free, in some CPU's sheaf or list; the slab counts it as in use
 *	deferred	free, on its way back to its slab; counts as in use
 *	allocated	the user's
 *
 *	objects == inuse + length of freelist + (objects - carved)
 *
 *    A slab is on its node's partial list if it has free objects and is not frozen (slab_word.h); a
 *    full one is on no list. A slab is opened page by page as objects are needed, so a little-used
 *    cache stays small. Only opened pages name the cache: no object lies behind them yet. With a
 *    constructor all objects are opened and constructed at once, as in Linux.
 *
 * 4. Who may touch what. A CPU's objects belong to its slot (percpu.h). Partial lists belong to
 *    their node's lock, slabs' words to slab_word.h's rules. `Sync:` in struct kmem_cache says
 *    who may write which field. A free object's memory belongs to whoever holds it; one or two of
 *    its words are used:
 *
 *	link	next free object of the slab, while free in slab; next deferred one
 *	mark	says "this object is free" until the next allocation (free_mark.h); that of
 *		a large object is in the window's table, and hardened ones have it in
 *		their slab alone (hardened.h)
 *
 *    Without a constructor the link is word 0 and the mark is word 1, so even objects of 8 bytes
 *    lie 16 bytes apart. With a constructor both lie behind the object.
 *
 *    A signal handler may interrupt a thread that holds a lock (os/lock.h). It then gets an object
 *    from the CPU, or NULL. If its free would need the lock, the object is deferred: the next
 *    thread about to take the node's lock returns the object.
 *
 * 5. Differences from Linux: slabs are found by alignment, so a slab of a smaller order holds the
 *    part of a usual slab that lies in its pages (small_slab.h). There are no per-CPU lists of
 *    partial slabs. By default only kernel sources' caches are merged: programs want to see their
 *    caches' names.
 *
 *    The cache says where its slabs lie (allocflags), not a request. Options harden caches:
 *    freeptr.h, random.c, clearing.h.
 *
 *    A cache with debugging flags has no fast path, and the fast path's check rejects its objects.
 *    So every call ends in debug.c; see debug.h.
 *
 * 6. Failure: without memory a call returns NULL. A free that cannot be right is reported and ends
 *    the process before anything is changed, unless debugging is on.
 */
#ifndef SLAB_SLAB_H
#define SLAB_SLAB_H

#include "base/upward_hooks.h"
#include "os/lock.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "slab/counters.h"
#include "slab/sheaf/barn.h"
#include "usermm/kmem_cache.h"
#include "usermm/page.h"
#include "usermm/slab.h"

#define CACHE_NAME_BYTES 32
#define SHEAF_OBJECTS_MAX 255	/* in any cache's sheaf */
#define SLAB_OBJECTS_MAX 0x7fff	/* in a slab: see slab_word.h */

/* A cache's slabs of one memory node. */
struct kmem_cache_node {
	struct lock lock;		/* RANK_CACHE */
	struct kmem_cache *cache;	/* Sync: constant */
	struct list_head partial;	/* Sync: lock; slabs with free objects */
	struct list_head full;		/* Sync: lock; full slabs, with SLAB_STORE_USER only */
	unsigned long nr_partial;	/* Sync: lock; read without it for statistics */
	/* Sync: push by compare-and-swap, taken as a whole */
	void *deferred;			/* list of objects to be returned */
	/* Sync: the first: atomic relaxed; the second: lock, read without it */
	unsigned long slabs_created, slabs_freed;
	/*
	 * The number of small slabs, and how many objects fewer they have than as many usual slabs
	 */
	unsigned long small_slabs, objects_lacking;
	struct barn barn;		/* batches that full sheaves gave away */
};

struct cpu_cache_ops;

typedef void slab_free_fn(void *object, struct kmem_cache *cache, const void *caller);
typedef void *slab_hardened_take_fn(struct percpu_array *sheaf, size_t bytes, size_t size);

/*
 * A cache. The head is public (usermm/kmem_cache.h). The fields behind it stand in groups:
 *
 *	fast	read by every allocation and free: few lines, and the offsets matter
 *	slow	read by slow paths
 *	watch	of caches that watch their objects: hardened ones, and those with statistics
 *	written	while the cache exists; none of them lies in a line of the other groups
 *
 * Sync: constant after creation, unless the field says otherwise.
 */
struct kmem_cache {
	USERMM_KMEM_CACHE_HEAD;

	/* --- fast --- */
	/* See cache_sheaf() and slab_mask_of(). Sync: the sheaf may become NULL (failslab.c) */
	unsigned long sheaf_and_mask __off_mark;
	/*
	 * Per-CPU, in place of a sheaf. NULL: every try fails, as without a sheaf. Sync: the same
	 */
	struct percpu_tagged_list *cpu_slab;
	unsigned long start_limit;		/* see object_starts_at() */
	unsigned long divisor __off_mark;	/* see object_place(); 0 with debugging */
	uint32_t link_offset;		/* the head's `offset`: where a link lies */
	/* object_size, in the line that a free reads as well. Sync: atomic relaxed; see merge.c */
	uint32_t fast_object_size;
	/*
	 * One of them is start_limit: small_limit if objects are small, large_limit if they are
	 * large (free_mark.h). The other one is 0.
	 */
	unsigned long small_limit __off_mark, large_limit;
	uint32_t fast_usable_bytes;	/* usable_bytes; 0: fast paths leave all to slow ones */
	uint32_t mark_offset;		/* see free_mark.h */
	bool byte_marks;		/* see free_mark.h */
	/* The heap whose class it is (malloc/heap/), else the cache itself; never NULL. */
	const void *owner;

	/* --- slow: what CPUs keep --- */
	struct percpu_array *own_sheaf;	/* per-CPU: cache_sheaf(), also while that is NULL */
	/* per-CPU: cpu_slab, also while that is NULL */
	struct percpu_tagged_list *own_cpu_slab;
	const struct cpu_cache_ops *cpu_ops;	/* of own_sheaf or own_cpu_slab: cpu_cache.h */
	uint32_t *sheaf_room;		/* per-CPU; see sheaf_size.h */
	uint32_t sheaf_room_max;	/* the largest room */
	unsigned int sheaf_capacity;	/* the caller's wish; 0: none. Linux's name */

	/* --- slow: slabs --- */
	uint16_t objects;		/* in a slab */
	uint16_t order;			/* of a slab */
	uint16_t min_order;		/* of a small slab; equal to `order` without any */
	/* Sync: atomic relaxed; set before the first one is known to anybody */
	bool has_small_slabs;
	bool large_slabs;		/* as struct slab_cache_request says (cache.h) */
	unsigned long list_mask;	/* see slab_list_mask(). Sync: as has_small_slabs */
	unsigned long objects_limit;	/* as start_limit, but not hidden: object_is_at() */
	uint32_t usable_bytes;		/* what ksize() returns for an object */
	gfp_t allocflags;		/* of every request for pages */
	/* In 1024ths, how often other nodes' slabs are looked at. Sync: atomic relaxed */
	unsigned int remote_node_defrag_ratio;
	bool random_order;		/* of a new slab's objects */
	bool may_mix;			/* sparse slabs may become mixed ones: mixed/mixed.h */
	unsigned long random;		/* the key of links; 0: they are plain */
	/* the nodes behind first_node; NULL: first_node has all slabs */
	struct kmem_cache_node *more_nodes;

	/* --- slow: the cache itself --- */
	bool is_static;			/* memory is not from the cache of caches */
	bool is_up;			/* Sync: atomic; see slab_cache_is_up() */
	bool init_on_alloc, init_on_free;
	bool caller_guards;		/* callers ask slab_kfence_passes() themselves: cache.h */
	char name_buffer[CACHE_NAME_BYTES];	/* holds the name, if it fits */

	/* --- watch --- */
	bool counts;			/* are events counted? See counters.h */
	bool is_hardened;		/* see hardened.h */
	uint32_t quarantine_half;	/* objects: see hardened.h */
	slab_hardened_take_fn *hardened_take;	/* for a hardened cache: hardened.h */
	slab_free_fn *free_checked;	/* what free() calls if its fast path fails */
	/*
	 * Both point into the first slot: see percpu_pop_fast_at(). NULL if the cache is not
	 * hardened.
	 */
	struct percpu_array *quarantine;
	/* own_sheaf; or what percpu_ptr() makes of NULL, so that every pop fails */
	struct percpu_array *hardened_sheaf;

	/* --- written --- */
	struct kmem_cache_node first_node __aligned(CACHE_LINE_BYTES);
	struct list_head caches;	/* Sync: RANK_CACHES */
	/*
	 * Statistics; shrink.c asks whether the first two move. objects_up: objects taken from
	 * slabs. Sync: slab_count_lossy()
	 */
	unsigned long refills, flushes, objects_up;
	unsigned long moves_seen;	/* refills + flushes. Sync: RANK_CACHES */
	unsigned int idle_rounds;	/* of decay, without a move. Sync: RANK_CACHES */
	unsigned long passed_quarantine;	/* objects. Sync: slab_count_lossy() */
	unsigned long frees_seen;	/* slab_hardened_frees(). Sync: RANK_CACHES */
	unsigned long order_state;	/* Sync: atomic relaxed; see random.c */
	/* See debug.c. Sync: atomic relaxed; a thread finds itself only if it wrote that */
	const uint32_t *lists_holder;
	struct slab_counters counters;	/* Sync: atomic relaxed */
	unsigned int prefilled_sheaves;	/* that users have. Sync: atomic relaxed; see prefill.c */
};

#define REMOTE_NODE_DEFRAG_RATIO_DEFAULT 1000

/* Does the cache have debugging flags (slab_debug=)? See debug/debug.h. */
static inline bool cache_is_debugged(const struct kmem_cache *cache)
{
	return cache->flags & USERMM_SLAB_DEBUG_FLAGS;
}

/*
 * Two fields share a word, so that a free needs one load less: loads are what makes it expensive.
 * The upper 32 bits are the sheaf (a per-CPU pointer), the lower ones are the bytes of a slab minus
 * one.
 */
#define SLAB_SHEAF_SHIFT 32

static __always_inline struct percpu_array *sheaf_of_word(unsigned long sheaf_and_mask)
{
	return (struct percpu_array *)(sheaf_and_mask >> SLAB_SHEAF_SHIFT);
}

static __always_inline unsigned long mask_of_word(unsigned long sheaf_and_mask)
{
	return (uint32_t)sheaf_and_mask;
}

/* The word's high half alone. */
typedef uint32_t __attribute__((__may_alias__)) sheaf_half_t;

static __always_inline const sheaf_half_t *sheaf_half(const struct kmem_cache *cache)
{
	return (const sheaf_half_t *)&cache->sheaf_and_mask +
	       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* NULL if there is none: a pop or push then fails, and the slow path does the work. */
static __always_inline struct percpu_array *cache_sheaf(const struct kmem_cache *cache)
{
	return (struct percpu_array *)(unsigned long)atomic_load_relaxed(sheaf_half(cache));
}

/* The acquire pairs with cache_show_sheaf(): the rest of the cache. */
static __always_inline struct percpu_array *cache_sheaf_acquire(const struct kmem_cache *cache)
{
	return (struct percpu_array *)(unsigned long)atomic_load_acquire(sheaf_half(cache));
}

static __always_inline unsigned long slab_mask_of(const struct kmem_cache *cache)
{
	return mask_of_word(atomic_load_relaxed(&cache->sheaf_and_mask));
}

/* The release pairs with cache_sheaf_acquire(): all of the cache that was set before. */
static inline void cache_show_sheaf(struct kmem_cache *cache, struct percpu_array *sheaf)
{
	unsigned long piece = (unsigned long)sheaf << SLAB_SHEAF_SHIFT;

	_Static_assert(PERCPU_SLOT_BYTES <= 1UL << SLAB_SHEAF_SHIFT, "a per-CPU pointer fits");
	atomic_store_release(&cache->sheaf_and_mask, piece | slab_mask_of(cache));
}

/* Counts n more events of this kind. */
static inline void slab_count_n(struct kmem_cache *cache, enum slab_counter counter,
				unsigned long n)
{
	if (unlikely(cache->counts))
		atomic_add_relaxed(&cache->counters.nr[counter], n);
}

static inline void slab_count(struct kmem_cache *cache, enum slab_counter counter)
{
	slab_count_n(cache, counter, 1);
}

/* Must empty slabs stay, since RCU readers could otherwise see the pages' next owner? */
static inline bool cache_keeps_slabs(const struct kmem_cache *cache)
{
	return (cache->flags & SLAB_TYPESAFE_BY_RCU) && !slab_rcu_hooks.call;
}

/*
 * A new slab of the cache from a node's pages (NUMA_NO_NODE: any node), or NULL. If a usual slab
 * would need reclaim the new one may be small: see small_slab.h.
 */
struct page *slab_new(struct kmem_cache *cache, gfp_t gfp, int nid);
/*
 * The gfp of the first try for a slab. If it differs from gfp and the try fails, the cache looks at
 * its own slabs once more, which may have got objects back meanwhile. Then it asks again with gfp
 * itself, which makes others give memory up.
 */
gfp_t slab_gfp_before_victims(const struct kmem_cache *cache, gfp_t gfp);
/* Frees a slab without objects in use. The caller holds no lock. */
void slab_discard(struct kmem_cache *cache, struct page *slab);
void slab_discard_all(struct kmem_cache *cache, struct list_head *slabs);
/* slab_discard_all(), for a list that is mostly empty. */
static inline void slab_discard_list(struct kmem_cache *cache, struct list_head *slabs)
{
	if (unlikely(!list_empty(slabs)))
		slab_discard_all(cache, slabs);
}
/* Opens the page in which the slab's next object begins. Returns how many objects are open then. */
uint16_t slab_open_page(struct kmem_cache *cache, struct page *slab, uint16_t opened);

#endif
