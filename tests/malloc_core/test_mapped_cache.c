/* SPDX-License-Identifier: MIT */
/*
 * The mapping cache against a model: random blocks are allocated and freed. After each step the
 * count of kept bytes is that of the places, kept mappings overlap no block, and their pages are
 * fit for the next owner. How it serves programs: malloc/test_mapped_cache.
 */
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_cache.h"
#include "malloc/mapped/mapping_word.h"
#include "malloc_core/tested.h"
#include "os/os.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/limits.h"
#include "page/reclaim/release.h"
#include "percpu/fork.h"
#include "support/child.h"
#include "support/system/group.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "usermm/usermm.h"

#define NR_BLOCKS 24
#define NR_STEPS 10000
#define LARGEST_PAGES 1000	/* so few that a machine with little memory keeps some */
#define SMALLEST_PAGES (MAPPED_CACHE_BYTES_MIN / 4096)

/* A block of the test: its first word is `stamp`, and so is the last one before its last page. */
struct block {
	char *start;
	size_t bytes;
	unsigned long stamp;
};

static struct block blocks[NR_BLOCKS];
static struct prng prng;

static unsigned long *last_word(const struct block *block)
{
	return (unsigned long *)(block->start + block->bytes - os_page_bytes()) - 1;
}

static void own(struct block *block, void *start, size_t bytes)
{
	*block = (struct block){ start, bytes, prng_u64(&prng) };
	*(unsigned long *)block->start = block->stamp;
	*last_word(block) = block->stamp;
	/* No block owns the witness page, but a neighbour's fault may show here. */
	*(unsigned long *)(block->start + bytes - os_page_bytes()) = block->stamp;
}

static bool overlap(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

static void check_block(struct kunit *test, const struct block *block)
{
	KUNIT_EXPECT_EQ(test, *(unsigned long *)block->start, block->stamp);
	KUNIT_EXPECT_EQ(test, *last_word(block), block->stamp);
	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long word = mapped_cache_places[i];

		KUNIT_EXPECT_FALSE(test, word && overlap(block->start, block->bytes,
							 mapping_word_start(word),
							 mapping_word_bytes(word)));
	}
}

static void check_places(struct kunit *test)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		unsigned long word = mapped_cache_places[i];

		KUNIT_EXPECT_TRUE(test, !word || mapping_word_bytes(word) >=
				  MAPPED_CACHE_BYTES_MIN);
		bytes += mapping_word_bytes(word);
		for (unsigned int k = 0; word && k < i; k++)
			KUNIT_EXPECT_FALSE(test, mapped_cache_places[k] &&
					   overlap(mapping_word_start(word),
						   mapping_word_bytes(word),
						   mapping_word_start(mapped_cache_places[k]),
						   mapping_word_bytes(mapped_cache_places[k])));
	}
	KUNIT_EXPECT_EQ(test, mapped_cache_bytes(), bytes);
}

static void check_all(struct kunit *test)
{
	check_places(test);
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		if (blocks[i].start)
			check_block(test, &blocks[i]);
}

/* The bytes of the smallest kept mapping that has at least so many; 0 if there is none. */
static size_t least_fitting(size_t bytes)
{
	size_t least = 0;

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++) {
		size_t has = mapping_word_bytes(mapped_cache_places[i]);

		if (has >= bytes && (!least || has < least))
			least = has;
	}
	return least;
}

static size_t longest_kept(void)
{
	size_t most = 0;

	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++)
		most = max(most, mapping_word_bytes(mapped_cache_places[i]));
	return most;
}

static bool is_zero(const char *start, size_t bytes)
{
	return !bytes || (!*start && !memcmp(start, start + 1, bytes - 1));
}

static bool is_whole(const struct block *block)
{
	/* If the kernel cannot tell whether pages are as new, nothing is joined. */
	return os_is_one_mapping(block->start, block->bytes) ||
	       !os_is_one_mapping(block->start, os_page_bytes());
}

/* --- Steps -------------------------------------------------------------------------- */

static bool take(struct kunit *test, struct block *block, size_t bytes)
{
	size_t fitting = least_fitting(bytes), before = mapped_cache_bytes(), has = bytes;
	void *start = mapped_cache_take(&has, os_page_bytes());

	KUNIT_EXPECT_EQ(test, !!start, !!fitting);
	if (!start)
		return false;
	KUNIT_EXPECT_TRUE(test, has == bytes ||
			  (has == fitting && has - bytes < MAPPED_CACHE_BYTES_MIN));
	KUNIT_EXPECT_EQ(test, mapped_cache_bytes(), before - has);
	own(block, start, has);
	return true;
}

