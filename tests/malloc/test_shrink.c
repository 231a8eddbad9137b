/* SPDX-License-Identifier: MIT */
/*
 * Blocks that realloc() makes smaller: which small blocks stay in place, their contents, and that
 * no block keeps much more memory than it needs. hardened=1 and slab debugging have the same rule.
 */
#include <malloc.h>

#include "child.h"

#define LAST_BYTES (32 * KIB)
/* A difference that is not worth a move; also glibc's smallest block. */
#define LITTLE_BYTES 32UL
#define GRANULE_BYTES 16UL

static size_t rounded(size_t size)
{
	return (size + GRANULE_BYTES - 1) / GRANULE_BYTES * GRANULE_BYTES;
}

static void fill(unsigned char *block, size_t size)
{
	for (size_t i = 0; i < size; i++)
		block[i] = (unsigned char)(i * 7 + size);
}

static size_t nr_wrong(const unsigned char *block, size_t from, size_t to)
{
	size_t nr = 0;

	for (size_t i = 0; i < to; i++)
		nr += block[i] != (unsigned char)(i * 7 + from);
	return nr;
}

/* Does a block of `from` bytes stay in place when it is made `to` bytes? */
static bool stays(size_t from, size_t to)
{
	unsigned char *block = malloc(from), *resized;
	uintptr_t place = (uintptr_t)block;
	bool stayed;

	REQUIRE(block);
	fill(block, from);
	resized = realloc(block, to);
	REQUIRE(resized);
	CHECK(!nr_wrong(resized, from, to), "; %zu to %zu bytes", from, to);
	stayed = (uintptr_t)resized == place;
	free(resized);
	return stayed;
}

static void little_is_not_worth_a_move(void)
{
	for (size_t from = 1; from <= LITTLE_BYTES; from++)
		for (size_t to = 1; to <= from; to++)
			CHECK(stays(from, to), "; %zu to %zu bytes", from, to);
}

static void half_used_blocks_stay(void)
{
	for (size_t from = 2; from <= LAST_BYTES; from += 1 + from / 16)
		for (size_t to = (from + 1) / 2 + from / 8 + 1; to <= from; to += 1 + from / 64)
			CHECK(stays(from, to), "; %zu to %zu bytes", from, to);
}

/* A block that was cut down to little takes little. */
static void nearly_empty_blocks_move(void)
{
	for (size_t from = 2 * LITTLE_BYTES; from <= LAST_BYTES; from += 1 + from / 16)
		for (size_t to = 1; to < from / 2; to += 1 + from / 64) {
			void *block = realloc(malloc(from), to);
			size_t usable = malloc_usable_size(block);

			CHECK(usable <= 2 * to || usable < rounded(to) + LITTLE_BYTES,
			      "; %zu to %zu bytes: %zu", from, to, usable);
			free(block);
		}
}

/* Mappings: the part that is cut off goes back, and the rest can grow again. */
static void large_blocks_are_cut(void)
{
	static const size_t sizes[] = { 20 * MIB, 16 * MIB, 13 * MIB, 8 * MIB, 18 * MIB, 5 * MIB };
	size_t before = resident_bytes(), kept = 24 * MIB;
	unsigned char *block = malloc(kept);

	REQUIRE(block);
	fill(block, kept);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		block = realloc(block, sizes[i]);
		REQUIRE(block);
		kept = sizes[i] < kept ? sizes[i] : kept;
		CHECK(resident_bytes() < before + kept + 2 * MIB, "; %zu bytes of %zu: %zu",
		      sizes[i], kept, resident_bytes() - before);
		CHECK(!nr_wrong(block, 24 * MIB, kept), "; at %zu bytes", sizes[i]);
	}
	free(block);
}

/* Making a block a little smaller makes no system call. */
static void small_cuts_are_none(void)
{
	void *block = malloc(64 * MIB);
	size_t usable = malloc_usable_size(block);

	for (size_t size = 63 * MIB; size > 57 * MIB; size -= MIB) {
		block = realloc(block, size);
		REQUIRE(block);
		CHECK(malloc_usable_size(block) == usable, "; at %zu bytes", size);
	}
	free(block);
}

static int run_where_sizes_are_exact(void)
{
	large_blocks_are_cut();
	little_is_not_worth_a_move();
	half_used_blocks_stay();
	CHECK(!stays(1000, 1));
	return harness_status();
}

/* Red zones and seals count what was asked for. */
static void watched_blocks_as_well(void)
{
	static const char *const options[] = { "hardened=1", "slab_debug=FZPU" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--exact", options[i]);
}

/* Allocates all memory, in blocks of falling sizes, each with the address of the one before. */
static void **take_all(void)
{
	void **last = NULL;

	for (size_t size = MIB; size >= 16; size /= 2) {
		void **block;

		while ((block = malloc(size))) {
			*block = last;
			last = block;
		}
	}
	return last;
}

static int run_without_memory(void)
{
	static const struct {
		size_t from, to;
	} cuts[] = { { 30000, 20 }, { 200000, 100 }, { 3 * MIB, 70000 }, { 40000, 1000 } };
	unsigned char *blocks[ARRAY_SIZE(cuts)];
	void **all;

	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		blocks[i] = malloc(cuts[i].from);
		REQUIRE(blocks[i]);
		fill(blocks[i], cuts[i].from);
	}
	all = take_all();
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		errno = 12345;
		blocks[i] = realloc(blocks[i], cuts[i].to);
		REQUIRE(blocks[i], "; %zu to %zu bytes", cuts[i].from, cuts[i].to);
		CHECK(errno == 12345 && !nr_wrong(blocks[i], cuts[i].from, cuts[i].to));
		CHECK(malloc_usable_size(blocks[i]) >= cuts[i].to);
	}
	while (all) {
		void **before = *all;

		free(all);
		all = before;
	}
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++)
		free(blocks[i]);
	return harness_status();
}

/* Programs do not expect that making a block smaller can fail. */
static void no_memory_is_needed(void)
{
	static const char *const options[] = {
		"limit=64M", "limit=64M:hardened=1", "limit=64M:hardened=1:profile=1000",
		"limit=64M:slab_debug=FZPU",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--no-memory", options[i]);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "little_is_not_worth_a_move", little_is_not_worth_a_move, false },
		{ "half_used_blocks_stay", half_used_blocks_stay, false },
		{ "nearly_empty_blocks_move", nearly_empty_blocks_move, false },
		{ "large_blocks_are_cut", large_blocks_are_cut, false },
		{ "small_cuts_are_none", small_cuts_are_none, true },
		{ "watched_blocks_as_well", watched_blocks_as_well, true },
		{ "no_memory_is_needed", no_memory_is_needed, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--exact"))
		return run_where_sizes_are_exact();
	if (argc > 1 && !strcmp(argv[1], "--no-memory"))
		return run_without_memory();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
