// SPDX-License-Identifier: MIT
/* Making caches: both forms of kmem_cache_create(), flags, sizes, alignment, names. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance_objects.h"

enum { LINE_BYTES = 64 };

/* Objects of this cache are aligned, and at least size bytes apart. */
static void expect_layout(struct kunit *test, struct kmem_cache *cache, size_t size,
			  unsigned long align)
{
	take(test, cache, GFP_KERNEL);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		KUNIT_EXPECT_EQ_MSG(test, (unsigned long)objects[i] % align, 0UL,
				    "size %zu, align %lu", size, align);
		memset(objects[i], (int)i, size);
	}
	for (unsigned int i = 0; i < OBJECTS; i++)
		KUNIT_EXPECT_NULL_MSG(test, memchr_inv(objects[i], (int)i, size),
				      "size %zu, align %lu", size, align);
	give_back(cache);
}

static size_t room_of_one(struct kunit *test, struct kmem_cache *cache)
{
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	size_t room;

	KUNIT_ASSERT_NOT_NULL(test, object);
	room = ksize(object);
	kmem_cache_free(cache, object);
	return room;
}

/* kmem_cache_create(name, size, align, flags, ctor), for many sizes in a row. */
static void every_size(struct kunit *test)
{
	for (unsigned int size = 1; size <= 3 * PAGE_SIZE; size += 1 + size / 9) {
		struct kmem_cache *cache = kmem_cache_create("conformance_size", size, 0,
							     SLAB_NO_MERGE, NULL);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), size);
		expect_layout(test, cache, size, 8);
		kmem_cache_destroy(cache);
	}
}

/* The largest size that there is, and more than that. */
static void limits_of_size(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_max", KMALLOC_MAX_SIZE, 0,
						     SLAB_NO_MERGE, NULL);
	void *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, object);
	if (object)
		kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_NULL(test, kmem_cache_create("conformance_more", KMALLOC_MAX_SIZE + 1, 0,
						  SLAB_NO_MERGE, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("conformance_more", UINT_MAX / 2, 0,
						  SLAB_NO_MERGE, NULL));
}

/* An explicit alignment holds for each object, beyond a page as well. */
static void every_alignment(struct kunit *test)
{
	static const unsigned int sizes[] = { 1, 8, 24, 100, 512, 1000 };

	for (unsigned int align = 1; align <= 2 * PAGE_SIZE; align *= 2)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct kmem_cache *cache = kmem_cache_create("conformance_align",
					sizes[i], align, SLAB_NO_MERGE, NULL);

			KUNIT_ASSERT_NOT_NULL(test, cache);
			KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), sizes[i]);
			expect_layout(test, cache, sizes[i], max(align, 8U));
			kmem_cache_destroy(cache);
		}
}

/* calculate_alignment(): SLAB_HWCACHE_ALIGN halves the line while the object fits a half. */
static void alignment_to_cache_lines(struct kunit *test)
{
	for (unsigned int size = 1; size <= 5 * LINE_BYTES; size++)
		for (unsigned int align = 2; align <= 2 * LINE_BYTES; align *= 4) {
			struct kmem_cache *cache = kmem_cache_create("conformance_line", size,
					align, SLAB_HWCACHE_ALIGN | SLAB_NO_MERGE, NULL);
			unsigned int line = LINE_BYTES;

			KUNIT_ASSERT_NOT_NULL(test, cache);
			while (size <= line / 2)
				line /= 2;
			expect_layout(test, cache, size, max3(line, align, 8U));
			/* Small ones share lines: no more room is taken than that needs. */
			KUNIT_EXPECT_EQ(test, room_of_one(test, cache),
					(size_t)ALIGN(size, max3(line, align, 8U)));
			kmem_cache_destroy(cache);
		}
}

/* ksize() of a cache's object reaches to the next object. */
static void real_size(struct kunit *test)
{
	for (unsigned int size = 1; size <= 1000; size += 1 + size / 9)
		for (unsigned int align = 8; align <= 256; align *= 2) {
			struct kmem_cache *cache = kmem_cache_create("conformance_ksize", size,
					align, SLAB_NO_MERGE, NULL);

			KUNIT_ASSERT_NOT_NULL(test, cache);
			KUNIT_EXPECT_EQ(test, room_of_one(test, cache),
					(size_t)ALIGN(size, align));
			kmem_cache_destroy(cache);
		}
}

