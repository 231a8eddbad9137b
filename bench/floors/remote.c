// SPDX-License-Identifier: MIT
/*
 * A floor for frees on another CPU: one CPU writes to 10000 objects, as a program that allocates
 * them does. The other CPU frees them, one call each, by the functions that streams.c describes.
 * When the array is full one store empties it, so nothing goes back to anywhere. Prints time-stamp
 * cycles for one call, the median of many rounds. For x86-64, glibc 2.35 and later, and two CPUs.
 *
 * usage: cc -O2 -pthread -o remote remote.c && ./remote [BYTES]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

#include "objects.h"

static void *objects[OBJECTS];
static unsigned long object_bytes = 16;

static __attribute__((noinline)) void give_push(void *object)
{
	push((void *)ARRAY_OFFSET, object);
}

static __attribute__((noinline)) void give_owner(void *object)
{
	push(owner_of(object)->array, object);
}

static __attribute__((noinline)) void give_mark(void *object)
{
	struct cache *cache = owner_of(object);

	check_start(cache, object);
	mark_free(object);
	push(cache->array, object);
}

static const struct {
	const char *name;
	void (*give)(void *object);
} givers[] = { { "push", give_push }, { "owner", give_owner }, { "mark", give_mark } };

#define NR_GIVERS (sizeof(givers) / sizeof(givers[0]))

/* The CPUs take turns; odd turns are those of the CPU that frees. */
static volatile unsigned int turn;
static double values[NR_GIVERS][RUNS];

static void pin(int nth)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && nth-- == 0) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
		}
}

static void wait_for(unsigned int wanted)
{
	while (turn != wanted)
		_mm_pause();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void *give_all(void *unused)
{
	pin(1);
	for (unsigned int round = 0; round < NR_GIVERS * RUNS; round++) {
		void (*volatile give_by)(void *) = givers[round % NR_GIVERS].give;
		void (*give)(void *) = give_by;
		uint64_t ticks;

		wait_for(2 * round + 1);
		ticks = __rdtsc();
		for (int i = 0; i < OBJECTS; i++)
			give(objects[i]);
		values[round % NR_GIVERS][round / NR_GIVERS] =
			(double)(__rdtsc() - ticks) / OBJECTS;
		turn++;
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t giver;

	if (argc > 1)
		object_bytes = strtoul(argv[1], NULL, 0);
	if (object_bytes < 16 || object_bytes > 4096 || object_bytes & (object_bytes - 1)) {
		fputs("usage: remote [BYTES]: a power of two, 16 to 4096\n", stderr);
		return 2;
	}
	if (sequences_set_up() || window_set_up(OBJECTS * object_bytes, object_bytes))
		return 1;
	pin(0);
	if (pthread_create(&giver, NULL, give_all, NULL))
		return 1;
	for (unsigned int round = 0; round < NR_GIVERS * RUNS; round++) {
		wait_for(2 * round);
		for (int i = 0; i < OBJECTS; i++) {
			objects[i] = (char *)window.base + (unsigned long)i * object_bytes;
			mark_in_use(objects[i]);
		}
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		turn++;
	}
	pthread_join(giver, NULL);
	for (unsigned int i = 0; i < NR_GIVERS; i++)
		printf("%-6s %.2f\n", givers[i].name, median(values[i]));
	return 0;
}
