/* SPDX-License-Identifier: MIT */
/*
 * mallopt(M_PERTURB): new blocks are filled with the complement of the byte, freed ones with the
 * byte; calloc() is zero all the same, and contents survive realloc(). glibc fills only blocks that
 * do not come from a thread's own cache.
 */
#include <malloc.h>
#include <pthread.h>

#include "child.h"
#include "support/prng.h"

/* musl has none; there they come with usermm. */
#ifndef M_PERTURB
#define M_PERTURB (-6)
int mallopt(int parameter, int value);
#pragma weak mallopt
#endif

#define BYTE 0x5a
#define LARGE_MAX 200000

static const size_t sizes[] = {
	1, 16, 40, 100, 1000, 4000, 20000, 32768, 40000, 100000,
};

static bool is_filled(const char *block, size_t bytes, int value)
{
	return *block == (char)value && !memcmp(block, block + 1, bytes - 1);
}

static void new_blocks(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned int turn = 0; turn < 5; turn++) {
			char *block = opaque(malloc(sizes[i])), *zero = opaque(calloc(1, sizes[i]));
			char *aligned = opaque(aligned_alloc(64, (sizes[i] + 63) & -64UL));

			REQUIRE(block && zero && aligned);
			CHECK(is_filled(block, sizes[i], ~BYTE), "; %zu bytes", sizes[i]);
			CHECK(is_filled(aligned, sizes[i], ~BYTE), "; %zu bytes", sizes[i]);
			CHECK(is_filled(zero, sizes[i], 0), "; %zu bytes", sizes[i]);
			memset(block, 1, sizes[i]);
			memset(zero, 2, sizes[i]);
			free(block);
			free(zero);
			free(aligned);
		}
}

/* An allocator keeps some words of its own at the ends of a small free block. */
static void freed_blocks(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		volatile char *block = opaque(malloc(sizes[i]));

		REQUIRE(block);
		memset((char *)block, 3, sizes[i]);
		free((char *)block);
		if (sizes[i] >= 100)
			CHECK(block[sizes[i] / 2 + 8] == BYTE, "; %zu bytes", sizes[i]);
	}
}

/*
 * Few of many blocks stay, so their slabs serve other sizes (src/slab/mixed/mixed.h). Of these few,
 * every second one is freed.
 */
static void freed_survivors(void)
{
	static char *blocks[20000];
	const size_t size = 104;

	mallopt(M_PERTURB, 0);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = malloc(size);
		REQUIRE(blocks[i]);
		memset(blocks[i], 5, size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (i % 8)
			free(blocks[i]);
	malloc_trim(0);
	mallopt(M_PERTURB, BYTE);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i += 16) {
		volatile char *block = opaque(blocks[i]);

		free(blocks[i]);
		CHECK(block[64] == BYTE, "; block %zu: %#x", i, block[64]);
		CHECK(is_filled(blocks[i + 8], size, 5));
	}
	new_blocks();
	for (size_t i = 8; i < ARRAY_SIZE(blocks); i += 16) {
		CHECK(is_filled(blocks[i], size, 5));
		free(blocks[i]);
	}
}

static void contents_stay(void)
{
	struct prng prng = { 3 };
	size_t size = 100;
	char *block = malloc(size);

	REQUIRE(block);
	memset(block, 4, size);
	for (unsigned int i = 0; i < 200; i++) {
		size_t next = 1 + prng_below(&prng, LARGE_MAX);

		block = realloc(block, next);
		REQUIRE(block);
		CHECK(is_filled(block, next < size ? next : size, 4), "; %zu to %zu", size, next);
		memset(block, 4, next);
		size = next;
	}
	free(block);
}

static void *use_blocks(void *unused)
{
	for (unsigned int i = 0; i < 20000 / test_divisor(); i++) {
		size_t size = sizes[i % ARRAY_SIZE(sizes)];
		char *block = opaque(malloc(size));

		REQUIRE(block);
		memset(block, (int)i, size);
		CHECK(is_filled(block, size, (int)i));
		free(block);
	}
	return unused;
}

/* It begins and ends while others allocate. */
static void begins_amid_others(void)
{
	pthread_t threads[3];

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, use_blocks, NULL));
	for (int i = 0; i < 100; i++) {
		mallopt(M_PERTURB, i % 3);
		sleep_us(200);
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
}

static void in_child(void (*run)(void))
{
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		CHECK(mallopt(M_PERTURB, BYTE) == 1);
		run();
		_exit(harness_status());
	}
	CHECK(child_exited(child_wait(pid), 0));
}

static void blocks_are_filled(void)
{
	in_child(new_blocks);
	in_child(freed_blocks);
	in_child(freed_survivors);
	in_child(contents_stay);
	in_child(begins_amid_others);
}

static void free_twice(void *unused)
{
	char *block;

	mallopt(M_PERTURB, BYTE);
	block = opaque(malloc(100));
	free(block);
	free(opaque(block));
	(void)unused;
}

static void mistakes_are_found(void)
{
	struct child_result result;

	child_run(&result, free_twice, NULL);
	CHECK(child_died_by(result.status, SIGABRT) && strstr(result.err, "already free"),
	      "; wait status %#x, %s", result.status, result.err);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "blocks_are_filled", blocks_are_filled, true },
		{ "mistakes_are_found", mistakes_are_found, true },
	};

#pragma GCC diagnostic ignored "-Waddress"
	if (!mallopt)
		return 0;
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
