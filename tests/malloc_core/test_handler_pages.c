/* SPDX-License-Identifier: MIT */
/*
 * Blocks that signal handlers above the holder of a lock allocate and free again and again are
 * mapped only once. The test may hold any lock, because a handler knows nothing of the holder but
 * the ranks of its locks.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "malloc/mapped/handler_pages.h"
#include "malloc/mapped/mapped.h"
#include "malloc_core/tested.h"
#include "os/lock.h"
#include "os/os.h"
#include "page/budget.h"
#include "page/zone.h"
#include "support/child.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/system/no_syscalls.h"
#include "usermm/usermm.h"

/* A class that nothing else uses, so no CPU keeps its objects. */
#define SIZE 3000
#define NR_BLOCKS 20
#define NR_ROUNDS 1000

static char *blocks[NR_BLOCKS];
static unsigned int nr_wrong;

/* Not through kunit, which may make system calls. */
static void allocate_all(void)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = tested_malloc(SIZE);
		nr_wrong += mapped_bytes(blocks[i]) != os_page_bytes() || blocks[i][SIZE - 1];
		memset(blocks[i], 1, SIZE);
	}
}

static void free_all(void)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		tested_free(blocks[i]);
}

static void one_round(void *unused)
{
	(void)unused;
	allocate_all();
	free_all();
}

/* The handler stays until the end: its return would be a system call. */
static void many_rounds(void *unused)
{
	one_round(unused);
	if (!no_syscalls_from_here())
		return;
	for (unsigned int i = 0; i < NR_ROUNDS; i++)
		one_round(unused);
	syscall(SYS_exit_group, !!nr_wrong);	/* _exit() makes calls under a sanitizer */
}

static void run_above_holder(enum lock_rank rank, void (*fn)(void *unused))
{
	lock_rank_enter(rank);
	run_in_handler(fn, NULL);
	lock_rank_leave(rank);
}

static void many_above_holder(struct kunit *test, void *rank)
{
	tested_free(tested_malloc(1));
	run_above_holder(*(const enum lock_rank *)rank, many_rounds);
	KUNIT_EXPECT_EQ(test, nr_wrong, 0);
}

static void test_storm_of_signals_maps_once(struct kunit *test)
{
	static enum lock_rank ranks[] = { RANK_CACHES, RANK_CACHE, RANK_ZONE, RANK_SLOT };

	for (unsigned int i = 0; i < ARRAY_SIZE(ranks); i++)
		CHILD_EXPECT_SUCCESS(test, many_above_holder, &ranks[i]);
}

static unsigned long charged(void)
{
	return zone_charged_pages(budget_zone());
}

static void keep_and_trim(struct kunit *test, void *unused)
{
	const size_t bytes = NR_BLOCKS * os_page_bytes();
	unsigned long before;
	const char *error;

	(void)unused;
	KUNIT_ASSERT_EQ(test, usermm_set_options("limit=64M", &error), 0);
	tested_free(tested_malloc(1));
	before = charged();
	run_above_holder(RANK_CACHES, one_round);
	KUNIT_EXPECT_EQ(test, nr_wrong, 0);
	KUNIT_EXPECT_EQ(test, mapped_counts.blocks, 0);
	KUNIT_EXPECT_EQ(test, handler_pages_bytes(), bytes);
	KUNIT_EXPECT_EQ_MSG(test, charged(), before + bytes / PAGE_SIZE, "the limit knows");
	KUNIT_EXPECT_EQ(test, budget_mapped_pages() * PAGE_SIZE, bytes);
	KUNIT_EXPECT_EQ(test, tested_malloc_trim(0), 1);
	KUNIT_EXPECT_EQ(test, handler_pages_bytes(), 0);
	KUNIT_EXPECT_EQ(test, charged(), before);
}

static void test_handler_pages_are_given_back(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, keep_and_trim, NULL);
}

/* Allocates until nothing is left, and keeps all blocks. */
static void take_all(size_t bytes)
{
	while (mapped_alloc(bytes, os_page_bytes(), NULL))
		;
}

static void keep_and_take_all(struct kunit *test, void *unused)
{
	const char *error;

	(void)unused;
	KUNIT_ASSERT_EQ(test, usermm_set_options("limit=16M", &error), 0);
	tested_free(tested_malloc(1));
	run_above_holder(RANK_CACHES, one_round);
	KUNIT_ASSERT_EQ(test, handler_pages_bytes(), NR_BLOCKS * os_page_bytes());
	take_all(MIB);
	take_all(os_page_bytes());
	KUNIT_EXPECT_EQ(test, handler_pages_bytes(), 0);
	KUNIT_EXPECT_EQ(test, budget_mapped_pages() * PAGE_SIZE, mapped_counts.bytes);
}

