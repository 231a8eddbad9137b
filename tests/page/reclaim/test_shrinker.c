/* SPDX-License-Identifier: MIT */
/*
 * The numbers that shrinkers are asked for, and shrinkers that are registered and unregistered
 * meanwhile.
 */
#include <unistd.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/threads.h"
#include "support/zones.h"

/* --- The amounts -------------------------------------------------------------- */

/* A shrinker whose objects are only a number; it records what it was asked for. */
struct imagined {
	struct shrinker *shrinker;
	unsigned long objects;
	unsigned long stop_after;	/* calls until SHRINK_STOP */
	unsigned long nr_calls, asked[1000];
	unsigned long scanned_percent;	/* of what it was asked for */
	gfp_t gfp;
};

static unsigned long imagined_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct imagined *cache = shrinker->private_data;

	cache->gfp = sc->gfp_mask;
	return cache->objects ? cache->objects : SHRINK_EMPTY;
}

static unsigned long imagined_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct imagined *cache = shrinker->private_data;
	unsigned long nr;

	if (cache->nr_calls >= cache->stop_after || cache->nr_calls >= ARRAY_SIZE(cache->asked))
		return SHRINK_STOP;
	cache->asked[cache->nr_calls++] = sc->nr_to_scan;
	sc->nr_scanned = sc->nr_to_scan * cache->scanned_percent / 100;
	nr = sc->nr_to_scan < cache->objects ? sc->nr_to_scan : cache->objects;
	cache->objects -= nr;
	return nr;
}

static void imagine(struct kunit *test, struct imagined *cache)
{
	*cache = (struct imagined){ .stop_after = ~0UL, .scanned_percent = 100 };
	cache->shrinker = shrinker_alloc(0, "imagined-%d", 1);
	KUNIT_ASSERT_NOT_NULL(test, cache->shrinker);
	KUNIT_EXPECT_EQ(test, cache->shrinker->seeks, DEFAULT_SEEKS);
	cache->shrinker->count_objects = imagined_count;
	cache->shrinker->scan_objects = imagined_scan;
	cache->shrinker->private_data = cache;
	shrinker_register(cache->shrinker);
}

static void test_shrinker_share(struct kunit *test)
{
	static const struct {
		unsigned long objects, freed, nr_calls, first, last;
		int priority, seeks, batch;
	} cases[] = {
		/* A quarter of 2^-priority times four over seeks, in whole batches. */
		{ 4096 * 64, 128, 1, 128, 128, 12, 2, 0 },
		{ 4096 * 32, 0, 0, 0, 0, 12, 2, 0 },		/* 64 are less than a batch */
		{ 4096 * 32, 64, 1, 64, 64, 12, 2, 64 },
		{ 1000, 1000, 15, 128, 128, 0, 2, 0 },		/* twice as many as there are */
		{ 1000, 384, 3, 128, 128, 2, 2, 0 },		/* 500 wanted */
		{ 1000, 384, 3, 128, 128, 12, 0, 0 },		/* seeks 0: half, always */
		{ 100, 100, 1, 128, 128, 0, 2, 0 },		/* 200 wanted */
		{ 100, 100, 1, 100, 100, 0, 4, 0 },		/* less than a batch, but all */
		{ 100, 0, 0, 0, 0, 1, 4, 0 },			/* less than a batch */
		{ 1000, 768, 6, 128, 128, 0, 5, 0 },		/* 800 wanted */
		{ 0, 0, 0, 0, 0, 0, 2, 0 },
	};
	struct imagined cache;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		imagine(test, &cache);
		cache.objects = cases[i].objects;
		cache.shrinker->seeks = cases[i].seeks;
		cache.shrinker->batch = cases[i].batch;
		KUNIT_EXPECT_EQ_MSG(test, shrink_slab(GFP_NOFS, 0, NULL, cases[i].priority),
				    cases[i].freed, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, cache.nr_calls, cases[i].nr_calls, "case %u", i);
		KUNIT_EXPECT_EQ(test, cache.gfp, GFP_NOFS);
		if (cases[i].nr_calls && cache.nr_calls == cases[i].nr_calls) {
			KUNIT_EXPECT_EQ_MSG(test, cache.asked[0], cases[i].first, "case %u", i);
			KUNIT_EXPECT_EQ_MSG(test, cache.asked[cache.nr_calls - 1],
					    cases[i].last, "case %u", i);
		}
		shrinker_free(cache.shrinker);
	}
}

