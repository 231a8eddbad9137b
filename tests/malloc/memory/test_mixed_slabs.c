/* SPDX-License-Identifier: MIT */
/*
 * Sparse slabs serve other sizes, and their free pages go back (src/slab/mixed/mixed.h), here with
 * all of malloc's calls: blocks keep what they hold, memory stays bounded when sizes change, and a
 * forked child can free what it inherits. malloc_trim() makes all sparse slabs mixed ones.
 */
#include "harness.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "summary.h"
#include "support/prng.h"

#define NR_SLOTS 6000
#define NR_THREADS 3
#define STEPS 60000
#define NR_FORKS 15

struct block {
	unsigned char *start;
	size_t size;
	unsigned char stamp;
};

static void stamp(struct block *block, unsigned char value)
{
	block->stamp = value;
	memset(block->start, value, block->size);
}

static bool holds(const unsigned char *start, size_t bytes, unsigned char value)
{
	for (size_t i = 0; i < bytes; i++)
		if (start[i] != value)
			return false;
	return true;
}

static size_t random_size(struct prng *prng)
{
	return prng_below(prng, 1UL << prng_range(prng, 1, prng_one_in(prng, 50) ? 14 : 9)) + 1;
}

static void fill(struct block *block, struct prng *prng)
{
	size_t align = 16UL << prng_below(prng, 6);

	block->size = random_size(prng);
	switch (prng_below(prng, 5)) {
	case 0:
		block->start = calloc(1, block->size);
		REQUIRE(block->start && holds(block->start, block->size, 0));
		CHECK(holds(block->start, malloc_usable_size(block->start), 0));
		break;
	case 1:
		block->start = memalign(align, block->size);
		REQUIRE(block->start);
		CHECK((uintptr_t)block->start % align == 0);
		break;
	default:
		block->start = malloc(block->size);
		REQUIRE(block->start);
	}
	CHECK((uintptr_t)block->start % 16 == 0);
	CHECK(malloc_usable_size(block->start) >= block->size);
	stamp(block, (unsigned char)prng_below(prng, 256));
}

static void resize(struct block *block, struct prng *prng)
{
	size_t size = random_size(prng), kept = size < block->size ? size : block->size;

	block->start = realloc(block->start, size);
	REQUIRE(block->start);
	CHECK(holds(block->start, kept, block->stamp), "; %zu to %zu bytes", block->size, size);
	block->size = size;
	stamp(block, block->stamp);
}

static void empty(struct block *block)
{
	if (!block->start)
		return;
	CHECK(holds(block->start, block->size, block->stamp), "; %zu bytes", block->size);
	free(block->start);
	block->start = NULL;
}

static void thin_out(struct block *blocks, struct prng *prng)
{
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		if (prng_below(prng, 10))
			empty(&blocks[i]);
}

static void random_steps(struct block *blocks, unsigned int steps, struct prng *prng)
{
	for (unsigned int i = 0; i < steps; i++) {
		struct block *block = &blocks[prng_below(prng, NR_SLOTS)];

		if (!block->start)
			fill(block, prng);
		else if (prng_one_in(prng, 3))
			resize(block, prng);
		else if (prng_one_in(prng, 4))
			empty(block);
		if (prng_one_in(prng, 2 * NR_SLOTS))
			thin_out(blocks, prng);
		if (prng_one_in(prng, 1000))
			malloc_trim(0);
	}
}

static struct block slots[NR_THREADS][NR_SLOTS];

static void *work(void *arg)
{
	struct block *blocks = arg;
	struct prng prng = { (unsigned long)(blocks - slots[0]) };

	random_steps(blocks, STEPS / test_divisor(), &prng);
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		empty(&blocks[i]);
	return NULL;
}

/* musl has no mallinfo2(). */
static size_t bytes_in_use(void)
{
#ifdef __GLIBC__
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#else
	return 0;
#endif
}

static void all_calls(void)
{
	size_t before = bytes_in_use(), after;

	work(slots[0]);
	malloc_trim(0);
	after = bytes_in_use();
	CHECK(after < before + 64 * KIB, "; %zu and then %zu bytes", before, after);
}

static void with_threads(void)
{
	pthread_t threads[NR_THREADS];

	for (unsigned int i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, work, slots[i]));
	for (unsigned int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* The child checks and frees the forking thread's blocks while others' are half way. */
static void fork_child(struct block *blocks)
{
	struct prng prng = { 3 };

	harness.failures = 0;
	alarm(60 * slowness());
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		empty(&blocks[i]);
	random_steps(blocks, 2000, &prng);
	_exit(harness_status());
}

static void forks_beside_threads(void)
{
	static struct block own[NR_SLOTS];
	pthread_t threads[NR_THREADS - 1];
	struct prng prng = { 9 };
	int status;

	for (unsigned int i = 0; i < NR_THREADS - 1; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, work, slots[i]));
	for (unsigned int i = 0; i < NR_FORKS; i++) {
		pid_t child;

		random_steps(own, 1000, &prng);
		if (i % 3 == 2)
			thin_out(own, &prng);
		child = fork();
		REQUIRE(child >= 0);
		if (!child)
			fork_child(own);
		REQUIRE(waitpid(child, &status, 0) == child);
		CHECK(status == 0, "; the child's status is %#x", (unsigned int)status);
	}
	for (unsigned int i = 0; i < NR_THREADS - 1; i++)
		pthread_join(threads[i], NULL);
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		empty(&own[i]);
}

