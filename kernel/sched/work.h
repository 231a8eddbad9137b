/* SPDX-License-Identifier: MIT */
/* What workqueue.c and delayed_work.c share. Callers of its functions hold usermm_queues_lock. */
#ifndef KERNEL_WORK_H
#define KERNEL_WORK_H

#include <pthread.h>

#include <linux/workqueue.h>

#include "context.h"

/* Protects all queues and their items. */
extern pthread_mutex_t usermm_queues_lock;

/* Puts an item on a queue's list. The item is pending, and on no list yet. */
void usermm_work_put(struct workqueue_struct *queue, struct work_struct *work, int cpu);
/* Makes the item pending; false if it is pending already or disabled. */
bool usermm_work_claim(struct work_struct *work);
/*
 * Cancels a pending item; true if it was pending. An item that waits for RCU cannot be cancelled.
 */
bool usermm_work_take_back(struct work_struct *work);
/* Waits until the item does not run; true if it had to wait. The item may be gone then. */
bool usermm_work_wait(struct work_struct *work);


struct device;

unsigned int usermm_workqueue_max_active(struct workqueue_struct *queue);
/* devices/workqueue_files.c: the queue's files in /sys/bus/workqueue/devices; or an error. */
struct device *usermm_workqueue_device(struct workqueue_struct *queue, const char *name,
				       bool unbound);

#endif
