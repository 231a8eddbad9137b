/* SPDX-License-Identifier: MIT */
/* Threads are created again and again, and end in every possible way. */
#include "child.h"

#include <limits.h>
#include <malloc.h>
#include <pthread.h>

#include "hammer.h"

/* --- Many short-lived threads ---------------------------------------------------- */

#define NR_CHURNED 20000
#define NR_WARM_UP 10000
#define AT_A_TIME 8

/* Half of its blocks are left to the thread that joins it. */
static void *short_life(void *arg)
{
	struct prng prng = { (unsigned long)arg };
	void **left = malloc(8 * sizeof(*left));

	REQUIRE(left);
	for (unsigned int i = 0; i < 8; i++) {
		size_t size = 1 + prng_below(&prng, 2000 >> prng_below(&prng, 8));

		free(malloc(size));
		left[i] = malloc(size);
		REQUIRE(left[i]);
		memset(left[i], (int)i, size);
	}
	return left;
}

static void join_and_free(pthread_t thread)
{
	void *result, **left;

	REQUIRE(!pthread_join(thread, &result));
	left = result;
	for (unsigned int i = 0; i < 8; i++) {
		CHECK(*(char *)left[i] == (char)i);
		free(left[i]);
	}
	free(left);
}

/* TEST_THREADS=1000000 in the environment asks for a long run. */
static unsigned long nr_churned(void)
{
	const char *told = getenv("TEST_THREADS");

	return told ? strtoul(told, NULL, 10) : NR_CHURNED;
}

static void churn_threads(unsigned long nr)
{
	pthread_t threads[AT_A_TIME];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * KIB);
	for (unsigned long i = 0; i < nr; i++) {
		if (i >= AT_A_TIME)
			join_and_free(threads[i % AT_A_TIME]);
		REQUIRE(!pthread_create(&threads[i % AT_A_TIME], &attr, short_life,
					(void *)(i % 100)));
	}
	for (unsigned int i = 0; i < AT_A_TIME; i++)
		join_and_free(threads[i]);
	pthread_attr_destroy(&attr);
}

/*
 * In the long run the memory that is kept free varies by more than the loss that the test looks
 * for.
 */
static size_t bytes_of_churn(unsigned long nr)
{
	if (nr > NR_CHURNED)
		malloc_trim(0);
	return resident_bytes();
}

/*
 * A CPU fills its lists once, when threads first run on it; on a busy machine this may be long
 * after the first ten thousand threads. Memory that threads lose grows with each thread, so it
 * shows in all rounds.
 */
static void churn(void)
{
	unsigned long nr = nr_churned(), warm_up = nr < 10 * NR_WARM_UP ? NR_WARM_UP : nr / 10;
	unsigned long rounds = 2 + 2 * (unsigned long)sysconf(_SC_NPROCESSORS_CONF);
	size_t before, after;

	churn_threads(warm_up);
	after = bytes_of_churn(nr);
	do {
		before = after;
		churn_threads(nr - warm_up);
		after = bytes_of_churn(nr);
	} while (after > before + MIB && --rounds);
	CHECK(rounds, "; grew from %zu to %zu KiB in the last round", before / KIB, after / KIB);
}

/* --- Memory of threads that are gone ----------------------------------------------- */

#define NR_LEFT 20000

static void *allocate_many(void *arg)
{
	unsigned char **blocks = malloc(NR_LEFT * sizeof(*blocks));
	struct prng prng = { 1 };

	for (unsigned int i = 0; i < NR_LEFT; i++) {
		size_t size = 1 + prng_below(&prng, 3000 >> prng_below(&prng, 8));

		blocks[i] = malloc(size);
		REQUIRE(blocks[i]);
		memset(blocks[i], (int)(i % 251), size);
	}
	(void)arg;
	return blocks;
}

static void *free_many(void *arg)
{
	unsigned char **blocks = arg;

	for (unsigned int i = 0; i < NR_LEFT; i++) {
		CHECK(*blocks[i] == i % 251);
		free(blocks[i]);
	}
	free(blocks);
	return NULL;
}

/* One thread allocates and ends, another one frees and ends. */
static void memory_outlives_threads(void)
{
	size_t after_first = 0, after_all;

	/* The first rounds fill the caches of every CPU; growth counts from there. */
	for (unsigned int round = 0; round < 50; round++) {
		pthread_t thread;
		void *blocks;

		REQUIRE(!pthread_create(&thread, NULL, allocate_many, NULL));
		pthread_join(thread, &blocks);
		REQUIRE(!pthread_create(&thread, NULL, free_many, blocks));
		pthread_join(thread, NULL);
		if (round == 14)
			after_first = resident_bytes();
	}
	after_all = resident_bytes();
	CHECK(after_all <= after_first + 8 * MIB, "; grew from %zu to %zu KiB",
	      after_first / KIB, after_all / KIB);
}

