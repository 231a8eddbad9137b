/* SPDX-License-Identifier: MIT */
/*
 * File systems of modules: inodes, super blocks and what they are mounted by. <linux/fs.h> has
 * files. A mounted file system is the module's own (kern_mount(), simple_pin_fs()): programs do
 * not see it, and there are no disks to mount.
 */
#ifndef _LINUX_FS_SUPER_H
#define _LINUX_FS_SUPER_H

#include <linux/fs.h>

struct export_operations;
struct fs_context;
struct fs_parameter_spec;
struct kstatfs;
struct mnt_idmap;
struct page;
struct readahead_control;
struct vfsmount;
struct writeback_control;
struct xattr_handler;

struct kstat {
	u32 result_mask;
	umode_t mode;
	unsigned int nlink;
	uint32_t blksize;
	u64 attributes, attributes_mask;
	u64 ino;
	dev_t dev, rdev;
	kuid_t uid;
	kgid_t gid;
	loff_t size;
	struct timespec64 atime, mtime, ctime, btime;
	u64 blocks;
};

#define ATTR_MODE (1 << 0)
#define ATTR_UID (1 << 1)
#define ATTR_GID (1 << 2)
#define ATTR_SIZE (1 << 3)
#define ATTR_ATIME (1 << 4)
#define ATTR_MTIME (1 << 5)
#define ATTR_CTIME (1 << 6)
#define ATTR_ATIME_SET (1 << 7)
#define ATTR_MTIME_SET (1 << 8)
#define ATTR_FORCE (1 << 9)
#define ATTR_KILL_SUID (1 << 11)
#define ATTR_KILL_SGID (1 << 12)
#define ATTR_FILE (1 << 13)
#define ATTR_OPEN (1 << 15)
#define ATTR_TIMES_SET (1 << 16)

struct iattr {
	unsigned int ia_valid;
	umode_t ia_mode;
	kuid_t ia_uid;
	kgid_t ia_gid;
	loff_t ia_size;
	struct timespec64 ia_atime, ia_mtime, ia_ctime;
	struct file *ia_file;
};

struct file_system_type {
	const char *name;
	int fs_flags;
	int (*init_fs_context)(struct fs_context *context);
	const struct fs_parameter_spec *parameters;
	struct dentry *(*mount)(struct file_system_type *type, int flags, const char *device,
				void *data);
	void (*kill_sb)(struct super_block *sb);
	struct module *owner;
	struct file_system_type *next;
	struct hlist_head fs_supers;	/* Sync: super.c's lock */
};

#define FS_REQUIRES_DEV 1
#define FS_BINARY_MOUNTDATA 2
#define FS_HAS_SUBTYPE 4
#define FS_USERNS_MOUNT 8
#define FS_DISALLOW_NOTIFY_PERM 16
#define FS_ALLOW_IDMAP 32
#define FS_RENAME_DOES_D_MOVE 32768

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
	int (*freeze_fs)(struct super_block *sb);
	int (*unfreeze_fs)(struct super_block *sb);
	int (*statfs)(struct dentry *dentry, struct kstatfs *stat);
	int (*remount_fs)(struct super_block *sb, int *flags, char *data);
	void (*umount_begin)(struct super_block *sb);
	int (*show_options)(struct seq_file *m, struct dentry *dentry);
};

struct super_block {
	dev_t s_dev;
	unsigned char s_blocksize_bits;
	unsigned long s_blocksize;
	loff_t s_maxbytes;
	struct file_system_type *s_type;
	const struct super_operations *s_op;
	const struct export_operations *s_export_op;
	unsigned long s_flags, s_iflags, s_magic;
	struct dentry *s_root;
	struct rw_semaphore s_umount;
	atomic_t s_active;
	const struct xattr_handler *const *s_xattr;
	struct block_device *s_bdev;
	void *s_fs_info;
	u32 s_time_gran;
	time64_t s_time_min, s_time_max;
	char s_id[32];
	unsigned int s_max_links;
	const struct dentry_operations *s_d_op;
	struct user_namespace *s_user_ns;
	int s_stack_depth;
	struct hlist_node s_instances;	/* Sync: super.c's lock */
	struct list_head s_inodes;	/* Sync: kernel/fs's lock of inodes */
};

