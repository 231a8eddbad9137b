/* SPDX-License-Identifier: MIT */
/* The contents of a block: zero after calloc(), unchanged after realloc(). */
#include "child.h"

#include <malloc.h>
#include <sys/mman.h>

#include "support/prng.h"

/* --- realloc() ------------------------------------------------------------ */

static unsigned char byte_at(size_t offset, size_t seed)
{
	return (unsigned char)(((offset + 1) * 0x9e3779b97f4a7c15UL + seed * 77) >> 40);
}

/* The bytes that are looked at: all of a small block, some of every page of a large one. */
static size_t next_byte(size_t offset, size_t size)
{
	if (size < 64 * KIB || offset < 64 || offset + 64 + 509 >= size)
		return offset + 1;
	return offset + 509;
}

static void fill(unsigned char *block, size_t size, size_t seed)
{
	for (size_t i = 0; i < size; i = next_byte(i, size))
		block[i] = byte_at(i, seed);
}

/* The first bytes of a block that was filled when it had size bytes. */
static void check_filled(const unsigned char *block, size_t first, size_t size, size_t seed)
{
	for (size_t i = 0; i < first; i = next_byte(i, size))
		if (!CHECK(block[i] == byte_at(i, seed), "; byte %zu of %zu, size was %zu", i,
			   first, size))
			return;
}

static void realloc_keeps_content(void)
{
	static const size_t sizes[] = {
		1, 15, 16, 17, 100, 128, 129, 1000, 4096, 5000, 32 * KIB, 32 * KIB + 1,
		40000, 64 * KIB, 100000, MIB, MIB + 1, 3 * MIB, 4 * MIB, 4 * MIB + 1, 5 * MIB,
		8 * MIB, 16 * MIB, 64 * MIB,
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t j = i % test_divisor(); j < ARRAY_SIZE(sizes); j += test_divisor()) {
			size_t from = sizes[i], to = sizes[j];
			unsigned char *block = malloc(from);

			REQUIRE(block);
			fill(block, from, j);
			block = realloc(block, to);
			REQUIRE(block);
			check_filled(block, from < to ? from : to, from, j);
			fill(block, to, i);
			block = realloc(block, from);
			REQUIRE(block);
			check_filled(block, from < to ? from : to, to, i);
			free(block);
		}
}

/*
 * Blocks grow by realloc() in small steps, as strings and arrays do, with other blocks beside them.
 */
static void realloc_in_steps(void)
{
	struct prng prng = { 1 };
	unsigned char *block[16] = { NULL };
	size_t size[16] = { 0 };

	for (unsigned int step = 0; step < 20000; step++) {
		unsigned int i = prng_below(&prng, ARRAY_SIZE(block));
		size_t to = size[i] + prng_below(&prng, 1 + (unsigned int)size[i] / 4 + 40);

		if (to > 2 * MIB || prng_one_in(&prng, 40))
			to = 1 + prng_below(&prng, 1 + (unsigned int)to);
		block[i] = reallocarray(block[i], 1, to);
		REQUIRE(block[i]);
		check_filled(block[i], size[i] < to ? size[i] : to, size[i], i);
		fill(block[i], to, i);
		size[i] = to;
	}
	for (size_t i = 0; i < ARRAY_SIZE(block); i++)
		free(block[i]);
}

/* --- calloc() ------------------------------------------------------------- */

static size_t first_nonzero(const unsigned char *block, size_t size)
{
	if (!size || (!block[0] && !memcmp(block, block + 1, size - 1)))
		return size;
	for (size_t i = 0;; i++)
		if (block[i])
			return i;
}

static void check_zero(const unsigned char *block, size_t size)
{
	CHECK(first_nonzero(block, size) == size, "; byte %zu of %zu",
	      first_nonzero(block, size), size);
}

