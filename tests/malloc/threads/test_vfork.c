/* SPDX-License-Identifier: MIT */
/*
 * Children that share the parent's memory and allocate in it while the parent's
 * other threads do the same on the same CPUs. A child and a thread must never hold the same block
 * at the same time, and no block may be lost.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>

#include "child.h"
#include "harness.h"
#include "support/prng.h"

#define NR_HOT 4
#define HELD 24
#define ROUNDS 1500
#define CHILD_STEPS 100

extern char **environ;

static bool stopped;			/* Sync: atomic relaxed */
static unsigned long foreign;		/* blocks found changed; atomic */

/* Each word of a block says who holds it. */
static void stamp(unsigned long *block, size_t words, unsigned long who)
{
	for (size_t i = 0; i < words; i++)
		__atomic_store_n(&block[i], who + i, __ATOMIC_RELAXED);
}

static bool stamped(const unsigned long *block, size_t words, unsigned long who)
{
	for (size_t i = 0; i < words; i++)
		if (__atomic_load_n(&block[i], __ATOMIC_RELAXED) != who + i)
			return false;
	return true;
}

/*
 * Holds up to HELD blocks for a while, and writes `who` into them. Returns how many were found
 * changed.
 */
static __attribute__((noinline)) unsigned long work(unsigned long who, unsigned int steps)
{
	static const size_t words[] = { 2, 4, 8, 12 };
	unsigned long *held[HELD] = { NULL }, wrong = 0;
	struct prng prng = { who };

	for (unsigned int step = 0; step < steps; step++) {
		unsigned int i = (unsigned int)prng_below(&prng, HELD);
		size_t n = words[i % ARRAY_SIZE(words)];

		if (held[i]) {
			wrong += !stamped(held[i], n, who + i * 64);
			free(held[i]);
			held[i] = NULL;
		} else if ((held[i] = malloc(n * sizeof(long)))) {
			stamp(held[i], n, who + i * 64);
		} else {
			wrong++;
		}
	}
	for (unsigned int i = 0; i < HELD; i++)
		if (held[i]) {
			wrong += !stamped(held[i], words[i % ARRAY_SIZE(words)], who + i * 64);
			free(held[i]);
		}
	return wrong;
}

static void *hot(void *number)
{
	unsigned long who = (unsigned long)number << 40;

	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED))
		__atomic_add_fetch(&foreign, work(who += 1 << 20, 2000), __ATOMIC_RELAXED);
	return NULL;
}

static void with_hot_threads(void (*round)(unsigned int number))
{
	pthread_t threads[NR_HOT];

	foreign = 0;
	__atomic_store_n(&stopped, false, __ATOMIC_RELAXED);
	for (unsigned long i = 0; i < NR_HOT; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, hot, (void *)(i + 1)));
	for (unsigned int i = 0; i < ROUNDS / test_divisor(); i++)
		round(i);
	__atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_HOT; i++)
		pthread_join(threads[i], NULL);
	CHECK(!foreign, "; %lu blocks of threads were changed by others", foreign);
}

static void reap(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	CHECK(child_exited(status, 0), "; status %#x", status);
}

static void vfork_round(unsigned int number)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(work((unsigned long)(number + 100) << 40, CHILD_STEPS) ? 1 : 0);
	if (CHECK(pid > 0))
		reap(pid);
}

/* glibc's other name for it. */
pid_t other_vfork(void) __asm__("__vfork") __attribute__((weak, returns_twice));

static void other_vfork_round(unsigned int number)
{
	pid_t pid = other_vfork();

	if (!pid)
		_exit(work((unsigned long)(number + 100) << 40, CHILD_STEPS) ? 1 : 0);
	if (CHECK(pid > 0))
		reap(pid);
}

static void other_vfork_child_allocates(void)
{
	if (other_vfork)
		with_hot_threads(other_vfork_round);
	else
		harness.skipped = "libc has no __vfork()";
}

static void vfork_child_allocates(void)
{
	with_hot_threads(vfork_round);
}

static int clone_child(void *number)
{
	return work((unsigned long)number << 40, CHILD_STEPS) ? 1 : 0;
}

