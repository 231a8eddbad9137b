/* SPDX-License-Identifier: MIT */
/* Watchdogs of modules can be registered; nobody starts them. */
#ifndef KERNEL_LINUX_WATCHDOG_H
#define KERNEL_LINUX_WATCHDOG_H

#include <linux/bitops.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include_next <linux/watchdog.h>

struct watchdog_device;

struct watchdog_ops {
	struct module *owner;
	int (*start)(struct watchdog_device *watchdog);
	int (*stop)(struct watchdog_device *watchdog);
	int (*ping)(struct watchdog_device *watchdog);
	unsigned int (*status)(struct watchdog_device *watchdog);
	int (*set_timeout)(struct watchdog_device *watchdog, unsigned int seconds);
	int (*set_pretimeout)(struct watchdog_device *watchdog, unsigned int seconds);
	unsigned int (*get_timeleft)(struct watchdog_device *watchdog);
	int (*restart)(struct watchdog_device *watchdog, unsigned long action, void *data);
	long (*ioctl)(struct watchdog_device *watchdog, unsigned int command,
		      unsigned long argument);
};

struct watchdog_device {
	int id;
	struct device *parent;
	const struct attribute_group **groups;
	const struct watchdog_info *info;
	const struct watchdog_ops *ops;
	unsigned int bootstatus, timeout, pretimeout, min_timeout, max_timeout;
	unsigned int min_hw_heartbeat_ms, max_hw_heartbeat_ms;
	void *driver_data;
	unsigned long status;
};

#define WDOG_ACTIVE 0
#define WDOG_NO_WAY_OUT 1
#define WDOG_HW_RUNNING 3
#define WATCHDOG_NOWAYOUT 0

static inline int watchdog_register_device(struct watchdog_device *watchdog)
{
	return watchdog->info && watchdog->ops && watchdog->ops->start ? 0 : -EINVAL;
}

#define watchdog_unregister_device(watchdog) ((void)(watchdog))
#define devm_watchdog_register_device(dev, watchdog) \
	((void)(dev), watchdog_register_device(watchdog))
#define watchdog_set_drvdata(watchdog, data) ((void)((watchdog)->driver_data = (data)))
#define watchdog_get_drvdata(watchdog) ((watchdog)->driver_data)
#define watchdog_set_nowayout(watchdog, on) ((void)(watchdog), (void)(on))
#define watchdog_init_timeout(watchdog, seconds, dev) \
	((void)(watchdog), (void)(seconds), (void)(dev), 0)
#define watchdog_stop_on_reboot(watchdog) ((void)(watchdog))
#define watchdog_stop_on_unregister(watchdog) ((void)(watchdog))
#define watchdog_stop_ping_on_suspend(watchdog) ((void)(watchdog))
#define watchdog_notify_pretimeout(watchdog) ((void)(watchdog))
#define watchdog_set_restart_priority(watchdog, priority) \
	((void)(watchdog), (void)(priority))
#define watchdog_hw_running(watchdog) (((watchdog)->status & BIT(WDOG_HW_RUNNING)) != 0)
#define watchdog_active(watchdog) (((watchdog)->status & BIT(WDOG_ACTIVE)) != 0)

#endif
