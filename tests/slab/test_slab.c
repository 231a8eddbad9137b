/* SPDX-License-Identifier: MIT */
/*
 * The slabs behind the objects: how many a cache keeps, bad arguments, leaks at destruction, and
 * caches when the CPUs' slots are used up.
 */
#include "percpu/remote.h"
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/sheaf/cache_barns.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/shadow.h"
#include "support/slabs.h"
#include "support/threads.h"

static size_t slab_bytes(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.slab_bytes;
}

static int warm_up(struct kunit_suite *suite)
{
	struct kmem_cache *cache = kmem_cache_create("warm", 64, 0, 0, NULL);

	(void)suite;
	kmem_cache_destroy(cache);
	return cache ? 0 : -1;
}

static void test_slab_bad_arguments(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, kmem_cache_create(NULL, 64, 0, 0, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", 0, 0, 0, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", 7, 0, 0, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", KMALLOC_MAX_SIZE + 1, 0, 0, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", ~0u, 0, 0, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", 64, 3, 0, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", 64, 48, 0, NULL));
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", 64, 0, 0x80000000u, NULL));
}

/* A request, and its whole report. */
struct refusal {
	struct slab_cache_request request;
	const char *text;
};

static const struct refusal refusals[] = {
	{ { .name = "small", .size = 0 }, "__kmem_cache_create_args(small) failed with error -22" },
	{ { .name = "", .size = 64 }, "__kmem_cache_create_args() failed with error -22" },
	{ { .name = "flags", .size = 64, .is_refused = true },
	  "__kmem_cache_create_args(flags) failed with error -22" },
	{ { .name = "aligned", .size = 64, .align = 2 * KMALLOC_MAX_SIZE },
	  "__kmem_cache_create_args(aligned) failed with error -22" },
	{ { .name = "link", .size = 64, .use_freeptr_offset = true },
	  "__kmem_cache_create_args(link) failed with error -22" },
	{ { .size = 64 }, "kmem_cache_create((null)) integrity check failed\n"
	  "usermm: __kmem_cache_create_args((null)) failed with error -22" },
	{ { .name = "large", .size = KMALLOC_MAX_SIZE + 1 },
	  "kmem_cache_create(large) integrity check failed\n"
	  "usermm: __kmem_cache_create_args(large) failed with error -22" },
	{ { .name = "irq", .size = 64, .in_interrupt = true },
	  "kmem_cache_create(irq) integrity check failed\n"
	  "usermm: __kmem_cache_create_args(irq) failed with error -22" },
};

static void ask_in_vain(struct kunit *test, void *arg)
{
	const struct refusal *refusal = arg;

	KUNIT_EXPECT_NULL(test, slab_cache_create(&refusal->request));
}

static void test_slab_refusals(struct kunit *test)
{
	struct child_result result;
	char expected[256];

	for (unsigned int i = 0; i < ARRAY_SIZE(refusals); i++) {
		child_run(test, ask_in_vain, (void *)&refusals[i], &result);
		KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
		snprintf(expected, sizeof(expected), "usermm: %s\n", refusals[i].text);
		KUNIT_EXPECT_STREQ(test, result.err, expected);
	}
}

static void create_or_die(struct kunit *test, void *name)
{
	KUNIT_EXPECT_NULL(test, kmem_cache_create(name, 3, 0, SLAB_PANIC, NULL));
}

static void test_slab_panic(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, create_or_die, "panicky", "usermm: "
			   "__kmem_cache_create_args: Failed to create slab 'panicky'. Error -22");
}

static void test_slab_long_name(struct kunit *test)
{
	struct kmem_cache *cache;
	char name[200];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	cache = kmem_cache_create(name, 64, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	/* It is a copy. */
	memset(name, 0, sizeof(name));
	KUNIT_EXPECT_EQ(test, cache->name[0], 'n');
	kmem_cache_destroy(cache);
}

static void test_slab_largest_objects(struct kunit *test)
{
	static const unsigned int sizes[] = { 65536, 1u << 20, KMALLOC_MAX_SIZE - 8,
					      KMALLOC_MAX_SIZE };
	size_t start = test_unused_bytes();

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = kmem_cache_create("large", sizes[i], 0, 0, NULL);
		void *objects[3];

		KUNIT_ASSERT_NOT_NULL(test, cache);
		for (unsigned int k = 0; k < 3; k++) {
			objects[k] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[k]);
			shadow_stamp(objects[k], sizes[i], k);
		}
		for (unsigned int k = 0; k < 3; k++) {
			KUNIT_EXPECT_TRUE(test, shadow_stamp_holds(objects[k], sizes[i], k));
			kmem_cache_free(cache, objects[k]);
		}
		kmem_cache_destroy(cache);
	}
	/* A few objects in sheaves of the caches' cache may stay. */
	KUNIT_EXPECT_GE(test, test_unused_bytes() + 64 * 1024, start);
}

