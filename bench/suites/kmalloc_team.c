// SPDX-License-Identifier: MIT
/*
 * Suite kmalloc by threads on all CPUs: the second half of seed 2's test. The first round brings
 * pages and slabs; the median of the other rounds counts. Page faults and sleeps that happen
 * nevertheless are reported, since each costs more than a thousand cycles.
 */
#include <stdio.h>

#include "base/atomic.h"
#include "child.h"
#include "kmalloc.h"
#include "team.h"
#include "measure/timing.h"
#include "usermm/usermm.h"

#define TEAM_OBJECTS 10000
#define TEAM_ROUNDS 5

struct team {
	size_t bytes;
	unsigned int nr;
	unsigned int filled;	/* all objects are written; Sync: atomic release/acquire */
	void **objects[TEAM_MAX];
};

const char *const kmalloc_team_names[NR_TEAM_TESTS] = {
	"concurrent", "concurrent_pair", "n_remote", "handed"
};

const char *kmalloc_team_row(enum team_test test, const char *phase, unsigned int cpu,
			     char name[static 32])
{
	snprintf(name, 32, "%s_%s.%u", kmalloc_team_names[test], phase, cpu);
	return name;
}

/* Sizes are no constants here, as in the seed. */
static double take_all(struct team_member *member, void **into)
{
	struct team *team = member->context;
	uint64_t start = ticks_begin(), end;

	for (unsigned int i = 0; i < TEAM_OBJECTS; i++)
		into[i] = kmalloc(team->bytes, GFP_KERNEL);
	end = ticks_end();
	for (unsigned int i = 0; i < TEAM_OBJECTS; i++)
		member->failed |= !into[i];
	return (double)(end - start);
}

static double give_all(void **from)
{
	uint64_t start = ticks_begin();

	for (unsigned int i = 0; i < TEAM_OBJECTS; i++)
		kfree(from[i]);
	return (double)(ticks_end() - start);
}

static void stream(struct team_member *member)
{
	struct team *team = member->context;

	member->cycles[0] = take_all(member, team->objects[member->number]);
	member->cycles[1] = give_all(team->objects[member->number]);
}

static void pair(struct team_member *member)
{
	struct team *team = member->context;
	uint64_t start = ticks_begin();

	for (unsigned int i = 0; i < TEAM_OBJECTS; i++) {
		void *object = kmalloc(team->bytes, GFP_KERNEL);

		member->failed |= !object;
		kfree(object);
	}
	member->cycles[0] = (double)(ticks_end() - start);
}

/* The first CPU allocates objects for all others, which then free them all at the same time. */
static void remote(struct team_member *member)
{
	struct team *team = member->context;

	if (!member->number) {
		for (unsigned int to = 1; to < team->nr; to++)
			member->cycles[0] += take_all(member, team->objects[to]);
		member->cycles[0] /= team->nr - 1;
		__atomic_store_n(&team->filled, 1, __ATOMIC_RELEASE);
		return;
	}
	while (!__atomic_load_n(&team->filled, __ATOMIC_ACQUIRE))
		cpu_relax();
	member->cycles[1] = give_all(team->objects[member->number]);
}

/*
 * The first CPU hands objects to the others in turn; for a failure, a pointer that kfree() ignores.
 */
static void hand_out(struct team_member *member, struct team *team)
{
	uint64_t start = ticks_begin();

	for (unsigned int i = 0; i < TEAM_OBJECTS; i++)
		for (unsigned int to = 1; to < team->nr; to++) {
			void *object = kmalloc(team->bytes, GFP_KERNEL);

			member->failed |= !object;
			/* pairs with take_over(), which frees the object */
			__atomic_store_n(&team->objects[to][i], object ? object : ZERO_SIZE_PTR,
					 __ATOMIC_RELEASE);
		}
	member->cycles[0] = (double)(ticks_end() - start) / (team->nr - 1);
}

/* The wait for the next object is part of the measured time, as in the seed. */
static void take_over(struct team_member *member, void **objects)
{
	uint64_t start = ticks_begin();

	for (unsigned int i = 0; i < TEAM_OBJECTS; i++) {
		void *object;

		/* pairs with hand_out(): its stores to the object */
		while (!(object = __atomic_load_n(&objects[i], __ATOMIC_ACQUIRE)))
			cpu_relax();
		kfree(object);
	}
	member->cycles[1] = (double)(ticks_end() - start);
}

static void handed(struct team_member *member)
{
	struct team *team = member->context;

	if (member->number)
		take_over(member, team->objects[member->number]);
	else
		hand_out(member, team);
}

static void (*const parts[NR_TEAM_TESTS])(struct team_member *member) = {
	stream, pair, remote, handed
};

/* Samples by round: of each member, or of all members together. */
struct samples {
	double cycles[TEAM_MAX][2][TEAM_ROUNDS];
	double faults[TEAM_ROUNDS], waits[TEAM_ROUNDS];
};

static bool run_round(enum team_test test, struct team *team, struct samples *samples,
		      unsigned int round)
{
	struct team_member members[TEAM_MAX];
	unsigned long faults = 0, waits = 0;

	for (unsigned int i = 0; i < team->nr; i++)
		memset(team->objects[i], 0, TEAM_OBJECTS * sizeof(void *));
	team->filled = 0;
	if (!team_run(members, team->nr, parts[test], team))
		return false;
	for (unsigned int i = 0; i < team->nr; i++) {
		for (unsigned int phase = 0; phase < 2; phase++)
			samples->cycles[i][phase][round] =
				members[i].cycles[phase] / TEAM_OBJECTS;
		faults += members[i].faults;
		waits += members[i].waits;
	}
	samples->faults[round] = (double)faults;
	samples->waits[round] = (double)waits;
	return true;
}

static void report(enum team_test test, const struct team *team, struct samples *samples)
{
	static const char *const phases[] = { "alloc", "free" };
	long step = (long)team->bytes;
	char name[32];

	for (unsigned int i = 0; i < team->nr; i++)
		for (unsigned int phase = 0; phase < 2; phase++) {
			double cycles = bench_median(samples->cycles[i][phase], TEAM_ROUNDS);

			child_report(kmalloc_team_row(test, phases[phase], i, name), step, cycles);
		}
	child_report(kmalloc_team_row(test, "faults", 0, name), step,
		     bench_median(samples->faults, TEAM_ROUNDS));
	child_report(kmalloc_team_row(test, "waits", 0, name), step,
		     bench_median(samples->waits, TEAM_ROUNDS));
}

static void measure(enum team_test test, struct team *team)
{
	struct samples samples;

	if (!run_round(test, team, &samples, 0))
		return;
	for (unsigned int round = 0; round < TEAM_ROUNDS; round++)
		if (!run_round(test, team, &samples, round))
			return;
	report(test, team, &samples);
}

void kmalloc_measure_team(void)
{
	static void *objects[TEAM_MAX][TEAM_OBJECTS];
	struct team team = { .nr = team_size() };

	if (team.nr < 2)
		return;
	for (unsigned int i = 0; i < team.nr; i++)
		team.objects[i] = objects[i];
	for (enum team_test test = 0; test < NR_TEAM_TESTS; test++)
		for (unsigned int i = 0; i < NR_TEAM_SIZES; i++) {
			team.bytes = (size_t)kmalloc_bench_sizes[i];
			measure(test, &team);
		}
}
