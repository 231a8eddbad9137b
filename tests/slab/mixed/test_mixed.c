/* SPDX-License-Identifier: MIT */
/*
 * Mixed slabs: objects in use stay in use, free memory serves any size, objects that were under way
 * come back, pages go back to the system and come again, each mistake is reported, and nothing is
 * left at the end.
 */
#include "mixed_caches.h"
#include "page/reclaim/limits.h"
#include "slab/mixed/mixed_record.h"
#include "slab/slab_free.h"
#include "support/child.h"
#include "support/handler.h"

#define OBJECTS 4000
#define KEEP_ONE_IN 10

struct scene {
	struct kmem_cache *cache;
	size_t bytes;
	unsigned int nr;
	void *objects[OBJECTS / KEEP_ONE_IN];
};

/*
 * Allocates objects of many slabs, and keeps one in KEEP_ONE_IN; the free ones are back in the
 * slabs.
 */
static struct scene *set_scene(struct kunit *test, unsigned int index)
{
	static struct scene scene;
	static void *all[OBJECTS];

	scene = (struct scene){ .cache = &mixed_caches[index], .bytes = mixed_sizes[index] };
	for (unsigned int i = 0; i < OBJECTS; i++) {
		all[i] = kmem_cache_alloc(scene.cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, all[i]);
	}
	for (unsigned int i = 0; i < OBJECTS; i++) {
		if (i % KEEP_ONE_IN) {
			kfree(all[i]);
			continue;
		}
		shadow_stamp(all[i], scene.bytes, i);
		scene.objects[scene.nr++] = all[i];
	}
	kmem_cache_shrink(scene.cache);
	return &scene;
}

static void end_scene(struct kunit *test, const struct scene *scene)
{
	for (unsigned int i = 0; i < scene->nr; i++) {
		KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(scene->objects[i], scene->bytes,
							   i * KEEP_ONE_IN));
		KUNIT_ASSERT_EQ(test, ksize(scene->objects[i]), scene->bytes);
		kfree(scene->objects[i]);
	}
	mixed_expect_nothing(test);
}

static struct slab_mixed_usage usage_now(void)
{
	struct slab_mixed_usage usage;

	slab_mixed_read_usage(&usage);
	return usage;
}

/* For each size, the objects stay in use, unchanged, and the slabs leave the cache. */
static void test_mixed_make(struct kunit *test)
{
	if (!mixed_caches_make(test))
		return;
	for (unsigned int i = 0; i < MIXED_CACHES; i++) {
		struct scene *scene = set_scene(test, i);
		unsigned long slabs = slab_nr_slabs(scene->cache), made;
		unsigned long inuse = test_slab_inuse(scene->cache);

		made = mixed_make_all(scene->cache);
		KUNIT_EXPECT_GE_MSG(test, made, slabs / 2, "%u bytes", mixed_sizes[i]);
		KUNIT_EXPECT_EQ(test, usage_now().slabs, made);
		KUNIT_EXPECT_EQ(test, slab_nr_slabs(scene->cache), slabs - made);
		KUNIT_EXPECT_EQ(test, test_slab_inuse(scene->cache) + usage_now().blocks, inuse);
		KUNIT_EXPECT_EQ(test, usage_now().used_bytes, usage_now().blocks * scene->bytes);
		end_scene(test, scene);
	}
}

/*
 * When most slabs have ended, the records of the others move together, and their pages go. The move
 * waits for a reader without the lock.
 */
static void test_mixed_records_move(struct kunit *test)
{
	static void *objects[OBJECTS];
	struct kmem_cache *cache = &mixed_caches[MIXED_CACHES - 1];
	unsigned long pages, slabs;
	unsigned int nr = 0;

	if (!mixed_caches_make(test))
		return;
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, OBJECTS, objects), OBJECTS);
	/* One object of each slab stays. */
	for (unsigned int i = 0; i < OBJECTS; i++)
		if ((unsigned long)objects[i] & slab_mask_of(cache))
			kfree(objects[i]);
		else
			objects[nr++] = objects[i];
	kmem_cache_shrink(cache);
	slabs = mixed_make_all(cache);
	pages = usage_now().record_pages;
	KUNIT_ASSERT_GE(test, slabs, 100);
	KUNIT_ASSERT_GE(test, pages, slabs / 7);
	/* One slab of ten stays. */
	for (unsigned int i = 0; i < nr; i++)
		if (i % 10) {
			kfree(objects[i]);
		} else {
			shadow_stamp(objects[i], mixed_sizes[MIXED_CACHES - 1], i);
			objects[i / 10] = objects[i];
		}
	nr = DIV_ROUND_UP(nr, 10);
	kmem_cache_shrink(cache);
	KUNIT_ASSERT_GE(test, usage_now().record_pages, pages / 2);
	mixed_record_begin_read();
	slab_mixed_release(0);
	KUNIT_EXPECT_GE_MSG(test, usage_now().record_pages, pages / 2 - 1, "a reader was ignored");
	mixed_record_end_read();
	slab_mixed_release(0);
	KUNIT_EXPECT_LE(test, usage_now().record_pages, usage_now().slabs / 7 + 3);
	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_EXPECT_TRUE(test, shadow_stamp_holds(objects[i],
							   mixed_sizes[MIXED_CACHES - 1], i * 10));
		KUNIT_EXPECT_GE(test, ksize(objects[i]), mixed_sizes[MIXED_CACHES - 1]);
		kfree(objects[i]);
	}
	mixed_expect_nothing(test);
}

