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

#define KMALLOC_CACHES (NR_KMALLOC_TYPES * KMALLOC_CLASSES)

/* Kind by kind. Sync: as struct kmem_cache says; made by kmalloc_setup(). */
extern struct kmem_cache kmalloc_caches[KMALLOC_CACHES] __hidden;

/* The cache of USERMM_KMALLOC_CLASS()'s lower half, for somebody who calls from there. */
struct kmem_cache *kmalloc_cache(unsigned int index, const void *caller);
/* Bytes of a class's objects. */
unsigned int kmalloc_class_bytes(unsigned int size_class);

#endif
