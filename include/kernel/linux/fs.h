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
#include <linux/list_nulls.h>
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
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stat.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <linux/wait_bit.h>
#include <linux/workqueue_types.h>
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
	struct cdev *i_cdev;
	spinlock_t i_lock;
	struct rw_semaphore i_rwsem;
	blkcnt_t i_blocks;
	struct timespec64 i_atime, i_mtime, i_ctime;
	atomic_t i_count;
	unsigned int i_generation;
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

#define file_inode(file) ((file)->f_inode)
#define file_dentry(file) ((file)->f_path.dentry)
#define d_inode(dentry) ((dentry)->d_inode)

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

/*
 * File systems of modules can be registered. Nothing is mounted, so nobody calls what they consist
 * of; the calls that they would be made of have no file system to work on.
 */
struct fs_context;
struct iattr;
struct kstat;
struct kstatfs;
struct mnt_idmap;
struct page;
struct writeback_control;

struct file_system_type {
	const char *name;
	int fs_flags;
	int (*init_fs_context)(struct fs_context *context);
	struct dentry *(*mount)(struct file_system_type *type, int flags, const char *device,
				void *data);
	void (*kill_sb)(struct super_block *sb);
	struct module *owner;
	struct file_system_type *next;
};

#define FS_REQUIRES_DEV 1
#define FS_BINARY_MOUNTDATA 2
#define FS_USERNS_MOUNT 8
#define FS_ALLOW_IDMAP 32

struct super_operations {
	struct inode *(*alloc_inode)(struct super_block *sb);
	void (*destroy_inode)(struct inode *inode);
	void (*free_inode)(struct inode *inode);
	void (*dirty_inode)(struct inode *inode, int flags);
	int (*write_inode)(struct inode *inode, struct writeback_control *control);
	int (*drop_inode)(struct inode *inode);
	void (*evict_inode)(struct inode *inode);
	void (*put_super)(struct super_block *sb);
	int (*sync_fs)(struct super_block *sb, int wait);
	int (*statfs)(struct dentry *dentry, struct kstatfs *stat);
	int (*remount_fs)(struct super_block *sb, int *flags, char *data);
	int (*show_options)(struct seq_file *m, struct dentry *dentry);
};

struct super_block {
	dev_t s_dev;
	unsigned char s_blocksize_bits;
	unsigned long s_blocksize;
	loff_t s_maxbytes;
	struct file_system_type *s_type;
	const struct super_operations *s_op;
	unsigned long s_flags, s_magic;
	struct dentry *s_root;
	struct block_device *s_bdev;
	void *s_fs_info;
	u32 s_time_gran;
	time64_t s_time_min, s_time_max;
	char s_id[32];
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define USERMM_IDMAP struct mnt_idmap *map,
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define USERMM_IDMAP struct user_namespace *map,
#else
#define USERMM_IDMAP
#endif
struct inode_operations {
	struct dentry *(*lookup)(struct inode *folder, struct dentry *dentry,
				 unsigned int flags);
	int (*create)(USERMM_IDMAP struct inode *folder, struct dentry *dentry, umode_t mode,
		      bool exclusive);
	int (*link)(struct dentry *old, struct inode *folder, struct dentry *dentry);
	int (*unlink)(struct inode *folder, struct dentry *dentry);
	int (*symlink)(USERMM_IDMAP struct inode *folder, struct dentry *dentry,
		       const char *target);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	struct dentry *(*mkdir)(USERMM_IDMAP struct inode *folder, struct dentry *dentry,
				umode_t mode);
#else
	int (*mkdir)(USERMM_IDMAP struct inode *folder, struct dentry *dentry, umode_t mode);
#endif
	int (*rmdir)(struct inode *folder, struct dentry *dentry);
	int (*mknod)(USERMM_IDMAP struct inode *folder, struct dentry *dentry, umode_t mode,
		     dev_t device);
	int (*rename)(USERMM_IDMAP struct inode *folder, struct dentry *dentry,
		      struct inode *new_folder, struct dentry *new_dentry, unsigned int flags);
	int (*setattr)(USERMM_IDMAP struct dentry *dentry, struct iattr *attributes);
	int (*getattr)(USERMM_IDMAP const struct path *path, struct kstat *stat, u32 mask,
		       unsigned int flags);
};

struct address_space_operations {
	int (*writepage)(struct page *page, struct writeback_control *control);
	int (*readpage)(struct file *file, struct page *page);
	int (*read_folio)(struct file *file, struct folio *folio);
	int (*writepages)(struct address_space *mapping, struct writeback_control *control);
	bool (*dirty_folio)(struct address_space *mapping, struct folio *folio);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	int (*write_begin)(struct file *file, struct address_space *mapping, loff_t pos,
			   unsigned int n, struct folio **folio, void **data);
	int (*write_end)(struct file *file, struct address_space *mapping, loff_t pos,
			 unsigned int n, unsigned int copied, struct folio *folio, void *data);
#else
	int (*write_begin)(struct file *file, struct address_space *mapping, loff_t pos,
			   unsigned int n, struct page **page, void **data);
	int (*write_end)(struct file *file, struct address_space *mapping, loff_t pos,
			 unsigned int n, unsigned int copied, struct page *page, void *data);
#endif
};

struct address_space {
	struct inode *host;
	const struct address_space_operations *a_ops;
	unsigned long nrpages;
};

#define MAX_LFS_FILESIZE ((loff_t)LLONG_MAX)

USERMM_BEGIN_DECLS

/* 0; -EBUSY for a name that is taken. The second: -EINVAL if it was not registered. */
int register_filesystem(struct file_system_type *type) USERMM_API(register_filesystem);
int unregister_filesystem(struct file_system_type *type) USERMM_API(unregister_filesystem);
extern const struct file_operations simple_dir_operations USERMM_API(simple_dir_operations);
extern const struct inode_operations simple_dir_inode_operations
	USERMM_API(simple_dir_inode_operations);
extern const struct inode_operations simple_symlink_inode_operations
	USERMM_API(simple_symlink_inode_operations);
extern const struct address_space_operations ram_aops USERMM_API(ram_aops);
extern struct mnt_idmap nop_mnt_idmap USERMM_API(nop_mnt_idmap);
/* -ENOSYS, NULL or an error pointer: there is no mounted file system. */
int simple_statfs(struct dentry *dentry, struct kstatfs *stat) USERMM_API(simple_statfs);
struct dentry *simple_lookup(struct inode *folder, struct dentry *dentry, unsigned int flags)
	USERMM_API(simple_lookup);
int simple_link(struct dentry *old, struct inode *folder, struct dentry *dentry)
	USERMM_API(simple_link);
int simple_unlink(struct inode *folder, struct dentry *dentry) USERMM_API(simple_unlink);
int simple_rmdir(struct inode *folder, struct dentry *dentry) USERMM_API(simple_rmdir);
int generic_delete_inode(struct inode *inode) USERMM_API(generic_delete_inode);
struct inode *new_inode(struct super_block *sb) USERMM_API(new_inode);
void iput(struct inode *inode) USERMM_API(iput);
struct dentry *d_make_root(struct inode *inode) USERMM_API(d_make_root);
void kill_litter_super(struct super_block *sb) USERMM_API(kill_litter_super);
void kill_anon_super(struct super_block *sb) USERMM_API(kill_anon_super);
void kill_block_super(struct super_block *sb) USERMM_API(kill_block_super);
struct dentry *mount_nodev(struct file_system_type *type, int flags, void *data,
			   int (*fill)(struct super_block *sb, void *data, int silent))
	USERMM_API(mount_nodev);
struct dentry *mount_bdev(struct file_system_type *type, int flags, const char *device, void *data,
			  int (*fill)(struct super_block *sb, void *data, int silent))
	USERMM_API(mount_bdev);
ssize_t generic_file_read_iter(struct kiocb *kiocb, struct iov_iter *to)
	USERMM_API(generic_file_read_iter);
ssize_t generic_file_write_iter(struct kiocb *kiocb, struct iov_iter *from)
	USERMM_API(generic_file_write_iter);
int generic_file_mmap(struct file *file, struct vm_area_struct *vma)
	USERMM_API(generic_file_mmap);
/* -EINVAL: nobody splices. generic_file_splice_read() is older than 6.5, copy_ is newer. */
ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *to, loff_t *pos,
			       size_t n, unsigned int flags) USERMM_API(iter_file_splice_write);
