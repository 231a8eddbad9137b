/* SPDX-License-Identifier: MIT */
/*
 * Random operations by several threads against a model: who owns which memory
 * (owner_map.h), and a stamp at both ends of every block that no other block
 * would have. Blocks also travel to the next thread, which frees them.
 */
#include "harness.h"

#include <malloc.h>
#include <pthread.h>

#include "owner_map.h"
#include "support/prng.h"

#define NR_THREADS 4
#define NR_SLOTS 800
#define RING_BLOCKS 256
#define THREAD_BYTES_MAX (96 * MIB)
#define STEPS 200000
#define SECONDS_MAX 4
/* Each thread's, however long they take on a machine that has much else to do. */
#define STEPS_MIN 2500

struct block {
	unsigned char *start;
	size_t size;
};

/* Sync: one writer, one reader; head and tail are release/acquire. */
struct ring {
	struct block blocks[RING_BLOCKS];
	unsigned int head, tail;
};

static struct worker {
	pthread_t thread;
	struct prng prng;
	struct block slots[NR_SLOTS];
	size_t bytes;		/* in the slots */
	unsigned long steps;
	struct ring *in, *out;
} workers[NR_THREADS];

static struct ring rings[NR_THREADS];
static double deadline;
static bool stopped;	/* Sync: atomic relaxed */

/* --- One block ---------------------------------------------------------------- */

static uint64_t stamp_of(const struct block *block)
{
	return ((uint64_t)(uintptr_t)block->start ^ block->size * 0x9e3779b97f4a7c15UL) *
	       0xd6e8feb86659fd93UL;
}

static void put_stamps(const struct block *block)
{
	uint64_t stamp = stamp_of(block);
	size_t part = block->size < sizeof(stamp) ? block->size : sizeof(stamp);

	memcpy(block->start, &stamp, part);
	memcpy(block->start + block->size - part, &stamp, part);
}

/* Below two stamps' length the ends overlap and only the last one is whole. */
static void check_stamps(const struct block *block)
{
	uint64_t stamp = stamp_of(block);
	size_t part = block->size < sizeof(stamp) ? block->size : sizeof(stamp);

	CHECK(!memcmp(block->start + block->size - part, &stamp, part),
	      "; end of %p, %zu bytes", (void *)block->start, block->size);
	if (block->size >= 2 * sizeof(stamp))
		CHECK(!memcmp(block->start, &stamp, part), "; start of %p, %zu bytes",
		      (void *)block->start, block->size);
}

/* Log-uniform from 0 to 8 MiB. */
static size_t random_size(struct prng *prng)
{
	size_t top = 1UL << prng_below(prng, 24);

	return prng_one_in(prng, 50) ? top - 1 : prng_below(prng, top);
}

/* Large blocks: the first bytes of every page. */
static bool looks_zero(const unsigned char *start, size_t size)
{
	size_t stride = size > 64 * KIB ? 4096 : 1;

	for (size_t i = 0; i < size; i += stride)
		if (start[i])
			return false;
	return !size || !start[size - 1];
}

static struct block new_block(struct prng *prng)
{
	struct block block = { NULL, random_size(prng) };
	size_t align = 16;
	void *aligned = NULL;

	switch (prng_below(prng, 8)) {
	case 0:
	case 1:
		block.start = calloc(1, block.size);
		CHECK(block.start && looks_zero(block.start, block.size), "; calloc(%zu)",
		      block.size);
		break;
	case 2:
		align = 8UL << prng_below(prng, 14);
		CHECK(!posix_memalign(&aligned, align, block.size));
		block.start = aligned;
		break;
	case 3:
		block.start = realloc(NULL, block.size);
		break;
	default:
		block.start = malloc(block.size);
	}
	REQUIRE(block.start, "; size %zu", block.size);
	CHECK(!((uintptr_t)block.start & (align - 1)));
	CHECK(owner_map_claim(block.start, block.size), "; %p, %zu bytes", (void *)block.start,
	      block.size);
	put_stamps(&block);
	return block;
}

static void free_block(const struct block *block)
{
	if (!block->start)
		return;
	check_stamps(block);
	CHECK(owner_map_release(block->start, block->size));
	free(block->start);
}

static void resize_block(struct prng *prng, struct block *block)
{
	struct block old = *block;
	size_t kept;
	bool stamped;

	block->size = prng_one_in(prng, 3) ? random_size(prng) :
		      old.size / 2 + prng_below(prng, old.size + 2);
	block->size += !block->size;
	kept = old.size < block->size ? old.size : block->size;
	check_stamps(&old);
	CHECK(owner_map_release(old.start, old.size));
	block->start = realloc(old.start, block->size);
	REQUIRE(block->start);
	CHECK(owner_map_claim(block->start, block->size));
	stamped = kept < 16 || *(uint64_t *)block->start == stamp_of(&old);
	CHECK(stamped, "; realloc from %zu to %zu lost the start", old.size, block->size);
	if (kept == old.size && kept >= 8)
		CHECK(!memcmp(block->start + kept - 8, &(uint64_t){ stamp_of(&old) }, 8),
		      "; realloc from %zu to %zu lost the end", old.size, block->size);
	put_stamps(block);
}

/* --- Rings -------------------------------------------------------------------- */

static bool ring_put(struct ring *ring, const struct block *block)
{
	/* pairs with ring_get(): the place is free again */
	if (ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) == RING_BLOCKS)
		return false;
	ring->blocks[ring->head % RING_BLOCKS] = *block;
	/* pairs with ring_get(): the block and its content */
	__atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
	return true;
}

