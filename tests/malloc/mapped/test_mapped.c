/* SPDX-License-Identifier: MIT */
/* Blocks that are mappings of their own: many of them, in several threads. */
#include <malloc.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "child.h"
#include "support/prng.h"

#define NR_THREADS 4
#define NR_BLOCKS 280
#define SMALLEST (33 * MIB)	/* from 32 MiB on glibc maps each block, too */

struct huge {
	unsigned long *start;
	size_t size;
};

static unsigned long *last_word(const struct huge *block)
{
	return block->start + block->size / sizeof(unsigned long) - 1;
}

/* Only the ends are touched. */
static void mark(const struct huge *block)
{
	*block->start = block->size;
	*last_word(block) = ~block->size;
}

static void check_mark(const struct huge *block)
{
	CHECK(*block->start == block->size && *last_word(block) == ~block->size,
	      "; %p, %zu bytes", (void *)block->start, block->size);
}

static size_t huge_size(struct prng *prng)
{
	return SMALLEST + prng_below(prng, 40 * MIB) / 64 * 64;
}

static struct huge huge_alloc(struct prng *prng)
{
	struct huge block = { NULL, huge_size(prng) };

	block.start = prng_one_in(prng, 2) ? malloc(block.size) : calloc(block.size, 1);
	REQUIRE(block.start);
	mark(&block);
	return block;
}

static void huge_resize(struct prng *prng, struct huge *block)
{
	size_t old_size = block->size;
	unsigned long old_end = *last_word(block);

	block->size = prng_one_in(prng, 4) ? huge_size(prng) :
		      old_size - old_size / 8 / 64 * 64 + prng_below(prng, 2 * MIB) / 64 * 64;
	block->start = realloc(block->start, block->size);
	REQUIRE(block->start);
	CHECK(*block->start == old_size);
	if (block->size >= old_size)
		CHECK(block->start[old_size / sizeof(unsigned long) - 1] == old_end);
	mark(block);
}

static void *random_work(void *seed)
{
	struct prng prng = { (unsigned long)seed };
	struct huge blocks[NR_BLOCKS] = { { NULL, 0 } };

	for (unsigned int step = 0; step < 20000; step++) {
		struct huge *block = &blocks[prng_below(&prng, NR_BLOCKS)];

		if (!block->start) {
			*block = huge_alloc(&prng);
			continue;
		}
		check_mark(block);
		if (prng_one_in(&prng, 3)) {
			free(block->start);
			block->start = NULL;
		} else {
			huge_resize(&prng, block);
		}
	}
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		free(blocks[i].start);
	return NULL;
}

static void random_operations(void)
{
	pthread_t threads[NR_THREADS];

	for (unsigned long i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, random_work, (void *)(i + 1)));
	for (unsigned int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* --- The number of blocks grows while others change their size ------------------ */

/* Sync: atomic relaxed */
static bool stopped;
static unsigned int nr_running;

static void *resize_for_ever(void *seed)
{
	struct prng prng = { (unsigned long)seed };
	struct huge block = huge_alloc(&prng);

	__atomic_fetch_add(&nr_running, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED)) {
		check_mark(&block);
		huge_resize(&prng, &block);
	}
	free(block.start);
	return NULL;
}

static void grow_in_number(void *seed)
{
	struct prng prng = { (unsigned long)seed };
	struct huge blocks[NR_BLOCKS];
	pthread_t threads[NR_THREADS];

	for (unsigned long i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, resize_for_ever, (void *)i));
	while (__atomic_load_n(&nr_running, __ATOMIC_RELAXED) < NR_THREADS)
		sleep_us(50);
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = huge_alloc(&prng);
		sleep_us(10);	/* the others get on with it */
	}
	__atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		check_mark(&blocks[i]);
		free(blocks[i].start);
	}
}

static void growth_in_number_amid_realloc(void)
{
	struct child_result result;

	for (unsigned long seed = 1; seed <= 12; seed++) {
		child_run(&result, grow_in_number, (void *)seed);
		CHECK(child_exited(result.status, 0) && !*result.err,
		      "; seed %lu: wait status %#x %s", seed, result.status, result.err);
	}
}

/* --- No memory for the allocator's own tables -------------------------- */

#define EXACT_BYTES (40 * MIB)
/* A mapping has a page more than its block. */
#define MAPPED_BYTES (EXACT_BYTES + (size_t)sysconf(_SC_PAGESIZE))

/* The address space may grow by so many bytes and no more. */
static void limit_growth(size_t bytes)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128] = "";

	REQUIRE(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	limit.rlim_cur = strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) + bytes;
	REQUIRE(!setrlimit(RLIMIT_AS, &limit));
}

/*
 * Allocates blocks until there is room for one more block, but none for its entry in a table. Then
 * all blocks move, and free() still recognises each.
 */
static void move_without_memory(void *arg)
{
	static struct huge blocks[5000];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int nr = 0, moved = 0;

	(void)arg;
	for (; nr < ARRAY_SIZE(blocks); nr++) {
		if (nr)	/* the first one may need room for more */
			limit_growth(MAPPED_BYTES);
		blocks[nr] = (struct huge){ malloc(EXACT_BYTES), EXACT_BYTES };
		if (!blocks[nr].start)
			break;
		mark(&blocks[nr]);
	}
	CHECK(nr >= 100 && nr < ARRAY_SIZE(blocks), "; %u blocks", nr);
	for (unsigned int i = 0; i < nr; i++) {
		unsigned long *start;

		limit_growth(page);
		start = realloc(blocks[i].start, EXACT_BYTES + page);
		if (!start)
			continue;
		moved += start != blocks[i].start;
		blocks[i].start = start;
		check_mark(&blocks[i]);
	}
	/* Others have room behind them. */
	CHECK(moved >= nr / 3, "; %u of %u blocks moved", moved, nr);
	for (unsigned int i = 0; i < nr; i++) {
		check_mark(&blocks[i]);
		CHECK(malloc_usable_size(blocks[i].start) >= EXACT_BYTES);
		free(blocks[i].start);
	}
}

static void moves_without_memory(void)
{
	struct child_result result;

	child_run(&result, move_without_memory, NULL);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

/*
 * Thousands of ends are touched, each of which may become a huge page where the
 * kernel is free to choose: gigabytes, and the time to clear them.
 */
__attribute__((__constructor__))
static void have_small_pages(void)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* This case comes first: its children start from a process that never had such a block. */
TEST_MAIN({ "growth_in_number_amid_realloc", growth_in_number_amid_realloc, false },
	  { "moves_without_memory", moves_without_memory, true },
	  { "random_operations", random_operations, false })
