/* SPDX-License-Identifier: MIT */
/*
 * A CPU's own slab, step by step: checks the CPU's word and the slab's two words after each step.
 * Two CPUs, A and B, are two slots of one thread. Each case runs in a child with
 * slab_cpu_cache=slab, however the slots are reached.
 */
#include "percpu/remote.h"
#include "cpu_slab_steps.h"
#include "slab/slab_free.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/zones.h"

static const unsigned int sizes[] = { 8, 16, 64, 200, 700, 3000 };

/* The same for all sizes, with and without constructor. */
static void for_all(struct kunit *test, void (*fn)(struct kunit *test, struct kmem_cache *cache))
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		fn(test, make(test, sizes[i], NULL));
		fn(test, make(test, sizes[i], construct));
	}
}

/* --- One CPU ------------------------------------------------------------------------ */

/* From no slab to one that is used up: the CPU's word names the slab after every step. */
static void word_tells_slab(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = NULL;

	KUNIT_EXPECT_EQ(test, sizeof(*cache->own_cpu_slab), 2 * sizeof(void *));
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
	for (unsigned int i = 0; i < cache->objects; i++) {
		take(test, cache, i, i + 1);
		if (!slab)
			slab = slab_of(cache, objects[0]);
		KUNIT_ASSERT_PTR_EQ(test, objects[i],
				    (char *)page_address(slab) + (size_t)i * cache->size);
		KUNIT_ASSERT_PTR_EQ(test, slab_of(cache, cpu_word(test, cache)), slab);
		EXPECT_SLAB(test, cache, slab, 1, slab_word_read(slab).carved, 0);
		KUNIT_EXPECT_GT(test, slab_word_read(slab).carved, i);
		KUNIT_EXPECT_PTR_EQ(test, slab->freelist, token_of(slab));
		KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), cache->objects - i - 1u);
	}
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), token_of(slab));
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 1);
	give(cache, 0, cache->objects);
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), cache->objects);
	end(test, cache);
}

/*
 * The first object too. Objects that the CPU's list never had do not count as in use in the slab.
 */
static void every_object_is_fast(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = use_up(test, cache);
	unsigned long refills = cache->refills;

	for (unsigned int i = 0; i < cache->objects; i++) {
		kmem_cache_free(cache, objects[i]);
		KUNIT_ASSERT_PTR_EQ(test, cpu_word(test, cache), objects[i]);
		KUNIT_ASSERT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[i]);
		KUNIT_ASSERT_PTR_EQ(test, cpu_word(test, cache), token_of(slab));
	}
	/* The list works as a stack, down to the last object and back. */
	give(cache, 0, cache->objects);
	EXPECT_SLAB(test, cache, slab, 1, cache->objects, 0);
	for (unsigned int i = cache->objects; i-- > 0;)
		KUNIT_ASSERT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[i]);
	KUNIT_EXPECT_EQ(test, cache->refills, refills);
	EXPECT_SLAB(test, cache, slab, 1, cache->objects, 0);
	give(cache, 0, cache->objects);
	end(test, cache);
}

/*
 * Nothing was freed meanwhile: the CPU leaves the slab, and the next free puts it on the partial
 * list, once.
 */
static void used_up_is_left(struct kunit *test, struct kmem_cache *cache)
{
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache), *next;

	take(test, cache, nr, nr + 1);
	next = slab_of(cache, objects[nr]);
	KUNIT_ASSERT_TRUE(test, next != slab);
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	KUNIT_EXPECT_PTR_EQ(test, slab->freelist, token_of(slab));
	KUNIT_EXPECT_EQ(test, slab_node_of(cache, slab)->nr_partial, 0);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 2);

	/* Another slab is the CPU's now, so these go to their own. */
	for (unsigned int i = 0; i < nr - 1; i++) {
		be_on(test, i % 2 ? A : B);
		kmem_cache_free(cache, objects[i]);
		EXPECT_SLAB(test, cache, slab, 0, nr - 1u - i, 1);
		KUNIT_EXPECT_PTR_EQ(test, slab->freelist, objects[i]);
		KUNIT_EXPECT_EQ(test, slab_node_of(cache, slab)->nr_partial, 1);
	}
	/* A uses its slab up and takes the listed one, whole. */
	be_on(test, A);
	take(test, cache, nr + 1, 2 * nr);
	for (unsigned int i = nr - 1; i-- > 0;) {
		KUNIT_ASSERT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[i]);
		EXPECT_SLAB(test, cache, slab, 1, nr, 0);
	}
	EXPECT_SLAB(test, cache, next, 0, nr, 0);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 2);
	give(cache, 0, 2 * nr);
	end(test, cache);
}