struct sample {
	char text[21];
	long number;
	char user[10];
} __aligned(32);

static void construct_nothing(void *object)
{
	memset(object, 0x11, sizeof(struct sample));
}

/* kmem_cache_create(name, size, &args, flags) with struct kmem_cache_args, and NULL. */
static void form_with_arguments(struct kunit *test)
{
	struct kmem_cache_args args = {
		.align = 128,
		.ctor = construct_nothing,
	};
	struct kmem_cache *cache = kmem_cache_create("conformance_args", sizeof(struct sample),
						     &args, SLAB_NO_MERGE);
	u8 *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), (unsigned int)sizeof(struct sample));
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, (unsigned long)object % 128, 0UL);
	KUNIT_EXPECT_NULL(test, memchr_inv(object, 0x11, sizeof(struct sample)));
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
	cache = kmem_cache_create("conformance_null", 72, NULL, SLAB_NO_MERGE);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	expect_layout(test, cache, 72, 8);
	kmem_cache_destroy(cache);
}

static void expect_sample_cache(struct kunit *test, struct kmem_cache *cache)
{
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), (unsigned int)sizeof(struct sample));
	expect_layout(test, cache, sizeof(struct sample), 32);
	kmem_cache_destroy(cache);
}

/* KMEM_CACHE(), KMEM_CACHE_USERCOPY(), kmem_cache_create_usercopy(). */
static void of_a_type(struct kunit *test)
{
	expect_sample_cache(test, KMEM_CACHE(sample, SLAB_NO_MERGE));
	expect_sample_cache(test, KMEM_CACHE_USERCOPY(sample, SLAB_NO_MERGE, user));
	expect_sample_cache(test, kmem_cache_create_usercopy("conformance_user",
			sizeof(struct sample), __alignof__(struct sample), SLAB_NO_MERGE,
			offsetof(struct sample, user), sizeof_field(struct sample, user), NULL));
}

/* A flag that no SLAB_ name stands for is refused; those that have one are accepted. */
static void flags_known_and_unknown(struct kunit *test)
{
	slab_flags_t plain = SLAB_HWCACHE_ALIGN | SLAB_CACHE_DMA32 | SLAB_CACHE_DMA |
		SLAB_PANIC | SLAB_TYPESAFE_BY_RCU | SLAB_NOLEAKTRACE | SLAB_RECLAIM_ACCOUNT |
		SLAB_TEMPORARY | SLAB_ACCOUNT | SLAB_NO_USER_FLAGS | SLAB_NO_MERGE;
	slab_flags_t debugging = SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON |
		SLAB_STORE_USER | SLAB_TRACE | SLAB_KMALLOC | SLAB_NO_OBJ_EXT;

	for (unsigned int bit = 0; bit < 32; bit++) {
		slab_flags_t flag = (slab_flags_t)(1U << bit);
		struct kmem_cache *cache;

		/* Debugging stays on in all of Linux once a cache has asked for it. */
		if (flag & (debugging | SLAB_FAILSLAB | SLAB_KASAN | SLAB_SKIP_KFENCE))
			continue;
		cache = kmem_cache_create("conformance_flag", 200, 0,
					  flag | (flag & plain ? SLAB_NO_MERGE : 0), NULL);
		if (flag & plain)
			KUNIT_EXPECT_NOT_NULL_MSG(test, cache, "bit %u", bit);
		else
			KUNIT_EXPECT_NULL_MSG(test, cache, "bit %u", bit);
		kmem_cache_destroy(cache);
	}
}

