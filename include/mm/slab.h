/* SPDX-License-Identifier: MIT */
/*
 * For sources that look inside with "../mm/slab.h": the fields of a cache, and what
 * tests of slab debugging call. A cache has more fields than are shown, so caches
 * are only ever pointed at.
 */
#ifndef MM_SLAB_H
#define MM_SLAB_H

#include <linux/kasan.h>
#include <linux/kfence.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <usermm/kmem_cache.h>

struct kmem_cache {
	USERMM_KMEM_CACHE_HEAD;
};

#define SLAB_CORE_FLAGS (SLAB_HWCACHE_ALIGN | SLAB_CACHE_DMA | SLAB_CACHE_DMA32 | \
			 SLAB_PANIC | SLAB_TYPESAFE_BY_RCU)
#define SLAB_DEBUG_FLAGS USERMM_SLAB_DEBUG_FLAGS
#define SLAB_CACHE_FLAGS (SLAB_NOLEAKTRACE | SLAB_RECLAIM_ACCOUNT | SLAB_TEMPORARY | \
			  SLAB_ACCOUNT | SLAB_NO_USER_FLAGS | SLAB_KMALLOC | SLAB_NO_MERGE)
#define CACHE_CREATE_MASK (SLAB_CORE_FLAGS | SLAB_DEBUG_FLAGS | SLAB_CACHE_FLAGS)

/* A slab. Its objects in use are also counted if CPUs have them ready. */
struct slab {
	char usermm_private[offsetof(struct page, inuse)];
	unsigned short inuse, usermm_private_too[2];
	unsigned int objects : 15;
};

/* NULL if the address is in none. */
struct slab *virt_to_slab(const void *address) USERMM_API(virt_to_slab);
/* The object's number in its slab, from 0; and how many objects a slab has. */
unsigned int obj_to_index(const struct kmem_cache *cache, const struct slab *slab,
			  const void *object) USERMM_API(obj_to_index);
int objs_per_slab(const struct kmem_cache *cache, const struct slab *slab)
	USERMM_API(objs_per_slab);

/* Has the cache one of these debugging flags? */
static inline bool kmem_cache_debug_flags(struct kmem_cache *cache, slab_flags_t flags)
{
	return cache->flags & flags;
}

#endif
