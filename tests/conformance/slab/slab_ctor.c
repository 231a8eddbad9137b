// SPDX-License-Identifier: MIT
/* Constructors, and SLAB_TYPESAFE_BY_RCU: which bytes of an object stay when it is freed. */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance.h"

enum { OBJECTS = 200 };

struct thing {
	unsigned long magic;
	unsigned long uses;
	u8 fill[77];
};

#define MAGIC 0x636f6e7374727563UL

static struct thing *things[OBJECTS];
static unsigned int nr_constructed;

static void construct(void *object)
{
	struct thing *thing = object;

	thing->magic = MAGIC;
	thing->uses = 0;
	memset(thing->fill, 0x2d, sizeof(thing->fill));
	nr_constructed++;
}

static void take(struct kunit *test, struct kmem_cache *cache)
{
	for (unsigned int i = 0; i < OBJECTS; i++) {
		things[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, things[i]);
	}
}

static void give_back(struct kmem_cache *cache)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		kmem_cache_free(cache, things[i]);
}

static struct kmem_cache *cache_of_things(struct kunit *test, slab_flags_t flags)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_thing", sizeof(struct thing), 0,
						     flags, construct);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	nr_constructed = 0;
	return cache;
}

/* Each object is constructed before it is handed out for the first time. */
static void each_object_is_constructed(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_things(test, 0);

	KUNIT_EXPECT_EQ(test, nr_constructed, 0U);
	take(test, cache);
	KUNIT_EXPECT_GE(test, nr_constructed, (unsigned int)OBJECTS);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		KUNIT_EXPECT_EQ(test, things[i]->magic, MAGIC);
		KUNIT_EXPECT_NULL(test, memchr_inv(things[i]->fill, 0x2d,
						   sizeof(things[i]->fill)));
	}
	give_back(cache);
	kmem_cache_destroy(cache);
}

/* It runs when the slab is made, not at each allocation. */
static void not_at_each_allocation(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_things(test, 0);
	unsigned int before;
	struct thing *held = kmem_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, held);
	before = nr_constructed;
	for (unsigned int i = 0; i < 1000; i++) {
		struct thing *thing = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, thing);
		kmem_cache_free(cache, thing);
	}
	KUNIT_EXPECT_EQ(test, nr_constructed, before);
	kmem_cache_free(cache, held);
	kmem_cache_destroy(cache);
}

/* An object keeps the state in which it was freed until it is had again. */
static void state_is_kept(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_things(test, 0);
	unsigned long uses_before = 0, uses = 0;

	for (unsigned int round = 0; round < 5; round++) {
		take(test, cache);
		for (unsigned int i = 0; i < OBJECTS; i++) {
			KUNIT_EXPECT_EQ(test, things[i]->magic, MAGIC);
			KUNIT_EXPECT_LE(test, things[i]->uses, (unsigned long)round);
			uses += things[i]->uses++;
			KUNIT_EXPECT_NULL(test, memchr_inv(things[i]->fill, 0x2d,
							   sizeof(things[i]->fill)));
		}
		if (round)
			KUNIT_EXPECT_GT(test, uses, uses_before);
		uses_before = uses;
		give_back(cache);
	}
	kmem_cache_destroy(cache);
}

/* A slab that has gone and come back is constructed again. */
static void again_with_a_new_slab(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_things(test, 0);
	unsigned int before;

	take(test, cache);
	for (unsigned int i = 0; i < OBJECTS; i++)
		things[i]->uses = 99;
	give_back(cache);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	before = nr_constructed;
	take(test, cache);
	KUNIT_EXPECT_GE(test, nr_constructed, before + OBJECTS);
	for (unsigned int i = 0; i < OBJECTS; i++)
		KUNIT_EXPECT_EQ(test, things[i]->uses, 0UL);
	give_back(cache);
	kmem_cache_destroy(cache);
}

/* Alignment and size hold beside what the allocator keeps behind the object. */
static void layout_with_a_constructor(struct kunit *test)
{
	for (unsigned int align = 8; align <= 512; align *= 2) {
		struct kmem_cache *cache = kmem_cache_create("conformance_built",
				sizeof(struct thing), align, 0, construct);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), (unsigned int)sizeof(struct thing));
		take(test, cache);
		for (unsigned int i = 0; i < OBJECTS; i++) {
			KUNIT_EXPECT_EQ(test, (unsigned long)things[i] % align, 0UL);
			things[i]->uses = i;
		}
		for (unsigned int i = 0; i < OBJECTS; i++)
			KUNIT_EXPECT_EQ(test, things[i]->uses, (unsigned long)i);
		give_back(cache);
		kmem_cache_destroy(cache);
	}
}

