/* SPDX-License-Identifier: MIT */
/*
 * Profilers and debuggers stop a program anywhere in malloc(). At every instruction unwinders find
 * the callers: with the sequences as they are, where stepping aborts each, and in a process that
 * has left rseq, where each runs to its end.
 */
#include <limits.h>
#include <malloc.h>
#include <sys/wait.h>

#include "harness.h"
#include "support/unwinding.h"

#if UNWINDING_WORKS
#include "measure/leave_rseq.h"

/* If each sequence is aborted, each call takes the slow path, which has thousands of steps. */
#define NR_BLOCKS_ABORTED 3
#define NR_BLOCKS 100

static void *blocks[NR_BLOCKS];

static void allocate(size_t nr, size_t size, size_t step)
{
	for (size_t i = 0; i < nr; i++)
		blocks[i] = opaque(malloc(size + i * step));
}

static void free_all(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(blocks[i]);
}

static void all_calls(void *arg)
{
	size_t nr = *(const size_t *)arg;

	for (size_t size = 10; size <= 40 * KIB; size *= 8) {
		allocate(nr, size, size / NR_BLOCKS);
		free_all(nr);
	}
	for (size_t i = 0; i < 3; i++)
		blocks[i] = opaque(calloc(i + 1, 100 * i));
	for (size_t i = 0; i < 3; i++)
		blocks[i] = opaque(realloc(blocks[i], 3000 * i + 1));
	free_all(3);
	blocks[0] = opaque(malloc(3 * MIB));
	blocks[1] = opaque(aligned_alloc(64, 640));
	blocks[2] = opaque(aligned_alloc(8192, 81920));
	CHECK(malloc_usable_size(blocks[2]) >= 81920);
	free_all(3);
}

static bool uses_sequences(void)
{
	const char *options = getenv("USERMM_OPTIONS");

	return libc_has_rseq() && !(options && strstr(options, "rseq=off"));
}

static void step_through(bool aborted)
{
	static struct unwinding result;
	size_t nr = aborted ? NR_BLOCKS_ABORTED : NR_BLOCKS;

	all_calls(&nr);		/* bring-up is behind, and so is the loader */
	if (!aborted)
		REQUIRE(leave_rseq());
	unwinding_run(&result, (void *)(uintptr_t)malloc, all_calls, &nr);
	CHECK(!result.wrong, "; %lu of %lu stacks, %s", result.wrong, result.checked,
	      result.failure);
	CHECK(result.instructions > 1000, "; only %lu", result.instructions);
	dprintf(STDOUT_FILENO, "# %lu steps, %lu stacks at %lu instructions, %lu of aborts\n",
		result.steps, result.checked, result.instructions, result.targets);
	if (!aborted || !uses_sequences())
		CHECK(!result.targets, "; %lu", result.targets);
	else
		CHECK(result.targets > 20, "; only %lu", result.targets);
}

static void in_child(bool aborted)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		step_through(aborted);
		_exit(harness_status());
	}
	waitpid(child, &status, 0);
	CHECK(!status, "; %#x", (unsigned int)status);
}

static void test_aborted(void)
{
	in_child(true);
}

static void test_whole(void)
{
	in_child(false);
}
#else
static void test_aborted(void)
{
	harness.skipped = "a program cannot step itself here";
}

static void test_whole(void)
{
	harness.skipped = "a program cannot step itself here";
}
#endif

/* A thread that is made by a stepping one inherits its trap flag, and would die of that. */
static void start_again_without_thread(char **argv)
{
	static const char none[] = "background=off";
	const char *options = getenv("USERMM_OPTIONS");
	static char more[PATH_MAX];

	if (options && strstr(options, none))
		return;
	snprintf(more, sizeof(more), "%s%s%s", options ?: "", options && *options ? ":" : "", none);
	setenv("USERMM_OPTIONS", more, 1);
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "aborted", test_aborted, true },
		{ "whole", test_whole, true },
	};

	start_again_without_thread(argv);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