static void test_slab_destroy_gives_all_back(struct kunit *test)
{
	size_t start = slab_bytes();

	for (unsigned int round = 0; round < 20; round++) {
		struct kmem_cache *cache = kmem_cache_create("round", 100 + round * 50, 0, 0, NULL);
		void *objects[1000];

		KUNIT_ASSERT_NOT_NULL(test, cache);
		for (unsigned int i = 0; i < 1000; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		}
		for (unsigned int i = 0; i < 1000; i++)
			kmem_cache_free(cache, objects[i]);
		kmem_cache_destroy(cache);
	}
	/* What may remain is slabs of the cache that caches are made from. */
	KUNIT_EXPECT_LE(test, slab_bytes(), start + 64 * 1024);
}

struct leak {
	struct kmem_cache *cache;
	void *objects[3];
};

static void destroy_leaking(struct kunit *test, void *arg)
{
	struct leak *leak = arg;
	struct kmem_cache *other;
	void *object;

	kmem_cache_destroy(leak->cache);
	/* The cache goes on to work, and the leaked objects keep their memory. */
	other = kmem_cache_create("other", 48, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	for (unsigned int i = 0; i < 500; i++) {
		object = kmem_cache_alloc(other, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0xff, 48);
	}
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, shadow_all_bytes(leak->objects[i], 48, (u8)(i + 1)));
	/* Too late, but it must not crash. */
	kfree(leak->objects[0]);
	kmem_cache_free(leak->cache, leak->objects[1]);
}

static void test_slab_destroy_reports_leaks(struct kunit *test)
{
	struct leak leak = { .cache = kmem_cache_create("leaky", 48, 0, 0, NULL) };
	void *others[100];

	KUNIT_ASSERT_NOT_NULL(test, leak.cache);
	for (unsigned int i = 0; i < 100; i++)
		others[i] = kmem_cache_alloc(leak.cache, GFP_KERNEL);
	for (unsigned int i = 0; i < 3; i++) {
		leak.objects[i] = kmem_cache_alloc(leak.cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, leak.objects[i]);
		memset(leak.objects[i], (int)i + 1, 48);
	}
	for (unsigned int i = 0; i < 100; i++)
		kmem_cache_free(leak.cache, others[i]);
	CHILD_EXPECT_SUCCESS(test, destroy_leaking, &leak, "usermm: BUG leaky",
			     "Objects remaining", child_hex(leak.objects[0]),
			     child_hex(leak.objects[1]), child_hex(leak.objects[2]));
	for (unsigned int i = 0; i < 3; i++)
		kmem_cache_free(leak.cache, leak.objects[i]);
	kmem_cache_destroy(leak.cache);
}

/* A full slab is on no list; its objects are leaks all the same. */
static void destroy_with_full_slabs(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = kmem_cache_create("brimful", 1024, 0, 0, NULL);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < 8u * cache->objects; i++)
		KUNIT_ASSERT_NOT_NULL(test, kmem_cache_alloc(cache, GFP_KERNEL));
	kmem_cache_destroy(cache);
}

static void test_slab_destroy_reports_full_slabs(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, destroy_with_full_slabs, NULL, "usermm: kmem_cache_destroy "
			     "brimful: Slab cache still has objects when called from ",
			     " objects in 8 slabs, 8 of them full and not listed");
}

