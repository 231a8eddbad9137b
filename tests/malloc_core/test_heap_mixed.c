/* SPDX-License-Identifier: MIT */
/*
 * Heaps, and caches that are destroyed with their objects, beside mixed slabs. Mixed slabs belong
 * to malloc and stay, and their blocks belong to no heap.
 */
#include <string.h>

#include "malloc_core/tested.h"
#include "slab/cache.h"
#include "slab/mixed/mixed.h"
#include "slab/slab_fast.h"
#include "support/child.h"
#include "support/kernel.h"

#define NR_BLOCKS 8000
#define KEEP_ONE_IN 10
#define BLOCK_BYTES 112
#define NR_OBJECTS 3000

static unsigned char *blocks[NR_BLOCKS];

/* Does this mode make mixed slabs of malloc's classes? If not, the case is to be skipped. */
static bool has_mixed_slabs(struct kunit *test)
{
	void *block = tested_malloc(BLOCK_BYTES);
	const struct kmem_cache *cache = cache_of(block);
	bool may_mix;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	may_mix = cache->may_mix;
	tested_free(block);
	if (may_mix)
		return true;
	KUNIT_EXPECT_TRUE(test, nr_online_nodes > 1 || !cache->own_sheaf);
	kunit_skip(test, "in this mode no slab becomes a mixed one");
	return false;
}

/* Blocks of slabs that were sparse, and are mixed slabs now. */
static void make_mixed_slabs(struct kunit *test)
{
	struct slab_mixed_usage usage;

	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = tested_malloc(BLOCK_BYTES);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		memset(blocks[i], (int)(i % 251), BLOCK_BYTES);
	}
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		if (i % KEEP_ONE_IN)
			tested_free(blocks[i]);
	tested_malloc_trim(0);
	slab_mixed_read_usage(&usage);
	KUNIT_ASSERT_GT(test, usage.slabs, 0);
}

static void free_blocks(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i += KEEP_ONE_IN) {
		for (unsigned int byte = 0; byte < BLOCK_BYTES; byte++)
			KUNIT_ASSERT_EQ(test, blocks[i][byte], i % 251);
		tested_free(blocks[i]);
	}
}

/* The first kept block that lies in a mixed slab. */
static void *mixed_block(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i += KEEP_ONE_IN)
		if (slab_mixed_bytes(blocks[i]))
			return blocks[i];
	KUNIT_FAIL(test, "no block is in a mixed slab");
	return NULL;
}

static void test_mixed_slabs_outlive_heaps(struct kunit *test)
{
	struct usermm_heap *heap;

	if (!has_mixed_slabs(test))
		return;
	heap = usermm_heap_create("test");
	KUNIT_ASSERT_NOT_NULL(test, heap);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(heap, BLOCK_BYTES));
	make_mixed_slabs(test);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(heap, 2 * BLOCK_BYTES));
	usermm_heap_destroy(heap);
	free_blocks(test);
}

static void test_mixed_slabs_outlive_caches(struct kunit *test)
{
	struct kmem_cache *cache;

	if (!has_mixed_slabs(test))
		return;
	cache = kmem_cache_create("beside", BLOCK_BYTES, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	make_mixed_slabs(test);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		KUNIT_ASSERT_NOT_NULL(test, kmem_cache_alloc(cache, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(cache), 0);
	free_blocks(test);
}

static void give_to_heap(struct kunit *test, void *arg)
{
	struct usermm_heap *heap = usermm_heap_create("test");

	KUNIT_ASSERT_NOT_NULL(test, usermm_heap_alloc(heap, BLOCK_BYTES));
	usermm_heap_free(heap, arg);
}

static void test_mixed_block_is_no_heaps(struct kunit *test)
{
	void *block;

	if (!has_mixed_slabs(test))
		return;
	make_mixed_slabs(test);
	block = mixed_block(test);
	if (block)
		CHILD_EXPECT_DEATH(test, give_to_heap, block, "no block in use of the heap");
	free_blocks(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_mixed_slabs_outlive_heaps),
	KUNIT_CASE(test_mixed_slabs_outlive_caches),
	KUNIT_CASE(test_mixed_block_is_no_heaps),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-heap-mixed", .test_cases = cases };

kunit_test_suite(suite);
