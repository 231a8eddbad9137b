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
	atomic_long_t data;	/* Sync: atomic, set under the lock; 1 while the work waits */
	struct list_head entry;	/* Sync: the queues' lock */
	work_func_t func;
	struct workqueue_struct *queue;	/* Sync: the queues' lock; the last it was put on */
	int cpu;			/* Sync: the queues' lock */
	unsigned int disabled;		/* Sync: the queues' lock; how often */
	u64 number;			/* Sync: the queues' lock; of its last wait, never again */
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
	struct workqueue_struct *wq;
	int cpu;
	bool armed;			/* Sync: the queues' lock; the timer will put it there */
};

struct rcu_work {
	struct work_struct work;
	struct rcu_head rcu;
	struct workqueue_struct *wq;
};

#endif
