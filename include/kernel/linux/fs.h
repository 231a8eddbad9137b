/* SPDX-License-Identifier: MIT */
/*
 * Files as modules make them: /proc, /dev, /sys and debugfs. Programs of `usermm module FILE.c --
 * PROGRAM` open them (kernel/files), and so does filp_open(), which also opens the machine's files.
 */
#ifndef KERNEL_LINUX_FS_H
#define KERNEL_LINUX_FS_H

#include <linux/bit_spinlock.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/list_bl.h>
#include <linux/list_nulls.h>
#include <linux/maple_tree.h>
#include <linux/migrate_mode.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/path.h>
#include <linux/percpu-refcount.h>
#include <linux/percpu-rwsem.h>
#include <linux/radix-tree.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/semaphore.h>
#include <linux/seqlock.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stat.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/uuid.h>
#include <linux/version.h>
#include <linux/wait_bit.h>
#include <linux/workqueue_types.h>
#include <linux/xarray.h>
#include <usermm/compiler.h>
#include_next <linux/fs.h>

struct address_space;
struct cdev;
struct dentry;
struct pipe_inode_info;
struct dir_context;
struct fasync_struct;
struct file_lock;
struct iov_iter;
struct kiocb;
struct module;
struct poll_table_struct;
struct seq_file;
struct super_block;
struct vm_area_struct;
struct vm_area_desc;

typedef void *fl_owner_t;

/* What a hook of linux/lsm_hooks.h is asked for. */
#define MAY_EXEC 0x1
#define MAY_WRITE 0x2
#define MAY_READ 0x4
#define MAY_APPEND 0x8
#define MAY_ACCESS 0x10
#define MAY_OPEN 0x20
#define MAY_CHDIR 0x40
#define MAY_NOT_BLOCK 0x80

#define FMODE_READ ((fmode_t)0x1)
#define FMODE_WRITE ((fmode_t)0x2)
#define FMODE_LSEEK ((fmode_t)0x4)
#define FMODE_PREAD ((fmode_t)0x8)
#define FMODE_PWRITE ((fmode_t)0x10)
#define FMODE_EXEC ((fmode_t)0x20)
#define FMODE_CAN_READ ((fmode_t)0x20000)
#define FMODE_CAN_WRITE ((fmode_t)0x40000)
#define FMODE_ATOMIC_POS ((fmode_t)0x8000)
#define FMODE_STREAM ((fmode_t)0x200000)

/* The bytes of a file, in pages. */
struct address_space {
	struct inode *host;
	struct xarray i_pages;
	gfp_t gfp_mask;
	unsigned long flags;
	const struct address_space_operations *a_ops;
	unsigned long nrpages;
	union {
		void *private_data, *i_private_data;
	};
};

struct inode {
	umode_t i_mode;
	kuid_t i_uid;
	kgid_t i_gid;
	unsigned int i_flags;
	unsigned int i_nlink;
	unsigned long i_ino;
	dev_t i_rdev;
	loff_t i_size;
	unsigned int i_blkbits;
	const struct file_operations *i_fop;
	const struct inode_operations *i_op;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	union {
		struct cdev *i_cdev;
		char *i_link;
		struct pipe_inode_info *i_pipe;
	};
	spinlock_t i_lock;
	struct rw_semaphore i_rwsem;
	blkcnt_t i_blocks;
	unsigned short i_bytes;
	struct timespec64 i_atime, i_mtime, i_ctime;
	atomic_t i_count;
	unsigned int i_generation;
	unsigned long i_state;			/* I_. Sync: kernel/fs's lock of inodes */
	struct hlist_node i_hash;		/* Sync: the same lock */
	struct list_head i_sb_list;		/* Sync: the same lock */
	struct hlist_head i_dentry;		/* Sync: kernel/fs's lock of names */
	struct address_space i_data;
	struct rcu_head i_rcu;
	void *i_private;
};

