/* SPDX-License-Identifier: MIT */
/*
 * Free memory in holes: no slab of several pages is available, and a cache makes do with small
 * ones. The test computes the places of their objects by arithmetic of its own, and checks that
 * nothing else differs.
 */
#include "percpu/remote.h"
#include "slab/cpu_cache.h"
#include "slab/partial.h"
#include "small_slabs.h"
#include "support/shadow.h"
#include "support/threads.h"

#define NR_OBJECTS 3000u

/* --- Where objects lie ------------------------------------------------------------ */

/* The k-th of the objects that a usual slab would have lies from `from` to `to` of it. */
static bool lies_within(const struct kmem_cache *cache, unsigned int k, size_t from, size_t to)
{
	return (size_t)k * cache->size >= from && (size_t)(k + 1) * cache->size <= to;
}

static void check_places(struct kunit *test, struct kmem_cache *cache, struct page *usual,
			 size_t from)
{
	size_t to = from + (PAGE_SIZE << cache->min_order);
	char *start = page_address(usual), *first = NULL;
	struct page *slab = usual + (from >> PAGE_SHIFT);
	unsigned int nr = 0;

	slab_make_small(cache, slab);
	for (unsigned int k = 0; k < cache->objects; k++) {
		char *object = start + (size_t)k * cache->size;

		if (lies_within(cache, k, from, to)) {
			first = first ? first : object;
			nr++;
			KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, object + cache->size - 1), slab);
		} else if (object >= start + from && object < start + to) {
			KUNIT_EXPECT_FALSE_MSG(test, object_may_be_freed(cache, object),
					       "of %u bytes at %zu", cache->size, from);
		}
	}
	KUNIT_EXPECT_GT_MSG(test, nr, 0, "of %u bytes at %zu", cache->size, from);
	KUNIT_EXPECT_PTR_EQ(test, slab_first(cache, slab), first);
	KUNIT_EXPECT_EQ(test, slab_nr_objects(cache, slab), nr);
}

/* Everywhere in every usual slab. */
static void look_at_places(struct kunit *test)
{
	unsigned int nr = 0;

	for (unsigned int size = 8; size <= KMALLOC_MAX_CACHE_SIZE; size += 8) {
		struct kmem_cache *cache = kmem_cache_create("places", size, 0, SLAB_NO_MERGE,
							     size % 3 ? NULL : construct);
		struct page *usual;

		KUNIT_ASSERT_NOT_NULL(test, cache);
		usual = alloc_pages(GFP_KERNEL, cache->order);
		KUNIT_ASSERT_NOT_NULL(test, usual);
		for (size_t from = 0;
		     cache->min_order < cache->order && from <= slab_mask_of(cache);
		     from += PAGE_SIZE << cache->min_order, nr++)
			check_places(test, cache, usual, from);
		for (unsigned int i = 0; i < 1u << cache->order; i++)
			page_set_flags(usual + i, i ? 0 : page_flags(usual) & ~PG_small_slab);
		__free_pages(usual, cache->order);
		kmem_cache_destroy(cache);
	}
	KUNIT_EXPECT_GT(test, nr, 1000);
}

static void test_small_slab_places(struct kunit *test)
{
	zones_run(test, "", look_at_places);
}

/* --- A cache with small slabs -------------------------------------------------- */

struct live {
	void *object;
	u64 owner;
};

struct stock {
	struct kmem_cache *cache;
	const struct kind *kind;
	struct shadow shadow;
	struct live live[NR_OBJECTS];
	unsigned int nr;
};

/* False without memory. */
static bool take(struct kunit *test, struct stock *stock, u64 owner)
{
	struct live *live = &stock->live[stock->nr];
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;

	live->object = kmem_cache_alloc(stock->cache, gfp);
	if (!live->object)
		return false;
	live->owner = owner;
	stock->nr++;
	KUNIT_ASSERT_EQ_MSG(test, shadow_claim(&stock->shadow, live->object, stock->kind->size),
			    0, "%p is not free", live->object);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)live->object,
					   max(stock->kind->align, 8u)));
	KUNIT_EXPECT_PTR_EQ(test, cache_of(live->object), stock->cache);
	if (stock->kind->ctor)
		KUNIT_ASSERT_TRUE(test, shadow_all_bytes(live->object, 24, 0x33));
	if (!stock->kind->ctor)
		shadow_stamp(live->object, stock->kind->size, owner);
	return true;
}