#define SB_RDONLY (1UL << 0)
#define SB_NOSUID (1UL << 1)
#define SB_NODEV (1UL << 2)
#define SB_NOEXEC (1UL << 3)
#define SB_SYNCHRONOUS (1UL << 4)
#define SB_DIRSYNC (1UL << 7)
#define SB_NOATIME (1UL << 10)
#define SB_NODIRATIME (1UL << 11)
#define SB_SILENT (1UL << 15)
#define SB_POSIXACL (1UL << 16)
#define SB_KERNMOUNT (1UL << 22)
#define SB_I_VERSION (1UL << 23)
#define SB_LAZYTIME (1UL << 25)
#define SB_NOUSER (1UL << 31)
#define SB_BORN (1UL << 29)
#define SB_ACTIVE (1UL << 30)
#define SB_I_NOEXEC 0x2
#define SB_I_NODEV 0x4
#define sb_rdonly(sb) (((sb)->s_flags & SB_RDONLY) != 0)

/* States of an inode: in the making; on its way out; what of it is not written yet. */
#define I_DIRTY_SYNC (1 << 0)
#define I_DIRTY_DATASYNC (1 << 1)
#define I_DIRTY_PAGES (1 << 2)
#define I_NEW (1 << 3)
#define I_WILL_FREE (1 << 4)
#define I_FREEING (1 << 5)
#define I_CLEAR (1 << 6)
#define I_DIRTY_INODE (I_DIRTY_SYNC | I_DIRTY_DATASYNC)
#define I_DIRTY (I_DIRTY_INODE | I_DIRTY_PAGES)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define inode_state_read(inode) ((inode)->i_state)
#define inode_state_read_once(inode) READ_ONCE((inode)->i_state)
#define inode_state_set(inode, bits) ((void)((inode)->i_state |= (bits)))
#define inode_state_clear(inode, bits) ((void)((inode)->i_state &= ~(unsigned long)(bits)))
#endif

