/* SPDX-License-Identifier: MIT */
/* As without CONFIG_RESET_CONTROLLER: nothing can be reset. */
#ifndef _LINUX_RESET_H_
#define _LINUX_RESET_H_

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/idr.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct reset_control;

#define devm_reset_control_get(dev, name) \
	((void)(dev), (void)(name), (struct reset_control *)ERR_PTR(-ENOTSUPP))
#define devm_reset_control_get_exclusive(dev, name) devm_reset_control_get(dev, name)
#define devm_reset_control_get_optional(dev, name) \
	((void)(dev), (void)(name), (struct reset_control *)NULL)
#define devm_reset_control_get_optional_exclusive(dev, name) \
	devm_reset_control_get_optional(dev, name)
#define reset_control_assert(control) ((void)(control), 0)
#define reset_control_deassert(control) ((void)(control), 0)
#define reset_control_reset(control) ((void)(control), 0)
#define reset_control_put(control) ((void)(control))

#endif
