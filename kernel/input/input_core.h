/* SPDX-License-Identifier: MIT */
/* What the files of kernel/input know of one another. */
#ifndef KERNEL_INPUT_INPUT_CORE_H
#define KERNEL_INPUT_INPUT_CORE_H

#include <linux/input.h>

/* events.c */
/* The events that a packet of the device has, at most. */
unsigned int input_packet_size(struct input_dev *dev);
/* As input_event(). The caller has dev->event_lock. */
void input_event_locked(struct input_dev *dev, unsigned int type, unsigned int code, int value);
/* Lets all keys go that are pressed. The caller has dev->event_lock. */
void input_release_keys_locked(struct input_dev *dev);

/* poller.c */
void input_poller_finish(struct input_dev *dev);
void input_poller_start(struct input_dev *dev);
void input_poller_stop(struct input_dev *dev);
extern const struct attribute_group input_poller_group;

/* keycodes.c: the calls that look into dev->keycode, unless the driver has its own. */
void input_default_keycodes(struct input_dev *dev);

/* device_files.c: a device's attributes in /sys, and /proc/bus/input. */
extern const struct attribute_group *input_device_groups[];
void input_add_proc_files(void);
/* input.c: calls the function for each device, or each handler, with the list locked. */
void input_for_each_device(void (*function)(struct input_dev *dev, void *data), void *data);
void input_for_each_handler(void (*function)(struct input_handler *handler, void *data),
			    void *data);

/* evdev.c: the handler that makes /dev/input/eventN. */
extern struct input_handler input_evdev_handler;

#endif
