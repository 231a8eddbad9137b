/* SPDX-License-Identifier: MIT */
/*
 * Objects go back into their slabs in batches, compared with a model that knows for each slab how
 * many of its objects are out.
 */
#include "selftest/stepping.h"
#include "slab/slab_free.h"
#include "slab/small_slab.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/places.h"
#include "support/prng.h"
#include "support/slabs.h"
#include "support/threads.h"
#include "support/zones.h"

#define OBJECT_BYTES 500
#define NR_OBJECTS 2000U
#define STEPS TEST_STEPS(300)

/*
 * Objects with a mark in a word, with many and with few in a slab; objects with a mark in the
 * table; objects with a mark behind them.
 */
static const struct kind {
	unsigned int bytes;
	bool ctor;
} kinds[] = {
	{ OBJECT_BYTES, false }, { 40, false }, { 200, false }, { 3000, false },
	{ OBJECT_BYTES, true }, { 40, true },
};

struct stock {
	struct kmem_cache *cache;
	bool ctor;
	struct prng prng;
	void *objects[NR_OBJECTS];	/* that are out */
	unsigned int nr;
};

static struct stock stock;

#define CONSTRUCTED 0x3333333333333333ul

static void construct(void *object)
{
	*(unsigned long *)object = CONSTRUCTED;
}

static struct kmem_cache *cache_of_kind(struct kunit *test, const struct kind *kind)
{
	struct kmem_cache *cache = kmem_cache_create("returned", kind->bytes, 0, 0,
						     kind->ctor ? construct : NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static struct kmem_cache *cache_of_bytes(struct kunit *test, unsigned int bytes)
{
	struct kind kind = { bytes, false };

	return cache_of_kind(test, &kind);
}

static struct kmem_cache *new_cache(struct kunit *test)
{
	return cache_of_bytes(test, OBJECT_BYTES);
}

static void take(struct kunit *test, struct stock *stock, unsigned int n)
{
	unsigned int taken;

	for (; n; n -= taken, stock->nr += taken) {
		void **objects = stock->objects + stock->nr;

		taken = slab_take_objects(stock->cache, GFP_KERNEL, objects, n);
		KUNIT_ASSERT_GT(test, taken, 0);
		for (unsigned int i = 0; stock->ctor && i < taken; i++)
			KUNIT_ASSERT_EQ(test, *(unsigned long *)objects[i], CONSTRUCTED);
	}
}

static void swap_objects(struct stock *stock, unsigned int one, unsigned int other)
{
	void *object = stock->objects[one];

	stock->objects[one] = stock->objects[other];
	stock->objects[other] = object;
}

/* Frees the last n objects, in random order or in the order in which they came. */
static void give(struct stock *stock, unsigned int n, bool mixed)
{
	for (unsigned int i = 0; mixed && i < n; i++)
		swap_objects(stock, prng_below(&stock->prng, stock->nr), stock->nr - n + i);
	stock->nr -= n;
	slab_return_objects(stock->cache, stock->objects + stock->nr, n);
}

static unsigned int objects_out(const struct stock *stock, const struct page *slab)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < stock->nr; i++)
		nr += slab_of(stock->cache, stock->objects[i]) == slab;
	return nr;
}

/* Slabs with free objects have those that the model says, and no more are empty than may be. */
static void check(struct kunit *test, struct stock *stock)
{
	const struct kmem_cache *cache = stock->cache;
	struct kmem_cache_node *node;
	struct slab_usage usage;
	unsigned long empty = 0;

	for_each_kmem_cache_node(cache, node) {
		const struct page *slab;
		unsigned long nr = 0;

		list_for_each_entry(slab, &node->partial, lru) {
			struct slab_word word = slab_word_read(slab);
			unsigned int free = word.objects - word.carved;
			void *object = word.freelist;

			KUNIT_ASSERT_EQ(test, word.inuse, objects_out(stock, slab));
			KUNIT_ASSERT_LT(test, word.inuse, 0u + word.objects);
			for (; !is_slab_token(object); free++) {
				KUNIT_ASSERT_TRUE(test, slab_listed_is_free(cache, slab, object));
				object = slab_link_follow(cache, object);
			}
			KUNIT_ASSERT_PTR_EQ(test, object, slab_token(page_address(slab)));
			KUNIT_ASSERT_EQ(test, free + word.inuse, 0u + word.objects);
			KUNIT_ASSERT_TRUE(test, slab->on_partial);
			empty += !word.inuse;
			nr++;
		}
		KUNIT_ASSERT_EQ(test, nr, node->nr_partial);
	}
	slab_usage_read(stock->cache, &usage);
	KUNIT_ASSERT_EQ(test, usage.inuse, stock->nr);
	KUNIT_ASSERT_EQ(test, usage.empty, empty);
	KUNIT_ASSERT_LE(test, empty, cache->min_partial * nr_online_nodes);
}

