// SPDX-License-Identifier: MIT
/* A ring buffer as drivers have it: reads block until there is something, and poll() tells. */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#define RING_IOC_COUNT _IOR('r', 1, unsigned int)
#define RING_IOC_CLEAR _IO('r', 2)

static unsigned int size = 64;
module_param(size, uint, 0644);

static char *ring;
static unsigned int head, tail;		/* count bytes, and wrap around */
static DEFINE_MUTEX(ring_lock);
static DECLARE_WAIT_QUEUE_HEAD(readers);
static DECLARE_WAIT_QUEUE_HEAD(writers);
static int nr_open;

static dev_t number;
static struct cdev cdev;
static struct class *class;

static unsigned int used(void)
{
	return READ_ONCE(head) - READ_ONCE(tail);
}

static int ring_open(struct inode *inode, struct file *file)
{
	nr_open++;
	pr_info("open by %s, minor %u, mode %x, %d open\n", current->comm, iminor(inode),
		file->f_mode & (FMODE_READ | FMODE_WRITE), nr_open);
	return nonseekable_open(inode, file);
}

static int ring_release(struct inode *inode, struct file *file)
{
	nr_open--;
	return 0;
}

static ssize_t ring_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	ssize_t done = 0;
	int error;

	if (mutex_lock_interruptible(&ring_lock))
		return -ERESTARTSYS;
	while (!used()) {
		mutex_unlock(&ring_lock);
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		error = wait_event_interruptible(readers, used());
		if (error) {
			pr_info("the reader is interrupted: %d\n", error);
			return error;
		}
		if (mutex_lock_interruptible(&ring_lock))
			return -ERESTARTSYS;
	}
	for (; n && used(); n--, done++, tail++)
		if (put_user(ring[tail % size], buffer + done)) {
			done = done ? done : -EFAULT;
			break;
		}
	mutex_unlock(&ring_lock);
	wake_up_interruptible(&writers);
	return done;
}

static ssize_t ring_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	unsigned int first;

	if (mutex_lock_interruptible(&ring_lock))
		return -ERESTARTSYS;
	while (used() == size) {
		mutex_unlock(&ring_lock);
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(writers, used() < size))
			return -ERESTARTSYS;
		if (mutex_lock_interruptible(&ring_lock))
			return -ERESTARTSYS;
	}
	first = head % size;
	n = min3(n, (size_t)(size - used()), (size_t)(size - first));
	if (copy_from_user(ring + first, buffer, n)) {
		mutex_unlock(&ring_lock);
		return -EFAULT;
	}
	head += n;
	mutex_unlock(&ring_lock);
	wake_up_interruptible(&readers);
	return n;
}

static __poll_t ring_poll(struct file *file, poll_table *table)
{
	__poll_t mask = 0;

	poll_wait(file, &readers, table);
	poll_wait(file, &writers, table);
	if (used())
		mask |= EPOLLIN | EPOLLRDNORM;
	if (used() < size)
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

static long ring_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case RING_IOC_COUNT:
		return put_user(used(), (unsigned int __user *)argument);
	case RING_IOC_CLEAR:
		if (!capable(CAP_SYS_ADMIN))
			return -EPERM;
		tail = head;
		return 0;
	}
	return -ENOTTY;
}

static const struct file_operations ring_fops = {
	.owner = THIS_MODULE,
	.open = ring_open,
	.release = ring_release,
	.read = ring_read,
	.write = ring_write,
	.poll = ring_poll,
	.unlocked_ioctl = ring_ioctl,
};

static ssize_t used_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	return sysfs_emit(buffer, "%u\n", used());
}
static DEVICE_ATTR_RO(used);

static struct attribute *ring_attrs[] = { &dev_attr_used.attr, NULL };
ATTRIBUTE_GROUPS(ring);

static int __init ring_init(void)
{
	struct device *dev;
	int error;

	ring = kmalloc(size, GFP_KERNEL);
	if (!ring)
		return -ENOMEM;
	error = alloc_chrdev_region(&number, 0, 1, "ring");
	if (error)
		goto free_ring;
	cdev_init(&cdev, &ring_fops);
	cdev.owner = THIS_MODULE;
	error = cdev_add(&cdev, number, 1);
	if (error)
		goto free_number;
	class = class_create("ring");
	if (IS_ERR(class)) {
		error = PTR_ERR(class);
		goto delete_cdev;
	}
	dev = device_create_with_groups(class, NULL, number, NULL, ring_groups, "ring%d", 0);
	if (!IS_ERR(dev))
		return 0;
	error = PTR_ERR(dev);
	class_destroy(class);
delete_cdev:
	cdev_del(&cdev);
free_number:
	unregister_chrdev_region(number, 1);
free_ring:
	kfree(ring);
	return error;
}

static void __exit ring_exit(void)
{
	device_destroy(class, number);
	class_destroy(class);
	cdev_del(&cdev);
	unregister_chrdev_region(number, 1);
	kfree(ring);
	if (nr_open)
		pr_err("%d still open\n", nr_open);
}

module_init(ring_init);
module_exit(ring_exit);
MODULE_LICENSE("GPL");
