/* SPDX-License-Identifier: MIT */
/* As on a machine without an ISA bus. */
#ifndef __LINUX_ISA_H
#define __LINUX_ISA_H

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>

struct isa_driver {
	int (*match)(struct device *dev, unsigned int number);
	int (*probe)(struct device *dev, unsigned int number);
	void (*remove)(struct device *dev, unsigned int number);
	void (*shutdown)(struct device *dev, unsigned int number);
	int (*suspend)(struct device *dev, unsigned int number, pm_message_t message);
	int (*resume)(struct device *dev, unsigned int number);
	struct device_driver driver;
};

#define isa_register_driver(isa_driver, n) ((void)(isa_driver), (void)(n), -ENODEV)
#define isa_unregister_driver(isa_driver) ((void)(isa_driver))
#define module_isa_driver(isa_driver, n)					\
	static int __init isa_driver##_init(void)				\
	{									\
		return isa_register_driver(&(isa_driver), n);			\
	}									\
	module_init(isa_driver##_init)						\
	static void __exit isa_driver##_exit(void)				\
	{									\
		isa_unregister_driver(&(isa_driver));				\
	}									\
	module_exit(isa_driver##_exit)

#endif