/*
 * Later passes do what an earlier one left undone, by their priority, and never more than twice the
 * objects.
 */
static void test_shrinker_deferred(struct kunit *test)
{
	struct imagined cache;

	imagine(test, &cache);
	cache.objects = 1000;
	cache.stop_after = 0;
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 2), 0);	/* 500 are left */
	cache.stop_after = ~0UL;
	/* 500 / 2^2 of them and 500 anew: 625, so four batches. */
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 2), 512);
	KUNIT_EXPECT_EQ(test, cache.nr_calls, 4);
	/* 488 are left, and 488 objects: a share of 244, and 122 of what was left. */
	cache.nr_calls = 0;
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 2), 256);
	KUNIT_EXPECT_EQ(test, cache.nr_calls, 2);
	/* However much was left undone, a pass asks for at most twice the number of objects. */
	cache.objects = 1UL << 30;
	cache.stop_after = 0;
	for (int i = 0; i < 100; i++)
		shrink_slab(GFP_KERNEL, 0, NULL, 0);
	cache.objects = 128;
	cache.stop_after = ~0UL;
	cache.nr_calls = 0;
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 12), 128);
	KUNIT_EXPECT_EQ(test, cache.nr_calls, 2);
	shrinker_free(cache.shrinker);
}

/* The same arithmetic, written from its definition. */
static unsigned long model(unsigned long *objects, long *undone, int priority, int seeks,
			   long batch)
{
	long freeable = (long)*objects, delta, total, scanned = 0;
	unsigned long freed = 0;

	if (!freeable)
		return 0;
	delta = seeks ? (freeable >> priority) * 4 / seeks : freeable / 2;
	total = (*undone >> priority) + delta;
	if (total > 2 * freeable)
		total = 2 * freeable;
	while (total >= batch || total >= freeable) {
		long nr = total < batch ? total : batch;

		if ((unsigned long)nr > *objects)
			nr = (long)*objects;
		freed += (unsigned long)nr;
		*objects -= (unsigned long)nr;
		nr = total < batch ? total : batch;
		total -= nr;
		scanned += nr;
		if (!nr)
			break;
	}
	*undone = *undone + delta - scanned;
	if (*undone < 0)
		*undone = 0;
	if (*undone > 2 * freeable)
		*undone = 2 * freeable;
	return freed;
}

static void test_shrinker_against_model(struct kunit *test)
{
	struct prng prng = { 1 };
	struct imagined cache;
	long undone = 0;

	imagine(test, &cache);
	for (unsigned int i = 0; i < 20000; i++) {
		int priority = (int)prng_below(&prng, 13), seeks = (int)prng_below(&prng, 5);
		long batch = 1 + (long)prng_below(&prng, 300);
		unsigned long objects = prng_below(&prng, 1UL << prng_below(&prng, 16)), expected;

		cache.objects = objects;
		cache.nr_calls = 0;
		cache.shrinker->seeks = seeks;
		cache.shrinker->batch = batch;
		if ((2 * objects) / (unsigned long)batch >= ARRAY_SIZE(cache.asked) - 1)
			continue;
		expected = model(&objects, &undone, priority, seeks, batch);
		KUNIT_ASSERT_EQ_MSG(test, shrink_slab(GFP_KERNEL, 0, NULL, priority), expected,
				    "step %u", i);
		KUNIT_ASSERT_EQ_MSG(test, cache.objects, objects, "step %u", i);
	}
	shrinker_free(cache.shrinker);
}

/* A scan that looks at nothing, and does not say SHRINK_STOP, must not be repeated for ever. */
static void test_shrinker_without_progress(struct kunit *test)
{
	struct imagined cache;

	imagine(test, &cache);
	cache.objects = 100000;
	cache.scanned_percent = 0;
	shrink_slab(GFP_KERNEL, 0, NULL, 0);
	KUNIT_EXPECT_EQ(test, cache.nr_calls, 1);
	shrinker_free(cache.shrinker);
}

/* It looked at less than it was asked to: the rest is asked for again. */
static void test_shrinker_looks_at_less(struct kunit *test)
{
	struct imagined cache;

	imagine(test, &cache);
	cache.objects = 1 << 20;
	cache.scanned_percent = 50;
	cache.shrinker->seeks = 8;
	shrink_slab(GFP_KERNEL, 0, NULL, 12);	/* 128 are wanted */
	KUNIT_EXPECT_EQ(test, cache.nr_calls, 1);
	cache.nr_calls = 0;
	cache.objects = 8 << 20;
	shrink_slab(GFP_KERNEL, 0, NULL, 12);	/* 1024: until less than a batch is left */
	KUNIT_EXPECT_EQ(test, cache.nr_calls, (1024 - 128) / 64 + 1);
	shrinker_free(cache.shrinker);
}

