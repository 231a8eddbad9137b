/* SPDX-License-Identifier: MIT */
/* Limits that a process sets for itself after it has used memory. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "take_all.h"

#define LATER_LIMIT (512 * MIB)

static void set_limit(int resource, size_t bytes)
{
	struct rlimit limit;

	REQUIRE(!getrlimit(resource, &limit));
	limit.rlim_cur = bytes;
	REQUIRE(!setrlimit(resource, &limit));
}

static void *do_nothing(void *arg)
{
	return arg;
}

/* The program's own mappings have room, threads' stacks and other programs among them. */
static void check_room(void)
{
	void *own = mmap(NULL, 64 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	int status;

	CHECK(own != MAP_FAILED, "; errno is %d", errno);
	if (own != MAP_FAILED)
		munmap(own, 64 * MIB);
	CHECK(!pthread_create(&thread, NULL, do_nothing, NULL) && !pthread_join(thread, NULL));
	unsetenv("LD_PRELOAD");		/* the shell may have another libc */
	status = system("exit 5");
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5, "; status %#x", status);
}

/* From the call on, malloc() gets no more than the limit, and a good part of it. */
static void check_later_space(size_t size)
{
	size_t total = take_all(size, false);

	CHECK(total >= LATER_LIMIT / 2 && total <= LATER_LIMIT, "; %zu MiB by %zu bytes",
	      total / MIB, size);
	ask_when_empty(size, LATER_LIMIT);
	give_all_back();
}

static void live_under_later_space(void *arg)
{
	(void)arg;
	free(opaque(malloc(100)));
	set_limit(RLIMIT_AS, LATER_LIMIT);
	check_room();
	check_later_space(1000);
	check_later_space(MIB);
}

/* Free memory from before the call makes room. */
static void shrink_under_later_space(void *arg)
{
	struct rlimit limit = { LATER_LIMIT, RLIM_INFINITY };

	(void)arg;
	for (unsigned int i = 0; i < 2 * LATER_LIMIT / MIB; i++) {
		struct link *block = malloc(MIB);

		REQUIRE(block);
		*block = (struct link){ taken, MIB };
		taken = block;
	}
	give_all_back();
	REQUIRE(!prlimit(0, RLIMIT_AS, &limit, NULL));
	check_room();
}

/* The call returns the former limit, too, in the same structure. */
static void swap_later_space(void *arg)
{
	struct rlimit limit = { LATER_LIMIT, RLIM_INFINITY };

	(void)arg;
	free(opaque(malloc(100)));
	REQUIRE(!prlimit(0, RLIMIT_AS, &limit, &limit));
	CHECK(limit.rlim_cur == RLIM_INFINITY);
	check_room();
}

static size_t mapped_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	REQUIRE(file && fscanf(file, "%zu", &pages) == 1);
	fclose(file);
	return pages;
}

/* A child that shares this memory limits itself, not us. */
static void limit_in_vfork_child(void *arg)
{
	static struct rlimit limit = { LATER_LIMIT, RLIM_INFINITY };
	size_t before, after;
	int status;
	pid_t pid;

	(void)arg;
	free(opaque(malloc(100)));
	before = mapped_pages();
	pid = vfork();
	if (!pid)
		_exit(setrlimit(RLIMIT_AS, &limit));
	REQUIRE(waitpid(pid, &status, 0) == pid && !status);
	after = mapped_pages();
	CHECK(after + 1000 > before, "; %zu pages, then %zu", before, after);
	free(opaque(malloc(MIB)));
}

/* The reservation also ends with options that look at each page, or clear it. */
static int live_with_hooks(void)
{
	void *block, *large;

	free(opaque(malloc(100)));
	set_limit(RLIMIT_AS, LATER_LIMIT);
	check_room();
	block = opaque(malloc(2 * MIB));
	large = opaque(malloc(LATER_LIMIT / 4));
	CHECK(block && large);
	free(large);
	free(block);
	check_room();
	return harness_status();
}

static void address_space_with_hooks(void)
{
	static const char *const options[] = {
		"init_on_alloc=1", "init_on_free=1", "page_poison=1", "debug_pagealloc=1",
		"page_owner=1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--hooks", options[i]);
}

#ifdef __GLIBC__
static int limit_and_look(void *unused)
{
	(void)unused;
	alarm(CHILD_SECONDS);
	set_limit(RLIMIT_AS, LATER_LIMIT);
	check_room();
	return harness_status();
}

/* A child for which no fork handlers run. */
static void limit_in_clone_child(void *arg)
{
	(void)arg;
	free(opaque(malloc(100)));
	child_by_clone(limit_and_look);
}
#endif

/*
 * A request that the kernel refuses fails, and does no harm. When the kernel no longer refuses,
 * requests are served again.
 */
static void live_under_later_data(void *arg)
{
	size_t under;
	void *more;

	(void)arg;
	free(opaque(malloc(100)));
	set_limit(RLIMIT_DATA, LATER_LIMIT);
	under = take_all(16 * MIB, false);
	CHECK(under && under <= LATER_LIMIT, "; %zu MiB", under / MIB);
	errno = 0;
	CHECK(!malloc(LATER_LIMIT) && errno == ENOMEM);
	give_all_back();
	set_limit(RLIMIT_DATA, RLIM_INFINITY);
	more = opaque(malloc(opaque_size(2 * LATER_LIMIT)));
	CHECK(more);
	free(more);
}

