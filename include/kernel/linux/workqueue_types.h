/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_WORKQUEUE_TYPES_H
#define KERNEL_LINUX_WORKQUEUE_TYPES_H

#include <asm/atomic.h>
#include <linux/atomic.h>
#include <linux/timer_types.h>
#include <linux/types.h>

struct workqueue_struct;
struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	atomic_long_t data;	/* 1 while the work is pending. Sync: atomic, set under the lock */
	struct list_head entry;	/* Sync: the queues' lock */
	work_func_t func;
	struct workqueue_struct *queue;	/* the last one it was on. Sync: the queues' lock */
	int cpu;			/* Sync: the queues' lock */
	unsigned int disabled;		/* how often. Sync: the queues' lock */
	u64 number;			/* unique, set when queued. Sync: the queues' lock */
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
	struct workqueue_struct *wq;
	int cpu;
	bool armed;			/* the timer will queue it. Sync: the queues' lock */
};

struct rcu_work {
	struct work_struct work;
	struct rcu_head rcu;
	struct workqueue_struct *wq;
};

#endif
