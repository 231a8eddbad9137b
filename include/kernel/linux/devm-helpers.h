/* SPDX-License-Identifier: MIT */
/* Work that ends with its device. */
#ifndef __LINUX_DEVM_HELPERS_H
#define __LINUX_DEVM_HELPERS_H

#include <linux/device.h>
#include <linux/workqueue.h>

static inline void usermm_cancel_delayed_work(void *work)
{
	cancel_delayed_work_sync(work);
}

static inline void usermm_cancel_work(void *work)
{
	cancel_work_sync(work);
}

static inline int devm_delayed_work_autocancel(struct device *dev, struct delayed_work *work,
					       work_func_t function)
{
	INIT_DELAYED_WORK(work, function);
	return devm_add_action(dev, usermm_cancel_delayed_work, work);
}

static inline int devm_work_autocancel(struct device *dev, struct work_struct *work,
				       work_func_t function)
{
	INIT_WORK(work, function);
	return devm_add_action(dev, usermm_cancel_work, work);
}

#endif
