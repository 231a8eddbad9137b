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

#define KMALLOC_CACHES (NR_KMALLOC_TYPES * KMALLOC_CLASSES)

/*
 * First all classes of the first kind, then all of the next, and so on. Sync: see struct
 * kmem_cache; kmalloc_setup().
 */
extern struct kmem_cache kmalloc_caches[KMALLOC_CACHES] __hidden;

/* index: the lower half of USERMM_KMALLOC_CLASS(). caller: its address chooses a random copy. */
struct kmem_cache *kmalloc_cache(unsigned int index, const void *caller);
/* The size of a class's objects, in bytes. */
unsigned int kmalloc_class_bytes(unsigned int size_class);

#endif
