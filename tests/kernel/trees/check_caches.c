// SPDX-License-Identifier: MIT
/*
 * Do the caches of caches.c count, fail and call back as the tests expect? It is a program of
 * its own, and the suite of the maple tree begins with test_kmem_cache_bulk(), which is this.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

struct kmem_cache;
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     unsigned int flags, void (*ctor)(void *object));
void *kmem_cache_alloc_lru(struct kmem_cache *cache, void *lru, unsigned int gfp);
int kmem_cache_alloc_bulk(struct kmem_cache *cache, unsigned int gfp, size_t n, void **objects);
void kmem_cache_free(struct kmem_cache *cache, void *object);
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **objects);
void kmem_cache_shrink(struct kmem_cache *cache);
void kmem_cache_set_non_kernel(struct kmem_cache *cache, unsigned int nr_objects);
void kmem_cache_set_callback(struct kmem_cache *cache, void (*callback)(void *private));
void kmem_cache_set_private(struct kmem_cache *cache, void *private);
unsigned long kmem_cache_get_alloc(struct kmem_cache *cache);
unsigned long kmem_cache_nr_allocated(struct kmem_cache *cache);
unsigned long kmem_cache_nr_tallocated(struct kmem_cache *cache);
void kmem_cache_zero_nr_tallocated(struct kmem_cache *cache);
void test_kmem_cache_bulk(void);

extern int nr_allocated;

#define MAY_RECLAIM 0x400
#define ZEROED 0x100
#define SIZE 256
#define NR 40

static void check_counts(struct kmem_cache *cache, unsigned long in_use, unsigned long handed_out)
{
	assert(kmem_cache_nr_allocated(cache) == in_use);
	assert(kmem_cache_get_alloc(cache) == in_use * SIZE);
	assert(kmem_cache_nr_tallocated(cache) == handed_out);
}

static void check_bulk(struct kmem_cache *cache)
{
	void *objects[NR];
	int before = nr_allocated;

	kmem_cache_zero_nr_tallocated(cache);
	for (size_t n = 1; n <= NR; n++) {
		assert(kmem_cache_alloc_bulk(cache, MAY_RECLAIM | ZEROED, n, objects) == (int)n);
		for (size_t i = 0; i < n; i++) {
			unsigned char *bytes = objects[i];

			assert((size_t)bytes % SIZE == 0);
			for (size_t at = 0; at < SIZE; at++)
				assert(bytes[at] == 0);
			bytes[i] = 1;
		}
		check_counts(cache, n, n * (n + 1) / 2);
		assert(nr_allocated == before + (int)n);
		kmem_cache_free_bulk(cache, n - 1, objects);
		kmem_cache_free(cache, objects[n - 1]);
	}
	kmem_cache_shrink(cache);
	check_counts(cache, 0, NR * (NR + 1) / 2);
	assert(nr_allocated == before);
}

/*
 * A bulk request gets all objects or none; a request that the allowance does not suffice for uses
 * it up.
 */
static void check_allowance(struct kmem_cache *cache)
{
	void *objects[NR];

	kmem_cache_zero_nr_tallocated(cache);
	assert(!kmem_cache_alloc_lru(cache, NULL, 0));
	kmem_cache_set_non_kernel(cache, 5);
	assert(kmem_cache_alloc_bulk(cache, 0, 3, objects) == 3);
	assert(!kmem_cache_alloc_bulk(cache, 0, 3, objects + 3));
	check_counts(cache, 3, 3);
	assert(!kmem_cache_alloc_lru(cache, NULL, 0));
	kmem_cache_set_non_kernel(cache, 1);
	objects[3] = kmem_cache_alloc_lru(cache, NULL, 0);
	assert(objects[3] && !kmem_cache_alloc_lru(cache, NULL, 0));
	check_counts(cache, 4, 4);
	kmem_cache_free_bulk(cache, 4, objects);
}

static void note(void *private)
{
	++*(int *)private;
}

static void check_callback(struct kmem_cache *cache)
{
	int calls = 0;
	void *object;

	kmem_cache_set_non_kernel(cache, 0);
	kmem_cache_free(cache, kmem_cache_alloc_lru(cache, NULL, MAY_RECLAIM));
	kmem_cache_set_callback(cache, note);
	kmem_cache_set_private(cache, &calls);
	kmem_cache_free(cache, kmem_cache_alloc_lru(cache, NULL, MAY_RECLAIM));
	assert(calls == 0);
	assert(!kmem_cache_alloc_lru(cache, NULL, 0) && calls == 0);
	assert(kmem_cache_alloc_bulk(cache, MAY_RECLAIM, 1, &object) == 1 && calls == 0);
	kmem_cache_free(cache, object);
	for (int i = 0; i < 2; i++) {
		kmem_cache_free(cache, kmem_cache_alloc_lru(cache, NULL, MAY_RECLAIM));
		assert(calls == 1);
	}
	kmem_cache_set_callback(cache, NULL);
}

void test_kmem_cache_bulk(void)
{
	static struct kmem_cache *cache;

	cache = kmem_cache_create("tested", SIZE, SIZE, 0, NULL);
	check_bulk(cache);
	check_allowance(cache);
	check_callback(cache);
}

/* Other tests bring their own. */
int __attribute__((weak)) main(void)
{
	test_kmem_cache_bulk();
	return 0;
}
