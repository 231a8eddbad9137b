// SPDX-License-Identifier: MIT
/* Checks of kmalloc and of caches. */
#include <pthread.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "selftest.h"
#include "usermm/usermm.h"

#define OBJECTS 3000
#define OBJECT_BYTES 200
#define READY 0x600dul

static void *objects[OBJECTS];

static const char *check_kmalloc_sizes(void)
{
	static const size_t sizes[] = { 1, 8, 9, 16, 32, 33, 64, 65, 96, 97, 128, 192, 193, 256,
					512, 1000, 1024, 2048, 4096, 5000, 8192, 8193, 20000,
					100000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		objects[i] = kmalloc(sizes[i], GFP_KERNEL);
		EXPECT(objects[i]);
		EXPECT((unsigned long)objects[i] % ARCH_KMALLOC_MINALIGN == 0);
		EXPECT(!is_power_of_2(sizes[i]) || sizes[i] < 8 ||
		       (unsigned long)objects[i] % min(sizes[i], PAGE_SIZE) == 0);
		EXPECT(ksize(objects[i]) >= sizes[i]);
		EXPECT(ksize(objects[i]) == kmalloc_size_roundup(sizes[i]));
		selftest_fill(objects[i], sizes[i], i);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT(selftest_filled(objects[i], sizes[i], i));
		kfree(objects[i]);
	}
	EXPECT(kmalloc(0, GFP_KERNEL) == ZERO_SIZE_PTR);
	kfree(ZERO_SIZE_PTR);
	kfree(NULL);
	return NULL;
}

static const char *check_kmalloc_many(void)
{
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < OBJECTS; i++) {
			objects[i] = kmalloc(OBJECT_BYTES, GFP_KERNEL);
			EXPECT(objects[i]);
			selftest_fill(objects[i], OBJECT_BYTES, i);
		}
		for (unsigned int i = 0; i < OBJECTS; i++) {
			EXPECT(selftest_filled(objects[i], OBJECT_BYTES, i));
			kfree(objects[i]);
		}
	}
	return NULL;
}

static const char *check_zeroed(void)
{
	for (size_t bytes = 8; bytes <= 32768; bytes *= 4)
		for (unsigned int i = 0; i < 8; i++) {
			void *object = kzalloc(bytes, GFP_KERNEL);

			EXPECT(object);
			EXPECT(selftest_zero(object, bytes));
			selftest_fill(object, bytes, i + 1);
			kfree(object);
		}
	return NULL;
}

static const char *check_krealloc(void)
{
	char *object = NULL;

	for (size_t bytes = 10; bytes < 50000; bytes *= 3) {
		char *larger = krealloc(object, bytes, GFP_KERNEL);

		EXPECT(larger);
		EXPECT(bytes == 10 || selftest_filled(larger, bytes / 3, 5));
		selftest_fill(larger, bytes, 5);
		object = larger;
	}
	kfree(object);
	EXPECT(!kmalloc_array((size_t)1 << 40, (size_t)1 << 40, GFP_KERNEL));
	return NULL;
}

/*
 * Prepares a check that compares free bytes before and after. Two things could change them from
 * outside. A new cache is an object of the cache of caches, which may take a page for it: so one
 * cache is made now and kept. Memory that earlier checks freed may go back when it is old, in the
 * middle of a slow check: so it goes back now.
 */
static bool begin_balance(void)
{
	static struct kmem_cache *held;

	if (!held)
		held = kmem_cache_create("selftest-held", 8, 0, 0, NULL);
	usermm_trim((size_t)-1);
	return held;
}

static unsigned int constructed;

static void make_ready(void *object)
{
	*(unsigned long *)object = READY;
	constructed++;
}

/* Objects come in the state that ctor made, and all pages come back in the end. */
static const char *check_cache(void)
{
	struct kmem_cache *cache;
	size_t before;

	EXPECT(begin_balance());
	before = selftest_free_bytes();
	cache = kmem_cache_create("selftest", 72, 64, 0, make_ready);
	EXPECT(cache);
	EXPECT(kmem_cache_size(cache) == 72);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < OBJECTS; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			EXPECT(objects[i]);
			EXPECT((unsigned long)objects[i] % 64 == 0);
			EXPECT(*(unsigned long *)objects[i] == READY);
			selftest_fill((char *)objects[i] + 8, 64, i);
		}
		EXPECT(constructed >= OBJECTS);
		for (unsigned int i = 0; i < OBJECTS; i++) {
			EXPECT(selftest_filled((char *)objects[i] + 8, 64, i));
			kmem_cache_free(cache, objects[i]);
		}
	}
	kmem_cache_destroy(cache);
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

static void *free_objects(void *cache)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
	return NULL;
}

/* One thread may free another one's objects, and no page is lost. */
static const char *check_threads(void)
{
	struct kmem_cache *cache;
	pthread_t thread;
	size_t before;

	EXPECT(begin_balance());
	before = selftest_free_bytes();
	cache = kmem_cache_create("selftest-threads", OBJECT_BYTES, 0, 0, NULL);
	EXPECT(cache);
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int i = 0; i < OBJECTS; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			EXPECT(objects[i]);
			selftest_fill(objects[i], OBJECT_BYTES, i);
		}
		for (unsigned int i = 0; i < OBJECTS; i++)
			EXPECT(selftest_filled(objects[i], OBJECT_BYTES, i));
		EXPECT(!pthread_create(&thread, NULL, free_objects, cache));
		pthread_join(thread, NULL);
	}
	kmem_cache_destroy(cache);
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

const struct selftest selftest_objects[] = {
	{ "kmalloc: sizes, alignment, ksize", check_kmalloc_sizes },
	{ "kmalloc: many objects, none overlaps another", check_kmalloc_many },
	{ "kmalloc: zeroed objects", check_zeroed },
	{ "kmalloc: krealloc and kmalloc_array", check_krealloc },
	{ "cache: constructor, alignment, and all pages back", check_cache },
	{ "cache: freed by another thread, and all pages back", check_threads },
	{ NULL, NULL },
};