static bool grow(struct kunit *test, struct block *block, size_t bytes)
{
	size_t longest = longest_kept(), before = mapped_cache_bytes(), more = 0;
	char *start = mapped_cache_grow(bytes, &more);

	KUNIT_EXPECT_EQ(test, !!start, !!longest);
	if (!start)
		return false;
	KUNIT_EXPECT_EQ(test, more, bytes - longest);
	KUNIT_EXPECT_EQ(test, mapped_cache_bytes(), before - longest);
	KUNIT_EXPECT_TRUE(test, is_zero(start + longest, more));
	own(block, start, bytes);
	KUNIT_EXPECT_TRUE(test, is_whole(block));
	return true;
}

static void allocate(struct kunit *test, struct block *block)
{
	size_t bytes = prng_range(&prng, SMALLEST_PAGES, LARGEST_PAGES) * os_page_bytes();
	void *start;

	if (take(test, block, bytes) || (prng_one_in(&prng, 2) && grow(test, block, bytes)))
		return;
	KUNIT_ASSERT_EQ(test, os_map(bytes, os_page_bytes(), &start), 0);
	own(block, start, bytes);
}

static void extend(struct block *block)
{
	size_t more = mapped_cache_take_at(block->start + block->bytes, 16 * os_page_bytes());

	if (more)
		own(block, block->start, block->bytes + more);
}

/* Now and then the program has changed the pages. */
static void release(struct kunit *test, struct block *block)
{
	bool is_changed = prng_one_in(&prng, 10), kept;

	if (is_changed)
		KUNIT_ASSERT_EQ(test, os_hide(block->start, 16 * os_page_bytes()), 0);
	kept = mapped_cache_put(block->start, block->bytes);
	KUNIT_EXPECT_FALSE(test, kept && is_changed && is_whole(block) &&
			   !os_is_one_mapping(block->start, os_page_bytes()));
	if (!kept)
		os_unmap(block->start, block->bytes);
	memset(block, 0, sizeof(*block));
}

static void give_back(struct kunit *test)
{
	size_t wanted = prng_below(&prng, LARGEST_PAGES) * os_page_bytes();
	size_t before = mapped_cache_bytes(), given = mapped_cache_give_back(wanted);

	KUNIT_EXPECT_GE(test, given, min(wanted, before));
	KUNIT_EXPECT_EQ(test, mapped_cache_bytes(), before - given);
}

/* No more is unmapped than was asked for, and no more than is beyond the share. */
static void make_way(struct kunit *test)
{
	size_t more = (prng_below(&prng, LARGEST_PAGES) + 1) * os_page_bytes();
	size_t before = mapped_cache_bytes(), spare;

	mapped_counts.bytes = prng_below(&prng, 40 * LARGEST_PAGES) * os_page_bytes();
	spare = (mapped_counts.bytes + more) / 6;
	mapped_cache_make_way(more);
	mapped_counts.bytes = 0;
	KUNIT_EXPECT_GE(test, mapped_cache_bytes(), min(before, spare) -
			min(min(before, spare), (size_t)MAPPED_CACHE_BYTES_MIN));
	KUNIT_EXPECT_GE(test, mapped_cache_bytes() + more + MAPPED_CACHE_BYTES_MIN, before);
	KUNIT_EXPECT_LE(test, mapped_cache_bytes(), max(before - min(before, more),
							spare + os_page_bytes()));
}

static void step(struct kunit *test)
{
	struct block *block = &blocks[prng_below(&prng, NR_BLOCKS)];
	unsigned int kind = prng_below(&prng, 40);

	percpu_fork_change_begin();
	if (kind == 0)
		give_back(test);
	else if (kind == 1)
		make_way(test);
	else if (kind == 2)
		mapped_cache_decay();
	else if (!block->start)
		allocate(test, block);
	else if (kind < 8)
		extend(block);
	else
		release(test, block);
	percpu_fork_change_end();
	check_all(test);
}

static void steps(struct kunit *test, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		step(test);
}

