/* SPDX-License-Identifier: MIT */
/*
 * Blocks of 0 bytes with hardened=1: any access to them faults; otherwise they are blocks like any
 * other. Every trial is this program again, with the option.
 */
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mistakes.h"

#define MORE_THAN_THERE_ARE 70000
#define NR_THREADS 4
#define HELD 100
#define TURNS 20000

static char *empty_block(size_t align)
{
	char *block = opaque(align > 16 ? aligned_alloc(align, opaque_size(0)) :
					  malloc(opaque_size(0)));

	REQUIRE(block && (uintptr_t)block % align == 0);
	return block;
}

/* --- Mistakes -------------------------------------------------------------------------- */

static void read_first_byte(size_t align)
{
	volatile char byte = *empty_block(align);

	CHECK(!byte);
}

static void write_first_byte(size_t align)
{
	*empty_block(align) = 1;
}

static void write_in_front(size_t align)
{
	empty_block(align)[-1] = 1;
}

static void write_far_behind(size_t align)
{
	empty_block(align)[30000] = 1;
}

static void read_of_cleared(size_t align)
{
	volatile char *block = opaque(calloc(opaque_size(0), align));

	CHECK(!*block);
}

static void free_twice(size_t align)
{
	char *block = empty_block(align);

	free(block);
	free(opaque(block));
}

static void free_much_later(size_t align)
{
	char *block = empty_block(align);

	free(block);
	for (unsigned int i = 0; i < 2000; i++)
		free(empty_block(align));
	free(opaque(block));
}

static void resize_freed(size_t align)
{
	char *block = empty_block(align);

	free(block);
	block = realloc(opaque(block), opaque_size(100));
}

static void size_of_freed(size_t align)
{
	char *block = empty_block(align);

	free(block);
	malloc_usable_size(opaque(block));
}

static void free_inside(size_t align)
{
	free(opaque(empty_block(align) + 5));
}

static void free_none(size_t align)
{
	free(opaque(empty_block(align) + 160));
}

#define MISTAKE(function, text) \
	{ #function, (text) ? SIGABRT : SIGSEGV, { text }, function, true, true }

static const struct mistake mistakes[] = {
	MISTAKE(read_first_byte, NULL),
	MISTAKE(write_first_byte, NULL),
	MISTAKE(write_in_front, NULL),
	MISTAKE(write_far_behind, NULL),
	MISTAKE(read_of_cleared, NULL),
	MISTAKE(free_twice, "free(0x"),
	MISTAKE(free_twice, ": invalid pointer: a block of no bytes that is free: double free"),
	MISTAKE(free_much_later, "double free"),
	MISTAKE(resize_freed, "realloc(0x"),
	MISTAKE(resize_freed, "double free"),
	MISTAKE(size_of_freed, "malloc_usable_size(0x"),
	MISTAKE(free_inside, ": invalid pointer: 5 bytes behind the start of a block of no bytes"),
	MISTAKE(free_none, "double free"),
};

static void mistakes_are_found(void)
{
	static const size_t aligns[] = { 16, 64, 4096 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; k < ARRAY_SIZE(aligns); k++)
			try_mistake(&mistakes[i], aligns[k], "hardened=1", !!mistakes[i].texts[0]);
}

static void the_report_leads_on(void)
{
	struct child_again again = { "--mistake", "free_twice,16", "hardened=1", 0 };
	struct child_result result;
	const char *step;
	char both[100];

	child_run(&result, child_exec_again, &again);
	step = strstr(result.err, "slab_debug=");
	REQUIRE(step && !strstr(result.err, "Freed in "));
	snprintf(both, sizeof(both), "hardened=1:%.*s", (int)strcspn(step, " ;\n"), step);
	again.options = both;
	child_run(&result, child_exec_again, &again);
	CHECK(strstr(result.err, "Freed in "), "; %s: %s", both, result.err);
}

/* --- Blocks like any other --------------------------------------------------------------- */

static int use_as_blocks(void)
{
	char *block = empty_block(16), *grown;

	grown = realloc(block, opaque_size(1000));
	REQUIRE(grown && grown != block);
	memset(grown, 1, 1000);
	free(grown);

	block = realloc(NULL, opaque_size(0));
	CHECK(block && !realloc(block, opaque_size(0)));
	free(calloc(opaque_size(0), 8));
	return harness_status();
}

static int compare(const void *one, const void *other)
{
	uintptr_t a = *(const uintptr_t *)one, b = *(const uintptr_t *)other;

	return a < b ? -1 : a > b;
}

/* All addresses differ. Blocks that the range has no room for are freed like the others. */
static int hold_many(void)
{
	static uintptr_t blocks[MORE_THAN_THERE_ARE];

	for (unsigned int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
			char *block = empty_block(round == 1 ? 64 : 16);

			CHECK(!malloc_usable_size(block));
			blocks[i] = (uintptr_t)block;
		}
		qsort(blocks, ARRAY_SIZE(blocks), sizeof(blocks[0]), compare);
		for (size_t i = 1; i < ARRAY_SIZE(blocks); i++)
			CHECK(blocks[i] != blocks[i - 1]);
		for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
			free((void *)blocks[i]);
	}
	return harness_status();
}

