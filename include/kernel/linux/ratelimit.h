/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_RATELIMIT_H
#define KERNEL_LINUX_RATELIMIT_H

#include <asm/irqflags.h>
#include <asm/smp.h>
#include <linux/bottom_half.h>
#include <linux/nodemask_types.h>
#include <linux/ratelimit_types.h>
#include <linux/rbtree_types.h>
#include <linux/sched/types.h>
#include <linux/thread_info.h>
#include <linux/timer_types.h>

static inline void ratelimit_state_init(struct ratelimit_state *state, int interval, int burst)
{
	*state = (struct ratelimit_state)RATELIMIT_STATE_INIT(, interval, burst);
}

static inline void ratelimit_default_init(struct ratelimit_state *state)
{
	ratelimit_state_init(state, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
}

static inline void ratelimit_set_flags(struct ratelimit_state *state, unsigned long flags)
{
	state->flags = (unsigned int)flags;
}

static inline void ratelimit_state_inc_miss(struct ratelimit_state *state)
{
	__atomic_add_fetch(&state->missed, 1, __ATOMIC_RELAXED);
}

static inline int ratelimit_state_get_miss(struct ratelimit_state *state)
{
	return __atomic_load_n(&state->missed, __ATOMIC_RELAXED);
}

static inline int ratelimit_state_reset_miss(struct ratelimit_state *state)
{
	return __atomic_exchange_n(&state->missed, 0, __ATOMIC_RELAXED);
}

static inline void ratelimit_state_reset_interval(struct ratelimit_state *state, int interval)
{
	state->interval = interval;
	state->flags &= ~RATELIMIT_INITIALIZED;
	ratelimit_state_reset_miss(state);
}

#endif
