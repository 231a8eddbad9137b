/* SPDX-License-Identifier: MIT */
/* Page tables: an impossible call returns an error code, and never changes anything. */
#include <errno.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "walker.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)
#define RW_USER (PGTABLE_RW | PGTABLE_USER)

/* --- Pages that look at an address space whenever a table is wanted. ------------------ */

static struct {
	const struct pgtable *mm;	/* NULL: do not look */
	uint64_t address, end;		/* no page of this range may be mapped, except one */
	uint64_t mapped;
	unsigned long seen, calls;
	long left;			/* tables until there are no more; -1: no end */
	long out;
} watched;

static void look(void)
{
	struct walker_result walked;

	for (uint64_t at = watched.address; watched.mm && at < watched.end; at += PAGE_SIZE)
		watched.seen += at != watched.mapped &&
				walker_translate(watched.mm->pgd, at, &walked);
}

static void *watched_alloc(enum pgtable_level level, gfp_t gfp)
{
	void *table = NULL;

	watched.calls++;
	look();
	if (watched.left)
		table = pgtable_quicklist_pages.alloc(level, gfp);
	watched.left -= watched.left > 0;
	watched.out += !!table;
	return table;
}

static void watched_free(enum pgtable_level level, void *table)
{
	look();
	watched.out--;
	pgtable_quicklist_pages.free(level, table);
}

static const struct pgtable_pages watched_pages = { watched_alloc, watched_free };

static int start_case(struct kunit *test)
{
	(void)test;
	test_pin(0);
	memset(&watched, 0, sizeof(watched));
	watched.left = -1;
	return 0;
}

static void must_init(struct kunit *test, struct pgtable *mm)
{
	KUNIT_ASSERT_EQ(test, pgtable_init(mm, &watched_pages, GFP_KERNEL), 0);
}

static void must_map(struct kunit *test, struct pgtable *mm, uint64_t address, uint64_t bytes)
{
	KUNIT_ASSERT_EQ(test, pgtable_map(mm, address, address, bytes, RW_USER, true, GFP_KERNEL),
			0);
}

static void watch(const struct pgtable *mm, uint64_t address, uint64_t end, uint64_t mapped)
{
	watched.address = address;
	watched.end = end;
	watched.mapped = mapped;
	watched.seen = watched.calls = 0;
	watched.mm = mm;
}

static void must_exit(struct kunit *test, struct pgtable *mm)
{
	watched.mm = NULL;
	pgtable_exit(mm);
	KUNIT_EXPECT_EQ(test, watched.out, 0);
}

/* --- Ranges that overlap. --------------------------------------------------------------- */

/* One page in the way, at the first, the last and other places of the range. */
static void test_overlap_changes_nothing(struct kunit *test)
{
	const uint64_t first = GIB - 2 * MIB, end = GIB + 2 * MIB;
	const uint64_t places[] = { first, first + PAGE_SIZE, GIB - PAGE_SIZE, GIB, GIB + MIB,
				    end - PAGE_SIZE };

	for (unsigned int i = 0; i < ARRAY_SIZE(places); i++) {
		struct pgtable mm;
		long out;

		must_init(test, &mm);
		must_map(test, &mm, places[i], PAGE_SIZE);
		/* Tables of the range that are there already, as far as they may be. */
		must_map(test, &mm, first - PAGE_SIZE, PAGE_SIZE);
		must_map(test, &mm, end, PAGE_SIZE);
		out = watched.out;
		watch(&mm, first, end, places[i]);
		for (unsigned int huge = 0; huge < 2; huge++)
			KUNIT_EXPECT_EQ(test, pgtable_map(&mm, first, 8 * GIB + first, end - first,
							  RW_USER, huge, GFP_KERNEL), -EEXIST);
		look();
		KUNIT_EXPECT_EQ_MSG(test, watched.seen, 0, "place %u", i);
		KUNIT_EXPECT_EQ(test, watched.out, out);
		KUNIT_EXPECT_EQ(test, mm.nr_unflushed, 0);
		KUNIT_EXPECT_EQ(test, mm.mapped_bytes, 3 * PAGE_SIZE);
		must_exit(test, &mm);
	}
}

static void test_huge_entry_is_in_the_way(struct kunit *test)
{
	struct pgtable mm;

	must_init(test, &mm);
	must_map(test, &mm, GIB, GIB);
	must_map(test, &mm, 4 * MIB, 2 * MIB);
	KUNIT_EXPECT_EQ(test, mm.nr_tables[PGTABLE_PTE], 0);
	for (unsigned int huge = 0; huge < 2; huge++) {
		KUNIT_EXPECT_EQ(test, pgtable_map(&mm, GIB + 77 * PAGE_SIZE, 0, PAGE_SIZE, RW_USER,
						  huge, GFP_KERNEL), -EEXIST);
		KUNIT_EXPECT_EQ(test, pgtable_map(&mm, 0, 0, 3 * GIB, RW_USER, huge, GFP_KERNEL),
				-EEXIST);
		KUNIT_EXPECT_EQ(test, pgtable_map(&mm, 5 * MIB, 0, 2 * MIB, RW_USER, huge,
						  GFP_KERNEL), -EEXIST);
	}
	KUNIT_EXPECT_EQ(test, mm.mapped_bytes, GIB + 2 * MIB);
	KUNIT_EXPECT_EQ(test, mm.nr_tables[PGTABLE_PTE], 0);
	must_exit(test, &mm);
}