static void drop(struct kunit *test, struct stock *stock, unsigned int at)
{
	struct live *live = &stock->live[at];

	if (!stock->kind->ctor)
		KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(live->object, stock->kind->size,
							   live->owner));
	KUNIT_ASSERT_EQ(test, shadow_release(&stock->shadow, live->object, stock->kind->size), 0);
	kmem_cache_free(stock->cache, live->object);
	*live = stock->live[--stock->nr];
}

/* Objects that CPUs keep are included: for the slabs they are in use. */
static void check_counts(struct kunit *test, struct stock *stock)
{
	struct slab_usage usage;

	slab_usage_read(stock->cache, &usage);
	KUNIT_EXPECT_GE(test, usage.inuse, stock->nr);
	KUNIT_EXPECT_LE(test, usage.inuse - stock->nr, slab_cached_objects(stock->cache));
	KUNIT_EXPECT_GE(test, usage.objects, usage.inuse);
	KUNIT_EXPECT_GE(test, usage.pages, usage.slabs << stock->cache->min_order);
	KUNIT_EXPECT_LE(test, usage.pages, usage.slabs << stock->cache->order);
	KUNIT_EXPECT_EQ(test, errors_of_validation(stock->cache), 0);
}

/* Slabs that have gone took theirs along. */
static void check_marks_gone(struct kunit *test, const struct kmem_cache *cache)
{
	if (!cache->byte_marks && !cache_is_debugged(cache))
		KUNIT_EXPECT_EQ(test, test_marks_left(cache), 0);
}

/* Then it is exact. */
static void check_counts_alone(struct kunit *test, struct stock *stock)
{
	struct slab_usage usage;

	kmem_cache_shrink(stock->cache);
	check_marks_gone(test, stock->cache);
	slab_usage_read(stock->cache, &usage);
	KUNIT_EXPECT_EQ(test, usage.inuse, stock->nr);
}

static void stock_init(struct kunit *test, struct stock *stock, const struct kind *kind)
{
	memset(stock, 0, sizeof(*stock));
	stock->kind = kind;
	stock->cache = cache_of_kind(test, kind);
	KUNIT_ASSERT_TRUE(test, shadow_init(&stock->shadow, SHADOW_GRANULE_SHIFT, 1UL << 14));
}

/* Everything has gone back: no slab is left, and then no page. */
static void stock_end(struct kunit *test, struct stock *stock)
{
	struct slab_usage usage;

	while (stock->nr)
		drop(test, stock, stock->nr - 1);
	kmem_cache_shrink(stock->cache);
	slab_usage_read(stock->cache, &usage);
	KUNIT_EXPECT_EQ(test, usage.slabs, 0);
	KUNIT_EXPECT_EQ(test, usage.pages, 0);
	KUNIT_EXPECT_EQ(test, usage.objects, 0);
	check_marks_gone(test, stock->cache);
	kmem_cache_destroy(stock->cache);
	shadow_destroy(&stock->shadow);
	check_all_free(test);
}

static struct stock stock;

/* Taken until there is no memory, dropped at random, and again with large blocks about. */
static void use_small_slabs(struct kunit *test)
{
	struct prng prng = { 5 };

	scatter(test, kind_now->hole);
	stock_init(test, &stock, kind_now);
	for (unsigned int round = 0; round < TEST_STEPS(12u); round++) {
		unsigned int wanted = prng_below(&prng, NR_OBJECTS);

		while (stock.nr < wanted && take(test, &stock, prng_u64(&prng)))
			;
		KUNIT_EXPECT_GT(test, stock.nr, 0);
		if (!round)
			KUNIT_EXPECT_EQ(test, fallbacks(stock.cache),
					slab_nr_slabs(stock.cache));
		check_counts(test, &stock);
		wanted = prng_below(&prng, stock.nr + 1);
		while (stock.nr > wanted)
			drop(test, &stock, prng_below(&prng, stock.nr));
		check_counts(test, &stock);
		if (round % 3 == 2)
			check_counts_alone(test, &stock);
		if (round == 3)
			let_go(nr_held / 2);
	}
	KUNIT_EXPECT_GT(test, fallbacks(stock.cache), 0);
	stock_end(test, &stock);
}

static void test_small_slab_random(struct kunit *test)
{
	kind_now = test->param_value;
	zones_run(test, ZONE, use_small_slabs);
}

/* Links that are keyed, objects in random order, content that is cleared. */
static void test_small_slab_hardened(struct kunit *test)
{
	kind_now = test->param_value;
	zones_run(test, ZONE ":slab_freelist_hardened=on:slab_freelist_random=on:"
			"init_on_free=1", use_small_slabs);
}