/* A few at once, too: they come from the CPU's list and go back there, others to their slab. */
static void few_are_of_the_list(struct kunit *test, struct kmem_cache *cache)
{
	enum { FEW = 2 };
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);
	void *few[FEW + 1];

	for (unsigned int i = 0; i < FEW; i++)
		few[i] = objects[i];
	kmem_cache_free_bulk(cache, FEW, few);
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), objects[FEW - 1]);
	EXPECT_SLAB(test, cache, slab, 1, nr, 0);
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, FEW, few), FEW);
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), token_of(slab));
	for (unsigned int i = 0; i < FEW; i++)
		KUNIT_EXPECT_PTR_EQ(test, few[i], objects[FEW - 1 - i]);

	take(test, cache, nr, 2 * nr);
	few[0] = objects[nr];
	few[1] = objects[0];
	few[2] = objects[nr + 1];
	kmem_cache_free_bulk(cache, FEW + 1, few);
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), objects[nr + 1]);
	EXPECT_SLAB(test, cache, slab, 0, nr - 1u, 1);
	KUNIT_EXPECT_PTR_EQ(test, slab->freelist, objects[0]);
	/* Those two, then one that was freed to its slab. */
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, FEW + 1, few), FEW + 1);
	KUNIT_EXPECT_PTR_EQ(test, few[0], objects[nr + 1]);
	KUNIT_EXPECT_PTR_EQ(test, few[1], objects[nr]);
	KUNIT_EXPECT_PTR_EQ(test, few[2], objects[0]);
	give(cache, 0, 2 * nr);
	end(test, cache);
}

static void check_one_cpu(struct kunit *test)
{
	for_all(test, few_are_of_the_list);
	for_all(test, word_tells_slab);
	for_all(test, every_object_is_fast);
	for_all(test, used_up_is_left);
}

static void test_freelist_one_cpu(struct kunit *test)
{
	zones_run(test, two_cpus(), check_one_cpu);
}

/* --- Frees from elsewhere ------------------------------------------------------------ */

/* These objects gather on the slab's own freelist; A gets them first when its list is empty. */
static void remote_frees_come_first(struct kunit *test, struct kmem_cache *cache)
{
	static const unsigned int freed[] = { 3, 0, 2 };
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);

	be_on(test, B);
	for (unsigned int i = 0; i < ARRAY_SIZE(freed); i++) {
		kmem_cache_free(cache, objects[freed[i]]);
		EXPECT_SLAB(test, cache, slab, 1, nr - 1u - i, 0);
		KUNIT_EXPECT_PTR_EQ(test, slab->freelist, objects[freed[i]]);
		KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
		KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), i + 1);
	}
	be_on(test, A);
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), token_of(slab));
	for (unsigned int i = ARRAY_SIZE(freed); i-- > 0;) {
		KUNIT_ASSERT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[freed[i]]);
		KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache),
				    i ? objects[freed[i - 1]] : token_of(slab));
		EXPECT_SLAB(test, cache, slab, 1, nr, 0);
		KUNIT_EXPECT_PTR_EQ(test, slab->freelist, token_of(slab));
		if (cache->ctor)
			KUNIT_EXPECT_TRUE(test, is_constructed(objects[freed[i]]));
	}
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 1);
	give(cache, 0, nr);
	end(test, cache);
}

/* A gets them before objects that never left the slab. */
static void check_remote_before_unused(struct kunit *test)
{
	struct kmem_cache *cache = make(test, 700, NULL);
	struct page *slab;
	unsigned int nr = 0;

	do {
		take(test, cache, nr, nr + 1);
		nr++;
		slab = slab_of(cache, objects[0]);
	} while (!is_slab_token(cpu_word(test, cache)));
	KUNIT_ASSERT_LT(test, nr, cache->objects);
	KUNIT_ASSERT_GT(test, nr, 1);
	be_on(test, B);
	kmem_cache_free(cache, objects[1]);
	kmem_cache_free(cache, objects[0]);
	be_on(test, A);
	KUNIT_EXPECT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[0]);
	KUNIT_EXPECT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[1]);
	KUNIT_EXPECT_EQ(test, slab_word_read(slab).carved, nr);
	take(test, cache, nr, nr + 1);
	KUNIT_EXPECT_PTR_EQ(test, objects[nr], (char *)page_address(slab) + nr * cache->size);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 1);
	give(cache, 0, nr + 1);
	end(test, cache);
}

