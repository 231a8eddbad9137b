/* SPDX-License-Identifier: MIT */
/*
 * slab: caches of equal objects, in the manner of SLUB.
 *
 * 1. Purpose. The tower inside this layer: kmalloc.c (entry points) -> slab_fast.h
 *    (this CPU's free objects) -> sheaf.c or cpu_slab.c (more of them, or fewer) ->
 *    partial.c, slab_free.c (the slabs of a memory node with free objects; objects from and to
 *    them) -> slab.c (slabs come and go) -> cache.c (making and destroying caches).
 *
 *    A CPU's free objects of a cache are kept in one of two ways (option slab_cpu_cache):
 *
 *	sheaf		an array of objects of any slab; slab_fast.h, sheaf.c
 *	freelist	the list of one slab that the CPU has for itself, its two words
 *			ending in the slab's token (seed 2); cpu_slab.c
 *
 * 2. What it must not know: malloc, and how pages are found.
 *
 * 3. Objects and their states. A slab is a block of pages, aligned to its size;
 *    a table by the page names the cache (mm_slab_cache()). An object of a slab is
 *
 *	not opened	behind the first `opened` objects: memory not touched yet
 *	not carved	behind the first `carved` ones: marked free
 *	free in slab	on the slab's freelist
 *	cached		free, in some CPU's sheaf or freelist; in use to the slab
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
 * 4. Who may touch what. A CPU's objects belong to its slot (percpu.h). Partial lists
 *    belong to their node's lock, slabs' words to slab_word.h's rules. A free object's
 *    memory belongs to whoever holds it; one or two of its words are used:
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
	struct list_head full;		/* Sync: lock; others, for SLAB_STORE_USER only */
	unsigned long nr_partial;	/* Sync: lock; read without it for statistics */
	/* Sync: push by compare-and-swap, taken as a whole */
	void *deferred;			/* objects to be returned, through their links */
	/* Sync: atomic relaxed; lock, read without it */
	unsigned long slabs_created, slabs_freed;
	/* Number of small slabs, and the objects that they lack beside as many usual slabs */
	unsigned long small_slabs, objects_lacking;
	struct barn barn;		/* batches that full sheaves gave away */
};

typedef void slab_free_fn(void *object, struct kmem_cache *cache, const void *caller);
typedef void *slab_hardened_take_fn(struct percpu_array *sheaf, size_t bytes, size_t size);

struct kmem_cache {
	USERMM_KMEM_CACHE_HEAD;
	/* Read by every allocation and free. Sync: constant after creation */
	/* See cache_sheaf() and slab_mask_of(). Sync: the sheaf may become NULL (failslab.c) */
	unsigned long sheaf_and_mask __off_mark;
	/* Per-CPU, where there is no sheaf; NULL works, slowly. Sync: the same */
	struct percpu_tagged_list *freelist;
	unsigned long start_limit;		/* see object_starts_at() */
	unsigned long divisor __off_mark;	/* 2^64 / size + 1, or 0: the same */
	uint32_t link_offset;		/* offset, by the name that this layer uses */
	/* object_size, in the line that a free reads as well. Sync: atomic relaxed; see merge.c */
	uint32_t object_bytes;
	/* start_limit if objects have their marks as small ones do, or large ones; else 0 */
	unsigned long small_limit __off_mark, mapped_limit;
	uint32_t usable;		/* usable_bytes, or 0: fast paths look no further */
	uint32_t mark_offset;		/* see free_mark.h */
	bool byte_marks;		/* the same */
	/* Read by slow paths only. Sync: constant after creation */
	struct percpu_array *own_sheaf;	/* per-CPU: cache_sheaf(), and stays */
	struct percpu_tagged_list *own_freelist;	/* per-CPU; NULL: see own_sheaf */
	uint32_t *sheaf_room;		/* per-CPU; see sheaf_size.h */
	uint32_t sheaf_limit;		/* the most room */
	uint16_t objects;		/* in a slab */
	uint16_t order;			/* of a slab */
	uint16_t min_order;		/* of a small slab; order: there are none */
	/* Sync: atomic relaxed; set before the first one is known to anybody */
	bool has_small_slabs;
	uint32_t quarantine_half;	/* objects: see hardened.h. Sync: constant */
	unsigned long list_mask;	/* see slab_list_mask(). Sync: as has_small_slabs */
	struct kmem_cache_node *more_nodes;	/* those behind the first; NULL: it has all */
	char name_buffer[CACHE_NAME_BYTES];	/* of names that fit */

