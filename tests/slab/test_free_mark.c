/* SPDX-License-Identifier: MIT */
/* The starts of objects, and their marks, compared with plain arithmetic. */
#include "slab/slab_fast.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/slabs.h"

static void construct(void *object)
{
	memset(object, 0x11, 8);
}

/* Every size that has a cache, with what may be different about marks. */
static struct kmem_cache *cache_of_size(unsigned int size, bool constructed)
{
	return kmem_cache_create("marked", size, 0, SLAB_NO_MERGE, constructed ? construct : NULL);
}

/*
 * One multiplication and one comparison give the same answer as a division, for each byte of a
 * slab.
 */
static void check_starts(struct kunit *test, const struct kmem_cache *cache, const char *slab)
{
	unsigned int wrong = 0;

	for (unsigned long offset = 0; offset <= slab_mask_of(cache); offset++) {
		bool starts = offset % cache->size == 0 && offset / cache->size < cache->objects;

		wrong += object_starts_at(cache, slab + offset) != starts;
	}
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "of objects of %u bytes", cache->size);
}

/* Objects of a slab have marks of their own. */
static void check_apart(struct kunit *test, const struct kmem_cache *cache, char *slab)
{
	for (unsigned int i = 0; i + 1 < cache->objects && cache->byte_marks; i++) {
		char *object = slab + (size_t)i * cache->size;

		KUNIT_EXPECT_PTR_NE(test, byte_mark(object), byte_mark(object + cache->size));
	}
}

static void test_marks_of_every_size(struct kunit *test)
{
	for (unsigned int size = 8; size <= KMALLOC_MAX_CACHE_SIZE; size += size < 1200 ? 8 : 1016)
		for (unsigned int constructed = 0; constructed < 2; constructed++) {
			struct kmem_cache *cache = cache_of_size(size, constructed);
			void *object;

			KUNIT_ASSERT_NOT_NULL(test, cache);
			object = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, object);
			KUNIT_EXPECT_EQ(test, cache->byte_marks, size > SLAB_SMALL_BYTES);
			check_starts(test, cache, page_address(slab_of(cache, object)));
			check_apart(test, cache, page_address(slab_of(cache, object)));
			KUNIT_EXPECT_TRUE(test, object_may_be_freed(cache, object));
			kmem_cache_free(cache, object);
			KUNIT_EXPECT_FALSE(test, object_may_be_freed(cache, object));
			kmem_cache_destroy(cache);
		}
}

/* Both look for the mark where the size says. */
static void test_marks_of_kmalloc(struct kunit *test)
{
	/* The first time from a slab, the second time from the sheaf. */
	for (unsigned int size = 8; size <= KMALLOC_MAX_CACHE_SIZE; size *= 2)
		for (unsigned int turn = 0; turn < 2; turn++) {
			void *object = kmalloc(size, GFP_KERNEL);
			struct kmem_cache *cache = object ? cache_of(object) : NULL;

			KUNIT_ASSERT_NOT_NULL(test, cache);
			KUNIT_EXPECT_EQ(test, cache->byte_marks, size > KMALLOC_SMALL_BYTES);
			KUNIT_EXPECT_TRUE(test, object_may_be_freed(cache, object));
			kfree(object);
			KUNIT_EXPECT_FALSE(test, object_may_be_freed(cache, object));
		}
}

struct mark_place {
	const char *text;
	unsigned int size;
	bool constructed;
};

static const struct mark_place mark_places[] = {
	{ "second word", 64, false },
	{ "behind the object", 64, true },
	{ "byte of the table", 1000, false },
	{ "byte of the table, content kept", 1000, true },
};

static void describe_place(const struct mark_place *place, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", place->text);
}

KUNIT_ARRAY_PARAM(place, mark_places, describe_place);

enum way { BY_KFREE, BY_CACHE, BY_BULK, NR_WAYS };