#define S_SYNC (1 << 0)
#define S_NOATIME (1 << 1)
#define S_APPEND (1 << 2)
#define S_IMMUTABLE (1 << 3)
#define S_DEAD (1 << 4)
#define S_NOCMTIME (1 << 7)
#define IS_RDONLY(inode) sb_rdonly((inode)->i_sb)
#define IS_APPEND(inode) ((inode)->i_flags & S_APPEND)
#define IS_IMMUTABLE(inode) ((inode)->i_flags & S_IMMUTABLE)
#define IS_DEADDIR(inode) ((inode)->i_flags & S_DEAD)
#define IS_NOCMTIME(inode) ((inode)->i_flags & S_NOCMTIME)

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define USERMM_IDMAP struct mnt_idmap *map,
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define USERMM_IDMAP struct user_namespace *map,
#else
#define USERMM_IDMAP
#endif
struct delayed_call;
struct inode_operations {
	struct dentry *(*lookup)(struct inode *folder, struct dentry *dentry,
				 unsigned int flags);
	const char *(*get_link)(struct dentry *dentry, struct inode *inode,
				struct delayed_call *done);
	int (*permission)(USERMM_IDMAP struct inode *inode, int mask);
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
	ssize_t (*listxattr)(struct dentry *dentry, char *buffer, size_t size);
	int (*update_time)(struct inode *inode, int flags);
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define USERMM_WRITER const struct kiocb *writer
#else
#define USERMM_WRITER struct file *writer
#endif
struct address_space_operations {
	int (*writepage)(struct page *page, struct writeback_control *control);
	int (*readpage)(struct file *file, struct page *page);
	int (*read_folio)(struct file *file, struct folio *folio);
	int (*writepages)(struct address_space *mapping, struct writeback_control *control);
	int (*set_page_dirty)(struct page *page);
	bool (*dirty_folio)(struct address_space *mapping, struct folio *folio);
	void (*readahead)(struct readahead_control *control);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	int (*write_begin)(USERMM_WRITER, struct address_space *mapping, loff_t pos,
			   unsigned int n, struct folio **folio, void **data);
	int (*write_end)(USERMM_WRITER, struct address_space *mapping, loff_t pos,
			 unsigned int n, unsigned int copied, struct folio *folio, void *data);
#else
	int (*write_begin)(USERMM_WRITER, struct address_space *mapping, loff_t pos,
			   unsigned int n, struct page **page, void **data);
	int (*write_end)(USERMM_WRITER, struct address_space *mapping, loff_t pos,
			 unsigned int n, unsigned int copied, struct page *page, void *data);
#endif
	sector_t (*bmap)(struct address_space *mapping, sector_t block);
	void (*invalidate_folio)(struct folio *folio, size_t offset, size_t n);
	bool (*release_folio)(struct folio *folio, gfp_t gfp);
	ssize_t (*direct_IO)(struct kiocb *kiocb, struct iov_iter *iter);
};

#define MAX_LFS_FILESIZE ((loff_t)LLONG_MAX)

USERMM_BEGIN_DECLS

/* 0; -EBUSY for a name that is taken. The second: -EINVAL if it was not registered. */
int register_filesystem(struct file_system_type *type) USERMM_API(register_filesystem);
int unregister_filesystem(struct file_system_type *type) USERMM_API(unregister_filesystem);
/* The registered type, or NULL. */
struct file_system_type *get_fs_type(const char *name) USERMM_API(get_fs_type);
#define put_filesystem(type) ((void)(type))
#define get_filesystem(type) ((void)(type))

/*
 * A super block, locked by s_umount: one for which test() holds, or a new one that set() accepted.
 * Error pointers: -ENOMEM, and what set() returned.
 */
struct super_block *sget(struct file_system_type *type,
			 int (*test)(struct super_block *sb, void *data),
			 int (*set)(struct super_block *sb, void *data), int flags, void *data)
	USERMM_API(sget);
int set_anon_super(struct super_block *sb, void *data) USERMM_API(set_anon_super);
/* Put an active reference; the last one ends the file system by its kill_sb(). */
void deactivate_locked_super(struct super_block *sb) USERMM_API(deactivate_locked_super);
void deactivate_super(struct super_block *sb) USERMM_API(deactivate_super);
void generic_shutdown_super(struct super_block *sb) USERMM_API(generic_shutdown_super);
void kill_litter_super(struct super_block *sb) USERMM_API(kill_litter_super);
void kill_anon_super(struct super_block *sb) USERMM_API(kill_anon_super);
void kill_block_super(struct super_block *sb) USERMM_API(kill_block_super);
/* The root, with a reference and s_umount locked; or an error pointer. _bdev: -ENOENT, no disk. */
struct dentry *mount_nodev(struct file_system_type *type, int flags, void *data,
			   int (*fill)(struct super_block *sb, void *data, int silent))
	USERMM_API(mount_nodev);
struct dentry *mount_single(struct file_system_type *type, int flags, void *data,
			    int (*fill)(struct super_block *sb, void *data, int silent))
	USERMM_API(mount_single);
struct dentry *mount_bdev(struct file_system_type *type, int flags, const char *device, void *data,
			  int (*fill)(struct super_block *sb, void *data, int silent))
	USERMM_API(mount_bdev);
/* Writes what is dirty, by write_inode() and sync_fs(). 0 or the last one's error. */
int sync_filesystem(struct super_block *sb) USERMM_API(sync_filesystem);
/* The size, or 0 if it is no power of two between 512 and a page. */
int sb_set_blocksize(struct super_block *sb, int size) USERMM_API(sb_set_blocksize);
int sb_min_blocksize(struct super_block *sb, int size) USERMM_API(sb_min_blocksize);

/* A new inode of one user, or NULL. The second is on no list of the super block's. */
struct inode *new_inode(struct super_block *sb) USERMM_API(new_inode);
struct inode *alloc_anon_inode(struct super_block *sb) USERMM_API(alloc_anon_inode);
/* For the constructor of a cache of inodes: clears it. */
void inode_init_once(struct inode *inode) USERMM_API(inode_init_once);
/*
 * The inode of that number, or a new one with I_NEW, for the caller to fill in; others wait until
 * unlock_new_inode() or iget_failed(). NULL without memory.
 */
struct inode *iget_locked(struct super_block *sb, unsigned long number) USERMM_API(iget_locked);
struct inode *iget5_locked(struct super_block *sb, unsigned long hash,
			   int (*test)(struct inode *inode, void *data),
			   int (*set)(struct inode *inode, void *data), void *data)
	USERMM_API(iget5_locked);
struct inode *ilookup(struct super_block *sb, unsigned long number) USERMM_API(ilookup);
void unlock_new_inode(struct inode *inode) USERMM_API(unlock_new_inode);
void discard_new_inode(struct inode *inode) USERMM_API(discard_new_inode);
void iget_failed(struct inode *inode) USERMM_API(iget_failed);
void make_bad_inode(struct inode *inode) USERMM_API(make_bad_inode);
bool is_bad_inode(struct inode *inode) USERMM_API(is_bad_inode);
/* 0 with I_NEW set; -EBUSY if there is one of that number. */
int insert_inode_locked(struct inode *inode) USERMM_API(insert_inode_locked);
void __insert_inode_hash(struct inode *inode, unsigned long hash)
	USERMM_API(__insert_inode_hash);
void remove_inode_hash(struct inode *inode) USERMM_API(remove_inode_hash);
void ihold(struct inode *inode) USERMM_API(ihold);
struct inode *igrab(struct inode *inode) USERMM_API(igrab);
/*
 * The last user of an inode without links, or that is not hashed, ends it (drop_inode() decides);
 * others stay until the file system is unmounted.
 */
void iput(struct inode *inode) USERMM_API(iput);
void clear_inode(struct inode *inode) USERMM_API(clear_inode);
void __mark_inode_dirty(struct inode *inode, int flags) USERMM_API(__mark_inode_dirty);
unsigned int get_next_ino(void) USERMM_API(get_next_ino);
void init_special_inode(struct inode *inode, umode_t mode, dev_t device)
	USERMM_API(init_special_inode);
void usermm_inode_init_owner(struct inode *inode, const struct inode *folder, umode_t mode)
	__attribute__((visibility("default")));
void usermm_generic_fillattr(struct inode *inode, struct kstat *stat)
	__attribute__((visibility("default")));
/* 0, -EPERM or -EINVAL: may the caller set these attributes? The second sets them. */
int usermm_setattr_prepare(struct dentry *dentry, struct iattr *attributes)
	__attribute__((visibility("default")));
void usermm_setattr_copy(struct inode *inode, const struct iattr *attributes)
	__attribute__((visibility("default")));
int inode_newsize_ok(const struct inode *inode, loff_t size) USERMM_API(inode_newsize_ok);
struct timespec64 current_time(struct inode *inode) USERMM_API(current_time);
void touch_atime(const struct path *path) USERMM_API(touch_atime);
int file_update_time(struct file *file) USERMM_API(file_update_time);

extern const struct file_operations simple_dir_operations USERMM_API(simple_dir_operations);
extern const struct inode_operations simple_dir_inode_operations
	USERMM_API(simple_dir_inode_operations);
extern const struct inode_operations simple_symlink_inode_operations
	USERMM_API(simple_symlink_inode_operations);
extern const struct inode_operations page_symlink_inode_operations
	USERMM_API(page_symlink_inode_operations);
extern const struct dentry_operations simple_dentry_operations
	USERMM_API(simple_dentry_operations);
extern const struct address_space_operations ram_aops USERMM_API(ram_aops);
extern struct mnt_idmap nop_mnt_idmap USERMM_API(nop_mnt_idmap);

/* What a file system of names in memory is made of; 0 or -errno, as their Linux twins. */
int simple_statfs(struct dentry *dentry, struct kstatfs *stat) USERMM_API(simple_statfs);
struct dentry *simple_lookup(struct inode *folder, struct dentry *dentry, unsigned int flags)
	USERMM_API(simple_lookup);
int simple_link(struct dentry *old, struct inode *folder, struct dentry *dentry)
	USERMM_API(simple_link);
int simple_unlink(struct inode *folder, struct dentry *dentry) USERMM_API(simple_unlink);
int simple_rmdir(struct inode *folder, struct dentry *dentry) USERMM_API(simple_rmdir);
int simple_empty(struct dentry *dentry) USERMM_API(simple_empty);
int generic_delete_inode(struct inode *inode) USERMM_API(generic_delete_inode);
int generic_drop_inode(struct inode *inode) USERMM_API(generic_drop_inode);
const char *simple_get_link(struct dentry *dentry, struct inode *inode, struct delayed_call *done)
	USERMM_API(simple_get_link);
int page_symlink(struct inode *inode, const char *target, int length) USERMM_API(page_symlink);
int dcache_dir_open(struct inode *inode, struct file *file) USERMM_API(dcache_dir_open);
int dcache_dir_close(struct inode *inode, struct file *file) USERMM_API(dcache_dir_close);
loff_t dcache_dir_lseek(struct file *file, loff_t offset, int whence)
	USERMM_API(dcache_dir_lseek);
int dcache_readdir(struct file *file, struct dir_context *context) USERMM_API(dcache_readdir);
ssize_t generic_read_dir(struct file *file, char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(generic_read_dir);
/* Lists an open folder: 0, -ENOTDIR, -ENOENT for one that was removed, or its own error. */
int iterate_dir(struct file *file, struct dir_context *context) USERMM_API(iterate_dir);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
int simple_rename(USERMM_IDMAP struct inode *folder, struct dentry *dentry,
		  struct inode *new_folder, struct dentry *new_dentry, unsigned int flags)
	USERMM_API(simple_rename);
int simple_setattr(USERMM_IDMAP struct dentry *dentry, struct iattr *attributes)
	USERMM_API(simple_setattr);
int simple_getattr(USERMM_IDMAP const struct path *path, struct kstat *stat, u32 mask,
		   unsigned int flags) USERMM_API(simple_getattr);
#else
int simple_rename(struct inode *folder, struct dentry *dentry, struct inode *new_folder,
		  struct dentry *new_dentry, unsigned int flags)
	USERMM_API(simple_rename_unmapped);
int simple_setattr(struct dentry *dentry, struct iattr *attributes)
	USERMM_API(simple_setattr_unmapped);
int simple_getattr(const struct path *path, struct kstat *stat, u32 mask, unsigned int flags)
	USERMM_API(simple_getattr_unmapped);
#endif
/*
 * A super block of these files, whose inodes have their places in the array, from 2 on; the last
 * one's name is empty. 0 or -ENOMEM.
 */
struct tree_descr {
	const char *name;
	const struct file_operations *ops;
	int mode;
};
int simple_fill_super(struct super_block *sb, unsigned long magic, const struct tree_descr *files)
	USERMM_API(simple_fill_super);
/* Mounts the file system for its first user, and unmounts it after its last. 0 or -errno. */
int simple_pin_fs(struct file_system_type *type, struct vfsmount **mount, int *count)
	USERMM_API(simple_pin_fs);
void simple_release_fs(struct vfsmount **mount, int *count) USERMM_API(simple_release_fs);

/* Files of a mounted file system, or an error pointer. flags are open()'s. */
struct file *dentry_open(const struct path *path, int flags, const struct cred *cred)
	USERMM_API(dentry_open);
struct file *file_open_root(const struct path *root, const char *name, int flags, umode_t mode)
	USERMM_API(file_open_root);
int vfs_statfs(const struct path *path, struct kstatfs *stat) USERMM_API(vfs_statfs);
int vfs_getattr(const struct path *path, struct kstat *stat, u32 mask, unsigned int flags)
	USERMM_API(vfs_getattr);

/* Files whose bytes are the pages of their mapping; pages that nobody wrote are zeros. */
ssize_t generic_file_read_iter(struct kiocb *kiocb, struct iov_iter *to)
	USERMM_API(generic_file_read_iter);
ssize_t generic_file_write_iter(struct kiocb *kiocb, struct iov_iter *from)
	USERMM_API(generic_file_write_iter);
ssize_t generic_write_checks(struct kiocb *kiocb, struct iov_iter *from)
	USERMM_API(generic_write_checks);
void truncate_setsize(struct inode *inode, loff_t size) USERMM_API(truncate_setsize);
void truncate_inode_pages(struct address_space *mapping, loff_t start)
	USERMM_API(truncate_inode_pages);
void truncate_inode_pages_final(struct address_space *mapping)
	USERMM_API(truncate_inode_pages_final);
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

static inline bool dir_emit(struct dir_context *context, const char *name, int length, u64 number,
			    unsigned int type)
{
	return context->actor(context, name, length, context->pos, number, type);
}

static inline bool dir_emit_dot(struct file *file, struct dir_context *context)
{
	return dir_emit(context, ".", 1, file->f_path.dentry->d_inode->i_ino, DT_DIR);
}

static inline bool dir_emit_dotdot(struct file *file, struct dir_context *context)
{
	return dir_emit(context, "..", 2, file->f_path.dentry->d_parent->d_inode->i_ino, DT_DIR);
}

static inline bool dir_emit_dots(struct file *file, struct dir_context *context)
{
	if (context->pos == 0 && dir_emit_dot(file, context))
		context->pos = 1;
	if (context->pos == 1 && dir_emit_dotdot(file, context))
		context->pos = 2;
	return context->pos >= 2;
}

static inline bool d_is_dir(const struct dentry *dentry)
{
	return dentry->d_inode && (dentry->d_inode->i_mode & S_IFMT) == S_IFDIR;
}

static inline bool d_is_reg(const struct dentry *dentry)
{
	return dentry->d_inode && (dentry->d_inode->i_mode & S_IFMT) == S_IFREG;
}

static inline bool d_is_symlink(const struct dentry *dentry)
{
	return dentry->d_inode && (dentry->d_inode->i_mode & S_IFMT) == S_IFLNK;
}

static inline void set_nlink(struct inode *inode, unsigned int n)
{
	inode->i_nlink = n;
}

static inline void inc_nlink(struct inode *inode)
{
	inode->i_nlink++;
}

static inline void drop_nlink(struct inode *inode)
{
	inode->i_nlink--;
}

static inline void clear_nlink(struct inode *inode)
{
	inode->i_nlink = 0;
}

static inline void mark_inode_dirty(struct inode *inode)
{
	__mark_inode_dirty(inode, I_DIRTY);
}

static inline void mark_inode_dirty_sync(struct inode *inode)
{
	__mark_inode_dirty(inode, I_DIRTY_SYNC);
}

static inline void inode_inc_link_count(struct inode *inode)
{
	inc_nlink(inode);
	mark_inode_dirty(inode);
}

static inline void inode_dec_link_count(struct inode *inode)
{
	drop_nlink(inode);
	mark_inode_dirty(inode);
}

static inline void insert_inode_hash(struct inode *inode)
{
	__insert_inode_hash(inode, inode->i_ino);
}

static inline bool inode_unhashed(struct inode *inode)
{
	return hlist_unhashed(&inode->i_hash);
}

static inline void inode_set_iversion(struct inode *inode, u64 version)
{
	(void)inode;
	(void)version;
}

#define alloc_inode_sb(sb, cache, gfp) ((void)(sb), kmem_cache_alloc(cache, gfp))
#define file_accessed(file) touch_atime(&(file)->f_path)
#define filemap_splice_read copy_splice_read
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define generic_file_splice_read copy_splice_read
#endif
#define inode_set_ctime_current(inode) ((inode)->i_ctime = current_time(inode))
#define simple_inode_init_ts(inode)						\
	((inode)->i_atime = (inode)->i_mtime = inode_set_ctime_current(inode))
#define inode_get_ctime(inode) ((inode)->i_ctime)
#define inode_get_mtime(inode) ((inode)->i_mtime)
#define inode_get_atime(inode) ((inode)->i_atime)
#define inode_set_ctime_to_ts(inode, time) ((inode)->i_ctime = (time))
#define inode_set_mtime_to_ts(inode, time) ((inode)->i_mtime = (time))
#define inode_set_atime_to_ts(inode, time) ((inode)->i_atime = (time))
#define inode_set_ctime(inode, seconds, ns) \
	((inode)->i_ctime = (struct timespec64){ seconds, ns })
#define inode_set_mtime(inode, seconds, ns) \
	((inode)->i_mtime = (struct timespec64){ seconds, ns })
#define inode_set_atime(inode, seconds, ns) \
	((inode)->i_atime = (struct timespec64){ seconds, ns })
#define inode_nohighmem(inode) ((void)(inode))
#define i_uid_read(inode) ((inode)->i_uid.val)
#define i_gid_read(inode) ((inode)->i_gid.val)
#define i_uid_write(inode, number) ((void)((inode)->i_uid.val = (number)))
#define i_gid_write(inode, number) ((void)((inode)->i_gid.val = (number)))
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define inode_init_owner(map, inode, folder, mode) \
	((void)(map), usermm_inode_init_owner(inode, folder, mode))
#define setattr_prepare(map, dentry, attributes) \
	((void)(map), usermm_setattr_prepare(dentry, attributes))
#define setattr_copy(map, inode, attributes) \
	((void)(map), usermm_setattr_copy(inode, attributes))
#else
#define inode_init_owner(inode, folder, mode) usermm_inode_init_owner(inode, folder, mode)
#define setattr_prepare(dentry, attributes) usermm_setattr_prepare(dentry, attributes)
#define setattr_copy(inode, attributes) usermm_setattr_copy(inode, attributes)
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define generic_fillattr(map, mask, inode, stat) \
	((void)(map), (void)(mask), usermm_generic_fillattr(inode, stat))
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define generic_fillattr(map, inode, stat) ((void)(map), usermm_generic_fillattr(inode, stat))
#else
#define generic_fillattr(inode, stat) usermm_generic_fillattr(inode, stat)
#endif

#endif