static void test_handler_pages_go_before_the_limit_is_met(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, keep_and_take_all, NULL);
}

/* So many pages are kept; further ones are unmapped when they are freed. */
static void more_than_are_kept(void *unused)
{
	static char *many[100];

	(void)unused;
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++) {
		many[i] = tested_malloc(SIZE);
		nr_wrong += mapped_bytes(many[i]) != os_page_bytes();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++)
		tested_free(many[i]);
}

static void keep_some(struct kunit *test, void *unused)
{
	unsigned long before;
	const char *error;
	size_t kept;

	(void)unused;
	KUNIT_ASSERT_EQ(test, usermm_set_options("limit=64M", &error), 0);
	tested_free(tested_malloc(1));
	before = charged();
	run_above_holder(RANK_CACHES, more_than_are_kept);
	KUNIT_EXPECT_EQ(test, nr_wrong, 0);
	KUNIT_EXPECT_EQ(test, mapped_counts.blocks, 0);
	kept = handler_pages_bytes();
	KUNIT_EXPECT_EQ(test, kept, 32 * os_page_bytes());
	KUNIT_EXPECT_EQ(test, charged(), before + kept / PAGE_SIZE);
	/* Each kept page serves one block again; further blocks are mapped. */
	run_above_holder(RANK_CACHES, more_than_are_kept);
	KUNIT_EXPECT_EQ(test, nr_wrong, 0);
	KUNIT_EXPECT_EQ(test, handler_pages_bytes(), kept);
	KUNIT_EXPECT_EQ(test, charged(), before + kept / PAGE_SIZE);
}

static void test_only_so_many_are_kept(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, keep_some, NULL);
}

static void allocate_aligned(void *unused)
{
	const size_t align = 4 * os_page_bytes();

	(void)unused;
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = tested_memalign(align, 1);
		nr_wrong += mapped_bytes(blocks[i]) != os_page_bytes() || *blocks[i] ||
			    (uintptr_t)blocks[i] % align;
	}
	free_all();
}

/* A kept page is aligned to the page size, and to no more. */
static void keep_and_align(struct kunit *test, void *unused)
{
	(void)unused;
	tested_free(tested_malloc(1));
	run_above_holder(RANK_SLOT, one_round);
	run_above_holder(RANK_SLOT, allocate_aligned);
	KUNIT_EXPECT_EQ(test, nr_wrong, 0);
}

static void test_handler_blocks_are_aligned(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, keep_and_align, NULL);
}

static void *pause_for_ever(void *unused)
{
	while (true)
		pause();
	return unused;
}

/* There is one more thread, because without one the child does not count anew. */
static void keep_and_fork(struct kunit *test, void *unused)
{
	unsigned long before;
	const char *error;
	pthread_t thread;
	int status;
	pid_t pid;

	(void)unused;
	KUNIT_ASSERT_EQ(test, usermm_set_options("limit=64M", &error), 0);
	tested_free(tested_malloc(1));
	run_above_holder(RANK_CACHES, one_round);
	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, pause_for_ever, NULL), 0);
	before = charged();
	pid = fork();
	if (!pid)
		_exit(charged() != before);
	KUNIT_ASSERT_EQ(test, waitpid(pid, &status, 0), pid);
	KUNIT_EXPECT_EQ_MSG(test, status, 0, "the child counts what is kept");
}

static void test_handler_pages_are_inherited(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, keep_and_fork, NULL);
}

static void allocate_only(void *unused)
{
	(void)unused;
	allocate_all();
}

static void free_below(struct kunit *test, void *unused)
{
	(void)unused;
	tested_free(tested_malloc(1));
	run_above_holder(RANK_CACHES, allocate_only);
	free_all();
	KUNIT_EXPECT_EQ(test, nr_wrong, 0);
	KUNIT_EXPECT_EQ(test, handler_pages_bytes(), 0);
}

static void test_only_handlers_keep_pages(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, free_below, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_storm_of_signals_maps_once),
	KUNIT_CASE(test_handler_pages_are_given_back),
	KUNIT_CASE(test_handler_pages_go_before_the_limit_is_met),
	KUNIT_CASE(test_only_so_many_are_kept),
	KUNIT_CASE(test_handler_blocks_are_aligned),
	KUNIT_CASE(test_handler_pages_are_inherited),
	KUNIT_CASE(test_only_handlers_keep_pages),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-handler-pages", .test_cases = cases };

kunit_test_suite(suite);
