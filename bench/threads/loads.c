// SPDX-License-Identifier: MIT
/*
 * Loads with many threads, for count_threads.py: `loads LOAD THREADS OPERATIONS`.
 *
 *	hand-over	each thread allocates blocks that the next one frees, as in xmalloc-test
 *	sessions	each thread replaces blocks of a table at random, then passes the table
 *			to a new thread, as in larson
 *
 * An operation is a malloc() or a free(). It prints "operations waits membarriers": how often the
 * kernel was asked to wait on a futex, and to interrupt other CPUs. The loads themselves wait by
 * sched_yield(). Where the kernel does not let the program count, both are -1.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate.h"

#define THREADS_MAX 64
#define BATCH 120
#define RING 64
#define TABLE 1000
/* A table stays with a thread for so many replacements. */
#define TURN 20000

static unsigned int nr_threads;
static unsigned long steps;		/* of each thread: blocks that it allocates */
static atomic_uint started;

/* The next pseudo-random number below the limit. */
static uint32_t below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
	return (uint32_t)((*seed >> 32) * limit >> 32);
}

static unsigned char *block_of(uint64_t *seed)
{
	unsigned char *block = malloc(16 + below(seed, 240));

	if (!block)
		abort();
	*block = 1;
	return block;
}

static void wait_for_all(void)
{
	atomic_fetch_add(&started, 1);
	while (atomic_load(&started) < nr_threads)
		sched_yield();
}

/* --- hand-over ---------------------------------------------------------------------------- */

struct ring {
	_Alignas(64) atomic_ulong put;
	_Alignas(64) atomic_ulong got;
	unsigned char *blocks[RING][BATCH];
};

static struct ring rings[THREADS_MAX];	/* from thread i to the next one */

static void send_batch(struct ring *ring, uint64_t *seed)
{
	unsigned long at = atomic_load_explicit(&ring->put, memory_order_relaxed);

	for (int i = 0; i < BATCH; i++)
		ring->blocks[at % RING][i] = block_of(seed);
	atomic_store_explicit(&ring->put, at + 1, memory_order_release);
}

static void free_batch(struct ring *ring)
{
	unsigned long at = atomic_load_explicit(&ring->got, memory_order_relaxed);

	for (int i = 0; i < BATCH; i++)
		free(ring->blocks[at % RING][i]);
	atomic_store_explicit(&ring->got, at + 1, memory_order_release);
}

static bool has_batch(struct ring *ring)
{
	return atomic_load_explicit(&ring->got, memory_order_relaxed) !=
	       atomic_load_explicit(&ring->put, memory_order_acquire);
}

static bool is_full(struct ring *ring)
{
	return atomic_load_explicit(&ring->put, memory_order_relaxed) -
	       atomic_load_explicit(&ring->got, memory_order_acquire) == RING;
}

static void *hand_over(void *arg)
{
	unsigned int number = (unsigned int)(uintptr_t)arg;
	struct ring *out = &rings[number], *in = &rings[(number + nr_threads - 1) % nr_threads];
	unsigned long left_out = steps / BATCH, left_in = left_out;
	uint64_t seed = number + 1;

	wait_for_all();
	while (left_out || left_in) {
		bool moved = false;

		if (left_out && !is_full(out)) {
			send_batch(out, &seed);
			left_out--;
			moved = true;
		}
		if (left_in && has_batch(in)) {
			free_batch(in);
			left_in--;
			moved = true;
		}
		if (!moved)
			sched_yield();
	}
	return NULL;
}

/* --- sessions ----------------------------------------------------------------------------- */

static unsigned char *tables[THREADS_MAX][TABLE];

struct session {
	unsigned char **table;
	uint64_t seed;
};

static void *serve(void *arg)
{
	struct session *session = arg;
	uint64_t seed = session->seed;

	for (int i = 0; i < TURN; i++) {
		unsigned char **slot = &session->table[below(&seed, TABLE)];

		free(*slot);
		*slot = block_of(&seed);
	}
	return NULL;
}

static void run_turn(unsigned long turn)
{
	struct session sessions[THREADS_MAX];
	pthread_t threads[THREADS_MAX];

	for (unsigned int i = 0; i < nr_threads; i++) {
		sessions[i] = (struct session){ tables[(i + turn) % nr_threads],
						turn * nr_threads + i + 1 };
		if (pthread_create(&threads[i], NULL, serve, &sessions[i]))
			abort();
	}
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

/* --- Counting ----------------------------------------------------------------------------- */

/* A counter of calls of this process's threads, those to come included; -1 if there is none. */
static int count_calls(const char *call, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .inherit = 1,
	};
	char path[100];
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/syscalls/sys_enter_%s/id", call);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%llu", (unsigned long long *)&attr.config) != 1)
		attr.config = 0;
	fclose(file);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd >= 0 && filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
		close(fd);
		return -1;
	}
	return fd;
}

static long counted(int fd)
{
	uint64_t count;

	return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) ? (long)count : -1;
}

/* Tells remote_lines.c, where the machine is emulated with it. */
static void touch_gate(unsigned long address)
{
	if (mmap((void *)GATE_ADDRESS, 4096, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		return;
	*(volatile char *)address = 1;
	munmap((void *)GATE_ADDRESS, 4096);
}

/* --- Both --------------------------------------------------------------------------------- */

static unsigned long run_hand_over(void)
{
	pthread_t threads[THREADS_MAX];

	for (uintptr_t i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, hand_over, (void *)i))
			abort();
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 2 * nr_threads * (steps / BATCH * BATCH);
}

static unsigned long run_sessions(void)
{
	unsigned long turns = steps / TURN ? steps / TURN : 1;

	for (unsigned long turn = 0; turn < turns; turn++)
		run_turn(turn);
	return 2 * nr_threads * turns * TURN;
}

int main(int argc, char **argv)
{
	unsigned long operations;
	int waits, membarriers;

	nr_threads = argc == 4 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	if (nr_threads && nr_threads <= THREADS_MAX)
		steps = strtoul(argv[3], NULL, 10) / 2 / nr_threads;
	if (steps < BATCH || (strcmp(argv[1], "sessions") && strcmp(argv[1], "hand-over"))) {
		fprintf(stderr, "usage: loads hand-over|sessions THREADS OPERATIONS; at most %d "
			"threads, at least %d operations for each\n", THREADS_MAX, 2 * BATCH);
		return 2;
	}
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);	/* if it is not mounted */
	/* FUTEX_WAIT and FUTEX_WAIT_PRIVATE. A join waits by FUTEX_WAIT_BITSET. */
	waits = count_calls("futex", "op==0||op==128");
	membarriers = count_calls("membarrier", NULL);
	touch_gate(GATE_OPEN);
	operations = !strcmp(argv[1], "sessions") ? run_sessions() : run_hand_over();
	touch_gate(GATE_CLOSE);
	printf("%lu %ld %ld\n", operations, counted(waits), counted(membarriers));
	return 0;
}
