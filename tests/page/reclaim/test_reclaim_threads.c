/* SPDX-License-Identifier: MIT */
/*
 * A cache that several threads fill for longer than its budget of 64 MiB lasts: requests
 * that may wait make room and are served, those that must have a page at once are served
 * meanwhile, and no page is lost.
 */
#include <pthread.h>
#include <unistd.h>

#include "os/background.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "support/zones.h"

#define BUDGET_PAGES MIB_PAGES(64)
/* So many that together they would take more than the reserve for urgent requests. */
#define NR_THREADS 12
#define STEPS (4 * BUDGET_PAGES / NR_THREADS)

/* The cache of all of them. */
static struct {
	struct shrinker *shrinker;
	pthread_mutex_t lock;
	struct list_head pages;
	unsigned long nr, evicted;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned long shared_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return __atomic_load_n(&shared.nr, __ATOMIC_RELAXED);
}

static unsigned long shared_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long freed = 0;

	(void)shrinker;
	pthread_mutex_lock(&shared.lock);
	for (; freed < sc->nr_to_scan && shared.nr; freed++) {
		struct page *page = list_last_entry(&shared.pages, struct page, lru);

		list_del(&page->lru);
		__atomic_store_n(&shared.nr, shared.nr - 1, __ATOMIC_RELAXED);
		__free_page(page);
	}
	shared.evicted += freed;
	pthread_mutex_unlock(&shared.lock);
	return freed;
}

static void put(struct page *page)
{
	pthread_mutex_lock(&shared.lock);
	list_add(&page->lru, &shared.pages);
	__atomic_store_n(&shared.nr, shared.nr + 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&shared.lock);
}

/* Writes to each page, so that a page with two owners is noticed. */
static void share(struct kunit *test, struct page *page)
{
	unsigned long *word = page_address(page);

	KUNIT_EXPECT_NE(test, *word, (unsigned long)page);
	*word = (unsigned long)page;
	put(page);
}

static struct page *page_without_owner(gfp_t gfp)
{
	struct page *page = alloc_page(gfp);

	if (page)
		*(unsigned long *)page_address(page) = 0;
	return page;
}

/* A cache's work, in which some may not wait and some must have a page at once. */
static void use_shared_cache(struct test_thread *thread)
{
	for (unsigned int i = 0; i < STEPS; i++) {
		struct page *page = page_without_owner(GFP_KERNEL | __GFP_NOWARN);

		KUNIT_ASSERT_NOT_NULL_MSG(thread->test, page, "step %u", i);
		share(thread->test, page);
		if (prng_below(&thread->prng, 4) == 0) {
			page = page_without_owner(GFP_NOWAIT);
			if (page)
				share(thread->test, page);
		}
		if (prng_below(&thread->prng, 4) == 0) {
			page = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
			KUNIT_ASSERT_NOT_NULL_MSG(thread->test, page, "step %u", i);
			__free_page(page);
		}
	}
}

/*
 * Other shrinkers are registered and unregistered meanwhile, and return wrong numbers. If one were
 * called after its free, its memory would show it.
 */
static unsigned long liar_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)sc;
	if (shrinker->private_data != shrinker)
		abort();
	return 1000;
}

static unsigned long liar_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	if (shrinker->private_data != shrinker)
		abort();
	return sc->nr_to_scan;
}

static unsigned int nr_busy;	/* atomic; threads that fill the cache */

static void use_or_come_and_go(struct test_thread *thread)
{
	if (thread->index) {
		use_shared_cache(thread);
		__atomic_sub_fetch(&nr_busy, 1, __ATOMIC_RELEASE);
		return;
	}
	while (__atomic_load_n(&nr_busy, __ATOMIC_ACQUIRE)) {
		struct shrinker *liar = shrinker_alloc(SHRINKER_NUMA_AWARE, "liar");

		KUNIT_ASSERT_NOT_NULL(thread->test, liar);
		liar->count_objects = liar_count;
		liar->scan_objects = liar_scan;
		liar->private_data = liar;
		shrinker_register(liar);
		usleep(prng_below(&thread->prng, 500));
		shrinker_free(liar);
	}
}