	struct kmem_cache_node first_node __aligned(CACHE_LINE_BYTES);
	/* Sync: slab_count_lossy(); statistics, and shrink.c asks whether the first two move */
	unsigned long refills, flushes, objects_up;
	unsigned long moves_seen;	/* of the first two. Sync: RANK_CACHES */
	unsigned long passed_quarantine;	/* objects. Sync: slab_count_lossy() */
	unsigned long frees_seen;	/* slab_hardened_frees(). Sync: RANK_CACHES */

	struct list_head caches;	/* Sync: RANK_CACHES */
	bool is_static;			/* memory is not from the cache of caches */
	bool is_up;			/* Sync: atomic; see slab_cache_is_up() */
	/* Read by slow paths only. Sync: constant after creation */
	gfp_t allocflags;		/* of every request for pages */
	bool large_slabs, caller_guards;	/* as the request says */
	bool random_order;		/* of a new slab's objects */
	bool init_on_alloc, init_on_free;
	uint32_t usable_bytes;		/* of an object, for ksize() */
	unsigned long random;		/* the key of links; 0: they are plain */
	unsigned long objects_limit;	/* start_limit, where that is 0 as well: object_is_at() */
	bool is_hardened;		/* see hardened.h */
	slab_hardened_take_fn *hardened_take;	/* slab_hardened_alloc_fast(), if it is */
	slab_free_fn *free_checked;		/* free() of what its fast path does not take */
	/* In the first slot, see percpu_pop_fast_at(); of a hardened cache, else NULL: */
	struct percpu_array *quarantine;
	struct percpu_array *hardened_sheaf;	/* own_sheaf, or what NULL is: works, slowly */
	unsigned long order_state;	/* Sync: atomic relaxed; see random.c */
	bool counts;			/* what counters.h has */
	struct slab_counters counters;	/* Sync: atomic relaxed */
	unsigned int sheaf_capacity;	/* wished for. Sync: constant after creation */
	/* In 1024ths, how often other nodes' slabs are looked at. Sync: atomic relaxed */
	unsigned int remote_node_defrag_ratio;
	/* See debug.c. Sync: atomic relaxed; a thread finds itself only if it wrote that */
	const uint32_t *lists_holder;
};

#define REMOTE_NODE_DEFRAG_RATIO_DEFAULT 1000

/*
 * One word holds the sheaf (a per-CPU pointer) and the bytes of a slab minus one, 32 bits each:
 * loads are what makes a free expensive.
 */
#define SLAB_MASK_SHIFT 32

static __always_inline struct percpu_array *sheaf_of_word(unsigned long sheaf_and_mask)
{
	return (struct percpu_array *)(sheaf_and_mask & UINT32_MAX);
}

/* NULL works, slowly. */
static __always_inline struct percpu_array *cache_sheaf(const struct kmem_cache *cache)
{
	return sheaf_of_word(atomic_load_relaxed(&cache->sheaf_and_mask));
}

static __always_inline unsigned long slab_mask_of(const struct kmem_cache *cache)
{
	return atomic_load_relaxed(&cache->sheaf_and_mask) >> SLAB_MASK_SHIFT;
}

/*
 * Release: a thread that loads the sheaf, or anything published with it, sees all of the cache that
 * was set before.
 */
