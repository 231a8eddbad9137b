/* SPDX-License-Identifier: MIT */
/* kmalloc and its relatives: classes, alignments, odd sizes, krealloc. */
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"

static const struct {
	size_t size, align;
} classes[] = {
	{ 8, 8 }, { 16, 16 }, { 32, 32 }, { 64, 64 }, { 96, 32 }, { 128, 128 }, { 192, 64 },
	{ 256, 256 }, { 512, 512 }, { 1024, 1024 }, { 2048, 2048 }, { 4096, 4096 },
	{ 8192, 8192 },
};

/* The number of the smallest class that holds size bytes. */
static unsigned int class_of(size_t size)
{
	unsigned int i = 0;

	while (classes[i].size < size)
		i++;
	return i;
}

/* A size that the compiler cannot know. */
static void *kmalloc_hidden(size_t size, gfp_t gfp)
{
	static volatile size_t hidden;

	hidden = size;
	return kmalloc(hidden, gfp);
}

static void test_kmalloc_every_size(struct kunit *test)
{
	for (size_t size = 1; size <= KMALLOC_MAX_CACHE_SIZE; size++) {
		unsigned int class = class_of(size);
		void *object = kmalloc_hidden(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_ASSERT_EQ_MSG(test, ksize(object), classes[class].size, "%zu bytes", size);
		KUNIT_ASSERT_EQ(test, kmalloc_size_roundup(size), classes[class].size);
		KUNIT_ASSERT_EQ_MSG(test, (unsigned long)object % classes[class].align, 0,
				    "%zu bytes at %p", size, object);
		memset(object, 0xff, ksize(object));
		kfree(object);
	}
}

#define CHECK_CONSTANT(size)						\
	do {								\
		void *object_ = kmalloc(size, GFP_KERNEL);		\
		void *hidden_ = kmalloc_hidden(size, GFP_KERNEL);	\
									\
		KUNIT_ASSERT_NOT_NULL(test, object_);			\
		KUNIT_ASSERT_NOT_NULL(test, hidden_);			\
		KUNIT_EXPECT_EQ(test, ksize(object_), ksize(hidden_));	\
		kfree(object_);						\
		kfree(hidden_);						\
	} while (0)

#define CHECK_AROUND(size)						\
	do {								\
		CHECK_CONSTANT(size - 1);				\
		CHECK_CONSTANT(size);					\
		CHECK_CONSTANT(size + 1);				\
	} while (0)

/* The compiler's choice of class is the library's. */
static void test_kmalloc_constant_sizes(struct kunit *test)
{
	CHECK_CONSTANT(1);
	CHECK_AROUND(8);
	CHECK_AROUND(16);
	CHECK_AROUND(32);
	CHECK_AROUND(64);
	CHECK_AROUND(96);
	CHECK_AROUND(128);
	CHECK_AROUND(192);
	CHECK_AROUND(256);
	CHECK_AROUND(512);
	CHECK_AROUND(1024);
	CHECK_AROUND(2048);
	CHECK_AROUND(4096);
	CHECK_AROUND(8192);
	CHECK_CONSTANT(100000);
}

static void test_kmalloc_many_are_aligned(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
		void *objects[200];

		for (unsigned int k = 0; k < 200; k++) {
			objects[k] = kmalloc_hidden(classes[i].size, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[k]);
			KUNIT_ASSERT_EQ(test, (unsigned long)objects[k] % classes[i].align, 0);
		}
		for (unsigned int k = 0; k < 200; k++)
			kfree(objects[k]);
	}
}

