// SPDX-License-Identifier: MIT
/*
 * Would a small array of each thread's own, in front of this CPU's array, pay? Without an
 * allocator, 64-byte objects are taken and freed by two designs, with the checks and marks that
 * free() makes:
 *
 *	cpu	this CPU's array, which holds all objects
 *	front	an array of FRONT pointers in static TLS; half of it is moved to or from this
 *		CPU's array when it is full or empty. The sequence reads no index, no bound and
 *		no base of slots
 *
 * The place of the thread's array is read from memory, as a library that is loaded must do. Loads:
 * pairs of 8 (the front never overflows), bursts of 100 and of 600. Prints nanoseconds for a pair,
 * the least of many runs by turns. For x86-64 and glibc 2.35 and later.
 *
 * usage: cc -O2 -o front front.c && ./front
 */
#define _GNU_SOURCE
#include <sched.h>

#include "objects.h"

#include <time.h>

#ifndef FRONT
#define FRONT 14	/* with its head two cache lines: 32 classes have 4 KiB a thread */
#endif
#define HALF (FRONT / 2)
#define MOST 600
#define CALLS 48000

struct front {
	uint32_t count, limit;
	void *items[FRONT];
};

static __thread struct front thread_front __attribute__((__aligned__(64)));
static volatile unsigned long front_place;	/* of thread_front, minus the thread pointer */

static inline __attribute__((always_inline)) bool push_front(void *object)
{
	__asm__ goto(ANNOUNCE_ONLY
		     "movl %%fs:(%[front]), %%edx\n\t"
		     "cmpl %%fs:4(%[front]), %%edx\n\t"
		     "jae %l[stop]\n\t"
		     "movq %[object], %%fs:8(%[front], %%rdx, 8)\n\t"
		     "addl $1, %%edx\n\t"
		     "movl %%edx, %%fs:(%[front])\n"
		     "2:\n\t"
		     : : [rseq] "r"(percpu.rseq), [front] "r"(front_place), [object] "r"(object)
		     : "rax", "rdx", "memory", "cc" : stop);
	return true;
stop:
	return false;
}

static inline __attribute__((always_inline)) void *pop_front(void)
{
	void *object = NULL;

	__asm__ volatile goto(ANNOUNCE_ONLY
			      "movl %%fs:(%[front]), %%edx\n\t"
			      "subl $1, %%edx\n\t"
			      "jl %l[stop]\n\t"
			      "movq %%fs:8(%[front], %%rdx, 8), %[object]\n\t"
			      "movl %%edx, %%fs:(%[front])\n"
			      "2:\n\t"
			      : [object] "+&r"(object)
			      : [rseq] "r"(percpu.rseq), [front] "r"(front_place)
			      : "rax", "rdx", "memory", "cc" : stop);
	__asm__ volatile("");
	return object;
stop:
	object = NULL;
	__asm__ volatile("" : "+r"(object));
	return object;
}

/* If the front is full its lower half goes to the CPU; else a sequence was interrupted. */
static __attribute__((noinline)) void spill(void *array, void *object)
{
	struct front *front = &thread_front;

	if (front->count == FRONT) {
		while (!push_n(array, front->items, HALF))
			continue;
		front->count -= HALF;
		for (unsigned int i = 0; i < front->count; i++)
			front->items[i] = front->items[i + HALF];
	}
	front->items[front->count++] = object;
}

static __attribute__((noinline)) void *refill(void *array)
{
	struct front *front = &thread_front;

	if (!front->count) {
		while (!pop_n(array, front->items, HALF))
			continue;
		front->count = HALF;
	}
	return front->items[--front->count];
}

static void *own_array = (void *)ARRAY_OFFSET;

static __attribute__((noinline)) void *take_cpu(void)
{
	void *object;

	while (!(object = pop(own_array)))
		continue;
	mark_in_use(object);
	return object;
}

static __attribute__((noinline)) void *take_front(void)
{
	void *object = pop_front();

	if (__builtin_expect(!object, 0))
		object = refill(own_array);
	mark_in_use(object);
	return object;
}

static __attribute__((noinline)) void give_cpu(void *object)
{
	struct cache *cache = owner_of(object);

	check_start(cache, object);
	mark_free(object);
	while (!try_push(cache->array, object))
		continue;
}

static __attribute__((noinline)) void give_front(void *object)
{
	struct cache *cache = owner_of(object);

	check_start(cache, object);
	mark_free(object);
	if (__builtin_expect(!push_front(object), 0))
		spill(cache->array, object);
}

struct design {
	const char *name;
	void *(*take)(void);
	void (*give)(void *object);
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double measure(const volatile struct design *design, int burst)
{
	void *(*take)(void) = design->take;
	void (*give)(void *) = design->give;
	static void *objects[MOST];
	double start = now();

	for (int i = 0; i < CALLS / burst; i++) {
		for (int j = 0; j < burst; j++) {
			objects[j] = take();
			*(char *)objects[j] = 1;
		}
		for (int j = 0; j < burst; j++)
			give(objects[j]);
	}
	return (now() - start) / (CALLS / burst * burst);
}

int main(void)
{
	static const volatile struct design designs[] = {
		{ "cpu", take_cpu, give_cpu }, { "front", take_front, give_front },
	};
	static const int bursts[] = { 8, 100, 600 };
	double least[3][2];
	cpu_set_t one;

	if (sequences_set_up() || window_set_up(2 * MOST * 64, 64))
		return 1;
	/* The CPU's array must stay this thread's. */
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return 1;
	front_place = (unsigned long)&thread_front - (unsigned long)__builtin_thread_pointer();
	thread_front.limit = FRONT;
	((uint32_t *)(percpu.slots + ARRAY_OFFSET))[1] = 2 * MOST;
	for (int i = 0; i < 2 * MOST - FRONT; i++)
		give_cpu((char *)window.base + i * 64);
	for (int i = 0; i < 3; i++)
		least[i][0] = least[i][1] = 1e9;
	for (int run = 0; run < RUNS; run++)
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 2; j++) {
				double value = measure(&designs[j], bursts[i]);

				least[i][j] = value < least[i][j] ? value : least[i][j];
			}
	for (int i = 0; i < 3; i++)
		printf("bursts of %3d: %s %.2f ns, %s %.2f ns\n", bursts[i], designs[0].name,
		       least[i][0], designs[1].name, least[i][1]);
	return 0;
}
