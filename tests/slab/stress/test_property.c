/* SPDX-License-Identifier: MIT */
/*
 * Random allocations of all kinds against a shadow model: no two objects share a
 * granule, and what the owner wrote into an object stays until it is freed.
 */
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"

#define NR_LIVE 1500
#define STEPS 200000
#define NR_CACHES 6

static const unsigned int cache_sizes[NR_CACHES] = { 8, 24, 100, 256, 700, 5000 };

static struct kmem_cache *caches[NR_CACHES];

struct live {
	void *object;
	size_t size;			/* asked for */
	struct kmem_cache *cache;	/* NULL: kmalloc's */
	u64 owner;
};

static struct live live[NR_LIVE];
static struct shadow shadow;

static void construct(void *object)
{
	memset(object, 0x33, 24);
}

static int make_caches(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_CACHES; i++) {
		caches[i] = kmem_cache_create("property", cache_sizes[i], i == 3 ? 256 : 0, 0,
					      i == 1 ? construct : NULL);
		if (!caches[i])
			return -1;
	}
	memset(live, 0, sizeof(live));
	(void)test;
	return shadow_init(&shadow, SHADOW_GRANULE_SHIFT, 1UL << 16) ? 0 : -1;
}

static void drop_caches(struct kunit *test)
{
	(void)test;
	for (unsigned int i = 0; i < NR_CACHES; i++)
		kmem_cache_destroy(caches[i]);
	shadow_destroy(&shadow);
}

/* The bytes that belong to the owner: the whole bucket for kmalloc. */
static size_t extent(const struct live *entry)
{
	return entry->cache ? entry->size : ksize(entry->object);
}

static size_t random_size(struct prng *prng)
{
	switch (prng_below(prng, 20)) {
	case 0:
		return prng_range(prng, 8000, 200000);
	case 1:
	case 2:
		return prng_range(prng, 1000, 9000);
	default:
		return prng_range(prng, 1, 600);
	}
}

static void own(struct kunit *test, struct prng *prng, struct live *entry)
{
	entry->owner = prng_u64(prng);
	KUNIT_ASSERT_EQ_MSG(test, shadow_claim(&shadow, entry->object, extent(entry)), 0,
			    "%zu bytes at %p are not free", extent(entry), entry->object);
	/* A constructed object keeps its state: those are not written to. */
	if (entry->cache != caches[1])
		shadow_stamp(entry->object, extent(entry), entry->owner);
}

static void check(struct kunit *test, const struct live *entry)
{
	if (entry->cache == caches[1])
		KUNIT_ASSERT_TRUE(test, shadow_all_bytes(entry->object, 24, 0x33));
	else
		KUNIT_ASSERT_TRUE_MSG(test, shadow_stamp_holds(entry->object, extent(entry),
							       entry->owner),
				      "%zu bytes at %p", extent(entry), entry->object);
}

static void disown(struct kunit *test, struct live *entry)
{
	check(test, entry);
	KUNIT_ASSERT_EQ(test, shadow_release(&shadow, entry->object, extent(entry)), 0);
}

static void take(struct kunit *test, struct prng *prng, struct live *entry)
{
	gfp_t gfp = GFP_KERNEL | (prng_one_in(prng, 4) ? __GFP_ZERO : 0);
	unsigned int i = prng_below(prng, NR_CACHES * 2);

	if (i < NR_CACHES) {
		if (i == 1)
			gfp &= ~__GFP_ZERO;
		entry->cache = caches[i];
		entry->size = cache_sizes[i];
		entry->object = kmem_cache_alloc(entry->cache, gfp);
	} else {
		entry->cache = NULL;
		entry->size = random_size(prng);
		entry->object = kmalloc(entry->size, gfp);
	}
	KUNIT_ASSERT_NOT_NULL(test, entry->object);
	if (gfp & __GFP_ZERO)
		KUNIT_ASSERT_TRUE(test, shadow_all_bytes(entry->object, entry->size, 0));
	own(test, prng, entry);
}

static void drop(struct kunit *test, struct prng *prng, struct live *entry)
{
	disown(test, entry);
	/* kfree() takes objects of any cache, as in Linux. */
	if (entry->cache && prng_one_in(prng, 2))
		kmem_cache_free(entry->cache, entry->object);
	else
		kfree(entry->object);
	entry->object = NULL;
}

static void resize(struct kunit *test, struct prng *prng, struct live *entry)
{
	size_t size = random_size(prng);
	void *object;

	if (entry->cache)
		return;
	disown(test, entry);
	/* The first word of the stamp must come along. */
	object = krealloc(entry->object, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	if (size >= 8 && entry->size >= 16) {
		u64 stamp = shadow_stamp_value(entry->object, entry->owner);

		KUNIT_ASSERT_MEMEQ(test, object, &stamp, sizeof(stamp));
	}
	entry->object = object;
	entry->size = size;
	own(test, prng, entry);
}

static void test_property_random_mix(struct kunit *test)
{
	struct prng prng = { 77 };

	for (unsigned int step = 0; step < STEPS; step++) {
		/* The population swings, so that slabs fill, empty and go. */
		unsigned int reach = step / 20000 % 2 ? NR_LIVE / 20 : NR_LIVE;
		struct live *entry = &live[prng_below(&prng, NR_LIVE)];

		if (!entry->object) {
			if (entry < live + reach)
				take(test, &prng, entry);
		} else if (prng_one_in(&prng, 4)) {
			resize(test, &prng, entry);
		} else {
			drop(test, &prng, entry);
		}
	}
	for (unsigned int i = 0; i < NR_LIVE; i++)
		if (live[i].object)
			drop(test, &prng, &live[i]);
	KUNIT_EXPECT_EQ(test, shadow.nr_claimed, 0);
}

/* Frees in the order last in, first out; then first in, first out; then every other one. */
static void test_property_orders_of_free(struct kunit *test)
{
	struct prng prng = { 78 };

	for (unsigned int round = 0; round < 12; round++) {
		for (unsigned int i = 0; i < NR_LIVE; i++) {
			live[i].cache = caches[round % 2 ? 2 : 4];
			live[i].size = cache_sizes[round % 2 ? 2 : 4];
			live[i].object = kmem_cache_alloc(live[i].cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, live[i].object);
			own(test, &prng, &live[i]);
		}
		for (unsigned int i = 0; i < NR_LIVE; i++) {
			unsigned int at = round % 3 == 0 ? i : NR_LIVE - 1 - i;

			if (round % 3 == 2)
				at = i < NR_LIVE / 2 ? 2 * i : 2 * (i - NR_LIVE / 2) + 1;
			drop(test, &prng, &live[at]);
		}
	}
	KUNIT_EXPECT_EQ(test, shadow.nr_claimed, 0);
}

static struct kunit_case property_cases[] = {
	KUNIT_CASE_SLOW(test_property_random_mix),
	KUNIT_CASE(test_property_orders_of_free),
	{ 0 },
};

static struct kunit_suite property_suite = {
	.name = "slab_property",
	.init = make_caches,
	.exit = drop_caches,
	.test_cases = property_cases,
};

kunit_test_suite(property_suite);

MODULE_LICENSE("Dual MIT/GPL");
