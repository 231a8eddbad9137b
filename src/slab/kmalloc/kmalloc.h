/* SPDX-License-Identifier: MIT */
/*
 * kmalloc's caches: one for each class of each kind. slab_init() makes all of them, so kind
 * and class are an index into one array.
 *
 * With random_kmalloc_caches=on the NORMAL kind has 15 more copies of each cache. The address
 * of the caller chooses one of the 16. So after a use after free the object's memory rarely
 * belongs to an object that was allocated elsewhere. The plain caches then show the fast paths
 * no sheaf, so every call reaches kmalloc_cache(). Without the option the fast paths pay nothing.
 */
#ifndef SLAB_KMALLOC_KMALLOC_H
#define SLAB_KMALLOC_KMALLOC_H

#include "slab/slab.h"

/* kmalloc_caches.c */
#define KMALLOC_CACHES (NR_KMALLOC_TYPES * KMALLOC_CLASSES)

/*
 * First all classes of the first kind, then all of the next, and so on. Sync: see struct
 * kmem_cache; kmalloc_setup().
 */
extern struct kmem_cache kmalloc_caches[KMALLOC_CACHES] __hidden;
void kmalloc_setup(void);

/* index: the lower half of USERMM_KMALLOC_CLASS(). caller: its address chooses a random copy. */
struct kmem_cache *kmalloc_cache(unsigned int index, const void *caller);
/* The size of a class's objects, in bytes. */
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
