/* SPDX-License-Identifier: MIT */
/* Power management of devices, which are never suspended. Drivers' functions are not called. */
#ifndef _LINUX_PM_H
#define _LINUX_PM_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct device;

typedef struct pm_message {
	int event;
} pm_message_t;

#define PM_EVENT_ON 0x0000
#define PM_EVENT_FREEZE 0x0001
#define PM_EVENT_SUSPEND 0x0002
#define PM_EVENT_HIBERNATE 0x0004
#define PMSG_ON ((pm_message_t){ PM_EVENT_ON })
#define PMSG_FREEZE ((pm_message_t){ PM_EVENT_FREEZE })
#define PMSG_SUSPEND ((pm_message_t){ PM_EVENT_SUSPEND })

struct dev_pm_ops {
	int (*prepare)(struct device *dev);
	void (*complete)(struct device *dev);
	int (*suspend)(struct device *dev);
	int (*resume)(struct device *dev);
	int (*freeze)(struct device *dev);
	int (*thaw)(struct device *dev);
	int (*poweroff)(struct device *dev);
	int (*restore)(struct device *dev);
	int (*suspend_late)(struct device *dev);
	int (*resume_early)(struct device *dev);
	int (*freeze_late)(struct device *dev);
	int (*thaw_early)(struct device *dev);
	int (*poweroff_late)(struct device *dev);
	int (*restore_early)(struct device *dev);
	int (*suspend_noirq)(struct device *dev);
	int (*resume_noirq)(struct device *dev);
	int (*freeze_noirq)(struct device *dev);
	int (*thaw_noirq)(struct device *dev);
	int (*poweroff_noirq)(struct device *dev);
	int (*restore_noirq)(struct device *dev);
	int (*runtime_suspend)(struct device *dev);
	int (*runtime_resume)(struct device *dev);
	int (*runtime_idle)(struct device *dev);
};

#define SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it)				\
	.suspend = suspend_it, .resume = resume_it, .freeze = suspend_it,	\
	.thaw = resume_it, .poweroff = suspend_it, .restore = resume_it,
#define LATE_SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it)				\
	.suspend_late = suspend_it, .resume_early = resume_it,			\
	.freeze_late = suspend_it, .thaw_early = resume_it,			\
	.poweroff_late = suspend_it, .restore_early = resume_it,
#define NOIRQ_SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it)			\
	.suspend_noirq = suspend_it, .resume_noirq = resume_it,			\
	.freeze_noirq = suspend_it, .thaw_noirq = resume_it,			\
	.poweroff_noirq = suspend_it, .restore_noirq = resume_it,
#define RUNTIME_PM_OPS(suspend_it, resume_it, idle_it)				\
	.runtime_suspend = suspend_it, .runtime_resume = resume_it,		\
	.runtime_idle = idle_it,
#define SET_SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it) \
	SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it)
#define SET_LATE_SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it) \
	LATE_SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it)
#define SET_NOIRQ_SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it) \
	NOIRQ_SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it)
#define SET_RUNTIME_PM_OPS(suspend_it, resume_it, idle_it) \
	RUNTIME_PM_OPS(suspend_it, resume_it, idle_it)
#define SIMPLE_DEV_PM_OPS(name, suspend_it, resume_it) \
	const struct dev_pm_ops __maybe_unused name = { \
		SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it) }
#define DEFINE_SIMPLE_DEV_PM_OPS(name, suspend_it, resume_it) \
	SIMPLE_DEV_PM_OPS(name, suspend_it, resume_it)
#define UNIVERSAL_DEV_PM_OPS(name, suspend_it, resume_it, idle_it) \
	const struct dev_pm_ops __maybe_unused name = { \
		SYSTEM_SLEEP_PM_OPS(suspend_it, resume_it) \
		RUNTIME_PM_OPS(suspend_it, resume_it, idle_it) }
#define DEFINE_RUNTIME_DEV_PM_OPS(name, suspend_it, resume_it, idle_it) \
	UNIVERSAL_DEV_PM_OPS(name, suspend_it, resume_it, idle_it)
#define pm_ptr(operations) (operations)
#define pm_sleep_ptr(operations) (operations)

/* No other system state is ever entered, so nothing may wake it. */
#define device_init_wakeup(dev, enable) ((void)(dev), (void)(enable), 0)
#define device_set_wakeup_capable(dev, capable) ((void)(dev), (void)(capable))
#define device_set_wakeup_enable(dev, enable) ((void)(dev), (void)(enable), 0)
#define device_wakeup_enable(dev) ((void)(dev), 0)
#define device_wakeup_disable(dev) ((void)(dev), 0)
#define device_may_wakeup(dev) ((void)(dev), false)
#define device_can_wakeup(dev) ((void)(dev), false)
#define pm_wakeup_event(dev, ms) ((void)(dev), (void)(ms))
#define pm_stay_awake(dev) ((void)(dev))
#define pm_relax(dev) ((void)(dev))

#endif
