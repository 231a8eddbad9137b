/* SPDX-License-Identifier: MIT */
/*
 * hardened=1 in a program that frees many blocks of 32 to 128 KiB: freed blocks serve the next ones
 * without system calls and page faults, still between guard pages. Each mistake is found as before,
 * and no freed block stays for long. Every trial is this program again, with the option.
 */
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include "mistakes.h"
#include "support/prng.h"
#include "tasks.h"

#define PAGE_BYTES 4096UL
/* More frees than a program may make in a second and still count as one that frees few blocks. */
#define MANY 2000
#define WITHIN_SECONDS 10
#define SLACK_BYTES MIB

static void free_many(size_t size)
{
	for (unsigned int i = 0; i < MANY; i++)
		free(opaque(malloc(opaque_size(size))));
}

static char *reused(size_t size)
{
	free_many(size);
	return opaque(malloc(opaque_size(size)));
}

/* --- Mistakes ----------------------------------------------------------------------------- */

static void overflow(size_t size)
{
	char *block = reused(size);

	block[size] = 0;
	free(block);
}

static void touch_page_behind(size_t size)
{
	reused(size)[(size + PAGE_BYTES - 1) & -PAGE_BYTES] = 1;
}

static void touch_in_front(size_t size)
{
	reused(size)[-1] = 1;
}

static void write_after_free(size_t size)
{
	char *block = reused(size);

	free(block);
	block[size / 2] = 7;
	free_many(size);
}

static void write_after_free_last(size_t size)
{
	char *block = reused(size);

	free(block);
	block[size - 1] = 7;
	free_many(size);
}

static void write_after_free_before_exit(size_t size)
{
	char *block = reused(size);

	free(block);
	block[size / 2] = 7;
	exit(0);
}

static void write_after_free_before_trim(size_t size)
{
	char *block = reused(size);

	free(block);
	block[size / 2] = 7;
	malloc_trim(0);
}

static void free_twice(size_t size)
{
	char *block = reused(size);

	free(block);
	free(opaque(block));
}

static void free_inside_freed(size_t size)
{
	char *block = reused(size);

	free(block);
	free(opaque(block + PAGE_BYTES));
}

