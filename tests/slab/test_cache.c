/* SPDX-License-Identifier: MIT */
/* Caches of equal objects: sizes, alignments, zeroing, constructors. */
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"

#define NR_OBJECTS 500

static const unsigned int sizes[] = {
	8, 9, 15, 16, 17, 24, 31, 32, 40, 63, 64, 65, 96, 100, 127, 128, 129, 192, 200, 255,
	256, 257, 500, 512, 1000, 1024, 1025, 2000, 2048, 3000, 4095, 4096, 4097, 8192, 12000,
	20000, 40000,
};

static void describe_size(const unsigned int *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "size %u", *size);
}

KUNIT_ARRAY_PARAM(size, sizes, describe_size);

static struct kmem_cache *must_create(struct kunit *test, unsigned int size, unsigned int align,
				      slab_flags_t flags, void (*ctor)(void *))
{
	struct kmem_cache *cache = kmem_cache_create("test", size, align, flags, ctor);

	KUNIT_ASSERT_NOT_NULL_MSG(test, cache, "size %u, align %u", size, align);
	return cache;
}

/* Fewer of the large ones. */
static unsigned int count_of(unsigned int size)
{
	return size <= 4096 ? NR_OBJECTS : 50;
}

static void check_alignment(struct kunit *test, const void *object, unsigned int align)
{
	KUNIT_ASSERT_EQ_MSG(test, (unsigned long)object & (align - 1), 0, "%p is not aligned to %u",
			    object, align);
}

static void test_cache_objects_are_apart(struct kunit *test)
{
	unsigned int size = *(const unsigned int *)test->param_value, nr = count_of(size);
	struct kmem_cache *cache = must_create(test, size, 0, 0, NULL);
	void **objects = test_memory_alloc(NR_OBJECTS * sizeof(*objects));
	struct shadow shadow;

	KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, SHADOW_GRANULE_SHIFT, 20000));
	KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), size);
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < nr; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			check_alignment(test, objects[i], 8);
			KUNIT_ASSERT_EQ(test, shadow_claim(&shadow, objects[i], size), 0);
			shadow_stamp(objects[i], size, i);
		}
		for (unsigned int k = 0; k < nr; k++) {
			/* In the order of allocation, and the other way round. */
			unsigned int i = round == 1 ? nr - 1 - k : k;

			KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(objects[i], size, i));
			KUNIT_ASSERT_EQ(test, shadow_release(&shadow, objects[i], size), 0);
			kmem_cache_free(cache, objects[i]);
		}
	}
	kmem_cache_destroy(cache);
	shadow_destroy(&shadow);
	test_memory_free(objects);
}

static void test_cache_alignments(struct kunit *test)
{
	for (unsigned int align = 1; align <= PAGE_SIZE; align *= 2)
		for (unsigned int k = 0; k < ARRAY_SIZE(sizes); k += 3) {
			struct kmem_cache *cache = must_create(test, sizes[k], align, 0, NULL);
			void *objects[40];

			for (unsigned int i = 0; i < 40; i++) {
				objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
				KUNIT_ASSERT_NOT_NULL(test, objects[i]);
				check_alignment(test, objects[i], align);
				memset(objects[i], 0xff, sizes[k]);
			}
			for (unsigned int i = 0; i < 40; i++)
				kmem_cache_free(cache, objects[i]);
			kmem_cache_destroy(cache);
		}
}

/* A line, and for small objects the part of a line that holds one. */
static void test_cache_hwcache_align(struct kunit *test)
{
	static const struct {
		unsigned int size, align;
	} rows[] = {
		{ 8, 8 }, { 9, 16 }, { 16, 16 }, { 17, 32 }, { 32, 32 }, { 33, 64 }, { 64, 64 },
		{ 65, 64 }, { 200, 64 }, { 1000, 64 },
	};

	for (unsigned int k = 0; k < ARRAY_SIZE(rows); k++) {
		struct kmem_cache *cache = must_create(test, rows[k].size, 0, SLAB_HWCACHE_ALIGN,
						       NULL);
		void *objects[100];

		for (unsigned int i = 0; i < 100; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			check_alignment(test, objects[i], rows[k].align);
		}
		for (unsigned int i = 0; i < 100; i++)
			kmem_cache_free(cache, objects[i]);
		kmem_cache_destroy(cache);
	}
}