static void lru_of_threads(struct kunit *test)
{
	INIT_LIST_HEAD(&shared.pages);
	shared.shrinker = shrinker_alloc(0, "shared");
	KUNIT_ASSERT_NOT_NULL(test, shared.shrinker);
	shared.shrinker->count_objects = shared_count;
	shared.shrinker->scan_objects = shared_scan;
	shrinker_register(shared.shrinker);
	test_unpin();
	test_threads_run(test, NR_THREADS, use_shared_cache, NULL);
	nr_busy = NR_THREADS - 1;
	test_threads_run(test, NR_THREADS, use_or_come_and_go, NULL);
	/* It waits for the background thread, which may be evicting still. */
	shrinker_free(shared.shrinker);
	KUNIT_EXPECT_GT(test, shared.evicted, 5 * BUDGET_PAGES);
	while (shared.nr) {
		struct page *page = list_first_entry(&shared.pages, struct page, lru);

		list_del(&page->lru);
		shared.nr--;
		__free_page(page);
	}
	drain_all_pages(NULL);
	/* Pages that it takes off a list are on no list until it puts them back. */
	background_suspend();
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), BUDGET_PAGES * PAGE_SIZE);
	zones_check_lists(test);
	background_resume();
}

static void test_reclaim_threads(struct kunit *test)
{
	zones_run(test, "limit=64M:background=off", lru_of_threads);
	zones_run(test, "limit=64M", lru_of_threads);
	zones_run(test, "nodes=2:limit=64M", lru_of_threads);
	zones_run(test, "nodes=2:zone_dma32=16M:zone_normal=16M:pcp=off", lru_of_threads);
}

/*
 * --- A thread that stays in a shrinker for long
 * ---------------------------------------------------
 */

/* More calls than a request makes that gives up at once; fewer than one that waits. */
#define MANY_CALLS 1500ul
#define PATIENCE_MS 60000

static bool inside, may_leave;		/* Sync: atomic */
static pthread_t insider;		/* Sync: written before it is inside */
static unsigned long refused, refusals_most;

static unsigned long long_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	if (pthread_equal(pthread_self(), insider)) {
		__atomic_store_n(&inside, true, __ATOMIC_RELEASE);
		for (unsigned int ms = 0; !__atomic_load_n(&may_leave, __ATOMIC_ACQUIRE) &&
		     ms < PATIENCE_MS; ms++)
			usleep(1000);
		return SHRINK_STOP;
	}
	/* As if the other thread's lock could not be taken. */
	if (refused < refusals_most) {
		refused++;
		return SHRINK_STOP;
	}
	return shared_scan(shrinker, sc);
}

static void put_all_there_is(void)
{
	struct page *page;

	while ((page = alloc_page(GFP_NOWAIT | __GFP_NOWARN)))
		put(page);
}

static void *be_inside(void *unused)
{
	insider = pthread_self();
	shrink_slab(GFP_KERNEL, 0, NULL, 0);
	return unused;
}

static pthread_t enter(struct kunit *test)
{
	pthread_t thread;

	inside = may_leave = false;
	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, be_inside, NULL), 0);
	while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
		usleep(1000);
	return thread;
}

