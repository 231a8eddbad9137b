/* SPDX-License-Identifier: MIT */
/* Threads for stress tests: started together, joined together, pinned at will. */
#ifndef SUPPORT_THREADS_H
#define SUPPORT_THREADS_H

#include <pthread.h>

#include <kunit/test.h>

#include "prng.h"

#define TEST_THREADS_MAX 64

/*
 * So many steps of a stress test, or a part of them: USERMM_TEST_DIVISOR=4 is a quarter.
 * ThreadSanitizer is slow; and it sees that two accesses are not ordered even when
 * nothing comes of it, so it does with an eighth.
 */
#define TEST_STEPS(n) ((n) / test_divisor)
extern unsigned int test_divisor;	/* Sync: written before main() */

struct test_thread {
	struct kunit *test;
	unsigned int index;
	unsigned int nr;	/* of threads in all */
	void *arg;
	struct prng prng;	/* differs from thread to thread, not from run to run */
	/* The harness's own. */
	void (*fn)(struct test_thread *thread);
	pthread_barrier_t *start;
	pthread_t id;
};

/*
 * Runs fn in nr threads that start at one moment, and joins them. ASSERT inside
 * ends that thread only; the case has then failed and goes on behind the call.
 */
void test_threads_run(struct kunit *test, unsigned int nr,
		      void (*fn)(struct test_thread *thread), void *arg);

/* CPUs this process may use, and the index-th of them. */
unsigned int test_nr_cpus(void);
/* Moves the calling thread there; index is taken modulo their number. */
void test_pin(unsigned int index);
/* Lets the calling thread run on all of them again. */
void test_unpin(void);

/*
 * Keeps sending a signal to the calling thread, each usec microseconds after the one
 * before was handled, until test_storm_stop(). handler(context) runs in the signal
 * handler. One at a time in each thread.
 */
void test_storm_start(struct kunit *test, unsigned int usec, void (*handler)(void *context),
		      void *context);
/* How often the handler ran. */
unsigned long test_storm_stop(void);

#endif
