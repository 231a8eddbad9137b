/* SPDX-License-Identifier: MIT */
/* Waiting for several flavours of grace periods. There is only one here. */
#ifndef _LINUX_SCHED_RCUPDATE_WAIT_H
#define _LINUX_SCHED_RCUPDATE_WAIT_H

#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* A call_rcu() that somebody waits for. */
struct rcu_synchronize {
	struct rcu_head head;
	struct completion completion;
};

static inline void wakeme_after_rcu(struct rcu_head *head)
{
	complete(&container_of(head, struct rcu_synchronize, head)->completion);
}

/* All flavours mean the same grace period. */
#define synchronize_rcu_mult(...) synchronize_rcu()

/* Ends and begins again the reader's section that the caller is in. */
static inline void cond_resched_rcu(void)
{
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
}

#endif