ssize_t copy_splice_read(struct file *from, loff_t *pos, struct pipe_inode_info *pipe, size_t n,
			 unsigned int flags) USERMM_API(copy_splice_read);
int noop_fsync(struct file *file, loff_t start, loff_t end, int datasync)
	USERMM_API(noop_fsync);
long compat_ptr_ioctl(struct file *file, unsigned int command, unsigned long argument)
	USERMM_API(compat_ptr_ioctl);

USERMM_END_DECLS

#define filemap_splice_read copy_splice_read
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define generic_file_splice_read copy_splice_read
#endif
#define generic_drop_inode(inode) generic_delete_inode(inode)
#define mount_single(type, flags, data, fill) mount_nodev(type, flags, data, fill)
#define current_time(inode) ((void)(inode), (struct timespec64){ ktime_get_real_seconds(), 0 })
#define simple_inode_init_ts(inode)						\
	((inode)->i_atime = (inode)->i_mtime = (inode)->i_ctime = current_time(inode))
#define inode_set_ctime_current(inode) ((inode)->i_ctime = current_time(inode))
#define inode_get_ctime(inode) ((inode)->i_ctime)
#define inode_get_mtime(inode) ((inode)->i_mtime)
#define inode_get_atime(inode) ((inode)->i_atime)
#define inode_set_ctime_to_ts(inode, time) ((inode)->i_ctime = (time))
#define inode_set_mtime_to_ts(inode, time) ((inode)->i_mtime = (time))
#define inode_set_atime_to_ts(inode, time) ((inode)->i_atime = (time))
#define inc_nlink(inode) ((void)((inode)->i_nlink++))
#define drop_nlink(inode) ((void)((inode)->i_nlink--))
#define clear_nlink(inode) ((void)((inode)->i_nlink = 0))
#define set_nlink(inode, n) ((void)((inode)->i_nlink = (n)))
#define mark_inode_dirty(inode) ((void)(inode))
#define insert_inode_hash(inode) ((void)(inode))
#define ihold(inode) ((void)(inode))
#define get_next_ino() 1U
#define d_add(dentry, inode) ((void)((dentry)->d_inode = (inode)))
#define d_instantiate(dentry, inode) d_add(dentry, inode)
#define dget(dentry) (dentry)
#define dput(dentry) ((void)(dentry))
#define d_is_dir(dentry) ((dentry)->d_inode && S_ISDIR((dentry)->d_inode->i_mode))
#define i_uid_read(inode) ((inode)->i_uid.val)
#define i_gid_read(inode) ((inode)->i_gid.val)
#define inode_init_owner(...) ((void)(__VA_ARGS__))
#define sb_set_blocksize(sb, n) ((void)((sb)->s_blocksize = (n)), (n))
#define sb_min_blocksize(sb, n) sb_set_blocksize(sb, n)

#endif
