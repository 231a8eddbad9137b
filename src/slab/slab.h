/* SPDX-License-Identifier: MIT */
/*
 * slab: caches of equal objects, in the manner of SLUB.
 *
 * 1. Purpose. The tower inside this layer: kmalloc.c (entry points) -> slab_fast.h
 *    (one per-CPU array of free objects per cache, called a sheaf as in Linux) ->
 *    slab.c (the cache's slabs, under its lock) -> cache.c (making and destroying
 *    caches).
 *
 * 2. What it must not know: malloc, and how pages are found.
 *
 * 3. Objects and their states. A slab is a block of pages, aligned to its size;
 *    its struct pages name the cache. An object of a slab is
 *
 *	not opened	behind the first `opened` objects: memory not touched yet
 *	not carved	behind the first `carved` ones: marked free
 *	free in slab	on the slab's freelist
 *	cached		free, in some CPU's sheaf; counts as in use to the slab
 *	deferred	free, on its way back to its slab; counts as in use
 *	allocated	the user's
 *
 *	objects == inuse + length of freelist + (objects - carved)
 *
 *    A slab with free objects is on its cache's partial list; a full one is on
 *    no list. A slab is opened page by page as objects are needed, so a cache
 *    that is little used stays small, and only the struct pages of opened pages
 *    name the cache: an address behind them is no object's yet. With a
 *    constructor all objects are opened and constructed at once, as in Linux.
 *
 * 4. Who may touch what. The sheaf belongs to its slot (percpu.h). slabs' fields
 *    and the partial list belong to the cache's lock. A free object's memory
 *    belongs to whoever holds it; two of its words are used:
 *
 *	link	next free object of the slab, while free in slab; next deferred one
 *	mark	says "this object is free" until the next allocation
 *
 *    Without a constructor the link is word 0 and the mark word 1, so even objects of
 *    8 bytes lie 16 apart; with one both lie behind the object.
 *
 *    A signal handler above a thread that holds a lock (os/lock.h) gets what is in
 *    the sheaf and NULL otherwise. What it frees and the sheaf cannot hold is
 *    deferred: whoever takes the cache's lock next returns it.
 *
 * 5. Differences from Linux: objects pass through the sheaf in both directions
 *    whichever slab they are of; slabs are found by alignment, so all slabs of a
 *    cache have one order. Caches are merged for kernel sources alone unless an
 *    option says otherwise: programs want to see their caches' names.
 *
 *    A cache with debugging flags has no sheaf, and its objects are none to the
 *    fast path's check, so every call ends in debug.c; see debug.h.
 *
 * 6. Failure: no memory is NULL. A free that cannot be right is reported and
 *    ends the process before anything is changed; not so where debugging is on.
 */
#ifndef SLAB_SLAB_H
#define SLAB_SLAB_H

#include "os/lock.h"
#include "percpu/percpu.h"
#include "usermm/kmem_cache.h"
#include "usermm/page.h"
#include "usermm/slab.h"

#define CACHE_NAME_BYTES 32
#define SHEAF_OBJECTS_MAX 63	/* in any cache's sheaf */

struct kmem_cache {
	USERMM_KMEM_CACHE_HEAD;
	/* Read by every allocation and free. Sync: constant after creation */
	/* Per-CPU; NULL works, slowly. Sync: may become NULL later (failslab.c) */
	struct percpu_array *sheaf __off_mark;
	unsigned long slab_mask __off_mark;	/* bytes of a slab - 1 */
	unsigned long divisor __off_mark;	/* 2^64 / size + 1; see object_starts_at() */
	uint32_t mark_offset __off_mark;
	uint32_t last_offset;		/* of the last object in its slab */
	uint32_t link_offset;		/* offset, by the name that this layer uses */
	uint32_t usable;		/* bytes of an object, for ksize() */
	/* Read by slow paths only. Sync: constant after creation */
	struct percpu_array *own_sheaf;	/* the same, and stays */
	uint32_t sheaf_limit;
	uint16_t objects;		/* in a slab */
	uint16_t order;			/* of a slab */
	char name_buffer[CACHE_NAME_BYTES];	/* of names that fit */

	struct lock lock __aligned(CACHE_LINE_BYTES);	/* RANK_CACHE */
	struct list_head partial;	/* Sync: lock; slabs with free objects */
	struct list_head full;		/* Sync: lock; others, for SLAB_STORE_USER only */
	/* Sync: push by compare-and-swap, taken as a whole under lock */
	void *deferred;			/* objects to be returned, through their links */
	unsigned long nr_partial;	/* Sync: lock */
	unsigned long nr_slabs;		/* Sync: lock */
	unsigned long nr_inuse;		/* Sync: lock; objects cached or allocated */
	/* Sync: lock; read without it for statistics */
	unsigned long refills, flushes, objects_up, slabs_created, slabs_freed;

	struct list_head caches;	/* Sync: RANK_CACHES */
	bool is_static;			/* memory is not from the cache of caches */
	unsigned int sheaf_capacity;	/* wished for. Sync: constant after creation */
};

/* Keys the mark; random, so that no program writes it by accident. */
extern unsigned long slab_mark_key;	/* Sync: constant after slab_init() */

/* Brings up the layers below and the kmalloc caches. 0 or -1. */
int slab_init(void);
/* Has that been done? Then the caller sees all of it. */
bool slab_is_up(void);
bool slab_is_cache_of_caches(const struct kmem_cache *cache);