/*
 * 12 MiB are in use at most, and a tenth of each phase stays. Without mixed slabs each phase but
 * the first needs as much memory again.
 */
#define PHASE_BYTES (12 * MIB)

static void phases(void)
{
	static const size_t sizes[] = { 100, 40, 200, 130, 64, 320, 90 };
	static unsigned char *blocks[PHASE_BYTES / 40];
	static size_t bytes[PHASE_BYTES / 40];
	size_t before = resident_bytes(), live = 0, nr = 0, peak = 0;
	struct prng prng = { 2 };

	if (skip_with("hardened", "quarantines keep more") ||
	    skip_with("slab_cpu_cache", "such slabs stay") || skip_with("nodes", "such slabs stay"))
		return;
	for (size_t phase = 0; phase < ARRAY_SIZE(sizes); phase++) {
		size_t kept = 0, now;

		for (; live + sizes[phase] <= PHASE_BYTES && nr < ARRAY_SIZE(blocks); nr++) {
			blocks[nr] = malloc(sizes[phase]);
			REQUIRE(blocks[nr]);
			memset(blocks[nr], 1, sizes[phase]);
			bytes[nr] = sizes[phase];
			live += sizes[phase];
		}
		now = resident_bytes() - before;
		peak = now > peak ? now : peak;
		for (size_t i = 0; i < nr; i++) {
			if (!prng_one_in(&prng, 10)) {
				free(blocks[i]);
				live -= bytes[i];
				continue;
			}
			blocks[kept] = blocks[i];
			bytes[kept++] = bytes[i];
		}
		nr = kept;
	}
	dprintf(STDOUT_FILENO, "# at most %zu KiB\n", peak / KIB);
	CHECK(peak < PHASE_BYTES * 5 / 2, "; it is %zu KiB", peak / KIB);
	while (nr)
		free(blocks[--nr]);
}

/* Of each RUN_STEP blocks the first RUN stay: few enough for a mixed slab, and whole pages. */
#define RUN_BLOCKS 60000
#define RUN_STEP 400
#define RUN 90
#define RUN_SIZE 112
#define RUN_FREED 75
#define SLAB_BYTES (32 * KIB)

static char *run_blocks[RUN_BLOCKS];

/* Do the blocks of the run lie side by side in one slab? */
static bool is_in_one_slab(char *const *run)
{
	return run[RUN - 1] - run[0] == (RUN - 1) * RUN_SIZE &&
	       (uintptr_t)run[0] / SLAB_BYTES == (uintptr_t)run[RUN - 1] / SLAB_BYTES;
}

/* Pages inside a slab that stays go back, too. */
static void trim_tells_of_pages(void)
{
	unsigned int tries = 0, run = 0, given;

	if (skip_with("hardened", "such slabs stay") ||
	    skip_with("slab_cpu_cache", "such slabs stay") || skip_with("nodes", "such slabs stay"))
		return;
	for (unsigned int i = 0; i < RUN_BLOCKS; i++) {
		run_blocks[i] = malloc(RUN_SIZE);
		REQUIRE(run_blocks[i]);
	}
	for (unsigned int i = 0; i < RUN_BLOCKS; i++)
		if (i % RUN_STEP >= RUN)
			free(run_blocks[i]);
	while (malloc_trim(0) && tries++ < 10)
		;
	CHECK(tries < 10);
	CHECK(summary_number("mixed slabs of these") >
	      RUN_BLOCKS / RUN_STEP * RUN * RUN_SIZE / KIB);
	given = (unsigned int)summary_number("given back inside");
	CHECK(given > 0);
	while (run < RUN_BLOCKS && !is_in_one_slab(&run_blocks[run]))
		run += RUN_STEP;
	REQUIRE(run < RUN_BLOCKS);
	for (unsigned int i = 0; i < RUN_FREED; i++)
		free(run_blocks[run + i]);
	CHECK(malloc_trim(0) == 1);
	CHECK(summary_number("given back inside") > given);
	for (unsigned int i = 0; i < RUN_BLOCKS; i++)
		if (i % RUN_STEP < RUN && (i < run || i >= run + RUN_FREED))
			free(run_blocks[i]);
}

TEST_MAIN(
	{ "phases", phases, true },
	{ "trim_tells_of_pages", trim_tells_of_pages, false },
	{ "all_calls", all_calls, false },
	{ "with_threads", with_threads, false },
	{ "forks_beside_threads", forks_beside_threads, false },
)
