/* SPDX-License-Identifier: MIT */
/* Rate limits: the caller may go ahead at most burst times in interval jiffies. */
#ifndef KERNEL_LINUX_RATELIMIT_TYPES_H
#define KERNEL_LINUX_RATELIMIT_TYPES_H

#include <asm/param.h>
#include <linux/bits.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define DEFAULT_RATELIMIT_INTERVAL (5 * HZ)
#define DEFAULT_RATELIMIT_BURST 10
#define RATELIMIT_MSG_ON_RELEASE 1

struct ratelimit_state {
	int interval;
	int burst;
	int printed;		/* Sync: the log's lock */
	int missed;		/* Sync: the log's lock */
	unsigned long begin;	/* Sync: the log's lock; jiffies */
	unsigned int flags;
};

#define RATELIMIT_STATE_INIT(name, in, times) { .interval = (in), .burst = (times) }
/* No limit. */
#define RATELIMIT_STATE_INIT_DISABLED RATELIMIT_STATE_INIT(disabled, 0, DEFAULT_RATELIMIT_BURST)
#define DEFINE_RATELIMIT_STATE(name, in, times) \
	struct ratelimit_state name = RATELIMIT_STATE_INIT(name, in, times)

/* Nonzero: the caller may go ahead. */
int ___ratelimit(struct ratelimit_state *state, const char *function)
	USERMM_API(___ratelimit);
#define __ratelimit(state) ___ratelimit(state, __func__)

#endif