/* Dense slabs stay, but are looked at once each, and move to the front. */
static void test_mixed_dense(struct kunit *test)
{
	static void *objects[OBJECTS];
	struct kmem_cache *cache = &mixed_caches[3];
	unsigned int nr = 4u * cache->objects;
	struct page *last;

	if (!mixed_caches_make(test))
		return;
	nr = 4u * cache->objects;
	KUNIT_ASSERT_LE(test, nr, OBJECTS);
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, nr, objects), (int)nr);
	for (unsigned int i = 0; i < nr; i += 2)
		kfree(objects[i]);
	kmem_cache_shrink(cache);
	KUNIT_ASSERT_GE(test, cache->first_node.nr_partial, 3);
	last = list_last_entry(&cache->first_node.partial, struct page, lru);
	KUNIT_EXPECT_EQ(test, slab_mixed_make(cache, &cache->first_node, 0), MIXED_DENSE);
	KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&cache->first_node.partial, struct page, lru),
			    last);
	KUNIT_EXPECT_EQ(test, mixed_make_all(cache), 0);
	for (unsigned int i = 1; i < nr; i += 2)
		kfree(objects[i]);
	mixed_expect_nothing(test);
}

/* A run that is longer than the free ones are on average is not worth a slab. */
static void test_mixed_run(struct kunit *test)
{
	struct scene *scene;

	if (!mixed_caches_make(test))
		return;
	scene = set_scene(test, 2);
	KUNIT_EXPECT_EQ(test, slab_mixed_make(scene->cache, &scene->cache->first_node,
					      4 * KEEP_ONE_IN * scene->bytes), MIXED_DENSE);
	KUNIT_EXPECT_EQ(test, slab_mixed_make(scene->cache, &scene->cache->first_node,
					      scene->bytes), MIXED_MADE);
	end_scene(test, scene);
}

/* Frees the slab's objects, or all others', but one in keep_one_in of each slab. */
static void thin_out(void **objects, unsigned int nr, const void *slab, bool others,
		     unsigned int keep_one_in)
{
	unsigned long bytes = slab_mask_of(&mixed_caches[3]) + 1;

	for (unsigned int i = 0; i < nr; i++) {
		unsigned long offset = (unsigned long)objects[i] % bytes;

		if (((char *)objects[i] - offset != slab) != others ||
		    offset / mixed_sizes[3] % keep_one_in == 0)
			continue;
		kfree(objects[i]);
		objects[i] = NULL;
	}
	kmem_cache_shrink(&mixed_caches[3]);
}

/*
 * A run of four objects is found behind many slabs with runs of three, although both are 32 to 63
 * granules.
 */
static void test_mixed_bins(struct kunit *test)
{
	static void *objects[OBJECTS];
	struct kmem_cache *cache = &mixed_caches[3];
	unsigned int nr;
	const char *slab;
	void *block;

	if (!mixed_caches_make(test))
		return;
	mixed_flush();
	/* Whole slabs, so that no slab has a longer run at its end. */
	nr = OBJECTS / cache->objects * cache->objects;
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, nr, objects), (int)nr);
	slab = (char *)objects[nr / 2] -
	       (unsigned long)objects[nr / 2] % (slab_mask_of(cache) + 1);
	thin_out(objects, nr, slab, true, 4);
	KUNIT_ASSERT_GT(test, mixed_make_all(cache), 10);
	thin_out(objects, nr, slab, false, 5);
	KUNIT_ASSERT_EQ(test, mixed_make_all(cache), 1);
	/* Each try puts some slabs into the bins of their longest runs. */
	for (unsigned int i = 0; i < nr; i++)
		KUNIT_ASSERT_NULL(test, slab_mixed_take(PAGE_SIZE, 16));
	block = slab_mixed_take(4 * cache->size - 32, 16);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_TRUE(test, slab_mixed_free(block));
	for (unsigned int i = 0; i < nr; i++)
		if (objects[i])
			kfree(objects[i]);
	mixed_expect_nothing(test);
}