static inline void cache_show_sheaf(struct kmem_cache *cache, struct percpu_array *sheaf)
{
	unsigned long mask = slab_mask_of(cache) << SLAB_MASK_SHIFT;

	_Static_assert(PERCPU_SLOT_BYTES <= 1UL << SLAB_MASK_SHIFT, "a per-CPU pointer fits");
	atomic_store_release(&cache->sheaf_and_mask, mask | (unsigned long)sheaf);
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

/*
 * slab_base_init() brings up the layers below and what caches need. slab_init() also brings up the
 * kmalloc caches; a program that only calls malloc() does without them. Both return 0 or -1.
 */
int slab_base_init(void);
int slab_init(void);
/* Is slab_base_init() done? If so, the caller sees all that it set. */
bool slab_is_up(void);
/*
 * May the cache be used? kmalloc's caches are reached by address before they are made: the first
 * such call brings all of them up.
 */
static inline bool slab_cache_is_up(const struct kmem_cache *cache)
{
	/* pairs with set_up(): the cache */
	return likely(atomic_load_acquire(&cache->is_up)) || !slab_init();
}
bool slab_is_cache_of_caches(const struct kmem_cache *cache);

/* cache.c */
extern struct lock slab_caches_lock;		/* RANK_CACHES */
extern struct list_head slab_caches;		/* Sync: slab_caches_lock */

/* The parameters of a new cache. */
struct slab_cache_request {
	const char *name;
	unsigned int size, align;
	slab_flags_t flags;
	void (*ctor)(void *object);
	unsigned int useroffset, usersize;
	/* For SLAB_TYPESAFE_BY_RCU with use_freeptr_offset: offset of the link in the object. */
	unsigned int freeptr_offset;
	bool use_freeptr_offset;
	unsigned int sheaf_capacity;	/* of sheaves; 0: any */
	bool may_merge;			/* unless the option forbids */
	bool in_interrupt;		/* where no cache may be made */
	bool is_refused;		/* what the caller does not offer; still to be told */
	bool hardened;			/* see hardened.h; not where debugging is on */
	/*
	 * Slabs of at least 32 KiB: objects allocated in a row lie side by side, across pages too.
	 */
	bool large_slabs;
	/*
	 * kfence_sample=: whoever takes an object from the sheaf has asked slab_kfence_passes()
	 * first.
	 */
	bool caller_guards;
};
/* The least order that a slab of the cache could have. */
static inline unsigned int slab_min_order(const struct kmem_cache *cache)
{
	return (unsigned int)get_order(cache->size);
}

/* cf. Linux calculate_alignment() */
unsigned int slab_effective_align(unsigned int size, unsigned int align, slab_flags_t flags);
struct kmem_cache *slab_cache_create(const struct slab_cache_request *request);

/*
 * Makes a cache in the caller's zeroed memory, for caches that exist before there is an allocator.
 * Sizes and alignment must be as kmem_cache_create() checks them.
 */
void slab_cache_setup(struct kmem_cache *cache, const char *name, unsigned int size,
		      unsigned int align, slab_flags_t flags, void (*ctor)(void *));
/* As slab_cache_setup(), with all that a request can say. */
void slab_cache_setup_requested(struct kmem_cache *cache,
				const struct slab_cache_request *request);
void kmalloc_setup(void);

/*
 * How slabs of SLAB_TYPESAFE_BY_RCU go back. call() calls the function when all present readers are
 * done; it may use the 16 bytes at head until then. barrier() waits for all such calls. Without
 * these hooks such caches keep their slabs. call() may run with RANK_BARNS held, so it takes no
 * lock and allocates nothing. has() is asked when an object of so many bytes is about to be freed:
 * is kfree_rcu() already going to free it? Sync: set by constructors, before caches are made.
 */
struct slab_rcu_hooks {
	void (*call)(void *head, void (*function)(void *head));
	void (*barrier)(void);
	bool (*has)(const void *object, size_t bytes);
};
extern struct slab_rcu_hooks slab_rcu_hooks USERMM_API(slab_rcu_hooks);

/* Must empty slabs stay, since RCU readers could otherwise see the pages' next owner? */
static inline bool cache_keeps_slabs(const struct kmem_cache *cache)
{
	return (cache->flags & SLAB_TYPESAFE_BY_RCU) && !slab_rcu_hooks.call;
}

/* merge.c */
/* One more kmem_cache_create() that a merged cache serves; listed in order of creation. */
struct slab_alias {
	struct list_head list;		/* Sync: slab_caches_lock */
	struct kmem_cache *cache;
	char name[];
};
extern struct list_head slab_aliases;		/* Sync: slab_caches_lock */
/* The cache with that name or with an alias of that name; or NULL. */
struct kmem_cache *slab_find_locked(const char *name);
struct slab_alias *slab_alias_new(const char *name);
/* A cache that can serve the request too, with one reference more; or NULL. */
struct kmem_cache *slab_merge_locked(const struct slab_cache_request *request,
				     struct slab_alias *alias);
/*
 * Drops one reference and returns the latest alias, since nobody knows which creation ends. NULL:
 * it was the last.
 */
struct slab_alias *slab_unmerge_locked(struct kmem_cache *cache);

/* sheaf.c */
/*
 * Allocates when the CPU had no object. Caches with debugging flags use size (bytes wanted) and
 * caller.
 */
void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/* An object of a node; see kmem_cache_alloc_node(). */
void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller);
/*
 * Takes a batch of free objects from the barn of the caller's node, if a batch has at most n
 * objects (n = BARN_BATCH_MAX: always). Returns how many, or 0.
 */
