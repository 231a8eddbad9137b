/* SPDX-License-Identifier: MIT */
/*
 * Devices: a name, references, managed resources, attributes in /sys, a file in /dev if they have a
 * number, and DMA masks. A bus joins devices and drivers that a module registers; there is no
 * hardware, so there are no others.
 */
#ifndef _LINUX_DEVICE_H
#define _LINUX_DEVICE_H

#include <linux/cleanup.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/kdev_t.h>
#include <linux/klist.h>
#include <linux/kmod.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/pm.h>
#include <linux/printk.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct acpi_device_id;
struct class;
struct device;
struct device_driver;
struct device_node;
struct dma_map_ops;
struct fwnode_handle;
struct of_device_id;

struct class {
	const char *name;
	struct module *owner;			/* up to 6.3 */
	const struct attribute_group **class_groups;
	const struct attribute_group **dev_groups;
	int (*dev_uevent)(const struct device *dev, struct kobj_uevent_env *env);
	/* The name in /dev, kmalloc()ed; NULL: the device's own. May set the mode. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	char *(*devnode)(const struct device *dev, umode_t *mode);
#else
	char *(*devnode)(struct device *dev, umode_t *mode);
#endif
	void (*class_release)(const struct class *class);
	void (*dev_release)(struct device *dev);
};

struct bus_type {
	const char *name;
	const char *dev_name;
	const struct attribute_group **bus_groups, **dev_groups, **drv_groups;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
	int (*match)(struct device *dev, const struct device_driver *driver);
#else
	int (*match)(struct device *dev, struct device_driver *driver);
#endif
	int (*uevent)(const struct device *dev, struct kobj_uevent_env *env);
	int (*probe)(struct device *dev);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
	void (*remove)(struct device *dev);
#else
	int (*remove)(struct device *dev);
#endif
	void (*shutdown)(struct device *dev);
	const struct dev_pm_ops *pm;
};

struct device_driver {
	const char *name;
	const struct bus_type *bus;
	struct module *owner;
	const char *mod_name;
	bool suppress_bind_attrs;
	int probe_type;
	const struct of_device_id *of_match_table;
	const struct acpi_device_id *acpi_match_table;
	int (*probe)(struct device *dev);
	int (*remove)(struct device *dev);
	void (*shutdown)(struct device *dev);
	const struct attribute_group **groups, **dev_groups;
	const struct dev_pm_ops *pm;
	struct list_head usermm_list;		/* Sync: kernel/devices/bus.c's lock */
	struct kobject usermm_kobj;
};

struct device_type {
	const char *name;
	const struct attribute_group **groups;
	char *(*devnode)(const struct device *dev, umode_t *mode, kuid_t *uid, kgid_t *gid);
	void (*release)(struct device *dev);
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
	struct device_driver *driver;	/* that is bound */
	const struct device_type *type;
	const struct attribute_group **groups;
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
	struct fwnode_handle *fwnode;
	dev_t devt;
	u32 id;
	spinlock_t devres_lock;
	struct list_head devres_head;	/* Sync: devres_lock */
	const struct class *class;
	void (*release)(struct device *dev);
	int numa_node;
	/* in the list of those that device_create() made. Sync: kernel/devices/device.c's lock */
	struct list_head created;
	/* in the list of those that were added. Sync: kernel/devices/bus.c's lock */
	struct list_head usermm_list;
	struct kernfs_node *usermm_node;	/* its file in /dev; NULL: none */
	umode_t usermm_mode;		/* of that file; 0: 0600 */
	const char *usermm_nodename;	/* its name; NULL: the device's */
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
#define DEVICE_ATTR_ADMIN_RW(_name) \
	struct device_attribute dev_attr_##_name = __ATTR_RW_MODE(_name, 0600)
#define DEVICE_ATTR_ADMIN_RO(_name) \
	struct device_attribute dev_attr_##_name = __ATTR_RO_MODE(_name, 0400)

/* An attribute that is one variable. */
struct dev_ext_attribute {
	struct device_attribute attr;
	void *var;
};

#define USERMM_DEVICE_VARIABLE(_name, _mode, _var, kind)			\
	struct dev_ext_attribute dev_attr_##_name = {				\
		__ATTR(_name, _mode, device_show_##kind, device_store_##kind), &(_var) }
#define DEVICE_ULONG_ATTR(_name, _mode, _var) USERMM_DEVICE_VARIABLE(_name, _mode, _var, ulong)
#define DEVICE_INT_ATTR(_name, _mode, _var) USERMM_DEVICE_VARIABLE(_name, _mode, _var, int)
#define DEVICE_BOOL_ATTR(_name, _mode, _var) USERMM_DEVICE_VARIABLE(_name, _mode, _var, bool)

/* Attributes of a class or of a driver. show() of a driver is not told which file it is for. */
struct class_attribute {
	struct attribute attr;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	ssize_t (*show)(const struct class *class, const struct class_attribute *attr,
			char *buffer);
	ssize_t (*store)(const struct class *class, const struct class_attribute *attr,
			 const char *buffer, size_t count);
#else
	ssize_t (*show)(struct class *class, struct class_attribute *attr, char *buffer);
	ssize_t (*store)(struct class *class, struct class_attribute *attr, const char *buffer,
			 size_t count);
#endif
};

struct driver_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device_driver *driver, char *buffer);
	ssize_t (*store)(struct device_driver *driver, const char *buffer, size_t count);
};

