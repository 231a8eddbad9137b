/* SPDX-License-Identifier: MIT */
/* Files as modules describe them. Nobody can open them, so their operations are never called. */
#ifndef KERNEL_LINUX_FS_H
#define KERNEL_LINUX_FS_H

#include <linux/bit_spinlock.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/percpu-refcount.h>
#include <linux/percpu-rwsem.h>
#include <linux/radix-tree.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stat.h>
#include <linux/types.h>
#include <linux/wait_bit.h>
#include <linux/workqueue_types.h>
#include_next <linux/fs.h>

struct dentry;
struct inode;
struct module;
struct poll_table_struct;
struct seq_file;
struct vm_area_struct;

struct inode {
	umode_t i_mode;
	loff_t i_size;
	void *i_private;
};

struct file {
	const struct file_operations *f_op;
	struct inode *f_inode;
	unsigned int f_flags;
	fmode_t f_mode;
	loff_t f_pos;
	void *private_data;
};

struct file_operations {
	struct module *owner;
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read)(struct file *file, char __user *buffer, size_t n, loff_t *pos);
	ssize_t (*write)(struct file *file, const char __user *buffer, size_t n, loff_t *pos);
	unsigned int (*poll)(struct file *file, struct poll_table_struct *table);
	long (*unlocked_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	long (*compat_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	int (*open)(struct inode *inode, struct file *file);
	int (*flush)(struct file *file, void *owner);
	int (*release)(struct inode *inode, struct file *file);
	int (*fsync)(struct file *file, loff_t start, loff_t end, int datasync);
};

#define file_inode(file) ((file)->f_inode)
#define simple_open usermm_simple_open
static inline int usermm_simple_open(struct inode *inode, struct file *file)
{
	file->private_data = inode->i_private;
	return 0;
}

loff_t noop_llseek(struct file *file, loff_t offset, int whence) __asm__("usermm_noop_llseek")
	__attribute__((visibility("default")));
loff_t default_llseek(struct file *file, loff_t offset, int whence)
	__asm__("usermm_default_llseek") __attribute__((visibility("default")));
/* Copy from, or to, a buffer of `available` bytes, as read() and write() of a file would. */
ssize_t simple_read_from_buffer(void __user *to, size_t n, loff_t *pos, const void *from,
				size_t available) __asm__("usermm_simple_read_from_buffer")
	__attribute__((visibility("default")));
ssize_t simple_write_to_buffer(void *to, size_t available, loff_t *pos,
			       const void __user *from, size_t n)
	__asm__("usermm_simple_write_to_buffer") __attribute__((visibility("default")));

/*
 * Device numbers. Nobody can open the devices, so any range is free; 234 is the first unused major.
 */
static inline int alloc_chrdev_region(dev_t *dev, unsigned int first, unsigned int count,
				      const char *name)
{
	(void)count;
	(void)name;
	*dev = MKDEV(234, first);
	return 0;
}

#define register_chrdev_region(dev, count, name) ((void)(dev), (void)(count), (void)(name), 0)
#define unregister_chrdev_region(dev, count) ((void)(dev), (void)(count))
/* Returns 0 for a given major. Major 0 asks for a free one, which is returned. */
#define register_chrdev(major, name, operations) \
	((void)(name), (void)(operations), (major) ? 0 : 234)
#define unregister_chrdev(major, name) ((void)(major), (void)(name))

#endif
