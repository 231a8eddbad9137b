/* SPDX-License-Identifier: MIT */
/* The record of a guarded object's slot: for kfence.c, and for tools that read a process. */
#ifndef SLAB_KFENCE_KFENCE_SLOT_H
#define SLAB_KFENCE_KFENCE_SLOT_H

#include "slab/debug/debug_object.h"
#include "slab/kfence/kfence.h"

enum slot_state { SLOT_UNUSED, SLOT_BUSY, SLOT_ALLOCATED, SLOT_RCU_FREEING, SLOT_FREED };

struct slot {
	uint32_t state;			/* Sync: atomic acquire/release; see kfence.h */
	/* Sync: atomic relaxed; the value of `turns` when it was freed */
	uint32_t freed_at;
	uint32_t is_open;		/* Sync: atomic relaxed; a guard page beside it is open */
	/* Sync: the owner of a busy slot writes them; reports read them without a check */
	char *object;
	size_t size;
	const struct kmem_cache *cache;	/* NULL: freed, and the cache was destroyed since */
	char name[CACHE_NAME_BYTES];	/* the cache's */
	struct slab_track tracks[NR_TRACKS];
	struct list_head rcu_head;	/* Sync: slab_rcu_hooks' in SLOT_RCU_FREEING */
};

/* SLAB_GUARD_SLOTS records; NULL without the option. Sync: constant after slab_kfence_init() */
extern struct slot *slab_kfence_slots;

#endif
