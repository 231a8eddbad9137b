/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MEMORY_H
#define KERNEL_LINUX_MEMORY_H

#include <linux/device.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/kmod.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>

/* No memory is added or taken away, so nobody is told. */
#define MEM_ONLINE (1 << 0)
#define MEM_GOING_OFFLINE (1 << 1)
#define MEM_OFFLINE (1 << 2)
#define MEM_GOING_ONLINE (1 << 3)
#define MEM_CANCEL_ONLINE (1 << 4)
#define MEM_CANCEL_OFFLINE (1 << 5)

struct memory_notify {
	unsigned long start_pfn, nr_pages;
};

#define register_memory_notifier(block) ((void)(block), 0)
#define unregister_memory_notifier(block) ((void)(block))
#define hotplug_memory_notifier(function, priority) ((void)(function), (void)(priority), 0)

#endif
