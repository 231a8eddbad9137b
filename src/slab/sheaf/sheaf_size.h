/* SPDX-License-Identifier: MIT */
/*
 * Room: how many objects each CPU's sheaf may hold.
 *
 * 1. Purpose. A sheaf that is found empty or full has missed, and a larger one would have missed
 *    less. So the room follows misses, as the capacity of barns does (barn.h):
 *
 *	first miss			a page of objects; at least four objects, if they have
 *					up to two pages each
 *	each further miss		twice as much, up to the cache's sheaf_room_max
 *	a miss while the barn has	sheaf_room_max at once: the barn's batches come from
 *	batches				sheaves of that room
 *	cache idle, memory wanted	none, and the objects go back as well (shrink.c)
 *
 * 2. Budget. The first page of objects is free of charge. More bytes are reserved from the barns'
 *    budget (barn_budget.h, option slab_cache_bytes=), which may refuse. So however many caches and
 *    CPUs there are,
 *
 *	bytes of free objects outside of slabs <=
 *		budget + for each cache: CPUs * (a page, or an object if that is more)
 *
 *    A cache that was created with a sheaf_capacity has that room from the first miss on, free of
 *    charge.
 *
 * 3. Who may touch what. A CPU's room is a word in its slot. A thread that meets a miss there
 *    changes the word by compare-and-swap. A thread that has stopped the sheaf makes it 0 by an
 *    exchange. So each reserved byte is given back once.
 *
 *    The limit of the sheaf's array follows the room: percpu_array_prepare() sets it after each
 *    miss. A thread that moves between the two steps gives its limit to another CPU's array. Until
 *    that CPU misses, its sheaf may hold more than its room, and the sum above is larger by that.
 *    No array gets a limit that it has no memory for.
 *
 *    Where CPUs cannot be stopped, rooms do not shrink.
 */
#ifndef SLAB_SHEAF_SHEAF_SIZE_H
#define SLAB_SHEAF_SHEAF_SIZE_H

#include "slab/slab.h"

/* The value for cache->sheaf_room_max. */
uint32_t sheaf_size_max(const struct kmem_cache *cache);
/* For a cache with own_sheaf. If per-CPU memory is used up, its sheaves never have room. */
void sheaf_size_init(struct kmem_cache *cache);
/* The cache is about to lose its sheaves. */
void sheaf_size_destroy(struct kmem_cache *cache);

/*
 * After a miss of this CPU's sheaf: gives it more room, unless the room is sheaf_room_max or the
 * budget refuses. Returns the room; 0 if there is no sheaf. *is_wider says whether the sheaf that
 * missed may hold more now.
 */
unsigned int sheaf_size_widen(struct kmem_cache *cache, bool *is_wider);
/* Sets the room of the slot's sheaf to 0, until its next miss. The caller has stopped the sheaf. */
void sheaf_size_close(struct kmem_cache *cache, unsigned int slot);
bool sheaf_size_is_open(const struct kmem_cache *cache, unsigned int slot);

#endif
