/* SPDX-License-Identifier: MIT */
/* Making and destroying caches. */
#include <string.h>

#include "base/check.h"
#include "base/fmt.h"
#include "os/once.h"
#include "os/os.h"
#include "page/zone.h"
#include "slab/slab_fast.h"

/* cf. Linux slub_max_order: larger slabs only for objects that need them. */
#define SLAB_MAX_ORDER PAGE_ALLOC_COSTLY_ORDER
/* Objects of more than two pages may use slabs of up to this order. */
#define SLAB_MAX_ORDER_LARGE 5
/* A sheaf keeps at most so many bytes of objects, or one object. */
#define SHEAF_BYTES_MAX (768 * KIB)
/* Empty slabs that a cache keeps hold at most so many bytes, or are one slab. */
#define KEPT_BYTES_MAX (128 * KIB)
/* slab->inuse and the others are 16 bits wide. */
#define SLAB_MAX_OBJECTS 32767

struct lock slab_caches_lock;
struct list_head slab_caches = LIST_HEAD_INIT(slab_caches);
unsigned long slab_mark_key __read_mostly;

static struct once slab_once;
static struct kmem_cache cache_of_caches;

static int bring_up(void)
{
	if (page_init())
		return -1;
	slab_mark_key = os_random();
	percpu_keep_apart(&slab_mark_key, sizeof(slab_mark_key));
	lock_init(&slab_caches_lock, RANK_CACHES);
	lock_acquire(&slab_caches_lock);
	slab_cache_setup(&cache_of_caches, "kmem_cache", sizeof(struct kmem_cache),
			 CACHE_LINE_BYTES, 0, NULL);
	kmalloc_setup();
	lock_release(&slab_caches_lock);
	return 0;
}

int slab_init(void)
{
	return once_run(&slab_once, bring_up) ? 0 : -1;
}

bool slab_is_up(void)
{
	return once_done(&slab_once);
}

static unsigned int objects_in(unsigned int order, unsigned int size)
{
	return (unsigned int)min((PAGE_SIZE << order) / size, (unsigned long)SLAB_MAX_OBJECTS);
}

/*
 * The smallest slab that holds enough objects and wastes at most 1/16 of itself;
 * if there is none, 1/8 and so on; then with fewer objects. cf. Linux mm/slub.c:
 * calculate_order().
 */
static unsigned int slab_order(unsigned int size)
{
	unsigned int max_order = size > 2 * PAGE_SIZE ? SLAB_MAX_ORDER_LARGE : SLAB_MAX_ORDER;
	unsigned int min_objects = 4 * (ilog2(percpu_nr_slots()) + 2);

	min_objects = min(min_objects, max(objects_in(max_order, size), 1u));
	for (unsigned int fraction = 16; fraction > 1; fraction /= 2)
		for (unsigned int order = 0; order <= max_order; order++) {
			unsigned long bytes = PAGE_SIZE << order;

			if (objects_in(order, size) >= min_objects &&
			    bytes % size <= bytes / fraction)
				return order;
		}
	return (unsigned int)get_order(size);
}

/* Objects that a CPU keeps. With their head sheaves are whole cache lines. */
static uint32_t sheaf_limit(unsigned int size)
{
	if (size <= 512)
		return 63;
	if (size <= 1024)
		return 31;
	return (uint32_t)clamp(SHEAF_BYTES_MAX / size, 1UL, 23UL);
}

static size_t sheaf_bytes(const struct kmem_cache *cache)
{
	return sizeof(struct percpu_array) + cache->sheaf_limit * sizeof(void *);
}

/* cf. Linux calculate_alignment() */
static unsigned int effective_align(unsigned int size, unsigned int align, slab_flags_t flags)
{
	if (flags & SLAB_HWCACHE_ALIGN) {
		unsigned int line = CACHE_LINE_BYTES;

		while (size <= line / 2)
			line /= 2;
		align = max(align, line);
	}
	return max(align, (unsigned int)ARCH_KMALLOC_MINALIGN);
}

/* The distance of objects: with a constructor link and mark lie behind the object. */
static unsigned int distance(unsigned int size, unsigned int align, bool has_ctor)
{
	return ALIGN(ALIGN(size, 8u) + (has_ctor ? 16 : 0), align);
}

static void lay_out_object(struct kmem_cache *cache, unsigned int size)
{
	cache->object_size = size;
	cache->size = distance(size, cache->align, cache->ctor);
	size = ALIGN(size, 8u);
	cache->usable_size = cache->ctor ? size : cache->size;
	cache->link_offset = cache->ctor ? size : 0;
	cache->mark_offset = cache->ctor ? size + 8 : size > 8 ? 8 : 0;
}

