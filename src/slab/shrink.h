/* SPDX-License-Identifier: MIT */
#ifndef SLAB_SHRINK_H
#define SLAB_SHRINK_H

#include "slab/slab.h"

/* One thread at a time stops sheaves, or CPUs' slabs. RANK_SHEAVES */
extern struct lock slab_sheaves_lock;

/* empty of sheaf_ops (cpu_cache.h). */
void slab_empty_sheaves(struct kmem_cache *cache, void **objects);

void slab_shrink_init(void);
/* Last of all: from now on the background thread and usermm_trim() go through barns and caches. */
void slab_shrink_begin(void);

#endif
