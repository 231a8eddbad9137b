/* SPDX-License-Identifier: MIT */
/* As without CONFIG_PM: devices are always in use. */
#ifndef _LINUX_PM_RUNTIME_H
#define _LINUX_PM_RUNTIME_H

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/notifier.h>
#include <linux/pm.h>

#define RPM_ACTIVE 0
#define RPM_SUSPENDED 2

#define USERMM_RUNTIME_CALL(name, result)			\
	static inline int pm_runtime_##name(struct device *dev)	\
	{							\
		(void)dev;					\
		return result;					\
	}
/* What puts a device to sleep fails, what wakes it finds it awake. */
USERMM_RUNTIME_CALL(suspend, -ENOSYS)
USERMM_RUNTIME_CALL(idle, -ENOSYS)
USERMM_RUNTIME_CALL(autosuspend, -ENOSYS)
USERMM_RUNTIME_CALL(put, -ENOSYS)
USERMM_RUNTIME_CALL(put_sync, -ENOSYS)
USERMM_RUNTIME_CALL(put_autosuspend, -ENOSYS)
USERMM_RUNTIME_CALL(put_sync_suspend, -ENOSYS)
USERMM_RUNTIME_CALL(put_sync_autosuspend, -ENOSYS)
USERMM_RUNTIME_CALL(resume, 1)
USERMM_RUNTIME_CALL(get, 1)
USERMM_RUNTIME_CALL(get_sync, 1)
USERMM_RUNTIME_CALL(get_if_in_use, -EINVAL)
USERMM_RUNTIME_CALL(resume_and_get, 0)
USERMM_RUNTIME_CALL(set_active, 0)
USERMM_RUNTIME_CALL(force_suspend, 0)
USERMM_RUNTIME_CALL(force_resume, 0)
USERMM_RUNTIME_CALL(enabled, 0)
USERMM_RUNTIME_CALL(active, 1)
USERMM_RUNTIME_CALL(suspended, 0)
USERMM_RUNTIME_CALL(status_suspended, 0)

#define pm_runtime_enable(dev) ((void)(dev))
#define pm_runtime_disable(dev) ((void)(dev))
#define pm_runtime_allow(dev) ((void)(dev))
#define pm_runtime_forbid(dev) ((void)(dev))
#define pm_runtime_get_noresume(dev) ((void)(dev))
#define pm_runtime_put_noidle(dev) ((void)(dev))
#define pm_runtime_set_suspended(dev) ((void)(dev))
#define pm_runtime_mark_last_busy(dev) ((void)(dev))
#define pm_runtime_use_autosuspend(dev) ((void)(dev))
#define pm_runtime_dont_use_autosuspend(dev) ((void)(dev))
#define pm_runtime_set_autosuspend_delay(dev, ms) ((void)(dev), (void)(ms))
#define pm_suspend_ignore_children(dev, enable) ((void)(dev), (void)(enable))
#define devm_pm_runtime_enable(dev) ((void)(dev), 0)

#endif