static void expect_child(const char *name, void (*child)(void *arg))
{
	struct child_result result;

	child_run(&result, child, NULL);
	CHECK(child_exited(result.status, 0), "; %s: wait status %#x %s", name, result.status,
	      result.err);
}

/* --- Where the window was ------------------------------------------------------ */

#define BEFORE_BYTES (200 * MIB)
/* In the window in all modes. Debugging takes its time for each block. */
#define BEFORE_SIZE 8000
#define HOLES_LIMIT (800 * MIB)
#define LARGE_BYTES 5000000

/* Takes every n-th of the blocks; along the list, blocks lie in different kinds of places. */
#define STRIDE 8

static struct link **next_place(struct link **place)
{
	for (unsigned int i = 0; i < STRIDE && *place; i++)
		place = &(*place)->next;
	return place;
}

/* There is no room for a copy of any block, so a block that grows keeps its pages. */
static void grow_in_turn(void)
{
	struct link *block = taken, *others = NULL;

	taken = block->next;
	free(block);
	for (struct link **place = &taken; *place; place = next_place(place)) {
		block = realloc(opaque(*place), 9 * MIB);
		CHECK(block);
		if (!block)
			break;
		*place = block;
		block = realloc(opaque(block), LARGE_BYTES / 2);
		REQUIRE(block);
		*place = block;
		/* Traces of this must not reach the next owner. */
		block = malloc(LARGE_BYTES / 2);
		REQUIRE(block);
		block->next = others;
		others = block;
	}
	for (; others; others = block) {
		block = others->next;
		free(others);
	}
}

static void free_it(void *pointer)
{
	free(opaque(pointer));
}

/* At the start of a page, and not. */
static void check_reports(void)
{
	struct child_result result;

	for (struct link **place = &taken; *place; place = next_place(place)) {
		size_t inside = (uintptr_t)*place & 64 * KIB ? 8 : 64 * KIB;

		child_run(&result, free_it, (char *)*place + inside);
		CHECK(child_died_by(result.status, SIGABRT) &&
		      strstr(result.err, "inside a mapping of"), "; %zu: wait status %#x %s",
		      inside, result.status, result.err);
	}
}

/*
 * Free parts of the window make room for large blocks, which may then lie between its other parts.
 * All calls work in the same way on blocks in either place.
 */
static int fill_holes(void)
{
	struct link *first, *block;

	for (size_t bytes = 0; bytes < BEFORE_BYTES; bytes += BEFORE_SIZE) {
		block = malloc(BEFORE_SIZE);
		if (!block)
			break;		/* debugging takes room */
		*block = (struct link){ taken, BEFORE_SIZE };
		taken = block;
	}
	give_all_back();
	set_limit(RLIMIT_AS, HOLES_LIMIT);
	take_all(LARGE_BYTES, false);
	first = taken;
	for (block = first; block; block = block->next)
		CHECK(malloc_usable_size(block) >= LARGE_BYTES, "; %p", (void *)block);
	check_reports();
	grow_in_turn();
	for (struct link **place = &taken; *place; place = &(*place)->next) {
		block = realloc(*place, LARGE_BYTES / 2);
		REQUIRE(block);
		*place = block;
	}
	give_all_back();
	return harness_status();
}

static void blocks_where_the_window_was(void)
{
	static const char *const options[] = {
		"reserve=512M", "reserve=512M:hardened=1", "reserve=512M:slab_debug",
		"reserve=512M:rseq=off",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--holes", options[i]);
}

/* --- A limit that rises ---------------------------------------------------------- */

#define LOW_LIMIT (100 * MIB)

/* Before the first malloc() of all. */
static int live_under_risen_space(void)
{
	size_t low, more;

	set_limit(RLIMIT_AS, LOW_LIMIT);
	low = take_all(1000, false);
	CHECK(low > LOW_LIMIT / 2 && low <= LOW_LIMIT, "; %zu MiB", low / MIB);
	set_limit(RLIMIT_AS, 4 * LOW_LIMIT);
	/* A page for each. */
	more = take_all(1000, false);
	CHECK(more > LOW_LIMIT / 3, "; %zu MiB more", more / MIB);
	give_all_back();
	return harness_status();
}

static void space_rises(void)
{
	static const struct child_again again = { "--rise", NULL, NULL, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, (void *)&again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

static void address_space(void)
{
	expect_child("from now on", live_under_later_space);
	expect_child("after a peak", shrink_under_later_space);
	expect_child("and the one before", swap_later_space);
	expect_child("in a child that shares memory", limit_in_vfork_child);
#ifdef __GLIBC__
	expect_child("in a child of clone()", limit_in_clone_child);
#endif
}

static void data(void)
{
	expect_child("from now on", live_under_later_data);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "address_space", address_space, true },
		{ "address_space_with_hooks", address_space_with_hooks, true },
		{ "blocks_where_the_window_was", blocks_where_the_window_was, true },
		{ "space_rises", space_rises, true },
		{ "data", data, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--holes"))
		return fill_holes();
	if (argc > 1 && !strcmp(argv[1], "--hooks"))
		return live_with_hooks();
	if (argc > 1 && !strcmp(argv[1], "--rise"))
		return live_under_risen_space();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
