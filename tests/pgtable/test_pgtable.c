/* SPDX-License-Identifier: MIT */
/* Page tables against an array of translations, and as an independent walker reads them. */
#include <errno.h>

#include "support/kernel.h"
#include "support/prng.h"
#include "support/threads.h"
#include "walker.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)
#define RW_USER (PGTABLE_RW | PGTABLE_USER)

/* --- Pages that end after so many; how many are out. ------------------------ */

static struct {
	const struct pgtable_pages *from;
	long left;			/* -1: no end */
	long out[NR_PGTABLE_LEVELS];
} counted;

static void *counted_alloc(enum pgtable_level level, gfp_t gfp)
{
	void *table;

	if (!counted.left)
		return NULL;
	counted.left -= counted.left > 0;
	table = counted.from->alloc(level, gfp);
	counted.out[level] += !!table;
	return table;
}

static void counted_free(enum pgtable_level level, void *table)
{
	counted.out[level]--;
	counted.from->free(level, table);
}

static const struct pgtable_pages counted_pages = { counted_alloc, counted_free };

static long nr_out(void)
{
	return counted.out[0] + counted.out[1] + counted.out[2] + counted.out[3];
}

static int start_case(struct kunit *test)
{
	(void)test;
	test_pin(0);
	counted.from = &pgtable_quicklist_pages;
	counted.left = -1;
	return nr_out();
}

static void must_init(struct kunit *test, struct pgtable *mm)
{
	KUNIT_ASSERT_EQ(test, pgtable_init(mm, &counted_pages, GFP_KERNEL), 0);
}

/* A table goes back as it came, so the next one of each list is in its state. */
static void check_states(struct kunit *test)
{
	for (enum pgtable_level level = PGTABLE_PTE; level < NR_PGTABLE_LEVELS; level++) {
		uint64_t *table = counted.from->alloc(level, GFP_KERNEL), sum = 0;

		KUNIT_ASSERT_NOT_NULL(test, table);
		for (unsigned int i = 0; i < (level == PGTABLE_PGD ? 256 : 512); i++)
			sum |= table[i];
		KUNIT_EXPECT_EQ_MSG(test, sum, 0, "level %d", level);
		counted.from->free(level, table);
	}
}

static void must_exit(struct kunit *test, struct pgtable *mm)
{
	pgtable_exit(mm);
	KUNIT_EXPECT_EQ(test, nr_out(), 0);
	check_states(test);
}

/* --- A model: so many pages from BASE on, each with its translation. -------- */

#define BASE (0x7f00ull * GIB / 16 - 3 * MIB)	/* not aligned to any huge entry */
#define MODEL_PAGES 2560			/* 10 MiB: five pmd entries */

struct model {
	uint64_t entry[MODEL_PAGES];		/* physical | flags; 0: not mapped */
};

static struct model *new_model(struct kunit *test)
{
	struct model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, model);
	return model;
}

static void check_page(struct kunit *test, const struct pgtable *mm, uint64_t address,
		       uint64_t expected)
{
	struct walker_result walked = { 0 };
	struct pgtable_leaf leaf;
	bool found = walker_translate(mm->pgd, address, &walked);

	KUNIT_ASSERT_EQ_MSG(test, found, expected != 0, "%#lx", (unsigned long)address);
	KUNIT_ASSERT_EQ(test, pgtable_lookup(mm, address, &leaf), found);
	if (!found)
		return;
	KUNIT_ASSERT_EQ(test, walked.physical, expected & PGTABLE_ADDRESS_MASK);
	KUNIT_ASSERT_EQ(test, walked.writable, !!(expected & PGTABLE_RW));
	KUNIT_ASSERT_EQ(test, walked.user, !!(expected & PGTABLE_USER));
	KUNIT_ASSERT_EQ(test, walked.executable, !(expected & PGTABLE_NX));
	KUNIT_ASSERT_EQ(test, leaf.physical + (address - leaf.address), walked.physical);
	KUNIT_ASSERT_EQ(test, leaf.flags, (expected & PGTABLE_FLAGS) | PGTABLE_PRESENT);
}

static void check_model(struct kunit *test, const struct pgtable *mm, const struct model *model)
{
	unsigned long mapped = 0;

	for (unsigned int i = 0; i < MODEL_PAGES; i++) {
		check_page(test, mm, BASE + i * PAGE_SIZE, model->entry[i]);
		mapped += model->entry[i] ? PAGE_SIZE : 0;
	}
	KUNIT_ASSERT_EQ(test, mm->mapped_bytes, mapped);
}

