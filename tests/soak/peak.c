/* SPDX-License-Identifier: MIT */
/*
 * A program has a peak of memory, frees it, and does nothing more: how much stays resident? There
 * are two such peaks, of blocks of mixed sizes that are freed in mixed order. After the first peak
 * the program makes no call; after the second one it calls malloc_trim(). It runs under any malloc.
 *
 *	peak MIB	the peak's size; 0: 4 GiB, or half of the memory that is there
 *
 * One line for each step. Exit status 1 if more than a 20th of the peak is left 10 seconds
 * after the first, or one second after the call.
 */
#include <malloc.h>
#include <sys/mman.h>

#include "harness.h"
#include "support/prng.h"

#define MOST_BYTES (4UL << 30)
#define SHARE 20
#define SECONDS_ALONE 10

static void **blocks;
static size_t nr_blocks;

/* 16 bytes to 64 KiB; all doublings have the same number of bytes in all. */
static size_t some_size(struct prng *prng, size_t *doubling)
{
	size_t least = 16UL << *doubling;

	*doubling = (*doubling + 1) % 12;
	return least + prng_below(prng, (unsigned int)least);
}

/* Small blocks come in runs, so that each doubling has its share of the bytes. */
static void take(size_t bytes, struct prng *prng)
{
	size_t taken = 0, doubling = 0;

	for (nr_blocks = 0; taken < bytes; ) {
		size_t size = some_size(prng, &doubling), run = (32UL << 10) / size + 1;

		for (; run && taken < bytes; run--, nr_blocks++) {
			blocks[nr_blocks] = malloc(size);
			REQUIRE(blocks[nr_blocks]);
			memset(blocks[nr_blocks], 1, size);
			taken += size;
		}
	}
}

static void give_back(struct prng *prng)
{
	for (size_t i = nr_blocks; i-- > 0; ) {
		size_t other = prng_below(prng, (unsigned int)(i + 1));

		free(blocks[other]);
		blocks[other] = blocks[i];
	}
}

static bool show(const char *when, size_t before, size_t peak)
{
	size_t now = resident_bytes(), left = now > before ? now - before : 0;

	printf("%s: %zu MiB, %.1f %% of the peak\n", when, now / MIB,
	       100.0 * (double)left / (double)peak);
	fflush(stdout);
	return left <= peak / SHARE;
}

static size_t half_of_memory(void)
{
	return (size_t)sysconf(_SC_AVPHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
	size_t wished = argc > 1 ? strtoul(argv[1], NULL, 10) * MIB : 0, before, peak;
	struct prng prng = { .state = 1 };
	size_t bytes = wished ? wished : MOST_BYTES;
	bool went_well;

	if (!wished && half_of_memory() < bytes)
		bytes = half_of_memory();
	/* Mapped by itself, so that it is no part of the peak. */
	blocks = mmap(NULL, bytes / 16 * sizeof(*blocks), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	REQUIRE(blocks != MAP_FAILED);
	before = resident_bytes();
	take(bytes, &prng);
	peak = resident_bytes() - before;
	show("peak", before, peak);
	give_back(&prng);
	REQUIRE(!madvise(blocks, bytes / 16 * sizeof(*blocks), MADV_DONTNEED));
	show("freed", before, peak);
	sleep(SECONDS_ALONE);
	went_well = show("10 seconds later", before, peak);
	take(bytes, &prng);
	give_back(&prng);
	REQUIRE(!madvise(blocks, bytes / 16 * sizeof(*blocks), MADV_DONTNEED));
	malloc_trim(0);
	sleep(1);
	went_well &= show("another peak, and malloc_trim()", before, peak);
	return went_well ? 0 : 1;
}
