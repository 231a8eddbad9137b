/* SPDX-License-Identifier: MIT */
/* Files of /proc: see fs.h. */
#ifndef KERNEL_LINUX_PROC_FS_H
#define KERNEL_LINUX_PROC_FS_H

#include <linux/fs.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct proc_dir_entry;
struct net;
struct seq_operations;

enum {
	PROC_ENTRY_PERMANENT = 1U << 0,
	PROC_ENTRY_proc_read_iter = 1U << 1,
	PROC_ENTRY_proc_compat_ioctl = 1U << 2,
	PROC_ENTRY_proc_lseek = 1U << 3,
};

struct proc_ops {
	unsigned int proc_flags;
	int (*proc_open)(struct inode *inode, struct file *file);
	ssize_t (*proc_read)(struct file *file, char __user *buffer, size_t n, loff_t *pos);
	ssize_t (*proc_read_iter)(struct kiocb *kiocb, struct iov_iter *to);
	ssize_t (*proc_write)(struct file *file, const char __user *buffer, size_t n, loff_t *pos);
	loff_t (*proc_lseek)(struct file *file, loff_t offset, int whence);
	int (*proc_release)(struct inode *inode, struct file *file);
	__poll_t (*proc_poll)(struct file *file, struct poll_table_struct *table);
	long (*proc_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	long (*proc_compat_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	int (*proc_mmap)(struct file *file, struct vm_area_struct *vma);
	unsigned long (*proc_get_unmapped_area)(struct file *file, unsigned long address,
						unsigned long length, unsigned long offset,
						unsigned long flags);
};

USERMM_BEGIN_DECLS

/* NULL without memory, or for a name that is taken or none. A parent of NULL is /proc itself. */
struct proc_dir_entry *proc_mkdir(const char *name, struct proc_dir_entry *parent)
	USERMM_API(proc_mkdir);
struct proc_dir_entry *proc_mkdir_mode(const char *name, umode_t mode,
				       struct proc_dir_entry *parent) USERMM_API(proc_mkdir_mode);
struct proc_dir_entry *proc_mkdir_data(const char *name, umode_t mode,
				       struct proc_dir_entry *parent, void *data)
	USERMM_API(proc_mkdir_data);
struct proc_dir_entry *proc_symlink(const char *name, struct proc_dir_entry *parent,
				    const char *target) USERMM_API(proc_symlink);
struct proc_dir_entry *usermm_proc_create(const char *name, umode_t mode,
					  struct proc_dir_entry *parent,
					  const struct proc_ops *operations, void *data)
	__attribute__((visibility("default")));
struct proc_dir_entry *usermm_proc_create_old(const char *name, umode_t mode,
					      struct proc_dir_entry *parent,
					      const struct file_operations *operations, void *data)
	__attribute__((visibility("default")));
struct proc_dir_entry *proc_create_single_data(const char *name, umode_t mode,
					       struct proc_dir_entry *parent,
					       int (*show)(struct seq_file *, void *), void *data)
	USERMM_API(proc_create_single_data);
/* The operations get `size` bytes of their own for each open file: seq_file's private. */
struct proc_dir_entry *proc_create_seq_private(const char *name, umode_t mode,
					       struct proc_dir_entry *parent,
					       const struct seq_operations *operations,
					       unsigned int size, void *data)
	USERMM_API(proc_create_seq_private);
void remove_proc_entry(const char *name, struct proc_dir_entry *parent)
	USERMM_API(remove_proc_entry);
int remove_proc_subtree(const char *name, struct proc_dir_entry *parent)
	USERMM_API(remove_proc_subtree);
void proc_remove(struct proc_dir_entry *entry) USERMM_API(proc_remove);
void proc_set_size(struct proc_dir_entry *entry, loff_t size) USERMM_API(proc_set_size);
void proc_set_user(struct proc_dir_entry *entry, kuid_t uid, kgid_t gid)
	USERMM_API(proc_set_user);
void *usermm_pde_data(const struct inode *inode) __attribute__((visibility("default")));
void *proc_get_parent_data(const struct inode *inode) USERMM_API(proc_get_parent_data);

USERMM_END_DECLS

/* Operations are struct proc_ops from 5.6 on, struct file_operations before; both are taken. */
#define proc_create_data(name, mode, parent, operations, data)		\
	_Generic((operations),						\
		 const struct proc_ops *: usermm_proc_create,		\
		 struct proc_ops *: usermm_proc_create,			\
		 default: usermm_proc_create_old)(name, mode, parent, operations, data)
#define proc_create(name, mode, parent, operations) \
	proc_create_data(name, mode, parent, operations, NULL)
#define proc_create_single(name, mode, parent, show) \
	proc_create_single_data(name, mode, parent, show, NULL)
#define proc_create_seq_data(name, mode, parent, operations, data) \
	proc_create_seq_private(name, mode, parent, operations, 0, data)
#define proc_create_seq(name, mode, parent, operations) \
	proc_create_seq_data(name, mode, parent, operations, NULL)
#define proc_create_net_single(name, mode, parent, show, data) \
	proc_create_single_data(name, mode, parent, show, data)
#define pde_data(inode) usermm_pde_data(inode)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define PDE_DATA(inode) usermm_pde_data(inode)
#else
USERMM_REMOVED(PDE_DATA, "5.17", "pde_data()")
#endif

#endif
