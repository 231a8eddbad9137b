/* SPDX-License-Identifier: MIT */
/* Serial input ports of a machine without one: connect() is never called. */
#ifndef KERNEL_LINUX_SERIO_H
#define KERNEL_LINUX_SERIO_H

#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <usermm/compiler.h>
#include_next <linux/serio.h>

struct serio_driver;

struct serio {
	void *port_data;
	char name[32], phys[32], firmware_id[128];
	struct serio_device_id id;
	spinlock_t lock;
	int (*write)(struct serio *serio, unsigned char byte);
	int (*open)(struct serio *serio);
	void (*close)(struct serio *serio);
	int (*start)(struct serio *serio);
	void (*stop)(struct serio *serio);
	struct serio *parent;
	struct serio_driver *drv;
	struct device dev;
};

struct serio_driver {
	const char *description;
	const struct serio_device_id *id_table;
	bool manual_bind;
	void (*write_wakeup)(struct serio *serio);
	irqreturn_t (*interrupt)(struct serio *serio, unsigned char byte, unsigned int flags);
	int (*connect)(struct serio *serio, struct serio_driver *driver);
	int (*reconnect)(struct serio *serio);
	int (*fast_reconnect)(struct serio *serio);
	void (*disconnect)(struct serio *serio);
	void (*cleanup)(struct serio *serio);
	struct device_driver driver;
};

extern const struct bus_type serio_bus USERMM_API(serio_bus);

static inline int serio_register_driver(struct serio_driver *driver)
{
	driver->driver.bus = &serio_bus;
	return driver_register(&driver->driver);
}

static inline void serio_unregister_driver(struct serio_driver *driver)
{
	driver_unregister(&driver->driver);
}

#define module_serio_driver(serio_driver) \
	module_driver(serio_driver, serio_register_driver, serio_unregister_driver)
#define serio_get_drvdata(serio) dev_get_drvdata(&(serio)->dev)
#define serio_set_drvdata(serio, data) dev_set_drvdata(&(serio)->dev, data)
#define serio_write(serio, byte) ((serio)->write ? (serio)->write(serio, byte) : -1)
#define serio_open(serio, driver) \
	((serio)->drv = (driver), (serio)->open ? (serio)->open(serio) : 0)
#define serio_close(serio) \
	((void)((serio)->close ? (serio)->close(serio) : (void)0), (void)((serio)->drv = NULL))
#define serio_rescan(serio) ((void)(serio))
#define serio_reconnect(serio) ((void)(serio))
#define serio_interrupt(serio, byte, flags) ((void)(serio), (void)(byte), (void)(flags), IRQ_NONE)
#define serio_pause_rx(serio) spin_lock_irq(&(serio)->lock)
#define serio_continue_rx(serio) spin_unlock_irq(&(serio)->lock)

/* The port has no driver; its memory is the port's from now on, as in Linux. */
static inline void serio_register_port(struct serio *serio)
{
	spin_lock_init(&serio->lock);
}

static inline void serio_unregister_port(struct serio *serio)
{
	kfree(serio);
}

#endif
