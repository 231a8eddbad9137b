/* SPDX-License-Identifier: MIT */
/*
 * Rooms: how many objects each CPU's sheaf may hold.
 *
 * 1. Purpose. A sheaf that is found empty, or without room, has missed, and a larger one would
 *    have missed less. So the room follows misses, as the capacity of barns does (barn.h):
 *
 *	first miss			the objects of a page, or four, if they have up to
 *					two pages each
 *	each further miss		twice as many, up to the cache's sheaf_room_max
 *	a miss while the barn has	sheaf_room_max at once: what the barn has are batches of
 *	such batches				a sheaf
 *	cache idle, memory wanted	none, and the objects go back as well (shrink.c)
 *
 * 2. The bytes beyond the first page's are the barns' budget's (barn_budget.h: slab_cache_bytes=),
 *    which may refuse them. So however many caches and CPUs there are,
 *
 *	bytes of free objects outside of slabs <=
 *		budget + CPUs * a page, or an object if that is more, for each cache
 *
 *    A cache with a wish (sheaf_capacity) has that room from the first miss on, and on no account.
 *
 * 3. Who may touch what. A CPU's room is a word in its slot. Whoever meets a miss there changes
 *    it by compare-and-swap; who has stopped the sheaf makes it 0 by an exchange: so each byte
 *    that is reserved for it is given back once. The limit of the sheaf's array follows the room,
 *    by percpu_array_prepare() behind each miss. A thread that is moved in between gives another
 *    CPU's array that limit, until it misses as well: so long it may hold more than its room, and
 *    the sum above is more by that. No array has a limit that it has no memory for. Where CPUs
 *    cannot be stopped rooms do not shrink.
 */
#ifndef SLAB_SHEAF_SHEAF_SIZE_H
#define SLAB_SHEAF_SHEAF_SIZE_H

#include "slab/slab.h"

/* The most objects that a CPU's sheaf of this cache may hold: sheaf_room_max. */
uint32_t sheaf_size_max(const struct kmem_cache *cache);
/* For a cache with own_sheaf. Where slots are used up its sheaves never have room. */
void sheaf_size_init(struct kmem_cache *cache);
/* The cache is about to lose its sheaves. */
void sheaf_size_destroy(struct kmem_cache *cache);

/*
 * This CPU's sheaf has missed: it has more room from now on, unless it has all that it may have
 * or the budget refuses. The room; 0 if there is no sheaf.
 */
unsigned int sheaf_size_widen(struct kmem_cache *cache);
/* The slot's sheaf is stopped and stays without room until its next miss. */
void sheaf_size_close(struct kmem_cache *cache, unsigned int slot);
bool sheaf_size_is_open(const struct kmem_cache *cache, unsigned int slot);

#endif
