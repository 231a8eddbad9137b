/* SPDX-License-Identifier: MIT */
/* Platform devices. There are none, so no driver is ever probed. */
#ifndef _LINUX_PLATFORM_DEVICE_H
#define _LINUX_PLATFORM_DEVICE_H

#include <linux/device.h>

struct platform_device {
	const char *name;
	int id;
	struct device dev;
};

#define to_platform_device(device) container_of(device, struct platform_device, dev)
#define platform_get_drvdata(pdev) dev_get_drvdata(&(pdev)->dev)
#define platform_set_drvdata(pdev, data) dev_set_drvdata(&(pdev)->dev, data)

#endif
