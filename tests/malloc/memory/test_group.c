/* SPDX-License-Identifier: MIT */
/*
 * Programs in a memory cgroup that somebody else fills, or whose limit changes while they run. With
 * a real cgroup of version 1 or 2; page/test_limits has made-up ones.
 */
#define _GNU_SOURCE
#include "child.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include "group.h"
#include "support/prng.h"
#include "take_all.h"
#include "usermm/stats.h"

#define LIMIT (128 * MIB)

struct run {
	char folder[PATH_MAX];
	const char *mode, *options;
};

static void enter_and_run(void *arg)
{
	struct run *run = arg;
	struct child_again again = { run->mode, run->folder, run->options, 0 };

	group_enter(run->folder);
	child_exec_again(&again);
}

/* Runs this program again in a group of its own. It must end well, and nobody may be killed. */
static void run_in_group(const char *mode, const char *options)
{
	static struct run run;
	struct child_result result;

	run.mode = mode;
	run.options = options;
	if (!group_make(run.folder, sizeof(run.folder), LIMIT)) {
		harness.skipped = "this process may not make memory cgroups";
		return;
	}
	child_run(&result, enter_and_run, &run);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
	group_remove(run.folder);
}

/* --- Others fill the group ------------------------------------------------------------------ */

/* Frees blocks that were used, so that the library may keep their memory. */
static void leave_kept(size_t size, size_t bytes)
{
	enum { NR_MAX = 4096 };
	static char *blocks[NR_MAX];
	size_t nr = bytes / size;

	REQUIRE(nr <= NR_MAX);
	for (size_t i = 0; i < nr; i++) {
		blocks[i] = malloc(size);
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, size);
	}
	for (size_t i = 0; i < nr; i++)
		free(blocks[i]);
}

/* A mapping of the program's own, which the library does not know, takes all but `left` bytes. */
static void fill_group(const char *folder, size_t left)
{
	size_t step = 64 * KIB;
	char *mapping = mmap(NULL, LIMIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);

	REQUIRE(mapping != MAP_FAILED);
	for (size_t at = 0; at < LIMIT && group_usage(folder) + left < LIMIT; at += step)
		memset(mapping + at, 1, step);
	REQUIRE(group_usage(folder) + left >= LIMIT);
}

/*
 * The library keeps freed memory only for programs that have wanted such memory again
 * (page/reclaim/decay.h), so this frees and takes it in turns.
 */
static void leave_kept_of_all_kinds(const char *folder)
{
	size_t before = group_usage(folder);

	for (unsigned int turns = 0; turns < 100; turns++) {
		leave_kept(8 * KIB, 12 * MIB);
		leave_kept(64 * KIB, 16 * MIB);
		leave_kept(5 * MIB, 10 * MIB);
		if (group_usage(folder) >= before + 22 * MIB)
			return;
	}
	REQUIRE(!"kept");
}

/* Memory that the library keeps makes room for a request for more than is left. */
static int live_in_full_group(const char *folder)
{
	char *blocks[4];

	leave_kept_of_all_kinds(folder);
	fill_group(folder, 6 * MIB);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = malloc(6 * MIB);
		REQUIRE(blocks[i]);
		memset(blocks[i], (int)i, 6 * MIB);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		CHECK(blocks[i][i] == (char)i && blocks[i][6 * MIB - 1] == (char)i);
		free(blocks[i]);
	}
	return harness_status();
}

static void others_fill_it(void)
{
	/* On a slow machine the thread gives all back before the group is full. */
	run_in_group("--full", "background=off");
}

/* --- The limit changes ---------------------------------------------------------------------- */

#define PATIENCE_SECONDS 60

/*
 * Takes blocks until there are none. One page of each is written to, so much less than the limit is
 * used, and the kernel kills nobody. The option limit= makes the library refuse also what would be
 * mappings.
 */
static size_t budget(void)
{
	size_t bytes = take_all(128 * KIB, false);

	give_all_back();
	return bytes;
}

