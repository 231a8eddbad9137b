/* SPDX-License-Identifier: MIT */
/*
 * mallopt(M_PERTURB): malloc() fills new blocks with the complement of a byte, and free() fills
 * blocks with the byte. A program that relies on what such bytes were before then behaves
 * differently. calloc() stays zero. Mapping blocks are not filled when they are freed.
 *
 * Fast paths do not ask. While this is on, malloc's classes show them no sheaf, so all calls take
 * the slow paths; freed objects are filled as with init_on_free=1 (slab/clearing.h). It has no
 * effect with hardened=1, profile= and kfence_sample=, whose calls take ways of their own, and
 * where options clear memory.
 */
#ifndef MALLOC_PERTURB_H
#define MALLOC_PERTURB_H

#include "base/atomic.h"
#include "base/compiler.h"

struct kmem_cache;

/* The byte; 0: off. Sync: atomic relaxed; a thread may see it late */
extern unsigned char perturb_byte __hidden;

static inline bool perturb_is_on(void)
{
	return unlikely(atomic_load_relaxed(&perturb_byte));
}

/* Fills blocks with this byte from now on; 0: with none any more. */
void perturb_set(unsigned char byte);
/* Applies it to a class that is new. The caller holds slab_caches_lock. */
void perturb_class_locked(struct kmem_cache *cache);
/* Fills `size` bytes of a new block. */
void perturb_new(void *block, size_t size) slow_path;
/*
 * Fills a page block, or a block of a mixed slab, that is about to be freed. Does nothing if there
 * is none.
 */
void perturb_freed_pages(void *pointer) slow_path;

#endif
