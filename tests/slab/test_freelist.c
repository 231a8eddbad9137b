/* SPDX-License-Identifier: MIT */
/*
 * A CPU's own slab, step by step: what the CPU's word and the slab's two words say after each
 * of them. Two CPUs, A and B, are two slots of one thread. Each case runs in a child with
 * slab_path=freelist, however the slots are reached.
 */
#include <stdlib.h>
#include <unistd.h>

#include "page/zone.h"
#include "percpu/remote.h"
#include "slab/freelist.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/shadow.h"
#include "support/slabs.h"
#include "support/threads.h"
#include "support/zones.h"

enum cpu { A, B };

static const unsigned int sizes[] = { 8, 16, 64, 200, 700, 3000 };

static void *objects[2048];

/* --- What the steps are made of ---------------------------------------------------- */

/* mm_cid has one slot for one thread, so sequences are indexed by the CPU here. */
static const char *two_cpus(void)
{
	const char *options = getenv("USERMM_OPTIONS");

	if (options && (strstr(options, "rseq=off") || strstr(options, "simulated_cpus")))
		return "slab_path=freelist:simulated_cpus=4";
	return test_nr_cpus() > 1 ? "slab_path=freelist:rseq=cpu_id" :
				    "slab_path=freelist:simulated_cpus=4";
}

static void be_on(struct kunit *test, enum cpu cpu)
{
	if (percpu_mode() != PERCPU_LOCKED)
		test_pin(cpu);
	else
		KUNIT_ASSERT_TRUE(test, percpu_bind_slot(cpu));
}

static struct kmem_cache *make(struct kunit *test, unsigned int size, void (*ctor)(void *))
{
	struct kmem_cache *cache = kmem_cache_create("mine", size, 0, 0, ctor);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_NOT_NULL(test, cache->own_freelist);
	KUNIT_ASSERT_NULL(test, cache->own_sheaf);
	KUNIT_ASSERT_LE(test, 2u * cache->objects, ARRAY_SIZE(objects));
	be_on(test, A);
	return cache;
}

/* objects[from .. to-1] */
static void take(struct kunit *test, struct kmem_cache *cache, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
}

static void give(struct kmem_cache *cache, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		kmem_cache_free(cache, objects[i]);
}

/* This CPU's word. */
static void *cpu_word(struct kunit *test, struct kmem_cache *cache)
{
	unsigned long head = ~0UL;

	KUNIT_ASSERT_TRUE(test, percpu_tagged_read(cache->own_freelist, &head));
	return (void *)head;
}

static void *token_of(const struct page *slab)
{
	return slab_token(page_address(slab));
}

static unsigned int times_on_partial(struct kmem_cache *cache, const struct page *slab)
{
	const struct page *other;
	unsigned int times = 0;

	list_for_each_entry(other, &cache->first_node.partial, lru)
		times += other == slab;
	return times;
}

/* How the slab stands; a frozen one is on no list. */
#define EXPECT_SLAB(test, cache, slab, is_frozen, nr_inuse, times)			\
do {											\
	struct slab_word word_ = slab_word_read(slab);					\
											\
	KUNIT_EXPECT_EQ((test), (int)word_.frozen, (is_frozen));				\
	KUNIT_EXPECT_EQ((test), word_.inuse, (nr_inuse));				\
	KUNIT_EXPECT_EQ((test), times_on_partial((cache), (slab)), (times));		\
} while (0)

/* Every object is free: nothing is left of the cache's slabs. */
static void end(struct kunit *test, struct kmem_cache *cache)
{
	slab_drain_all(cache);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0);
	KUNIT_EXPECT_EQ(test, slab_free_empty(cache), 0);
	KUNIT_EXPECT_EQ(test, cache->first_node.nr_partial, 0);
	kmem_cache_destroy(cache);
}