unsigned int slab_take_batch(struct kmem_cache *cache, void **objects, size_t n);
/* Takes a freed object that the fast path could not keep. */
void slab_free_slow(struct kmem_cache *cache, void *object);
/* As slab_free_slow(), for an object that need not be cleared. */
void slab_free_cleared(struct kmem_cache *cache, void *object);
/* As slab_free_cleared(), for n objects. */
void slab_free_cleared_n(struct kmem_cache *cache, void **objects, unsigned int n);
/* Moves every CPU's objects into the slabs. Nobody may be using the cache. */
void slab_drain_all(struct kmem_cache *cache);
/* Make and destroy the barns of a cache with sheaves. The caller holds slab_caches_lock. */
void slab_barns_init(struct kmem_cache *cache);
void slab_barns_destroy(struct kmem_cache *cache);
/*
 * Both move the barns' objects into the slabs; _close(), for a cache that nobody uses, also stops
 * the barns from taking more.
 */
void slab_barns_close(struct kmem_cache *cache);
void slab_barns_empty(struct kmem_cache *cache);
/* Slabs that CPUs have for themselves. */
unsigned int slab_nr_cpu_slabs(const struct kmem_cache *cache);
/* Objects that CPUs and barns keep; approximate. A sheaf that is stopped counts as empty. */
unsigned long slab_cached_objects(const struct kmem_cache *cache);

/* partial.c */
/* A cache's usage; objects that CPUs keep count as in use. */
struct slab_usage {
	unsigned long slabs, pages, objects;
	unsigned long partial, empty;	/* slabs */
	unsigned long inuse, partial_inuse;	/* objects; those of partial slabs */
};
void slab_usage_read(struct kmem_cache *cache, struct slab_usage *usage);
/* Also returns the number of allocated objects; approximate while others allocate. */
unsigned long slab_objects_in_use(struct kmem_cache *cache, struct slab_usage *usage);
void slab_usage_add_node(struct kmem_cache *cache, struct kmem_cache_node *node,
			 struct slab_usage *usage);
