/* SPDX-License-Identifier: MIT */
/* Messages to other processors of the machine. There is none, so probe() is never called. */
#ifndef _LINUX_RPMSG_H
#define _LINUX_RPMSG_H

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define RPMSG_ADDR_ANY 0xffffffff

struct rpmsg_endpoint;

struct rpmsg_channel_info {
	char name[RPMSG_NAME_SIZE];
	u32 src, dst;
};

struct rpmsg_device {
	struct device dev;
	struct rpmsg_device_id id;
	u32 src, dst;
	struct rpmsg_endpoint *ept;
	bool announce, little_endian;
};

typedef int (*rpmsg_rx_cb_t)(struct rpmsg_device *device, void *data, int n, void *private,
			     u32 from);

struct rpmsg_endpoint {
	struct rpmsg_device *rpdev;
	struct kref refcount;
	rpmsg_rx_cb_t cb;
	u32 addr;
	void *priv;
};

struct rpmsg_driver {
	struct device_driver drv;
	const struct rpmsg_device_id *id_table;
	int (*probe)(struct rpmsg_device *device);
	void (*remove)(struct rpmsg_device *device);
	int (*callback)(struct rpmsg_device *device, void *data, int n, void *private, u32 from);
};

extern const struct bus_type rpmsg_bus_type USERMM_API(rpmsg_bus_type);

static inline int __register_rpmsg_driver(struct rpmsg_driver *driver, struct module *owner)
{
	driver->drv.bus = &rpmsg_bus_type;
	driver->drv.owner = owner;
	return driver_register(&driver->drv);
}

static inline void unregister_rpmsg_driver(struct rpmsg_driver *driver)
{
	driver_unregister(&driver->drv);
}

#define register_rpmsg_driver(driver) __register_rpmsg_driver(driver, THIS_MODULE)
#define module_rpmsg_driver(driver) \
	module_driver(driver, register_rpmsg_driver, unregister_rpmsg_driver)

static inline int rpmsg_send(struct rpmsg_endpoint *endpoint, const void *data, int n)
{
	(void)data;
	(void)n;
	return endpoint ? -ENXIO : -EINVAL;
}

#define rpmsg_sendto(endpoint, data, n, to) ((void)(to), rpmsg_send(endpoint, data, n))
#define rpmsg_trysend(endpoint, data, n) rpmsg_send(endpoint, data, n)
#define rpmsg_trysendto(endpoint, data, n, to) rpmsg_sendto(endpoint, data, n, to)
#define rpmsg_create_ept(device, function, private, info) \
	((void)(device), (void)(function), (void)(private), (void)&(info), \
	 (struct rpmsg_endpoint *)NULL)
#define rpmsg_destroy_ept(endpoint) ((void)(endpoint))
#define rpmsg_get_mtu(endpoint) ((void)(endpoint), (ssize_t)-EINVAL)

#endif
