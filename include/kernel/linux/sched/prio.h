/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_SCHED_PRIO_H
#define _LINUX_SCHED_PRIO_H

#define MAX_NICE 19
#define MIN_NICE (-20)
#define NICE_WIDTH (MAX_NICE - MIN_NICE + 1)
#define MAX_RT_PRIO 100
#define MAX_DL_PRIO 0
#define MAX_PRIO (MAX_RT_PRIO + NICE_WIDTH)
#define DEFAULT_PRIO (MAX_RT_PRIO + NICE_WIDTH / 2)
#define NICE_TO_PRIO(nice) ((nice) + DEFAULT_PRIO)
#define PRIO_TO_NICE(prio) ((prio) - DEFAULT_PRIO)

/* RLIMIT_NICE counts from 1 (nice 19) to 40 (nice -20). */
static inline long nice_to_rlimit(long nice)
{
	return MAX_NICE - nice + 1;
}

static inline long rlimit_to_nice(long limit)
{
	return MAX_NICE - limit + 1;
}

#endif