static bool ring_get(struct ring *ring, struct block *block)
{
	if (ring->tail == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
		return false;
	*block = ring->blocks[ring->tail % RING_BLOCKS];
	__atomic_store_n(&ring->tail, ring->tail + 1, __ATOMIC_RELEASE);
	return true;
}

/* --- Random work -------------------------------------------------------------- */

static void step(struct worker *worker)
{
	struct block *slot = &worker->slots[prng_below(&worker->prng, NR_SLOTS)];
	unsigned int what = prng_below(&worker->prng, 10);
	struct block received;

	worker->bytes -= slot->size;
	if (slot->start && what < 2) {
		resize_block(&worker->prng, slot);
	} else {
		if (!slot->start || what >= 5 || !ring_put(worker->out, slot))
			free_block(slot);
		*slot = (struct block){ NULL, 0 };
		if (what != 9 && worker->bytes < THREAD_BYTES_MAX)
			*slot = new_block(&worker->prng);
	}
	worker->bytes += slot->size;
	if (ring_get(worker->in, &received))
		free_block(&received);
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	while (worker->steps < STEPS_MIN ||
	       (worker->steps < STEPS && seconds_now() < deadline)) {
		step(worker);
		worker->steps++;
	}
	return NULL;
}

static void random_operations(void)
{
	struct block block;
	unsigned long steps = 0;

	owner_map_init();
	memset(rings, 0, sizeof(rings));
	deadline = seconds_now() + SECONDS_MAX;
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		workers[i].prng.state = 100 + i;
		workers[i].in = &rings[i];
		workers[i].out = &rings[(i + 1) % NR_THREADS];
		REQUIRE(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		steps += workers[i].steps;
	}
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		for (unsigned int j = 0; j < NR_SLOTS; j++)
			free_block(&workers[i].slots[j]);
		while (ring_get(&rings[i], &block))
			free_block(&block);
	}
	dprintf(STDOUT_FILENO, "# %lu steps\n", steps);
	CHECK(steps >= NR_THREADS * STEPS_MIN);
}

/* --- Many produce, one consumes ------------------------------------------------ */

#define NR_PRODUCERS 3
#define LIVE_MAX (64 * MIB)
#define CONSUME_SECONDS 4

/* Sync: atomic relaxed */
static size_t live_bytes;
static unsigned int phase;

/* Every half second the blocks are of other sizes. */
static size_t phase_size(struct prng *prng)
{
	static const size_t largest[] = { 64, 4000, 400, 60000, 1000, 300000, 24000, 16 };
	size_t top = largest[__atomic_load_n(&phase, __ATOMIC_RELAXED) % ARRAY_SIZE(largest)];

	return 16 + top / 2 + prng_below(prng, top / 2);
}

static void *produce(void *arg)
{
	struct ring *ring = arg;
	struct prng prng = { (unsigned long)(ring - rings) };
	struct block block;

	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED)) {
		block.size = phase_size(&prng);
		if (__atomic_load_n(&live_bytes, __ATOMIC_RELAXED) + block.size > LIVE_MAX) {
			sleep_us(100);
			continue;
		}
		__atomic_fetch_add(&live_bytes, block.size, __ATOMIC_RELAXED);
		block.start = malloc(block.size);
		REQUIRE(block.start);
		memset(block.start, 1, block.size);
		put_stamps(&block);
		while (!ring_put(ring, &block))
			sleep_us(50);
	}
	return NULL;
}

/* Keeps a window of the latest blocks alive, freed in another order than made. */
static size_t consume(double end)
{
	static struct block kept[4096];
	struct prng prng = { 5 };
	double start = seconds_now(), now;
	size_t peak = 0, resident;

	while ((now = seconds_now()) < end) {
		__atomic_store_n(&phase, (unsigned int)((now - start) * 2), __ATOMIC_RELAXED);
		for (unsigned int i = 0; i < 300; i++) {
			struct block *slot = &kept[prng_below(&prng, ARRAY_SIZE(kept))];

			if (slot->start) {
				check_stamps(slot);
				free(slot->start);
				__atomic_fetch_sub(&live_bytes, slot->size, __ATOMIC_RELAXED);
				*slot = (struct block){ NULL, 0 };
			}
			if (!ring_get(&rings[i % NR_PRODUCERS], slot))
				continue;
		}
		resident = resident_bytes();
		peak = resident > peak ? resident : peak;
	}
	return peak;
}

static void producers_and_one_consumer(void)
{
	pthread_t threads[NR_PRODUCERS];
	size_t before, peak;
	struct block block;

	memset(rings, 0, sizeof(rings));
	before = resident_bytes();
	for (unsigned int i = 0; i < NR_PRODUCERS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, produce, &rings[i]));
	peak = consume(seconds_now() + CONSUME_SECONDS);
	__atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_PRODUCERS; i++) {
		/* It may be waiting for room. */
		if (ring_get(&rings[i], &block))
			free(block.start);
		pthread_join(threads[i], NULL);
	}
	dprintf(STDOUT_FILENO,
		"# %lu MiB live, %lu MiB resident before, %lu MiB at the peak\n",
		LIVE_MAX / MIB, before / MIB, peak / MIB);
	/*
	 * Freed pages stay with the process up to 64 MiB (page/reclaim/release.c), and up to 32 MiB
	 * of the earlier phases' objects as batches (slab/sheaf/barn.c), until a second or two have
	 * passed.
	 */
	CHECK(peak <= before + 2 * LIVE_MAX + 64 * MIB);
}

/* The case with bounded memory comes first: it needs a process that has freed nothing yet. */
TEST_MAIN({ "producers_and_one_consumer", producers_and_one_consumer, false },
	  { "random_operations", random_operations, false })
