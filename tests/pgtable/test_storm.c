/* SPDX-License-Identifier: MIT */
/*
 * A storm of fork, exec and exit: threads that each have a few address spaces, copy them,
 * write to the copies and end them, all on the same quicklists. The translation of each address is
 * known, and an independent walker compares it.
 */
#include "support/kernel.h"
#include "support/prng.h"
#include "support/threads.h"
#include "support/zones.h"
#include "walker.h"

#define THREADS 4
#define SPACES 6
#define REGIONS 4
#define REGION_PAGES 12
#define PAGES (REGIONS * REGION_PAGES)
#define KERNEL_ENTRY 300
#define RW_USER (PGTABLE_RW | PGTABLE_USER)

struct space {
	struct pgtable mm;
	bool live;
	uint64_t frame[PAGES];		/* 0: not mapped */
	bool cow[PAGES];
};

struct storm {
	struct space spaces[SPACES];
	uint64_t next_frame;
	struct test_thread *thread;
};

/* The regions lie across borders of tables, of all levels. */
static uint64_t address_of(unsigned int page)
{
	static const uint64_t starts[REGIONS] = {
		0x400000 - 6 * PAGE_SIZE, 0x40000000 - 6 * PAGE_SIZE,
		0x8000000000 - 6 * PAGE_SIZE, PGTABLE_USER_END - REGION_PAGES * PAGE_SIZE,
	};

	return starts[page / REGION_PAGES] + page % REGION_PAGES * PAGE_SIZE;
}

static void check_space(struct storm *storm, const struct space *space)
{
	struct kunit *test = storm->thread->test;

	for (unsigned int i = 0; i < PAGES; i++) {
		struct walker_result walked = { 0 };
		bool found = walker_translate(space->mm.pgd, address_of(i), &walked);

		KUNIT_ASSERT_EQ_MSG(test, found, space->frame[i] != 0, "page %u", i);
		if (!found)
			continue;
		KUNIT_ASSERT_EQ(test, walked.physical, space->frame[i]);
		KUNIT_ASSERT_EQ(test, walked.writable, !space->cow[i]);
	}
}

/* A first touch, or the first write to what is shared with a copy. */
static void touch(struct storm *storm, struct space *space, unsigned int page)
{
	struct kunit *test = storm->thread->test;
	uint64_t frame = ++storm->next_frame * PAGE_SIZE;

	if (!space->frame[page])
		KUNIT_ASSERT_EQ(test, pgtable_map(&space->mm, address_of(page), frame, PAGE_SIZE,
						  RW_USER, false, GFP_KERNEL), 0);
	else if (space->cow[page])
		KUNIT_ASSERT_EQ(test, pgtable_break_cow(&space->mm, address_of(page), frame,
							GFP_KERNEL), 0);
	else
		return;
	space->frame[page] = frame;
	space->cow[page] = false;
}

static void touch_some(struct storm *storm, struct space *space)
{
	for (unsigned int nr = 1 + prng_below(&storm->thread->prng, 10); nr--;)
		touch(storm, space, prng_below(&storm->thread->prng, PAGES));
}

static void begin(struct storm *storm, struct space *space)
{
	memset(space, 0, sizeof(*space));
	KUNIT_ASSERT_EQ(storm->thread->test,
			pgtable_init(&space->mm, &pgtable_quicklist_pages, GFP_KERNEL), 0);
	space->live = true;
	touch_some(storm, space);
}

static void end(struct storm *storm, struct space *space)
{
	check_space(storm, space);
	pgtable_exit(&space->mm);
	pgtable_trim();
	space->live = false;
}

static void fork_to(struct storm *storm, struct space *child, struct space *parent)
{
	for (unsigned int i = 0; i < PAGES; i++)
		parent->cow[i] = parent->frame[i] != 0;
	*child = *parent;
	KUNIT_ASSERT_EQ(storm->thread->test, pgtable_copy(&child->mm, &parent->mm, GFP_KERNEL), 0);
	touch_some(storm, prng_below(&storm->thread->prng, 2) ? child : parent);
	check_space(storm, parent);
}

