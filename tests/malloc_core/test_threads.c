/* SPDX-License-Identifier: MIT */
/*
 * malloc in threads, where a sanitizer checks malloc's sources: blocks of every kind pass between
 * threads; the table of mappings.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "malloc/counts.h"
#include "malloc/mapped/mapped.h"
#include "malloc_core/tested.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/threads.h"

#define MEBI (1UL << 20)
/* From here on a block is a mapping. */
#define MAPPING_BYTES (4 * MEBI + 1)
#define NR_THREADS 6
#define NR_SHELVES 64

#ifdef __SANITIZE_THREAD__
/*
 * Defined in libc's place. ThreadSanitizer knows mmap() but not mremap(). When a mapping moves to
 * an address, it would take earlier accesses at this address for accesses to the mapping.
 */
void *mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...)
{
	void *to;

	if (new_bytes <= old_bytes)
		return (void *)syscall(SYS_mremap, old, old_bytes, new_bytes, 0);
	to = mmap(NULL, new_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return to;
	return (void *)syscall(SYS_mremap, old, old_bytes, new_bytes, flags | MREMAP_FIXED, to);
}
#endif

/* The stamp at a block's start; its last byte repeats it. */
struct block {
	size_t bytes;
	struct block *self;
};

/* Where threads leave blocks for each other. Sync: atomic exchange */
static struct block *shelves[NR_SHELVES];

static unsigned char last_byte(const struct block *block)
{
	return (unsigned char)(block->bytes * 7 + 1);
}

static void sign(struct block *block, size_t bytes)
{
	block->bytes = bytes;
	block->self = block;
	((unsigned char *)block)[bytes - 1] = last_byte(block);
}

static void expect_whole(struct kunit *test, const struct block *block)
{
	KUNIT_EXPECT_PTR_EQ(test, block->self, block);
	KUNIT_EXPECT_EQ(test, ((const unsigned char *)block)[block->bytes - 1], last_byte(block));
	KUNIT_EXPECT_GE(test, tested_malloc_usable_size((void *)block), block->bytes);
}

static void give_back(struct kunit *test, struct block *block)
{
	if (!block)
		return;
	expect_whole(test, block);
	block->self = NULL;
	tested_free(block);
}

static struct block *exchange(struct test_thread *thread, struct block *block)
{
	return __atomic_exchange_n(&shelves[prng_below(&thread->prng, NR_SHELVES)], block,
				   __ATOMIC_ACQ_REL);
}

static void clear_shelves(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_SHELVES; i++) {
		give_back(test, shelves[i]);
		shelves[i] = NULL;
	}
}

/* Mostly objects, sometimes pages of the window, rarely a mapping. */
static size_t mixed_bytes(struct prng *prng)
{
	size_t bytes = 32 * 1024 >> prng_below(prng, 10);

	if (prng_one_in(prng, 300))
		bytes = MAPPING_BYTES + MEBI;
	else if (prng_one_in(prng, 50))
		bytes = MEBI;
	return sizeof(struct block) + 1 + prng_below(prng, bytes);
}

static struct block *new_block(struct test_thread *thread, size_t bytes)
{
	size_t align = 16UL << prng_below(&thread->prng, 10);
	unsigned char *block;

	switch (prng_below(&thread->prng, 4)) {
	case 0:
		block = tested_calloc(1, bytes);
		KUNIT_ASSERT_NOT_NULL(thread->test, block);
		KUNIT_EXPECT_TRUE(thread->test, shadow_all_bytes(block, min(bytes, 4096UL), 0));
		KUNIT_EXPECT_EQ(thread->test, block[bytes - 1], 0);
		break;
	case 1:
		block = tested_memalign(align, bytes);
		KUNIT_EXPECT_EQ(thread->test, (unsigned long)block % align, 0);
		break;
	default:
		block = tested_malloc(bytes);
	}
	KUNIT_ASSERT_NOT_NULL(thread->test, block);
	sign((struct block *)block, bytes);
	return (struct block *)block;
}

static struct block *resized(struct test_thread *thread, struct block *block, size_t bytes)
{
	size_t old_bytes = block->bytes;