/* The slab that all of its objects were taken of, as objects[0 ..], on A. */
static struct page *use_up(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab;

	take(test, cache, 0, cache->objects);
	slab = slab_of(cache, objects[0]);
	KUNIT_ASSERT_PTR_EQ(test, cpu_word(test, cache), token_of(slab));
	return slab;
}

#define MAGIC 0xfeedfacecafeUL

static void construct(void *object)
{
	*(unsigned long *)object = MAGIC ^ (unsigned long)object;
}

static bool is_constructed(const void *object)
{
	return *(const unsigned long *)object == (MAGIC ^ (unsigned long)object);
}

/* The same for all sizes, with and without constructor. */
static void for_all(struct kunit *test, void (*fn)(struct kunit *test, struct kmem_cache *cache))
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		fn(test, make(test, sizes[i], NULL));
		fn(test, make(test, sizes[i], construct));
	}
}

/* --- One CPU ------------------------------------------------------------------------ */

/* From nothing to a slab that is used up: the word tells the slab after every step. */
static void word_tells_slab(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = NULL;

	KUNIT_EXPECT_EQ(test, sizeof(*cache->own_freelist), 2 * sizeof(void *));
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

/* The first object too; a free that is not of the fast path would count as a flush. */
static void every_object_is_fast(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = use_up(test, cache);
	unsigned long flushes = cache->flushes, refills = cache->refills;

	for (unsigned int i = 0; i < cache->objects; i++) {
		kmem_cache_free(cache, objects[i]);
		KUNIT_ASSERT_PTR_EQ(test, cpu_word(test, cache), objects[i]);
		KUNIT_ASSERT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[i]);
		KUNIT_ASSERT_PTR_EQ(test, cpu_word(test, cache), token_of(slab));
	}
	/* As a stack, to the last one and back. */
	give(cache, 0, cache->objects);
	for (unsigned int i = cache->objects; i-- > 0;)
		KUNIT_ASSERT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[i]);
	KUNIT_EXPECT_EQ(test, cache->flushes, flushes);
	KUNIT_EXPECT_EQ(test, cache->refills, refills);
	EXPECT_SLAB(test, cache, slab, 1, cache->objects, 0);
	give(cache, 0, cache->objects);
	end(test, cache);
}

/* Nothing was freed meanwhile: the slab is left alone, and the next free lists it, once. */
static void used_up_is_left(struct kunit *test, struct kmem_cache *cache)
{
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache), *next;

	take(test, cache, nr, nr + 1);
	next = slab_of(cache, objects[nr]);
	KUNIT_ASSERT_TRUE(test, next != slab);
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	KUNIT_EXPECT_PTR_EQ(test, slab->freelist, token_of(slab));
	KUNIT_EXPECT_EQ(test, cache->first_node.nr_partial, 0);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 2);

	/* Another slab is the CPU's now, so these go to their own. */
	for (unsigned int i = 0; i < nr - 1; i++) {
		be_on(test, i % 2 ? A : B);
		kmem_cache_free(cache, objects[i]);
		EXPECT_SLAB(test, cache, slab, 0, nr - 1u - i, 1);
		KUNIT_EXPECT_PTR_EQ(test, slab->freelist, objects[i]);
		KUNIT_EXPECT_EQ(test, cache->first_node.nr_partial, 1);
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

static void check_one_cpu(struct kunit *test)
{
	for_all(test, word_tells_slab);
	for_all(test, every_object_is_fast);
	for_all(test, used_up_is_left);
}

static void test_freelist_one_cpu(struct kunit *test)
{
	zones_run(test, two_cpus(), check_one_cpu);
}

/* --- Frees from elsewhere ------------------------------------------------------------ */

/* They gather on the slab's own freelist, and are the first that A gets when it has none. */
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

/* Before those that never left the slab, where A has not had all of them yet. */
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

/* Only where the slab changes lists is the lock asked for: its holder's free is deferred. */
static void check_no_lock(struct kunit *test)
{
	struct kmem_cache *cache = make(test, 64, NULL);
	struct kmem_cache_node *node = &cache->first_node;
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);

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

/* One CPU allocates, the other one frees: slabs do not become more. */
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
	check_no_lock(test);
	for_all(test, rounds_are_bounded);
}