static size_t address_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	size_t pages = 0;

	if (file) {
		if (fscanf(file, "%zu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * os_page_bytes();
}

static void release_all(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		if (blocks[i].start)
			release(test, &blocks[i]);
}

static void trim(void)
{
	percpu_fork_change_begin();
	mapped_cache_give_back(SIZE_MAX);
	percpu_fork_change_end();
}

/* --- Cases -------------------------------------------------------------------------- */

static void more_steps(struct kunit *test, void *unused)
{
	size_t bytes = MAPPED_CACHE_BYTES_MIN;

	(void)unused;
	percpu_fork_change_begin();
	KUNIT_EXPECT_NULL_MSG(test, mapped_cache_take(&bytes, os_page_bytes()),
			      "the parent's mappings are not the child's");
	KUNIT_EXPECT_EQ(test, mapped_cache_bytes(), 0);
	percpu_fork_change_end();
	steps(test, NR_STEPS / 20);
}

/* From now on nothing is unmapped because of its age. */
static void stop_clock(void)
{
	decay_mappings_ms = os_time_ms() + 3600 * 1000;
}

/* From now on nothing is unmapped because there is no thread to unmap it later. */
static void put_keeps_all(void)
{
	release_wake_pages = ~0UL;
}

/* Each fork child goes on with what its parent has. At the end all addresses are given back. */
static void random_steps(struct kunit *test, void *unused)
{
	size_t before;

	(void)unused;
	tested_free(tested_malloc(1));
	put_keeps_all();
	stop_clock();
	steps(test, 1);
	release_all(test);
	trim();
	before = address_bytes();
	for (unsigned int i = 0; i < 10; i++) {
		steps(test, NR_STEPS / 10);
		CHILD_EXPECT_SUCCESS(test, more_steps, NULL);
	}
	release_all(test);
	trim();
	check_all(test);
	KUNIT_EXPECT_EQ(test, mapped_cache_bytes(), 0);
	KUNIT_EXPECT_LE_MSG(test, address_bytes(), before + MAPPED_CACHE_BYTES_MIN,
			    "all is unmapped");
}

static void test_random_steps(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, random_steps, NULL);
}

static void keep(struct kunit *test, size_t pages)
{
	size_t bytes = pages * os_page_bytes(), gap = SMALLEST_PAGES * os_page_bytes();
	void *start;

	/* Unmaps the page behind it, so that no two mappings are joined. */
	KUNIT_ASSERT_EQ(test, os_map(bytes + gap, os_page_bytes(), &start), 0);
	KUNIT_ASSERT_EQ(test, os_hide((char *)start + bytes, gap), 0);
	memset(start, 1, bytes);
	KUNIT_ASSERT_TRUE(test, mapped_cache_put(start, bytes));
}

/* Mappings that are needed in turns stay, while the others are unmapped. */
static void needed_stays(struct kunit *test, void *unused)
{
	size_t idle = 900 * os_page_bytes(), needed = 500 * os_page_bytes(), has = needed;
	void *start;

	(void)unused;
	tested_free(tested_malloc(1));
	put_keeps_all();
	percpu_fork_change_begin();
	keep(test, 900);
	mapped_cache_decay();
	KUNIT_EXPECT_EQ_MSG(test, mapped_cache_bytes(), 0, "nobody needed it since it was put");
	stop_clock();
	keep(test, 900);
	keep(test, 500);
	for (unsigned int i = 0; i < 5; i++) {
		start = mapped_cache_take(&has, os_page_bytes());
		KUNIT_ASSERT_NOT_NULL(test, start);
		KUNIT_EXPECT_EQ(test, has, needed);
		KUNIT_EXPECT_TRUE(test, mapped_cache_put(start, has));
		if (i == 2)
			KUNIT_EXPECT_EQ_MSG(test, mapped_cache_decay(), idle + needed,
					    "both came since the last look");
		has = needed;
	}
	KUNIT_EXPECT_EQ(test, mapped_cache_decay(), needed);
	KUNIT_EXPECT_EQ_MSG(test, mapped_cache_decay(), 0, "nobody has needed it since");
	percpu_fork_change_end();
}

static void test_needed_stays(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, needed_stays, NULL);
}

/* If the system refuses the new bytes, the kept mappings stay as they were. */
static void refused_growth(struct kunit *test, void *unused)
{
	size_t bytes = 500 * os_page_bytes(), more = 0;
	struct rlimit limit;

	(void)unused;
	tested_free(tested_malloc(1));
	percpu_fork_change_begin();
	stop_clock();
	keep(test, 500);
	limit.rlim_cur = limit.rlim_max = address_bytes();
	KUNIT_ASSERT_EQ(test, syscall(SYS_prlimit64, 0, RLIMIT_AS, &limit, NULL), 0);
	KUNIT_EXPECT_NULL(test, mapped_cache_grow(bytes + 600 * os_page_bytes(), &more));
	KUNIT_EXPECT_EQ(test, mapped_cache_bytes(), bytes);
	KUNIT_EXPECT_NOT_NULL(test, mapped_cache_take(&bytes, os_page_bytes()));
	percpu_fork_change_end();
}

static void test_refused_growth(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, refused_growth, NULL);
}

/* More mappings than places: the short ones go. */
static void full_places(struct kunit *test, void *unused)
{
	(void)unused;
	tested_free(tested_malloc(1));
	percpu_fork_change_begin();
	stop_clock();
	for (unsigned int i = 0; i < MAPPED_CACHE_PLACES; i++)
		keep(test, SMALLEST_PAGES + i);
	keep(test, 900);
	check_places(test);
	KUNIT_EXPECT_EQ(test, longest_kept(), 900 * os_page_bytes());
	KUNIT_EXPECT_EQ(test, least_fitting(1), (SMALLEST_PAGES + 1) * os_page_bytes());
	percpu_fork_change_end();
}

