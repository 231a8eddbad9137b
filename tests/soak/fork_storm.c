/* SPDX-License-Identifier: MIT */
/*
 * fork() after fork() while other threads allocate. Each child finds the blocks that the parent
 * had, frees some, allocates, and goes. It runs under any malloc.
 *
 *	fork_storm N	forks N times, and writes how many nanoseconds each fork() took
 *
 * A fork() or a child that hangs ends it by SIGALRM; a child that fails, with exit status 1.
 */
#include <sys/wait.h>

#include "malloc/harness/hammer.h"

#define HANG_SECONDS 10
#define FORKS_MAX 1000000UL
#define NR_KEPT 64
#define CHILD_STEPS 100

/* The parent's blocks; each has its size in its first word, and bytes that depend on it. */
static size_t *kept[NR_KEPT];
static unsigned int fork_ns[FORKS_MAX];	/* static: malloc has no part in it */

static void keep(unsigned int which, struct prng *prng)
{
	size_t size = sizeof(size_t) + mixed_size(prng);

	free(kept[which]);
	kept[which] = malloc(size);
	REQUIRE(kept[which]);
	memset(kept[which], (int)(size & 0xff), size);
	*kept[which] = size;
}

static void check(const size_t *block)
{
	const unsigned char *bytes = (const unsigned char *)block;
	size_t size = *block;

	for (size_t i = sizeof(size_t); i < size; i += 1 + size / 16)
		REQUIRE(bytes[i] == (size & 0xff));
}

static void child_main(unsigned long number)
{
	struct prng prng = { number };

	for (unsigned int i = 0; i < NR_KEPT; i++) {
		check(kept[i]);
		if (i % 4 == number % 4)
			free(kept[i]);
	}
	mixed_work(&prng, CHILD_STEPS);
	_exit(harness_status());
}

static void fork_once(unsigned long number)
{
	struct timespec before, after;
	int status;
	pid_t pid;

	alarm(HANG_SECONDS * slowness());
	clock_gettime(CLOCK_MONOTONIC, &before);
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid) {
		alarm(HANG_SECONDS * slowness());	/* the parent's is not the child's */
		child_main(number);
	}
	clock_gettime(CLOCK_MONOTONIC, &after);
	fork_ns[number] = (unsigned int)((after.tv_sec - before.tv_sec) * 1000000000L +
					 after.tv_nsec - before.tv_nsec);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "; child %lu: wait status %#x",
		number, (unsigned int)status);
	alarm(0);
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	struct prng prng = { 1 };

	REQUIRE(nr > 0 && nr <= FORKS_MAX);
	for (unsigned int i = 0; i < NR_KEPT; i++)
		keep(i, &prng);
	start_hammers();
	for (unsigned long i = 0; i < nr; i++) {
		fork_once(i);
		keep(prng_below(&prng, NR_KEPT), &prng);
	}
	stop_hammers();
	for (unsigned int i = 0; i < NR_KEPT; i++) {
		check(kept[i]);
		free(kept[i]);
	}
	for (unsigned long i = 0; i < nr; i++)
		dprintf(STDOUT_FILENO, "%u\n", fork_ns[i]);
	return harness_status();
}