#define CLASS_ATTR_RW(_name) struct class_attribute class_attr_##_name = __ATTR_RW(_name)
#define CLASS_ATTR_RO(_name) struct class_attribute class_attr_##_name = __ATTR_RO(_name)
#define CLASS_ATTR_WO(_name) struct class_attribute class_attr_##_name = __ATTR_WO(_name)
#define DRIVER_ATTR_RW(_name) struct driver_attribute driver_attr_##_name = __ATTR_RW(_name)
#define DRIVER_ATTR_RO(_name) struct driver_attribute driver_attr_##_name = __ATTR_RO(_name)
#define DRIVER_ATTR_WO(_name) struct driver_attribute driver_attr_##_name = __ATTR_WO(_name)

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
__attribute__((format(printf, 6, 7)))
struct device *device_create_with_groups(const struct class *class, struct device *parent,
					 dev_t devt, void *data,
					 const struct attribute_group **groups,
					 const char *format, ...)
	USERMM_API(device_create_with_groups);
void device_destroy(const struct class *class, dev_t devt) USERMM_API(device_destroy);
/* device_create_with_groups(), with the name and the mode of the file in /dev. */
__attribute__((format(printf, 8, 9)))
struct device *usermm_device_make(const struct class *class, struct device *parent, dev_t devt,
				    void *data, const struct attribute_group **groups,
				    const char *nodename, umode_t mode, const char *format, ...)
	__attribute__((visibility("default")));
struct device *device_find_child(struct device *parent, const void *data,
				 int (*match)(struct device *dev, const void *data))
	USERMM_API(device_find_child);
int device_for_each_child(struct device *parent, void *data,
			  int (*function)(struct device *dev, void *data))
	USERMM_API(device_for_each_child);
/*
 * The class's devices behind `start`, or all; the function ends it with a value other than 0. The
 * class must be registered, otherwise a warning and -EINVAL follow. _find_ gives the first that
 * matches, with a reference; NULL if there is none.
 */
int class_for_each_device(const struct class *class, const struct device *start, void *data,
			  int (*function)(struct device *dev, void *data))
	USERMM_API(class_for_each_device);
struct device *class_find_device(const struct class *class, const struct device *start,
				 const void *data,
				 int (*match)(struct device *dev, const void *data))
	USERMM_API(class_find_device);
/* The device with the number, whose reference the caller gets; NULL if there is none. */
struct device *class_find_device_by_devt(const struct class *class, dev_t devt)
	USERMM_API(class_find_device_by_devt);

int class_register(const struct class *class) USERMM_API(class_register);
void class_unregister(const struct class *class) USERMM_API(class_unregister);
int class_create_file(const struct class *class, const struct class_attribute *attr)
	USERMM_API(class_create_file);
void class_remove_file(const struct class *class, const struct class_attribute *attr)
	USERMM_API(class_remove_file);

int device_create_file(struct device *dev, const struct device_attribute *attr)
	USERMM_API(device_create_file);
void device_remove_file(struct device *dev, const struct device_attribute *attr)
	USERMM_API(device_remove_file);
int device_create_bin_file(struct device *dev, const struct bin_attribute *attr)
	USERMM_API(device_create_bin_file);
void device_remove_bin_file(struct device *dev, const struct bin_attribute *attr)
	USERMM_API(device_remove_bin_file);
int device_add_groups(struct device *dev, const struct attribute_group **groups)
	USERMM_API(device_add_groups);
void device_remove_groups(struct device *dev, const struct attribute_group **groups)
	USERMM_API(device_remove_groups);
int devm_device_add_group(struct device *dev, const struct attribute_group *group)
	USERMM_API(devm_device_add_group);
