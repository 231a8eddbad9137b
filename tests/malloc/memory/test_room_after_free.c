/* SPDX-License-Identifier: MIT */
/*
 * Under a limit that counts mappings, freed memory makes room for threads' stacks and the program's
 * own mappings: at once after malloc_trim(), and within seconds if the program rests.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "take_all.h"

#define LIMIT (200 * MIB)
/* The program's own mapping. */
#define OWN_BYTES (LIMIT / 2)
/* More than enough on a machine with much else to do. */
#define REST_SECONDS 60

/* The process that sets the limit, and the time. */
enum setter { BEFORE_START, ITSELF, OUTSIDE };

struct way {
	const char *name;
	int resource;
	enum setter setter;
	size_t size;		/* of the blocks */
};

static const struct way ways[] = {
	{ "RLIMIT_DATA", RLIMIT_DATA, BEFORE_START, 40 },
	{ "RLIMIT_DATA", RLIMIT_DATA, BEFORE_START, MIB },
	{ "RLIMIT_DATA, set by itself", RLIMIT_DATA, ITSELF, 3000 },
	{ "RLIMIT_DATA, set from outside", RLIMIT_DATA, OUTSIDE, 100 * KIB },
	{ "RLIMIT_AS", RLIMIT_AS, BEFORE_START, 1000 },
	{ "RLIMIT_AS", RLIMIT_AS, BEFORE_START, 3 * MIB },
	{ "RLIMIT_AS, set by itself", RLIMIT_AS, ITSELF, 9 * MIB },
	{ "RLIMIT_AS, set by itself", RLIMIT_AS, ITSELF, 30000 },
};

static void *do_nothing(void *arg)
{
	return arg;
}

static bool thread_has_room(void)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, do_nothing, NULL) && !pthread_join(thread, NULL);
}

static bool mapping_has_room(void)
{
	void *own = mmap(NULL, OWN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	return own != MAP_FAILED && !munmap(own, OWN_BYTES);
}

static void limit(const struct way *way)
{
	struct rlimit new = { LIMIT, RLIM_INFINITY };

	free(opaque(malloc(100)));
	if (way->setter == ITSELF)
		REQUIRE(!setrlimit(way->resource, &new));
	if (way->setter == OUTSIDE)
		REQUIRE(!syscall(SYS_prlimit64, 0, way->resource, &new, NULL));
}

static void fill_and_free(const struct way *way)
{
	size_t bytes = take_all(way->size, false);

	CHECK(bytes >= LIMIT / 2, "; %s: %zu MiB", way->name, bytes / MIB);
	CHECK(!mapping_has_room());
	give_all_back();
}

static int trim(const struct way *way)
{
	limit(way);
	for (int i = 0; i < 2; i++) {
		fill_and_free(way);
		malloc_trim(0);
		CHECK(mapping_has_room(), "; %s, blocks of %zu", way->name, way->size);
		CHECK(thread_has_room(), "; %s, blocks of %zu", way->name, way->size);
	}
	return harness_status();
}

/* Nobody allocates or frees meanwhile. */
static int rest(const struct way *way)
{
	double deadline;

	limit(way);
	fill_and_free(way);
	deadline = seconds_now() + REST_SECONDS;
	while (!mapping_has_room() && seconds_now() < deadline)
		sleep_us(10000);
	CHECK(mapping_has_room(), "; %s, blocks of %zu", way->name, way->size);
	CHECK(thread_has_room(), "; %s, blocks of %zu", way->name, way->size);
	return harness_status();
}

/* Without the library's thread, the frees leave room at least for a thread's stack. */
static int alone(const struct way *way)
{
	limit(way);
	fill_and_free(way);
	CHECK(thread_has_room(), "; %s, blocks of %zu", way->name, way->size);
	return harness_status();
}

struct start {
	const struct way *way;
	struct child_again again;
};

static void start_under_limit(void *arg)
{
	const struct start *start = (const struct start *)arg;
	struct rlimit new = { LIMIT, RLIM_INFINITY };

	if (start->way->setter == BEFORE_START)
		REQUIRE(!setrlimit(start->way->resource, &new));
	child_exec_again((void *)(uintptr_t)&start->again);
}

static void try_all(const char *mode, const char *options)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		char number[2] = { (char)('0' + i), '\0' };
		struct start start = { &ways[i], { mode, number, options, 0 } };
		struct child_result result;

		child_run(&result, start_under_limit, &start);
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s %s: wait status %#x %s",
		      mode, ways[i].name, result.status, result.err);
	}
}

static void after_trim(void)
{
	try_all("--trim", NULL);
}

static void at_rest(void)
{
	try_all("--rest", NULL);
}

static void without_thread(void)
{
	try_all("--alone", "background=off");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "after_trim", after_trim, true },
		{ "at_rest", at_rest, true },
		{ "without_thread", without_thread, true },
	};

	if (argc == 3 && !strcmp(argv[1], "--trim"))
		return trim(&ways[argv[2][0] - '0']);
	if (argc == 3 && !strcmp(argv[1], "--rest"))
		return rest(&ways[argv[2][0] - '0']);
	if (argc == 3 && !strcmp(argv[1], "--alone"))
		return alone(&ways[argv[2][0] - '0']);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