/* cache.c */
extern struct lock slab_caches_lock;		/* RANK_CACHES */
extern struct list_head slab_caches;		/* Sync: slab_caches_lock */

/* What a cache is to be. */
struct slab_cache_request {
	const char *name;
	unsigned int size, align;
	slab_flags_t flags;
	void (*ctor)(void *object);
	unsigned int useroffset, usersize;
	/* SLAB_TYPESAFE_BY_RCU: where in the object the link may be, if use_freeptr_offset. */
	unsigned int freeptr_offset;
	bool use_freeptr_offset;
	unsigned int sheaf_capacity;	/* of sheaves; 0: any */
	bool may_merge;			/* unless the option forbids */
};
/* cf. Linux calculate_alignment() */
unsigned int slab_effective_align(unsigned int size, unsigned int align, slab_flags_t flags);
struct kmem_cache *slab_cache_create(const struct slab_cache_request *request);

/*
 * Makes a cache in memory of the caller's (for caches that exist before there is
 * an allocator). Sizes and alignment are as kmem_cache_create() checks them.
 */
void slab_cache_setup(struct kmem_cache *cache, const char *name, unsigned int size,
		      unsigned int align, slab_flags_t flags, void (*ctor)(void *));
void kmalloc_setup(void);

/* merge.c */
/* Another creation that a cache stands for; in the order of their making. */
struct slab_alias {
	struct list_head list;		/* Sync: slab_caches_lock */
	struct kmem_cache *cache;
	char name[];
};
extern struct list_head slab_aliases;		/* Sync: slab_caches_lock */
struct slab_alias *slab_alias_new(const char *name);
/* The cache that serves the request as well, one creation more; or NULL. */
struct kmem_cache *slab_merge_locked(const struct slab_cache_request *request,
				     struct slab_alias *alias);
/* One creation less: which one is not known, so the latest. NULL if it was the only one. */
struct slab_alias *slab_unmerge_locked(struct kmem_cache *cache);

/* slab.c */
/*
 * An object when the sheaf had none: fills the sheaf by half. size and caller are for
 * caches with debugging flags: bytes that are wanted, and by whom.
 */
void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/* An object of a node; see kmem_cache_alloc_node(). */
void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller);
/* Takes a freed object when the sheaf is full: empties it by half. */
void slab_free_slow(struct kmem_cache *cache, void *object);
/* Up to n free objects, from partial slabs or else from one new slab. */
unsigned int slab_take_objects(struct kmem_cache *cache, gfp_t gfp, void **objects,
			       unsigned int n);
/* Takes n objects that are on no sheaf back into their slabs. */
void slab_return_objects(struct kmem_cache *cache, void **objects, unsigned int n);
/* Every CPU's sheaf into the slabs; nobody may be using the cache. */
void slab_drain_all(struct kmem_cache *cache);
/* Frees the slabs without objects; returns the number of slabs that remain. */
unsigned long slab_free_empty(struct kmem_cache *cache);
/* Is the object on its slab's freelist? Walks it; for reports. */
bool slab_object_is_free(const struct kmem_cache *cache, const struct page *slab,
			 const void *object);
/* Objects in all CPUs' sheaves; approximate. A sheaf that is stopped counts as empty. */
unsigned long slab_cached_objects(const struct kmem_cache *cache);

/*
 * Blocks of pages that kmalloc made: the bytes of the one at exactly this address
 * (0 if there is none), and its free, which reports under the caller's name.
 */
size_t slab_page_block_bytes(const void *object);
void slab_free_page_block(const char *function, void *object);

/* A block of pages as a slab of the cache, without any object handed out; or NULL. */
struct page *slab_new(struct kmem_cache *cache, gfp_t gfp);
void slab_discard_list(struct kmem_cache *cache, struct list_head *slabs);
void slab_add_partial_locked(struct kmem_cache *cache, struct page *slab, bool tail);
void slab_remove_partial_locked(struct kmem_cache *cache, struct page *slab);
/* A slab of slab_new() comes; one of the partial list goes, to be discarded with `empty`. */
void slab_enlist_locked(struct kmem_cache *cache, struct page *slab);
void slab_retire_locked(struct kmem_cache *cache, struct page *slab, struct list_head *empty);
void slab_return_deferred_locked(struct kmem_cache *cache, struct list_head *empty);
/* Leaves objects to whoever takes the lock next. */
void slab_defer_objects(struct kmem_cache *cache, void **objects, unsigned int n);

/*
 * Takes back what the fast path would not: an object of a cache with debugging flags,
 * or what must not be freed, and then it does not return.
 */
void slab_free_odd(struct kmem_cache *cache, void *object, const char *function,
		   const void *caller) slow_path;
/* Tells, once, of an object that is constructed and then to be cleared, as Linux does. */
void slab_check_zeroing(const struct kmem_cache *cache, gfp_t gfp);
/* Does not return: says what is wrong with a pointer that was to be freed. */
void slab_report_bad_free(const char *function, const void *pointer) slow_path
	__attribute__((__noreturn__));
/* Does not return: somebody wrote to a free object of the slab. */
void slab_report_bad_link(const struct kmem_cache *cache, const struct page *slab) slow_path
	__attribute__((__noreturn__));

/* The first page of the slab that the object lies in. */
static inline struct page *slab_of(const struct kmem_cache *cache, const void *object)
{
	return virt_to_page((void *)((unsigned long)object & ~cache->slab_mask));
}

#endif