static void compare_kind_with_model(struct kunit *test, const struct kind *kind)
{
	stock.cache = cache_of_kind(test, kind);
	stock.ctor = kind->ctor;
	stock.prng.state = 1;
	for (unsigned int step = 0; step < STEPS; step++) {
		take(test, &stock, prng_below(&stock.prng, NR_OBJECTS - stock.nr + 1));
		while (stock.nr && !prng_one_in(&stock.prng, 8)) {
			unsigned int most = prng_one_in(&stock.prng, 2) ? 5 : stock.nr;

			give(&stock, 1 + prng_below(&stock.prng, min(most, stock.nr)),
			     prng_one_in(&stock.prng, 2));
			check(test, &stock);
		}
	}
	give(&stock, stock.nr, true);
	check(test, &stock);
	kmem_cache_destroy(stock.cache);
}

static void compare_with_model(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		compare_kind_with_model(test, &kinds[i]);
}

static void test_return_model(struct kunit *test)
{
	zones_run(test, "", compare_with_model);
	zones_run(test, "slab_freelist_hardened=on", compare_with_model);
	zones_run(test, "nodes=2:limit=64M:simulated_cpus=2:rseq=off", compare_with_model);
}

/* All of a slab's objects at once: it goes, and nobody writes to them but to clear marks. */
static void return_all(struct kunit *test, unsigned int bytes)
{
	struct stock *all = &stock;
	unsigned long created, freed, now;
	const unsigned char *last;
	unsigned int per_slab;

	all->cache = cache_of_bytes(test, bytes);
	all->nr = 0;
	per_slab = all->cache->objects;
	take(test, all, (unsigned int)(all->cache->min_partial + 3) * per_slab);
	/* As many slabs as are kept, with an object each. */
	for (unsigned int i = 0; i < all->cache->min_partial + 1; i++)
		slab_return_objects(all->cache, &all->objects[i * per_slab], 1);
	last = memset(all->objects[all->nr - 1], 0x5a, bytes);
	slab_read_turnover(all->cache, &created, &freed);
	slab_return_objects(all->cache, &all->objects[all->nr - per_slab], per_slab);
	slab_read_turnover(all->cache, &created, &now);
	KUNIT_EXPECT_EQ(test, now, freed + 1);
	/* Its page is free now, and as it was. */
	for (unsigned int i = 0; i < bytes; i++) {
		bool is_mark = !all->cache->byte_marks && i / 8 == SLAB_MARK_OFFSET / 8;

		KUNIT_EXPECT_EQ(test, last[i], is_mark ? 0 : 0x5a);
	}
	for (unsigned int i = 0; i < all->cache->min_partial + 1; i++)
		slab_return_objects(all->cache, &all->objects[i * per_slab + 1], per_slab - 1);
	slab_return_objects(all->cache, &all->objects[all->nr - 2 * per_slab], per_slab);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(all->cache), 0ul);
	kmem_cache_destroy(all->cache);
}

static void test_return_of_all_is_not_linked(struct kunit *test)
{
	return_all(test, OBJECT_BYTES);
	return_all(test, 2 * OBJECT_BYTES);
}

#define FULL_SLABS 40U
#define PER_SLAB 13U		/* objects of so many bytes, on however many CPUs: */
#define PER_SLAB_BYTES 2500
#define NR_PADS 6U

/* All objects of some slab come to lie last of objects[0 .. n-1]. How many others there are. */
static unsigned int move_slab_to_end(struct stock *stock, unsigned int n)
{
	unsigned int first = n;
	const struct page *slab;

	swap_objects(stock, prng_below(&stock->prng, n), n - 1);
	slab = slab_of(stock->cache, stock->objects[n - 1]);
	for (unsigned int i = n; i-- > 0;)
		if (slab_of(stock->cache, stock->objects[i]) == slab)
			swap_objects(stock, i, --first);
	return first;
}

/* The stock's objects of two slabs that are full, in turn. */
static void two_slabs_in_turn(struct kunit *test, struct stock *stock, void **batch)
{
	unsigned int one = move_slab_to_end(stock, stock->nr);
	unsigned int other = move_slab_to_end(stock, one);

	KUNIT_ASSERT_EQ(test, stock->nr - one, PER_SLAB);
	KUNIT_ASSERT_EQ(test, one - other, PER_SLAB);
	for (unsigned int i = 0; i < PER_SLAB; i++) {
		*batch++ = stock->objects[one + i];
		*batch++ = stock->objects[other + i];
	}
	stock->nr = other;
}