static void leave(pthread_t thread)
{
	__atomic_store_n(&may_leave, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

static struct page *request_when_refused(unsigned long most, gfp_t gfp)
{
	refused = 0;
	refusals_most = most;
	return alloc_page(gfp | __GFP_NOWARN);
}

/* While another thread is freeing memory, a request waits for it instead of failing. */
static void expect_patience(struct kunit *test)
{
	struct page *page = request_when_refused(MANY_CALLS, GFP_KERNEL);

	KUNIT_EXPECT_NOT_NULL_MSG(test, page, "refused after %lu calls", refused);
	if (page)
		put(page);
}

static void ask_beside_another(struct kunit *test)
{
	pthread_t thread;

	KUNIT_EXPECT_NULL_MSG(test, request_when_refused(~0ul, GFP_KERNEL),
			      "nobody is there to wait for");
	KUNIT_EXPECT_LT(test, refused, MANY_CALLS);
	thread = enter(test);
	expect_patience(test);
	/* The thread in the shrinker may be waiting for this very thread, so this wait must end. */
	put_all_there_is();
	KUNIT_EXPECT_NULL(test, request_when_refused(~0ul, GFP_NOFS));
	KUNIT_EXPECT_LT_MSG(test, refused, MANY_CALLS, "they may wait for who asks");
	KUNIT_EXPECT_NULL(test, request_when_refused(~0ul, GFP_KERNEL));
	KUNIT_EXPECT_GT(test, refused, MANY_CALLS);
	KUNIT_EXPECT_NULL(test, request_when_refused(~0ul, GFP_KERNEL));
	KUNIT_EXPECT_LT_MSG(test, refused, MANY_CALLS, "one has waited for all");
	leave(thread);
	/* Once a request has found no thread in a shrinker, the next request waits again. */
	KUNIT_EXPECT_NULL(test, request_when_refused(~0ul, GFP_KERNEL));
	KUNIT_EXPECT_LT(test, refused, MANY_CALLS);
	thread = enter(test);
	expect_patience(test);
	leave(thread);
}

static void one_is_long_inside(struct kunit *test)
{
	INIT_LIST_HEAD(&shared.pages);
	shared.shrinker = shrinker_alloc(0, "long");
	KUNIT_ASSERT_NOT_NULL(test, shared.shrinker);
	shared.shrinker->count_objects = shared_count;
	shared.shrinker->scan_objects = long_scan;
	put_all_there_is();
	shrinker_register(shared.shrinker);
	ask_beside_another(test);
	shrinker_free(shared.shrinker);
}

static void test_reclaim_beside_another(struct kunit *test)
{
	zones_run(test, "limit=16M:background=off", one_is_long_inside);
}

/* --- One that asks from inside a shrinker ---------------------------------------------- */

static unsigned long asking_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker, (void)sc;
	return 1;
}

static unsigned long asking_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker, (void)sc;
	/* Once: its own request comes back here. */
	if (!refused++)
		may_leave = !alloc_page(GFP_KERNEL | __GFP_NOWARN);
	return SHRINK_STOP;
}

/* Nobody else is there to wait for, when the program itself has called shrink_slab(). */
static void asks_inside(struct kunit *test)
{
	struct shrinker *shrinker = shrinker_alloc(0, "asking");

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	INIT_LIST_HEAD(&shared.pages);
	shrinker->count_objects = asking_count;
	shrinker->scan_objects = asking_scan;
	put_all_there_is();
	shrinker_register(shrinker);
	may_leave = false;
	refused = 0;
	shrink_slab(GFP_KERNEL, 0, NULL, 0);
	KUNIT_EXPECT_TRUE(test, may_leave);
	KUNIT_EXPECT_LT(test, refused, MANY_CALLS / 4);
	shrinker_free(shrinker);
}

static void test_reclaim_inside(struct kunit *test)
{
	zones_run(test, "limit=16M:background=off", asks_inside);
}

static struct kunit_case reclaim_threads_cases[] = {
	KUNIT_CASE(test_reclaim_threads),
	KUNIT_CASE(test_reclaim_beside_another),
	KUNIT_CASE(test_reclaim_inside),
	{ 0 },
};

static struct kunit_suite reclaim_threads_suite = {
	.name = "reclaim_threads",
	.test_cases = reclaim_threads_cases,
};

kunit_test_suite(reclaim_threads_suite);
