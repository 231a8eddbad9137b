/* SPDX-License-Identifier: MIT */
/*
 * Blocks that realloc() makes larger step by step: their contents, and the memory that they take.
 * test_shrink.c has those that it makes smaller.
 */
#include "harness.h"

#include <sys/resource.h>

#define FIRST_BYTES (4 * KIB)
#define LAST_BYTES (4 * MIB)
#define SMALL_STEP 1000
#define NR_TURNS 64

static unsigned char content(size_t i)
{
	return (unsigned char)(i * 7 + i / 4096);
}

static void fill(unsigned char *block, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		block[i] = content(i);
}

static size_t nr_wrong(const unsigned char *block, size_t bytes)
{
	size_t nr = 0;

	for (size_t i = 0; i < bytes; i++)
		nr += block[i] != content(i);
	return nr;
}

static unsigned char *grow(unsigned char *block, size_t from, size_t to)
{
	block = realloc(block, to);
	REQUIRE(block != NULL);
	if (from < to)
		fill(block, from, to);
	return block;
}

/* By half its size a time, as strings and arrays do. */
static unsigned char *grow_to_last(size_t *size)
{
	unsigned char *block = grow(NULL, 0, FIRST_BYTES);

	for (*size = FIRST_BYTES; *size + *size / 2 <= LAST_BYTES; *size += *size / 2)
		block = grow(block, *size, *size + *size / 2);
	return block;
}

/* The steps before the last one do not stay behind as memory. */
static void takes_what_it_has(void)
{
	size_t before = resident_bytes(), after, size;
	unsigned char *block = grow_to_last(&size);

	after = resident_bytes();
	CHECK(nr_wrong(block, size) == 0);
	CHECK(after < before + size / 2 * 3, "; %zu KiB took %zu", size / KIB,
	      (after - before) / KIB);
	free(block);
}

static void small_steps(void)
{
	unsigned char *block = NULL;
	size_t size;

	for (size = 0; size < MIB; size += SMALL_STEP)
		block = grow(block, size, size + SMALL_STEP);
	CHECK(nr_wrong(block, size) == 0);
	for (; size > 16 * SMALL_STEP; size -= 16 * SMALL_STEP)
		block = grow(block, size, size - 16 * SMALL_STEP);
	CHECK(nr_wrong(block, size) == 0);
	free(block);
}

/* Past the largest block of pages and back. */
static void up_and_down(void)
{
	static const size_t sizes[] = {
		100 * KIB, 128 * KIB, 3 * MIB, 5 * MIB, 4 * MIB, 20 * MIB, 4 * MIB + 1, MIB,
		127 * KIB, 129 * KIB, 128 * KIB - 1, 300 * KIB, 100, 200 * KIB,
	};
	unsigned char *block = NULL;
	size_t before = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		block = grow(block, before, sizes[i]);
		CHECK(nr_wrong(block, sizes[i]) == 0, "; at %zu bytes", sizes[i]);
		before = sizes[i];
	}
	free(block);
}

/* Blocks that grow to their last size and go again; the page faults that they cost. */
static long faults_of_turns(void)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < NR_TURNS; i++) {
		unsigned char *block = NULL;

		for (size_t size = FIRST_BYTES; size <= LAST_BYTES; size *= 2) {
			block = realloc(block, size);
			REQUIRE(block != NULL);
			for (size_t at = 0; at < size; at += FIRST_BYTES)
				block[at] = 1;
		}
		free(block);
	}
	getrusage(RUSAGE_SELF, &after);
	return after.ru_minflt - before.ru_minflt;
}

/* A block that grows and is freed, again and again, does not get new pages each time. */
static void turns_use_warm_memory(void)
{
	long faults;

	faults_of_turns();
	faults = faults_of_turns();
	CHECK(faults < NR_TURNS / 2 * (long)(LAST_BYTES / FIRST_BYTES), "; %ld faults", faults);
}

/* --- Sizes that the free names --------------------------------------------------- */

/*
 * A sized free with the size that the program knows is right, whatever realloc() did with the
 * block.
 */
static void sized_frees_fit(void)
{
	void (*free_sized)(void *, size_t) =
		(void (*)(void *, size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "free_sized");
	void (*free_aligned_sized)(void *, size_t, size_t) =
		(void (*)(void *, size_t, size_t))(uintptr_t)dlsym(RTLD_DEFAULT,
								   "free_aligned_sized");

	REQUIRE(free_sized && free_aligned_sized);
	for (size_t size = 1; size <= 32 * MIB; size += size / 3 + 1) {
		size_t sizes[] = { size * 2, size / 2 + 1, size, size + size / 20 + 1 };
		void *block = malloc(size);

		for (size_t i = 0; block && i < ARRAY_SIZE(sizes); i++) {
			block = realloc(block, sizes[i]);
			REQUIRE(block);
			free_sized(opaque(block), sizes[i]);
			block = malloc(sizes[i]);
		}
		free(block);
	}
	for (size_t align = 16; align <= 16 * MIB; align *= 2)
		for (size_t size = 0; size <= 9 * MIB; size += size * 2 + 1)
			free_aligned_sized(opaque(aligned_alloc(align, size)), align, size);
}

TEST_MAIN({ "takes_what_it_has", takes_what_it_has, true },
	  { "sized_frees_fit", sized_frees_fit, true },
	  { "small_steps", small_steps, false },
	  { "up_and_down", up_and_down, false },
	  { "turns_use_warm_memory", turns_use_warm_memory, true })