static void test_cache_zeroes(struct kunit *test)
{
	unsigned int size = *(const unsigned int *)test->param_value, nr = 100;
	struct kmem_cache *cache = must_create(test, size, 0, 0, NULL);
	void *objects[100];

	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < nr; i++) {
			objects[i] = i % 2 ? kmem_cache_zalloc(cache, GFP_KERNEL) :
				     kmem_cache_alloc(cache, GFP_KERNEL | __GFP_ZERO);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			KUNIT_ASSERT_TRUE(test, shadow_all_bytes(objects[i], size, 0));
			memset(objects[i], 0xff, size);
		}
		for (unsigned int i = 0; i < nr; i++)
			kmem_cache_free(cache, objects[i]);
	}
	kmem_cache_destroy(cache);
}

#define CTOR_BYTE 0xc7
static unsigned int nr_constructed;
static unsigned int ctor_size;

static void construct(void *object)
{
	nr_constructed++;
	memset(object, CTOR_BYTE, ctor_size);
}

static void alloc_constructed(struct kunit *test, struct kmem_cache *cache, void **objects,
			      unsigned int nr, u8 byte)
{
	for (unsigned int i = 0; i < nr; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		KUNIT_ASSERT_TRUE_MSG(test, shadow_all_bytes(objects[i], ctor_size, byte),
				      "object %u of %u bytes is not in its state", i, ctor_size);
	}
}

/*
 * The constructor runs once for each object, and the state then stays through frees and
 * allocations.
 */
static void test_cache_ctor(struct kunit *test)
{
	unsigned int nr = 300;
	struct kmem_cache *cache;
	void *objects[300];

	ctor_size = *(const unsigned int *)test->param_value;
	if (ctor_size > 4096)
		nr = 20;
	nr_constructed = 0;
	cache = must_create(test, ctor_size, 0, 0, construct);
	alloc_constructed(test, cache, objects, nr, CTOR_BYTE);
	KUNIT_EXPECT_GE(test, nr_constructed, nr);
	for (unsigned int round = 0; round < 5; round++) {
		for (unsigned int i = 0; i < nr; i++)
			kmem_cache_free(cache, objects[i]);
		alloc_constructed(test, cache, objects, nr, CTOR_BYTE);
	}
	for (unsigned int i = 0; i < nr; i++)
		kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
}

/* The allocator adds nothing of its own to what the user left in the object. */
static void test_cache_ctor_keeps_user_state(struct kunit *test)
{
	struct kmem_cache *cache;
	void *objects[16], *again[16];
	unsigned int constructed;

	ctor_size = 72;
	nr_constructed = 0;
	cache = must_create(test, ctor_size, 0, 0, construct);
	alloc_constructed(test, cache, objects, 16, CTOR_BYTE);
	constructed = nr_constructed;
	for (unsigned int round = 0; round < 100; round++) {
		/* The state is the user's business: here it changes each time. */
		for (unsigned int i = 0; i < 16; i++)
			memset(objects[i], (int)round, ctor_size);
		for (unsigned int i = 0; i < 16; i++)
			kmem_cache_free(cache, objects[i]);
		for (unsigned int i = 0; i < 16; i++) {
			again[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, again[i]);
			/* As just freed, or an object not used so far. */
			KUNIT_ASSERT_TRUE(test, shadow_all_bytes(again[i], ctor_size,
								 *(u8 *)again[i]));
		}
		memcpy(objects, again, sizeof(objects));
	}
	KUNIT_EXPECT_EQ(test, nr_constructed, constructed);
	for (unsigned int i = 0; i < 16; i++)
		kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
}

static void test_cache_destroy_null(struct kunit *test)
{
	kmem_cache_destroy(NULL);
	KUNIT_SUCCEED(test);
}

static void test_cache_reuses_names_and_memory(struct kunit *test)
{
	for (unsigned int i = 0; i < 2000; i++) {
		struct kmem_cache *cache = must_create(test, 64 + i % 7 * 100, 0, 0, NULL);
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0xff, 64 + i % 7 * 100);
		kmem_cache_free(cache, object);
		kmem_cache_destroy(cache);
	}
}

static struct kunit_case cache_cases[] = {
	KUNIT_CASE_PARAM(test_cache_objects_are_apart, size_gen_params),
	KUNIT_CASE(test_cache_alignments),
	KUNIT_CASE(test_cache_hwcache_align),
	KUNIT_CASE_PARAM(test_cache_zeroes, size_gen_params),
	KUNIT_CASE_PARAM(test_cache_ctor, size_gen_params),
	KUNIT_CASE(test_cache_ctor_keeps_user_state),
	KUNIT_CASE(test_cache_destroy_null),
	KUNIT_CASE(test_cache_reuses_names_and_memory),
	{ 0 },
};

static struct kunit_suite cache_suite = { .name = "slab_cache", .test_cases = cache_cases };

kunit_test_suite(cache_suite);

MODULE_LICENSE("Dual MIT/GPL");