#define USERMM_DEVICE_ATTRIBUTE(kind)						\
	ssize_t device_show_##kind(struct device *dev, struct device_attribute *attr, \
				   char *buffer) USERMM_API(device_show_##kind); \
	ssize_t device_store_##kind(struct device *dev, struct device_attribute *attr, \
				    const char *buffer, size_t count)		\
		USERMM_API(device_store_##kind)
USERMM_DEVICE_ATTRIBUTE(ulong);
USERMM_DEVICE_ATTRIBUTE(int);
USERMM_DEVICE_ATTRIBUTE(bool);

/*
 * Buses: a device that is added, and a driver that is registered, meet if the bus's match() says
 * so; then the driver's probe() runs, and its remove() when one of the two goes. 0 or -errno.
 */
int bus_register(const struct bus_type *bus) USERMM_API(bus_register);
void bus_unregister(const struct bus_type *bus) USERMM_API(bus_unregister);
int driver_register(struct device_driver *driver) USERMM_API(driver_register);
void driver_unregister(struct device_driver *driver) USERMM_API(driver_unregister);
int driver_create_file(const struct device_driver *driver, const struct driver_attribute *attr)
	USERMM_API(driver_create_file);
void driver_remove_file(const struct device_driver *driver, const struct driver_attribute *attr)
	USERMM_API(driver_remove_file);
/* What the bus's devices go through; `data` of the call is the device. */
#define BUS_NOTIFY_ADD_DEVICE 0x1
#define BUS_NOTIFY_DEL_DEVICE 0x2
#define BUS_NOTIFY_REMOVED_DEVICE 0x3
#define BUS_NOTIFY_BIND_DRIVER 0x4
#define BUS_NOTIFY_BOUND_DRIVER 0x5
#define BUS_NOTIFY_UNBIND_DRIVER 0x6
#define BUS_NOTIFY_UNBOUND_DRIVER 0x7
#define BUS_NOTIFY_DRIVER_NOT_BOUND 0x8
struct notifier_block;
/* 0; -ENOMEM. The second: -ENOENT if it was not registered. */
int bus_register_notifier(const struct bus_type *bus, struct notifier_block *block)
	USERMM_API(bus_register_notifier);
int bus_unregister_notifier(const struct bus_type *bus, struct notifier_block *block)
	USERMM_API(bus_unregister_notifier);

int bus_for_each_dev(const struct bus_type *bus, struct device *start, void *data,
		     int (*function)(struct device *dev, void *data))
	USERMM_API(bus_for_each_dev);
/* The first device behind `start` that matches, with a reference; NULL. */
struct device *bus_find_device(const struct bus_type *bus, struct device *start, const void *data,
			       int (*match)(struct device *dev, const void *data))
	USERMM_API(bus_find_device);
int driver_for_each_device(struct device_driver *driver, struct device *start, void *data,
			   int (*function)(struct device *dev, void *data))
	USERMM_API(driver_for_each_device);
/* Binds a device that was added without a driver: 1 if it is bound now, else 0 or -errno. */
int device_attach(struct device *dev) USERMM_API(device_attach);
void device_release_driver(struct device *dev) USERMM_API(device_release_driver);

USERMM_END_DECLS

/* (name) from Linux 6.4 on, (owner, name) before. */
#define class_create(...) usermm_class_create(((void)0, __VA_ARGS__))

#define kobj_to_dev(kobject) container_of(kobject, struct device, kobj)
static inline void usermm_root_release(struct device *dev)
{
	kfree(dev);
}

/* A device without a parent, for others below it; an error pointer. */
static inline struct device *root_device_register(const char *name)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int error;

	if (!dev)
		return (struct device *)ERR_PTR(-ENOMEM);
	dev->release = usermm_root_release;
	error = dev_set_name(dev, "%s", name);
	if (error) {
		kfree(dev);
		return (struct device *)ERR_PTR(error);
	}
	error = device_register(dev);
	if (!error)
		return dev;
	put_device(dev);
	return (struct device *)ERR_PTR(error);
}

#define root_device_unregister(dev) device_unregister(dev)
#define devm_device_add_groups(dev, groups) device_add_groups(dev, groups)

