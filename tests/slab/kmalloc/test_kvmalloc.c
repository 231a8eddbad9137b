/* SPDX-License-Identifier: MIT */
/* Blocks of any size: usermm/slab.h, kvmalloc_node() and the calls below it. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"
#include "page/mappings.h"
#include "slab/kmalloc/kvmalloc.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/threads.h"
#include "support/zones.h"
#include "usermm/stats.h"

/* No longer kmalloc()'s. */
#define LARGE (KMALLOC_MAX_SIZE + 1)

static bool is_all(const char *bytes, size_t n, char value)
{
	return !n || (*bytes == value && !memcmp(bytes, bytes + 1, n - 1));
}

static void test_kvmalloc_sizes(struct kunit *test)
{
	static const size_t sizes[] = { 1, 8, 100, 4096, 8193, MIB, KMALLOC_MAX_SIZE, LARGE,
					9 * MIB + 5, 64 * MIB };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i];
		char *block = kvmalloc(size, GFP_KERNEL), *zeroed = kvzalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, block);
		KUNIT_ASSERT_NOT_NULL(test, zeroed);
		KUNIT_EXPECT_EQ(test, virt_addr_valid(block), size < LARGE);
		if (size >= LARGE)
			KUNIT_EXPECT_EQ(test, (uintptr_t)block % PAGE_SIZE, 0);
		KUNIT_EXPECT_TRUE(test, is_all(zeroed, size, 0));
		memset(block, 'x', size);
		memset(zeroed, 'y', size);
		KUNIT_EXPECT_TRUE(test, is_all(block, size, 'x'));
		kvfree(block);
		kvfree(zeroed);
	}
	KUNIT_EXPECT_PTR_EQ(test, kvmalloc(0, GFP_KERNEL), ZERO_SIZE_PTR);
	kvfree(ZERO_SIZE_PTR);
	kvfree(NULL);
}

