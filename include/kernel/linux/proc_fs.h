/* SPDX-License-Identifier: MIT */
/* Modules can create entries, but there is no file system in which anybody could open them. */
#ifndef KERNEL_LINUX_PROC_FS_H
#define KERNEL_LINUX_PROC_FS_H

#include <linux/fs.h>
#include <linux/types.h>

struct proc_dir_entry;

struct proc_ops {
	unsigned int proc_flags;
	int (*proc_open)(struct inode *inode, struct file *file);
	ssize_t (*proc_read)(struct file *file, char __user *buffer, size_t n, loff_t *pos);
	ssize_t (*proc_write)(struct file *file, const char __user *buffer, size_t n, loff_t *pos);
	loff_t (*proc_lseek)(struct file *file, loff_t offset, int whence);
	int (*proc_release)(struct inode *inode, struct file *file);
	long (*proc_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	int (*proc_mmap)(struct file *file, struct vm_area_struct *vma);
};

/* All entries are this one, so that modules that create entries load; see proc_remove(). */
#define USERMM_PROC_ENTRY ((struct proc_dir_entry *)&usermm_proc_entry)
extern char usermm_proc_entry __attribute__((visibility("default")));

#define proc_create(name, mode, parent, operations) \
	((void)(name), (void)(parent), (void)(operations), USERMM_PROC_ENTRY)
#define proc_create_data(name, mode, parent, operations, data) \
	((void)(data), proc_create(name, mode, parent, operations))
#define proc_create_single(name, mode, parent, show) \
	((void)(show), proc_create(name, mode, parent, NULL))
#define proc_create_single_data(name, mode, parent, show, data) \
	((void)(data), proc_create_single(name, mode, parent, show))
#define proc_create_seq(name, mode, parent, operations) \
	proc_create(name, mode, parent, operations)
#define proc_mkdir(name, parent) ((void)(name), (void)(parent), USERMM_PROC_ENTRY)
#define remove_proc_entry(name, parent) ((void)(name), (void)(parent))
#define remove_proc_subtree(name, parent) 0
#define proc_remove(entry) ((void)(entry))
#define pde_data(inode) ((inode)->i_private)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define PDE_DATA(inode) pde_data(inode)
#else
USERMM_REMOVED(PDE_DATA, "5.17", "pde_data()")
#endif

#endif