/*
 * Does a pass over the first node do what a pass over the second node left undone? Only if the
 * shrinker is not NUMA-aware.
 */
static void defer_on(struct kunit *test, unsigned int flags, unsigned long first,
		     unsigned long second)
{
	struct imagined cache = { .objects = 1000, .scanned_percent = 100 };

	cache.shrinker = shrinker_alloc(flags, "on nodes");
	KUNIT_ASSERT_NOT_NULL(test, cache.shrinker);
	cache.shrinker->count_objects = imagined_count;
	cache.shrinker->scan_objects = imagined_scan;
	cache.shrinker->private_data = &cache;
	shrinker_register(cache.shrinker);
	shrink_slab(GFP_KERNEL, 1, NULL, 2);	/* 500 are left */
	cache.stop_after = ~0UL;
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 2), first);
	cache.objects = 1000;
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 1, NULL, 2), second);
	shrinker_free(cache.shrinker);
}

static void defer_on_nodes(struct kunit *test)
{
	/* Each node has its own 500. */
	defer_on(test, SHRINKER_NUMA_AWARE, 384, 512);
	/* 500 and a quarter of 500 are wanted, of which 512 are done; 488 are left. */
	defer_on(test, 0, 512, 512);
}

static void test_shrinker_nodes(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_normal=16M", defer_on_nodes);
}

/* A structure of the caller's, as up to Linux 6.6. */
static void test_shrinker_own_structure(struct kunit *test)
{
	struct imagined cache = { .objects = 1000, .stop_after = ~0UL, .scanned_percent = 100 };
	struct shrinker own = {
		.count_objects = imagined_count,
		.scan_objects = imagined_scan,
		.seeks = DEFAULT_SEEKS,
		.private_data = &cache,
	};

	for (int i = 0; i < 2; i++) {
		cache.objects = 1000;
		KUNIT_EXPECT_EQ(test, usermm_register_shrinker(&own), 0);
		KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 0), 1000);
		unregister_shrinker(&own);
		unregister_shrinker(&own);
		cache.objects = 1000;
		KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 0), 0);
	}
	shrinker_free(NULL);
	shrinker_free(shrinker_alloc(0, "never registered"));
}

/* --- Coming and going --------------------------------------------------------- */

struct slow {
	struct shrinker *shrinker;
	unsigned int inside, done;	/* atomic */
};

static unsigned long slow_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return 1;
}

static unsigned long slow_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct slow *slow = shrinker->private_data;

	(void)sc;
	__atomic_store_n(&slow->inside, 1, __ATOMIC_RELEASE);
	usleep(50000);
	__atomic_store_n(&slow->done, 1, __ATOMIC_RELEASE);
	return 1;
}

static void ask_or_free(struct test_thread *thread)
{
	struct slow *slow = thread->arg;

	if (!thread->index) {
		shrink_slab(GFP_KERNEL, 0, NULL, 0);
		return;
	}
	while (!__atomic_load_n(&slow->inside, __ATOMIC_ACQUIRE))
		usleep(100);
	shrinker_free(slow->shrinker);
	KUNIT_EXPECT_EQ_MSG(thread->test, __atomic_load_n(&slow->done, __ATOMIC_ACQUIRE), 1,
			    "freed while it was running");
}

static void test_shrinker_free_waits(struct kunit *test)
{
	struct slow slow = { .shrinker = shrinker_alloc(0, "slow") };

	KUNIT_ASSERT_NOT_NULL(test, slow.shrinker);
	slow.shrinker->count_objects = slow_count;
	slow.shrinker->scan_objects = slow_scan;
	slow.shrinker->private_data = &slow;
	shrinker_register(slow.shrinker);
	test_threads_run(test, 2, ask_or_free, &slow);
}

/* --- A call-back that would wait for itself ------------------------------------------ */

struct own_free {
	struct shrinker *outer;
	void (*end)(struct shrinker *outer);
	bool asks_another, is_inside;
};

static struct shrinker *add_shrinker(struct kunit *test, const char *name, struct own_free *own,
				     unsigned long (*scan)(struct shrinker *,
							   struct shrink_control *))
{
	struct shrinker *shrinker = shrinker_alloc(0, "%s", name);

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = slow_count;
	shrinker->scan_objects = scan;
	shrinker->private_data = own;
	shrinker_register(shrinker);
	return shrinker;
}

