// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "counters.h"

#include <linux/perf_event.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "step.h"

static const struct {
	uint32_t type;
	uint64_t config;
} events[NR_COUNTERS] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
			      PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
};

static int open_counter(enum counter counter)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = events[counter].type;
	attr.config = events[counter].config;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens a counter of the calling thread; negative if there is none. */
static int counter_fd(enum counter counter)
{
	static struct {
		bool tried;
		int fd;
	} counters[NR_COUNTERS];

	if (!counters[counter].tried) {
		counters[counter].fd = open_counter(counter);
		counters[counter].tried = true;
	}
	return counters[counter].fd;
}

bool counters_have(enum counter counter)
{
	return counter_fd(counter) >= 0;
}

bool counters_available(void)
{
	return counters_have(COUNT_INSTRUCTIONS);
}

void counters_start(enum counter counter)
{
	int fd = counter_fd(counter);

	if (fd < 0)
		return;
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

double counters_stop(enum counter counter)
{
	int fd = counter_fd(counter);
	uint64_t count = 0;

	if (fd < 0)
		return NAN;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return NAN;
	return (double)count;
}

double bench_count_instructions(void (*function)(void *arg), void *arg)
{
	counters_start(COUNT_INSTRUCTIONS);
	function(arg);
	return counters_stop(COUNT_INSTRUCTIONS);
}

#if defined(__x86_64__)
static volatile unsigned long steps;

static void count_step(int signal)
{
	(void)signal;
	steps++;
}

double bench_step_instructions(void (*function)(void *arg), void *arg)
{
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = count_step;
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGTRAP, &action, &old))
		return NAN;
	steps = 0;
	trap_flag(true);
	function(arg);
	trap_flag(false);
	sigaction(SIGTRAP, &old, NULL);
	return steps ? (double)steps : NAN;
}
#else
double bench_step_instructions(void (*function)(void *arg), void *arg)
{
	(void)function;
	(void)arg;
	return NAN;
}
#endif
