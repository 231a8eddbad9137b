/* SPDX-License-Identifier: MIT */
/* Random order of a slab's objects, and the key of links. See random.c. */
#ifndef SLAB_RANDOM_H
#define SLAB_RANDOM_H

#include "slab/slab.h"

/* Before any cache is made. */
void slab_random_init(void);
unsigned long slab_random_number(void);
/* Before any cache is made, for those who often shuffle 2, 4 and so on up to 128: see random.c. */
void slab_random_make_orders(void);
/*
 * The n objects in a random order: to has room for them, and is not where they are. Any order of
 * them is as likely as any other, for n that are few. Once orders are made those of so many
 * come to each place equally often, and no more is said.
 */
void slab_random_shuffle(void **to, void *const *objects, unsigned int n);
/* What the options ask of a new cache. */
void slab_random_setup(struct kmem_cache *cache);
/*
 * Links all objects of a slab that nobody else knows, in a random order; all of them are
 * opened. The first one.
 */
void *slab_random_freelist(struct kmem_cache *cache, const struct page *slab);

#endif
