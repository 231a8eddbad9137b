/* SPDX-License-Identifier: MIT */
/*
 * malloc() before main(): while the program is relocated (IFUNC), in .preinit_array, in
 * constructors, in their threads.
 */
#include "harness.h"

#include <pthread.h>

#include "hammer.h"

/* musl does not run .preinit_array, and has no IFUNC. */
#ifdef __GLIBC__
enum stage { IFUNC, PREINIT, FIRST_CONSTRUCTOR, CONSTRUCTOR, NR_STAGES };
#else
enum stage { FIRST_CONSTRUCTOR, CONSTRUCTOR, NR_STAGES };
#endif

static unsigned char *blocks[NR_STAGES][40];
static unsigned int stages_run, thread_blocks;
static pthread_t thread;
static bool thread_started;

/* Sizes from 1 to 8 MiB, then again with another step. */
static size_t size_of(unsigned int i)
{
	return i < 24 ? 1UL << i : (i - 23) * 1001UL;
}

static void allocate_all(enum stage stage)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks[stage]); i++) {
		size_t size = size_of(i);

		blocks[stage][i] = i % 2 ? calloc(1, size) : realloc(malloc(size / 2), size);
		if (!blocks[stage][i])
			abort();
		blocks[stage][i][0] = (unsigned char)(i + stage);
		blocks[stage][i][size - 1] = (unsigned char)(i + stage);
		free(malloc(size));
	}
	stages_run++;
}

#ifdef __GLIBC__
static int chosen_function(void)
{
	return 42;
}

/* The loader calls it, each time that it resolves the name. */
__attribute__((__used__)) static int (*choose(void))(void)
{
	if (!stages_run)
		allocate_all(IFUNC);
	return chosen_function;
}

int chosen(void) __attribute__((__ifunc__("choose")));

static void function_chosen_at_start(void)
{
	CHECK(chosen() == 42);
}

static void run_preinit(void)
{
	allocate_all(PREINIT);
}

__attribute__((__section__(".preinit_array"), __used__))
static void (*const preinit)(void) = run_preinit;
#endif

static void *allocate_in_thread(void *arg)
{
	struct prng prng = { 1 };

	mixed_work(&prng, 5000);
	thread_blocks = 1;
	return arg;
}

__attribute__((__constructor__(101))) static void first_constructor(void)
{
	allocate_all(FIRST_CONSTRUCTOR);
	thread_started = !pthread_create(&thread, NULL, allocate_in_thread, blocks);
}

__attribute__((__constructor__)) static void constructor(void)
{
	allocate_all(CONSTRUCTOR);
}

/* Frees what is left of the first constructor's blocks. */
__attribute__((__destructor__)) static void destructor(void)
{
	struct prng prng = { 2 };

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks[FIRST_CONSTRUCTOR]); i++)
		free(blocks[FIRST_CONSTRUCTOR][i]);
	mixed_work(&prng, 100);
}

static void blocks_of_before_main(void)
{
	CHECK(stages_run == NR_STAGES);
	for (unsigned int stage = 0; stage < NR_STAGES; stage++)
		for (unsigned int i = 0; i < ARRAY_SIZE(blocks[stage]); i++) {
			unsigned char *block = blocks[stage][i];

			CHECK(block[0] == (unsigned char)(i + stage));
			CHECK(block[size_of(i) - 1] == (unsigned char)(i + stage));
			if (stage == FIRST_CONSTRUCTOR)
				continue;
			block = realloc(block, size_of(i) + 1000);
			CHECK(block && block[0] == (unsigned char)(i + stage));
			free(block);
		}
}

static void thread_of_a_constructor(void)
{
	void *result = NULL;

	CHECK(thread_started);
	CHECK(!pthread_join(thread, &result) && result == blocks && thread_blocks);
}

#ifndef __GLIBC__
static void function_chosen_at_start(void)
{
	skip_on_musl("musl has no IFUNC");
}
#endif

TEST_MAIN({ "function_chosen_at_start", function_chosen_at_start, false },
	  { "blocks_of_before_main", blocks_of_before_main, false },
	  { "thread_of_a_constructor", thread_of_a_constructor, false })