/* --- The last moments of a thread ---------------------------------------------------- */

static pthread_key_t keys[3];
static unsigned int nr_rounds;	/* Sync: atomic relaxed */

/* Allocates again in each of the rounds that libc grants. */
static void destroy_value(void *value)
{
	struct prng prng = { 7 };
	unsigned int round = *(unsigned int *)value + 1;
	pthread_key_t key = *((pthread_key_t *)value + 1);
	unsigned int *next;

	free(value);
	mixed_work(&prng, 50);
	__atomic_fetch_add(&nr_rounds, 1, __ATOMIC_RELAXED);
	if (round == PTHREAD_DESTRUCTOR_ITERATIONS)
		return;
	next = malloc(40);
	REQUIRE(next);
	next[0] = round;
	next[1] = key;
	pthread_setspecific(key, next);
}

static void *with_keys(void *arg)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++) {
		unsigned int *value = calloc(1, 40);

		value[1] = keys[i];
		pthread_setspecific(keys[i], value);
	}
	if (arg)
		pthread_exit(NULL);
	return NULL;
}

static void key_destructors(void)
{
	const unsigned int nr_threads = 200;
	pthread_t thread;

	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
		REQUIRE(!pthread_key_create(&keys[i], destroy_value));
	for (unsigned int i = 0; i < nr_threads; i++) {
		REQUIRE(!pthread_create(&thread, NULL, with_keys, i % 2 ? &thread : NULL));
		pthread_join(thread, NULL);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
		pthread_key_delete(keys[i]);
	CHECK(nr_rounds == nr_threads * ARRAY_SIZE(keys) * PTHREAD_DESTRUCTOR_ITERATIONS,
	      "; %u rounds", nr_rounds);
}

static void *cancelled(void *reached)
{
	struct prng prng = { 3 };

	pthread_cancel(pthread_self());
	for (unsigned int i = 0; i < 20; i++)
		mixed_work(&prng, 500);
	*(volatile bool *)reached = true;
	pthread_testcancel();
	return NULL;
}

/* malloc() and free() are not cancellation points. */
static void cancellation_waits(void)
{
	volatile bool reached = false;
	pthread_t thread;
	void *result;

	REQUIRE(!pthread_create(&thread, NULL, cancelled, (void *)&reached));
	pthread_join(thread, &result);
	CHECK(reached && result == PTHREAD_CANCELED);
}

/* --- The end of the process ------------------------------------------------------------ */

static void *outlive_main(void *main_thread)
{
	struct prng prng = { 4 };

	pthread_join(*(pthread_t *)main_thread, NULL);
	for (unsigned int i = 0; i < 50; i++)
		mixed_work(&prng, 100);
	exit(harness_status() ? 1 : 42);
}

static void leave_main(void *arg)
{
	static pthread_t self;
	pthread_t thread;

	(void)arg;
	self = pthread_self();
	with_keys(NULL);
	REQUIRE(!pthread_create(&thread, NULL, outlive_main, &self));
	pthread_exit(NULL);
}

static void after_the_first_thread(void)
{
	struct child_result result;

	if (skip_on_musl("musl cannot go on without the first thread"))
		return;
	for (unsigned int i = 0; i < 20; i++) {
		child_run(&result, leave_main, NULL);
		CHECK(child_exited(result.status, 42), "; wait status %#x %s", result.status,
		      result.err);
	}
}

static void free_at_exit(void)
{
	static void *blocks[64];
	struct prng prng = { 5 };

	for (unsigned int i = 0; i < 1000; i++) {
		void **block = &blocks[prng_below(&prng, ARRAY_SIZE(blocks))];

		free(*block);
		*block = malloc(mixed_size(&prng));
	}
}

static void exit_amid_threads(void *arg)
{
	unsigned int number = *(unsigned int *)arg;

	atexit(free_at_exit);
	start_hammers();
	sleep_us(number * 97 % 3000);
	exit((int)(number % 100 + 20));
}

static void exit_keeps_its_status(void)
{
	struct child_result result;

	for (unsigned int i = 0; i < 60; i++) {
		child_run(&result, exit_amid_threads, &i);
		CHECK(child_exited(result.status, (int)(i % 100 + 20)) && !*result.err,
		      "; wait status %#x %s", result.status, result.err);
	}
}

TEST_MAIN({ "churn", churn, false },
	  { "memory_outlives_threads", memory_outlives_threads, false },
	  { "key_destructors", key_destructors, false },
	  { "cancellation_waits", cancellation_waits, false },
	  { "after_the_first_thread", after_the_first_thread, false },
	  { "exit_keeps_its_status", exit_keeps_its_status, false })
