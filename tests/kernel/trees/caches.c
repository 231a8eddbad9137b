// SPDX-License-Identifier: MIT
/*
 * The object caches of the kernel's user-space tests (tools/testing/radix-tree, vma), on usermm.
 *
 * This file takes the place of tools/testing/shared/linux.c, whose caches are made of a mutex and
 * malloc. The tests and the trees under test call kmem_cache_*() as the kernel does, and besides
 * that steer the caches by hooks that no kernel has:
 *
 *	kmem_cache_set_non_kernel(c, n)	objects that requests which may not reclaim still get;
 *					after them such a request fails. 0 from the start.
 *	kmem_cache_set_callback(c, f)	called by the first single request after one that failed
 *	kmem_cache_set_private(c, p)	what the callback is given
 *	kmem_cache_nr_allocated(c)	objects in use
 *	kmem_cache_get_alloc(c)		their bytes
 *	kmem_cache_nr_tallocated(c)	objects handed out so far, since the last
 *	kmem_cache_zero_nr_tallocated(c)
 *	nr_allocated			objects in use of all caches
 *
 * The hooks are ours, objects are those of usermm's public calls. Both sides know the same
 * names, so the ones for the tests are given here as symbols, and usermm's as its headers have
 * them. Masks are Linux's numbers on both sides, which is usermm's default.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <usermm/usermm.h>

#define FOR_TESTS(name) __asm__(#name)

_Static_assert(__GFP_ZERO == 0x100 && __GFP_DIRECT_RECLAIM == 0x400, "the tests' masks");

/* Sync: atomics where threads of one test meet; the hooks are set by one thread only. */
struct tested_cache {
	struct kmem_cache *objects;
	unsigned int size;
	atomic_uint non_kernel;
	atomic_bool call_back;
	void (*callback)(void *private);
	void *private;
	atomic_ulong nr_allocated;
	atomic_ulong nr_tallocated;
};

/* The tests read the first and the second as plain integers. */
int nr_allocated;
int preempt_count;
int test_verbose;
extern int kmalloc_verbose;

static void count(struct tested_cache *cache, long n)
{
	__atomic_fetch_add(&nr_allocated, (int)n, __ATOMIC_RELAXED);
	atomic_fetch_add_explicit(&cache->nr_allocated, n, memory_order_relaxed);
	if (n > 0)
		atomic_fetch_add_explicit(&cache->nr_tallocated, n, memory_order_relaxed);
}

/*
 * May n objects be handed out? A request for more than is left of the allowance fails, and uses up
 * the rest all the same, as in the tests' own caches.
 */
static bool allowed(struct tested_cache *cache, gfp_t gfp, size_t n)
{
	unsigned int left, taken;

	if (gfp & __GFP_DIRECT_RECLAIM)
		return true;
	left = atomic_load_explicit(&cache->non_kernel, memory_order_relaxed);
	do
		taken = left < n ? left : n;
	while (!atomic_compare_exchange_weak(&cache->non_kernel, &left, left - taken));
	return taken == n;
}

static void tell(const char *what, const void *object)
{
	if (kmalloc_verbose)
		printf("%s %p\n", what, object);
}

/* Flags are not looked at: the tests' own caches have none, and numbers that are not Linux's. */
struct tested_cache *tested_create(const char *name, unsigned int size, unsigned int align,
				   unsigned int flags, void (*ctor)(void *object))
	FOR_TESTS(kmem_cache_create);
struct tested_cache *tested_create(const char *name, unsigned int size, unsigned int align,
				   unsigned int flags, void (*ctor)(void *object))
{
	struct tested_cache *cache = kzalloc(sizeof(*cache), GFP_KERNEL | __GFP_NOFAIL);

	(void)flags;
	cache->size = size;
	cache->objects = kmem_cache_create(name, size, align, SLAB_PANIC, ctor);
	return cache;
}

void *tested_alloc(struct tested_cache *cache, void *lru, gfp_t gfp)
	FOR_TESTS(kmem_cache_alloc_lru);
void *tested_alloc(struct tested_cache *cache, void *lru, gfp_t gfp)
{
	void *object;

	(void)lru;
	if (atomic_load_explicit(&cache->call_back, memory_order_relaxed)) {
		if (cache->callback)
			cache->callback(cache->private);
		atomic_store_explicit(&cache->call_back, false, memory_order_relaxed);
	}
	if (!allowed(cache, gfp, 1)) {
		atomic_store_explicit(&cache->call_back, true, memory_order_relaxed);
		return NULL;
	}
	object = kmem_cache_alloc(cache->objects, gfp);
	if (!object)
		return NULL;
	count(cache, 1);
	tell("Allocated", object);
	return object;
}

int tested_alloc_bulk(struct tested_cache *cache, gfp_t gfp, size_t n, void **objects)
	FOR_TESTS(kmem_cache_alloc_bulk);
int tested_alloc_bulk(struct tested_cache *cache, gfp_t gfp, size_t n, void **objects)
{
	if (!allowed(cache, gfp, n) || !kmem_cache_alloc_bulk(cache->objects, gfp, n, objects))
		return 0;
	count(cache, n);
	for (size_t i = 0; i < n; i++)
		tell("Allocated", objects[i]);
	return n;
}

void tested_free(struct tested_cache *cache, void *object) FOR_TESTS(kmem_cache_free);
void tested_free(struct tested_cache *cache, void *object)
{
	assert(object);
	tell("Freeing", object);
	kmem_cache_free(cache->objects, object);
	count(cache, -1);
}

void tested_free_bulk(struct tested_cache *cache, size_t n, void **objects)
	FOR_TESTS(kmem_cache_free_bulk);
void tested_free_bulk(struct tested_cache *cache, size_t n, void **objects)
{
	for (size_t i = 0; i < n; i++)
		tell("Freeing", objects[i]);
	kmem_cache_free_bulk(cache->objects, n, objects);
	count(cache, -(long)n);
}

void tested_shrink(struct tested_cache *cache) FOR_TESTS(kmem_cache_shrink);
void tested_shrink(struct tested_cache *cache)
{
	kmem_cache_shrink(cache->objects);
}

/* The hooks. */
void kmem_cache_set_non_kernel(struct tested_cache *cache, unsigned int nr_objects);
void kmem_cache_set_callback(struct tested_cache *cache, void (*callback)(void *private));
void kmem_cache_set_private(struct tested_cache *cache, void *private);
unsigned long kmem_cache_get_alloc(struct tested_cache *cache);
unsigned long kmem_cache_nr_allocated(struct tested_cache *cache);
unsigned long kmem_cache_nr_tallocated(struct tested_cache *cache);
void kmem_cache_zero_nr_tallocated(struct tested_cache *cache);

void kmem_cache_set_non_kernel(struct tested_cache *cache, unsigned int nr_objects)
{
	cache->non_kernel = nr_objects;
}

void kmem_cache_set_callback(struct tested_cache *cache, void (*callback)(void *private))
{
	cache->callback = callback;
}

void kmem_cache_set_private(struct tested_cache *cache, void *private)
{
	cache->private = private;
}

unsigned long kmem_cache_get_alloc(struct tested_cache *cache)
{
	return cache->size * cache->nr_allocated;
}

unsigned long kmem_cache_nr_allocated(struct tested_cache *cache)
{
	return cache->nr_allocated;
}

unsigned long kmem_cache_nr_tallocated(struct tested_cache *cache)
{
	return cache->nr_tallocated;
}

void kmem_cache_zero_nr_tallocated(struct tested_cache *cache)
{
	cache->nr_tallocated = 0;
}