/*
 * A free takes the lock only if the slab changes lists; the free of a handler above the holder is
 * then deferred.
 */
static void check_no_lock(struct kunit *test)
{
	struct kmem_cache *cache = make(test, 64, NULL);
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);
	struct kmem_cache_node *node = slab_node_of(cache, slab);

	be_on(test, B);
	lock_acquire(&node->lock);
	for (unsigned int i = 0; i < nr / 2; i++)
		kmem_cache_free(cache, objects[i]);
	KUNIT_EXPECT_NULL(test, node->deferred);
	EXPECT_SLAB(test, cache, slab, 1, nr - nr / 2, 0);
	lock_release(&node->lock);

	be_on(test, A);
	take(test, cache, 0, nr / 2);
	take(test, cache, nr, nr + 1);
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	be_on(test, B);
	lock_acquire(&node->lock);
	kmem_cache_free(cache, objects[0]);
	KUNIT_EXPECT_PTR_EQ(test, node->deferred, objects[0]);
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	lock_release(&node->lock);
	slab_return_deferred(cache);
	EXPECT_SLAB(test, cache, slab, 0, nr - 1, 1);
	lock_acquire(&node->lock);
	for (unsigned int i = 1; i < nr - 1; i++)
		kmem_cache_free(cache, objects[i]);
	KUNIT_EXPECT_NULL(test, node->deferred);
	EXPECT_SLAB(test, cache, slab, 0, 1, 1);
	lock_release(&node->lock);
	give(cache, nr - 1, nr + 1);
	end(test, cache);
}

/* One CPU allocates, the other one frees: the number of slabs does not grow. */
static void rounds_are_bounded(struct kunit *test, struct kmem_cache *cache)
{
	const unsigned int nr = 2 * cache->objects;

	for (unsigned int round = 0; round < 100; round++) {
		be_on(test, A);
		take(test, cache, 0, nr - round % 3);
		be_on(test, B);
		give(cache, 0, nr - round % 3);
		KUNIT_ASSERT_LE(test, slab_nr_slabs(cache), 3 + cache->min_partial);
	}
	end(test, cache);
}

static void check_remote(struct kunit *test)
{
	for_all(test, remote_frees_come_first);
	check_remote_before_unused(test);
	if (CAS16_SUPPORTED)
		check_no_lock(test);
	for_all(test, rounds_are_bounded);
}

static void test_freelist_remote(struct kunit *test)
{
	zones_run(test, two_cpus(), check_remote);
}

/* --- A slab is taken from its CPU ------------------------------------------------------ */

/* Taken by another thread: a used-up list leaves only the slab, which then belongs to no CPU. */
static void shrink_takes(struct kunit *test, struct kmem_cache *cache)
{
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);

	be_on(test, B);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 1);
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	kmem_cache_free(cache, objects[1]);
	EXPECT_SLAB(test, cache, slab, 0, nr - 1, 1);
	be_on(test, A);
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));

	/*
	 * With a list: its objects go back into the slab's freelist, behind those that others have
	 * freed.
	 */
	take(test, cache, 1, 2);
	give(cache, 0, 2);
	be_on(test, B);
	kmem_cache_free(cache, objects[2]);
	EXPECT_SLAB(test, cache, slab, 1, nr - 1, 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 1);
	EXPECT_SLAB(test, cache, slab, 0, nr - 3, 1);
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), 0);
	be_on(test, A);
	take(test, cache, 0, 3);
	EXPECT_SLAB(test, cache, slab, 1, nr, 0);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 1);
	give(cache, 0, nr);
	be_on(test, B);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 0);
	end(test, cache);
}

static void check_shrink(struct kunit *test)
{
	if (percpu_can_stop())
		for_all(test, shrink_takes);
}

