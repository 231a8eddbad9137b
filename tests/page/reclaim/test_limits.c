/* SPDX-License-Identifier: MIT */
/*
 * Limits that change while the process runs, and a memory cgroup that is nearly full. The cgroup is
 * made up of files; malloc/test_group has real ones.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/upward_hooks.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "os/report/process.h"
#include "page/budget.h"
#include "page/gfp.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/limits.h"
#include "page/reclaim/release.h"
#include "page/scopes.h"
#include "page/zone.h"
#include "support/child.h"
#include "support/system/group.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "support/zones.h"

#define JOB GROUP_V2 "/job"
#define BLOCK_BYTES (PAGE_SIZE << MAX_PAGE_ORDER)

static struct zone *zone(void)
{
	return zone_at(0, ZONE_NORMAL);
}

static void set_limit(struct kunit *test, unsigned long bytes)
{
	group_write_number(test, JOB "/memory.max", bytes);
}

static void set_usage(struct kunit *test, unsigned long bytes)
{
	group_write_number(test, JOB "/memory.current", bytes);
}

/* The library comes up in a cgroup with this limit, and asks again at every opportunity. */
static void begin(struct kunit *test, unsigned long limit)
{
	limits_known_ms = 0;
	group_begin(test, "0::/job\n");
	set_limit(test, limit);
	set_usage(test, 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, limit);
}

static void expect_budget(struct kunit *test, unsigned long bytes)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	KUNIT_EXPECT_EQ(test, stats.budget_bytes, bytes);
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, bytes);
	KUNIT_EXPECT_EQ(test, nodes_managed_pages(), bytes >> PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, budget_limit_bytes(), bytes);
}

/* --- Limits that change ------------------------------------------------------------------- */

/* Marks and pages of CPUs' lists are those of a zone that had this size from the start. */
static void expect_marks(struct kunit *test)
{
	unsigned long marks[NR_WMARK];
	int high_min = zone()->pcp_high_min, high_max = zone()->pcp_high_max;

	memcpy(marks, zone()->watermark, sizeof(marks));
	zones_set_watermarks();
	KUNIT_EXPECT_EQ(test, memcmp(marks, zone()->watermark, sizeof(marks)), 0);
	KUNIT_EXPECT_LT(test, marks[WMARK_HIGH], nodes_managed_pages());
	pcp_resize();
	KUNIT_EXPECT_EQ(test, zone()->pcp_high_min, high_min);
	KUNIT_EXPECT_EQ(test, zone()->pcp_high_max, high_max);
}

static void up_and_down(struct kunit *test, void *arg)
{
	static const unsigned int mib[] = { 512, 64, 256, 32, 128 };
	unsigned long low = 0;

	(void)arg;
	begin(test, 64 * MIB);
	for (unsigned int i = 0; i < ARRAY_SIZE(mib); i++) {
		set_limit(test, mib[i] * MIB);
		limits_refresh();
		expect_budget(test, mib[i] * MIB);
		expect_marks(test);
		KUNIT_EXPECT_NE_MSG(test, zone()->watermark[WMARK_LOW], low, "the marks follow");
		low = zone()->watermark[WMARK_LOW];
		zones_check_lists(test);
	}
	group_write(test, JOB "/memory.max", "max\n");
	limits_refresh();
	KUNIT_EXPECT_GT(test, mm_facts.budget_bytes, 512 * MIB);
	KUNIT_EXPECT_STREQ(test, mm_facts.budget_source, "RAM and swap");
	group_end(test);
}

/* How many blocks of the highest order can be had, up to `most`. They stay with the caller. */
static unsigned int take_blocks(struct page **blocks, unsigned int most)
{
	unsigned int nr = 0;

	while (nr < most && (blocks[nr] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER)))
		nr++;
	return nr;
}

static void free_blocks(struct page **blocks, unsigned int nr)
{
	while (nr)
		__free_pages(blocks[--nr], MAX_PAGE_ORDER);
}