/* Placement, accounting and reclaim flags change neither size nor alignment. */
static void flags_of_placement(struct kunit *test)
{
	static const slab_flags_t flags[] = {
		0, SLAB_RECLAIM_ACCOUNT, SLAB_TEMPORARY, SLAB_ACCOUNT, SLAB_CACHE_DMA,
		SLAB_NOLEAKTRACE, SLAB_PANIC, SLAB_NO_USER_FLAGS,
		SLAB_RECLAIM_ACCOUNT | SLAB_ACCOUNT | SLAB_HWCACHE_ALIGN | SLAB_PANIC,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++) {
		struct kmem_cache *cache = kmem_cache_create("conformance_place", 136, 8,
							     flags[i] | SLAB_NO_MERGE, NULL);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), 136U);
		expect_layout(test, cache, 136, flags[i] & SLAB_HWCACHE_ALIGN ? LINE_BYTES : 8);
		kmem_cache_destroy(cache);
	}
}

/* create_cache(): a free pointer inside needs SLAB_TYPESAFE_BY_RCU, room, alignment. */
static void place_of_the_free_pointer(struct kunit *test)
{
	for (unsigned int offset = 0; offset <= 72; offset++)
		for (unsigned int rcu = 0; rcu < 2; rcu++) {
			struct kmem_cache_args args = {
				.use_freeptr_offset = true,
				.freeptr_offset = offset,
			};
			struct kmem_cache *cache = kmem_cache_create("conformance_freeptr", 64,
					&args, SLAB_NO_MERGE | (rcu ? SLAB_TYPESAFE_BY_RCU : 0));

			KUNIT_EXPECT_EQ_MSG(test, cache != NULL,
					    rcu && offset < 64 && offset % 8 == 0,
					    "offset %u, rcu %u", offset, rcu);
			if (cache)
				expect_layout(test, cache, 64, 8);
			kmem_cache_destroy(cache);
		}
}

/* The name is copied: the caller may change its buffer. */
static void name_is_copied(struct kunit *test)
{
	char name[24];
	struct kmem_cache *cache;

	strscpy(name, "conformance_copy", sizeof(name));
	cache = kmem_cache_create(name, 48, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	memset(name, 'x', sizeof(name) - 1);
	expect_layout(test, cache, 48, 8);
	kmem_cache_destroy(cache);
}

/* kmem_cache_create() does not look whether a name exists already. */
static void names_twice(struct kunit *test)
{
	struct kmem_cache *one = kmem_cache_create("conformance_name", 1304, 0, SLAB_NO_MERGE,
						   NULL);
	struct kmem_cache *same = kmem_cache_create("conformance_name", 1304, 0, SLAB_NO_MERGE,
						    NULL);
	struct kmem_cache *small = kmem_cache_create("conformance_both", 1416, 0, 0, NULL);
	struct kmem_cache *large = kmem_cache_create("conformance_both", 2888, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, same);
	KUNIT_ASSERT_NOT_NULL(test, small);
	KUNIT_ASSERT_NOT_NULL(test, large);
	KUNIT_EXPECT_PTR_NE(test, one, same);
	expect_layout(test, one, 1304, 8);
	expect_layout(test, same, 1304, 8);
	expect_layout(test, small, 1416, 8);
	expect_layout(test, large, 2888, 8);
	kmem_cache_destroy(one);
	kmem_cache_destroy(same);
	kmem_cache_destroy(small);
	kmem_cache_destroy(large);
}

/* kmem_cache_create() without a name is refused. Linux 7.3 reads the name before. */
static void without_a_name(struct kunit *test)
{
	if (LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0))
		kunit_skip(test, "up to Linux 7.2");
	KUNIT_EXPECT_NULL(test, kmem_cache_create(NULL, 64, 0, 0, construct_nothing));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_size),
	KUNIT_CASE(limits_of_size),
	KUNIT_CASE(every_alignment),
	KUNIT_CASE(alignment_to_cache_lines),
	KUNIT_CASE(real_size),
	KUNIT_CASE(form_with_arguments),
	KUNIT_CASE(of_a_type),
	KUNIT_CASE(flags_known_and_unknown),
	KUNIT_CASE(flags_of_placement),
	KUNIT_CASE(place_of_the_free_pointer),
	KUNIT_CASE(name_is_copied),
	KUNIT_CASE(names_twice),
	KUNIT_CASE(without_a_name),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_cache", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