static void test_freelist_remote(struct kunit *test)
{
	zones_run(test, two_cpus(), check_remote);
}

/* --- A slab is taken from its CPU ------------------------------------------------------ */

/* From outside: of a used-up list nothing is left but the slab, which is nobody's then. */
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

	/* With a list: it is free in the slab again, behind what others have freed. */
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

	slab_freelist_drain(cache, slot);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 0);
	slab = use_up(test, cache);
	slab_freelist_drain(cache, slot);
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	kmem_cache_free(cache, objects[0]);
	take(test, cache, 0, 1);
	EXPECT_SLAB(test, cache, slab, 1, nr, 0);
	give(cache, 0, nr - 1);
	slab_freelist_drain(cache, slot);
	EXPECT_SLAB(test, cache, slab, 0, 1, 1);
	give(cache, nr - 1, nr);
	end(test, cache);
}

/*
 * The token that was read is there again, after the slab had been used up, filled and used
 * up once more: whoever swaps it for 0 has the slab all the same, with what is free by then.
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
	KUNIT_EXPECT_FALSE(test, percpu_tagged_cas(cache->own_freelist, (unsigned long)seen, 0));
	kmem_cache_free(cache, objects[0]);
	be_on(test, A);
	KUNIT_ASSERT_TRUE(test, percpu_tagged_cas(cache->own_freelist, (unsigned long)seen, 0));
	EXPECT_SLAB(test, cache, slab, 1, nr - 1, 0);
	slab_freelist_return(cache, seen);
	EXPECT_SLAB(test, cache, slab, 0, nr - 1, 1);
	KUNIT_EXPECT_PTR_EQ(test, kmem_cache_alloc(cache, GFP_KERNEL), objects[0]);
	give(cache, 0, nr);
	end(test, cache);
}

/* While its list is stopped a CPU allocates and frees; then it goes on where it was. */
static void stopped_cpu_goes_on(struct kunit *test, struct kmem_cache *cache)
{
	struct percpu_stopped_tagged stopped;
	struct page *slab;
	void *word, *more[20];

	take(test, cache, 0, 3);
	slab = slab_of(cache, objects[0]);
	kmem_cache_free(cache, objects[2]);
	word = cpu_word(test, cache);
	if (percpu_stop_tagged(cache->own_freelist, (unsigned int)percpu_current_slot(),
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

/* --- Another one is faster ---------------------------------------------------------------- */

/*
 * The constructor runs between the look at the CPU's word and the swap that attaches the new
 * slab. What it does meanwhile is what another thread may do there, or the scheduler.
 */
static struct interruption {
	struct kunit *test;
	struct kmem_cache *cache;
	bool allocates, moves;
	void *object;
} interruption;

static void construct_interrupted(void *object)
{
	struct interruption now = interruption;

	construct(object);
	interruption.allocates = interruption.moves = false;
	if (now.allocates)
		interruption.object = kmem_cache_alloc(now.cache, GFP_KERNEL);
	if (now.moves)
		be_on(now.test, B);
}

static struct kmem_cache *make_interrupted(struct kunit *test, bool allocates, bool moves)
{
	interruption = (struct interruption){ .test = test };
	interruption.cache = make(test, 200, construct_interrupted);
	interruption.allocates = allocates;
	interruption.moves = moves;
	return interruption.cache;
}

/* Another slab is the CPU's by then: the thread keeps its object, the rest is listed, once. */
static void check_attach_loses(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, true, false);
	struct page *winner, *loser;

	take(test, cache, 0, 1);
	KUNIT_ASSERT_NOT_NULL(test, interruption.object);
	loser = slab_of(cache, objects[0]);
	winner = slab_of(cache, interruption.object);
	KUNIT_ASSERT_TRUE(test, winner != loser);
	KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, cpu_word(test, cache)), winner);
	EXPECT_SLAB(test, cache, loser, 0, 1, 1);
	EXPECT_SLAB(test, cache, winner, 1, slab_word_read(winner).carved, 0);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 2);
	kmem_cache_free(cache, interruption.object);
	/* All that was given back is free, once each, and as it was constructed. */
	take(test, cache, 1, 2 * cache->objects);
	for (unsigned int i = 0; i < 2u * cache->objects; i++) {
		KUNIT_EXPECT_TRUE(test, is_constructed(objects[i]));
		for (unsigned int k = 0; k < i; k++)
			KUNIT_ASSERT_TRUE(test, objects[k] != objects[i]);
	}
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 2);
	give(cache, 0, 2 * cache->objects);
	end(test, cache);
}

