// SPDX-License-Identifier: MIT
/*
 * Types of file systems, super blocks and mounts. cf. Linux fs/super.c and fs/namespace.c.
 *
 * A super block is a mounted file system. It has active references, of mounts and of whoever holds
 * s_umount while it is being made; with the last one kill_sb() ends it.
 */
#include <stdlib.h>

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "vfs.h"

static DEFINE_MUTEX(lock);
static struct file_system_type *types;	/* Sync: lock */
static unsigned int last_device;	/* Sync: lock */

struct mnt_idmap {
	int unused;
};

struct mnt_idmap nop_mnt_idmap;

/* The link to the type of that name, or the link at the end. The caller holds the lock. */
static struct file_system_type **find_type(const char *name)
{
	struct file_system_type **link;

	for (link = &types; *link && strcmp((*link)->name, name); link = &(*link)->next)
		;
	return link;
}

int register_filesystem(struct file_system_type *type)
{
	struct file_system_type **link;

	if (type->next)
		return -EBUSY;
	mutex_lock(&lock);
	link = find_type(type->name);
	if (*link) {
		mutex_unlock(&lock);
		return -EBUSY;
	}
	*link = type;
	mutex_unlock(&lock);
	return 0;
}

int unregister_filesystem(struct file_system_type *type)
{
	struct file_system_type **link;
	int error = -EINVAL;

	mutex_lock(&lock);
	link = find_type(type->name);
	if (*link == type) {
		*link = type->next;
		type->next = NULL;
		error = 0;
	}
	mutex_unlock(&lock);
	return error;
}

struct file_system_type *get_fs_type(const char *name)
{
	struct file_system_type *type;

	mutex_lock(&lock);
	type = *find_type(name);
	mutex_unlock(&lock);
	return type;
}

static struct super_block *super_alloc(struct file_system_type *type, unsigned long flags)
{
	struct super_block *sb = calloc(1, sizeof(*sb));

	if (!sb)
		return NULL;
	sb->s_type = type;
	sb->s_flags = flags;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_maxbytes = INT_MAX;
	sb->s_time_gran = NSEC_PER_SEC;
	sb->s_time_min = S64_MIN;
	sb->s_time_max = S64_MAX;
	sb->s_user_ns = &init_user_ns;
	strscpy(sb->s_id, type->name, sizeof(sb->s_id));
	atomic_set(&sb->s_active, 1);
	init_rwsem(&sb->s_umount);
	INIT_LIST_HEAD(&sb->s_inodes);
	return sb;
}

struct super_block *sget(struct file_system_type *type,
			 int (*test)(struct super_block *sb, void *data),
			 int (*set)(struct super_block *sb, void *data), int flags, void *data)
{
	struct super_block *sb, *fresh = super_alloc(type, (unsigned long)flags);
	int error;

	if (!fresh)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&lock);
	hlist_for_each_entry(sb, &type->fs_supers, s_instances) {
		if (!test || !test(sb, data) || !atomic_inc_not_zero(&sb->s_active))
			continue;
		mutex_unlock(&lock);
		free(fresh);
		down_write(&sb->s_umount);
		return sb;
	}
	error = set(fresh, data);
	if (!error) {
		hlist_add_head(&fresh->s_instances, &type->fs_supers);
		down_write(&fresh->s_umount);
	}
	mutex_unlock(&lock);
	if (!error)
		return fresh;
	free(fresh);
	return ERR_PTR(error);
}

/* Under the lock, by sget(). */
int set_anon_super(struct super_block *sb, void *data)
{
	(void)data;
	sb->s_dev = MKDEV(0, ++last_device);
	return 0;
}

void deactivate_locked_super(struct super_block *sb)
{
	if (!atomic_dec_and_test(&sb->s_active)) {
		up_write(&sb->s_umount);
		return;
	}
	sb->s_type->kill_sb(sb);
	free(sb);
}

void deactivate_super(struct super_block *sb)
{
	down_write(&sb->s_umount);
	deactivate_locked_super(sb);
}

void generic_shutdown_super(struct super_block *sb)
{
	const struct super_operations *op = sb->s_op;
	unsigned int n;

	if (sb->s_root) {
		dcache_unmount(sb);
		sync_filesystem(sb);
		sb->s_flags &= ~SB_ACTIVE;
		inodes_evict(sb);
		if (op && op->put_super)
			op->put_super(sb);
	}
	n = inodes_evict(sb);
	if (n)
		pr_err("VFS: Busy inodes after unmount of %s (%s): %u\n", sb->s_id,
		       sb->s_type->name, n);
	rcu_barrier();			/* free_inode() needs the super block */
	mutex_lock(&lock);
	hlist_del_init(&sb->s_instances);
	mutex_unlock(&lock);
	up_write(&sb->s_umount);
}

void kill_anon_super(struct super_block *sb)
{
	generic_shutdown_super(sb);
}

void kill_litter_super(struct super_block *sb)
{
	if (sb->s_root)
		d_genocide(sb->s_root);
	kill_anon_super(sb);
}

void kill_block_super(struct super_block *sb)
{
	generic_shutdown_super(sb);
}

int sync_filesystem(struct super_block *sb)
{
	int error;

	if (sb_rdonly(sb))
		return 0;
	error = inodes_write(sb);
	if (sb->s_op && sb->s_op->sync_fs) {
		int later = sb->s_op->sync_fs(sb, 1);

		error = later ? later : error;
	}
	return error;
}

