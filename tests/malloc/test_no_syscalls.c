/* SPDX-License-Identifier: MIT */
/* malloc() and free() of warm sizes make no system call; the kernel watches. */
#include "harness.h"

#include <sched.h>

#include "child.h"
#include "support/system/no_syscalls.h"

#define PAIRS 100000
#define DEPTH 200

static void allocate_and_free(void)
{
	void *blocks[DEPTH];

	for (unsigned int i = 0; i < DEPTH; i++)
		blocks[i] = malloc(1 + i * 97 % 20000);
	for (unsigned int i = 0; i < DEPTH; i++)
		free(opaque(blocks[i]));
}

static void warm_pairs(void *arg)
{
	cpu_set_t one;

	(void)arg;
	CPU_ZERO(&one);
	CPU_SET((unsigned int)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (unsigned int i = 0; i < 3; i++)
		allocate_and_free();
	REQUIRE(no_syscalls_from_here());
	for (unsigned int i = 0; i < PAIRS; i += DEPTH)
		allocate_and_free();
	_exit(0);
}

static void call_the_kernel(void *arg)
{
	(void)arg;
	REQUIRE(no_syscalls_from_here());
	getppid();
	_exit(0);
}

static void warm_pairs_make_no_call(void)
{
	struct child_result result;

	child_run(&result, warm_pairs, NULL);
	CHECK(child_exited(result.status, 0), "; wait status %#x %s", result.status, result.err);
}

static void the_filter_notices(void)
{
	struct child_result result;

	child_run(&result, call_the_kernel, NULL);
	CHECK(child_exited(result.status, NO_SYSCALLS_BROKEN), "; wait status %#x %s",
	      result.status, result.err);
}

TEST_MAIN({ "the_filter_notices", the_filter_notices, false },
	  { "warm_pairs_make_no_call", warm_pairs_make_no_call, true })
