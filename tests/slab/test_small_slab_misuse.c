/* SPDX-License-Identifier: MIT */
/* Small slabs: the mistakes that are found, and requests in memory with holes. */
#include "small_slabs.h"
#include "support/child.h"
#include "usermm/shrinker.h"

/* --- Misuse ----------------------------------------------------------------------- */

static struct kmem_cache *misused;

static void free_misused(struct kunit *test, void *address)
{
	(void)test;
	kmem_cache_free(misused, address);
}

static void expect_bad(struct kunit *test, char *address)
{
	CHILD_EXPECT_DEATH(test, free_misused, address, "usermm: ", child_hex(address));
}

static void free_twice(struct kunit *test, void *object)
{
	(void)test;
	kmem_cache_free(misused, object);
	kmem_cache_free(misused, object);
}

static void misuse_small_slab(struct kunit *test)
{
	char *objects[8], *behind, *end, *first;
	struct page *slab;

	scatter(test, kind_now->hole);
	misused = cache_of_kind(test, kind_now);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = kmem_cache_alloc(misused, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		slab = virt_to_page(objects[i]);
		KUNIT_ASSERT_TRUE(test, slab_is_small(slab));
		slab = slab_of(misused, objects[i]);
		first = slab_first(misused, slab);
		behind = first + (size_t)slab->objects * misused->size;
		end = (char *)page_address(slab) + (PAGE_SIZE << misused->min_order);
		expect_bad(test, objects[i] + 8);
		expect_bad(test, objects[i] + misused->size / 2);
		if (behind < end)
			expect_bad(test, behind);
		if (first > (char *)page_address(slab))
			expect_bad(test, page_address(slab));
		expect_bad(test, end);
		CHILD_EXPECT_DEATH(test, free_twice, objects[i], "usermm: ",
				   child_hex(objects[i]));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		kmem_cache_free(misused, objects[i]);
	kmem_cache_destroy(misused);
}

static void test_small_slab_misuse(struct kunit *test)
{
	kind_now = test->param_value;
	if (!(kind_now->flags & SLAB_CONSISTENCY_CHECKS))
		zones_run(test, ZONE, misuse_small_slab);
}

/* The damage is found in place and repaired, and the rest of the slab goes on to work. */
static void clobber_small_slab(struct kunit *test)
{
	struct kmem_cache *cache;
	u8 *object;

	scatter(test, kind_now->hole);
	cache = cache_of_kind(test, kind_now);
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_TRUE(test, slab_is_small(virt_to_page(object)));
	KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
	object[kind_now->size] = 0x12;
	KUNIT_EXPECT_GT(test, errors_of_validation(cache), 0);
	KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
	kmem_cache_free(cache, object);
	object[30] = 0x12;
	KUNIT_EXPECT_GT(test, errors_of_validation(cache), 0);
	KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
	slab_errors = 0;
	kmem_cache_free(cache, object);
	KUNIT_EXPECT_GT(test, slab_errors, 0);
	kmem_cache_destroy(cache);
	check_all_free(test);
}

static void test_small_slab_clobbered(struct kunit *test)
{
	kind_now = test->param_value;
	if (kind_now->flags & SLAB_RED_ZONE)
		zones_run(test, ZONE, clobber_small_slab);
}

/* --- Requests --------------------------------------------------------------------- */

/*
 * A request that may not wait gets one as well, and no request makes reclaim look for a large
 * block.
 */
static unsigned long count_and_tell(struct shrinker *shrinker, struct shrink_control *control)
{
	(void)control;
	*(bool *)shrinker->private_data = true;
	return 0;
}

static void ask_in_holes(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL, GFP_NOWAIT, GFP_ATOMIC, GFP_KERNEL | __GFP_ZERO,
				      GFP_KERNEL | __GFP_NOFAIL };
	struct shrinker *shrinker = shrinker_alloc(0, "told");
	struct kmem_cache *cache;
	bool reclaimed = false;

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = count_and_tell;
	shrinker->private_data = &reclaimed;
	shrinker_register(shrinker);
	scatter(test, 0);
	cache = kmem_cache_create("asked", 2048, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	cache->counts = true;
	reclaimed = false;
	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++)
		for (unsigned int k = 0; k < 40; k++)
			KUNIT_EXPECT_NOT_NULL(test, kmem_cache_alloc(cache, gfps[i]));
	KUNIT_EXPECT_FALSE(test, reclaimed);
	KUNIT_EXPECT_GE(test, fallbacks(cache), 40 * ARRAY_SIZE(gfps) / 2);
}

static void test_small_slab_requests(struct kunit *test)
{
	zones_run(test, ZONE, ask_in_holes);
}

/* No page at all: the report names both orders. */
static void ask_in_vain(struct kunit *test, void *arg)
{
	struct kmem_cache *cache;
	const char *error;

	(void)arg;
	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(ZONE, &error), 0, "%s", error);
	cache = kmem_cache_create("vain", 2048, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	while (kmem_cache_alloc(cache, GFP_ATOMIC | __GFP_NOWARN))
		;
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc(cache, GFP_ATOMIC));
}

static void test_small_slab_report(struct kunit *test)
{
	struct child_result result;
	const char *text;

	child_run(test, ask_in_vain, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	text = strstr(result.err, "  cache: vain, object size: 2048, buffer size: 2048, "
		      "default order: ");
	KUNIT_ASSERT_NOT_NULL_MSG(test, text, "%s", result.err);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, ", min order: 0\n"));
}

static struct kunit_case small_slab_misuse_cases[] = {
	KUNIT_CASE_PARAM(test_small_slab_misuse, kind_gen_params),
	KUNIT_CASE_PARAM(test_small_slab_clobbered, kind_gen_params),
	KUNIT_CASE(test_small_slab_requests),
	KUNIT_CASE(test_small_slab_report),
	{ 0 },
};

static struct kunit_suite small_slab_misuse_suite = {
	.name = "small_slab_misuse",
	.init = count_errors,
	.test_cases = small_slab_misuse_cases,
};

kunit_test_suite(small_slab_misuse_suite);
