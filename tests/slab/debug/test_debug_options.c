/* SPDX-License-Identifier: MIT */
/* slab_debug=, and which caches are merged. */
#include <errno.h>

#include "base/options.h"
#include "slab/debug/debug.h"
#include "slab/slab_fast.h"
#include "support/child.h"
#include "support/kernel.h"
#include "usermm/fault.h"

#define F SLAB_CONSISTENCY_CHECKS
#define Z SLAB_RED_ZONE
#define P SLAB_POISON
#define U SLAB_STORE_USER
#define T SLAB_TRACE
#define A SLAB_FAILSLAB
#define ALL (F | Z | P | U)

static struct options saved;

static int save_options(struct kunit *test)
{
	(void)test;
	saved = options;
	/* The first call reads the option; from then on the tests say when. */
	return slab_init();
}

static void restore_options(struct kunit *test)
{
	(void)test;
	options = saved;
	slab_debug_init();
	slab_failslab_init();
}

static void set_options(struct kunit *test, const char *text)
{
	char error[160] = "";

	KUNIT_ASSERT_EQ_MSG(test, options_parse(text, error, sizeof(error)), 0, "%s", error);
	slab_debug_init();
}

static void test_debug_option(struct kunit *test)
{
	static const struct {
		const char *option, *name;
		slab_flags_t flags;
	} rows[] = {
		{ "slab_debug=-", "a", 0 },
		{ "slab_debug", "a", ALL }, { "slab_debug=", "a", ALL },
		{ "slab_debug=F", "a", F }, { "slab_debug=z", "a", Z },
		{ "slab_debug=Pu", "a", P | U }, { "slab_debug=TA", "a", T | A },
		{ "slab_debug=FZPUTA", "a", ALL | T | A },
		{ "slab_debug=FZ-P", "a", P }, { "slab_debug=FZ-", "a", 0 },
		{ "slab_debug=,a", "a", ALL }, { "slab_debug=,a", "b", 0 },
		{ "slab_debug=,a", "aa", 0 }, { "slab_debug=,aa", "a", 0 },
		{ "slab_debug=Z,a,b,c", "b", Z }, { "slab_debug=Z,a,b,c", "c", Z },
		{ "slab_debug=Z,kmalloc-*", "kmalloc-64", Z },
		{ "slab_debug=Z,kmalloc-*", "kmalloc", 0 },
		{ "slab_debug=Z,kmalloc-*", "dma-kmalloc-64", 0 },
		{ "slab_debug=Z,*", "anything", Z }, { "slab_debug=Z,a*,b", "b", Z },
		{ "slab_debug=Z,a;P,b", "a", Z }, { "slab_debug=Z,a;P,b", "b", P },
		{ "slab_debug=Z,a;P,b", "c", 0 }, { "slab_debug=Z,a;P", "a", Z },
		{ "slab_debug=Z,a;P", "b", P }, { "slab_debug=P;Z,a", "a", Z },
		{ "slab_debug=FZPU;-,a*", "ab", 0 }, { "slab_debug=FZPU;-,a*", "b", ALL },
		{ "slab_debug=;;Z,a;;P,b;;", "b", P }, { "slab_debug=Z,a;Z,a;P,a", "a", Z },
		{ "slab_debug=ZO,a", "a", Z },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		set_options(test, rows[i].option);
		KUNIT_EXPECT_EQ_MSG(test, slab_debug_flags(rows[i].name, 0), rows[i].flags,
				    "%s, cache %s", rows[i].option, rows[i].name);
		KUNIT_EXPECT_EQ(test, slab_debug_flags(rows[i].name, T) & T, T);
		KUNIT_EXPECT_EQ_MSG(test, slab_debug_flags(rows[i].name, SLAB_NO_USER_FLAGS),
				    SLAB_NO_USER_FLAGS, "these cannot be changed");
	}
	set_options(test, "slab_debug");
	KUNIT_EXPECT_EQ_MSG(test, slab_debug_flags("a", SLAB_NOLEAKTRACE),
			    SLAB_NOLEAKTRACE | (ALL & ~U), "debugging's own");
	set_options(test, "slab_debug=,a");
	KUNIT_EXPECT_EQ(test, slab_debug_flags("a", SLAB_NOLEAKTRACE), SLAB_NOLEAKTRACE | ALL);
}