struct file {
	const struct file_operations *f_op;
	struct inode *f_inode;
	struct path f_path;
	unsigned int f_flags;
	fmode_t f_mode;
	loff_t f_pos;
	struct mutex f_pos_lock;
	spinlock_t f_lock;
	const struct cred *f_cred;
	struct address_space *f_mapping;
	void *private_data;
	unsigned int usermm_users;	/* Sync: kernel/files' lock */
	int usermm_fd;			/* a file of the machine's; -1: a module's */
	int usermm_owner;		/* who is sent SIGIO */
	unsigned long usermm_owner_started;	/* see usermm_kill_process() */
	struct module *usermm_driver;	/* the owner of the device's cdev */
};

struct kiocb {
	struct file *ki_filp;
	loff_t ki_pos;
	void (*ki_complete)(struct kiocb *kiocb, long result);
	void *private;
	int ki_flags;
	u16 ki_ioprio;
};
#define IOCB_NOWAIT 0x8
#define IOCB_APPEND 0x10000
#define is_sync_kiocb(kiocb) (!(kiocb)->ki_complete)

struct file_operations {
	struct module *owner;
	unsigned int fop_flags;
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read)(struct file *file, char __user *buffer, size_t n, loff_t *pos);
	ssize_t (*write)(struct file *file, const char __user *buffer, size_t n, loff_t *pos);
	ssize_t (*read_iter)(struct kiocb *kiocb, struct iov_iter *to);
	ssize_t (*write_iter)(struct kiocb *kiocb, struct iov_iter *from);
	int (*iterate)(struct file *file, struct dir_context *context);
	int (*iterate_shared)(struct file *file, struct dir_context *context);
	__poll_t (*poll)(struct file *file, struct poll_table_struct *table);
	long (*unlocked_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	long (*compat_ioctl)(struct file *file, unsigned int command, unsigned long argument);
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	int (*mmap_prepare)(struct vm_area_desc *description);
	int (*open)(struct inode *inode, struct file *file);
	int (*flush)(struct file *file, fl_owner_t owner);
	int (*release)(struct inode *inode, struct file *file);
	int (*fsync)(struct file *file, loff_t start, loff_t end, int datasync);
	int (*fasync)(int fd, struct file *file, int on);
	int (*lock)(struct file *file, int command, struct file_lock *lock);
	int (*check_flags)(int flags);
	ssize_t (*splice_write)(struct pipe_inode_info *pipe, struct file *to, loff_t *pos,
				size_t n, unsigned int flags);
	ssize_t (*splice_read)(struct file *from, loff_t *pos, struct pipe_inode_info *pipe,
			       size_t n, unsigned int flags);
	void (*splice_eof)(struct file *file);
	int (*flock)(struct file *file, int command, struct file_lock *lock);
	long (*fallocate)(struct file *file, int mode, loff_t offset, loff_t length);
	void (*show_fdinfo)(struct seq_file *m, struct file *file);
};

struct dir_context {
	bool (*actor)(struct dir_context *context, const char *name, int length, loff_t offset,
		      u64 number, unsigned int type);
	loff_t pos;
};

#ifndef DT_UNKNOWN		/* libc's <dirent.h> */
#define DT_UNKNOWN 0
#define DT_FIFO 1
#define DT_CHR 2
#define DT_DIR 4
#define DT_BLK 6
#define DT_REG 8
#define DT_LNK 10
#define DT_SOCK 12
#endif

#define file_inode(file) ((file)->f_inode)
#define file_dentry(file) ((file)->f_path.dentry)

static inline unsigned int iminor(const struct inode *inode)
{
	return MINOR(inode->i_rdev);
}

static inline unsigned int imajor(const struct inode *inode)
{
	return MAJOR(inode->i_rdev);
}

static inline loff_t i_size_read(const struct inode *inode)
{
	return READ_ONCE(inode->i_size);
}

static inline void i_size_write(struct inode *inode, loff_t size)
{
	WRITE_ONCE(inode->i_size, size);
}

static inline void inode_lock(struct inode *inode)
{
	down_write(&inode->i_rwsem);
}