int sb_set_blocksize(struct super_block *sb, int size)
{
	if (size < 512 || size > (int)PAGE_SIZE || !is_power_of_2((unsigned long)size))
		return 0;
	sb->s_blocksize = (unsigned long)size;
	sb->s_blocksize_bits = (unsigned char)ilog2(size);
	return size;
}

int sb_min_blocksize(struct super_block *sb, int size)
{
	return sb_set_blocksize(sb, max(size, 512));
}

static struct dentry *fill_and_get_root(struct super_block *sb, int flags, void *data,
					int (*fill)(struct super_block *sb, void *data,
						    int silent))
{
	int error = sb->s_root ? 0 : fill(sb, data, flags & (int)SB_SILENT ? 1 : 0);

	if (error) {
		deactivate_locked_super(sb);
		return ERR_PTR(error);
	}
	sb->s_flags |= SB_ACTIVE;
	return dget(sb->s_root);
}

struct dentry *mount_nodev(struct file_system_type *type, int flags, void *data,
			   int (*fill)(struct super_block *sb, void *data, int silent))
{
	struct super_block *sb = sget(type, NULL, set_anon_super, flags, NULL);

	return IS_ERR(sb) ? ERR_CAST(sb) : fill_and_get_root(sb, flags, data, fill);
}

static int any_super(struct super_block *sb, void *data)
{
	(void)sb;
	(void)data;
	return 1;
}

struct dentry *mount_single(struct file_system_type *type, int flags, void *data,
			    int (*fill)(struct super_block *sb, void *data, int silent))
{
	struct super_block *sb = sget(type, any_super, set_anon_super, flags, NULL);

	return IS_ERR(sb) ? ERR_CAST(sb) : fill_and_get_root(sb, flags, data, fill);
}

struct dentry *mount_bdev(struct file_system_type *type, int flags, const char *device, void *data,
			  int (*fill)(struct super_block *sb, void *data, int silent))
{
	(void)type;
	(void)flags;
	(void)data;
	(void)fill;
	return ERR_PTR(device && *device ? -ENOENT : -EINVAL);
}

struct vfsmount *fc_mount(struct fs_context *context)
{
	struct vfsmount *mount = calloc(1, sizeof(*mount));
	int error = mount ? vfs_get_tree(context) : -ENOMEM;

	if (error) {
		free(mount);
		return ERR_PTR(error);
	}
	mount->mnt_root = context->root;
	mount->mnt_sb = context->root->d_sb;
	context->root = NULL;		/* the mount has the references */
	up_write(&mount->mnt_sb->s_umount);
	atomic_set(&mount->usermm_users, 1);
	return mount;
}

/* The device's name, for the context: file systems may look at it. 0 or -errno. */
static int set_source(struct fs_context *context, const char *device)
{
	struct fs_parameter source = { .key = "source", .type = fs_value_is_string };
	int error;

	if (!device)
		return 0;
	source.string = kstrdup(device, GFP_KERNEL);
	if (!source.string)
		return -ENOMEM;
	source.size = strlen(device);
	error = vfs_parse_fs_param(context, &source);
	kfree(source.string);
	return error;
}

struct vfsmount *vfs_kern_mount(struct file_system_type *type, int flags, const char *device,
				void *data)
{
	struct fs_context *context = fs_context_for_mount(type, (unsigned int)flags);
	struct vfsmount *mount;
	int error;

	if (IS_ERR(context))
		return ERR_CAST(context);
	error = set_source(context, device);
	if (!error && context->ops->parse_monolithic)
		error = context->ops->parse_monolithic(context, data);
	else if (!error)
		error = generic_parse_monolithic(context, data);
	mount = error ? ERR_PTR(error) : fc_mount(context);
	put_fs_context(context);
	return mount;
}

struct vfsmount *kern_mount(struct file_system_type *type)
{
	return vfs_kern_mount(type, (int)SB_KERNMOUNT, type->name, NULL);
}

void kern_unmount(struct vfsmount *mount)
{
	if (!IS_ERR_OR_NULL(mount))
		mntput(mount);
}

struct vfsmount *mntget(struct vfsmount *mount)
{
	if (mount)
		atomic_inc(&mount->usermm_users);
	return mount;
}

void mntput(struct vfsmount *mount)
{
	struct super_block *sb;

	if (!mount || !atomic_dec_and_test(&mount->usermm_users))
		return;
	sb = mount->mnt_sb;
	dput(mount->mnt_root);
	free(mount);
	deactivate_super(sb);
}

static DEFINE_MUTEX(pin_lock);

int simple_pin_fs(struct file_system_type *type, struct vfsmount **mount, int *count)
{
	struct vfsmount *fresh = NULL;

	mutex_lock(&pin_lock);
	if (!*mount)
		fresh = vfs_kern_mount(type, (int)SB_KERNMOUNT, type->name, NULL);
	if (IS_ERR(fresh)) {
		mutex_unlock(&pin_lock);
		return (int)PTR_ERR(fresh);
	}
	if (fresh)
		*mount = fresh;
	else
		mntget(*mount);
	++*count;
	mutex_unlock(&pin_lock);
	return 0;
}

void simple_release_fs(struct vfsmount **mount, int *count)
{
	struct vfsmount *old;

	mutex_lock(&pin_lock);
	old = *mount;
	if (!--*count)
		*mount = NULL;
	mutex_unlock(&pin_lock);
	mntput(old);
}