struct range {
	unsigned int first, nr;
};

/* Mostly small, at times from huge border to huge border. */
static struct range random_range(struct prng *prng)
{
	struct range range;

	range.first = prng_below(prng, MODEL_PAGES);
	range.nr = 1 + prng_below(prng, prng_below(prng, 4) ? 20 : 1200);
	if (prng_one_in(prng, 4)) {
		/* BASE is 3 MiB below such a border, or 1 MiB, counted in 2 MiB. */
		range.first = 256 + 512 * prng_below(prng, 4);
		range.nr = 512 * (1 + prng_below(prng, 3));
	}
	if (range.first >= MODEL_PAGES)
		range.first = MODEL_PAGES - 1;
	if (range.nr > MODEL_PAGES - range.first)
		range.nr = MODEL_PAGES - range.first;
	return range;
}

static const uint64_t some_flags[] = {
	RW_USER, PGTABLE_USER, RW_USER | PGTABLE_NX, PGTABLE_RW | PGTABLE_GLOBAL,
	RW_USER | PGTABLE_SHARED, RW_USER | PGTABLE_DIRTY | PGTABLE_ACCESSED,
};

static void random_map(struct kunit *test, struct prng *prng, struct pgtable *mm,
		       struct model *model)
{
	struct range range = random_range(prng);
	uint64_t address = BASE + range.first * PAGE_SIZE;
	uint64_t flags = some_flags[prng_below(prng, ARRAY_SIZE(some_flags))];
	/* Half of the time 2 MiB pages fit. */
	uint64_t physical = (prng_below(prng, 1000) << 30) + address % (4 * MIB) +
			    (prng_below(prng, 2) ? PAGE_SIZE : 0);
	bool taken = false;
	int error;

	for (unsigned int i = range.first; i < range.first + range.nr; i++)
		taken |= model->entry[i] != 0;
	error = pgtable_map(mm, address, physical, range.nr * PAGE_SIZE, flags,
			    prng_below(prng, 2), GFP_KERNEL);
	if (error == -ENOMEM && counted.left == 0)
		return;
	KUNIT_ASSERT_EQ(test, error, taken ? -EEXIST : 0);
	if (error)
		return;
	for (unsigned int i = 0; i < range.nr; i++)
		model->entry[range.first + i] = (physical + i * PAGE_SIZE) | flags;
}

static void random_unmap(struct kunit *test, struct prng *prng, struct pgtable *mm,
			 struct model *model)
{
	struct range range = random_range(prng);
	int error = pgtable_unmap(mm, BASE + range.first * PAGE_SIZE, range.nr * PAGE_SIZE,
				  GFP_KERNEL);

	if (error == -ENOMEM && counted.left == 0)
		return;
	KUNIT_ASSERT_EQ(test, error, 0);
	memset(&model->entry[range.first], 0, range.nr * sizeof(model->entry[0]));
}

static void random_protect(struct kunit *test, struct prng *prng, struct pgtable *mm,
			   struct model *model)
{
	struct range range = random_range(prng);
	uint64_t set = prng_below(prng, 2) ? PGTABLE_NX : 0;
	uint64_t clear = prng_below(prng, 2) ? PGTABLE_RW : PGTABLE_GLOBAL;
	int error = pgtable_protect(mm, BASE + range.first * PAGE_SIZE, range.nr * PAGE_SIZE,
				    set, clear, GFP_KERNEL);

	if (error == -ENOMEM && counted.left == 0)
		return;
	KUNIT_ASSERT_EQ(test, error, 0);
	for (unsigned int i = range.first; i < range.first + range.nr; i++)
		if (model->entry[i])
			model->entry[i] = (model->entry[i] & ~clear) | set;
}

static void random_operation(struct kunit *test, struct prng *prng, struct pgtable *mm,
			     struct model *model)
{
	switch (prng_below(prng, 5)) {
	case 0:
	case 1:
		random_map(test, prng, mm, model);
		break;
	case 2:
		random_protect(test, prng, mm, model);
		break;
	default:
		random_unmap(test, prng, mm, model);
	}
	if (!prng_below(prng, 8))
		pgtable_flush(mm);
}

static void test_random_operations(struct kunit *test)
{
	struct prng prng = { 0x70617467 };
	struct model *model = new_model(test);
	struct pgtable mm;

	must_init(test, &mm);
	for (unsigned int i = 0; i < 3000; i++) {
		random_operation(test, &prng, &mm, model);
		if (i % 16 == 0)
			check_model(test, &mm, model);
	}
	check_model(test, &mm, model);
	must_exit(test, &mm);
}