static inline void inode_unlock(struct inode *inode)
{
	up_write(&inode->i_rwsem);
}

USERMM_BEGIN_DECLS

int simple_open(struct inode *inode, struct file *file) USERMM_API(simple_open);
/* 0: the file then has no position (nonseekable), or one that reads and writes ignore (stream). */
int nonseekable_open(struct inode *inode, struct file *file) USERMM_API(nonseekable_open);
int stream_open(struct inode *inode, struct file *file) USERMM_API(stream_open);
int generic_file_open(struct inode *inode, struct file *file) USERMM_API(generic_file_open);

loff_t noop_llseek(struct file *file, loff_t offset, int whence) USERMM_API(noop_llseek);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0) || defined(USERMM_KERNEL_LAYER)
/* -ESPIPE. Up to 6.11 as a file's own operation; later a file without llseek has the same error. */
loff_t no_llseek(struct file *file, loff_t offset, int whence) USERMM_API(no_llseek);
#else
USERMM_REMOVED(no_llseek, "6.12", "no llseek, which is the same error")
#endif
loff_t default_llseek(struct file *file, loff_t offset, int whence) USERMM_API(default_llseek);
loff_t generic_file_llseek(struct file *file, loff_t offset, int whence)
	USERMM_API(generic_file_llseek);
/* Up to the size, and no SEEK_END: -EINVAL. The first has no end. */
loff_t no_seek_end_llseek(struct file *file, loff_t offset, int whence)
	USERMM_API(no_seek_end_llseek);
loff_t no_seek_end_llseek_size(struct file *file, loff_t offset, int whence, loff_t size)
	USERMM_API(no_seek_end_llseek_size);
loff_t fixed_size_llseek(struct file *file, loff_t offset, int whence, loff_t size)
	USERMM_API(fixed_size_llseek);
loff_t vfs_llseek(struct file *file, loff_t offset, int whence) USERMM_API(vfs_llseek);

/*
 * Copy from, or to, a buffer of `available` bytes, as read() and write() of a file would. The
 * number of bytes; 0 at the end; -EFAULT if the program's memory is not accessible.
 */
ssize_t simple_read_from_buffer(void __user *to, size_t n, loff_t *pos, const void *from,
				size_t available) USERMM_API(simple_read_from_buffer);
ssize_t simple_write_to_buffer(void *to, size_t available, loff_t *pos,
			       const void __user *from, size_t n)
	USERMM_API(simple_write_to_buffer);
/* simple_read_from_buffer() to the kernel's own memory. */
ssize_t memory_read_from_buffer(void *to, size_t n, loff_t *pos, const void *from,
				size_t available) USERMM_API(memory_read_from_buffer);

/* Attributes of one number: see DEFINE_SIMPLE_ATTRIBUTE. */
int simple_attr_open(struct inode *inode, struct file *file, int (*get)(void *, u64 *),
		     int (*set)(void *, u64), const char *format) USERMM_API(simple_attr_open);
int simple_attr_release(struct inode *inode, struct file *file) USERMM_API(simple_attr_release);
ssize_t simple_attr_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(simple_attr_read);
ssize_t simple_attr_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(simple_attr_write);
ssize_t simple_attr_write_signed(struct file *file, const char __user *buffer, size_t n,
				 loff_t *pos) USERMM_API(simple_attr_write_signed);

/*
 * Opens a module's file, or one of the machine's with the rights of this process; or an error
 * pointer. filp_close() closes it, and has no error of its own; id may be NULL.
 */
struct file *filp_open(const char *path, int flags, umode_t mode) USERMM_API(filp_open);
int filp_close(struct file *file, fl_owner_t id) USERMM_API(filp_close);
void fput(struct file *file) USERMM_API(fput);
struct file *get_file(struct file *file) USERMM_API(get_file);
ssize_t usermm_kernel_read(struct file *file, void *buffer, size_t n, loff_t *pos)
	__attribute__((visibility("default")));
ssize_t usermm_kernel_write(struct file *file, const void *buffer, size_t n, loff_t *pos)
	__attribute__((visibility("default")));