unsigned long slab_nr_slabs(const struct kmem_cache *cache);
unsigned long slab_nr_pages(const struct kmem_cache *cache);
/* Slabs that the cache ever made and gave back; approximate. */
void slab_read_turnover(const struct kmem_cache *cache, unsigned long *created,
			unsigned long *freed);

static inline unsigned long slab_node_nr_slabs(const struct kmem_cache_node *node)
{
	/*
	 * Read first, so that no slab counts as freed but not as created. Pairs with
	 * slab_count_gone_locked()
	 */
	unsigned long freed = atomic_load_acquire(&node->slabs_freed);

	return atomic_load_relaxed(&node->slabs_created) - freed;
}

void slab_node_init(struct kmem_cache *cache, struct kmem_cache_node *node);
/* NULL for the first nid behind the last node. */
struct kmem_cache_node *slab_node(const struct kmem_cache *cache, unsigned int nid);
#define for_each_kmem_cache_node(cache, node)			\
	for (unsigned int __nid = 0; ((node) = slab_node(cache, __nid)); __nid++)
struct kmem_cache_node *slab_node_of(struct kmem_cache *cache, const struct page *slab);
/*
 * Walks other nodes whose partial slabs the caller may take, nearest first. slab_look_elsewhere()
 * begins the walk; slab_next_remote() returns NULL at its end.
 */
struct slab_remote {
	struct kmem_cache *cache;
	const struct zoneref *ref;	/* of the next node; NULL: none is to be looked at */
	bool leaves_some;		/* skip nodes with no more slabs than they would keep */
};
struct slab_remote slab_look_elsewhere(struct kmem_cache *cache, bool leaves_some);
struct kmem_cache_node *slab_next_remote(struct slab_remote *remote);
/* The caller's nearest node with memory, or the cache's only node. */
struct kmem_cache_node *slab_node_here(struct kmem_cache *cache);
/* Takes up to n objects, marked free, from partial slabs or else from one new slab. */
unsigned int slab_take_objects(struct kmem_cache *cache, gfp_t gfp, void **objects,
			       unsigned int n);
/*
 * The steps of slab_take_objects(); slab_new() comes before the last. slab_may_take(): may this
 * thread take objects at all? slab_take_partial(): from partial slabs. slab_take_new(): from the
 * new slab; if slab is NULL, from whatever any node has now.
 */
bool slab_may_take(struct kmem_cache *cache);
unsigned int slab_take_partial(struct kmem_cache *cache, void **objects, unsigned int n);
unsigned int slab_take_new(struct kmem_cache *cache, struct page *slab, void **objects,
			   unsigned int n);
/*
 * One object of that node, or NULL. Without __GFP_THISNODE a new slab is taken only if memory is
 * free at once.
 */
void *slab_take_of_node(struct kmem_cache *cache, gfp_t gfp, unsigned int nid);
/* Frees the slabs without objects; returns the number of slabs that remain. */
unsigned long slab_free_empty(struct kmem_cache *cache);
void slab_add_partial_locked(struct kmem_cache_node *node, struct page *slab, bool tail);
void slab_remove_partial_locked(struct kmem_cache_node *node, struct page *slab);
/* Count a slab that joins the node, or leaves it. */
void slab_count_new(struct kmem_cache *cache, struct kmem_cache_node *node,
		    const struct page *slab);
void slab_count_gone_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			    const struct page *slab);
/*
 * _enlist: adds a slab of slab_new(). _retire: moves a slab from the partial list to `empty`, to be
 * discarded.
 */
void slab_enlist_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab);
void slab_retire_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab, struct list_head *empty);

/* slab_free.c */
/* Returns n objects that no CPU keeps to their slabs; overwrites objects[0 .. n-1]. */
void slab_return_objects(struct kmem_cache *cache, void **objects, unsigned int n);
/*
 * slab_return_objects() in two steps: the caller's batch is off the stack before the second. The
 * first puts slabs that become empty on the list; the second frees them.
 */
