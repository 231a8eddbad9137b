/* SPDX-License-Identifier: MIT */
/* A device's file, and those who have it open. */
#ifndef KERNEL_INPUT_EVDEV_H
#define KERNEL_INPUT_EVDEV_H

#include <linux/cdev.h>
#include <linux/device.h>

#include "input_core.h"

struct evdev_client;

struct evdev {
	struct input_handle handle;
	struct device dev;
	struct cdev cdev;
	int number;
	unsigned int nr_open;		/* Sync: mutex */
	bool exists;			/* Sync: mutex; read without */
	struct mutex mutex;
	struct evdev_client *grab;	/* gets all events alone. Sync: mutex, RCU */
	struct list_head clients;	/* Sync: lock, RCU */
	spinlock_t lock;
};

/* An open file. The ring is empty if head and tail are equal. */
struct evdev_client {
	struct list_head list;		/* Sync: evdev->lock, RCU */
	struct evdev *evdev;
	wait_queue_head_t wait;
	struct fasync_struct *fasync;
	enum input_clock_type clock;	/* Sync: lock */
	bool is_revoked;		/* Sync: evdev->mutex; read without */
	unsigned long *masks[EV_CNT];	/* the codes that are wanted; NULL: all. Sync: lock */
	spinlock_t lock;
	unsigned int head, tail;	/* Sync: lock */
	unsigned int packet_head;	/* behind the last complete packet. Sync: lock */
	unsigned int size;		/* a power of two */
	struct input_event ring[];
};

/* The caller has evdev->mutex. */
int evdev_grab(struct evdev *evdev, struct evdev_client *client);
void evdev_ungrab(struct evdev *evdev, struct evdev_client *client);

/* evdev_ioctl.c */
long evdev_ioctl(struct file *file, unsigned int command, unsigned long argument);

#endif