static void any_objects(struct stock *stock, unsigned int n, void **batch)
{
	while (n--) {
		swap_objects(stock, prng_below(&stock->prng, stock->nr), stock->nr - 1);
		*batch++ = stock->objects[--stock->nr];
	}
}

/*
 * In each half of a batch the objects of two full slabs lie in turn, with those in front of the
 * batch's end, and of the first half's, that make it be sorted. A slab whose objects are found to
 * be one run goes as it is. One that gets them back in parts is on the partial list meanwhile: it
 * is of a pair that the sorting does not tell apart, of which there are few, but some.
 */
static void test_return_in_turn(struct kunit *test)
{
	const unsigned int pair = 2 * PER_SLAB, half = pair + NR_PADS, steps = 1000;
	void *batch[2 * (2 * PER_SLAB + NR_PADS)];
	unsigned long in_parts;

	stock = (struct stock){ .cache = cache_of_bytes(test, PER_SLAB_BYTES) };
	stock.cache->min_partial = 0;
	stock.cache->counts = true;
	for (unsigned int step = 0; step < steps; step++) {
		take(test, &stock, FULL_SLABS * PER_SLAB - stock.nr);
		two_slabs_in_turn(test, &stock, batch);
		two_slabs_in_turn(test, &stock, batch + half);
		any_objects(&stock, NR_PADS, batch + pair);
		any_objects(&stock, NR_PADS, batch + half + pair);
		slab_return_objects(stock.cache, batch, ARRAY_SIZE(batch));
		check(test, &stock);
	}
	in_parts = stock.cache->counters.nr[SLAB_FREE_REMOVE_PARTIAL];
	KUNIT_EXPECT_GT(test, in_parts, 0);
	KUNIT_EXPECT_LT(test, in_parts, 4 * steps / 8);
	give(&stock, stock.nr, false);
	check(test, &stock);
	kmem_cache_destroy(stock.cache);
}

/* --- Another one is faster ------------------------------------------------------- */

#define NR_APART 16U

/* An object of each of so many slabs, for a batch; and one of each for the interruption. */
static void *batch[NR_APART], *others[NR_APART];

static void give_batch(void *cache)
{
	slab_return_objects(cache, batch, NR_APART);
}

static void give_others(void)
{
	slab_return_objects(stock.cache, others, NR_APART);
}

static void *take_out(struct stock *from, unsigned int number)
{
	swap_objects(from, number, --from->nr);
	return from->objects[from->nr];
}

/* The other objects in use of the batch's slabs. */
enum rest { ALL, ALL_BUT_ONE, NOTHING };

static void take_both(struct kunit *test, enum rest rest)
{
	const unsigned int per_slab = stock.cache->objects;
	void *thirds[NR_APART];

	take(test, &stock, NR_OBJECTS - stock.nr);
	for (unsigned int i = NR_APART; i--;) {
		thirds[i] = rest == ALL_BUT_ONE ? take_out(&stock, i * per_slab + 2) : NULL;
		batch[i] = take_out(&stock, i * per_slab + 1);
		others[i] = take_out(&stock, i * per_slab);
		KUNIT_ASSERT_PTR_EQ(test, slab_of(stock.cache, batch[i]),
				    slab_of(stock.cache, others[i]));
	}
	if (rest == ALL_BUT_ONE)
		slab_return_objects(stock.cache, thirds, NR_APART);
	if (rest == NOTHING)
		give(&stock, stock.nr, false);
}

static void check_all_back(struct kunit *test)
{
	slab_return_deferred(stock.cache);
	check(test, &stock);
	if (stock.nr)
		give(&stock, stock.nr, false);
}

/* Swaps that failed. */
static unsigned long disturb_everywhere(struct kunit *test, enum rest rest)
{
	const unsigned long *fails = &stock.cache->counters.nr[SLAB_CMPXCHG_DOUBLE_FAIL];
	unsigned long before = *fails;

	take_both(test, rest);
	nr_places = 0;
	stepping_run(give_batch, stock.cache, place_note);
	give_others();
	check_all_back(test);
	KUNIT_EXPECT_GT(test, nr_places, 50);
	KUNIT_EXPECT_LT(test, nr_places, NR_PLACES);
	KUNIT_EXPECT_EQ(test, *fails, before);
	for (unsigned int i = 0; i < nr_places; i++) {
		struct stepping_hits hits;

		take_both(test, rest);
		hits = stepping_break_at(places[i], give_batch, stock.cache, give_others);
		if (!hits.all)
			give_others();
		check_all_back(test);
	}
	return *fails - before;
}

