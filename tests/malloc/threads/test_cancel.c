/* SPDX-License-Identifier: MIT */
/*
 * Threads that are cancelled while they allocate and free: each call finishes first, so no thread
 * ends with a lock held, and each block has an owner. Asynchronous cancellation is allowed only in
 * code that calls nothing unsafe, and malloc is unsafe (POSIX); so the test switches it on between
 * calls.
 */
#include "child.h"

#include <malloc.h>
#include <pthread.h>

#include "hammer.h"
#include "stopping.h"

#define NR_WORKERS 4
#define NR_ROUNDS 150
/* Rounds until the caches of libc and of CPUs have their final size. */
#define NR_WARM_UP 30
#define NR_BLOCKS 32
#define LATEST_US 400
/* The memory of libc and of the caches may change by this much; losses would be megabytes. */
#define SLACK_BYTES (128 * KIB)
/*
 * A CPU that cannot be stopped keeps objects of every class; the rests of their slabs count as in
 * use.
 */
#define KEPT_SLACK_BYTES (512 * KIB)
#define NR_SPINS 300

struct worker {
	pthread_t thread;
	struct prng prng;
	void (*allow)(struct worker *worker);
	void *blocks[NR_BLOCKS];
	bool is_inside;		/* Sync: atomic relaxed */
	volatile unsigned int spins;
};

static struct worker workers[NR_WORKERS];

/* --- Where it may be cancelled --------------------------------------------------------- */

static void allow_at_a_point(struct worker *worker)
{
	(void)worker;
	pthread_testcancel();
}

static void allow_anywhere(struct worker *worker)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (unsigned int i = 0; i < NR_SPINS; i++)
		worker->spins++;
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
}

static const struct {
	const char *name;
	void (*allow)(struct worker *worker);
} kinds[] = {
	{ "deferred", allow_at_a_point },
	{ "asynchronous", allow_anywhere },
};

/* --- The threads ---------------------------------------------------------------------- */

static void replace_a_block(struct worker *worker)
{
	void **block = &worker->blocks[prng_below(&worker->prng, NR_BLOCKS)];
	size_t size = mixed_size(&worker->prng);

	__atomic_store_n(&worker->is_inside, true, __ATOMIC_RELAXED);
	if (*block && prng_one_in(&worker->prng, 3)) {
		*block = realloc(*block, size + 1);
	} else {
		free(*block);
		*block = malloc(size);
	}
	__atomic_store_n(&worker->is_inside, false, __ATOMIC_RELAXED);
	REQUIRE(*block);
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	for (;;) {
		replace_a_block(worker);
		worker->allow(worker);
	}
	return NULL;
}

static void bury(struct worker *worker)
{
	void *result = NULL;

	REQUIRE(!pthread_join(worker->thread, &result));
	CHECK(result == PTHREAD_CANCELED);
	CHECK(!worker->is_inside);
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		free(worker->blocks[i]);
		worker->blocks[i] = NULL;
	}
}

/* How many of them were inside of a call when they were cancelled, as far as one can see. */
static unsigned int run_round(struct prng *prng, void (*allow)(struct worker *worker))
{
	unsigned int nr_inside = 0;

	for (unsigned int i = 0; i < NR_WORKERS; i++) {
		workers[i].prng.state = prng_u64(prng);
		workers[i].allow = allow;
		REQUIRE(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (unsigned int i = 0; i < NR_WORKERS; i++) {
		sleep_us((unsigned int)prng_below(prng, LATEST_US));
		REQUIRE(!pthread_cancel(workers[i].thread));
		nr_inside += __atomic_load_n(&workers[i].is_inside, __ATOMIC_RELAXED);
	}
	for (unsigned int i = 0; i < NR_WORKERS; i++)
		bury(&workers[i]);
	return nr_inside;
}

/* --- Afterwards ------------------------------------------------------------------------ */

/* Memory that is kept free, and the rests of its slabs, must not count as in use. */
static size_t bytes_in_use(void)
{
#ifdef __GLIBC__
	struct mallinfo2 info;

	malloc_trim(0);
	info = mallinfo2();
	return info.uordblks + info.hblkhd;
#else
	return 0;
#endif
}

static void *wait_for_its_end(void *end)
{
	char byte;

	CHECK(read(*(int *)end, &byte, 1) == 0);
	return NULL;
}

/* A fork of a process with threads takes all locks, and so would wait for one for ever. */
static void expect_no_lock_held(void)
{
	struct prng prng = { 9 };
	pthread_t thread;
	int ends[2];
	pid_t child;

	REQUIRE(!pipe(ends));
	REQUIRE(!pthread_create(&thread, NULL, wait_for_its_end, &ends[0]));
	child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		mixed_work(&prng, 1000);
		_exit(0);
	}
	CHECK(child_exited(child_wait(child), 0));
	close(ends[1]);
	pthread_join(thread, NULL);
	close(ends[0]);
	mixed_work(&prng, 1000);
}

static int cancel_many(const char *kind)
{
	void (*allow)(struct worker *worker) = NULL;
	struct prng prng = { 1 };
	unsigned int nr_inside = 0;
	size_t before = 0, after, slack;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i].name))
			allow = kinds[i].allow;
	REQUIRE(allow);
	for (unsigned int i = 0; i < NR_ROUNDS; i++) {
		if (i == NR_WARM_UP)
			before = bytes_in_use();
		nr_inside += run_round(&prng, allow);
	}
	after = bytes_in_use();
	slack = SLACK_BYTES + nr_unstoppable_slots() * KEPT_SLACK_BYTES;
	CHECK(nr_inside > 0);
	CHECK(after <= before + slack, "; %zu KiB, then %zu", before / KIB, after / KIB);
	expect_no_lock_held();
	return harness_status();
}

static void cancel_with(const char *options)
{
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct child_again again = { "--cancel", kinds[i].name, options, 0 };

		child_run(&result, child_exec_again, &again);
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
		      kinds[i].name, result.status, result.err);
	}
}

static void cancelled_threads(void)
{
	cancel_with(NULL);
}

/* The node's number comes from the kernel. */
static void cancelled_threads_of_two_nodes(void)
{
	cancel_with("nodes=2");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "cancelled_threads", cancelled_threads, false },
		{ "cancelled_threads_of_two_nodes", cancelled_threads_of_two_nodes, true },
	};

	if (argc > 2 && !strcmp(argv[1], "--cancel"))
		return cancel_many(argv[2]);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
