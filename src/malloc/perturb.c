/* SPDX-License-Identifier: MIT */
#include "malloc/perturb.h"

#include <string.h>

#include "base/options.h"
#include "malloc/page_blocks.h"
#include "malloc/size_classes.h"
#include "mm/memmap.h"
#include "slab/cache.h"
#include "slab/clearing.h"
#include "slab/cpu_cache.h"
#include "slab/mixed/mixed.h"
#include "slab/slab_fast.h"

unsigned char perturb_byte __read_mostly;

/* A cache that shows no sheaf already, as with slab_debug=, is left alone. */
often_called void perturb_class_locked(struct kmem_cache *cache)
{
	if (!perturb_is_on() || !cache_sheaf(cache))
		return;
	cache->cpu_ops->show(cache, false);
	atomic_store_relaxed(&cache->init_on_free, true);
}

static void leave_class_locked(struct kmem_cache *cache)
{
	if (!cache->init_on_free)
		return;
	atomic_store_relaxed(&cache->init_on_free, false);
	cache->cpu_ops->show(cache, true);
}

static void for_each_class_locked(void (*act)(struct kmem_cache *cache))
{
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		struct kmem_cache *cache = class_of(class_bytes(i));

		if (cache)
			act(cache);
	}
}

static bool has_no_effect(void)
{
	return options.hardened || options.profile || options.kfence_sample ||
	       options.init_on_alloc || options.init_on_free;
}

void perturb_set(unsigned char byte)
{
	if (classes_init() || has_no_effect() || !lock_acquire_unless_handler(&slab_caches_lock))
		return;
	atomic_store_relaxed(&perturb_byte, byte);
	atomic_store_relaxed(&slab_freed_byte, byte);
	classes_set_limits(!byte);
	for_each_class_locked(byte ? perturb_class_locked : leave_class_locked);
	lock_release(&slab_caches_lock);
}

void perturb_new(void *block, size_t size)
{
	if (block)
		memset(block, (unsigned char)~atomic_load_relaxed(&perturb_byte), size);
}

void perturb_freed_pages(void *pointer)
{
	size_t bytes = 0;

	if (mm_is_online(pointer))
		bytes = max(block_bytes(pointer), slab_mixed_bytes(pointer));
	memset(pointer, atomic_load_relaxed(&perturb_byte), bytes);
}
