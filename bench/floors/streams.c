// SPDX-License-Identifier: MIT
/*
 * A floor for streams of allocations and frees: the cost of the unavoidable work, without an
 * allocator. 10000 objects of 64 bytes (or -DOBJECT_BYTES=, from 16 to 512) are taken, one call
 * each, by a function that does
 *
 *	pop	pop a pointer off this CPU's array, by a restartable sequence
 *	in use	pop, and mark the object as in use
 *
 * and freed by a function that does
 *
 *	push	push the pointer on this CPU's array, by a restartable sequence
 *	owner	push, after a lookup of the owner: the page's cache, the cache's array
 *	start	owner, after a check that an object starts at the address
 *	mark	start, after a check that the object is in use, which then marks it free
 *
 * When objects are taken, the array holds all of them. When objects are freed, one store empties
 * the full array. So nothing comes from or goes to elsewhere. Prints time-stamp cycles for one
 * call, the median of many runs, also as a multiple of R: a pop and a push without calls. For
 * x86-64 and glibc 2.35 and later.
 *
 * usage: cc -O2 -o streams streams.c && ./streams
 */
#include "objects.h"

#ifndef OBJECT_BYTES
#define OBJECT_BYTES 64
#endif

enum depth { PUSH, OWNER, START, MARK, NR_DEPTHS };

static inline __attribute__((always_inline)) void give(void *object, enum depth depth)
{
	struct cache *cache = depth >= OWNER ? owner_of(object) : NULL;

	if (depth >= START)
		check_start(cache, object);
	if (depth >= MARK)
		mark_free(object);
	push(depth >= OWNER ? cache->array : (void *)ARRAY_OFFSET, object);
}

#define GIVER(name, depth)							\
	static __attribute__((noinline)) void name(void *object)		\
	{									\
		give(object, depth);						\
	}
GIVER(give_push, PUSH)
GIVER(give_owner, OWNER)
GIVER(give_start, START)
GIVER(give_mark, MARK)

static __attribute__((noinline)) void *take_pop(void)
{
	return pop((void *)ARRAY_OFFSET);
}

static __attribute__((noinline)) void *take_in_use(void)
{
	void *object = pop((void *)ARRAY_OFFSET);

	if (object)
		mark_in_use(object);
	return object;
}

static void *objects[OBJECTS];

/* Fills every CPU's array with all objects, the last one at the bottom. */
static void fill_arrays(void)
{
	for (uint32_t cpu = 0; cpu < percpu.nr; cpu++) {
		char *slot = percpu.slots + ((unsigned long)cpu << 20) + ARRAY_OFFSET;

		for (int i = 0; i < OBJECTS; i++)
			((void **)(slot + 8))[i] = objects[OBJECTS - 1 - i];
		*(uint32_t *)slot = OBJECTS;
	}
}

static double time_takes(void *(*take)(void))
{
	double values[RUNS];

	for (int run = 0; run < RUNS; run++) {
		uint64_t ticks;

		fill_arrays();
		ticks = __rdtsc();
		for (int i = 0; i < OBJECTS; i++)
			objects[i] = take();
		values[run] = (double)(__rdtsc() - ticks) / OBJECTS;
		for (int i = 0; i < OBJECTS; i++)
			objects[i] = (char *)window.base + i * OBJECT_BYTES;
	}
	empty_arrays();
	return median(values);
}

static double time_gives(void (*give)(void *))
{
	double values[RUNS];

	for (int run = 0; run < RUNS; run++) {
		uint64_t ticks;

		for (int i = 0; i < OBJECTS; i++)
			mark_in_use(objects[i]);
		ticks = __rdtsc();
		for (int i = 0; i < OBJECTS; i++)
			give(objects[i]);
		values[run] = (double)(__rdtsc() - ticks) / OBJECTS;
	}
	return median(values);
}

static void show(const char *name, double cycles, double r)
{
	printf("%-6s %.2f = %.2f R\n", name, cycles, cycles / r);
}

int main(void)
{
	static void *(*volatile takers[])(void) = { take_pop, take_in_use };
	static const char *const take_names[] = { "pop", "in use" };
	static void (*volatile givers[])(void *) = { give_push, give_owner, give_start, give_mark };
	static const char *const give_names[] = { "push", "owner", "start", "mark" };
	double r;

	if (sequences_set_up() || window_set_up(OBJECTS * OBJECT_BYTES, OBJECT_BYTES))
		return 1;
	for (int i = 0; i < OBJECTS; i++)
		objects[i] = (char *)window.base + i * OBJECT_BYTES;
	r = pair_of_sequences();
	printf("R %.2f\n", r);
	for (unsigned int i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		show(take_names[i], time_takes(takers[i]), r);
	for (int depth = 0; depth < NR_DEPTHS; depth++)
		show(give_names[depth], time_gives(givers[depth]), r);
	return 0;
}