/* An address that is freed is the last to be handed out again. */
static int wait_for_reuse(void)
{
	char *first = empty_block(16), *next;
	unsigned int delay = 0;

	free(first);
	do {
		next = empty_block(16);
		free(next);
		delay++;
	} while (next != first && delay < 1000000);
	CHECK(next == first && delay > 60000, "; %u", delay);
	return harness_status();
}

/* In a range of few blocks each would be given to two now and then. */
static void *take_and_free(void *unused)
{
	char *blocks[HELD] = { NULL };

	for (unsigned int i = 0; i < TURNS; i++) {
		free(blocks[i % HELD]);
		blocks[i % HELD] = empty_block(i % 3 ? 16 : 4096);
	}
	for (unsigned int i = 0; i < HELD; i++)
		free(blocks[i]);
	return unused;
}

static int run_threads(void)
{
	pthread_t threads[NR_THREADS];
	int status;
	pid_t child;

	for (unsigned int i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, take_and_free, NULL));
	for (unsigned int i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_join(threads[i], NULL));
	child = fork();
	if (!child) {
		take_and_free(NULL);
		_exit(harness_status());
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(child_exited(status, 0), "; wait status %#x", status);
	return harness_status();
}

static void they_are_blocks(void)
{
	child_expect_quiet("--use", "hardened=1");
	child_expect_quiet("--use", "hardened=1:profile=1K");
	child_expect_quiet("--use", "hardened=1:kfence_sample=1");
	child_expect_quiet("--use", "hardened=1:slab_debug=FZU,malloc-16");
}

static void there_may_be_more_than_fit(void)
{
	child_expect_quiet("--many", "hardened=1");
}

static void reuse_is_late(void)
{
	child_expect_quiet("--wait", "hardened=1");
}

static void threads_share_them(void)
{
	child_expect_quiet("--threads", "hardened=1");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "mistakes_are_found", mistakes_are_found, true },
		{ "the_report_leads_on", the_report_leads_on, true },
		{ "they_are_blocks", they_are_blocks, true },
		{ "there_may_be_more_than_fit", there_may_be_more_than_fit, true },
		{ "reuse_is_late", reuse_is_late, true },
		{ "threads_share_them", threads_share_them, true },
	};
	static const struct child_mode modes[] = {
		{ "--use", use_as_blocks }, { "--many", hold_many },
		{ "--wait", wait_for_reuse }, { "--threads", run_threads },
	};
	const struct child_mode *mode = child_mode_of(argc, argv, modes, ARRAY_SIZE(modes));

	if (argc > 2 && !strcmp(argv[1], "--mistake"))
		return make_mistake(mistakes, ARRAY_SIZE(mistakes), argv[2]);
	if (mode)
		return mode->run();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
