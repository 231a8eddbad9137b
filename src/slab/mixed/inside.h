/* SPDX-License-Identifier: MIT */
/*
 * Pages inside large free objects go back to the system.
 *
 * Few large objects keep many slabs: 2 % of random objects of 10 KiB keep one of two slabs of 128
 * KiB. Such slabs are too large for the maps of mixed slabs (mixed/mixed.h). But a free object that
 * is longer than a page has pages that hold nothing: all but the one with its link, and those that
 * it shares with its neighbours. They come back by a page fault each, when the program writes to
 * the object that it got.
 *
 * The objects of a slab's freelist are taken, as for an allocation, and put back after the system
 * calls. So nobody waits for a system call under the node's lock, and nobody gets an object whose
 * pages are about to go.
 */
#ifndef SLAB_MIXED_INSIDE_H
#define SLAB_MIXED_INSIDE_H

#include "slab/slab.h"

/*
 * Does so for all free objects in slabs, once; each call repeats it for pages that are gone
 * already. Returns how many pages the system was given. No lock above RANK_CACHES is held.
 */
unsigned long slab_release_inside(struct kmem_cache *cache);

#endif
