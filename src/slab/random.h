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
 * The n objects in a random order, which any other is as likely as, for n that are few. Faster is
 * an order of those that were made, if there is one of so many objects, else false; they then
 * come to each place equally often, and no more is said. slab_random_follow() copies the n that
 * come `first` and behind it.
 */
void slab_random_shuffle(void **objects, unsigned int n);
struct slab_order {
	const uint8_t *place;
	unsigned int turned;
};
bool slab_random_order(struct slab_order *order, unsigned int n);
void slab_random_follow(const struct slab_order *order, void **to, void *const *objects,
			unsigned int first, unsigned int n);
/* What the options ask of a new cache. */
void slab_random_setup(struct kmem_cache *cache);
/*
 * Links all objects of a slab that nobody else knows, in a random order; all of them are
 * opened. The first one.
 */
void *slab_random_freelist(struct kmem_cache *cache, const struct page *slab);

#endif
