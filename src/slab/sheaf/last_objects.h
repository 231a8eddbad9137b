/* SPDX-License-Identifier: MIT */
/*
 * When the last objects of a cache come back, the CPU and the barn give theirs back as well.
 *
 * A free object that a CPU or a barn keeps holds its whole slab. A CPU keeps up to 255 objects of a
 * cache. If the objects were freed in no order, nearly each of these lies in another slab, and
 * 12 MiB of slabs may stay for nothing. The background thread would free them, but a program that
 * has so little gets no thread (page/reclaim/decay.h), and may never call again.
 *
 * So a free that sends a batch to the slabs looks how many objects are still in use, if all slabs
 * together have some MiB. If that is at most another batch, sheaves and barn are emptied. Until the
 * next refill the sheaves have room for one object at most: no further batch may come, so each of
 * the last objects goes to its slab itself. This costs some microseconds each time that hardly any
 * object is left of many. A program that frees and allocates in turns does not come here: its barn
 * grows, and takes all batches.
 *
 * The flag needs no order, since it decides only how much is kept. If another thread refills
 * meanwhile, this CPU's limit stays at 1 while the flag is off: then the next free that finds no
 * room prepares the array anew, as after any miss. If the flag stays on although sheaves are open,
 * objects beyond their room go to the slabs until the next refill.
 *
 * Hardened caches keep theirs: a write to a freed object is found while the object waits, and not
 * after its slab has gone.
 */
#ifndef SLAB_SHEAF_LAST_OBJECTS_H
#define SLAB_SHEAF_LAST_OBJECTS_H

#include "slab/slab.h"

/*
 * Called after a batch of this CPU's sheaf went to the slabs, with nothing of it on the stack. If
 * hardly any object is left in use, does the above.
 */
void slab_look_at_last_objects(struct kmem_cache *cache) slow_path;

/* Called at each refill: objects are in demand again. */
static inline void slab_no_last_objects(struct kmem_cache *cache)
{
	if (unlikely(slab_last_objects(cache)))
		atomic_store_relaxed(&cache->last_objects, false);
}

#endif