/* The same number from the library's statistics; 0 under another malloc. */
static size_t shown_budget(void)
{
	void (*read_stats)(struct usermm_stats *) =
		(void (*)(struct usermm_stats *))dlsym(RTLD_DEFAULT, "usermm_stats_read");
	struct usermm_stats stats = { 0 };

	if (read_stats)
		read_stats(&stats);
	return stats.budget_bytes;
}

/* The library notices within a second, and a busy machine may take longer. */
static void expect_budget(const char *folder, size_t limit)
{
	double deadline = seconds_now() + PATIENCE_SECONDS * slowness();
	size_t bytes;

	malloc_trim(0);		/* the kernel sets no limit below the usage */
	REQUIRE(group_set_limit(folder, limit));
	do {
		bytes = budget();
		sleep_us(20000);
	} while ((bytes > limit || bytes < limit / 4 * 3) && seconds_now() < deadline);
	CHECK(bytes <= limit && bytes >= limit / 4 * 3, "; %zu of %zu MiB", bytes / MIB,
	      limit / MIB);
	bytes = shown_budget();
	CHECK(bytes == 0 || (bytes <= limit && bytes >= limit / 4 * 3),
	      "; %zu of %zu MiB in the statistics", bytes / MIB, limit / MIB);
}

static int follow_limit(const char *folder)
{
	static const unsigned int mib[] = { 64, 200, 96 };

	for (size_t i = 0; i < ARRAY_SIZE(mib); i++)
		expect_budget(folder, mib[i] * MIB);
	return harness_status();
}

static void limit_is_followed(void)
{
	if (skip_with("hardened=1", "freed blocks wait, and count"))
		return;
	run_in_group("--follow", "limit=1G");
}

/* --- While threads allocate ------------------------------------------------------------------ */

#define NR_THREADS 3
#define NR_HELD 400
#define NR_CHANGES 60

static bool stop;	/* Sync: atomic */

static void *churn(void *arg)
{
	struct prng prng = { (uint64_t)(uintptr_t)arg + 1 };
	static __thread struct held {
		unsigned char *block;
		size_t size;
	} held[NR_HELD];

	for (unsigned int i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		struct held *h = &held[prng_below(&prng, NR_HELD)];

		if (h->block) {
			CHECK(h->block[0] == (h->size & 0xff) &&
			      h->block[h->size - 1] == (h->size & 0xff));
			free(h->block);
		}
		/* Mostly small, at times a page block, and seldom a mapping. */
		h->size = 1 + prng_below(&prng, i % 16 ? 2 * KIB : i % 2000 ? 64 * KIB : 5 * MIB);
		h->block = malloc(h->size);
		if (h->block)
			memset(h->block, (int)(h->size & 0xff), h->size);
	}
	for (size_t i = 0; i < NR_HELD; i++)
		free(held[i].block);
	return NULL;
}

/* A limit below the usage may make the kernel kill at once, whatever the library does. */
static int change_limit(const char *folder)
{
	struct prng prng = { 7 };
	pthread_t threads[NR_THREADS];

	for (uintptr_t i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, churn, (void *)i));
	for (unsigned int i = 0; i < NR_CHANGES; i++) {
		size_t limit = (48 + prng_below(&prng, 100)) * MIB;

		if (limit >= group_usage(folder) + 8 * MIB)
			REQUIRE(group_set_limit(folder, limit));
		sleep_us(10000);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (size_t i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_join(threads[i], NULL));
	REQUIRE(group_set_limit(folder, LIMIT));
	return harness_status();
}

static void limit_changes_under_threads(void)
{
	run_in_group("--change", NULL);
}

static const struct {
	const char *mode;
	int (*run)(const char *folder);
} modes[] = {
	{ "--full", live_in_full_group },
	{ "--follow", follow_limit },
	{ "--change", change_limit },
};

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "others_fill_it", others_fill_it, true },
		{ "limit_is_followed", limit_is_followed, true },
		{ "limit_changes_under_threads", limit_changes_under_threads, false },
	};

	for (size_t i = 0; argc > 2 && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(argv[1], modes[i].mode))
			return modes[i].run(argv[2]);
	if (keep_preload_to_oneself())
		return 1;
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