/* The caller holds slab_caches_lock. */
void slab_cache_setup(struct kmem_cache *cache, const char *name, unsigned int size,
		      unsigned int align, slab_flags_t flags, void (*ctor)(void *))
{
	struct percpu_array *sheaf;

	memset(cache, 0, sizeof(*cache));
	cache->is_static = true;
	cache->ctor = ctor;
	cache->align = effective_align(size, align, flags);
	lay_out_object(cache, size);
	cache->order = (uint16_t)slab_order(cache->size);
	cache->objects = (uint16_t)objects_in(cache->order, cache->size);
	cache->last_offset = (cache->objects - 1u) * cache->size;
	cache->slab_mask = (PAGE_SIZE << cache->order) - 1;
	cache->divisor = ~0UL / cache->size + 1;
	/* cf. Linux set_min_partial(); but large slabs would keep too much that way. */
	cache->min_partial = clamp(ilog2(cache->size) / 2, 5u, 10u);
	cache->min_partial = (uint32_t)clamp(KEPT_BYTES_MAX >> (PAGE_SHIFT + cache->order), 1UL,
					     (unsigned long)cache->min_partial);
	fmt_format(cache->name, sizeof(cache->name), "%s", name);
	lock_init(&cache->lock, RANK_CACHE);
	INIT_LIST_HEAD(&cache->partial);
	cache->sheaf_limit = sheaf_limit(cache->size);
	list_add_tail(&cache->caches, &slab_caches);
	sheaf = percpu_alloc_apart(sheaf_bytes(cache), CACHE_LINE_BYTES, cache);
	/* Last: pairs with alloc_object(): kmalloc's caches may be met while they are made. */
	atomic_store_release(&cache->sheaf, sheaf);
}

static bool arguments_are_sane(const char *name, unsigned int size, unsigned int align,
			       slab_flags_t flags, bool has_ctor)
{
	return name && size >= KMALLOC_MIN_SIZE && size <= KMALLOC_MAX_SIZE &&
	       (!align || is_power_of_2(align)) && align <= KMALLOC_MAX_SIZE &&
	       !(flags & ~(SLAB_HWCACHE_ALIGN | SLAB_PANIC)) &&
	       distance(size, effective_align(size, align, flags), has_ctor) <= KMALLOC_MAX_SIZE;
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     slab_flags_t flags, void (*ctor)(void *object))
{
	struct kmem_cache *cache = NULL;

	if (arguments_are_sane(name, size, align, flags, ctor) && !slab_init())
		cache = kmem_cache_alloc(&cache_of_caches, GFP_KERNEL);
	if (cache && !lock_acquire_in_order(&slab_caches_lock)) {
		kmem_cache_free(&cache_of_caches, cache);
		cache = NULL;
	}
	if (cache) {
		slab_cache_setup(cache, name, size, align, flags, ctor);
		cache->is_static = false;
		lock_release(&slab_caches_lock);
	} else if (flags & SLAB_PANIC) {
		report_fatal("kmem_cache_create: failed to create slab '%s' of size %u",
			     name ? name : "(null)", size);
	}
	return cache;
}

unsigned int kmem_cache_size(const struct kmem_cache *cache)
{
	return cache->object_size;
}

/* One line for each object of a partial slab that is not free. */
static void report_leaked_objects(struct kmem_cache *cache)
{
	struct page *slab;

	list_for_each_entry(slab, &cache->partial, lru)
		for (unsigned int i = 0; i < slab->carved; i++) {
			char *object = (char *)page_address(slab) + (size_t)i * cache->size;

			if (!slab_object_is_free(cache, slab, object))
				report_warning("  object %p of cache %s (offset %lu in its slab)",
					       object, cache->name,
					       (unsigned long)i * cache->size);
		}
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	if (!cache)
		return;
	CHECK(!cache->is_static, "kmem_cache_destroy of %s, which the library owns", cache->name);
	slab_drain_all(cache);
	if (slab_free_empty(cache)) {
		report_warning("BUG %s: Objects remaining on kmem_cache_destroy(): %lu in %lu "
			       "slabs, %lu of them full and not listed; their memory stays",
			       cache->name, cache->nr_inuse, cache->nr_slabs,
			       cache->nr_slabs - cache->nr_partial);
		report_leaked_objects(cache);
	}
	lock_acquire(&slab_caches_lock);
	list_del(&cache->caches);
	if (!cache->nr_slabs)
		lock_destroy(&cache->lock);
	lock_release(&slab_caches_lock);
	percpu_free(cache->sheaf, sheaf_bytes(cache));
	cache->sheaf = NULL;
	/* Leaked objects still name the cache: freeing one later must not crash. */
	if (!cache->nr_slabs)
		kmem_cache_free(&cache_of_caches, cache);
}