static void unmap_region(struct storm *storm, struct space *space)
{
	unsigned int first = prng_below(&storm->thread->prng, REGIONS) * REGION_PAGES;

	KUNIT_ASSERT_EQ(storm->thread->test,
			pgtable_unmap(&space->mm, address_of(first), REGION_PAGES * PAGE_SIZE,
				      GFP_KERNEL), 0);
	memset(&space->frame[first], 0, REGION_PAGES * sizeof(space->frame[0]));
	memset(&space->cow[first], 0, REGION_PAGES * sizeof(space->cow[0]));
	pgtable_flush(&space->mm);
	pgtable_trim();
}

static struct space *random_space(struct storm *storm)
{
	return &storm->spaces[prng_below(&storm->thread->prng, SPACES)];
}

static void step(struct storm *storm)
{
	struct space *space = random_space(storm), *other = random_space(storm);

	if (!space->live) {
		begin(storm, space);
		return;
	}
	switch (prng_below(&storm->thread->prng, 6)) {
	case 0:
	case 1:
		if (other->live)
			break;
		fork_to(storm, other, space);
		if (!prng_below(&storm->thread->prng, 3))
			break;
		/* And exec: the copy ends at once. */
		end(storm, other);
		begin(storm, other);
		break;
	case 2:
		unmap_region(storm, space);
		break;
	case 3:
		end(storm, space);
		break;
	default:
		touch_some(storm, space);
	}
}

static void storm_thread(struct test_thread *thread)
{
	struct storm *storm = (struct storm *)thread->arg + thread->index;

	storm->thread = thread;
	for (unsigned int i = 0; i < TEST_STEPS(8000); i++) {
		step(storm);
		/* Meanwhile the kernel's half changes in all there are. */
		if (thread->index == 0 && i % 16 == 0)
			KUNIT_ASSERT_EQ(thread->test, pgtable_set_kernel_entry(KERNEL_ENTRY, i), 0);
	}
	for (unsigned int i = 0; i < SPACES; i++)
		if (storm->spaces[i].live)
			end(storm, &storm->spaces[i]);
}

/* Every table is back, and those on the lists are in their state. */
static void check_nothing_is_lost(struct kunit *test)
{
	struct quicklist_stats pgd, pt;
	struct pgtable mm;

	pgtable_quicklist_stats(PGTABLE_PGD, &pgd);
	pgtable_quicklist_stats(PGTABLE_PTE, &pt);
	KUNIT_EXPECT_EQ(test, pgd.pages, pgd.misses - pgd.returned);
	KUNIT_EXPECT_EQ(test, pgd.pages, pgd.ctors - pgd.dtors);
	KUNIT_EXPECT_EQ(test, pgd.pages, pgtable_nr_pgds());
	KUNIT_EXPECT_EQ(test, pt.pages, pt.misses - pt.returned);
	KUNIT_EXPECT_GT(test, pt.pages, 0);
	KUNIT_ASSERT_EQ(test, pgtable_set_kernel_entry(KERNEL_ENTRY, 0xabc067), 0);
	for (unsigned int i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, pgtable_init(&mm, &pgtable_quicklist_pages, GFP_KERNEL), 0);
		for (unsigned int entry = 0; entry < PGTABLE_ENTRIES; entry++)
			KUNIT_ASSERT_EQ(test, mm.pgd[entry], entry == KERNEL_ENTRY ? 0xabc067 : 0);
		pgtable_exit(&mm);
	}
}

static void run_storm(struct kunit *test)
{
	static struct storm storms[THREADS];

	test_unpin();
	test_threads_run(test, THREADS, storm_thread, storms);
	check_nothing_is_lost(test);
}

static void test_storm(struct kunit *test)
{
	zones_run(test, "quicklist_debug=off", run_storm);
}

/* The same with every table verified on its way to a list and from it. */
static void test_verified_storm(struct kunit *test)
{
	zones_run(test, "quicklist_debug=verify", run_storm);
}

/* The same with two nodes, so that threads which have moved give tables of another node back. */
static void test_storm_on_nodes(struct kunit *test)
{
	zones_run(test, "nodes=2:limit=32M", run_storm);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_SLOW(test_storm),
	KUNIT_CASE_SLOW(test_verified_storm),
	KUNIT_CASE_SLOW(test_storm_on_nodes),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "pgtable-storm",
	.test_cases = cases,
};

kunit_test_suite(suite);