/*
 * A request that would be refused notices that the limit has risen; a request also notices that it
 * has fallen.
 */
static void requests_notice(struct kunit *test, void *arg)
{
	static struct page *blocks[256];
	unsigned int nr, more;

	(void)arg;
	begin(test, 64 * MIB);
	nr = take_blocks(blocks, ARRAY_SIZE(blocks));
	KUNIT_EXPECT_GE(test, nr, 13);
	KUNIT_EXPECT_LE(test, nr, 16);
	set_limit(test, 128 * MIB);
	more = take_blocks(blocks + nr, ARRAY_SIZE(blocks) - nr);
	KUNIT_EXPECT_GE(test, nr + more, 29);
	KUNIT_EXPECT_LE(test, nr + more, 32);

	/* A limit below the memory in use: nothing is lost, and every request is refused. */
	set_limit(test, 32 * MIB);
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER));
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, 32 * MIB);
	KUNIT_EXPECT_GE(test, nodes_managed_pages() * PAGE_SIZE, (nr + more) * BLOCK_BYTES);
	for (unsigned int i = 0; i < nr + more; i++)
		memset(page_address(blocks[i]), (int)i, PAGE_SIZE);
	/* Freed memory first goes to the limit, before it can be allocated again. */
	free_blocks(blocks + 16, nr + more - 16);
	limits_refresh();
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER));
	free_blocks(blocks, 16);
	limits_refresh();
	limits_refresh();
	expect_budget(test, 32 * MIB);
	nr = take_blocks(blocks, ARRAY_SIZE(blocks));
	KUNIT_EXPECT_GE(test, nr, 6);
	KUNIT_EXPECT_LE(test, nr, 8);
	free_blocks(blocks, nr);
	drain_all_pages(NULL);
	KUNIT_EXPECT_EQ(test, zone()->free_pages, zone()->managed_pages);
	set_limit(test, 256 * MIB);
	limits_refresh();
	expect_budget(test, 256 * MIB);
	zones_check_lists(test);
	group_end(test);
}

/* A limit that the program has set stays what it was, above and below the cgroup's. */
static void own_limit(struct kunit *test, void *arg)
{
	(void)arg;
	begin(test, 128 * MIB);
	KUNIT_EXPECT_EQ(test, budget_set_limit(48 * MIB), 0);
	KUNIT_EXPECT_EQ(test, budget_limit_bytes(), 48 * MIB);
	set_limit(test, 256 * MIB);
	limits_refresh();
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, 256 * MIB);
	KUNIT_EXPECT_EQ(test, budget_limit_bytes(), 48 * MIB);
	set_limit(test, 32 * MIB);
	limits_refresh();
	KUNIT_EXPECT_EQ(test, budget_limit_bytes(), 32 * MIB);
	KUNIT_EXPECT_EQ(test, budget_set_limit(48 * MIB), -EINVAL);
	set_limit(test, 64 * MIB);
	limits_refresh();
	KUNIT_EXPECT_EQ(test, budget_limit_bytes(), 48 * MIB);
	KUNIT_EXPECT_EQ(test, budget_set_limit(64 * MIB), 0);
	KUNIT_EXPECT_EQ(test, nodes_free_pages(), 64 * MIB >> PAGE_SHIFT);
	set_limit(test, 96 * MIB);
	limits_refresh();
	expect_budget(test, 96 * MIB);
	group_end(test);
}

/* With limit= the budget is never more, and never less than a section. */
static void bounds(struct kunit *test, void *arg)
{
	const char *error;

	(void)arg;
	KUNIT_ASSERT_EQ(test, usermm_set_options("limit=96M", &error), 0);
	begin(test, 64 * MIB);
	set_limit(test, GIB);
	limits_refresh();
	expect_budget(test, 96 * MIB);
	KUNIT_EXPECT_STREQ(test, mm_facts.budget_source, "limit=");
	set_limit(test, PAGE_SIZE);
	limits_refresh();
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, SECTION_BYTES);
	group_end(test);
}