/* kmem_cache_alloc_bulk() hands out constructed objects as well. */
static void in_bulk(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_things(test, 0);

	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, OBJECTS, (void **)things),
			BULK_RESULT(OBJECTS));
	for (unsigned int i = 0; i < OBJECTS; i++)
		KUNIT_EXPECT_EQ(test, things[i]->magic, MAGIC);
	kmem_cache_free_bulk(cache, OBJECTS, (void **)things);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* SLAB_TYPESAFE_BY_RCU: a freed object is not overwritten until it is had again. */
static void content_survives_free(struct kunit *test)
{
	static u8 copy[4 * 1024];

	for (unsigned int size = 8; size <= sizeof(copy); size += size) {
		struct kmem_cache *cache = kmem_cache_create("conformance_rcu", size, 0,
							     SLAB_TYPESAFE_BY_RCU, NULL);
		u8 *object;

		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), size);
		for (unsigned int round = 0; round < 20; round++) {
			object = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, object);
			for (unsigned int i = 0; i < size; i++)
				object[i] = (u8)(i + round);
			memcpy(copy, object, size);
			rcu_read_lock();
			kmem_cache_free(cache, object);
			OPTIMIZER_HIDE_VAR(object);
			KUNIT_EXPECT_EQ(test, memcmp(object, copy, size), 0);
			rcu_read_unlock();
		}
		kmem_cache_destroy(cache);
	}
}

/* Pages that went back too early would be handed out here. */
static void overwrite_free_pages(void)
{
	static unsigned long blocks[4][64];

	for (unsigned int order = 0; order < ARRAY_SIZE(blocks); order++)
		for (unsigned int i = 0; i < ARRAY_SIZE(blocks[0]); i++) {
			blocks[order][i] = __get_free_pages(GFP_ATOMIC | __GFP_NOWARN, order);
			if (blocks[order][i])
				memset((void *)blocks[order][i], 0xdd, PAGE_SIZE << order);
		}
	for (unsigned int order = 0; order < ARRAY_SIZE(blocks); order++)
		for (unsigned int i = 0; i < ARRAY_SIZE(blocks[0]); i++)
			free_pages(blocks[order][i], order);
}

/* Its slabs stay slabs until the grace period ends, though many have become empty. */
static void memory_outlives_readers(struct kunit *test)
{
	enum { NR = 4000 };
	struct kmem_cache *cache = cache_of_things(test, SLAB_TYPESAFE_BY_RCU);
	struct thing **many = kvcalloc(NR, sizeof(*many), GFP_KERNEL);
	unsigned int nr_lost = 0;

	KUNIT_ASSERT_NOT_NULL(test, many);
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, NR, (void **)many),
			BULK_RESULT(NR));
	rcu_read_lock();
	for (unsigned int i = 0; i < NR; i++)
		kmem_cache_free(cache, many[i]);
	overwrite_free_pages();
	mdelay(5);
	for (unsigned int i = 0; i < NR; i++) {
		struct thing *thing = many[i];

		OPTIMIZER_HIDE_VAR(thing);
		nr_lost += READ_ONCE(thing->magic) != MAGIC;
	}
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, nr_lost, 0U);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kvfree(many);
	kmem_cache_destroy(cache);
}

/* A constructor and RCU together: the state survives until the object is had again. */
static void constructor_and_rcu(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_things(test, SLAB_TYPESAFE_BY_RCU);

	for (unsigned int round = 0; round < 3; round++) {
		take(test, cache);
		for (unsigned int i = 0; i < OBJECTS; i++)
			KUNIT_EXPECT_EQ(test, things[i]->magic, MAGIC);
		give_back(cache);
	}
	kmem_cache_destroy(cache);
}

/* Does a cache with a constructor place its free pointer where it is told? */
#define CONSTRUCTOR_PLACES (LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0))

/* A cache whose free pointer is to lie in "uses", which the constructor sets to 0. */
static struct kmem_cache *placed_cache(slab_flags_t flags)
{
	struct kmem_cache_args args = {
		.ctor = construct,
		.use_freeptr_offset = true,
		.freeptr_offset = offsetof(struct thing, uses),
	};

	return kmem_cache_create("conformance_placed", sizeof(struct thing), &args, flags);
}