ssize_t vfs_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(vfs_read);
ssize_t vfs_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(vfs_write);
int vfs_fsync(struct file *file, int datasync) USERMM_API(vfs_fsync);
char *file_path(struct file *file, char *buffer, int size) USERMM_API(file_path);

/* Ranges of device numbers: 0; -EBUSY for one that is taken; -EINVAL for one that is too large. */
int alloc_chrdev_region(dev_t *dev, unsigned int first, unsigned int count, const char *name)
	USERMM_API(alloc_chrdev_region);
int register_chrdev_region(dev_t dev, unsigned int count, const char *name)
	USERMM_API(register_chrdev_region);
void unregister_chrdev_region(dev_t dev, unsigned int count)
	USERMM_API(unregister_chrdev_region);
/* 0 for a given major. Major 0 asks for a free one, which is returned. */
int __register_chrdev(unsigned int major, unsigned int first, unsigned int count,
		      const char *name, const struct file_operations *operations)
	USERMM_API(__register_chrdev);
void __unregister_chrdev(unsigned int major, unsigned int first, unsigned int count,
			 const char *name) USERMM_API(__unregister_chrdev);

/*
 * fasync_helper() adds the file to the list, or takes it off: 1 if it changed the list, 0 if not,
 * or -ENOMEM. kill_fasync() sends the signal (SIGIO) to the owners of the files in the list.
 */
int fasync_helper(int fd, struct file *file, int on, struct fasync_struct **list)
	USERMM_API(fasync_helper);
void kill_fasync(struct fasync_struct **list, int signal, int band) USERMM_API(kill_fasync);

USERMM_END_DECLS

struct fasync_struct {
	struct file *fa_file;
	int fa_fd;
	struct fasync_struct *fa_next;	/* Sync: kernel/files/fasync.c's lock */
};

static inline int register_chrdev(unsigned int major, const char *name,
				  const struct file_operations *operations)
{
	return __register_chrdev(major, 0, 256, name, operations);
}

static inline void unregister_chrdev(unsigned int major, const char *name)
{
	__unregister_chrdev(major, 0, 256, name);
}

/* (file, buffer, n, &pos) from 4.14 on; kernel_read() was (file, offset, buffer, n) before. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 14, 0)
#define kernel_read(file, buffer, n, pos) usermm_kernel_read(file, buffer, n, pos)
#define kernel_write(file, buffer, n, pos) usermm_kernel_write(file, buffer, n, pos)
#else
#define kernel_read(file, offset, buffer, n) \
	((int)usermm_kernel_read(file, buffer, n, &(loff_t){ offset }))
#define kernel_write(file, buffer, n, offset) \
	usermm_kernel_write(file, buffer, n, &(loff_t){ offset })
#endif

#define DEFINE_SIMPLE_ATTRIBUTE_XSIGNED(name, get, set, format, writes)	\
	static int name##_open(struct inode *inode, struct file *file)	\
	{								\
		return simple_attr_open(inode, file, get, set, format);	\
	}								\
	static const struct file_operations name __maybe_unused = {	\
		.owner = THIS_MODULE,					\
		.open = name##_open,					\
		.release = simple_attr_release,				\
		.read = simple_attr_read,				\
		.write = writes,					\
		.llseek = generic_file_llseek,				\
	}
#define DEFINE_SIMPLE_ATTRIBUTE(name, get, set, format) \
	DEFINE_SIMPLE_ATTRIBUTE_XSIGNED(name, get, set, format, simple_attr_write)
#define DEFINE_SIMPLE_ATTRIBUTE_SIGNED(name, get, set, format) \
	DEFINE_SIMPLE_ATTRIBUTE_XSIGNED(name, get, set, format, simple_attr_write_signed)

/* The operations of the file take the module's place; no module is unloaded while it is in use. */
#define fops_get(operations) (operations)
#define fops_put(operations) ((void)(operations))
#define replace_fops(file, operations) ((void)((file)->f_op = (operations)))

#include <linux/fs/super.h>

#endif