/* More caches than the CPUs' slots have room for: slower, but they work. */
static void test_slab_very_many_caches(struct kunit *test)
{
	enum { NR = 4000 };
	static struct kmem_cache *caches[NR];
	static void *objects[NR];
	unsigned int nr = 0;

	for (; nr < NR; nr++) {
		caches[nr] = kmem_cache_create("many", 32 + nr % 64 * 8, 0, 0, NULL);
		if (!caches[nr])
			break;
		objects[nr] = kmem_cache_alloc(caches[nr], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL_MSG(test, objects[nr], "cache %u", nr);
		shadow_stamp(objects[nr], 32, nr);
	}
	kunit_info(test, "%u caches", nr);
	KUNIT_EXPECT_GE(test, nr, 1000);
	for (unsigned int round = 0; round < 100; round++) {
		void *object = kmem_cache_alloc(caches[nr - 1], GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0xff, 32);
		kmem_cache_free(caches[nr - 1], object);
	}
	while (nr--) {
		KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(objects[nr], 32, nr));
		kmem_cache_free(caches[nr], objects[nr]);
		kmem_cache_destroy(caches[nr]);
	}
	/* The slots are free again: a new cache has its piece of them. */
	caches[0] = kmem_cache_create("after", 64, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, caches[0]);
	KUNIT_EXPECT_TRUE(test, test_cache_is_fast(caches[0]));
	kmem_cache_destroy(caches[0]);
}

/* Waves of objects: the slabs of a wave go when its objects go, and the barn is emptied. */
static void test_slab_count_follows_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("waves", 256, 0, 0, NULL);
	static void *objects[20000];

	KUNIT_ASSERT_NOT_NULL(test, cache);
	test_pin(0);
	for (unsigned int wave = 0; wave < 10; wave++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		}
		KUNIT_EXPECT_LE(test, slab_nr_slabs(cache),
				ARRAY_SIZE(objects) / cache->objects + 2 +
				cache->sheaf_room_max * percpu_nr_slots());
		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
			kmem_cache_free(cache, objects[i]);
		KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), slab_cached_objects(cache));
		slab_barns_empty(cache);
		KUNIT_EXPECT_LE_MSG(test, slab_nr_slabs(cache), cache->min_partial + 1 +
				    cache->sheaf_room_max * percpu_nr_slots(),
				    "wave %u: empty slabs are kept", wave);
		KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), slab_cached_objects(cache));
	}
	test_unpin();
	kmem_cache_destroy(cache);
}

static void count_beside_stopped_sheaf(struct kunit *test, struct kmem_cache *cache,
				       unsigned int slot, unsigned long cached)
{
	struct percpu_stopped_array stopped;

	if (percpu_stop_array(cache->own_sheaf, slot, &stopped))
		return;
	KUNIT_EXPECT_EQ(test, stopped.count, cached);
	KUNIT_EXPECT_LE(test, slab_cached_objects(cache), cached);
	percpu_start_array(&stopped);
}

static void count_beside_stopped_freelist(struct kunit *test, struct kmem_cache *cache,
					  unsigned int slot)
{
	struct percpu_stopped_tagged stopped;

	if (percpu_stop_tagged(cache->own_cpu_slab, slot, &stopped))
		return;
	KUNIT_EXPECT_NOT_NULL(test, percpu_tagged_first(stopped.head));
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), 0);
	percpu_start_tagged(&stopped);
}

/* While another thread looks at a CPU's objects, they count as none or as they were. */
static void test_slab_counts_beside_a_stopped_cpu(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("stopped", 64, 0, 0, NULL);
	unsigned long cached;
	int slot;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	test_pin(0);
	kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
	cached = slab_cached_objects(cache);
	slot = percpu_current_slot();
	if (slot >= 0 && cache->own_sheaf)
		count_beside_stopped_sheaf(test, cache, (unsigned int)slot, cached);
	else if (slot >= 0)
		count_beside_stopped_freelist(test, cache, (unsigned int)slot);
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), cached);
	test_unpin();
	kmem_cache_destroy(cache);
}

static struct kunit_case slab_cases[] = {
	KUNIT_CASE(test_slab_bad_arguments),
	KUNIT_CASE(test_slab_refusals),
	KUNIT_CASE(test_slab_panic),
	KUNIT_CASE(test_slab_long_name),
	KUNIT_CASE(test_slab_largest_objects),
	KUNIT_CASE(test_slab_destroy_gives_all_back),
	KUNIT_CASE(test_slab_destroy_reports_leaks),
	KUNIT_CASE(test_slab_destroy_reports_full_slabs),
	KUNIT_CASE(test_slab_very_many_caches),
	KUNIT_CASE(test_slab_count_follows_objects),
	KUNIT_CASE(test_slab_counts_beside_a_stopped_cpu),
	{ 0 },
};

static struct kunit_suite slab_suite = {
	.name = "slab",
	.suite_init = warm_up,
	.test_cases = slab_cases,
};

kunit_test_suite(slab_suite);