/* n blocks are used and freed, then calloc() gets the same size. */
static void dirty_then_zero(size_t size, unsigned int n)
{
	unsigned char *blocks[64];

	for (unsigned int i = 0; i < n; i++) {
		blocks[i] = malloc(size);
		REQUIRE(blocks[i]);
		memset(blocks[i], 0xa5, size);
	}
	for (unsigned int i = 0; i < n; i++)
		free(blocks[i]);
	for (unsigned int i = 0; i < n; i++) {
		blocks[i] = calloc(i % 2 ? size : 1, i % 2 ? 1 : size);
		REQUIRE(blocks[i]);
		check_zero(blocks[i], size);
		memset(blocks[i], 0xa5, size);
	}
	for (unsigned int i = 0; i < n; i++)
		free(blocks[i]);
}

static void calloc_is_zero(void)
{
	for (size_t size = 1; size <= 4096; size += size < 300 ? 1 : 37)
		dirty_then_zero(size, 64);
	for (size_t size = 4096; size <= 64 * KIB; size += 1001)
		dirty_then_zero(size, 20);
	for (size_t size = 40 * KIB; size <= 8 * MIB; size += size / 5)
		dirty_then_zero(size, 6);
	dirty_then_zero(64 * MIB, 2);
}

/*
 * All malloc_usable_size() bytes are the caller's, and zero. Modes that check a block's end report
 * only the size that was asked for.
 */
static void zero_to_the_end(size_t size)
{
	unsigned char *block = malloc(size);

	REQUIRE(block);
	memset(block, 0xeb, malloc_usable_size(block));
	free(block);
	block = calloc(1, size);
	REQUIRE(block);
	check_zero(block, malloc_usable_size(block));
	free(block);
}

static void calloc_is_zero_to_the_end(void)
{
	for (size_t size = 0; size <= 33 * KIB; size++)
		zero_to_the_end(size);
	for (size_t size = 33 * KIB; size <= 16 * MIB; size += size / 7)
		zero_to_the_end(size);
}

static int calloc_all(void)
{
	for (size_t size = 0; size <= 33 * KIB; size += size < 300 ? 1 : 37)
		zero_to_the_end(size);
	return harness_status();
}

/*
 * Caches with debugging give the caller the rest of the object when malloc_usable_size() is called,
 * or always.
 */
static void calloc_where_blocks_are_debugged(void)
{
	child_expect_quiet("--calloc", "slab_debug=Z");
	child_expect_quiet("--calloc", "slab_debug=P");
	child_expect_quiet("--calloc", "slab_debug=U");
	child_expect_quiet("--calloc", "slab_debug=FZPU");
}