/* Init and exit that do nothing but register and unregister the driver. */
#define module_driver(driver, register_it, unregister_it, ...)		\
	static int __init driver##_init(void)				\
	{								\
		return register_it(&(driver), ##__VA_ARGS__);		\
	}								\
	module_init(driver##_init);					\
	static void __exit driver##_exit(void)				\
	{								\
		unregister_it(&(driver), ##__VA_ARGS__);		\
	}								\
	module_exit(driver##_exit)
/* The log says "(NULL device *)" where there is none, with dev_driver_string()'s half. */
static inline const char *dev_name(const struct device *dev)
{
	if (!dev)
		return "device *)";
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
#define dev_vdbg(dev, fmt, ...) dev_dbg(dev, fmt, ##__VA_ARGS__)
#define dev_err_ratelimited(dev, fmt, ...) \
	dev_printk_with(pr_err_ratelimited, dev, fmt, ##__VA_ARGS__)
#define dev_warn_ratelimited(dev, fmt, ...) \
	dev_printk_with(pr_warn_ratelimited, dev, fmt, ##__VA_ARGS__)
#define dev_notice_ratelimited(dev, fmt, ...) \
	dev_printk_with(pr_notice_ratelimited, dev, fmt, ##__VA_ARGS__)
#define dev_info_ratelimited(dev, fmt, ...) \
	dev_printk_with(pr_info_ratelimited, dev, fmt, ##__VA_ARGS__)
#define dev_dbg_ratelimited(dev, fmt, ...) \
	dev_printk_with(pr_debug_ratelimited, dev, fmt, ##__VA_ARGS__)
#define dev_info_once(dev, fmt, ...) dev_printk_with(pr_info_once, dev, fmt, ##__VA_ARGS__)
#define dev_notice_once(dev, fmt, ...) dev_printk_with(pr_notice_once, dev, fmt, ##__VA_ARGS__)
#define dev_dbg_once(dev, fmt, ...) dev_dbg(dev, fmt, ##__VA_ARGS__)
#define dev_printk(level, dev, fmt, ...) \
	printk(level "%s %s: " fmt, dev_driver_string(dev), dev_name(dev), ##__VA_ARGS__)
/* Prints the error, but not -EPROBE_DEFER (something is not there yet). Returns the error. */
#define dev_err_probe(dev, error, fmt, ...)				\
	({								\
		int probe_error_ = (error);				\
									\
		if (probe_error_ != -EPROBE_DEFER)			\
			dev_err(dev, "error %pe: " fmt, ERR_PTR(probe_error_), ##__VA_ARGS__); \
		probe_error_;						\
	})
#define dev_err_once(dev, fmt, ...) dev_printk_with(pr_err_once, dev, fmt, ##__VA_ARGS__)
#define dev_warn_once(dev, fmt, ...) dev_printk_with(pr_warn_once, dev, fmt, ##__VA_ARGS__)
#define dev_WARN(dev, fmt, ...) \
	WARN(1, "%s %s: " fmt, dev_driver_string(dev), dev_name(dev), ##__VA_ARGS__)
#define dev_WARN_ONCE(dev, condition, fmt, ...)				\
	WARN_ONCE(condition, "%s %s: " fmt, dev_driver_string(dev), dev_name(dev), \
		  ##__VA_ARGS__)

/* Matches for bus_find_device() and its like. */
static inline int device_match_name(struct device *dev, const void *name)
{
	return sysfs_streq(dev_name(dev), (const char *)name);
}

static inline int device_match_devt(struct device *dev, const void *devt)
{
	return dev->devt == *(const dev_t *)devt;
}

static inline int device_match_of_node(struct device *dev, const void *node)
{
	return node && dev->of_node == node;
}

static inline int device_match_any(struct device *dev, const void *unused)
{
	(void)dev, (void)unused;
	return 1;
}

static inline struct device *class_find_device_by_name(const struct class *class, const char *name)
{
	return class_find_device(class, NULL, name, device_match_name);
}

static inline struct device *class_find_device_by_of_node(const struct class *class,
							  const struct device_node *node)
{
	return class_find_device(class, NULL, node, device_match_of_node);
}

static inline struct device *bus_find_device_by_name(const struct bus_type *bus,
						     struct device *start, const char *name)
{
	return bus_find_device(bus, start, name, device_match_name);
}

static inline struct device *bus_find_device_by_of_node(const struct bus_type *bus,
							const struct device_node *node)
{
	return bus_find_device(bus, NULL, node, device_match_of_node);
}

static inline struct device *bus_find_device_by_devt(const struct bus_type *bus, dev_t devt)
{
	return bus_find_device(bus, NULL, &devt, device_match_devt);
}

static inline struct device *bus_find_next_device(const struct bus_type *bus, struct device *start)
{
	return bus_find_device(bus, start, NULL, device_match_any);
}

DEFINE_FREE(put_device, struct device *, if (_T) put_device(_T))

#endif
