/* SPDX-License-Identifier: MIT */
/* Threads for stress tests: started together, joined together, pinned at will. */
#ifndef SUPPORT_THREADS_H
#define SUPPORT_THREADS_H

#include <pthread.h>

#include <kunit/test.h>

#include "prng.h"

#define TEST_THREADS_MAX 64

/*
 * How many of n steps a stress test does: all, or a part of them. USERMM_TEST_DIVISOR=4 means a
 * quarter. ThreadSanitizer does only an eighth, because it is slow. That is enough, because it
 * finds accesses without order even if they did no harm.
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
 * Runs fn in nr threads that start at the same moment, and joins them. A failed ASSERT in a thread
 * ends only that thread. The case has failed then, but goes on after this call.
 */
void test_threads_run(struct kunit *test, unsigned int nr,
		      void (*fn)(struct test_thread *thread), void *arg);

/* How many CPUs this process may use. */
unsigned int test_nr_cpus(void);
/* Moves the calling thread to one of these CPUs; index is taken modulo their number. */
void test_pin(unsigned int index);
/* Lets the calling thread run on all of these CPUs again. */
void test_unpin(void);

/*
 * Keeps sending a signal to the calling thread, until test_storm_stop(): each one usec microseconds
 * after the one before was handled. handler(context) runs in the signal handler. A thread can have
 * one storm at a time.
 */
void test_storm_start(struct kunit *test, unsigned int usec, void (*handler)(void *context),
		      void *context);
/* Ends the storm. Returns how often the handler ran. */
unsigned long test_storm_stop(void);

#endif