static void set_resource(struct kunit *test, int resource, unsigned long bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	/* Sets the limit as another process would, so that the library does not notice at once. */
	KUNIT_ASSERT_EQ(test, syscall(SYS_prlimit64, 0, resource, &limit, NULL), 0);
}

static void resources(struct kunit *test, void *arg)
{
	int resource = (int)(long)arg;

	limits_known_ms = 0;
	set_resource(test, resource, 400 * MIB);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, 400 * MIB);
	set_resource(test, resource, 1000 * MIB);
	limits_refresh();
	expect_budget(test, 1000 * MIB);
	KUNIT_EXPECT_EQ(test, mm_charge_limit(), 1000 * MIB);
	set_resource(test, resource, 200 * MIB);
	limits_refresh();
	expect_budget(test, 200 * MIB);
	KUNIT_EXPECT_STREQ(test, mm_facts.budget_source,
			   resource == RLIMIT_AS ? "RLIMIT_AS" : "RLIMIT_DATA");
	set_resource(test, resource, RLIM_INFINITY);
	limits_refresh();
	KUNIT_EXPECT_FALSE(test, mm_is_charged());
	KUNIT_EXPECT_GT(test, mm_facts.budget_bytes, 1000 * MIB);
}

/* The first RLIMIT_AS comes from outside: the reservation ends, and there is room for others. */
static void late_resource(struct kunit *test, void *arg)
{
	void *others;

	(void)arg;
	limits_known_ms = 0;
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_ASSERT_TRUE(test, mm_is_reserved());
	set_resource(test, RLIMIT_AS, 512 * MIB);
	KUNIT_EXPECT_NE(test, os_map(64 * MIB, os_page_bytes(), &others), 0);
	limits_refresh();
	KUNIT_EXPECT_FALSE(test, mm_is_reserved());
	KUNIT_EXPECT_EQ(test, os_map(64 * MIB, os_page_bytes(), &others), 0);
	expect_budget(test, 512 * MIB);
}

static void test_limits_follow(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, up_and_down, NULL);
	CHILD_EXPECT_SUCCESS(test, requests_notice, NULL);
	CHILD_EXPECT_SUCCESS(test, own_limit, NULL);
	CHILD_EXPECT_SUCCESS(test, bounds, NULL);
}

static void test_limits_resources(struct kunit *test)
{
	if (!ADDRESSES_MAY_BE_FEW)
		kunit_skip(test, "the sanitizer needs more than any limit");
	CHILD_EXPECT_SUCCESS(test, resources, (void *)(long)RLIMIT_AS);
	CHILD_EXPECT_SUCCESS(test, resources, (void *)(long)RLIMIT_DATA);
	CHILD_EXPECT_SUCCESS(test, late_resource, NULL);
}

/* --- Threads allocate meanwhile ------------------------------------------------------------- */

#define NR_THREADS 3
#define NR_CHANGES TEST_STEPS(300)

static bool stop;	/* Sync: atomic */


static void allocate(struct test_thread *thread)
{
	enum { NR = 24 };
	struct page *held[NR] = { NULL };
	unsigned int orders[NR] = { 0 };

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		unsigned int at = prng_below(&thread->prng, NR);

		if (held[at]) {
			unsigned long *first = page_address(held[at]);

			KUNIT_EXPECT_EQ(thread->test, *first, (unsigned long)held[at]);
			__free_pages(held[at], orders[at]);
			held[at] = NULL;
			continue;
		}
		orders[at] = prng_below(&thread->prng, 9);
		held[at] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, orders[at]);
		if (held[at])
			*(unsigned long *)page_address(held[at]) = (unsigned long)held[at];
	}
	for (unsigned int i = 0; i < NR; i++)
		if (held[i])
			__free_pages(held[i], orders[i]);
}

