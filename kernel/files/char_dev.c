// SPDX-License-Identifier: MIT
/* Numbers of character devices, and their drivers. cf. Linux fs/char_dev.c. */
#include <linux/cdev.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "files.h"

/* Majors that are given away: 234 to 254 downwards, then 511 to 384, as in Linux. */
#define DYNAMIC_FIRST 254
#define DYNAMIC_LAST 234
#define EXTENDED_FIRST 511
#define EXTENDED_LAST 384
#define MAX_MAJOR 511

/* Both from kzalloc(): a range or a cdev that stays is a leak of the module's. */
struct range {
	struct list_head list;
	unsigned int major, first, count;
	struct cdev *cdev;	/* made by register_chrdev(), or NULL */
};

static DEFINE_MUTEX(lock);
static LIST_HEAD(ranges);	/* Sync: lock */
static LIST_HEAD(cdevs);	/* Sync: lock */

static bool overlaps(unsigned int major, unsigned int first, unsigned int count)
{
	const struct range *range;

	list_for_each_entry(range, &ranges, list)
		if (range->major == major && first < range->first + range->count &&
		    range->first < first + count)
			return true;
	return false;
}

static bool major_is_used(unsigned int major)
{
	return overlaps(major, 0, 1U << MINORBITS);
}

static int find_major(void)
{
	unsigned int major;

	for (major = DYNAMIC_FIRST; major >= DYNAMIC_LAST; major--)
		if (!major_is_used(major))
			return (int)major;
	for (major = EXTENDED_FIRST; major >= EXTENDED_LAST; major--)
		if (!major_is_used(major))
			return (int)major;
	return -EBUSY;
}

/* The range, or an error pointer. Call it under the lock. Major 0: any. */
static struct range *take_range(unsigned int major, unsigned int first, unsigned int count)
{
	struct range *range;

	if (!major) {
		int found = find_major();

		if (found < 0)
			return ERR_PTR(found);
		major = (unsigned int)found;
	}
	if (major > MAX_MAJOR || count > MINORMASK + 1 - first)
		return ERR_PTR(-EINVAL);
	if (overlaps(major, first, count))
		return ERR_PTR(-EBUSY);
	range = kzalloc(sizeof(*range), GFP_KERNEL);
	if (!range)
		return ERR_PTR(-ENOMEM);
	range->major = major;
	range->first = first;
	range->count = count;
	list_add(&range->list, &ranges);
	return range;
}

static struct range *find_range(unsigned int major, unsigned int first, unsigned int count)
{
	struct range *range;

	list_for_each_entry(range, &ranges, list)
		if (range->major == major && range->first == first && range->count == count)
			return range;
	return NULL;
}

static void drop_range(struct range *range)
{
	if (!range)
		return;
	list_del(&range->list);
	kfree(range);
}

int alloc_chrdev_region(dev_t *dev, unsigned int first, unsigned int count, const char *name)
{
	struct range *range;

	(void)name;
	mutex_lock(&lock);
	range = take_range(0, first, count);
	if (!IS_ERR(range))
		*dev = MKDEV(range->major, first);
	mutex_unlock(&lock);
	return PTR_ERR_OR_ZERO(range);
}

int register_chrdev_region(dev_t dev, unsigned int count, const char *name)
{
	struct range *range = ERR_PTR(-EINVAL);

	(void)name;
	mutex_lock(&lock);
	if (MAJOR(dev))
		range = take_range(MAJOR(dev), MINOR(dev), count);
	mutex_unlock(&lock);
	return PTR_ERR_OR_ZERO(range);
}

void unregister_chrdev_region(dev_t dev, unsigned int count)
{
	mutex_lock(&lock);
	drop_range(find_range(MAJOR(dev), MINOR(dev), count));
	mutex_unlock(&lock);
}

static void release_nothing(struct kobject *kobj)
{
	(void)kobj;
}

static void release_allocated(struct kobject *kobj)
{
	kfree(container_of(kobj, struct cdev, kobj));
}

static const struct kobj_type embedded_type = { .release = release_nothing };
static const struct kobj_type allocated_type = { .release = release_allocated };