static struct kmem_cache *make(struct kunit *test, const char *name, unsigned int size,
			       slab_flags_t flags)
{
	struct slab_cache_request request = {
		.name = name, .size = size, .flags = flags, .may_merge = true,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* O: only where the smallest slab stays as small. */
static void test_debug_option_keeps_order(struct kunit *test)
{
	static const struct {
		unsigned int size;
		bool keeps;
	} rows[] = {
		{ 64, false }, { 3000, false }, { 4096, true }, { 8192, true }, { 5000, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kmem_cache *cache;

		set_options(test, "slab_debug=FZPUO");
		cache = make(test, "ordered", rows[i].size, 0);
		KUNIT_EXPECT_EQ_MSG(test, cache->flags & ALL, rows[i].keeps ? F : ALL, "size %u",
				    rows[i].size);
		if (rows[i].keeps)
			KUNIT_EXPECT_EQ(test, cache->size, rows[i].size);
		kmem_cache_destroy(cache);
	}
}

/* A cache of a library's user gets the flags as well. */
static void overflow_in_named_cache(struct kunit *test, void *arg)
{
	struct kmem_cache *cache;
	char *object;

	(void)arg;
	set_options(test, "slab_debug=FZU,request*");
	cache = kmem_cache_create("requests", 40, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	object[40] = 1;
	kmem_cache_free(cache, object);
}

static void test_debug_option_in_use(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, overflow_in_named_cache, NULL, "[Right Redzone overwritten]",
			     "BUG requests (Not tainted): Object corrupt",
			     "/test_debug_options+0x");
}

/* Failures of 1000 allocations, from a cache with the flag A or from another one. */
static unsigned int failures_of(struct kunit *test, const char *option, gfp_t gfp, bool flagged)
{
	struct kmem_cache *cache;
	unsigned int nr = 0;

	set_options(test, option);
	slab_failslab_init();
	cache = make(test, "failing", 100, flagged ? A : SLAB_NO_MERGE);
	for (unsigned int i = 0; i < 1000; i++) {
		void *object = kmem_cache_alloc(cache, gfp);

		nr += !object;
		if (object)
			kmem_cache_free(cache, object);
	}
	usermm_failslab.attr.probability = 0;
	usermm_failslab.ignore_gfp_reclaim = true;
	usermm_failslab.cache_filter = false;
	kmem_cache_destroy(cache);
	return nr;
}

static unsigned int failures(struct kunit *test, const char *option, gfp_t gfp)
{
	return failures_of(test, option, gfp, false);
}

static void test_failslab(struct kunit *test)
{
	gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN;

	KUNIT_EXPECT_EQ(test, failures(test, "failslab=-", gfp), 0);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,0,-1", gfp), 1000);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=10,100,0,-1", gfp), 100);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,0,7", gfp), 7);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,0,0", gfp), 0);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,0,0,-1", gfp), 0);
	/* The first 400 take the 40000 bytes, up to the last one's. */
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,40000,-1", gfp), 1000 - 399);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,0,-1", gfp | __GFP_NOFAIL), 0);
	KUNIT_EXPECT_GT(test, failures(test, "failslab=1,50,0,-1", gfp), 350);
	KUNIT_EXPECT_LT(test, failures(test, "failslab=1,50,0,-1", gfp), 650);
}

static void test_failslab_filters(struct kunit *test)
{
	gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN, waits = GFP_KERNEL | __GFP_NOWARN;

	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,0,-1", waits), 0);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,0,-1,ignore-gfp-wait=0", waits), 1000);
	KUNIT_EXPECT_EQ(test, failures(test, "failslab=1,100,0,-1,cache-filter=1", gfp), 0);
	KUNIT_EXPECT_EQ(test, failures_of(test, "failslab=1,100,0,-1,cache-filter=1", gfp, true),
			1000);
	KUNIT_EXPECT_EQ(test, failures_of(test, "failslab=1,100,0,-1", gfp, true), 1000);
}

/* Fault injection starts while caches are in use: the objects in their sheaves are not lost. */
static void arm_late(struct kunit *test, void *unused)
{
	struct kmem_cache *cache = make(test, "late", 100, SLAB_NO_MERGE);
	void *objects[100];

	(void)unused;
	for (unsigned int i = 0; i < 100; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned int i = 0; i < 100; i += 2)
		kmem_cache_free(cache, objects[i]);
	for (unsigned int n = 1; n <= 50; n++) {
		unsigned int failed = 0;

		usermm_failslab.attr.verbose = 0;
		usermm_fail_page_alloc.attr.verbose = 0;
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(n), 0);
		usermm_failslab.ignore_gfp_reclaim = false;
		for (unsigned int i = 0; i < 100; i += 2) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			if (!objects[i])
				failed = failed ? 99 : i / 2 + 1;
		}
		KUNIT_EXPECT_EQ_MSG(test, failed, n, "one, the nth");
		for (unsigned int i = 0; i < 100; i += 2)
			if (objects[i])
				kmem_cache_free(cache, objects[i]);
		/* The function that kernel sources may ask returns -ENOMEM. */
		usermm_fail_nth(1);
		KUNIT_EXPECT_EQ(test, should_failslab(cache, GFP_KERNEL), -ENOMEM);
		KUNIT_EXPECT_EQ(test, should_failslab(cache, GFP_KERNEL), 0);
	}
	for (unsigned int i = 1; i < 100; i += 2)
		kmem_cache_free(cache, objects[i]);
	/* Says so if objects were left. */
	kmem_cache_destroy(cache);
}

static void test_failslab_armed_late(struct kunit *test)
{
	struct child_result result;

	child_run(test, arm_late, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_STREQ(test, result.err, "");
}

static void late_failslab(struct kunit *test, void *arg)
{
	KUNIT_EXPECT_EQ(test, failures(test, arg, GFP_ATOMIC), 0);
}

static void test_failslab_space(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, late_failslab, "failslab=1,100,200000,1");
}