/* Blocks merge and split in all ways between being dirty and being zero. */
static void calloc_amid_others(void)
{
	struct prng prng = { 2 };
	unsigned char *blocks[64] = { NULL };
	double end = seconds_now() + 4;

	for (unsigned int step = 0; step < 20000 && seconds_now() < end; step++) {
		unsigned int i = prng_below(&prng, ARRAY_SIZE(blocks));
		size_t size = (4 * KIB << prng_below(&prng, 10)) + prng_below(&prng, 9000);

		free(blocks[i]);
		blocks[i] = prng_one_in(&prng, 2) ? malloc(size) : calloc(1, size);
		REQUIRE(blocks[i]);
		free(blocks[i]);
		blocks[i] = calloc(size, 1);
		REQUIRE(blocks[i]);
		check_zero(blocks[i], size);
		/* Often only a little is written, and not at the start. */
		if (prng_one_in(&prng, 2))
			memset(blocks[i], 0xff, size);
		else
			blocks[i][prng_below(&prng, size)] = 0xff;
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

/* --- Much larger blocks than the touched part -------------------------------------------- */

static bool machine_allows(size_t bytes)
{
	void *addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);

	if (addr != MAP_FAILED)
		munmap(addr, bytes);
	return addr != MAP_FAILED;
}

/* The processor's time: the machine may have other things to do. */
static double seconds_used(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* To clear all of it would take minutes; what is touched may be huge pages. */
static void huge_calloc_is_quick(void)
{
	double start = seconds_used();

	for (unsigned int i = 0; i < 1000; i++) {
		char *block = calloc(1, GIB);

		REQUIRE(block);
		CHECK(!block[0] && !block[GIB / 2] && !block[GIB - 1]);
		block[GIB - 1] = 1;
		free(block);
	}
	CHECK(seconds_used() - start < 15 * slowness(), "; %.1f s", seconds_used() - start);
}

/*
 * Bytes that a program never wrote may have any value, even that of a free mark, and realloc()
 * copies them: from a large block at the address of an old small one, and back to a small one at
 * that address.
 */
static unsigned int met_again(size_t size, size_t large_size)
{
	enum { NR_MAX = 4 * MIB / 16, NR_LARGE = 200, KEPT_WORDS = 2 };
	static uintptr_t *small[NR_MAX], *large[NR_LARGE], kept[NR_LARGE][1 + KEPT_WORDS];
	unsigned int nr = (unsigned int)(4 * MIB / size), met = 0;

	for (unsigned int i = 0; i < nr; i++)
		REQUIRE((small[i] = malloc(size)));
	for (unsigned int i = 0; i < nr; i++)
		free(small[i]);
	for (unsigned int i = 0; i < NR_LARGE; i++) {
		REQUIRE((large[i] = malloc(large_size)));
		kept[i][0] = (uintptr_t)large[i];
		memcpy(&kept[i][1], opaque(large[i]), sizeof(kept[i]) - sizeof(kept[i][0]));
	}
	for (unsigned int i = 0; i < NR_LARGE; i++)
		free(large[i]);
	for (unsigned int i = 0; i < nr; i++) {
		REQUIRE((small[i] = malloc(size)));
		for (unsigned int k = 0; k < NR_LARGE; k++)
			if ((uintptr_t)small[i] == kept[k][0]) {
				memcpy(opaque(small[i]), &kept[k][1],
				       sizeof(kept[k]) - sizeof(kept[k][0]));
				met++;
			}
	}
	for (unsigned int i = 0; i < nr; i++)
		free(small[i]);
	return met;
}

static int copy_garbage(void)
{
	static const size_t sizes[] = { 16, 64, 176, 448, 512 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		CHECK(met_again(sizes[i], 32 * KIB), "; of %zu bytes none met", sizes[i]);
	return harness_status();
}

/* Small blocks leave as soon as they are free, so that their memory is used again. */
static void copies_of_garbage(void)
{
	if (skip_with("hardened=1", "what is freed is cleared: there is no garbage"))
		return;
	child_expect_quiet("--copy-garbage", "background=off:slab_cache_bytes=4K");
}

static void many_huge_blocks(void)
{
	static unsigned char *blocks[40];
	size_t before = resident_bytes();

	if (!machine_allows(4 * GIB)) {
		harness.skipped = "the machine does not give out 4 GiB at once";
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = calloc(4, GIB);
		if (!CHECK(blocks[i], "; block %zu", i))
			break;
		blocks[i][0] = blocks[i][4 * GIB - 1] = (unsigned char)i;
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		CHECK(!blocks[i] || blocks[i][4 * GIB - 1] == i);
		free(blocks[i]);
	}
	CHECK(resident_bytes() < before + 16 * MIB);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "realloc_keeps_content", realloc_keeps_content, false },
		{ "realloc_in_steps", realloc_in_steps, false },
		{ "copies_of_garbage", copies_of_garbage, true },
		{ "calloc_is_zero", calloc_is_zero, false },
		{ "calloc_is_zero_to_the_end", calloc_is_zero_to_the_end, false },
		{ "calloc_where_blocks_are_debugged", calloc_where_blocks_are_debugged, true },
		{ "calloc_amid_others", calloc_amid_others, false },
		{ "huge_calloc_is_quick", huge_calloc_is_quick, false },
		{ "many_huge_blocks", many_huge_blocks, false },
	};

	if (argc > 1 && !strcmp(argv[1], "--copy-garbage"))
		return copy_garbage();
	if (argc > 1 && !strcmp(argv[1], "--calloc"))
		return calloc_all();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
