/* SPDX-License-Identifier: MIT */
/* Entry points: kmem_cache_alloc(), kmalloc() and their relatives. */
#include <string.h>

#include "base/check.h"
#include "mm/page_flags.h"
#include "slab/slab_fast.h"

static const struct {
	const char *name;
	unsigned int size;
	unsigned int align;
} kmalloc_table[KMALLOC_CLASSES] = {
	{ "kmalloc-8", 8, 8 },		{ "kmalloc-16", 16, 16 },
	{ "kmalloc-32", 32, 32 },	{ "kmalloc-64", 64, 64 },
	{ "kmalloc-96", 96, 32 },	{ "kmalloc-128", 128, 128 },
	{ "kmalloc-192", 192, 64 },	{ "kmalloc-256", 256, 256 },
	{ "kmalloc-512", 512, 512 },	{ "kmalloc-1k", 1024, 1024 },
	{ "kmalloc-2k", 2048, 2048 },	{ "kmalloc-4k", 4096, 4096 },
	{ "kmalloc-8k", 8192, 4096 },
};

static struct kmem_cache kmalloc_caches[KMALLOC_CLASSES];

/* Of all classes' objects; lay_out_object() says the same. */
static const uint8_t kmalloc_mark_offset[KMALLOC_CLASSES] = {
	0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
};

void kmalloc_setup(void)
{
	for (unsigned int i = 0; i < KMALLOC_CLASSES; i++) {
		slab_cache_setup(&kmalloc_caches[i], kmalloc_table[i].name, kmalloc_table[i].size,
				 kmalloc_table[i].align, 0, NULL);
		ASSERT(kmalloc_caches[i].mark_offset == kmalloc_mark_offset[i]);
	}
}

/* --- Allocation ---------------------------------------------------------- */

/* What is left to do: find an object if there is none yet, and clear it. */
static noinline void *cache_alloc_rest(struct kmem_cache *cache, gfp_t gfp, void *object)
{
	if (!object)
		object = slab_alloc_slow(cache, gfp);
	if (object && (gfp & __GFP_ZERO))
		memset(object, 0, cache->object_size);
	return object;
}

static __always_inline void *alloc_object(struct kmem_cache *cache, uint32_t mark_offset,
					  gfp_t gfp)
{
	/* pairs with slab_cache_setup(): the rest of a cache that is just being made */
	void *object = slab_alloc_fast(atomic_load_acquire(&cache->sheaf), mark_offset);

	if (likely(object) && likely(!(gfp & __GFP_ZERO)))
		return object;
	return cache_alloc_rest(cache, gfp, object);
}

/* kmalloc's caches may be met before they are made: nothing else is read of them. */
static __always_inline void *kmalloc_alloc(unsigned int size_class, gfp_t gfp)
{
	return alloc_object(&kmalloc_caches[size_class], kmalloc_mark_offset[size_class], gfp);
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	return alloc_object(cache, cache->mark_offset, gfp);
}

void *usermm_kmalloc_class(unsigned int size_class, gfp_t gfp)
{
	return kmalloc_alloc(size_class, gfp);
}

static slow_path void *kmalloc_odd_size(size_t size, gfp_t gfp)
{
	struct page *page;

	if (!size)
		return ZERO_SIZE_PTR;
	if (size > KMALLOC_MAX_SIZE) {
		if (!(gfp & __GFP_NOWARN))
			report_warning("kmalloc of %zu bytes is more than %lu", size,
				       KMALLOC_MAX_SIZE);
		return NULL;
	}
	page = alloc_pages(gfp | __GFP_COMP, (unsigned int)get_order(size));
	return page ? page_address(page) : NULL;
}

void *usermm_kmalloc_size(size_t size, gfp_t gfp)
{
	/* size 0 wraps around: one test for both odd ends. */
	if (unlikely(size - 1 >= KMALLOC_MAX_CACHE_SIZE))
		return kmalloc_odd_size(size, gfp);
	return kmalloc_alloc(kmalloc_class(size), gfp);
}

/* --- Free ----------------------------------------------------------------- */

/* The cache of an object; NULL if there is no slab at that address. */
static __always_inline struct kmem_cache *cache_of(const void *object)
{
	if (unlikely(!mm_is_online(object)))
		return NULL;
	return atomic_load_relaxed(&virt_to_page(object)->slab_cache);
}

static __always_inline void cache_free(struct kmem_cache *cache, void *object,
				       const char *function)
{
	if (unlikely(!object_may_be_freed(cache, object)))
		slab_report_bad_free(function, object);
	if (unlikely(!slab_free_fast(cache, object)))
		slab_free_slow(cache, object);
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	struct kmem_cache *owner = cache_of(object);

	if (unlikely(owner != cache)) {
		if (!object)
			return;
		if (!owner)
			slab_report_bad_free("kmem_cache_free", object);
		report_warning("kmem_cache_free(%s, %p): the object is of cache %s", cache->name,
			       object, owner->name);
	}
	cache_free(owner, object, "kmem_cache_free");
}

/* The order of the page block that kmalloc made at this address, or -1. */
static int kmalloc_block_order(const void *object)
{
	const struct page *page = virt_to_page(object);

	if (!mm_is_online(object) || ((unsigned long)object & ~PAGE_MASK) ||
	    !(page_flags(page) & PG_head))
		return -1;
	return page->order;
}

size_t slab_page_block_bytes(const void *object)
{
	int order = kmalloc_block_order(object);

	return order < 0 ? 0 : PAGE_SIZE << order;
}

void slab_free_page_block(const char *function, void *object)
{
	int order = kmalloc_block_order(object);

	if (order < 0)
		slab_report_bad_free(function, object);
	free_pages((unsigned long)object, (unsigned int)order);
}

static slow_path void kfree_other(void *object)
{
	if (!ZERO_OR_NULL_PTR(object))
		slab_free_page_block("kfree", object);
}

void kfree(const void *object)
{
	struct kmem_cache *cache = cache_of(object);

	if (likely(cache))
		cache_free(cache, (void *)object, "kfree");
	else
		kfree_other((void *)object);
}

/* --- Sizes ---------------------------------------------------------------- */

size_t ksize(const void *object)
{
	struct kmem_cache *cache;
	size_t bytes;

	if (ZERO_OR_NULL_PTR(object))
		return 0;
	cache = cache_of(object);
	if (cache)
		bytes = object_may_be_freed(cache, object) ? cache->usable_size : 0;
	else
		bytes = slab_page_block_bytes(object);
	if (unlikely(!bytes))
		slab_report_bad_free("ksize", object);
	return bytes;
}

size_t kmalloc_size_roundup(size_t size)
{
	if (!size || size > KMALLOC_MAX_SIZE)
		return size;
	if (size <= KMALLOC_MAX_CACHE_SIZE)
		return kmalloc_table[kmalloc_class(size)].size;
	return PAGE_SIZE << get_order(size);
}

void *krealloc(const void *object, size_t new_size, gfp_t gfp)
{
	size_t old_size = ksize(object);
	void *new_object;

	if (!new_size) {
		kfree(object);
		return ZERO_SIZE_PTR;
	}
	if (new_size <= old_size) {
		if (gfp & __GFP_ZERO)
			memset((char *)object + new_size, 0, old_size - new_size);
		return (void *)object;
	}
	new_object = usermm_kmalloc_size(new_size, gfp);
	if (new_object && old_size) {
		memcpy(new_object, object, old_size);
		kfree(object);
	}
	return new_object;
}