/* Arrays of objects, of small slabs and of usual ones. */
static void use_bulk(struct kunit *test)
{
	static void *objects[NR_OBJECTS];
	const struct kind *kind = kind_now;
	struct kmem_cache *cache;
	unsigned int nr;

	scatter(test, kind->hole);
	cache = cache_of_kind(test, kind);
	for (unsigned int half = 0; half < 2; half++) {
		nr = kmem_cache_alloc_bulk(cache, GFP_KERNEL, 300, objects + half * 300u);
		KUNIT_ASSERT_EQ(test, nr, 300);
		let_go(nr_held);
	}
	KUNIT_EXPECT_GT(test, fallbacks(cache), 0);
	for (unsigned int i = 0; i < 300; i++) {
		void *object = objects[i];

		objects[i] = objects[599 - i];
		objects[599 - i] = object;
		if (i % 3 == 0) {
			object = objects[i / 3];
			objects[i / 3] = objects[i];
			objects[i] = object;
		}
	}
	kmem_cache_free_bulk(cache, 600, objects);
	KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
	kmem_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 0);
	kmem_cache_destroy(cache);
	check_all_free(test);
}

static void test_small_slab_bulk(struct kunit *test)
{
	kind_now = test->param_value;
	zones_run(test, ZONE, use_bulk);
}

/* --- Threads ---------------------------------------------------------------------- */

#define NR_SEATS 128

struct seats {
	struct kmem_cache *cache;
	void *objects[NR_SEATS];	/* Sync: atomic */
};

/*
 * Each thread takes objects that another one left, and leaves its own; one makes large blocks and
 * holes.
 */
static void change_seats(struct test_thread *thread)
{
	struct seats *seats = thread->arg;

	for (unsigned int i = 0; i < TEST_STEPS(60000u); i++) {
		void **seat = &seats->objects[prng_below(&thread->prng, NR_SEATS)];
		void *object = prng_one_in(&thread->prng, 3) ?
				       NULL : kmem_cache_alloc(seats->cache, GFP_KERNEL);

		if (object)
			shadow_stamp(object, kmem_cache_size(seats->cache), (u64)(uintptr_t)object);
		object = __atomic_exchange_n(seat, object, __ATOMIC_ACQ_REL);
		if (!object)
			continue;
		KUNIT_ASSERT_TRUE(thread->test,
				  shadow_stamp_holds(object, kmem_cache_size(seats->cache),
						     (u64)(uintptr_t)object));
		kmem_cache_free(seats->cache, object);
		if (!thread->index && i % 1000 == 999) {
			if (nr_held)
				let_go(nr_held / 2 + 1);
			else
				scatter(thread->test, kind_now->hole);
			kmem_cache_shrink(seats->cache);
		}
	}
}

static void use_in_threads(struct kunit *test)
{
	struct seats seats = { .cache = NULL };

	test_unpin();
	scatter(test, kind_now->hole);
	seats.cache = cache_of_kind(test, kind_now);
	test_threads_run(test, 3, change_seats, &seats);
	KUNIT_EXPECT_GT(test, fallbacks(seats.cache), 0);
	for (unsigned int i = 0; i < NR_SEATS; i++)
		kmem_cache_free(seats.cache, seats.objects[i]);
	KUNIT_EXPECT_EQ(test, errors_of_validation(seats.cache), 0);
	kmem_cache_shrink(seats.cache);
	if (percpu_can_stop())
		KUNIT_EXPECT_EQ(test, slab_nr_slabs(seats.cache), 0);
	kmem_cache_destroy(seats.cache);
	check_all_free(test);
}

static void test_small_slab_threads(struct kunit *test)
{
	kind_now = test->param_value;
	if (!kind_now->ctor)
		zones_run(test, ZONE, use_in_threads);
}

static struct kunit_case small_slab_cases[] = {
	KUNIT_CASE(test_small_slab_places),
	KUNIT_CASE_PARAM(test_small_slab_random, kind_gen_params),
	KUNIT_CASE_PARAM(test_small_slab_hardened, kind_gen_params),
	KUNIT_CASE_PARAM(test_small_slab_bulk, kind_gen_params),
	KUNIT_CASE_PARAM(test_small_slab_threads, kind_gen_params),
	{ 0 },
};

static struct kunit_suite small_slab_suite = {
	.name = "small_slab",
	.init = count_errors,
	.test_cases = small_slab_cases,
};

kunit_test_suite(small_slab_suite);