static void test_merge_equal(struct kunit *test)
{
	struct kmem_cache *a = make(test, "merge-a", 1736, 0), *b = make(test, "merge-b", 1730, 0);

	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_EQ(test, a->refcount, 2);
	KUNIT_EXPECT_STREQ(test, a->name, "merge-a");
	KUNIT_EXPECT_EQ_MSG(test, kmem_cache_size(a), 1736, "the larger one's");
	kmem_cache_destroy(b);
	KUNIT_EXPECT_EQ(test, a->refcount, 1);
	kmem_cache_free(a, kmem_cache_alloc(a, GFP_KERNEL));
	kmem_cache_destroy(a);
}

/* The cache clears all of the largest object of those that share it. */
static void test_merge_grows_object(struct kunit *test)
{
	struct kmem_cache *a = make(test, "merge-a", 1729, 0), *b = make(test, "merge-b", 1736, 0);

	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_EQ(test, kmem_cache_size(a), 1736);
	kmem_cache_destroy(a);
	kmem_cache_destroy(b);
}

static void test_merge_rules(struct kunit *test)
{
	static const struct {
		unsigned int size;
		slab_flags_t flags;
		bool merges;
	} rows[] = {
		{ 1736, 0, true }, { 1736, SLAB_PANIC, true }, { 1736, F, true },
		{ 1729, 0, true }, { 1728, 0, false }, { 1737, 0, false },
		{ 1736, SLAB_HWCACHE_ALIGN, false }, { 1736, SLAB_NO_MERGE, false },
		{ 1736, Z, false }, { 1736, P, false }, { 1736, U, false }, { 1736, T, false },
		{ 1736, A, false }, { 1736, SLAB_TYPESAFE_BY_RCU, false },
		{ 1736, SLAB_NOLEAKTRACE, false }, { 1736, SLAB_RECLAIM_ACCOUNT, false },
		{ 1736, SLAB_ACCOUNT, false }, { 1736, SLAB_CACHE_DMA, false },
	};
	struct kmem_cache *first = make(test, "first", 1736, 0);

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kmem_cache *cache = make(test, "second", rows[i].size, rows[i].flags);

		KUNIT_EXPECT_EQ_MSG(test, cache == first, rows[i].merges, "size %u, flags 0x%x",
				    rows[i].size, rows[i].flags);
		kmem_cache_destroy(cache);
	}
	kmem_cache_destroy(first);
}

static void test_merge_with_kmalloc(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "like-kmalloc", 512, 0);
	void *object = kmalloc(500, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_STREQ(test, cache->name, "kmalloc-512");
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
	object = kmalloc(500, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, object);
	kfree(object);
}

static void destroy_kmalloc(struct kunit *test, void *arg)
{
	void *object = kmalloc(500, GFP_KERNEL);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, object);
	kmem_cache_destroy(cache_of(object));
}

static void test_merge_kmalloc_stays(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, destroy_kmalloc, NULL, "kmalloc-512, which the library owns");
}

/* Programs keep their caches apart unless they say otherwise; nobody needs to merge. */
static void test_merge_option(struct kunit *test)
{
	struct kmem_cache *a, *b;

	a = kmem_cache_create("own-a", 1736, 0, 0, NULL);
	b = kmem_cache_create("own-b", 1736, 0, 0, NULL);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	kmem_cache_destroy(b);
	set_options(test, "slab_merge=on");
	b = kmem_cache_create("own-b", 1736, 0, 0, NULL);
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	kmem_cache_destroy(b);
	set_options(test, "slab_merge=off");
	b = make(test, "own-b", 1736, 0);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	kmem_cache_destroy(b);
	kmem_cache_destroy(a);
}

/* A name too long for struct kmem_cache is kept elsewhere, and freed with the cache. */
static void test_merge_long_names(struct kunit *test)
{
	char name[200] = "";
	struct kmem_cache *cache;

	memset(name, 'n', sizeof(name) - 1);
	cache = kmem_cache_create(name, 1736, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_STREQ(test, cache->name, name);
	kmem_cache_destroy(cache);
}

static struct kunit_case debug_options_cases[] = {
	KUNIT_CASE(test_debug_option),
	KUNIT_CASE(test_debug_option_keeps_order),
	KUNIT_CASE(test_debug_option_in_use),
	KUNIT_CASE(test_failslab),
	KUNIT_CASE(test_failslab_filters),
	KUNIT_CASE(test_failslab_armed_late),
	KUNIT_CASE(test_failslab_space),
	KUNIT_CASE(test_merge_equal),
	KUNIT_CASE(test_merge_grows_object),
	KUNIT_CASE(test_merge_rules),
	KUNIT_CASE(test_merge_with_kmalloc),
	KUNIT_CASE(test_merge_kmalloc_stays),
	KUNIT_CASE(test_merge_option),
	KUNIT_CASE(test_merge_long_names),
	{ 0 },
};

static struct kunit_suite debug_options_suite = {
	.name = "slab-debug-options",
	.init = save_options,
	.exit = restore_options,
	.test_cases = debug_options_cases,
};

kunit_test_suite(debug_options_suite);
