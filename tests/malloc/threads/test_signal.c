/* SPDX-License-Identifier: MIT */
/*
 * Interruptions: signals at a high rate, and threads moved from CPU to CPU. The
 * handlers do not allocate; they only stop malloc() and free() wherever they
 * are. No block may get lost, be handed out twice or change its content.
 */
#include "harness.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "owner_map.h"
#include "signal_timer.h"
#include "support/prng.h"

#define NR_THREADS 4
#define NR_BLOCKS 300
#define STORM_SECONDS 1.5
/* On a machine that has much else to do the signals take longer. */
#define STORM_SECONDS_MAX 60
#define SIGNAL_PERIOD_NS 40000

struct block {
	unsigned char *start;
	unsigned int size;
};

struct worker {
	pthread_t thread;
	struct prng prng;
	bool with_timer;
	unsigned long steps;
	struct block blocks[NR_BLOCKS];
};

static struct worker workers[NR_THREADS];
/* Sync: atomic relaxed */
static int thread_ids[NR_THREADS];
static unsigned long nr_signals;
static bool stopped;

static void count_signal(int signal)
{
	(void)signal;
	__atomic_fetch_add(&nr_signals, 1, __ATOMIC_RELAXED);
}

/* Small blocks of a few sizes: what matters are the fast paths. */
static void renew(struct worker *worker, struct block *block)
{
	if (block->start) {
		CHECK(block->start[0] == (unsigned char)block->size);
		CHECK(block->start[block->size - 1] == (unsigned char)block->size);
		CHECK(owner_map_release(block->start, block->size));
		free(block->start);
	}
	block->size = 16 + prng_below(&worker->prng, 4) * 100;
	if (prng_one_in(&worker->prng, 500))
		block->size = prng_range(&worker->prng, 1000, 200000);
	block->start = malloc(block->size);
	REQUIRE(block->start);
	CHECK(owner_map_claim(block->start, block->size));
	block->start[0] = block->start[block->size - 1] = (unsigned char)block->size;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	timer_t timer = NULL;

	__atomic_store_n(&thread_ids[worker - workers], (int)syscall(SYS_gettid),
			 __ATOMIC_RELAXED);
	if (worker->with_timer)
		timer = start_signal_timer(SIGNAL_PERIOD_NS);
	do {
		for (unsigned int i = 0; i < 100; i++)
			renew(worker, &worker->blocks[prng_below(&worker->prng, NR_BLOCKS)]);
		/* Pairs of one size, mostly inside malloc() and free(). */
		for (unsigned int i = 0; i < 1000; i++)
			free(opaque(malloc(64)));
		worker->steps += 100;
	} while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED));
	if (worker->with_timer)
		timer_delete(timer);
	return NULL;
}

static void start_workers(bool with_timers)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };

	if (!owner_map)
		owner_map_init();
	sigaction(SIGPROF, &action, NULL);
	nr_signals = 0;
	stopped = false;
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		workers[i] = (struct worker){ .prng = { i + 1 }, .with_timer = with_timers };
		thread_ids[i] = 0;
		REQUIRE(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
}

static void stop_workers(void)
{
	unsigned long steps = 0;

	__atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		steps += workers[i].steps;
		CHECK(workers[i].steps);
		for (unsigned int j = 0; j < NR_BLOCKS; j++) {
			struct block *block = &workers[i].blocks[j];

			if (block->start)
				CHECK(owner_map_release(block->start, block->size));
			free(block->start);
		}
	}
	dprintf(STDOUT_FILENO, "# %lu steps, %lu signals\n", steps, nr_signals);
}

/* The time is over, and there were so many signals. */
static bool is_enough(double start, unsigned long wanted)
{
	double seconds = seconds_now() - start;

	return seconds > STORM_SECONDS_MAX ||
	       (seconds > STORM_SECONDS / test_divisor() &&
		__atomic_load_n(&nr_signals, __ATOMIC_RELAXED) > wanted);
}

static void wait_for_signals(unsigned long wanted)
{
	double start = seconds_now();

	while (!is_enough(start, wanted))
		sleep_us(10000);
}

static void signals_for_each_thread(void)
{
	start_workers(true);
	wait_for_signals(1000);
	stop_workers();
	CHECK(nr_signals > 1000, "; %lu signals", nr_signals);
}

/* The profiler's way: one timer of CPU time for the process. */
static void profiling_timer(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };

	start_workers(false);
	setitimer(ITIMER_PROF, &every, NULL);
	wait_for_signals(10);
	setitimer(ITIMER_PROF, &never, NULL);
	stop_workers();
	CHECK(nr_signals > 10, "; %lu signals", nr_signals);
}

static void signals_from_another_thread(void)
{
	double start = seconds_now();

	start_workers(false);
	for (unsigned int i = 0; !is_enough(start, 200); i++) {
		pthread_kill(workers[i % NR_THREADS].thread, SIGPROF);
		if (i % 16 == 0)
			sleep_us(10);
	}
	stop_workers();
	CHECK(nr_signals > 200, "; %lu signals", nr_signals);
}

static void move_to(int thread_id, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(thread_id, sizeof(set), &set);
}

static void migrations(void)
{
	double end = seconds_now() + STORM_SECONDS / test_divisor();
	struct prng prng = { 9 };
	unsigned long moves = 0;
	int cpus[CPU_SETSIZE], nr = 0;
	cpu_set_t allowed;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[nr++] = cpu;
	if (nr < 2) {
		harness.skipped = "one CPU";
		return;
	}
	start_workers(true);
	while (seconds_now() < end) {
		int id = __atomic_load_n(&thread_ids[prng_below(&prng, NR_THREADS)],
					 __ATOMIC_RELAXED);

		if (id)
			move_to(id, cpus[prng_below(&prng, (unsigned int)nr)]);
		moves++;
	}
	stop_workers();
	dprintf(STDOUT_FILENO, "# %lu moves\n", moves);
}

/* membarrier(2), from <linux/membarrier.h> */
#define PRIVATE_EXPEDITED_RSEQ (1 << 7)
#define REGISTER_PRIVATE_EXPEDITED_RSEQ (1 << 8)

/* The kernel restarts what threads on other CPUs are in, without a signal. */
static void restarts_by_membarrier(void)
{
	double end = seconds_now() + STORM_SECONDS / test_divisor();
	unsigned long nr = 0;

	if (syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0)) {
		harness.skipped = "the kernel has no such membarrier()";
		return;
	}
	start_workers(false);
	for (; seconds_now() < end; nr++)
		CHECK(!syscall(SYS_membarrier, PRIVATE_EXPEDITED_RSEQ, 0, 0));
	stop_workers();
	dprintf(STDOUT_FILENO, "# %lu barriers\n", nr);
}

/* After all that a calm run needs no more memory than before. */
static void nothing_is_lost(void)
{
	size_t before, after;

	start_workers(true);
	sleep_us(300000);
	stop_workers();
	before = resident_bytes();
	start_workers(true);
	sleep_us((unsigned int)(STORM_SECONDS / test_divisor() * 1e6));
	stop_workers();
	after = resident_bytes();
	CHECK(after <= before + 8 * MIB, "; grew from %zu to %zu KiB", before / KIB,
	      after / KIB);
}

TEST_MAIN({ "signals_for_each_thread", signals_for_each_thread, false },
	  { "profiling_timer", profiling_timer, false },
	  { "signals_from_another_thread", signals_from_another_thread, false },
	  { "migrations", migrations, false },
	  { "restarts_by_membarrier", restarts_by_membarrier, false },
	  { "nothing_is_lost", nothing_is_lost, false })