/* kmalloc() still has Linux's largest size, and so has kvmalloc() if it may not wait. */
static void test_kvmalloc_limits(struct kunit *test)
{
	static volatile size_t size = LARGE, huge = SIZE_MAX, half = SIZE_MAX / 2;

	KUNIT_EXPECT_NULL(test, kmalloc(size, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kvmalloc(size, GFP_ATOMIC | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kvmalloc(size, GFP_NOWAIT | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kvmalloc(huge, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kvmalloc(huge, GFP_KERNEL | __GFP_NOFAIL));
	KUNIT_EXPECT_NULL(test, kvmalloc(half, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kvmalloc_array(half, 3, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kvcalloc(half, 3, GFP_KERNEL));
}

/* More than INT_MAX: nothing of it is written, so it costs nothing. */
static void test_kvmalloc_huge(struct kunit *test)
{
	char *block = kvmalloc(3UL << 30, GFP_KERNEL);

	if (!block)
		kunit_skip(test, "the machine has no 3 GiB of addresses to promise");
	block[0] = block[(3UL << 30) - 1] = 1;
	kvfree(block);
}

static void test_kvrealloc(struct kunit *test)
{
	static volatile size_t too_much = SIZE_MAX / 2 + 1;
	char *block = kvrealloc(NULL, 100, GFP_KERNEL), *grown;
	void *failed;

	KUNIT_ASSERT_NOT_NULL(test, block);
	memset(block, 'x', 100);
	/* By way of kmalloc() to a mapping, a larger and a smaller one. */
	for (size_t size = 1000; size <= 100 * MIB; size *= 10) {
		grown = kvrealloc(block, size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, grown);
		KUNIT_EXPECT_TRUE(test, is_all(grown, size / 10, 'x'));
		memset(grown, 'x', size);
		block = grown;
	}
	failed = kvrealloc(block, too_much, GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, failed);
	KUNIT_EXPECT_TRUE(test, is_all(block, 90 * MIB, 'x'));
	block = kvrealloc(block, LARGE + 5, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_TRUE(test, is_all(block, LARGE + 5, 'x'));
	/* It stays a mapping. */
	block = kvrealloc(block, 10, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_FALSE(test, virt_addr_valid(block));
	KUNIT_EXPECT_TRUE(test, is_all(block, 10, 'x'));
	failed = kvrealloc(block, 0, GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, failed);
}

static void test_kvrealloc_zero(struct kunit *test)
{
	static const size_t sizes[] = { LARGE, LARGE + 100, 9 * MIB + 1, 5 * MIB + 3, 30 * MIB };
	char *block = kvzalloc(sizes[0], GFP_KERNEL);
	size_t old = sizes[0];

	KUNIT_ASSERT_NOT_NULL(test, block);
	for (size_t i = 1; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(block, 'x', old);
		block = kvrealloc(block, sizes[i], GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, block);
		if (sizes[i] > old) {
			KUNIT_EXPECT_TRUE(test, is_all(block, old, 'x'));
			KUNIT_EXPECT_TRUE(test, is_all(block + old, sizes[i] - old, 0));
		}
		old = sizes[i];
	}
	kvfree_sensitive(block, old);
}

/* --- Counters ------------------------------------------------------------------------ */

static void count_mappings(struct kunit *test)
{
	struct usermm_stats before, with, after;
	void *block;

	kfree(kmalloc(1, GFP_KERNEL));
	usermm_stats_read(&before);
	block = kvmalloc(9 * MIB, GFP_KERNEL);
	block = kvrealloc(block, 20 * MIB, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block);
	usermm_stats_read(&with);
	kvfree(block);
	usermm_stats_read(&after);
	KUNIT_EXPECT_EQ(test, with.mapped_count, before.mapped_count + 1);
	KUNIT_EXPECT_EQ(test, with.mapped_bytes, before.mapped_bytes + 20 * MIB);
	KUNIT_EXPECT_EQ(test, with.allocated_bytes, before.allocated_bytes + 20 * MIB);
	KUNIT_EXPECT_EQ(test, with.active_bytes, before.active_bytes + 20 * MIB);
	KUNIT_EXPECT_EQ(test, after.mapped_count, before.mapped_count);
	KUNIT_EXPECT_EQ(test, after.mapped_bytes, before.mapped_bytes);
	KUNIT_EXPECT_EQ(test, after.allocated_bytes, before.allocated_bytes);
}

static void test_kvmalloc_counted(struct kunit *test)
{
	zones_run(test, "stats=0", count_mappings);
	zones_run(test, "limit=256M", count_mappings);
}

/* --- Exhaustion ---------------------------------------------------------------------- */

static void within_limit(struct kunit *test)
{
	char *blocks[8] = { NULL }, *more;
	unsigned int nr = 0;

	while (nr < 8 && (blocks[nr] = kvmalloc(10 * MIB, GFP_KERNEL)))
		nr++;
	/* 64 MiB, of which the zone keeps some. */
	KUNIT_EXPECT_GE(test, nr, 5);
	KUNIT_EXPECT_LT(test, nr, 7);
	more = kvrealloc(blocks[0], 30 * MIB, GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, more);
	kvfree(blocks[--nr]);
	kvfree(blocks[--nr]);
	more = kvrealloc(blocks[0], 20 * MIB, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, more);
	blocks[0] = kvrealloc(more, 6 * MIB, GFP_KERNEL);
	while (nr)
		kvfree(blocks[--nr]);
	/* All memory is free again. */
	for (unsigned int i = 0; i < 20; i++) {
		more = kvmalloc(50 * MIB, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, more);
		kvfree(more);
	}
}

static void test_kvmalloc_within_limit(struct kunit *test)
{
	zones_run(test, "limit=64M", within_limit);
}

static void *free_later(void *block)
{
	os_sleep_us(50000);
	kvfree(block);
	return NULL;
}

/* There is no memory until another thread frees some. */
static void grow_without_fail(struct kunit *test)
{
	char *block = kvmalloc(10 * MIB, GFP_KERNEL), *other = kvmalloc(40 * MIB, GFP_KERNEL);
	pthread_t thread;

	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, free_later, other), 0);
	block = kvrealloc(block, 45 * MIB, GFP_KERNEL | __GFP_NOFAIL);
	KUNIT_EXPECT_NOT_NULL(test, block);
	pthread_join(thread, NULL);
	kvfree(block);
}

static void test_kvrealloc_nofail(struct kunit *test)
{
	zones_run(test, "limit=64M", grow_without_fail);
}

/* The mapping's end cannot go: it would leave two mappings of the system's in place of one. */
#define MAPPINGS_TRIED 70000

static void shrink_without_mappings(struct kunit *test, void *unused)
{
	char *block, *around[3];
	long page = sysconf(_SC_PAGESIZE);

	(void)unused;
	for (unsigned int i = 0; i < 3; i++) {
		around[i] = kvmalloc(9 * MIB, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, around[i]);
	}
	block = around[1];
	memset(block, 'x', 9 * MIB);
	for (unsigned int i = 0; i < MAPPINGS_TRIED; i++)
		if (mmap(NULL, page, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) == MAP_FAILED)
			break;
	block = kvrealloc(block, LARGE, GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, block);
	block = kvrealloc(block, 9 * MIB, GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_TRUE(test, is_all(block, LARGE, 'x'));
	KUNIT_EXPECT_TRUE(test, is_all(block + LARGE, 9 * MIB - LARGE, 0));
	kvfree(block);
}

static void test_kvrealloc_shrink(struct kunit *test)
{
	char text[32] = "";
	unsigned long limit;

	if (!ADDRESSES_MAY_BE_FEW)
		kunit_skip(test, "the sanitizer needs mappings of its own");
	os_read_file("/proc/sys/vm/max_map_count", text, sizeof(text));
	limit = strtoul(text, NULL, 10);
	if (limit >= MAPPINGS_TRIED)
		kunit_skip(test, "a process may have very many mappings: %lu", limit);
	CHILD_EXPECT_SUCCESS(test, shrink_without_mappings, NULL);
}

static void run_out_of_addresses(struct kunit *test, void *unused)
{
	struct rlimit limit = { 512 * MIB, 512 * MIB };
	void *block;

	(void)unused;
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &limit), 0);
	KUNIT_EXPECT_NULL(test, kvmalloc(600 * MIB, GFP_KERNEL));
	block = kvmalloc(50 * MIB, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, block);
	kvfree(block);
}

static void test_kvmalloc_no_addresses(struct kunit *test)
{
	if (!ADDRESSES_MAY_BE_FEW)
		kunit_skip(test, "addresses are not few here");
	CHILD_EXPECT_SUCCESS(test, run_out_of_addresses, NULL);
}

/* --- Misuse -------------------------------------------------------------------------- */

static void kvfree_twice(struct kunit *test, void *block)
{
	(void)test;
	kvfree(block);
	kvfree(block);
}

static void kvfree_inside(struct kunit *test, void *block)
{
	(void)test;
	kvfree((char *)block + 5000);
}

static void kfree_mapping(struct kunit *test, void *block)
{
	(void)test;
	kfree(block);
}

static void kvfree_object_twice(struct kunit *test, void *unused)
{
	void *object = kvmalloc(100, GFP_KERNEL);

	(void)test;
	(void)unused;
	kvfree(object);
	kvfree(object);
}

static void kvrealloc_inside(struct kunit *test, void *block)
{
	KUNIT_EXPECT_NULL(test, kvrealloc((char *)block + 5000, 10, GFP_KERNEL));
}

static void kvrealloc_freed(struct kunit *test, void *unused)
{
	void *block = kvmalloc(LARGE, GFP_KERNEL), *volatile freed = block;

	(void)unused;
	kvfree(block);
	KUNIT_EXPECT_NULL(test, kvrealloc(freed, 10, GFP_KERNEL));
}

static void kvrealloc_to_nothing(struct kunit *test, void *unused)
{
	void *object = kvmalloc(100, GFP_KERNEL), *volatile freed = object;

	(void)unused;
	kvfree(object);
	KUNIT_EXPECT_NULL(test, kvrealloc(freed, 0, GFP_KERNEL));
}

static void test_kvmalloc_misuse(struct kunit *test)
{
	char *block = kvmalloc(LARGE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, block);
	CHILD_EXPECT_DEATH(test, kvfree_twice, block, "kvfree", child_hex(block));
	CHILD_EXPECT_DEATH(test, kvfree_inside, block, "kvfree", child_hex(block + 5000),
			   "5000 bytes inside a mapping", "kvfree() frees it");
	CHILD_EXPECT_DEATH(test, kfree_mapping, block, "kfree", child_hex(block),
			   "a mapping of 4194305 bytes of kvmalloc()");
	CHILD_EXPECT_DEATH(test, kvrealloc_inside, block, "kvrealloc(", "test_kvmalloc+",
			   "5000 bytes inside a mapping");
	CHILD_EXPECT_DEATH(test, kvrealloc_freed, NULL, "kvrealloc(", "test_kvmalloc+");
	CHILD_EXPECT_DEATH(test, kvrealloc_to_nothing, NULL, "kvrealloc(", "test_kvmalloc+");
	CHILD_EXPECT_DEATH(test, kvfree_object_twice, NULL, "kvfree", "already");
	kvfree(block);
}

/* --- Threads and fork children ------------------------------------------------------- */

#define NR_THREADS 4
#define NR_STEPS TEST_STEPS(3000)
#define MARK_STEP 99991UL

static void random_blocks(struct kunit *test, unsigned int seed)
{
	struct prng prng = { seed };
	char *blocks[8] = { NULL };
	size_t sizes[8] = { 0 };

	for (unsigned int step = 0; step < NR_STEPS; step++) {
		unsigned int i = prng_below(&prng, 8);
		size_t size = prng_below(&prng, 2) ? 1 + prng_below(&prng, 10000) :
						     LARGE + prng_below(&prng, 4 * MIB);
		char *block;

		if (blocks[i] && prng_below(&prng, 2)) {
			kvfree(blocks[i]);
			blocks[i] = NULL;
			sizes[i] = 0;
			continue;
		}
		block = kvrealloc(blocks[i], size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, block);
		/* Here and there a byte, of what both sizes have. */
		for (size_t at = 0; at < min(size, sizes[i]); at += MARK_STEP)
			KUNIT_ASSERT_EQ(test, block[at], (char)seed);
		for (size_t at = 0; at < size; at += MARK_STEP)
			block[at] = (char)seed;
		blocks[i] = block;
		sizes[i] = size;
	}
	for (unsigned int i = 0; i < 8; i++)
		kvfree(blocks[i]);
}

static void random_in_thread(struct test_thread *thread)
{
	random_blocks(thread->test, thread->index + 1);
}

static void fork_among_threads(struct test_thread *thread)
{
	struct kunit *test = thread->test;
	int status = -1;
	pid_t child;

	if (thread->index) {
		random_blocks(test, thread->index + 1);
		return;
	}
	for (unsigned int i = 0; i < 10; i++) {
		char *block = kvmalloc(LARGE, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, block);
		memset(block, 'x', LARGE);
		child = fork();
		if (!child) {
			void *other = kvmalloc(5 * MIB, GFP_KERNEL);

			kvfree(other);
			if (!is_all(block, LARGE, 'x'))
				_exit(1);
			kvfree(block);
			_exit(other ? 42 : 2);
		}
		KUNIT_EXPECT_EQ(test, waitpid(child, &status, 0), child);
		KUNIT_EXPECT_EQ(test, WEXITSTATUS(status), 42);
		kvfree(block);
	}
}

static void test_kvmalloc_threads(struct kunit *test)
{
	test_unpin();
	test_threads_run(test, NR_THREADS, random_in_thread, NULL);
}

static void fork_with_limit(struct kunit *test)
{
	test_unpin();
	test_threads_run(test, NR_THREADS, fork_among_threads, NULL);
}

static void test_kvmalloc_fork(struct kunit *test)
{
	zones_run(test, "limit=1G", fork_with_limit);
}

/* --- The table ----------------------------------------------------------------------- */

/* More than a window holds, so that further levels are made. */
static void test_mappings_table(struct kunit *test)
{
	enum { NR = 5000 };
	static struct mappings table;
	struct mapping *entry;

	for (unsigned long i = 1; i <= NR; i++)
		KUNIT_ASSERT_TRUE(test, mappings_insert(&table, (void *)(i << 14), i));
	KUNIT_EXPECT_NOT_NULL(test, table.levels[1]);
	KUNIT_EXPECT_EQ(test, mappings_fork_child_bytes(&table),
			(4096UL * 4096 + (NR - 4096) * 8192UL));
	for (unsigned long i = 1; i <= NR; i++) {
		entry = mappings_claim(&table, (void *)(i << 14));
		KUNIT_ASSERT_NOT_NULL(test, entry);
		KUNIT_EXPECT_EQ(test, entry->bytes, i);
		KUNIT_EXPECT_NULL(test, mappings_claim(&table, (void *)(i << 14)));
		if (i % 2)
			mapping_give_up(entry);
		else
			mappings_move(&table, entry, (void *)((i << 14) + (1UL << 40)), i);
	}
	for (unsigned long i = 2; i <= NR; i += 2) {
		KUNIT_EXPECT_NULL(test, mappings_find(&table, (void *)(i << 14)));
		entry = mappings_find(&table, (void *)((i << 14) + (1UL << 40)));
		KUNIT_ASSERT_NOT_NULL(test, entry);
		KUNIT_EXPECT_PTR_EQ(test, entry, mappings_find_around(&table,
				    (void *)((i << 14) + (1UL << 40) + i - 1)));
	}
	KUNIT_EXPECT_NULL(test, mappings_find(&table, NULL));
	KUNIT_EXPECT_EQ(test, mapping_bytes(PTRDIFF_MAX), 1UL << 63);
	KUNIT_EXPECT_EQ(test, mapping_bytes(PTRDIFF_MAX + 1UL), 0);
	KUNIT_EXPECT_EQ(test, mapping_bytes(SIZE_MAX), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_kvmalloc_within_limit),
	KUNIT_CASE(test_kvmalloc_fork),
	KUNIT_CASE(test_kvrealloc_nofail),
	KUNIT_CASE(test_kvmalloc_counted),
	KUNIT_CASE(test_kvrealloc_shrink),
	KUNIT_CASE(test_kvmalloc_no_addresses),
	KUNIT_CASE(test_kvmalloc_sizes),
	KUNIT_CASE(test_kvmalloc_limits),
	KUNIT_CASE(test_kvmalloc_huge),
	KUNIT_CASE(test_kvrealloc),
	KUNIT_CASE(test_kvrealloc_zero),
	KUNIT_CASE(test_kvmalloc_misuse),
	KUNIT_CASE(test_kvmalloc_threads),
	KUNIT_CASE(test_mappings_table),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-kvmalloc", .test_cases = cases };

kunit_test_suite(suite);
