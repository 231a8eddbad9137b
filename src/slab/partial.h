/* SPDX-License-Identifier: MIT */
/* A cache's slabs of one memory node, and how their free objects are taken. */
#ifndef SLAB_PARTIAL_H
#define SLAB_PARTIAL_H

#include "slab/slab.h"

/* A cache's usage; objects that CPUs keep count as in use. */
struct slab_usage {
	unsigned long slabs, pages, objects;
	unsigned long partial, empty;	/* slabs */
	unsigned long inuse, partial_inuse;	/* objects; those of partial slabs */
};
void slab_usage_read(struct kmem_cache *cache, struct slab_usage *usage);
/*
 * Reads the usage, and returns the number of allocated objects; approximate while others allocate.
 */
unsigned long slab_objects_in_use(struct kmem_cache *cache, struct slab_usage *usage);
void slab_usage_add_node(struct kmem_cache *cache, struct kmem_cache_node *node,
			 struct slab_usage *usage);
unsigned long slab_nr_slabs(const struct kmem_cache *cache);
unsigned long slab_nr_pages(const struct kmem_cache *cache);
/* How many slabs the cache has made and freed so far; approximate. */
void slab_read_turnover(const struct kmem_cache *cache, unsigned long *created,
			unsigned long *freed);

static inline unsigned long slab_node_nr_slabs(const struct kmem_cache_node *node)
{
	/*
	 * Read first, so that no slab counts as freed but not as created. Pairs with
	 * slab_count_gone_locked(): slabs_created
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
 * The steps of slab_take_objects(). slab_may_take(): may this thread take objects at all?
 * slab_take_partial(): from partial slabs. slab_take_new(): from the slab that the caller got from
 * slab_new(); if that is NULL, from partial slabs of any node once more.
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
/*
 * Takes up to n objects, marked free, off the freelist of the slab that is last on the node's list;
 * it is the last one no more. Opens no page. Returns how many.
 */
unsigned int slab_pop_last(struct kmem_cache_node *node, void **objects, unsigned int n);
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
 * slab_enlist_locked() adds a new slab to the partial list. slab_retire_locked() moves a slab from
 * there to `empty`, to be discarded.
 */
void slab_enlist_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab);
void slab_retire_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab, struct list_head *empty);

#endif