/* Blocks of all sizes and alignments fill the holes; none overlaps with another. */
static void test_mixed_holes(struct kunit *test)
{
	static struct { void *block; size_t size; } blocks[20000];
	struct prng prng = { 1 };
	struct scene *scene;
	unsigned int nr = 0;

	if (!mixed_caches_make(test))
		return;
	scene = set_scene(test, 3);
	KUNIT_ASSERT_GT(test, mixed_make_all(scene->cache), 10);
	/* The fuller the slabs, the smaller the blocks. */
	for (unsigned int failures = 0; failures < 90 && nr < ARRAY_SIZE(blocks);) {
		size_t size = prng_below(&prng, 1UL << prng_range(&prng, 4, 13 - failures / 10));
		size_t align = 16UL << prng_below(&prng, 5);
		char *block = slab_mixed_take(size, align);

		if (!block) {
			failures++;
			continue;
		}
		KUNIT_ASSERT_EQ(test, (unsigned long)block % align, 0);
		KUNIT_ASSERT_EQ(test, slab_mixed_bytes(block), ALIGN(max(size, 1UL), 16UL));
		KUNIT_ASSERT_EQ(test, ksize(block), slab_mixed_bytes(block));
		blocks[nr].block = block;
		blocks[nr].size = slab_mixed_bytes(block);
		shadow_stamp(block, blocks[nr].size, nr);
		nr++;
	}
	KUNIT_EXPECT_GT(test, usage_now().used_bytes, usage_now().pages * PAGE_SIZE / 10 * 9);
	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(blocks[i].block, blocks[i].size, i));
		KUNIT_ASSERT_TRUE(test, slab_mixed_free(blocks[i].block));
	}
	end_scene(test, scene);
}

/*
 * Objects in sheaves, and objects that were taken out of slabs, while the slabs become mixed ones.
 */
static void test_mixed_under_way(struct kunit *test)
{
	static void *taken[200], *cached[20];
	struct scene *scene;
	unsigned long made, blocks;
	unsigned int nr = 0;

	if (!mixed_caches_make(test))
		return;
	scene = set_scene(test, 2);
	nr = slab_take_partial(scene->cache, taken, ARRAY_SIZE(taken));
	KUNIT_ASSERT_GT(test, nr, 0);
	/* One of a few slabs, so that these stay sparse. */
	for (unsigned int i = 0; i < ARRAY_SIZE(cached); i++) {
		cached[i] = scene->objects[--scene->nr];
		kfree(cached[i]);
	}
	made = mixed_make_all(scene->cache);
	KUNIT_ASSERT_GT(test, made, 5);
	blocks = usage_now().blocks;
	/* They come back as runs, and one by one. */
	slab_return_objects(scene->cache, taken, nr / 2);
	for (unsigned int i = nr / 2; i < nr; i++)
		slab_return_objects(scene->cache, &taken[i], 1);
	/* The sheaf hands out objects of mixed slabs, and takes them back from free(). */
	for (unsigned int i = 0; i < ARRAY_SIZE(cached); i++) {
		cached[i] = kmem_cache_alloc(scene->cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, cached[i]);
		shadow_stamp(cached[i], scene->bytes, i);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(cached); i++) {
		KUNIT_EXPECT_TRUE(test, shadow_stamp_holds(cached[i], scene->bytes, i));
		kfree(cached[i]);
	}
	kmem_cache_shrink(scene->cache);
	KUNIT_EXPECT_LT(test, usage_now().blocks, blocks);
	KUNIT_EXPECT_EQ(test, usage_now().used_bytes, usage_now().blocks * scene->bytes);
	end_scene(test, scene);
}

