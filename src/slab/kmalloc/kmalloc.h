/* SPDX-License-Identifier: MIT */
/*
 * kmalloc's caches: one for each class of each kind. All of them come up together, with
 * slab_init(), so that a class and a kind are an index.
 *
 * With random_kmalloc_caches=on the NORMAL kind has 15 copies more, and the place that
 * calls chooses among the 16: an object that is used after its free is then hardly ever
 * met by one of the same size from elsewhere. The plain caches show no sheaf to the fast
 * paths then, so that each call comes to kmalloc_cache(); without the option nothing asks.
 */
#ifndef SLAB_KMALLOC_KMALLOC_H
#define SLAB_KMALLOC_KMALLOC_H

#include "slab/slab.h"

/* kmalloc_caches.c */
#define KMALLOC_CACHES (NR_KMALLOC_TYPES * KMALLOC_CLASSES)

/* Kind by kind. Sync: as struct kmem_cache says; made by kmalloc_setup(). */
extern struct kmem_cache kmalloc_caches[KMALLOC_CACHES] __hidden;
void kmalloc_setup(void);

/* The cache of USERMM_KMALLOC_CLASS()'s lower half, for somebody who calls from there. */
struct kmem_cache *kmalloc_cache(unsigned int index, const void *caller);
/* Bytes of a class's objects. */
unsigned int kmalloc_class_bytes(unsigned int size_class);

/* kmalloc.c */
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

#endif
