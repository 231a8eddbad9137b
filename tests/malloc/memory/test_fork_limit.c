/* SPDX-License-Identifier: MIT */
/*
 * limit= and fork() while another thread allocates or frees a large block. In the child nobody has
 * this block, so it must not be charged there.
 *
 * The system's calls are this program's own functions, as in test_fault_calls.c: in one of them
 * that thread waits until there has been a fork().
 */
#include "child.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LIMIT "64M"
/* Under the limit there is room for one such block, not for two. */
#define LARGE_BYTES (40 * MIB)
/* Half of the time that a child may take: a longer wait is in vain. */
#define PATIENCE_SECONDS (CHILD_SECONDS / 2)
#define STEP_US 100

enum where { NOWHERE, IN_MALLOC, IN_FREE, IN_GROWTH };

/* Where the thread shall wait; whether it waits, and whether it may go on. Sync: atomic */
static enum where wanted;
static bool is_waiting, may_go_on;

static bool comes_true(bool *flag)
{
	double deadline = seconds_now() + PATIENCE_SECONDS * slowness();
	bool is_true;

	while (!(is_true = __atomic_load_n(flag, __ATOMIC_ACQUIRE)) && seconds_now() < deadline)
		sleep_us(STEP_US);
	return is_true;
}

/* Where the first thread forks, as a handler would, and fork()'s result. Sync: the first thread */
static enum where forks_in;
static pid_t forked = -1;

static void wait_in(enum where where, size_t bytes)
{
	if (bytes < LARGE_BYTES / 4)
		return;
	if (where == forks_in) {
		forks_in = NOWHERE;
		forked = fork();
	}
	if (__atomic_load_n(&wanted, __ATOMIC_ACQUIRE) != where)
		return;
	__atomic_store_n(&wanted, NOWHERE, __ATOMIC_RELAXED);
	__atomic_store_n(&is_waiting, true, __ATOMIC_RELEASE);
	comes_true(&may_go_on);
}

/* The library finds these. */
#pragma GCC visibility push(default)

void *mmap(void *addr, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	/* With hardened=1 a freed block stays for a while, without memory. */
	bool is_freed = flags & MAP_FIXED && protection == PROT_NONE;
	void *result;

	if (!is_freed)
		wait_in(IN_MALLOC, bytes);
	result = (void *)syscall(SYS_mmap, addr, bytes, protection, flags, fd, offset);
	if (is_freed)
		wait_in(IN_FREE, bytes);
	return result;
}

int munmap(void *addr, size_t bytes)
{
	int result = (int)syscall(SYS_munmap, addr, bytes);

	wait_in(IN_FREE, bytes);
	return result;
}

int madvise(void *addr, size_t bytes, int advice)
{
	int result = (int)syscall(SYS_madvise, addr, bytes, advice);

	wait_in(IN_FREE, bytes);
	return result;
}

void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	wait_in(IN_GROWTH, bytes);
	return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, NULL);
}

#pragma GCC visibility pop

static void *block;

static void *allocate(void *unused)
{
	block = opaque(malloc(LARGE_BYTES));
	return unused;
}

static void *release(void *unused)
{
	free(block);
	return unused;
}

static void *grow(void *unused)
{
	block = realloc(block, LARGE_BYTES);
	return unused;
}

/* In the child, which has a block of so many bytes that nobody can free. */
static void take_what_is_left(void *arg)
{
	size_t lost = *(const size_t *)arg;
	void *mine;

	for (unsigned int i = 0; i < 3; i++) {
		mine = opaque(malloc(LARGE_BYTES - lost));
		CHECK(mine, "; %zu lost", lost);
		CHECK(!opaque(malloc(LARGE_BYTES)), "; there is a limit");
		free(mine);
	}
}

static void fork_while(void *(*step)(void *unused), enum where where, size_t lost)
{
	struct child_result result;
	pthread_t thread;

	__atomic_store_n(&is_waiting, false, __ATOMIC_RELAXED);
	__atomic_store_n(&may_go_on, false, __ATOMIC_RELAXED);
	__atomic_store_n(&wanted, where, __ATOMIC_RELEASE);
	REQUIRE(!pthread_create(&thread, NULL, step, NULL));
	CHECK(comes_true(&is_waiting), "; step %d", where);
	child_run(&result, take_what_is_left, &lost);
	CHECK(child_exited(result.status, 0), "; step %d: wait status %#x %s", where,
	      result.status, result.err);
	__atomic_store_n(&may_go_on, true, __ATOMIC_RELEASE);
	REQUIRE(!pthread_join(thread, NULL));
}

/* The parent's own budget is as it was all the time. */
static int fork_at_each_step(void)
{
	free(opaque(malloc(LARGE_BYTES)));
	for (unsigned int round = 0; round < 2; round++) {
		fork_while(allocate, IN_MALLOC, 0);
		CHECK(block);
		fork_while(release, IN_FREE, 0);
		block = opaque(malloc(LARGE_BYTES / 4));
		CHECK(block);
		fork_while(grow, IN_GROWTH, LARGE_BYTES / 4);
		CHECK(block && malloc(LARGE_BYTES) == NULL);
		free(block);
	}
	return harness_status();
}

static void children_have_the_rest(void)
{
	child_expect_quiet("--steps", "limit=" LIMIT);
	child_expect_quiet("--steps", "hardened=1:limit=" LIMIT);
}

/* --- In a signal handler ------------------------------------------------------------ */

static void fork_within(void *(*step)(void *unused), enum where where)
{
	forks_in = where;
	step(NULL);
}

/* In parent and child each call goes on to its end, and each charge is given back once. */
static void check_both(const char *what)
{
	int status = 0;

	CHECK(forked >= 0, "; %s", what);
	if (forked > 0) {
		status = child_wait(forked);
		CHECK(child_exited(status, 0), "; %s: wait status %#x", what, status);
	}
	free(block);
	take_what_is_left(&(size_t){ 0 });
	if (!forked)
		_exit(harness_status());
	forked = -1;
	block = NULL;
}

static void *wait_for_end(void *unused)
{
	comes_true(&may_go_on);
	return unused;
}

/* There must be another thread: without one the child's counts would be right anyway. */
static int fork_within_each_step(void)
{
	pthread_t thread;

	free(opaque(malloc(LARGE_BYTES)));
	REQUIRE(!pthread_create(&thread, NULL, wait_for_end, NULL));
	fork_within(allocate, IN_MALLOC);
	check_both("malloc");
	block = opaque(malloc(LARGE_BYTES));
	fork_within(release, IN_FREE);
	block = NULL;
	check_both("free");
	block = opaque(malloc(LARGE_BYTES / 4));
	fork_within(grow, IN_GROWTH);
	check_both("realloc");
	__atomic_store_n(&may_go_on, true, __ATOMIC_RELEASE);
	REQUIRE(!pthread_join(thread, NULL));
	return harness_status();
}

static void handlers_fork(void)
{
	child_expect_quiet("--within", "limit=" LIMIT);
	child_expect_quiet("--within", "hardened=1:limit=" LIMIT);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "children_have_the_rest", children_have_the_rest, true },
		{ "handlers_fork", handlers_fork, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--steps"))
		return fork_at_each_step();
	if (argc > 1 && !strcmp(argv[1], "--within"))
		return fork_within_each_step();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
