/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "threads.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kunit/kunit_run.h"
#include "support/system/sigevent.h"

#define STORM_SIGNAL (SIGRTMIN + 5)

#ifdef __SANITIZE_THREAD__
#define SMALLEST_DIVISOR 8
#else
#define SMALLEST_DIVISOR 1
#endif

unsigned int test_divisor = SMALLEST_DIVISOR;

__attribute__((constructor)) static void read_divisor(void)
{
	const char *text = getenv("USERMM_TEST_DIVISOR");
	int divisor = text ? atoi(text) : 0;

	if (divisor > SMALLEST_DIVISOR)
		test_divisor = (unsigned int)divisor;
}

static cpu_set_t process_cpus;

/* Runs before main(), when no test has pinned the first thread yet. */
__attribute__((constructor)) static void read_process_cpus(void)
{
	if (sched_getaffinity(0, sizeof(process_cpus), &process_cpus))
		abort();
}

unsigned int test_nr_cpus(void)
{
	return (unsigned int)CPU_COUNT(&process_cpus);
}

void test_pin(unsigned int index)
{
	cpu_set_t one;

	index %= test_nr_cpus();
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &process_cpus) || index--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

void test_unpin(void)
{
	sched_setaffinity(0, sizeof(process_cpus), &process_cpus);
}

static void call_thread(void *arg)
{
	struct test_thread *thread = arg;

	thread->fn(thread);
}

static void *thread_main(void *arg)
{
	struct test_thread *thread = arg;

	pthread_barrier_wait(thread->start);
	kunit_try(thread->test, call_thread, thread);
	return NULL;
}

void test_threads_run(struct kunit *test, unsigned int nr,
		      void (*fn)(struct test_thread *thread), void *arg)
{
	static struct test_thread threads[TEST_THREADS_MAX];
	pthread_barrier_t start;

	KUNIT_ASSERT_LE(test, nr, TEST_THREADS_MAX);
	pthread_barrier_init(&start, NULL, nr);
	for (unsigned int i = 0; i < nr; i++) {
		threads[i] = (struct test_thread){
			.test = test, .index = i, .nr = nr, .arg = arg,
			.prng = { 0x5eed0000ULL + i }, .fn = fn, .start = &start,
		};
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i]))
			abort();	/* the other threads would wait at the barrier for ever */
	}
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i].id, NULL);
	pthread_barrier_destroy(&start);
}

struct storm {
	timer_t timer;
	void (*handler)(void *context);
	void *context;
	unsigned int usec;
	volatile unsigned long nr;
};

static _Thread_local struct storm storm;

/*
 * Asks for one signal. The handler asks for the next one when it has finished. With a periodic
 * timer, if the handler took longer than the period, the thread would do nothing but handle
 * signals.
 */
static void storm_ask(void)
{
	struct itimerspec once = {
		.it_value = { storm.usec / 1000000, storm.usec % 1000000 * 1000 },
	};

	timer_settime(storm.timer, 0, &once, NULL);
}

static void storm_handler(int signal)
{
	int saved_errno = errno;

	(void)signal;
	if (storm.handler) {
		storm.nr++;
		storm.handler(storm.context);
		storm_ask();
	}
	errno = saved_errno;
}

/*
 * ThreadSanitizer takes long to deliver a signal. If signals came faster, the thread would do
 * nothing but handle them.
 */
#ifdef __SANITIZE_THREAD__
#define STORM_MIN_USEC 2000u
#else
#define STORM_MIN_USEC 1u
#endif

void test_storm_start(struct kunit *test, unsigned int wish_usec, void (*handler)(void *context),
		      void *context)
{
	struct sigaction action = { .sa_handler = storm_handler, .sa_flags = SA_RESTART };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = STORM_SIGNAL,
		.sigev_notify_thread_id = (int)syscall(SYS_gettid),
	};

	storm.nr = 0;
	storm.usec = wish_usec > STORM_MIN_USEC ? wish_usec : STORM_MIN_USEC;
	storm.context = context;
	storm.handler = handler;
	sigaction(STORM_SIGNAL, &action, NULL);
	KUNIT_ASSERT_EQ(test, timer_create(CLOCK_MONOTONIC, &event, &storm.timer), 0);
	storm_ask();
}

unsigned long test_storm_stop(void)
{
	/*
	 * A signal that is still pending finds no handler to call, and does not ask for another
	 * signal.
	 */
	storm.handler = NULL;
	timer_delete(storm.timer);
	return storm.nr;
}