struct second_free {
	struct kmem_cache *cache;
	void *object;
	enum way way;
};

static void free_by(struct kmem_cache *cache, void *object, enum way way)
{
	if (way == BY_KFREE)
		kfree(object);
	else if (way == BY_CACHE)
		kmem_cache_free(cache, object);
	else
		kmem_cache_free_bulk(cache, 1, &object);
}

static void free_again(struct kunit *test, void *arg)
{
	struct second_free *second = arg;

	(void)test;
	free_by(second->cache, second->object, second->way);
}

/*
 * A second free is found, by whatever call, while the CPU keeps the object and after it is back in
 * its slab.
 */
static void test_marks_second_free(struct kunit *test)
{
	const struct mark_place *place = test->param_value;
	struct kmem_cache *cache = cache_of_size(place->size, place->constructed);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int first = 0; first < NR_WAYS; first++)
		for (unsigned int way = 0; way < NR_WAYS; way++) {
			struct second_free second = {
				.cache = cache, .object = kmem_cache_alloc(cache, GFP_KERNEL),
				.way = way,
			};
			void *other = kmem_cache_alloc(cache, GFP_KERNEL);	/* keeps the slab */

			KUNIT_ASSERT_NOT_NULL(test, second.object);
			KUNIT_ASSERT_NOT_NULL(test, other);
			free_by(cache, second.object, first);
			CHILD_EXPECT_DEATH(test, free_again, &second, child_hex(second.object));
			kmem_cache_shrink(cache);
			CHILD_EXPECT_DEATH(test, free_again, &second, child_hex(second.object));
			kmem_cache_free(cache, other);
		}
	kmem_cache_destroy(cache);
}

/*
 * A program may write a word that looks like half a mark. The marks of a slab's pages are cleared
 * with the slab.
 */
static void test_marks_by_accident(struct kunit *test)
{
	const struct mark_place *place = test->param_value;
	struct kmem_cache *cache = cache_of_size(place->size, place->constructed);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int way = 0; way < NR_WAYS; way++) {
		unsigned long *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		if (!place->constructed) {
			object[SLAB_MARK_OFFSET / 8] = free_mark(object) ^ 1UL << 40;
			KUNIT_EXPECT_EQ(test, mark_may_say_free(object, SLAB_MARK_OFFSET), true);
		} else if (!cache->byte_marks) {
			*object_mark(object, cache->mark_offset) =
				1UL << 40 | (uint32_t)free_mark(object);
		}
		KUNIT_EXPECT_FALSE(test, is_marked_free(cache, object));
		free_by(cache, object, way);
		KUNIT_EXPECT_TRUE(test, is_marked_free(cache, object));
	}
	kmem_cache_destroy(cache);
}

/* All marks of the slab's pages, also those of objects that were never used. */
static void test_marks_gone_with_slab(struct kunit *test)
{
	const struct mark_place *place = test->param_value;
	struct kmem_cache *cache = cache_of_size(place->size, place->constructed);
	void *objects[1001];
	struct page *page;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	page = virt_to_page(objects[0]);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		kmem_cache_free(cache, objects[i]);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	KUNIT_EXPECT_NULL(test, page->mapping);
	if (!cache->byte_marks)
		KUNIT_EXPECT_EQ(test, test_marks_left(cache), 0);
	kmem_cache_destroy(cache);
}

static struct kunit_case marks_cases[] = {
	KUNIT_CASE(test_marks_of_every_size),
	KUNIT_CASE(test_marks_of_kmalloc),
	KUNIT_CASE_PARAM(test_marks_second_free, place_gen_params),
	KUNIT_CASE_PARAM(test_marks_by_accident, place_gen_params),
	KUNIT_CASE_PARAM(test_marks_gone_with_slab, place_gen_params),
	{ 0 },
};

static struct kunit_suite marks_suite = { .name = "slab_marks", .test_cases = marks_cases };

kunit_test_suite(marks_suite);