static void test_full_places(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, full_places, NULL);
}

/* --- Limits that others change ------------------------------------------------------------ */

#define LIMIT_FILE GROUP_V2 "/job/memory.max"

/* Is a mapping of so many bytes kept? It is then unmapped again. */
static bool is_kept(struct kunit *test, size_t bytes)
{
	void *start;
	bool kept;

	KUNIT_ASSERT_EQ(test, os_map(bytes, os_page_bytes(), &start), 0);
	percpu_fork_change_begin();
	kept = mapped_cache_put(start, bytes);
	mapped_cache_give_back(SIZE_MAX);
	percpu_fork_change_end();
	if (!kept)
		os_unmap(start, bytes);
	return kept;
}

/* At most a 16th of the memory that the process may have now. */
static void follows_group(struct kunit *test, void *unused)
{
	(void)unused;
	limits_known_ms = 0;
	group_begin(test, "0::/job\n");
	group_write_number(test, LIMIT_FILE, 64 * MIB);
	tested_free(tested_malloc(1));
	put_keeps_all();
	KUNIT_EXPECT_TRUE(test, is_kept(test, 2 * MIB));
	KUNIT_EXPECT_FALSE(test, is_kept(test, 12 * MIB));
	group_write_number(test, LIMIT_FILE, 256 * MIB);
	limits_refresh();
	KUNIT_EXPECT_TRUE(test, is_kept(test, 12 * MIB));
	group_write_number(test, LIMIT_FILE, 64 * MIB);
	limits_refresh();
	KUNIT_EXPECT_FALSE(test, is_kept(test, 12 * MIB));
	group_end(test);
}

/*
 * Mappings that are kept and reused take nothing from the system, so the cgroup's usage is not
 * read.
 */
static void turns_ask_nothing(struct kunit *test, void *unused)
{
	unsigned long asked;

	(void)unused;
	limits_known_ms = 3600 * 1000;
	group_begin(test, "0::/job\n");
	group_write_number(test, LIMIT_FILE, 256 * MIB);
	group_write_number(test, GROUP_V2 "/job/memory.current", 160 * MIB);
	put_keeps_all();
	stop_clock();
	tested_free(tested_malloc(5 * MIB));
	limits_look(PAGE_SIZE);
	asked = limits_counts.asked;
	for (unsigned int i = 0; i < 200; i++)
		tested_free(tested_malloc(5 * MIB));
	KUNIT_EXPECT_LE(test, limits_counts.asked, asked + 1);
	for (unsigned int i = 0; i < 200; i++)
		tested_free(tested_malloc(20 * MIB));
	KUNIT_EXPECT_GT_MSG(test, limits_counts.asked, asked + 20, "these are not kept");
	group_end(test);
}

/* While a limit on mappings that another process has set is in force, nothing is kept. */
static void follows_resource(struct kunit *test, void *unused)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	(void)unused;
	limits_known_ms = 0;
	tested_free(tested_malloc(1));
	put_keeps_all();
	KUNIT_EXPECT_TRUE(test, is_kept(test, 2 * MIB));
	limit.rlim_cur = GIB << 20;	/* a limit, but more than a sanitizer maps */
	KUNIT_ASSERT_EQ(test, syscall(SYS_prlimit64, 0, RLIMIT_DATA, &limit, NULL), 0);
	limits_refresh();
	KUNIT_EXPECT_FALSE(test, is_kept(test, 2 * MIB));
	limit.rlim_cur = RLIM_INFINITY;
	KUNIT_ASSERT_EQ(test, syscall(SYS_prlimit64, 0, RLIMIT_DATA, &limit, NULL), 0);
	limits_refresh();
	KUNIT_EXPECT_TRUE(test, is_kept(test, 2 * MIB));
}

static void test_limits_are_followed(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, follows_group, NULL);
	CHILD_EXPECT_SUCCESS(test, follows_resource, NULL);
	CHILD_EXPECT_SUCCESS(test, turns_ask_nothing, NULL);
}

static struct kunit_case mapped_cache_cases[] = {
	KUNIT_CASE(test_random_steps),
	KUNIT_CASE(test_needed_stays),
	KUNIT_CASE(test_refused_growth),
	KUNIT_CASE(test_full_places),
	KUNIT_CASE(test_limits_are_followed),
	{ 0 },
};

static struct kunit_suite mapped_cache_suite = {
	.name = "malloc-mapped-cache",
	.test_cases = mapped_cache_cases,
};

kunit_test_suite(mapped_cache_suite);