/* The steps by themselves, for a CPU that has no slab, a list, a token. */
static void drain_takes(struct kunit *test, struct kmem_cache *cache)
{
	unsigned int nr = cache->objects, slot = (unsigned int)percpu_current_slot();
	struct page *slab;

	cpu_slab_drain_slot(cache, slot);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 0);
	slab = use_up(test, cache);
	cpu_slab_drain_slot(cache, slot);
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	kmem_cache_free(cache, objects[0]);
	take(test, cache, 0, 1);
	EXPECT_SLAB(test, cache, slab, 1, nr, 0);
	give(cache, 0, nr - 1);
	cpu_slab_drain_slot(cache, slot);
	EXPECT_SLAB(test, cache, slab, 0, 1, 1);
	give(cache, nr - 1, nr);
	end(test, cache);
}

/*
 * The token that was read is there again, after the slab had been used up, filled and used up once
 * more. A thread that swaps it for 0 gets the slab all the same, with the objects that are free by
 * then.
 */
static void token_comes_back(struct kunit *test, struct kmem_cache *cache)
{
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);
	void *seen = cpu_word(test, cache);

	for (unsigned int round = 0; round < 2; round++) {
		be_on(test, B);
		give(cache, 0, 3);
		be_on(test, A);
		take(test, cache, 0, 3);
	}
	KUNIT_ASSERT_PTR_EQ(test, cpu_word(test, cache), seen);
	be_on(test, B);
	KUNIT_EXPECT_FALSE(test, percpu_tagged_cas(cache->own_cpu_slab, (unsigned long)seen, 0));
	kmem_cache_free(cache, objects[0]);
	be_on(test, A);
	KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(cache->own_cpu_slab, (unsigned long)seen, 0));
	EXPECT_SLAB(test, cache, slab, 1, nr - 1, 0);
	cpu_slab_return(cache, seen);
	EXPECT_SLAB(test, cache, slab, 0, nr - 1, 1);
	KUNIT_EXPECT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[0]);
	give(cache, 0, nr);
	end(test, cache);
}

/*
 * While its list is stopped a CPU allocates and frees otherwise; afterwards it goes on with the
 * list.
 */
static void stopped_cpu_goes_on(struct kunit *test, struct kmem_cache *cache)
{
	struct percpu_stopped_tagged stopped;
	struct page *slab;
	void *word, *more[20];

	take(test, cache, 0, 3);
	slab = slab_of(cache, objects[0]);
	kmem_cache_free(cache, objects[2]);
	word = cpu_word(test, cache);
	if (percpu_stop_tagged(cache->own_cpu_slab, (unsigned int)percpu_current_slot(),
			       &stopped))
		return;
	KUNIT_EXPECT_EQ(test, stopped.head, (unsigned long)word);
	for (unsigned int i = 0; i < ARRAY_SIZE(more); i++) {
		more[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, more[i]);
		KUNIT_EXPECT_TRUE(test, slab_of(cache, more[i]) != slab);
	}
	kmem_cache_free(cache, objects[0]);
	KUNIT_EXPECT_PTR_EQ(test, slab->freelist, objects[0]);
	for (unsigned int i = 0; i < ARRAY_SIZE(more); i++)
		kmem_cache_free(cache, more[i]);
	percpu_start_tagged(&stopped);
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), word);
	KUNIT_EXPECT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[2]);
	give(cache, 1, 3);
	end(test, cache);
}

/* With a token and frees from elsewhere on A, and a list on B: all pages come back. */
static void check_destroy(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = make(test, sizes[i], NULL);
		size_t unused = test_unused_bytes();
		unsigned int nr = cache->objects;

		use_up(test, cache);
		be_on(test, B);
		take(test, cache, nr, nr + 1);
		give(cache, 0, nr + 1);
		KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), 2 * nr);
		KUNIT_EXPECT_LT(test, test_unused_bytes(), unused);
		kmem_cache_destroy(cache);
		KUNIT_EXPECT_GE(test, test_unused_bytes(), unused);
	}
}

static void check_taken(struct kunit *test)
{
	check_destroy(test);
	check_shrink(test);
	for_all(test, drain_takes);
	for_all(test, token_comes_back);
	if (percpu_can_stop())
		for_all(test, stopped_cpu_goes_on);
}

static void test_freelist_taken(struct kunit *test)
{
	zones_run(test, two_cpus(), check_taken);
}

static struct kunit_case freelist_cases[] = {
	KUNIT_CASE(test_freelist_one_cpu),
	KUNIT_CASE(test_freelist_remote),
	KUNIT_CASE(test_freelist_taken),
	{ 0 },
};

static struct kunit_suite freelist_suite = {
	.name = "slab_freelist",
	.test_cases = freelist_cases,
};

kunit_test_suite(freelist_suite);
