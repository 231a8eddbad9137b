/* SPDX-License-Identifier: MIT */
/*
 * Before a request is refused, it gets the free memory that other CPUs keep: one CPU allocates all
 * that a limit allows and frees it, then another CPU asks for as much.
 */
#include "child.h"
#include "cpus.h"
#include "stopping.h"
#include "take_all.h"

/* The bytes that there were. */
static size_t total;

static void *use_all(void *unused)
{
	(void)unused;
	bind_to_cpu(true);
	total = take_all(1000, true);
	give_all_back();
	return NULL;
}

/* The unused end of a slab, behind its last object, does not count. */
static void *expect_as_much(void *size)
{
	size_t again;

	bind_to_cpu(false);
	again = take_all(*(size_t *)size, true);
	CHECK(again >= total - total / 32, "; %zu of %zu KiB in objects of %zu", again / KIB,
	      total / KIB, *(size_t *)size);
	give_all_back();
	return NULL;
}

static void in_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, run, argument));
	pthread_join(thread, NULL);
}

/* With hardened=1 seals make small blocks larger. */
static size_t sizes[] = { 1000, 2000, 8000, 1000, 64 };

static int use_all_twice(size_t least)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i] < least)
			continue;
		in_thread(use_all, NULL);
		in_thread(expect_as_much, &sizes[i]);
	}
	return harness_status();
}

/* With locked slots every CPU can take from all of them anyway. */
static void run_both_ways(const char *mode, const char *locked, const char *usual)
{
	child_expect_quiet(mode, locked);
	if (nr_unstoppable_slots())
		harness.skipped = "slots cannot be stopped here";
	else
		child_expect_quiet(mode, usual);
}

static void on_sheaves(void)
{
	run_both_ways("--twice", "limit=4M:rseq=off", "limit=4M");
}

static void on_lists(void)
{
	run_both_ways("--twice", "limit=4M:slab_cpu_cache=slab:rseq=off",
		      "limit=4M:slab_cpu_cache=slab");
}

static void in_quarantine(void)
{
	run_both_ways("--large-twice", "limit=4M:hardened=1:rseq=off", "limit=4M:hardened=1");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "on_sheaves", on_sheaves, true },
		{ "on_lists", on_lists, true },
		{ "in_quarantine", in_quarantine, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--twice"))
		return use_all_twice(1);
	if (argc > 1 && !strcmp(argv[1], "--large-twice"))
		return use_all_twice(1000);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
