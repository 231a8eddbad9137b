/* SPDX-License-Identifier: MIT */
/* Random order of a slab's objects, and the key of links. See random.c. */
#ifndef SLAB_RANDOM_H
#define SLAB_RANDOM_H

#include "percpu/generations.h"
#include "slab/slab.h"

/* To be called before any cache is made. */
void slab_random_init(void);
unsigned long slab_random_number(void);
/*
 * A random order of n objects; n is a power of two up to the maximum. slab_random_make_orders()
 * prepares the orders before any cache is made. Each object comes to each place equally often;
 * nothing more is promised: see random.c.
 */
#define SLAB_RANDOM_ORDER_MAX 128u
void slab_random_make_orders(void);
void slab_random_order(struct percpu_order *order, unsigned int n);
/* Applies the options to a new cache. */
void slab_random_setup(struct kmem_cache *cache);
/*
 * Links all objects of a slab in random order and returns the first. All are opened, and nobody
 * else knows the slab.
 */
void *slab_random_freelist(struct kmem_cache *cache, const struct page *slab);

#endif