/* The first thread changes limit and usage while the others allocate. */
static void allocate_or_resize(struct test_thread *thread)
{
	if (thread->index) {
		allocate(thread);
		return;
	}
	for (unsigned int i = 0; i < NR_CHANGES; i++) {
		set_limit(thread->test, (4 + prng_below(&thread->prng, 60)) * MIB);
		set_usage(thread->test, prng_below(&thread->prng, 64) * MIB);
		limits_look(PAGE_SIZE);
		if (prng_below(&thread->prng, 4) == 0)
			budget_set_limit((4 + prng_below(&thread->prng, 32)) * MIB);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
}

static void under_threads(struct kunit *test, void *arg)
{
	(void)arg;
	begin(test, 64 * MIB);
	test_threads_run(test, NR_THREADS, allocate_or_resize, NULL);
	set_limit(test, 128 * MIB);
	set_usage(test, 0);
	limits_refresh();
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, 128 * MIB);
	KUNIT_EXPECT_EQ(test, budget_set_limit(128 * MIB), 0);
	drain_all_pages(NULL);
	expect_budget(test, 128 * MIB);
	KUNIT_EXPECT_EQ(test, nodes_free_pages(), nodes_managed_pages());
	zones_check_lists(test);
	KUNIT_EXPECT_GT(test, limits_counts.near, 0);
	group_end(test);
}

static void test_limits_threads(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, under_threads, NULL);
}

/* --- Near the limit ------------------------------------------------------------------------- */

static unsigned int nr_given_back, nr_unmapped;	/* calls of the keepers */

static unsigned long give_back(void)
{
	nr_given_back++;
	return 0;
}

static size_t decay(void)
{
	return 0;
}

static void unmap(size_t bytes)
{
	if (bytes == SIZE_MAX)
		nr_unmapped++;
}

/* Leaves `bytes` of free memory that was used, and no pages that still have to come. */
static void leave_dirty(struct kunit *test, unsigned long bytes)
{
	static struct page *blocks[64];
	unsigned int nr = (unsigned int)(bytes / BLOCK_BYTES);

	KUNIT_ASSERT_EQ(test, take_blocks(blocks, nr), nr);
	for (unsigned int i = 0; i < nr; i++)
		memset(page_address(blocks[i]), 1, BLOCK_BYTES);
	free_blocks(blocks, nr);
	drain_all_pages(NULL);
	KUNIT_ASSERT_EQ(test, zone()->dirty_pages, bytes >> PAGE_SHIFT);
	limits_counts = (struct limits_counts){ 0 };
	nr_given_back = nr_unmapped = 0;
}

static void near(struct kunit *test, void *arg)
{
	(void)arg;
	begin(test, 256 * MIB);
	release_set_keeper(give_back, decay);
	release_set_mappings(unmap, NULL);
	leave_dirty(test, 64 * MIB);

	/* Half of the limit is used: nothing happens. */
	set_usage(test, 128 * MIB);
	limits_look(PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, zone()->dirty_pages, 64 * MIB >> PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, limits_counts.asked, 1);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 0);
	KUNIT_EXPECT_FALSE(test, limits_are_near);

	/* 6 MiB are left and 16 MiB should be: as many bytes of free blocks go as are lacking. */
	set_usage(test, 250 * MIB);
	limits_look(PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 1);
	KUNIT_EXPECT_TRUE(test, limits_are_near);
	KUNIT_EXPECT_EQ(test, limits_counts.trimmed, 0);
	KUNIT_EXPECT_LE(test, zone()->dirty_pages, 54 * MIB >> PAGE_SHIFT);
	KUNIT_EXPECT_GE(test, zone()->dirty_pages, 48 * MIB >> PAGE_SHIFT);

	/* More is asked for than free blocks can give: all layers give back what they keep. */
	limits_look(60 * MIB);
	KUNIT_EXPECT_EQ(test, limits_counts.trimmed, 1);
	KUNIT_EXPECT_EQ(test, nr_given_back, 1);
	KUNIT_EXPECT_GE(test, nr_unmapped, 1);
	KUNIT_EXPECT_EQ(test, zone()->dirty_pages, 0);
	/* This takes some time, so it is not repeated at once. */
	limits_look(60 * MIB);
	limits_look(60 * MIB);
	KUNIT_EXPECT_LE(test, limits_counts.trimmed, 2);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 4);
	group_end(test);
}

