// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "team.h"

#include <pthread.h>
#include <sys/resource.h>

#include "measure/timing.h"

struct run {
	void (*part)(struct team_member *member);
	unsigned int nr;
	unsigned int arrived;	/* Sync: atomic */
	bool stopped;		/* a thread is missing. Sync: atomic */
};

struct start {
	struct run *run;
	struct team_member *member;
};

unsigned int team_size(void)
{
	unsigned int nr = 0;

	while (nr < TEAM_MAX && timing_cpu(nr) >= 0)
		nr++;
	return nr;
}

static bool wait_for_all(struct run *run)
{
	__atomic_add_fetch(&run->arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&run->arrived, __ATOMIC_ACQUIRE) < run->nr)
		if (__atomic_load_n(&run->stopped, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

static void *member_main(void *arg)
{
	struct start *start = arg;
	struct team_member *member = start->member;
	struct rusage before, after;

	timing_pin(timing_cpu(member->number));
	if (!wait_for_all(start->run))
		return NULL;
	getrusage(RUSAGE_THREAD, &before);
	start->run->part(member);
	getrusage(RUSAGE_THREAD, &after);
	member->faults = (unsigned long)(after.ru_minflt - before.ru_minflt);
	member->waits = (unsigned long)(after.ru_nvcsw - before.ru_nvcsw);
	return NULL;
}

bool team_run(struct team_member *members, unsigned int nr,
	      void (*part)(struct team_member *member), void *context)
{
	struct run run = { .part = part, .nr = nr };
	struct start starts[TEAM_MAX];
	pthread_t threads[TEAM_MAX];
	unsigned int started = 0;
	bool good;

	for (; started < nr; started++) {
		members[started] = (struct team_member){ .number = started, .context = context };
		starts[started] = (struct start){ &run, &members[started] };
		if (pthread_create(&threads[started], NULL, member_main, &starts[started])) {
			__atomic_store_n(&run.stopped, true, __ATOMIC_RELEASE);
			break;
		}
	}
	good = started == nr;
	for (unsigned int i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
		good &= !members[i].failed;
	}
	return good;
}