/* Free pages go back, once; a block there brings a page again. */
static void test_mixed_release(struct kunit *test)
{
	struct scene *scene;
	unsigned long released, all;
	void *block;
	long left;

	if (!mixed_caches_make(test))
		return;
	scene = set_scene(test, 6);
	for (unsigned int i = scene->nr; i-- > 0;)
		if (i % 4)
			kfree(scene->objects[i]);
	kmem_cache_shrink(scene->cache);
	KUNIT_ASSERT_GT(test, mixed_make_all(scene->cache), 5);
	released = slab_mixed_release(2);
	KUNIT_EXPECT_GT(test, released, 0);
	all = released + slab_mixed_release(~0UL);
	KUNIT_EXPECT_GT(test, all, released);
	KUNIT_EXPECT_EQ(test, usage_now().released, all);
	KUNIT_EXPECT_GT(test, all, usage_now().pages / 4);
	KUNIT_EXPECT_EQ(test, slab_mixed_release(~0UL), 0);
	left = limits_left;
	block = slab_mixed_take(2 * PAGE_SIZE, PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ_MSG(test, limits_left, left - 2, "pages that come again count");
	KUNIT_EXPECT_EQ(test, usage_now().released, all - 2);
	memset(block, 1, 2 * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, slab_mixed_free(block));
	KUNIT_EXPECT_EQ(test, slab_mixed_release(~0UL), 2);
	KUNIT_EXPECT_EQ(test, usage_now().released, all);
	for (unsigned int i = 0; i < scene->nr; i += 4) {
		KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(scene->objects[i], scene->bytes,
							   i * KEEP_ONE_IN));
		kfree(scene->objects[i]);
	}
	mixed_expect_nothing(test);
}

/* --- Random operations ----------------------------------------------------------- */

struct held {
	void *block;
	size_t size;
	struct kmem_cache *cache;	/* NULL: a block of a mixed slab */
};

static void fill(struct kunit *test, struct held *held, struct prng *prng, u64 stamp)
{
	if (prng_one_in(prng, 3)) {
		held->size = 1 + prng_below(prng, 1UL << prng_range(prng, 4, 12));
		held->cache = NULL;
		held->block = slab_mixed_take(held->size, 16UL << prng_below(prng, 4));
	} else {
		unsigned int i = prng_below(prng, MIXED_CACHES);

		held->size = mixed_sizes[i];
		held->cache = &mixed_caches[i];
		held->block = kmem_cache_alloc(held->cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, held->block);
	}
	if (held->block)
		shadow_stamp(held->block, held->size, stamp);
}

static void empty(struct kunit *test, struct held *held, u64 stamp)
{
	if (!held->block)
		return;
	KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(held->block, held->size, stamp));
	KUNIT_ASSERT_GE(test, ksize(held->block), held->size);
	kfree(held->block);
	held->block = NULL;
}

/* Once in a while all but one in ten blocks go, which makes slabs sparse. */
static void random_steps(struct kunit *test, struct held *held, unsigned int nr, unsigned int steps,
			 struct prng *prng)
{
	for (unsigned int i = 0; i < steps; i++) {
		unsigned int n = prng_below(prng, nr);
		struct kmem_cache *cache = &mixed_caches[prng_below(prng, MIXED_CACHES)];

		if (!held[n].block)
			fill(test, &held[n], prng, n);
		else if (prng_one_in(prng, 4))
			empty(test, &held[n], n);
		if (prng_one_in(prng, 50))
			slab_mixed_make(cache, &cache->first_node, 0);
		if (prng_one_in(prng, 500))
			kmem_cache_shrink(cache);
		if (prng_one_in(prng, 500))
			slab_mixed_release(4);
		if (prng_one_in(prng, 3 * nr))
			for (unsigned int j = 0; j < nr; j++)
				if (prng_below(prng, 10))
					empty(test, &held[j], j);
	}
	for (unsigned int i = 0; i < nr; i++)
		empty(test, &held[i], i);
}

static void test_mixed_random(struct kunit *test)
{
	static struct held held[4000];
	struct prng prng = { 5 };

	if (!mixed_caches_make(test))
		return;
	random_steps(test, held, ARRAY_SIZE(held), TEST_STEPS(300000), &prng);
	mixed_expect_nothing(test);
}

/* --- Mistakes ------------------------------------------------------------------------ */

static void *survivor(struct kunit *test)
{
	struct scene *scene = set_scene(test, 2);

	mixed_make_all(scene->cache);
	for (unsigned int i = 0; i < scene->nr; i++)
		if (slab_mixed_bytes(scene->objects[i]))
			return scene->objects[i];
	return NULL;
}

static void free_twice(struct kunit *test, void *arg)
{
	void *object = survivor(test);

	(void)arg;
	kfree(object);
	kfree(object);
}

/* The first free is the cache's, the second finds the mixed slab. */
static void free_before_and_after(struct kunit *test, void *arg)
{
	struct scene *scene = set_scene(test, 2);
	void *object = scene->objects[0];

	(void)arg;
	kfree(object);
	mixed_make_all(scene->cache);
	KUNIT_ASSERT_TRUE(test, slab_is_mixed(virt_to_page(object)));
	kfree(object);
}

