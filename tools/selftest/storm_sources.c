/* SPDX-License-Identifier: MIT */
#include "selftest/storm_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"

/* With a shorter period the next signal would come before the thread made any progress. */
#define TIMER_NS 20000
#define BURST_VISITS 2
#define PAUSE_NS 30000
#define HOTPLUG_MS 40

static void sleep_ns(long ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&time, NULL);
}

static int nth_cpu(const cpu_set_t *cpus, unsigned int n)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && !n--)
			return cpu;
	return -1;
}

static unsigned int nr_cpus(const struct storm_targets *targets)
{
	return (unsigned int)CPU_COUNT(&targets->cpus);
}

static void set_affinity(pid_t tid, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(tid, sizeof(one), &one);
}

static void free_workers(struct storm_targets *targets)
{
	for (unsigned int i = 0; i < targets->nr; i++)
		sched_setaffinity(targets->workers[i].tid, sizeof(targets->cpus),
				  &targets->cpus);
}

/*
 * membarrier(2) interrupts only the other CPUs. So this thread takes one CPU for itself, and the
 * workers get the others.
 */
static const char *begin_membarrier(struct storm_targets *targets)
{
	unsigned int nr = nr_cpus(targets);
	int own = nth_cpu(&targets->cpus, nr - 1);
	cpu_set_t others = targets->cpus;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0))
		return strerror(errno);
	if (nr < 2)
		return "it takes two CPUs";
	CPU_CLR(own, &others);
	set_affinity(0, own);
	for (unsigned int i = 0; i < targets->nr; i++)
		sched_setaffinity(targets->workers[i].tid, sizeof(others), &others);
	return NULL;
}

static unsigned int step_membarrier(struct storm_targets *targets)
{
	(void)targets;
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

static void set_timers(struct storm_targets *targets, long ns)
{
	struct itimerspec every = { { 0, ns }, { 0, ns } };

	for (unsigned int i = 0; i < targets->nr; i++)
		if (targets->workers[i].has_timer)
			timer_settime(targets->workers[i].timer, 0, &every, NULL);
}

static unsigned long signals_so_far;	/* Sync: the source's thread */

static unsigned int new_signals(struct storm_targets *targets)
{
	unsigned long now = 0, before = signals_so_far;

	for (unsigned int i = 0; i < targets->nr; i++)
		now += atomic_load_relaxed(&targets->workers[i].nr_signals);
	signals_so_far = now;
	return (unsigned int)(now - before);
}

static const char *begin_timers(struct storm_targets *targets)
{
	for (unsigned int i = 0; i < targets->nr; i++)
		if (!targets->workers[i].has_timer)
			return "a worker could not have a timer";
	new_signals(targets);
	set_timers(targets, TIMER_NS);
	return NULL;
}

static unsigned int step_timers(struct storm_targets *targets)
{
	sleep_ns(1000000);
	return new_signals(targets);
}

static void end_timers(struct storm_targets *targets)
{
	set_timers(targets, 0);
}

static const char *begin_migrations(struct storm_targets *targets)
{
	return nr_cpus(targets) < 2 ? "it takes two CPUs" : NULL;
}

static unsigned int step_migrations(struct storm_targets *targets)
{
	static unsigned int turn;	/* Sync: the source's thread */
	unsigned int round = turn++ / targets->nr;

	set_affinity(targets->workers[turn % targets->nr].tid,
		     nth_cpu(&targets->cpus, (round + turn) % nr_cpus(targets)));
	return 1;
}

static const char *begin_intruder(struct storm_targets *targets)
{
	struct sched_param priority = { .sched_priority = 1 };
	int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);

	if (error)
		return strerror(error);
	set_affinity(0, nth_cpu(&targets->cpus, 0));
	return NULL;
}

/* Sleeps most of the time, so that the workers on this CPU do not starve. */
static unsigned int step_intruder(struct storm_targets *targets)
{
	for (unsigned int i = 0; i < BURST_VISITS; i++)
		targets->visit(&targets->intruder);
	sleep_ns(PAUSE_NS);
	return 1;
}

static char hotplug_path[64];	/* Sync: the source's thread */

static const char *write_online(const char *value)
{
	int fd = open(hotplug_path, O_WRONLY | O_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return strerror(errno);
	written = write(fd, value, 1);
	close(fd);
	return written == 1 ? NULL : strerror(errno);
}

static const char *begin_hotplug(struct storm_targets *targets)
{
	if (nr_cpus(targets) < 2)
		return "it takes two CPUs";
	snprintf(hotplug_path, sizeof(hotplug_path), "/sys/devices/system/cpu/cpu%d/online",
		 nth_cpu(&targets->cpus, nr_cpus(targets) - 1));
	return write_online("1");
}

static unsigned int step_hotplug(struct storm_targets *targets)
{
	bool off = !write_online("0");

	(void)targets;
	sleep_ns(HOTPLUG_MS * 1000000L);
	write_online("1");
	sleep_ns(HOTPLUG_MS * 1000000L);
	return off;
}

/* When a CPU goes offline, the kernel drops affinities to it; so all workers get all CPUs again. */
static void end_hotplug(struct storm_targets *targets)
{
	write_online("1");
	free_workers(targets);
}

const struct storm_source storm_sources[] = {
	{ "membarrier", "times all sequences restarted", 4,
	  begin_membarrier, step_membarrier, free_workers },
	{ "timer signals", "signals whose handler pops and pushes", 5,
	  begin_timers, step_timers, end_timers },
	{ "migrations", "calls of sched_setaffinity", 1,
	  begin_migrations, step_migrations, free_workers },
	{ "SCHED_FIFO intruder", "bursts that pop and push", 2,
	  begin_intruder, step_intruder, NULL },
};
const unsigned int storm_nr_sources = ARRAY_SIZE(storm_sources);

const struct storm_source storm_hotplug = {
	"CPU offline and online", "times a CPU went away and came back", 1,
	begin_hotplug, step_hotplug, end_hotplug,
};