/* The thread is on B when it attaches: B gets the slab, and A stays without. */
static void check_attach_elsewhere(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, false, true);

	take(test, cache, 0, 1);
	KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, cpu_word(test, cache)),
			    slab_of(cache, objects[0]));
	be_on(test, A);
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
	kmem_cache_free(cache, objects[0]);
	KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, objects[0])->freelist, objects[0]);
	end(test, cache);
}

/* The same where B has a slab already. */
static void check_attach_elsewhere_loses(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, false, false);
	void *word;

	be_on(test, B);
	take(test, cache, 0, 1);
	word = cpu_word(test, cache);
	be_on(test, A);
	interruption.moves = true;
	take(test, cache, 1, 2);
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), word);
	EXPECT_SLAB(test, cache, slab_of(cache, objects[1]), 0, 1, 1);
	be_on(test, A);
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
	give(cache, 0, 2);
	end(test, cache);
}

static void free_first(struct test_thread *thread)
{
	kmem_cache_free(thread->arg, objects[0]);
}

static void *free_in_thread(void *test)
{
	test_threads_run(test, 1, free_first, interruption.cache);
	return NULL;
}

/* A free that waits for the lock, to list the slab, finds that it is some CPU's by then. */
static void check_frozen_while_waiting(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, false, false);
	struct kmem_cache_node *node = &cache->first_node;
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);
	struct slab_word old, new;
	pthread_t thread;

	take(test, cache, nr, nr + 1);
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	lock_acquire(&node->lock);
	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, free_in_thread, test), 0);
	/* 2: somebody waits. If not in time it finds the slab frozen, to the same effect. */
	for (unsigned int ms = 0; ms < 1000 && atomic_load_relaxed(&node->lock.state) != 2; ms++)
		usleep(1000);
	old = new = slab_word_read(slab);
	new.frozen = 1;
	KUNIT_ASSERT_TRUE(test, slab_word_cas(slab, &old, &new));
	lock_release(&node->lock);
	pthread_join(thread, NULL);
	EXPECT_SLAB(test, cache, slab, 1, nr - 1, 0);
	KUNIT_ASSERT_EQ_MSG(test, times_on_partial(cache, slab), 0, "no list to go on with");
	slab_freelist_return(cache, token_of(slab));
	EXPECT_SLAB(test, cache, slab, 0, nr - 1, 1);
	give(cache, 1, nr + 1);
	end(test, cache);
}

static void check_attach(struct kunit *test)
{
	check_frozen_while_waiting(test);

	check_attach_loses(test);
	check_attach_elsewhere(test);
	check_attach_elsewhere_loses(test);
}

static void test_freelist_attach(struct kunit *test)
{
	zones_run(test, two_cpus(), check_attach);
}

static struct kunit_case freelist_cases[] = {
	KUNIT_CASE(test_freelist_one_cpu),
	KUNIT_CASE(test_freelist_remote),
	KUNIT_CASE(test_freelist_taken),
	KUNIT_CASE(test_freelist_attach),
	{ 0 },
};

static struct kunit_suite freelist_suite = {
	.name = "slab_freelist",
	.test_cases = freelist_cases,
};

kunit_test_suite(freelist_suite);