/* With every n-th table refused, an operation fails whole or not at all. */
static void test_random_operations_without_memory(struct kunit *test)
{
	struct prng prng = { 0x6e6f6d65 };
	struct model *model = new_model(test);
	struct pgtable mm;

	must_init(test, &mm);
	for (unsigned int i = 0; i < 2000; i++) {
		counted.left = (long)prng_below(&prng, 4);
		random_operation(test, &prng, &mm, model);
		if (i % 8 == 0)
			check_model(test, &mm, model);
	}
	counted.left = -1;
	must_exit(test, &mm);
}

/* A large mapping refused at the n-th table leaves no table behind, for every n. */
static void test_map_fails_at_each_table(struct kunit *test)
{
	uint64_t address = 511 * GIB, bytes = 2 * GIB + 6 * MIB;
	unsigned long held;
	struct pgtable mm;
	long n = 0;
	int error;

	must_init(test, &mm);
	KUNIT_ASSERT_EQ(test, pgtable_map(&mm, 0, 0, PAGE_SIZE, RW_USER, false, GFP_KERNEL), 0);
	held = (unsigned long)nr_out();
	do {
		counted.left = n++;
		error = pgtable_map(&mm, address, PAGE_SIZE, bytes, RW_USER, false, GFP_KERNEL);
		if (error) {
			KUNIT_ASSERT_EQ(test, error, -ENOMEM);
			KUNIT_ASSERT_EQ(test, mm.mapped_bytes, PAGE_SIZE);
			pgtable_flush(&mm);
			KUNIT_ASSERT_EQ(test, (unsigned long)nr_out(), held);
		}
	} while (error);
	/* 1027 tables of ptes, 3 of pmds, and the second of puds: 2 GiB across its border. */
	KUNIT_EXPECT_EQ(test, n - 1, 1027 + 3 + 1);
	counted.left = -1;
	must_exit(test, &mm);
}

/* --- Single rules. ------------------------------------------------------------ */

static void test_bad_ranges(struct kunit *test)
{
	static const struct { uint64_t address, physical, bytes, flags; } bad[] = {
		{ 1, 0, PAGE_SIZE, 0 }, { 0, 1, PAGE_SIZE, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 0 },
		{ PGTABLE_USER_END, 0, PAGE_SIZE, 0 },
		{ PGTABLE_USER_END - PAGE_SIZE, 0, 2 * PAGE_SIZE, 0 },
		{ PAGE_SIZE, 0, -PAGE_SIZE, 0 }, { ~0xfffull, 0, PAGE_SIZE, 0 },
		{ 0, 1ull << 52, PAGE_SIZE, 0 }, { 0, (1ull << 52) - PAGE_SIZE, 2 * PAGE_SIZE, 0 },
		{ 0, 0, PAGE_SIZE, PGTABLE_PRESENT }, { 0, 0, PAGE_SIZE, PGTABLE_PSE },
		{ 0, 0, PAGE_SIZE, 1ull << 11 },
	};
	struct pgtable mm;

	must_init(test, &mm);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, pgtable_map(&mm, bad[i].address, bad[i].physical,
						      bad[i].bytes, bad[i].flags, true,
						      GFP_KERNEL), -EINVAL, "row %u", i);
		if (!bad[i].physical && !bad[i].flags)
			KUNIT_EXPECT_EQ(test, pgtable_unmap(&mm, bad[i].address, bad[i].bytes,
							    GFP_KERNEL), -EINVAL);
	}
	KUNIT_EXPECT_EQ(test, pgtable_protect(&mm, 0, PAGE_SIZE, PGTABLE_PSE, 0, GFP_KERNEL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, pgtable_break_cow(&mm, 0, 0, GFP_KERNEL), -ENOENT);
	KUNIT_EXPECT_EQ(test, mm.mapped_bytes, 0);
	KUNIT_EXPECT_EQ(test, nr_out(), 1);
	/* The last page and the last frame are good. */
	KUNIT_EXPECT_EQ(test, pgtable_map(&mm, PGTABLE_USER_END - PAGE_SIZE,
					  (1ull << 52) - PAGE_SIZE, PAGE_SIZE, 0, true,
					  GFP_KERNEL), 0);
	must_exit(test, &mm);
}