void cdev_init(struct cdev *cdev, const struct file_operations *operations)
{
	*cdev = (struct cdev){ .ops = operations };
	INIT_LIST_HEAD(&cdev->list);
	kobject_init(&cdev->kobj, &embedded_type);
}

struct cdev *cdev_alloc(void)
{
	struct cdev *cdev = kzalloc(sizeof(*cdev), GFP_KERNEL);

	if (!cdev)
		return NULL;
	INIT_LIST_HEAD(&cdev->list);
	kobject_init(&cdev->kobj, &allocated_type);
	return cdev;
}

static struct cdev *find_cdev(dev_t first, unsigned int count)
{
	struct cdev *cdev;

	list_for_each_entry(cdev, &cdevs, list)
		if (first < cdev->dev + cdev->count && cdev->dev < first + count)
			return cdev;
	return NULL;
}

int cdev_add(struct cdev *cdev, dev_t dev, unsigned int count)
{
	int error = 0;

	mutex_lock(&lock);
	if (find_cdev(dev, count)) {
		error = -EBUSY;
	} else {
		cdev->dev = dev;
		cdev->count = count;
		list_add(&cdev->list, &cdevs);
	}
	mutex_unlock(&lock);
	return error;
}

void cdev_del(struct cdev *cdev)
{
	if (!cdev)
		return;
	mutex_lock(&lock);
	list_del_init(&cdev->list);
	mutex_unlock(&lock);
	kobject_put(&cdev->kobj);
}

void cdev_set_parent(struct cdev *cdev, struct kobject *parent)
{
	cdev->kobj.parent = parent;
}

int cdev_device_add(struct cdev *cdev, struct device *dev)
{
	int error = 0;

	if (dev->devt)
		error = cdev_add(cdev, dev->devt, 1);
	if (error)
		return error;
	error = device_add(dev);
	if (error && dev->devt)
		cdev_del(cdev);
	return error;
}

void cdev_device_del(struct cdev *cdev, struct device *dev)
{
	device_del(dev);
	if (dev->devt)
		cdev_del(cdev);
}

int __register_chrdev(unsigned int major, unsigned int first, unsigned int count,
		      const char *name, const struct file_operations *operations)
{
	struct cdev *cdev = cdev_alloc();
	struct range *range;
	int error;

	(void)name;
	if (!cdev)
		return -ENOMEM;
	cdev->ops = operations;
	cdev->owner = operations->owner;
	mutex_lock(&lock);
	range = take_range(major, first, count);
	if (!IS_ERR(range))
		range->cdev = cdev;
	mutex_unlock(&lock);
	error = PTR_ERR_OR_ZERO(range);
	if (!error)
		error = cdev_add(cdev, MKDEV(range->major, first), count);
	if (error) {
		if (!IS_ERR(range))
			unregister_chrdev_region(MKDEV(range->major, first), count);
		kobject_put(&cdev->kobj);
		return error;
	}
	return major ? 0 : (int)range->major;
}

void __unregister_chrdev(unsigned int major, unsigned int first, unsigned int count,
			 const char *name)
{
	struct cdev *cdev = NULL;
	struct range *range;

	(void)name;
	mutex_lock(&lock);
	range = find_range(major, first, count);
	if (range)
		cdev = range->cdev;
	drop_range(range);
	mutex_unlock(&lock);
	cdev_del(cdev);
}

bool device_has_driver(dev_t number)
{
	bool has;

	mutex_lock(&lock);
	has = find_cdev(number, 1);
	mutex_unlock(&lock);
	return has;
}

const struct file_operations *device_operations(struct inode *inode, struct file *file)
{
	struct cdev *cdev;

	mutex_lock(&lock);
	cdev = S_ISCHR(inode->i_mode) ? find_cdev(inode->i_rdev, 1) : NULL;
	if (cdev && !try_module_get(cdev->owner))
		cdev = NULL;
	inode->i_cdev = cdev;
	file->usermm_driver = cdev ? cdev->owner : NULL;
	mutex_unlock(&lock);
	return cdev && cdev->ops ? cdev->ops : ERR_PTR(-ENXIO);
}
