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

#endif
