// SPDX-License-Identifier: MIT
/* Misc devices. cf. Linux drivers/char/misc.c. */
#include <linux/cdev.h>
#include <linux/err.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "files.h"

/* As in Linux, a minor above MISC_DYNAMIC_MINOR was chosen here, and ends with its device. */
#define LAST_MINOR ((int)MINORMASK)

static DEFINE_MUTEX(lock);
static LIST_HEAD(devices);		/* Sync: lock */
static const struct class misc_class = { .name = "misc" };
static struct cdev misc_cdev;

static struct miscdevice *find(int minor)
{
	struct miscdevice *misc;

	list_for_each_entry(misc, &devices, list)
		if (misc->minor == minor)
			return misc;
	return NULL;
}

/* The driver's own operations take the place of these. */
static int misc_open(struct inode *inode, struct file *file)
{
	const struct file_operations *operations = NULL;
	struct miscdevice *misc;

	mutex_lock(&lock);
	misc = find((int)iminor(inode));
	if (misc && try_module_get(misc->fops->owner))
		operations = misc->fops;
	mutex_unlock(&lock);
	if (!operations)
		return -ENODEV;
	file->private_data = misc;
	file->f_op = operations;
	file->f_mode &= ~(FMODE_CAN_READ | FMODE_CAN_WRITE | FMODE_LSEEK);
	if (operations->read || operations->read_iter)
		file->f_mode |= FMODE_CAN_READ;
	if (operations->write || operations->write_iter)
		file->f_mode |= FMODE_CAN_WRITE;
	if (operations->llseek)
		file->f_mode |= FMODE_LSEEK;
	return operations->open ? operations->open(inode, file) : 0;
}

static const struct file_operations misc_operations = { .open = misc_open };

static int take_minor(struct miscdevice *misc)
{
	if (misc->minor != MISC_DYNAMIC_MINOR)
		return find(misc->minor) ? -EBUSY : 0;
	for (int i = MISC_DYNAMIC_MINOR + 1; i <= LAST_MINOR; i++) {
		if (find(i))
			continue;
		misc->minor = i;
		return 0;
	}
	return -EBUSY;
}

static void make_cdev(void)
{
	if (misc_cdev.count)
		return;
	cdev_init(&misc_cdev, &misc_operations);
	cdev_add(&misc_cdev, MKDEV(MISC_MAJOR, 0), MINORMASK + 1);
}

static void forget_minor(struct miscdevice *misc)
{
	if (misc->minor > MISC_DYNAMIC_MINOR)
		misc->minor = MISC_DYNAMIC_MINOR;
}

int misc_register(struct miscdevice *misc)
{
	int error;

	INIT_LIST_HEAD(&misc->list);
	mutex_lock(&lock);
	make_cdev();
	error = take_minor(misc);
	if (!error)
		list_add(&misc->list, &devices);
	mutex_unlock(&lock);
	if (error)
		return error;
	misc->this_device = usermm_device_make(&misc_class, misc->parent,
						 MKDEV(MISC_MAJOR, (unsigned int)misc->minor), misc,
						 misc->groups, misc->nodename, misc->mode, "%s",
						 misc->name);
	if (!IS_ERR(misc->this_device))
		return 0;
	error = (int)PTR_ERR(misc->this_device);
	mutex_lock(&lock);
	list_del_init(&misc->list);
	forget_minor(misc);
	mutex_unlock(&lock);
	return error;
}

void misc_deregister(struct miscdevice *misc)
{
	mutex_lock(&lock);
	if (list_empty(&misc->list)) {
		mutex_unlock(&lock);
		WARN_ON(1);
		return;
	}
	list_del_init(&misc->list);
	mutex_unlock(&lock);
	device_destroy(&misc_class, MKDEV(MISC_MAJOR, (unsigned int)misc->minor));
	forget_minor(misc);
}