	expect_whole(thread->test, block);
	block = tested_realloc(block, bytes);
	KUNIT_ASSERT_NOT_NULL(thread->test, block);
	KUNIT_EXPECT_EQ(thread->test, block->bytes, old_bytes);
	sign(block, bytes);
	return block;
}

static void travel(struct test_thread *thread)
{
	for (unsigned int step = 0; step < TEST_STEPS(80000); step++) {
		size_t bytes = mixed_bytes(&thread->prng);
		struct block *block = exchange(thread, new_block(thread, bytes));

		if (block && prng_one_in(&thread->prng, 3))
			block = exchange(thread, resized(thread, block,
							 mixed_bytes(&thread->prng)));
		give_back(thread->test, block);
	}
}

static void test_malloc_blocks_travel(struct kunit *test)
{
	struct malloc_counts before, after;

	malloc_counts_read(&before);
	test_threads_run(test, NR_THREADS, travel, NULL);
	clear_shelves(test);
	malloc_counts_read(&after);
	KUNIT_EXPECT_GT(test, after.page_blocks, before.page_blocks);
	KUNIT_EXPECT_GT(test, after.large_allocations, before.large_allocations);
	KUNIT_EXPECT_EQ(test, after.large_blocks, before.large_blocks);
	KUNIT_EXPECT_EQ(test, after.mapped_bytes, before.mapped_bytes);
}

#define NR_MAPPINGS 80

/* More mappings than the table's first level has room for, made and moved at once. */
static void map_many(struct test_thread *thread)
{
	struct block *blocks[NR_MAPPINGS];

	for (unsigned int i = 0; i < NR_MAPPINGS; i++)
		blocks[i] = new_block(thread, MAPPING_BYTES);
	for (unsigned int step = 0; step < TEST_STEPS(16000); step++) {
		struct block **block = &blocks[prng_below(&thread->prng, NR_MAPPINGS)];
		size_t bytes = MAPPING_BYTES + prng_below(&thread->prng, MEBI);

		if (!*block)
			*block = new_block(thread, bytes);
		else if (prng_one_in(&thread->prng, 2))
			*block = resized(thread, *block, bytes);
		else
			*block = exchange(thread, *block);
	}
	for (unsigned int i = 0; i < NR_MAPPINGS; i++)
		give_back(thread->test, blocks[i]);
}

static void test_malloc_mappings(struct kunit *test)
{
	size_t blocks = mapped_counts.blocks;

	test_threads_run(test, NR_THREADS, map_many, NULL);
	clear_shelves(test);
	KUNIT_EXPECT_EQ(test, mapped_counts.blocks, blocks);
}

#define NR_ROUNDS TEST_STEPS(4000)

/* Each round's mapping, and the threads that were told that they freed it. */
struct contest {
	pthread_barrier_t round;
	void *block;
	unsigned int winners;	/* Sync: atomic relaxed */
};

static void free_the_same(struct test_thread *thread)
{
	struct contest *contest = thread->arg;

	for (unsigned int i = 0; i < NR_ROUNDS; i++) {
		if (!thread->index)
			contest->block = mapped_alloc(MAPPING_BYTES, 16, NULL);
		pthread_barrier_wait(&contest->round);
		if (mapped_free(contest->block, NULL))
			__atomic_fetch_add(&contest->winners, 1, __ATOMIC_RELAXED);
		pthread_barrier_wait(&contest->round);
	}
}

/* If several threads free a mapping, exactly one succeeds. */
static void test_malloc_mapping_is_freed_once(struct kunit *test)
{
	struct contest contest = { .winners = 0 };

	pthread_barrier_init(&contest.round, NULL, 3);
	test_threads_run(test, 3, free_the_same, &contest);
	pthread_barrier_destroy(&contest.round);
	KUNIT_EXPECT_EQ(test, contest.winners, NR_ROUNDS);
}

static struct kunit_case malloc_cases[] = {
	KUNIT_CASE_SLOW(test_malloc_blocks_travel),
	KUNIT_CASE_SLOW(test_malloc_mappings),
	KUNIT_CASE(test_malloc_mapping_is_freed_once),
	{ 0 },
};

static struct kunit_suite malloc_suite = { .name = "malloc_threads", .test_cases = malloc_cases };

kunit_test_suite(malloc_suite);
