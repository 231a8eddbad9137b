/* SPDX-License-Identifier: MIT */
/*
 * Free memory in holes of two pages serves small blocks like any other memory, whatever the usual
 * size of their slabs. Each case is a process of its own, with a limit.
 */
#include <malloc.h>

#include "child.h"

#define HOLE_BYTES 8192
#define MAX_HOLES 100000
#define CHAIN_BYTES_MIN 48

static void *holes[MAX_HOLES];

/*
 * Allocates blocks until there are no more, then frees every second one. Returns the bytes of the
 * freed ones.
 */
static size_t make_holes(void)
{
	unsigned int nr = 0;

	while (nr < MAX_HOLES && (holes[nr] = aligned_alloc(HOLE_BYTES, HOLE_BYTES / 2)))
		nr++;
	REQUIRE(nr > 1000 && nr < MAX_HOLES);
	for (unsigned int i = 0; i < nr; i += 2)
		free(holes[i]);
	return nr / 2 * HOLE_BYTES;
}

struct chain {
	struct chain *next;
};

/* Allocates blocks until there are no more, and links them in a list. Returns how many. */
static size_t fill(size_t size, struct chain **all)
{
	size_t nr = 0;
	struct chain *block;

	*all = NULL;
	while ((block = malloc(size))) {
		memset(block, 0x5a, size);
		block->next = *all;
		*all = block;
		nr++;
	}
	return nr;
}

static void empty(struct chain *all)
{
	while (all) {
		struct chain *block = all;

		all = block->next;
		free(block);
	}
}

static void free_every_second(struct chain *all)
{
	while (all && all->next) {
		struct chain *block = all->next;

		all = all->next = block->next;
		free(block);
	}
}

static size_t bytes_in_use(void)
{
#ifdef __GLIBC__
	return mallinfo2().uordblks;
#else
	return 0;	/* musl has none */
#endif
}

/* The statistics count these free blocks as free. */
static void check_statistics(struct chain *all, size_t bytes)
{
	size_t before = bytes_in_use(), after;

	free_every_second(all);
	after = bytes_in_use();
	CHECK(!before || (before > after && before - after > bytes / 10 * 4), "; %zu, then %zu",
	      before, after);
}

/* A page's objects are no fewer than half of what would fit, hardened or not. */
static int use_holes(const char *size_text)
{
	size_t size = strtoul(size_text, NULL, 10), bytes = make_holes();
	struct chain *all;
	size_t first = fill(size, &all), again;

	REQUIRE(size >= CHAIN_BYTES_MIN);
	CHECK(first * size > bytes / 2, "; %zu blocks of %zu bytes in holes of %zu", first, size,
	      bytes);
	check_statistics(all, first * size);
	empty(all);
	again = fill(size, &all);
	CHECK(again + again / 50 >= first, "; %zu blocks, then %zu", first, again);
	empty(all);
	/* The pages are free again: they are holes once more. */
	malloc_trim(0);
	CHECK(aligned_alloc(HOLE_BYTES, HOLE_BYTES));
	return harness_status();
}

static void expect_holes_used(const char *size, const char *options)
{
	struct child_again again = { "--use", size, options, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s bytes, %s: wait status %#x %s",
	      size, options, result.status, result.err);
}

static void holes_hold_small_blocks(void)
{
	static const char *const sizes[] = { "300", "500", "1000", "3000", "4096" };

	/* From 256 MiB on slabs are of 32 KiB. */
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i += test_divisor() == 1 ? 1 : 2)
		expect_holes_used(sizes[i], "limit=260M");
	expect_holes_used("1000", "limit=100M");
}

static void hardened_ones_too(void)
{
	expect_holes_used("300", "limit=260M:hardened=1");
	expect_holes_used("1000", "limit=260M:hardened=1");
}

static void debugged_ones_too(void)
{
	expect_holes_used("520", "limit=260M:slab_debug=Z");
}

/* --- Failing on purpose ---------------------------------------------------------- */

static int count_failures(const char *size_text)
{
	size_t size = strtoul(size_text, NULL, 10);
	unsigned int failed = 0;

	for (unsigned int i = 0; i < 3000; i++)
		failed += !malloc(size);
	fprintf(stderr, "%u\n", failed);
	return 0;
}

/* Every second request is to fail; then no other slabs are tried. */
static void what_fails_on_purpose_fails(void)
{
	static const struct {
		const char *size, *options;
		unsigned int least, most;
	} faults[] = {
		{ "100", "failslab=2,100,0,-1,ignore-gfp-wait=0", 1400, 1600 },
		{ "5000", "failslab=2,100,0,-1,ignore-gfp-wait=0", 1400, 1600 },
		{ "100", "hardened=1:failslab=2,100,0,-1,ignore-gfp-wait=0", 1400, 1600 },
		{ "1000", "fail_page_alloc=2,100,0,-1,min-order=0,ignore-gfp-wait=0", 30, 1600 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		struct child_again again = { "--faults", faults[i].size, faults[i].options, 0 };
		struct child_result result;
		unsigned long failed;

		child_run(&result, child_exec_again, &again);
		failed = strtoul(result.err, NULL, 10);
		CHECK(child_exited(result.status, 0) && failed >= faults[i].least &&
		      failed <= faults[i].most, "; %s: %lu failed, wait status %#x",
		      faults[i].options, failed, result.status);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "holes_hold_small_blocks", holes_hold_small_blocks, true },
		{ "hardened_ones_too", hardened_ones_too, true },
		{ "debugged_ones_too", debugged_ones_too, true },
		{ "what_fails_on_purpose_fails", what_fails_on_purpose_fails, true },
	};

	if (argc > 2 && !strcmp(argv[1], "--use"))
		return use_holes(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--faults"))
		return count_failures(argv[2]);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