/* If memory runs out half way, a thread that walks meanwhile does not see the first half. */
static void test_no_memory_half_way(struct kunit *test)
{
	const uint64_t first = GIB - 2 * MIB, end = GIB + 4 * MIB;
	struct pgtable mm;
	int error = -ENOMEM;

	must_init(test, &mm);
	must_map(test, &mm, first - PAGE_SIZE, 2 * PAGE_SIZE);
	watch(&mm, first, end, first);
	for (long tables = 0; error; tables++) {
		long out = watched.out;

		watched.left = tables;
		KUNIT_ASSERT_LT(test, tables, 10);
		error = pgtable_map(&mm, first + PAGE_SIZE, 0, end - first - PAGE_SIZE, RW_USER,
				    false, GFP_KERNEL);
		KUNIT_EXPECT_EQ(test, watched.seen, 0);
		if (!error)
			break;
		KUNIT_EXPECT_EQ(test, error, -ENOMEM);
		KUNIT_EXPECT_EQ(test, watched.out, out);
		KUNIT_EXPECT_EQ(test, mm.nr_unflushed, 0);
	}
	KUNIT_EXPECT_GE(test, watched.calls, 3);
	KUNIT_EXPECT_EQ(test, mm.mapped_bytes, end - first + PAGE_SIZE);
	watched.left = -1;
	must_exit(test, &mm);
}

/* --- Wrong address spaces. -------------------------------------------------------- */

static int never_visit(const struct pgtable_leaf *leaf, void *arg)
{
	(void)leaf;
	(void)arg;
	return 1;
}

static void test_address_space_that_is_over(struct kunit *test)
{
	struct pgtable mm, other;
	struct pgtable_leaf leaf;

	must_init(test, &mm);
	must_map(test, &mm, GIB, PAGE_SIZE);
	must_exit(test, &mm);
	KUNIT_EXPECT_EQ(test, pgtable_map(&mm, 0, 0, PAGE_SIZE, 0, false, GFP_KERNEL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pgtable_unmap(&mm, GIB, PAGE_SIZE, GFP_KERNEL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pgtable_protect(&mm, GIB, PAGE_SIZE, 0, PGTABLE_RW, GFP_KERNEL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, pgtable_break_cow(&mm, GIB, 0, GFP_KERNEL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pgtable_walk(&mm, 0, PGTABLE_USER_END, never_visit, NULL), -EINVAL);
	KUNIT_EXPECT_FALSE(test, pgtable_lookup(&mm, GIB, &leaf));
	KUNIT_EXPECT_EQ(test, pgtable_copy(&other, &mm, GFP_KERNEL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pgtable_flush(&mm), 0);
	pgtable_exit(&mm);
	KUNIT_EXPECT_EQ(test, watched.out, 0);
}

static void test_address_space_that_never_was(struct kunit *test)
{
	struct pgtable mm, parent;

	KUNIT_EXPECT_EQ(test, pgtable_init(&mm, NULL, GFP_KERNEL), -EINVAL);
	pgtable_exit(&mm);
	watched.left = 0;
	KUNIT_EXPECT_EQ(test, pgtable_init(&mm, &watched_pages, GFP_KERNEL), -ENOMEM);
	KUNIT_EXPECT_EQ(test, pgtable_map(&mm, 0, 0, PAGE_SIZE, 0, false, GFP_KERNEL), -EINVAL);
	pgtable_exit(&mm);
	watched.left = -1;
	must_init(test, &parent);
	must_map(test, &parent, GIB, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, pgtable_copy(&parent, &parent, GFP_KERNEL), -EINVAL);
	KUNIT_EXPECT_EQ(test, parent.mapped_bytes, PAGE_SIZE);
	must_exit(test, &parent);
}

/* --- Wrong pages. --------------------------------------------------------------- */

static uint64_t foreign_table[PGTABLE_ENTRIES];

static void *alloc_foreign(enum pgtable_level level, gfp_t gfp)
{
	return level == PGTABLE_PMD ? foreign_table : pgtable_plain_pages.alloc(level, gfp);
}

static void map_by_foreign_pages(struct kunit *test, void *arg)
{
	const struct pgtable_pages pages = { alloc_foreign, pgtable_plain_pages.free };
	struct pgtable mm;

	(void)arg;
	if (pgtable_init(&mm, &pages, GFP_KERNEL))
		return;
	must_map(test, &mm, 0, PAGE_SIZE);
}

static void test_table_that_is_no_page(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, map_by_foreign_pages, NULL, "usermm: pgtable: ",
			   child_hex(foreign_table));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_overlap_changes_nothing),
	KUNIT_CASE(test_huge_entry_is_in_the_way),
	KUNIT_CASE(test_no_memory_half_way),
	KUNIT_CASE(test_address_space_that_is_over),
	KUNIT_CASE(test_address_space_that_never_was),
	KUNIT_CASE(test_table_that_is_no_page),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "pgtable-bad-input",
	.init = start_case,
	.test_cases = cases,
};

kunit_test_suite(suite);
