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

#endif