/* Above the largest class: whole compound pages, aligned to their size. */
static void test_kmalloc_pages(struct kunit *test)
{
	static const size_t sizes[] = {
		8193, 10000, 12288, 16384, 16385, 65536, 100000, 1UL << 20, (1UL << 20) + 1,
		KMALLOC_MAX_SIZE - 1, KMALLOC_MAX_SIZE,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t bytes = PAGE_SIZE << get_order(sizes[i]);
		void *object = kmalloc_hidden(sizes[i], GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL_MSG(test, object, "%zu bytes", sizes[i]);
		KUNIT_EXPECT_EQ(test, ksize(object), bytes);
		KUNIT_EXPECT_EQ(test, kmalloc_size_roundup(sizes[i]), bytes);
		KUNIT_EXPECT_EQ(test, (unsigned long)object % bytes, 0);
		memset(object, 0xff, bytes);
		kfree(object);
		object = kmalloc_hidden(sizes[i], GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_TRUE(test, shadow_all_bytes(object, sizes[i], 0));
		kfree(object);
	}
}

static void test_kmalloc_zero_size(struct kunit *test)
{
	void *object = kmalloc(0, GFP_KERNEL);

	KUNIT_EXPECT_PTR_EQ(test, object, ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kmalloc_hidden(0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kzalloc(0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kcalloc(0, 8, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_TRUE(test, ZERO_OR_NULL_PTR(object));
	KUNIT_EXPECT_TRUE(test, ZERO_OR_NULL_PTR(NULL));
	KUNIT_EXPECT_EQ(test, ksize(object), 0);
	KUNIT_EXPECT_EQ(test, ksize(NULL), 0);
	KUNIT_EXPECT_EQ(test, kmalloc_size_roundup(0), 0);
	kfree(object);
	kfree(object);
	kfree(NULL);
}

static void test_kmalloc_too_large(struct kunit *test)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;

	KUNIT_EXPECT_NULL(test, kmalloc_hidden(KMALLOC_MAX_SIZE + 1, gfp));
	KUNIT_EXPECT_NULL(test, kmalloc_hidden(1UL << 40, gfp));
	KUNIT_EXPECT_NULL(test, kmalloc_hidden(~0UL, gfp));
	KUNIT_EXPECT_NULL(test, kmalloc_hidden(~0UL - 4095, gfp));
	KUNIT_EXPECT_NULL(test, kmalloc_array(1UL << 32, 1UL << 32, gfp));
	KUNIT_EXPECT_NULL(test, kmalloc_array((1UL << 63) + 1, 2, gfp));
	KUNIT_EXPECT_NULL(test, kcalloc(~0UL, ~0UL, gfp));
	KUNIT_EXPECT_NULL(test, kcalloc(KMALLOC_MAX_SIZE / 8 + 1, 8, gfp));
}

static void test_kmalloc_arrays(struct kunit *test)
{
	u32 *numbers = kmalloc_array(100, sizeof(*numbers), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, numbers);
	KUNIT_EXPECT_EQ(test, ksize(numbers), 512);
	memset(numbers, 0xff, 400);
	kfree(numbers);
	numbers = kcalloc(100, sizeof(*numbers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, numbers);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(numbers, 400, 0));
	kfree(numbers);
}

static void test_kmalloc_zeroes(struct kunit *test)
{
	void *objects[100];

	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++)
		for (unsigned int round = 0; round < 3; round++) {
			for (unsigned int k = 0; k < 100; k++) {
				objects[k] = kzalloc(classes[i].size, GFP_KERNEL);
				KUNIT_ASSERT_NOT_NULL(test, objects[k]);
				KUNIT_ASSERT_TRUE(test, shadow_all_bytes(objects[k],
									 classes[i].size, 0));
				memset(objects[k], 0xff, classes[i].size);
			}
			for (unsigned int k = 0; k < 100; k++)
				kfree(objects[k]);
		}
}

static void fill(u8 *object, size_t size)
{
	for (size_t i = 0; i < size; i++)
		object[i] = (u8)(i * 7 + 1);
}

static bool filled(const u8 *object, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (object[i] != (u8)(i * 7 + 1))
			return false;
	return true;
}

static void test_krealloc_ends(struct kunit *test)
{
	void *object = krealloc(NULL, 100, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, ksize(object), 128);
	KUNIT_EXPECT_PTR_EQ(test, krealloc(object, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, krealloc(NULL, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, krealloc(ZERO_SIZE_PTR, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	object = krealloc(ZERO_SIZE_PTR, 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, ksize(object), 8);
	kfree(object);
}

static void test_krealloc_stays_in_its_bucket(struct kunit *test)
{
	u8 *object = kmalloc(65, GFP_KERNEL), *same = object;

	KUNIT_ASSERT_NOT_NULL(test, object);
	fill(object, 65);
	for (size_t size = 96; size; size--) {
		same = krealloc(same, size, GFP_KERNEL);
		KUNIT_ASSERT_PTR_EQ(test, same, object);
	}
	KUNIT_EXPECT_TRUE(test, filled(same, 1));
	kfree(same);
}

static void test_krealloc_grows_and_keeps(struct kunit *test)
{
	static const size_t sizes[] = {
		1, 8, 9, 16, 33, 64, 65, 100, 192, 193, 500, 1000, 3000, 8192, 8193, 20000,
		100000, 1UL << 20,
	};
	u8 *object = NULL;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		object = krealloc(object, sizes[i], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_GE(test, ksize(object), sizes[i]);
		if (i)
			KUNIT_EXPECT_TRUE_MSG(test, filled(object, sizes[i - 1]), "%zu -> %zu",
					      sizes[i - 1], sizes[i]);
		fill(object, sizes[i]);
	}
	kfree(object);
}

static void test_krealloc_failure_keeps_the_old(struct kunit *test)
{
	static const size_t sizes[] = { 8, 100, 5000, 20000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *object = kmalloc_hidden(sizes[i], GFP_KERNEL);
		size_t size = ksize(object);

		KUNIT_ASSERT_NOT_NULL(test, object);
		fill(object, size);
		KUNIT_EXPECT_NULL(test, krealloc(object, KMALLOC_MAX_SIZE + 1,
						 GFP_KERNEL | __GFP_NOWARN));
		KUNIT_EXPECT_TRUE(test, filled(object, size));
		KUNIT_EXPECT_EQ(test, ksize(object), size);
		kfree(object);
	}
}

/* Zeroed from the start, every byte gained is zero, whatever lay there before. */
static void test_krealloc_zeroes_what_is_gained(struct kunit *test)
{
	struct prng prng = { 21 };

	for (unsigned int round = 0; round < 300; round++) {
		size_t size = prng_range(&prng, 1, 300);
		u8 *object = kzalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0xff, size);
		for (unsigned int step = 0; step < 10; step++) {
			size_t new_size = prng_range(&prng, 1, step < 8 ? 600 : 20000);

			object = krealloc(object, new_size, GFP_KERNEL | __GFP_ZERO);
			KUNIT_ASSERT_NOT_NULL(test, object);
			if (new_size > size)
				KUNIT_ASSERT_TRUE_MSG(test, shadow_all_bytes(object + size,
									     new_size - size, 0),
						      "%zu -> %zu", size, new_size);
			KUNIT_ASSERT_TRUE(test, shadow_all_bytes(object,
					  size < new_size ? size : new_size, 0xff));
			memset(object, 0xff, new_size);
			size = new_size;
		}
		kfree(object);
	}
}

/* The whole object is cleared, so the next owner finds no old contents. */
static void test_kmalloc_free_sensitive(struct kunit *test)
{
	kfree_sensitive(NULL);
	kfree_sensitive(ZERO_SIZE_PTR);
	for (size_t size = 24; size <= KMALLOC_MAX_CACHE_SIZE; size += size / 2) {
		struct kmem_cache *cache = kmem_cache_create("secret", (unsigned int)size, 0, 0,
							     NULL);
		u8 *object = cache ? kmem_cache_alloc(cache, GFP_KERNEL) : NULL;

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0x99, size);
		kfree_sensitive(object);
		object = kmem_cache_alloc(cache, GFP_KERNEL);
		/* The first words are the allocator's while the object is free. */
		KUNIT_EXPECT_NULL(test, memchr(object + 16, 0x99, size - 16));
		kmem_cache_free(cache, object);
		kmem_cache_destroy(cache);
	}
}

static struct kunit_case kmalloc_cases[] = {
	KUNIT_CASE(test_kmalloc_every_size),
	KUNIT_CASE(test_kmalloc_constant_sizes),
	KUNIT_CASE(test_kmalloc_many_are_aligned),
	KUNIT_CASE(test_kmalloc_pages),
	KUNIT_CASE(test_kmalloc_zero_size),
	KUNIT_CASE(test_kmalloc_too_large),
	KUNIT_CASE(test_kmalloc_arrays),
	KUNIT_CASE(test_kmalloc_zeroes),
	KUNIT_CASE(test_krealloc_ends),
	KUNIT_CASE(test_krealloc_stays_in_its_bucket),
	KUNIT_CASE(test_krealloc_grows_and_keeps),
	KUNIT_CASE(test_krealloc_failure_keeps_the_old),
	KUNIT_CASE(test_krealloc_zeroes_what_is_gained),
	KUNIT_CASE(test_kmalloc_free_sensitive),
	{ 0 },
};

static struct kunit_suite kmalloc_suite = { .name = "kmalloc", .test_cases = kmalloc_cases };

kunit_test_suite(kmalloc_suite);

MODULE_LICENSE("Dual MIT/GPL");