/*
 * Objects of slabs that differ go back one by one. At each instruction of that somebody else gives
 * one back to each of these slabs, so between a look at a slab's words and the swap as well. Full
 * slabs change lists, and those of which no more is out become empty.
 */
static void test_return_swap_is_tried_again(struct kunit *test)
{
	if (!STEPPING_SINGLE || RSEQ_IN_C || !stepping_works())
		kunit_skip(test, "no single steps");
	stock = (struct stock){ .cache = cache_of_bytes(test, 100) };
	stock.cache->counts = true;
	stock.cache->min_partial = 0;
	KUNIT_ASSERT_LE(test, NR_APART * stock.cache->objects, NR_OBJECTS);
	KUNIT_ASSERT_GT(test, stock.cache->objects, 32);	/* else it is sorted */
	KUNIT_EXPECT_GT(test, disturb_everywhere(test, ALL), 0);
	KUNIT_EXPECT_GT(test, disturb_everywhere(test, ALL_BUT_ONE), 10);
	KUNIT_EXPECT_GT(test, disturb_everywhere(test, NOTHING), 10);
	kmem_cache_destroy(stock.cache);
}

static void give_most(void *arg)
{
	struct stock *stock = arg;

	give(stock, stock->nr - 1, true);
}

/*
 * Above a holder of the node's lock, work that needs the lock is left to the next thread that takes
 * it.
 */
static void test_return_above_a_holder(struct kunit *test)
{
	struct kmem_cache_node *node;

	test_pin(0);
	stock.cache = new_cache(test);
	stock.nr = 0;
	take(test, &stock, NR_OBJECTS);
	node = slab_node_of(stock.cache, slab_of(stock.cache, stock.objects[0]));
	lock_acquire(&node->lock);
	run_in_handler(give_most, &stock);
	KUNIT_EXPECT_NOT_NULL(test, node->deferred);
	lock_release(&node->lock);
	KUNIT_EXPECT_GT(test, test_slab_inuse(stock.cache), 1ul);
	slab_return_deferred(stock.cache);
	KUNIT_EXPECT_NULL(test, node->deferred);
	check(test, &stock);
	give(&stock, 1, false);
	kmem_cache_destroy(stock.cache);
	test_unpin();
}

static struct kmem_cache *shared;

/* Threads hand each other's slabs' objects back while others take from the same slabs. */
static void take_and_give(struct test_thread *thread)
{
	struct stock *mine = kzalloc(sizeof(*mine), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(thread->test, mine);
	mine->cache = shared;
	mine->prng.state = thread->index + 1;
	for (unsigned int step = 0; step < TEST_STEPS(3000); step++) {
		take(thread->test, mine, prng_below(&mine->prng, 60));
		for (unsigned int i = 0; i < mine->nr; i++)
			*(unsigned int *)mine->objects[i] = thread->index;
		if (prng_one_in(&mine->prng, 4))
			sched_yield();
		for (unsigned int i = 0; i < mine->nr; i++)
			KUNIT_ASSERT_EQ(thread->test, *(unsigned int *)mine->objects[i],
					thread->index);
		for (unsigned int i = 0; i < mine->nr; i++)
			slab_mark_free(shared, mine->objects[i]);
		while (mine->nr > 20 || (mine->nr && step % 8 == 7))
			give(mine, 1 + prng_below(&mine->prng, min(mine->nr, 40u)), true);
	}
	give(mine, mine->nr, false);
	kfree(mine);
}

static void test_return_by_threads(struct kunit *test)
{
	shared = new_cache(test);
	test_threads_run(test, 4, take_and_give, NULL);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(shared), 0ul);
	KUNIT_EXPECT_LE(test, slab_nr_slabs(shared), shared->min_partial * nr_online_nodes);
	kmem_cache_destroy(shared);
}

static struct kunit_case return_cases[] = {
	KUNIT_CASE(test_return_model),
	KUNIT_CASE(test_return_of_all_is_not_linked),
	KUNIT_CASE(test_return_in_turn),
	KUNIT_CASE(test_return_swap_is_tried_again),
	KUNIT_CASE(test_return_above_a_holder),
	KUNIT_CASE(test_return_by_threads),
	{ 0 },
};

static struct kunit_suite return_suite = { .name = "slab_return", .test_cases = return_cases };

kunit_test_suite(return_suite);