static void free_inside(struct kunit *test, void *arg)
{
	(void)arg;
	kfree((char *)survivor(test) + 16);
}

static void size_of_freed(struct kunit *test, void *arg)
{
	void *object = survivor(test);

	(void)arg;
	kfree(object);
	ksize(object);
}

static void test_mixed_mistakes(struct kunit *test)
{
	if (!mixed_caches_make(test))
		return;
	CHILD_EXPECT_DEATH(test, free_twice, NULL, "kfree(", "double free");
	CHILD_EXPECT_DEATH(test, free_before_and_after, NULL, "kfree(", "double free");
	CHILD_EXPECT_DEATH(test, free_inside, NULL, "kfree(", "16 bytes inside block");
	CHILD_EXPECT_DEATH(test, size_of_freed, NULL, "ksize(", "double free or stale");
}

/* --- Handlers above a holder of the lock ------------------------------------------- */

static void free_in_handler(void *arg)
{
	struct scene *scene = arg;

	for (unsigned int i = 0; i < 50; i++)
		kfree(scene->objects[--scene->nr]);
}

static void free_deferred_again(struct kunit *test, void *arg)
{
	void *object = survivor(test);

	(void)arg;
	lock_rank_enter(RANK_MIXED);
	kfree(object);
	lock_rank_leave(RANK_MIXED);
	kfree(object);
}

static void test_mixed_handler(struct kunit *test)
{
	unsigned long blocks;
	struct scene *scene;

	if (!mixed_caches_make(test))
		return;
	scene = set_scene(test, 2);
	mixed_make_all(scene->cache);
	blocks = usage_now().blocks;
	KUNIT_ASSERT_GT(test, blocks, 300);
	lock_rank_enter(RANK_MIXED);
	KUNIT_EXPECT_NULL(test, slab_mixed_take(16, 16));
	run_in_handler(free_in_handler, scene);
	lock_rank_leave(RANK_MIXED);
	KUNIT_EXPECT_EQ(test, usage_now().blocks, blocks);
	kfree(scene->objects[--scene->nr]);
	KUNIT_EXPECT_LE(test, usage_now().blocks, blocks - 40);
	lock_rank_enter(RANK_MIXED);
	kfree(scene->objects[--scene->nr]);
	lock_rank_leave(RANK_MIXED);
	blocks = usage_now().blocks;
	slab_mixed_release(~0UL);
	KUNIT_EXPECT_EQ(test, usage_now().blocks, blocks - 1);
	end_scene(test, scene);
	CHILD_EXPECT_DEATH(test, free_deferred_again, NULL, "kfree(", "double free");
}

/* Pages that went back to the system count as taken from it when they are used again. */
static void test_mixed_pages_count_again(struct kunit *test)
{
	struct scene *scene;
	unsigned long pages;
	void *blocks[64];
	unsigned int nr = 0;
	long left;

	if (!mixed_caches_make(test))
		return;
	scene = set_scene(test, 7);
	mixed_make_all(scene->cache);
	slab_mixed_release(~0UL);
	pages = usage_now().released;
	KUNIT_ASSERT_GT(test, pages, 0);
	left = limits_left;
	while (usage_now().released == pages && nr < ARRAY_SIZE(blocks) &&
	       (blocks[nr] = slab_mixed_take(2048, 16)))
		nr++;
	KUNIT_EXPECT_LT(test, usage_now().released, pages);
	KUNIT_EXPECT_EQ(test, limits_left, left - (long)(pages - usage_now().released));
	while (nr)
		kfree(blocks[--nr]);
	end_scene(test, scene);
}

static struct kunit_case mixed_cases[] = {
	KUNIT_CASE(test_mixed_make),
	KUNIT_CASE(test_mixed_records_move),
	KUNIT_CASE(test_mixed_dense),
	KUNIT_CASE(test_mixed_run),
	KUNIT_CASE(test_mixed_bins),
	KUNIT_CASE(test_mixed_holes),
	KUNIT_CASE(test_mixed_under_way),
	KUNIT_CASE(test_mixed_release),
	KUNIT_CASE(test_mixed_random),
	KUNIT_CASE(test_mixed_mistakes),
	KUNIT_CASE(test_mixed_handler),
	KUNIT_CASE(test_mixed_pages_count_again),
	{ 0 },
};

static struct kunit_suite mixed_suite = {
	.name = "slab-mixed",
	.test_cases = mixed_cases,
};

kunit_test_suite(mixed_suite);
