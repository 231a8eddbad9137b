/* SPDX-License-Identifier: MIT */
#ifndef SLAB_SHRINK_H
#define SLAB_SHRINK_H

#include "slab/slab.h"

/* One thread at a time stops sheaves, or CPUs' slabs. RANK_SHEAVES */
extern struct lock slab_sheaves_lock;

/* empty of sheaf_ops (cpu_cache.h). */
void slab_empty_sheaves(struct kmem_cache *cache, void **objects);

void slab_shrink_init(void);
/*
 * The last step of slab_base_init(): from now on the background thread and usermm_trim() go through
 * barns and caches.
 */
void slab_shrink_begin(void);
/*
 * Checks free objects of hardened caches, and returns them to their slabs. Called at the end of the
 * process, since nobody checks the objects later. Looks into barns, and into the quarantines and
 * sheaves of this CPU and of a limited number of others. Objects that are in their slabs already
 * are not checked.
 */
void slab_hardened_sweep(void);

#endif
