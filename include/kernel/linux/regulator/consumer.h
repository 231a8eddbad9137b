/* SPDX-License-Identifier: MIT */
/* As without CONFIG_REGULATOR: each regulator is NULL, and calls on it succeed. */
#ifndef __LINUX_REGULATOR_CONSUMER_H_
#define __LINUX_REGULATOR_CONSUMER_H_

#include <linux/capability.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/ioport.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/sysfs.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct device;
struct regulator;

struct regulator_bulk_data {
	const char *supply;
	struct regulator *consumer;
};

#define regulator_get(dev, name) ((void)(dev), (void)(name), (struct regulator *)NULL)
#define devm_regulator_get(dev, name) regulator_get(dev, name)
#define regulator_get_optional(dev, name) \
	((void)(dev), (void)(name), (struct regulator *)ERR_PTR(-ENODEV))
#define devm_regulator_get_optional(dev, name) regulator_get_optional(dev, name)
#define regulator_get_exclusive(dev, name) regulator_get_optional(dev, name)
#define devm_regulator_get_enable(dev, name) ((void)(dev), (void)(name), 0)
#define devm_regulator_bulk_get(dev, n, bulk) ((void)(dev), (void)(n), (void)(bulk), 0)
#define regulator_put(regulator) ((void)(regulator))
#define regulator_enable(regulator) ((void)(regulator), 0)
#define regulator_disable(regulator) ((void)(regulator), 0)
#define regulator_bulk_enable(n, bulk) ((void)(n), (void)(bulk), 0)
#define regulator_bulk_disable(n, bulk) ((void)(n), (void)(bulk), 0)
#define regulator_set_voltage(regulator, low, high) \
	((void)(regulator), (void)(low), (void)(high), 0)
#define regulator_get_voltage(regulator) ((void)(regulator), -EINVAL)

#endif
