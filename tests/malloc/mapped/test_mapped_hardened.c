/* SPDX-License-Identifier: MIT */
/*
 * Blocks with guard pages (hardened=1) that realloc() makes larger and smaller: their pages move
 * instead of being copied. The option's checks hold at the old place, at the new place, and behind
 * the new end. Every trial is this program again, with the option.
 */
#include <malloc.h>
#include <sys/resource.h>

#include "locked.h"
#include "mistakes.h"
#include "support/prng.h"

#define PAGE_BYTES 4096UL
#define LARGE_BYTES (48 * MIB)
#define NR_STEPS 400

static size_t whole_pages(size_t size)
{
	return (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* The block was half as large before, or three times as large. */
static char *grown(size_t size)
{
	char *block = opaque(malloc(opaque_size(size / 2)));

	block[size / 2 - 1] = 1;
	return opaque(realloc(block, opaque_size(size)));
}

static char *shrunk(size_t size)
{
	char *block = opaque(malloc(opaque_size(size * 3)));

	memset(block, 1, size * 3);
	return opaque(realloc(block, opaque_size(size)));
}

/* --- Mistakes ------------------------------------------------------------------------ */

#define BOTH(name, ...)								\
	static void name##_of_grown(size_t size)				\
	{									\
		char *block = grown(size);					\
		__VA_ARGS__							\
	}									\
	static void name##_of_shrunk(size_t size)				\
	{									\
		char *block = shrunk(size);					\
		__VA_ARGS__							\
	}

BOTH(touch_page_behind, block[whole_pages(size)] = 1;)
BOTH(touch_in_front, block[-1] = 1;)
BOTH(overflow_by_a_zero, block[size] = 0; free(block);)
BOTH(overflow_before_growth, block[size] = 0; free(realloc(block, opaque_size(size * 2)));)
BOTH(free_twice, free(block); free(opaque(block));)
BOTH(read_after_free, free(block); block[0]++;)
BOTH(free_inside, free(opaque(block + PAGE_BYTES));)

/* The block's old address: no other block gets it so soon. */
static void touch_old_place(size_t size)
{
	char *block = opaque(malloc(opaque_size(size))), *moved;
	uintptr_t place = (uintptr_t)block;

	moved = opaque(realloc(block, opaque_size(size * 2)));
	for (unsigned int i = 0; i < 10; i++)
		memset(opaque(malloc(opaque_size(size))), 1, size);
	CHECK((uintptr_t)moved != place);
	*(char *)opaque((void *)place) = 1;
}

static void free_old_place(size_t size)
{
	char *block = opaque(malloc(opaque_size(size)));
	uintptr_t place = (uintptr_t)block;

	block = opaque(realloc(block, opaque_size(size * 2)));
	free(opaque((void *)place));
}

/* Far behind the new end, where the block had bytes before. */
static void touch_old_end(size_t size)
{
	char *block = shrunk(size);

	for (unsigned int i = 0; i < 10; i++)
		memset(opaque(malloc(opaque_size(size))), 1, size);
	block[size * 3 - 1] = 1;
}

#define MISTAKE(function, text) \
	{ #function, (text) ? SIGABRT : SIGSEGV, { text }, function, true, true }
#define MISTAKES(function, text) \
	MISTAKE(function##_of_grown, text), MISTAKE(function##_of_shrunk, text)

static const struct mistake mistakes[] = {
	MISTAKES(touch_page_behind, NULL),
	MISTAKES(touch_in_front, NULL),
	MISTAKES(overflow_by_a_zero, "heap overflow: byte 0 behind the "),
	MISTAKES(overflow_before_growth, "realloc("),
	MISTAKES(free_twice, "double free"),
	MISTAKES(read_after_free, NULL),
	MISTAKES(free_inside, "4096 bytes inside "),
	MISTAKE(touch_old_place, NULL),
	MISTAKE(free_old_place, "double free"),
	MISTAKE(touch_old_end, NULL),
};

static void all_mistakes(void)
{
	static const size_t sizes[] = { 70001, 300001, 9000001 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			try_mistake(&mistakes[i], sizes[k], "hardened=1", 1);
}

/* --- Programs without mistakes ----------------------------------------------------------- */

static unsigned char content(size_t page)
{
	return (unsigned char)(page * 7 + page / 256 + 1);
}

/* Of each page the first byte, and the last of all. */
static void fill(unsigned char *block, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE_BYTES)
		block[i] = content(i / PAGE_BYTES);
	block[size - 1] = 0xee;
}

static void check(const unsigned char *block, size_t old_size, size_t size)
{
	size_t last = size < old_size ? size : old_size, nr_wrong = 0;

	for (size_t i = 0; i + 1 < last; i += PAGE_BYTES)
		nr_wrong += block[i] != content(i / PAGE_BYTES);
	nr_wrong += size >= old_size && block[old_size - 1] != 0xee;
	CHECK(!nr_wrong, "; %zu to %zu bytes: %zu", old_size, size, nr_wrong);
}

/* Sizes of all kinds, the classes' among them; a page more or less, and the same pages. */
static size_t next_size(struct prng *prng, size_t size)
{
	switch (prng_below(prng, 4)) {
	case 0:
		return size + prng_below(prng, 3 * PAGE_BYTES) + 1;
	case 1:
		return size > 4 * PAGE_BYTES ? size - prng_below(prng, 3 * PAGE_BYTES) : 1;
	case 2:
		return 1 + prng_below(prng, 1U << (5 + prng_below(prng, 19)));
	default:
		return 1 + prng_below(prng, (unsigned int)(size + size / 2));
	}
}

static int resize_at_random(void)
{
	struct { unsigned char *start; size_t size; } blocks[8] = { 0 };
	struct prng prng = { 5 };

	for (unsigned int step = 0; step < NR_STEPS; step++) {
		size_t i = prng_below(&prng, ARRAY_SIZE(blocks));
		size_t size = next_size(&prng, blocks[i].size);
		unsigned char *start = realloc(blocks[i].start, size);

		REQUIRE(start);
		if (blocks[i].start)
			check(start, blocks[i].size, size);
		fill(start, size);
		blocks[i].start = start;
		blocks[i].size = size;
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i].start);
	return harness_status();
}

static long page_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

#define FAULTS_FEW 100

/* A copy would write to thousands of pages for the first time. */
static int look_at_faults(void)
{
	static const size_t sizes[] = {
		LARGE_BYTES + 1, LARGE_BYTES * 4 / 3, LARGE_BYTES * 2, LARGE_BYTES, LARGE_BYTES / 2,
	};
	unsigned char *block = malloc(LARGE_BYTES);
	size_t before = LARGE_BYTES;

	REQUIRE(block);
	fill(block, before);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		long faults = page_faults();

		block = realloc(block, sizes[i]);
		faults = page_faults() - faults;
		REQUIRE(block);
		/* Huge pages would be few. */
		CHECK(faults < FAULTS_FEW, "; %zu to %zu: %ld", before, sizes[i], faults);
		check(block, before, sizes[i]);
		before = sizes[i];
		fill(block, before);
	}
	free(block);
	return harness_status();
}

/* A part of it is another mapping: then it is copied, and nothing is lost. */
static int resize_what_cannot_move(void)
{
	unsigned char *block = malloc(64 * PAGE_BYTES);

	REQUIRE(block);
	fill(block, 64 * PAGE_BYTES);
	REQUIRE(!mprotect(block + 8 * PAGE_BYTES, PAGE_BYTES, PROT_READ));
	block = realloc(block, 128 * PAGE_BYTES);
	REQUIRE(block);
	check(block, 64 * PAGE_BYTES, 128 * PAGE_BYTES);
	fill(block, 128 * PAGE_BYTES);
	free(block);
	return harness_status();
}

/* A block of the parent's grows in the child, and the parent's own block does not change. */
static int resize_in_child(void)
{
	unsigned char *block = malloc(64 * PAGE_BYTES);
	pid_t pid;

	REQUIRE(block);
	fill(block, 64 * PAGE_BYTES);
	pid = fork();
	REQUIRE(pid >= 0);
	block = realloc(block, 100 * PAGE_BYTES);
	REQUIRE(block);
	check(block, 64 * PAGE_BYTES, 100 * PAGE_BYTES);
	fill(block, 100 * PAGE_BYTES);
	free(block);
	if (!pid)
		_exit(harness_status());
	CHECK(child_exited(child_wait(pid), 0));
	return harness_status();
}

static int fail_and_keep(void)
{
	unsigned char *block = malloc(20 * MIB);

	REQUIRE(block);
	fill(block, 20 * MIB);
	errno = 0;
	CHECK(!realloc(opaque(block), opaque_size(80 * MIB)) && errno == ENOMEM);
	CHECK(!realloc(opaque(block), opaque_size(SIZE_MAX / 2 + 1)) && errno == ENOMEM);
	check(block, 20 * MIB, 20 * MIB);
	CHECK(malloc_usable_size(block) == 20 * MIB);
	/* The budget has room for the new block only if the old block is not counted meanwhile. */
	block = realloc(block, 44 * MIB);
	REQUIRE(block);
	check(block, 20 * MIB, 44 * MIB);
	free(block);
	return harness_status();
}

/*
 * Allocates all blocks that there is room for, and makes each smaller. The bytes that are cut off
 * no longer count.
 */
static int shrink_when_full(const char *from_to)
{
	static unsigned char *blocks[50000];
	size_t from, to, nr = 0;

	REQUIRE(sscanf(from_to, "%zu,%zu", &from, &to) == 2);
	while (nr < ARRAY_SIZE(blocks) && (blocks[nr] = malloc(opaque_size(from)))) {
		memset(blocks[nr], (int)nr, from);
		nr++;
	}
	CHECK(nr > 1 && nr < ARRAY_SIZE(blocks));
	while (malloc(opaque_size(to)))		/* none of these either */
		;
	errno = 12345;
	for (size_t i = 0; i < nr; i++) {
		blocks[i] = realloc(blocks[i], opaque_size(to));
		REQUIRE(blocks[i] && errno == 12345);
		REQUIRE(blocks[i][0] == (unsigned char)i && blocks[i][to - 1] == (unsigned char)i);
	}
	for (size_t i = 0; i < nr; i++)
		free(blocks[i]);
	return harness_status();
}

/* Are these addresses mapped? */
static bool is_mapped(const void *page)
{
	unsigned char there;

	return !mincore((void *)(uintptr_t)page, PAGE_BYTES, &there);
}

/* More blocks than may wait at a time. */
#define NR_SHRUNK 100

/*
 * A waiting block leaves only for blocks that are freed later, or for a request that it can make
 * room for.
 */
static int keep_what_waits(void)
{
	char *waits = opaque(malloc(16 * PAGE_BYTES));
	void *blocks[NR_SHRUNK];

	for (unsigned int i = 0; i < NR_SHRUNK; i++)
		REQUIRE((blocks[i] = malloc(16 * PAGE_BYTES)));
	free(waits);
	CHECK(is_mapped(waits));
	for (unsigned int i = 0; i < NR_SHRUNK; i++)	/* two pages are two guards */
		blocks[i] = realloc(blocks[i], 14 * PAGE_BYTES);
	CHECK(is_mapped(waits));
	CHECK(!malloc(opaque_size(PTRDIFF_MAX / 2)) && !malloc(opaque_size(1UL << 48)) &&
	      !realloc(blocks[0], opaque_size(1UL << 48)));
	CHECK(is_mapped(waits));
	for (unsigned int i = 0; i < NR_SHRUNK; i++)
		free(blocks[i]);
	CHECK(!is_mapped(waits));
	return harness_status();
}

/* So few freed small blocks all wait in the CPU's quarantine; none has left it. */
#define NR_WAITING 4

static int keep_what_waits_for_nothing(void)
{
	void *waiting[NR_WAITING], *block;

	for (unsigned int i = 0; i < NR_WAITING; i++)
		REQUIRE((waiting[i] = malloc(opaque_size(100))));
	for (unsigned int i = 0; i < NR_WAITING; i++)
		free(waiting[i]);
	CHECK(!malloc(opaque_size(1UL << 48)) && !malloc(opaque_size(2 * GIB)));
	for (unsigned int i = 0; i < NR_SHRUNK; i++) {
		REQUIRE((block = malloc(opaque_size(100))));
		for (unsigned int k = 0; k < NR_WAITING; k++)
			CHECK(block != waiting[k], "; after %u", i);
	}
	return harness_status();
}

/* Under a limit of addresses. */
static unsigned int fill_up(void *blocks[], unsigned int nr)
{
	unsigned int i = 0;

	while (i < nr && (blocks[i] = malloc(opaque_size(LARGE_BYTES))))
		i++;
	return i;
}

static int give_way_to_others(void)
{
	void *blocks[NR_SHRUNK];
	unsigned int nr = fill_up(blocks, NR_SHRUNK);

	CHECK(nr > 3 && nr < NR_SHRUNK, "; %u", nr);
	for (unsigned int i = 0; i < nr; i++)
		free(blocks[i]);
	CHECK(fill_up(blocks, NR_SHRUNK) == nr);
	return harness_status();
}

static void expect_quiet_in_gib(const char *mode)
{
	struct child_again again = { mode, NULL, "hardened=1", GIB };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s", mode,
	      result.status, result.err);
}

static void what_waits_is_kept(void)
{
	child_expect_quiet("--waits", "hardened=1");
	expect_quiet_in_gib("--give_way");
	expect_quiet_in_gib("--waits_for_nothing");
}

static void contents_are_kept(void)
{
	child_expect_quiet("--random", "hardened=1");
	child_expect_quiet("--random", "hardened=1:kfence_sample=3");
	child_expect_quiet("--parts", "hardened=1");
	child_expect_quiet("--child", "hardened=1");
}

static void pages_move(void)
{
	child_expect_quiet("--faults", "hardened=1");
}

static void limits_are_kept(void)
{
	child_expect_quiet("--limit", "hardened=1:limit=64M");
}

/* As by default: without memory for a smaller block, realloc() shrinks the block in place. */
static void shrinking_needs_no_memory(void)
{
	static const char *const from_to[] = { "500,40", "3000,700", "60000,1000", "300000,70000" };
	static const char *const options[] = {
		"hardened=1", "slab_debug=FZU", "kfence_sample=1000",
	};

	for (size_t i = 0; i < ARRAY_SIZE(from_to); i++)
		for (size_t k = 0; k < ARRAY_SIZE(options); k++) {
			char all[64];
			struct child_again again = { "--full", from_to[i], all, 0 };
			struct child_result result;

			snprintf(all, sizeof(all), "limit=16M:%s", options[k]);
			child_run(&result, child_exec_again, &again);
			CHECK(child_exited(result.status, 0) && !*result.err,
			      "; %s, %s: wait status %#x %s", from_to[i], all, result.status,
			      result.err);
		}
}

static void mistakes_and_none(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		try_mistake(&mistakes[i], 300001, "hardened=1", 1);
	child_expect_quiet("--random", "hardened=1");
}

static void in_locked_memory(void)
{
	check_in_locked_memory(mistakes_and_none);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "all_mistakes", all_mistakes, true },
		{ "contents_are_kept", contents_are_kept, true },
		{ "pages_move", pages_move, true },
		{ "limits_are_kept", limits_are_kept, true },
		{ "shrinking_needs_no_memory", shrinking_needs_no_memory, true },
		{ "what_waits_is_kept", what_waits_is_kept, true },
		{ "in_locked_memory", in_locked_memory, true },
	};
	static const struct child_mode modes[] = {
		{ "--random", resize_at_random }, { "--faults", look_at_faults },
		{ "--parts", resize_what_cannot_move }, { "--child", resize_in_child },
		{ "--limit", fail_and_keep }, { "--waits", keep_what_waits },
		{ "--give_way", give_way_to_others },
		{ "--waits_for_nothing", keep_what_waits_for_nothing },
	};
	const struct child_mode *mode = child_mode_of(argc, argv, modes, ARRAY_SIZE(modes));

	lock_memory_if_told();
	if (argc > 2 && !strcmp(argv[1], "--mistake"))
		return make_mistake(mistakes, ARRAY_SIZE(mistakes), argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--full"))
		return shrink_when_full(argv[2]);
	if (mode)
		return mode->run();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