static void clone_round(unsigned int number)
{
	static char stack[256 * KIB] __attribute__((aligned(64)));
	int pid = clone(clone_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			(void *)(unsigned long)(number + 100));

	if (CHECK(pid > 0))
		reap(pid);
}

static void clone_child_allocates(void)
{
	if (skip_on_musl("clone() is musl's there: its child must not allocate"))
		return;
	with_hot_threads(clone_round);
}

/* Takes what its parent took, and has a child of its own meanwhile. */
static void nested_round(unsigned int number)
{
	pid_t pid = vfork();

	if (!pid) {
		pid_t inner = vfork();

		if (!inner)
			_exit(work((unsigned long)(number + 100) << 40, CHILD_STEPS) ? 1 : 0);
		reap(inner);
		/* The slots are still closed for this one. */
		_exit(harness_status() ||
		      work((unsigned long)(number + 200) << 40, CHILD_STEPS) ? 1 : 0);
	}
	if (CHECK(pid > 0))
		reap(pid);
}

static void nested_vfork_children_allocate(void)
{
	with_hot_threads(nested_round);
}

/* The parent frees blocks that the child allocated, and the other way round. */
static void blocks_cross_over(void)
{
	enum { NR = 400 };
	static char *volatile blocks[NR];
	static char *volatile from_parent[NR];

	for (unsigned int i = 0; i < NR; i++)
		REQUIRE(from_parent[i] = malloc(16 + i));
	for (unsigned int round = 0; round < 50; round++) {
		pid_t pid = vfork();

		if (!pid) {
			for (unsigned int i = 0; i < NR; i++) {
				free(from_parent[i]);
				blocks[i] = malloc(16 + i);
				if (blocks[i])
					memset(blocks[i], (int)i, 16 + i);
			}
			_exit(0);
		}
		reap(pid);
		for (unsigned int i = 0; i < NR; i++) {
			REQUIRE(blocks[i] && blocks[i][15 + i] == (char)i);
			free(blocks[i]);
			from_parent[i] = malloc(16 + i);
		}
	}
	for (unsigned int i = 0; i < NR; i++)
		free(from_parent[i]);
}

/* In a child, since privileges and limits do not come back. */
static int fail_vfork(void)
{
	struct rlimit none = { 0, 0 };
	pid_t pid;

	if ((!geteuid() && setresuid(65534, 65534, 65534)) || setrlimit(RLIMIT_NPROC, &none))
		return 2;
	errno = 0;
	pid = vfork();
	if (!pid)
		_exit(0);
	return pid == -1 && errno == EAGAIN && !work(1, CHILD_STEPS) ? 0 : 1;
}

static void vfork_failure_sets_errno(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(fail_vfork());
	REQUIRE(pid > 0);
	reap(pid);
}

static void exec_round(void)
{
	char *const argv[] = { "true", NULL };
	pid_t pid = vfork();

	if (!pid) {
		execve("/bin/true", argv, environ);
		_exit(127);
	}
	reap(pid);
}

static void vfork_then_exec(void)
{
	keep_preload_to_oneself();
	for (unsigned int i = 0; i < 50; i++)
		exec_round();
}

static void spawn_round(unsigned int number)
{
	char *const argv[] = { "true", NULL };
	pid_t pid;

	if (number % 10)
		return;
	if (CHECK(!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ)))
		reap(pid);
	if (number % 100 == 0)
		CHECK(system("exit 3") >> 8 == 3);
}

static void posix_spawn_and_system(void)
{
	keep_preload_to_oneself();
	with_hot_threads(spawn_round);
}

TEST_MAIN({ "vfork_child_allocates", vfork_child_allocates, false },
	  { "other_vfork_child_allocates", other_vfork_child_allocates, false },
	  { "clone_child_allocates", clone_child_allocates, false },
	  { "nested_vfork_children_allocate", nested_vfork_children_allocate, false },
	  { "blocks_cross_over", blocks_cross_over, false },
	  { "vfork_failure_sets_errno", vfork_failure_sets_errno, false },
	  { "vfork_then_exec", vfork_then_exec, false },
	  { "posix_spawn_and_system", posix_spawn_and_system, false })
