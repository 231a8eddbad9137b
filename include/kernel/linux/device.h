/* SPDX-License-Identifier: MIT */
/*
 * Devices that consist of their structure alone: a name, references, managed resources, and DMA
 * masks. They have no bus and no driver, and no file system shows them or their attributes.
 */
#ifndef _LINUX_DEVICE_H
#define _LINUX_DEVICE_H

#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kmod.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/printk.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct dma_map_ops;
struct device_node;

struct class {
	const char *name;
};

struct bus_type {
	const char *name;
};

struct device_driver {
	const char *name;
	const struct bus_type *bus;
};

struct device_dma_parameters {
	unsigned int max_segment_size;
	unsigned int min_align_mask;
	unsigned long segment_boundary_mask;
};

struct device {
	struct kobject kobj;
	struct device *parent;
	const char *init_name;
	const struct bus_type *bus;
	struct device_driver *driver;
	void *platform_data;
	void *driver_data;
	struct mutex mutex;
	u64 *dma_mask;
	u64 coherent_dma_mask;
	u64 bus_dma_limit;
	const struct dma_map_ops *dma_ops;
	struct device_dma_parameters *dma_parms;
	struct list_head dma_pools;
	struct device_node *of_node;
	dev_t devt;
	spinlock_t devres_lock;
	struct list_head devres_head;	/* Sync: devres_lock */
	const struct class *class;
	void (*release)(struct device *dev);
	int numa_node;
	struct list_head created;	/* if by device_create(). Sync: kernel/device.c's lock */
};

struct device_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device *dev, struct device_attribute *attr, char *buffer);
	ssize_t (*store)(struct device *dev, struct device_attribute *attr, const char *buffer,
			 size_t count);
};

#define DEVICE_ATTR(_name, _mode, _show, _store) \
	struct device_attribute dev_attr_##_name = __ATTR(_name, _mode, _show, _store)
#define DEVICE_ATTR_RW(_name) struct device_attribute dev_attr_##_name = __ATTR_RW(_name)
#define DEVICE_ATTR_RO(_name) struct device_attribute dev_attr_##_name = __ATTR_RO(_name)
#define DEVICE_ATTR_WO(_name) struct device_attribute dev_attr_##_name = __ATTR_WO(_name)

USERMM_BEGIN_DECLS

/* Initialises the device, with one reference. After this put_device() must end it. */
void device_initialize(struct device *dev) USERMM_API(device_initialize);
/* 0; -EINVAL without a name. */
int device_add(struct device *dev) USERMM_API(device_add);
void device_del(struct device *dev) USERMM_API(device_del);
/* device_initialize() and device_add(). Even if it fails, put_device() must end the device. */
int device_register(struct device *dev) USERMM_API(device_register);
void device_unregister(struct device *dev) USERMM_API(device_unregister);
struct device *get_device(struct device *dev) USERMM_API(get_device);
void put_device(struct device *dev) USERMM_API(put_device);
__attribute__((format(printf, 2, 3)))
int dev_set_name(struct device *dev, const char *format, ...) USERMM_API(dev_set_name);
const char *dev_driver_string(const struct device *dev) USERMM_API(dev_driver_string);

struct class *usermm_class_create(const char *name) __attribute__((visibility("default")));
void class_destroy(const struct class *class) USERMM_API(class_destroy);
/* A new device, which device_destroy() frees; or an error pointer. */
__attribute__((format(printf, 5, 6)))
struct device *device_create(const struct class *class, struct device *parent, dev_t devt,
			     void *data, const char *format, ...) USERMM_API(device_create);
void device_destroy(const struct class *class, dev_t devt) USERMM_API(device_destroy);

USERMM_END_DECLS

/* (name) from Linux 6.4 on, (owner, name) before. */
#define class_create(...) usermm_class_create(((void)0, __VA_ARGS__))

#define kobj_to_dev(kobject) container_of(kobject, struct device, kobj)
#define device_create_file(dev, attribute) ((void)(dev), (void)(attribute), 0)
#define device_remove_file(dev, attribute) ((void)(dev), (void)(attribute))
#define device_create_bin_file(dev, attribute) ((void)(dev), (void)(attribute), 0)
#define device_remove_bin_file(dev, attribute) ((void)(dev), (void)(attribute))

static inline const char *dev_name(const struct device *dev)
{
	return dev->init_name ? dev->init_name : kobject_name(&dev->kobj);
}

static inline void *dev_get_drvdata(const struct device *dev)
{
	return dev->driver_data;
}

static inline void dev_set_drvdata(struct device *dev, void *data)
{
	dev->driver_data = data;
}

static inline void *dev_get_platdata(const struct device *dev)
{
	return dev->platform_data;
}

static inline int dev_to_node(struct device *dev)
{
	return dev->numa_node;
}

static inline void set_dev_node(struct device *dev, int node)
{
	dev->numa_node = node;
}

static inline int device_is_registered(struct device *dev)
{
	return dev->kobj.state_added;
}

#define device_lock(dev) mutex_lock(&(dev)->mutex)
#define device_trylock(dev) mutex_trylock(&(dev)->mutex)
#define device_unlock(dev) mutex_unlock(&(dev)->mutex)

#define dev_printk_with(print, dev, fmt, ...) \
	print("%s %s: " fmt, dev_driver_string(dev), dev_name(dev), ##__VA_ARGS__)
#define dev_emerg(dev, fmt, ...) dev_printk_with(pr_emerg, dev, fmt, ##__VA_ARGS__)
#define dev_alert(dev, fmt, ...) dev_printk_with(pr_alert, dev, fmt, ##__VA_ARGS__)
#define dev_crit(dev, fmt, ...) dev_printk_with(pr_crit, dev, fmt, ##__VA_ARGS__)
#define dev_err(dev, fmt, ...) dev_printk_with(pr_err, dev, fmt, ##__VA_ARGS__)
#define dev_warn(dev, fmt, ...) dev_printk_with(pr_warn, dev, fmt, ##__VA_ARGS__)
#define dev_notice(dev, fmt, ...) dev_printk_with(pr_notice, dev, fmt, ##__VA_ARGS__)
#define dev_info(dev, fmt, ...) dev_printk_with(pr_info, dev, fmt, ##__VA_ARGS__)
#define dev_dbg(dev, fmt, ...) dev_printk_with(pr_debug, dev, fmt, ##__VA_ARGS__)
#define dev_err_once(dev, fmt, ...) dev_printk_with(pr_err_once, dev, fmt, ##__VA_ARGS__)
#define dev_warn_once(dev, fmt, ...) dev_printk_with(pr_warn_once, dev, fmt, ##__VA_ARGS__)
#define dev_WARN(dev, fmt, ...) \
	WARN(1, "%s %s: " fmt, dev_driver_string(dev), dev_name(dev), ##__VA_ARGS__)
#define dev_WARN_ONCE(dev, condition, fmt, ...)				\
	WARN_ONCE(condition, "%s %s: " fmt, dev_driver_string(dev), dev_name(dev), \
		  ##__VA_ARGS__)

#endif
