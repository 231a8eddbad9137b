/* SPDX-License-Identifier: MIT */
/* Random order of a slab's objects, and the key of links. See random.c. */
#ifndef SLAB_RANDOM_H
#define SLAB_RANDOM_H

#include "percpu/generations.h"
#include "slab/slab.h"

/* Before any cache is made. */
void slab_random_init(void);
unsigned long slab_random_number(void);
/*
 * An order of n, which is 1, 2, 4 or so on up to the maximum: one of those that
 * slab_random_make_orders() has made before any cache was. Each object comes to each place
 * equally often, and no more is said: see random.c.
 */
#define SLAB_RANDOM_ORDER_MAX 128u
void slab_random_make_orders(void);
void slab_random_order(struct percpu_order *order, unsigned int n);
/* What the options ask of a new cache. */
void slab_random_setup(struct kmem_cache *cache);
/*
 * Links all objects of a slab that nobody else knows, in a random order; all of them are
 * opened. The first one.
 */
void *slab_random_freelist(struct kmem_cache *cache, const struct page *slab);

#endif