#define MISTAKE(function, text) \
	{ #function, (text) ? SIGABRT : SIGSEGV, { text }, function, true, true }

static const struct mistake mistakes[] = {
	MISTAKE(overflow, "heap overflow: byte 0 behind the "),
	MISTAKE(touch_page_behind, NULL),
	MISTAKE(touch_in_front, NULL),
	MISTAKE(write_after_free, "write after free: byte "),
	MISTAKE(write_after_free_last, "write after free: byte "),
	MISTAKE(write_after_free_before_exit, "write after free: byte "),
	MISTAKE(write_after_free_before_trim, "write after free: byte "),
	MISTAKE(free_twice, "double free"),
	MISTAKE(free_inside_freed, "4096 bytes inside "),
};

static void all_mistakes(void)
{
	static const size_t sizes[] = { 32817, 40000, 131000 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			try_mistake(&mistakes[i], sizes[k], "hardened=1", 1);
}

/* --- Programs without mistakes ------------------------------------------------------------ */

static long faults_now(void)
{
	struct rusage usage;

	REQUIRE(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt;
}

static bool is_zero(const char *block, size_t size)
{
	return !*block && !memcmp(block, block + 1, size - 1);
}

/* The block in front of each block is in use while this one is free. */
static int use_many(void)
{
	static const size_t sizes[] = { 32817, 40000, 65536, 100000, 131072 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		long before;

		free_many(sizes[i]);
		before = faults_now();
		for (unsigned int k = 0; k < MANY; k++) {
			char *block = opaque(malloc(opaque_size(sizes[i])));

			REQUIRE(block);
			CHECK(is_zero(block, sizes[i]));
			memset(block, 1, sizes[i]);
			free(block);
		}
		/*
		 * With new mappings each block would cost ten system calls and more. The clock may
		 * begin another second meanwhile.
		 */
		CHECK(faults_now() - before < MANY, "; %ld for %zu bytes", faults_now() - before,
		      sizes[i]);
	}
	return harness_status();
}

static void *use_at_random(void *seed)
{
	struct { char *start; size_t size; } blocks[20] = { 0 };
	struct prng prng = { (uintptr_t)seed };

	for (unsigned int i = 0; i < 20000 / test_divisor(); i++) {
		size_t k = prng_below(&prng, ARRAY_SIZE(blocks));

		if (blocks[k].start) {
			CHECK(blocks[k].start[0] == (char)k &&
			      blocks[k].start[blocks[k].size - 1] == (char)k);
			free(blocks[k].start);
		}
		blocks[k].size = 33000 + prng_below(&prng, 4) * 4096;
		blocks[k].start = opaque(calloc(1, blocks[k].size));
		REQUIRE(blocks[k].start);
		CHECK(!blocks[k].start[0] && !blocks[k].start[blocks[k].size - 1]);
		blocks[k].start[0] = blocks[k].start[blocks[k].size - 1] = (char)k;
	}
	for (size_t k = 0; k < ARRAY_SIZE(blocks); k++)
		free(blocks[k].start);
	return NULL;
}

static int use_in_threads(void)
{
	pthread_t threads[4];

	for (uintptr_t i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, use_at_random, (void *)(i + 1)));
	for (unsigned int i = 0; i < 10; i++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (!pid) {
			free_many(40000);
			exit(harness_status());		/* checks the blocks that wait */
		}
		CHECK(child_exited(child_wait(pid), 0));
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	return harness_status();
}

static size_t start_bytes;

static bool is_gone(size_t more)
{
	free(opaque(malloc(opaque_size(100000))));
	return resident_bytes() <= start_bytes + more;
}

static int trim_and_rest(void)
{
	static char *blocks[40];

	free_many(40000);
	malloc_trim(0);
	start_bytes = resident_bytes();
	for (unsigned int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
			blocks[i] = opaque(malloc(opaque_size(100000)));
			memset(blocks[i], 1, 100000);
		}
		for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
			free(blocks[i]);
		CHECK(resident_bytes() > start_bytes + SLACK_BYTES, "; nothing waits");
		if (!round)
			malloc_trim(0);
		CHECK(comes_true(is_gone, SLACK_BYTES, WITHIN_SECONDS), "; %zu KiB stay",
		      (resident_bytes() - start_bytes) / KIB);
		free_many(100000);
	}
	return harness_status();
}

/* --- Growth ------------------------------------------------------------------------------- */

#define GROWN_BYTES (48 * MIB)
/* Eight for each doubling from half a mebibyte on, and one for each page before. */
#define MOVES_MOST (7 * 8 + 128 + 8)

static int grow_by_pages(void)
{
	unsigned int nr_moves = 0;
	char *block = malloc(4096);

	for (size_t size = 8192; size <= GROWN_BYTES; size += PAGE_BYTES) {
		char *grown = realloc(block, size);

		REQUIRE(grown);
		nr_moves += grown != block;
		block = grown;
		block[size - 1] = 1;
	}
	CHECK(nr_moves <= MOVES_MOST, "; %u", nr_moves);
	for (size_t size = 8192; size <= GROWN_BYTES; size += PAGE_BYTES)
		CHECK(block[size - 1] == 1 && !block[size - 2], "; at %zu", size);
	free(block);
	return harness_status();
}

static void blocks_are_reused(void)
{
	child_expect_quiet("--many", "hardened=1");
	child_expect_quiet("--threads", "hardened=1");
}

static void none_stays_for_long(void)
{
	child_expect_quiet("--rest", "hardened=1");
}

static void growth_moves_seldom(void)
{
	child_expect_quiet("--grow", "hardened=1");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "all_mistakes", all_mistakes, true },
		{ "blocks_are_reused", blocks_are_reused, true },
		{ "none_stays_for_long", none_stays_for_long, true },
		{ "growth_moves_seldom", growth_moves_seldom, true },
	};
	static const struct child_mode modes[] = {
		{ "--many", use_many }, { "--threads", use_in_threads },
		{ "--rest", trim_and_rest }, { "--grow", grow_by_pages },
	};
	const struct child_mode *mode = child_mode_of(argc, argv, modes, ARRAY_SIZE(modes));

	if (argc > 2 && !strcmp(argv[1], "--mistake"))
		return make_mistake(mistakes, ARRAY_SIZE(mistakes), argv[2]);
	if (mode)
		return mode->run();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