static unsigned long give_back_much(void)
{
	nr_given_back++;
	return 4 * MIB >> PAGE_SHIFT;
}

/* With hardly anything left there is no pause between trims, as long as they are worth it. */
static void urgent(struct kunit *test, void *arg)
{
	(void)arg;
	begin(test, 256 * MIB);
	release_set_keeper(give_back_much, decay);
	set_usage(test, 255 * MIB);
	nr_given_back = 0;
	for (unsigned int i = 0; i < 5; i++)
		limits_look(PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, nr_given_back, 5);
	KUNIT_EXPECT_EQ(test, limits_counts.trimmed, 5);
	set_usage(test, 100 * MIB);
	limits_look(PAGE_SIZE);
	KUNIT_EXPECT_FALSE(test, limits_are_near);
	group_end(test);
}

/* memory.high and a parent's limit count as well; cached files count as room. */
static void near_others(struct kunit *test, void *arg)
{
	(void)arg;
	begin(test, 256 * MIB);
	leave_dirty(test, 64 * MIB);
	set_usage(test, 120 * MIB);
	limits_look(PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 0);
	group_write_number(test, JOB "/memory.high", 122 * MIB);
	limits_look(PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 1);
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, 256 * MIB);
	group_write(test, JOB "/memory.stat", "anon 1\ninactive_file 50000000\n");
	limits_look(PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 1);
	group_write_number(test, GROUP_V2 "/memory.max", 300 * MIB);
	group_write_number(test, GROUP_V2 "/memory.current", 299 * MIB);
	limits_look(PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 2);
	/* A mapping beyond the limit causes no trim: the program may use only a part of it. */
	group_write_number(test, GROUP_V2 "/memory.current", 100 * MIB);
	limits_look(GIB);
	KUNIT_EXPECT_EQ(test, limits_counts.near, 2);
	group_end(test);
}

/*
 * Requests look at the usage themselves, once they have taken as much as they may between two
 * looks.
 */
static void requests_look(struct kunit *test, void *arg)
{
	static struct page *blocks[16];

	(void)arg;
	begin(test, 256 * MIB);
	leave_dirty(test, 32 * MIB);
	limits_look(PAGE_SIZE);
	limits_counts.asked = 0;
	set_usage(test, 250 * MIB);
	KUNIT_EXPECT_EQ(test, take_blocks(blocks, 8), 8);
	KUNIT_EXPECT_EQ_MSG(test, limits_counts.asked, 0, "these have their memory");
	KUNIT_EXPECT_EQ(test, take_blocks(blocks + 8, 4), 4);
	KUNIT_EXPECT_GE_MSG(test, limits_counts.near, 2, "these take it from the system");
	free_blocks(blocks, 12);
	group_end(test);
}

/* Where a request must not wait, or give memory back. */
static void not_here(struct kunit *test, void *arg)
{
	static struct page *blocks[16];
	unsigned int scope;

	(void)arg;
	begin(test, 256 * MIB);
	leave_dirty(test, 32 * MIB);
	set_usage(test, 255 * MIB);
	scope = scopes_enter(SCOPE_NORECLAIM);
	limits_look(MIB);
	scopes_leave(SCOPE_NORECLAIM, scope);
	lock_acquire(&page_drain_lock);
	limits_look(MIB);
	limits_refresh();
	lock_release(&page_drain_lock);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = alloc_pages(GFP_NOWAIT, MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, limits_counts.followed, 0);
	KUNIT_EXPECT_EQ(test, limits_counts.asked, 0);
	process_forbid_files();
	limits_look(MIB);
	KUNIT_EXPECT_EQ(test, limits_counts.followed, 0);
	free_blocks(blocks, ARRAY_SIZE(blocks));
	group_end(test);
}

