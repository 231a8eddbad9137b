/* SPDX-License-Identifier: MIT */
/* Making caches, and the list of all of them. */
#ifndef SLAB_CACHE_H
#define SLAB_CACHE_H

#include "base/linux_version.h"
#include "slab/slab.h"

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

extern struct lock slab_caches_lock;		/* RANK_CACHES */
extern struct list_head slab_caches;		/* Sync: slab_caches_lock */

/* The parameters of a new cache. */
struct slab_cache_request {
	const char *name;
	unsigned int size, align;
	slab_flags_t flags;
	void (*ctor)(void *object);
	unsigned int useroffset, usersize;
	/*
	 * With use_freeptr_offset: offset of the link in the object. For SLAB_TYPESAFE_BY_RCU;
	 * since Linux 7.1 also for caches with a constructor, which ignored it before.
	 */
	unsigned int freeptr_offset;
	bool use_freeptr_offset;
	unsigned int sheaf_capacity;	/* objects in a sheaf; 0: the cache chooses */
	bool may_merge;			/* with an equal cache, unless an option forbids it */
	bool in_interrupt;		/* the caller may not make caches: this is refused */
	bool is_refused;		/* the call does not offer such caches; a message says so */
	bool hardened;			/* see hardened.h; not where debugging is on */
	/*
	 * Slabs of at least 32 KiB: objects allocated in a row lie side by side, across pages too.
	 */
	bool large_slabs;
	/* Objects are freed by free() alone, so sparse slabs may become mixed ones: mixed.h. */
	bool may_mix;
	/*
	 * kfence_sample=: whoever takes an object from the sheaf has asked slab_kfence_passes()
	 * first.
	 */
	bool caller_guards;
	const void *owner;		/* see struct kmem_cache; NULL: no heap */
};

/* Does the request say where the link lies? Up to Linux 7.0 not if the cache has a constructor. */
static inline bool slab_places_link(const struct kmem_cache *cache,
				    const struct slab_cache_request *request)
{
	return request->use_freeptr_offset && (!cache->ctor || linux_since(7, 1));
}

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

/*
 * For destroy/: the last steps of a cache that nobody uses. Frees its nodes (the caller holds
 * slab_caches_lock), and its own memory with the name.
 */
void slab_nodes_destroy_locked(struct kmem_cache *cache);
void slab_cache_free(struct kmem_cache *cache);

#endif