/* As large as alignment allows, on both sides. */
static void test_huge_entries(struct kunit *test)
{
	struct pgtable_leaf leaf;
	struct pgtable mm;

	must_init(test, &mm);
	KUNIT_ASSERT_EQ(test, 0, pgtable_map(&mm, GIB - 2 * MIB - PAGE_SIZE,
					     5 * GIB - 2 * MIB - PAGE_SIZE,
					     GIB + 4 * MIB + 2 * PAGE_SIZE, RW_USER, true,
					     GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, mm.nr_tables[PGTABLE_PTE], 2);
	KUNIT_EXPECT_EQ(test, mm.nr_tables[PGTABLE_PMD], 2);
	KUNIT_ASSERT_TRUE(test, pgtable_lookup(&mm, GIB + 12345, &leaf));
	KUNIT_EXPECT_EQ(test, leaf.bytes, GIB);
	KUNIT_EXPECT_EQ(test, leaf.physical, 5 * GIB);
	KUNIT_ASSERT_TRUE(test, pgtable_lookup(&mm, GIB - 1, &leaf));
	KUNIT_EXPECT_EQ(test, leaf.bytes, 2 * MIB);
	KUNIT_ASSERT_TRUE(test, pgtable_lookup(&mm, GIB - 2 * MIB - 1, &leaf));
	KUNIT_EXPECT_EQ(test, leaf.bytes, PAGE_SIZE);
	/* A hole of one page in the 1 GiB entry: one table of each kind more. */
	KUNIT_ASSERT_EQ(test, pgtable_unmap(&mm, GIB + 7 * PAGE_SIZE, PAGE_SIZE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, mm.nr_tables[PGTABLE_PTE], 3);
	KUNIT_EXPECT_EQ(test, mm.nr_tables[PGTABLE_PMD], 3);
	check_page(test, &mm, GIB + 6 * PAGE_SIZE, (5 * GIB + 6 * PAGE_SIZE) | RW_USER);
	check_page(test, &mm, GIB + 7 * PAGE_SIZE, 0);
	check_page(test, &mm, GIB + 8 * PAGE_SIZE, (5 * GIB + 8 * PAGE_SIZE) | RW_USER);
	check_page(test, &mm, 2 * GIB - PAGE_SIZE, (6 * GIB - PAGE_SIZE) | RW_USER);
	must_exit(test, &mm);
}

/* Nothing goes back before the flush. */
static void test_tables_wait_for_flush(struct kunit *test)
{
	struct pgtable mm;

	must_init(test, &mm);
	KUNIT_ASSERT_EQ(test, pgtable_map(&mm, 4 * GIB, 0, PAGE_SIZE, RW_USER, false,
					  GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, nr_out(), 4);
	KUNIT_ASSERT_EQ(test, pgtable_unmap(&mm, 4 * GIB, PAGE_SIZE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, nr_out(), 4);
	KUNIT_EXPECT_EQ(test, mm.nr_unflushed, 3);
	KUNIT_EXPECT_EQ(test, mm.nr_tables[PGTABLE_PTE], 0);
	/* A table that waits for the flush is not used again, even if a table is needed. */
	KUNIT_ASSERT_EQ(test, pgtable_map(&mm, 4 * GIB, 0, PAGE_SIZE, RW_USER, false,
					  GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, nr_out(), 7);
	KUNIT_EXPECT_EQ(test, pgtable_flush(&mm), 3);
	KUNIT_EXPECT_EQ(test, nr_out(), 4);
	KUNIT_EXPECT_EQ(test, pgtable_flush(&mm), 0);
	must_exit(test, &mm);
}

struct visits {
	uint64_t last;
	unsigned int nr, end_at;
};

static int note_visit(const struct pgtable_leaf *leaf, void *arg)
{
	struct visits *visits = arg;

	if (visits->nr && leaf->address <= visits->last)
		return -EILSEQ;
	visits->last = leaf->address;
	return ++visits->nr == visits->end_at ? 77 : 0;
}

static void test_walk(struct kunit *test)
{
	struct visits visits = { 0 };
	struct pgtable mm;

	must_init(test, &mm);
	for (unsigned int i = 0; i < 40; i++)
		KUNIT_ASSERT_EQ(test, pgtable_map(&mm, i * 3 * GIB, 0, PAGE_SIZE, 0, false,
						  GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, pgtable_map(&mm, GIB, 0, 2 * MIB, 0, true, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, pgtable_walk(&mm, 0, PGTABLE_USER_END, note_visit, &visits), 0);
	KUNIT_EXPECT_EQ(test, visits.nr, 41);
	visits = (struct visits){ .end_at = 5 };
	KUNIT_EXPECT_EQ(test, pgtable_walk(&mm, 0, PGTABLE_USER_END, note_visit, &visits), 77);
	KUNIT_EXPECT_EQ(test, visits.nr, 5);
	/* A huge entry that the range only touches. */
	visits = (struct visits){ 0 };
	KUNIT_EXPECT_EQ(test, pgtable_walk(&mm, GIB + MIB, PAGE_SIZE, note_visit, &visits), 0);
	KUNIT_EXPECT_EQ(test, visits.nr, 1);
	KUNIT_EXPECT_EQ(test, visits.last, GIB);
	must_exit(test, &mm);
}

/* --- Copies. --------------------------------------------------------------------- */

static void test_copy_on_write(struct kunit *test)
{
	struct pgtable parent, child;

	must_init(test, &parent);
	KUNIT_ASSERT_EQ(test, pgtable_map(&parent, 0, 0, PAGE_SIZE, RW_USER, false, GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, pgtable_map(&parent, PAGE_SIZE, PAGE_SIZE, PAGE_SIZE, PGTABLE_USER,
					  false, GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, pgtable_map(&parent, 2 * PAGE_SIZE, 2 * PAGE_SIZE, PAGE_SIZE,
					  RW_USER | PGTABLE_SHARED, false, GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, pgtable_map(&parent, 2 * MIB, 2 * MIB, 2 * MIB, RW_USER, true,
					  GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, pgtable_copy(&child, &parent, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, child.mapped_bytes, parent.mapped_bytes);
	for (struct pgtable *mm = &parent;; mm = &child) {
		check_page(test, mm, 0, PGTABLE_USER | PGTABLE_COW);
		check_page(test, mm, PAGE_SIZE, PAGE_SIZE | PGTABLE_USER);
		check_page(test, mm, 2 * PAGE_SIZE, 2 * PAGE_SIZE | RW_USER | PGTABLE_SHARED);
		check_page(test, mm, 2 * MIB, 2 * MIB | PGTABLE_USER | PGTABLE_COW);
		if (mm == &child)
			break;
	}
	KUNIT_EXPECT_EQ(test, pgtable_break_cow(&child, 0, 9 * PAGE_SIZE, GFP_KERNEL), 0);
	check_page(test, &child, 0, 9 * PAGE_SIZE | RW_USER);
	check_page(test, &parent, 0, PGTABLE_USER | PGTABLE_COW);
	KUNIT_EXPECT_EQ(test, pgtable_break_cow(&child, 0, 0, GFP_KERNEL), -ENOENT);
	/* One page of a huge entry. */
	counted.left = 0;
	KUNIT_EXPECT_EQ(test, pgtable_break_cow(&parent, 2 * MIB + 5 * PAGE_SIZE, 8 * MIB,
						GFP_KERNEL), -ENOMEM);
	counted.left = -1;
	KUNIT_EXPECT_EQ(test, pgtable_break_cow(&parent, 2 * MIB + 5 * PAGE_SIZE, 8 * MIB,
						GFP_KERNEL), 0);
	check_page(test, &parent, 2 * MIB + 5 * PAGE_SIZE, 8 * MIB | RW_USER);
	check_page(test, &parent, 2 * MIB + 4 * PAGE_SIZE,
		   (2 * MIB + 4 * PAGE_SIZE) | PGTABLE_USER | PGTABLE_COW);
	pgtable_exit(&child);
	must_exit(test, &parent);
}

static void test_copy_fails_at_each_table(struct kunit *test)
{
	struct pgtable parent, child;
	long n = 0;

	must_init(test, &parent);
	for (unsigned int i = 0; i < 5; i++)
		KUNIT_ASSERT_EQ(test, pgtable_map(&parent, i * 700 * GIB, 0, PAGE_SIZE, RW_USER,
						  false, GFP_KERNEL), 0);
	for (counted.left = 0; pgtable_copy(&child, &parent, GFP_KERNEL); counted.left = ++n) {
		KUNIT_ASSERT_EQ(test, nr_out(), 16);
		KUNIT_ASSERT_LT(test, n, 100);
	}
	KUNIT_EXPECT_EQ(test, n, 16);
	pgtable_exit(&child);
	counted.left = -1;
	must_exit(test, &parent);
}

/* --- The kernel's half. ----------------------------------------------------------- */

static void kernel_half(struct kunit *test, const struct pgtable_pages *pages)
{
	unsigned long before;
	struct pgtable a, b;

	counted.from = pages;
	must_init(test, &a);
	before = pgtable_nr_pgds();
	KUNIT_EXPECT_EQ(test, pgtable_set_kernel_entry(255, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, pgtable_set_kernel_entry(512, 1), -EINVAL);
	KUNIT_ASSERT_EQ(test, pgtable_set_kernel_entry(300, 0xabc067), 0);
	KUNIT_EXPECT_EQ(test, a.pgd[300], 0xabc067);
	pgtable_exit(&a);
	/* One that waits on a quicklist is brought up to date as well. */
	KUNIT_ASSERT_EQ(test, pgtable_set_kernel_entry(301, 0xdef067), 0);
	must_init(test, &a);
	must_init(test, &b);
	KUNIT_EXPECT_EQ(test, a.pgd[301], 0xdef067);
	KUNIT_EXPECT_EQ(test, b.pgd[300], 0xabc067);
	KUNIT_EXPECT_EQ(test, b.pgd[301], 0xdef067);
	KUNIT_EXPECT_GE(test, pgtable_nr_pgds(), before);
	KUNIT_EXPECT_LE(test, pgtable_nr_pgds(), before + 1);
	KUNIT_ASSERT_EQ(test, pgtable_set_kernel_entry(300, 0), 0);
	KUNIT_ASSERT_EQ(test, pgtable_set_kernel_entry(301, 0), 0);
	pgtable_exit(&b);
	must_exit(test, &a);
}

static void test_kernel_half(struct kunit *test)
{
	kernel_half(test, &pgtable_quicklist_pages);
	kernel_half(test, &pgtable_plain_pages);
}

/* A pgd comes and goes through the quicklist; the list of pgds follows the page allocator. */
static void test_pgd_is_listed_once(struct kunit *test)
{
	unsigned long before = pgtable_nr_pgds();
	struct pgtable mm[40];

	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(mm); i++)
			must_init(test, &mm[i]);
		KUNIT_EXPECT_GE(test, pgtable_nr_pgds(), ARRAY_SIZE(mm));
		KUNIT_EXPECT_LE(test, pgtable_nr_pgds(), before + ARRAY_SIZE(mm));
		for (unsigned int i = 0; i < ARRAY_SIZE(mm); i++)
			pgtable_exit(&mm[i]);
	}
	pgtable_trim();
	KUNIT_EXPECT_LE(test, pgtable_nr_pgds(), before + ARRAY_SIZE(mm));
}

/* pgds have a quicklist of their own, all other levels one in common. */
static void test_quicklist_stats(struct kunit *test)
{
	struct quicklist_stats pgd, pt, after;
	struct pgtable mm;

	for (unsigned int round = 0; round < 2; round++) {
		must_init(test, &mm);
		KUNIT_ASSERT_EQ(test, pgtable_map(&mm, 0, 0, PAGE_SIZE, RW_USER, false, GFP_KERNEL),
				0);
		pgtable_exit(&mm);
		if (round)
			break;
		pgtable_quicklist_stats(PGTABLE_PGD, &pgd);
		pgtable_quicklist_stats(PGTABLE_PMD, &pt);
		KUNIT_EXPECT_GE(test, pgd.pages, 1);
		KUNIT_EXPECT_GE(test, pt.pages, 3);
		KUNIT_EXPECT_GE(test, pt.misses, 3);
	}
	/* All hits the second time. */
	pgtable_quicklist_stats(PGTABLE_PGD, &after);
	KUNIT_EXPECT_EQ(test, after.misses, pgd.misses);
	KUNIT_EXPECT_EQ(test, after.pages, pgd.pages);
	pgtable_quicklist_stats(PGTABLE_PTE, &after);
	KUNIT_EXPECT_EQ(test, after.misses, pt.misses);
	KUNIT_EXPECT_EQ(test, after.pages, pt.pages);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_random_operations),
	KUNIT_CASE(test_random_operations_without_memory),
	KUNIT_CASE(test_map_fails_at_each_table),
	KUNIT_CASE(test_bad_ranges),
	KUNIT_CASE(test_huge_entries),
	KUNIT_CASE(test_tables_wait_for_flush),
	KUNIT_CASE(test_walk),
	KUNIT_CASE(test_copy_on_write),
	KUNIT_CASE(test_copy_fails_at_each_table),
	KUNIT_CASE(test_kernel_half),
	KUNIT_CASE(test_pgd_is_listed_once),
	KUNIT_CASE(test_quicklist_stats),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "pgtable",
	.init = start_case,
	.test_cases = cases,
};

kunit_test_suite(suite);