/* A fork child looks, though its parent's thread was looking when it forked. */
static void child_looks(struct kunit *test, void *arg)
{
	unsigned long before = limits_counts.followed;

	(void)arg;
	limits_refresh();
	KUNIT_EXPECT_EQ(test, limits_counts.followed, before + 1);
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, 128 * MIB);
}

static struct kunit *forking;	/* the test */

static unsigned long fork_in_the_middle(void)
{
	set_limit(forking, 128 * MIB);
	CHILD_EXPECT_SUCCESS(forking, child_looks, NULL);
	nr_given_back++;
	return 0;
}

static void forks(struct kunit *test, void *arg)
{
	(void)arg;
	begin(test, 256 * MIB);
	leave_dirty(test, 4 * MIB);
	forking = test;
	release_set_keeper(fork_in_the_middle, decay);
	set_usage(test, 255 * MIB);
	limits_look(MIB);
	KUNIT_EXPECT_EQ(test, nr_given_back, 1);
	group_end(test);
}

static void test_limits_near(struct kunit *test)
{
	if (os_page_bytes() > PAGE_SIZE << 4)
		kunit_skip(test, "free blocks are smaller than the system's pages");
	CHILD_EXPECT_SUCCESS(test, near, NULL);
	CHILD_EXPECT_SUCCESS(test, urgent, NULL);
	CHILD_EXPECT_SUCCESS(test, near_others, NULL);
	CHILD_EXPECT_SUCCESS(test, requests_look, NULL);
	CHILD_EXPECT_SUCCESS(test, not_here, NULL);
	CHILD_EXPECT_SUCCESS(test, forks, NULL);
}

/*
 * --- A system that refuses to take memory back
 * --------------------------------------------------------------------
 */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_REFUSE 1
static bool refuses;
static unsigned int nr_refused;

int madvise(void *addr, size_t length, int advice)
{
	if (!refuses)
		return (int)syscall(SYS_madvise, addr, length, advice);
	nr_refused++;
	errno = EAGAIN;
	return -1;
}
#else
#define CAN_REFUSE 0
static bool refuses;
static unsigned int nr_refused;
#endif

/* Nothing is lost if the system takes no memory back. */
static void refused(struct kunit *test, void *arg)
{
	static struct page *blocks[8];

	(void)arg;
	begin(test, 256 * MIB);
	leave_dirty(test, 32 * MIB);
	set_usage(test, 255 * MIB);
	refuses = true;
	limits_look(MIB);
	KUNIT_EXPECT_GT(test, nr_refused, 0);
	KUNIT_EXPECT_EQ(test, limits_counts.trimmed, 1);
	KUNIT_EXPECT_EQ(test, zone()->dirty_pages, 32 * MIB >> PAGE_SHIFT);
	zones_check_lists(test);
	KUNIT_EXPECT_EQ(test, take_blocks(blocks, 8), 8);
	free_blocks(blocks, 8);
	refuses = false;
	drain_all_pages(NULL);
	limits_look(MIB);
	KUNIT_EXPECT_LT(test, zone()->dirty_pages, 32 * MIB >> PAGE_SHIFT);
	zones_check_whole(test);
	group_end(test);
}

static void test_limits_refused(struct kunit *test)
{
	if (!CAN_REFUSE)
		kunit_skip(test, "the sanitizer has the function");
	CHILD_EXPECT_SUCCESS(test, refused, NULL);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(test_limits_follow),
	KUNIT_CASE(test_limits_resources),
	KUNIT_CASE(test_limits_threads),
	KUNIT_CASE(test_limits_near),
	KUNIT_CASE(test_limits_refused),
	{ 0 },
};

static struct kunit_suite limits_suite = {
	.name = "limits",
	.test_cases = limits_cases,
};

kunit_test_suite(limits_suite);