static unsigned long end_outer(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct own_free *own = shrinker->private_data;

	(void)sc;
	own->end(own->outer);
	return SHRINK_STOP;
}

static unsigned long ask_another(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct own_free *own = shrinker->private_data;

	if (!own->asks_another)
		return end_outer(shrinker, sc);
	if (own->is_inside)
		return SHRINK_STOP;
	own->is_inside = true;
	shrink_slab(GFP_KERNEL, 0, NULL, 0);
	return SHRINK_STOP;
}

static void end_in_call_back(struct kunit *test, void *arg)
{
	struct own_free *own = arg;

	alarm(60);	/* else the thread would wait for ever */
	own->outer = add_shrinker(test, "outer", own, ask_another);
	if (own->asks_another)
		add_shrinker(test, "inner", own, end_outer);
	shrink_slab(GFP_KERNEL, 0, NULL, 0);
}

static void test_shrinker_waits_for_itself(struct kunit *test)
{
	struct own_free cases[] = {
		{ .end = shrinker_free },
		{ .end = unregister_shrinker },
		{ .end = shrinker_free, .asks_another = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHILD_EXPECT_DEATH(test, end_in_call_back, &cases[i], "usermm: shrinker outer ",
				   "by its own call-back");
}

/* A call-back may free another shrinker, which the same thread has asked just before. */
static void free_others(struct kunit *test, void *arg)
{
	struct own_free own = { .end = shrinker_free };
	struct shrinker *frees;

	(void)arg;
	alarm(60);
	own.outer = add_shrinker(test, "first", &own, slow_count);
	frees = add_shrinker(test, "second", &own, end_outer);
	shrink_slab(GFP_KERNEL, 0, NULL, 0);	/* the second frees the first */
	shrinker_free(frees);
}

static void test_shrinker_frees_another(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, free_others, NULL);
}

/* If it were called after its free, its memory would show it. */
static unsigned long checked_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)sc;
	if (shrinker->private_data != shrinker)
		abort();
	return 10;
}

static unsigned long checked_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	if (shrinker->private_data != shrinker)
		abort();
	return sc->nr_to_scan;
}

static void come_and_go(struct test_thread *thread)
{
	struct shrinker *shrinkers[8] = { NULL };

	for (unsigned int i = 0; i < TEST_STEPS(4000); i++) {
		unsigned int at = (unsigned int)prng_below(&thread->prng, 8);

		if (prng_below(&thread->prng, 4) == 0) {
			shrink_slab(GFP_KERNEL, 0, NULL, 0);
		} else if (shrinkers[at]) {
			shrinker_free(shrinkers[at]);
			shrinkers[at] = NULL;
		} else {
			shrinkers[at] = shrinker_alloc(0, "thread-%u-%u", thread->index, at);
			KUNIT_ASSERT_NOT_NULL(thread->test, shrinkers[at]);
			shrinkers[at]->count_objects = checked_count;
			shrinkers[at]->scan_objects = checked_scan;
			shrinkers[at]->private_data = shrinkers[at];
			shrinker_register(shrinkers[at]);
		}
	}
	for (unsigned int at = 0; at < 8; at++)
		shrinker_free(shrinkers[at]);
}

static void test_shrinker_come_and_go(struct kunit *test)
{
	test_threads_run(test, 4, come_and_go, NULL);
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 0), 0);
}

static struct kunit_case shrinker_cases[] = {
	KUNIT_CASE(test_shrinker_nodes),	/* before the library is in use here */
	KUNIT_CASE(test_shrinker_share),
	KUNIT_CASE(test_shrinker_looks_at_less),
	KUNIT_CASE(test_shrinker_deferred),
	KUNIT_CASE(test_shrinker_against_model),
	KUNIT_CASE(test_shrinker_without_progress),
	KUNIT_CASE(test_shrinker_own_structure),
	KUNIT_CASE(test_shrinker_free_waits),
	KUNIT_CASE(test_shrinker_waits_for_itself),
	KUNIT_CASE(test_shrinker_frees_another),
	KUNIT_CASE(test_shrinker_come_and_go),
	{ 0 },
};

static struct kunit_suite shrinker_suite = {
	.name = "shrinker",
	.test_cases = shrinker_cases,
};

kunit_test_suite(shrinker_suite);
