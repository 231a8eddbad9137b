/* SPDX-License-Identifier: MIT */
/*
 * Pools with a reserve of elements, so that a caller that may wait always gets one.
 *
 * An allocation tries the allocator without reclaim, then the reserve (last in, first out), then
 * the allocator with the caller's flags. If it may wait, it then waits until an element is freed.
 * Semantics: Linux 7.3 mm/mempool.c, with the rules of the
 * version where they differ.
 */
#ifndef _LINUX_MEMPOOL_H
#define _LINUX_MEMPOOL_H

#include <linux/alloc_tag.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct kmem_cache;

typedef void *(mempool_alloc_t)(gfp_t gfp, void *pool_data);
typedef void (mempool_free_t)(void *element, void *pool_data);

/* The structure's tag is mempool_s up to Linux 6.18, and mempool since. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define USERMM_MEMPOOL mempool_s
#else
#define USERMM_MEMPOOL mempool
#endif
typedef struct USERMM_MEMPOOL {
	spinlock_t lock;
	int min_nr;			/* size of the reserve */
	int curr_nr;			/* elements in the reserve now */
	void **elements;
	void *pool_data;
	mempool_alloc_t *alloc;
	mempool_free_t *free;
	wait_queue_head_t wait;
} mempool_t;

static inline bool mempool_initialized(mempool_t *pool)
{
	return pool->elements != NULL;
}

static inline bool mempool_is_saturated(mempool_t *pool)
{
	return READ_ONCE(pool->curr_nr) >= pool->min_nr;
}

int mempool_init(mempool_t *pool, int min_nr, mempool_alloc_t *alloc, mempool_free_t *release,
		 void *pool_data) USERMM_API(mempool_init);
void mempool_exit(mempool_t *pool) USERMM_API(mempool_exit);
void mempool_destroy(mempool_t *pool) USERMM_API(mempool_destroy);
int mempool_resize(mempool_t *pool, int new_min_nr) USERMM_API(mempool_resize);
void *mempool_alloc(mempool_t *pool, gfp_t gfp) USERMM_API(mempool_alloc);
/* An element of the reserve, or NULL. Never calls the allocator. */
void *mempool_alloc_preallocated(mempool_t *pool) USERMM_API(mempool_alloc_preallocated);
void mempool_free(void *element, mempool_t *pool) USERMM_API(mempool_free);
/*
 * Several elements (since Linux 6.19), at most as many as the reserve has. alloc_bulk may wait, and
 * returns 0. free_bulk keeps the first elements for the reserve, and returns how many: the caller
 * frees the others.
 */
int mempool_alloc_bulk(mempool_t *pool, void **elements, unsigned int nr)
	USERMM_API(mempool_alloc_bulk);
unsigned int mempool_free_bulk(mempool_t *pool, void **elements, unsigned int nr)
	USERMM_API(mempool_free_bulk);

/* Fills the reserve with gfp; the other functions use GFP_KERNEL. */
int mempool_init_node(mempool_t *pool, int min_nr, mempool_alloc_t *alloc,
		      mempool_free_t *release, void *pool_data, gfp_t gfp, int node)
	USERMM_API(mempool_init_node);
mempool_t *mempool_create_node(int min_nr, mempool_alloc_t *alloc, mempool_free_t *release,
			       void *pool_data, gfp_t gfp, int node)
	USERMM_API(mempool_create_node);

static inline mempool_t *mempool_create(int min_nr, mempool_alloc_t *alloc,
					mempool_free_t *release, void *pool_data)
{
	return mempool_create_node(min_nr, alloc, release, pool_data, GFP_KERNEL, NUMA_NO_NODE);
}

/* Does not use the reserve, and does not wait for an element. */
#define mempool_alloc_noreserve(pool, gfp) ((pool)->alloc(gfp, (pool)->pool_data))
#define mempool_init_noprof mempool_init
#define mempool_create_node_noprof mempool_create_node
#define mempool_alloc_noprof mempool_alloc

void *mempool_alloc_slab(gfp_t gfp, void *pool_data) USERMM_API(mempool_alloc_slab);
void mempool_free_slab(void *element, void *pool_data) USERMM_API(mempool_free_slab);
void *mempool_kmalloc(gfp_t gfp, void *pool_data) USERMM_API(mempool_kmalloc);
void mempool_kfree(void *element, void *pool_data) USERMM_API(mempool_kfree);
void *mempool_alloc_pages(gfp_t gfp, void *pool_data) USERMM_API(mempool_alloc_pages);
void mempool_free_pages(void *element, void *pool_data) USERMM_API(mempool_free_pages);

#define mempool_init_slab_pool(pool, nr, cache) \
	mempool_init(pool, nr, mempool_alloc_slab, mempool_free_slab, (void *)(cache))
#define mempool_create_slab_pool(nr, cache) \
	mempool_create(nr, mempool_alloc_slab, mempool_free_slab, (void *)(cache))
#define mempool_init_kmalloc_pool(pool, nr, size) \
	mempool_init(pool, nr, mempool_kmalloc, mempool_kfree, (void *)(size_t)(size))
#define mempool_create_kmalloc_pool(nr, size) \
	mempool_create(nr, mempool_kmalloc, mempool_kfree, (void *)(size_t)(size))
#define mempool_init_page_pool(pool, nr, order) \
	mempool_init(pool, nr, mempool_alloc_pages, mempool_free_pages, (void *)(long)(order))
#define mempool_create_page_pool(nr, order) \
	mempool_create(nr, mempool_alloc_pages, mempool_free_pages, (void *)(long)(order))

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
void *mempool_kvmalloc(gfp_t gfp, void *pool_data) USERMM_API(mempool_kvmalloc);
void mempool_kvfree(void *element, void *pool_data) USERMM_API(mempool_kvfree);
#define mempool_init_kvmalloc_pool(pool, nr, size) \
	mempool_init(pool, nr, mempool_kvmalloc, mempool_kvfree, (void *)(size_t)(size))
#define mempool_create_kvmalloc_pool(nr, size) \
	mempool_create(nr, mempool_kvmalloc, mempool_kvfree, (void *)(size_t)(size))
#else
USERMM_REMOVED(mempool_kvmalloc, "6.19", "mempool_kmalloc()")
USERMM_REMOVED(mempool_kvfree, "6.19", "mempool_kfree()")
USERMM_REMOVED(mempool_init_kvmalloc_pool, "6.19", "mempool_init_kmalloc_pool()")
USERMM_REMOVED(mempool_create_kvmalloc_pool, "6.19", "mempool_create_kmalloc_pool()")
#endif

#endif