/* Frees most objects of each slab into it, and takes as many. How many have a pointer in "uses"? */
static unsigned int free_and_take(struct kunit *test, struct kmem_cache *cache)
{
	unsigned int pointers = 0;

	take(test, cache);
	for (unsigned int i = 0; i < OBJECTS; i++)
		if (i % 4)
			kmem_cache_free(cache, things[i]);
	kmem_cache_shrink(cache);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		if (i % 4)
			things[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, things[i]);
		KUNIT_EXPECT_EQ(test, things[i]->magic, MAGIC);
		pointers += things[i]->uses != 0;
	}
	give_back(cache);
	return pointers;
}

/*
 * calculate_sizes(): up to Linux 7.0, with a constructor, the free pointer does not go inside the
 * object, even if a place for it is given.
 */
static void constructor_and_place_of_the_free_pointer(struct kunit *test)
{
	struct kmem_cache *cache = placed_cache(SLAB_TYPESAFE_BY_RCU);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	if (CONSTRUCTOR_PLACES)
		KUNIT_EXPECT_GT(test, free_and_take(test, cache), 0U);
	else
		KUNIT_EXPECT_EQ(test, free_and_take(test, cache), 0U);
	kmem_cache_destroy(cache);
}

/* create_cache(): since Linux 7.1 a constructor alone is reason to say where it lies. */
static void constructor_alone_places_the_free_pointer(struct kunit *test)
{
	struct kmem_cache *cache = placed_cache(0);

	KUNIT_EXPECT_EQ(test, cache != NULL, CONSTRUCTOR_PLACES);
	if (!cache)
		return;
	KUNIT_EXPECT_GT(test, free_and_take(test, cache), 0U);
	kmem_cache_destroy(cache);
}

/* ksize() of such an object stops before what the allocator keeps behind it. */
static void real_size_under_rcu(struct kunit *test)
{
	for (unsigned int size = 1; size < 600; size += 1 + size / 8) {
		struct kmem_cache *cache = kmem_cache_create("conformance_rcusize", size, 0,
							     SLAB_TYPESAFE_BY_RCU, NULL);
		void *object;

		KUNIT_ASSERT_NOT_NULL(test, cache);
		object = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, ksize(object), (size_t)ALIGN(size, 8));
		kmem_cache_free(cache, object);
		kmem_cache_destroy(cache);
	}
}

/* kmem_cache_zalloc() of it is zero, though the content had stayed. */
static void zeroed_under_rcu(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_rcuzero", 120, 0,
						     SLAB_TYPESAFE_BY_RCU, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int round = 0; round < 10; round++) {
		u8 *object = kmem_cache_zalloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_NULL(test, memchr_inv(object, 0, 120));
		memset(object, 0xab, 120);
		kmem_cache_free(cache, object);
	}
	kmem_cache_destroy(cache);
}

/* __GFP_ZERO with a constructor is warned of, once, and clears the object all the same. */
static void zeroed_with_a_constructor(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_things(test, 0);

	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < OBJECTS; i++) {
			things[i] = kmem_cache_zalloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, things[i]);
			KUNIT_EXPECT_NULL(test, memchr_inv(things[i], 0, sizeof(*things[i])));
			memset(things[i], 0x61, sizeof(*things[i]));
		}
		give_back(cache);
	}
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_ZERO, OBJECTS,
						    (void **)things), BULK_RESULT(OBJECTS));
	for (unsigned int i = 0; i < OBJECTS; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(things[i], 0, sizeof(*things[i])));
	kmem_cache_free_bulk(cache, OBJECTS, (void **)things);
	kmem_cache_destroy(cache);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_object_is_constructed),
	KUNIT_CASE(not_at_each_allocation),
	KUNIT_CASE(state_is_kept),
	KUNIT_CASE(again_with_a_new_slab),
	KUNIT_CASE(layout_with_a_constructor),
	KUNIT_CASE(in_bulk),
	KUNIT_CASE(content_survives_free),
	KUNIT_CASE(memory_outlives_readers),
	KUNIT_CASE(constructor_and_rcu),
	KUNIT_CASE(constructor_and_place_of_the_free_pointer),
	KUNIT_CASE(constructor_alone_places_the_free_pointer),
	KUNIT_CASE(real_size_under_rcu),
	KUNIT_CASE(zeroed_under_rcu),
	KUNIT_CASE(zeroed_with_a_constructor),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_ctor", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