void slab_return_begin(struct kmem_cache *cache, void **objects, unsigned int n,
		       struct list_head *empty);
void slab_return_end(struct kmem_cache *cache, struct list_head *empty);
/* Returns deferred objects to their slabs. */
void slab_return_deferred(struct kmem_cache *cache);
/* Defers an object: the next thread about to take the node's lock returns it. */
void slab_defer_object(struct kmem_cache *cache, struct kmem_cache_node *node, void *object);

/* slab.c */
/* Flags that no slab and no kmalloc() can honour. cf. Linux GFP_SLAB_BUG_MASK */
#define SLAB_GFP_UNUSABLE (__GFP_DMA32 | __GFP_HIGHMEM | ~__GFP_BITS_MASK)
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
void slab_discard_list(struct kmem_cache *cache, struct list_head *slabs);
/* Opens the page that the slab's next object lies in; `opened` follows. */
uint16_t slab_open_page(struct kmem_cache *cache, struct page *slab, uint16_t opened);
/* Is the object on its slab's freelist? Walks it; for reports. */
bool slab_object_is_free(const struct kmem_cache *cache, const struct page *slab,
			 const void *object);

/*
 * Page blocks of kmalloc(): the bytes of the block at exactly this address (0: none), and its free,
 * which reports errors under the name `function`.
 */
size_t slab_page_block_bytes(const void *object);
void slab_free_page_block(const char *function, void *object, const void *caller);

/*
 * Frees what the fast path refused: an object of a cache with debugging flags or a hardened one.
 * Reports an invalid free, and then does not return.
 */
void slab_free_checked(struct kmem_cache *cache, void *object, const char *function,
		   const void *caller) slow_path;
/*
 * kmem_cache_free() (cache NULL: kfree()) on behalf of another function of the library. Reports
 * name that function and its caller.
 */
void slab_free_for(struct kmem_cache *cache, void *object, const char *function,
		   const void *caller) slow_path;
/* kmalloc_node(), and krealloc() to a size other than 0, on behalf of another function. */
void *slab_kmalloc_node_for(size_t size, gfp_t gfp, int nid, const void *caller);
void *slab_krealloc_for(const void *object, size_t new_size, gfp_t gfp, const char *function,
			const void *caller);
/* Warns about flags that slabs cannot honour and returns gfp without them. */
gfp_t slab_fix_gfp(gfp_t gfp) slow_path;
/*
 * The cache of the slab that the address lies in, or NULL; for reports. Pages behind the start of
 * the last opened object do not name the cache.
 */
struct kmem_cache *slab_cache_around(const void *address);
/* Does not return: the slab's freelist leads to something other than a free object of the slab. */
void slab_report_bad_freelist(const struct kmem_cache *cache, const struct page *slab,
			      const void *object) slow_path __attribute__((__noreturn__));
/* Ends the process with SLAB_PANIC. error is a negative errno value. */
void slab_report_not_created(const struct slab_cache_request *request, int error) slow_path;
/* Warns once that a cache with a constructor was asked for zeroed objects. */
void slab_report_zeroing(const struct kmem_cache *cache) slow_path;
/* Reports that no slab could be allocated, as Linux does: at most ten times in five seconds. */
void slab_report_out_of_memory(struct kmem_cache *cache, gfp_t gfp, int nid) slow_path;
/*
 * Does not return: reports why the pointer cannot be freed. caller: where the free was called
 * (NULL: unknown).
 */
void slab_report_bad_free(const char *function, const void *pointer, const void *caller)
	slow_path __attribute__((__noreturn__));
/* Does not return: reports a free of an object that kfree_rcu() is going to free. */
void slab_report_waiting(const char *function, const void *object, const void *caller)
	slow_path __attribute__((__noreturn__));
/* Does not return: reports the given text. */
void slab_report_fatal(const void *caller, const char *format, ...) __printf(2, 3)
	slow_path __attribute__((__noreturn__));

#endif
