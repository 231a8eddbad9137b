// SPDX-License-Identifier: MIT
/* File systems that a module mounts for itself: names, inodes, super blocks, options, bytes. */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/kernel_read_file.h>
#include <linux/key-type.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/proc_fs.h>
#include <linux/pseudo_fs.h>
#include <linux/slab.h>
#include <linux/statfs.h>
#include <linux/vmalloc.h>
#include <linux/writeback.h>

#include "files/files.h"

#define MAGIC 0x74657374

/* Of the file systems below: how often Linux's calls of them ran. */
static int nr_filled, nr_put, nr_evicted, nr_written, nr_freed, nr_released, nr_inodes;
static int fill_error;
static unsigned int mode_option;
static bool fast_option, quiet_option;

static const struct inode_operations ram_folder, ram_file;
static const struct file_operations ram_operations = {
	.read_iter = generic_file_read_iter, .write_iter = generic_file_write_iter,
	.llseek = generic_file_llseek, .fsync = noop_fsync,
};

static struct inode *ram_inode(struct super_block *sb, const struct inode *folder, umode_t mode)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	nr_inodes++;
	inode->i_ino = get_next_ino();
	inode_init_owner(&nop_mnt_idmap, inode, folder, mode);
	inode->i_mapping->a_ops = &ram_aops;
	simple_inode_init_ts(inode);
	if (S_ISDIR(mode)) {
		inode->i_op = &ram_folder;
		inode->i_fop = &simple_dir_operations;
		inc_nlink(inode);
	} else if (S_ISLNK(mode)) {
		inode->i_op = &page_symlink_inode_operations;
	} else {
		inode->i_op = &ram_file;
		inode->i_fop = &ram_operations;
	}
	return inode;
}

static int ram_make(struct inode *folder, struct dentry *dentry, umode_t mode)
{
	struct inode *inode = ram_inode(folder->i_sb, folder, mode);

	if (!inode)
		return -ENOSPC;
	d_instantiate(dentry, inode);
	dget(dentry);
	return 0;
}

static int ram_create(struct mnt_idmap *map, struct inode *folder, struct dentry *dentry,
		      umode_t mode, bool exclusive)
{
	(void)map;
	(void)exclusive;
	return ram_make(folder, dentry, mode);
}

static struct dentry *ram_mkdir(struct mnt_idmap *map, struct inode *folder,
				struct dentry *dentry, umode_t mode)
{
	int error = ram_make(folder, dentry, S_IFDIR | mode);

	(void)map;
	if (!error)
		inc_nlink(folder);
	return ERR_PTR(error);
}

static int ram_symlink(struct mnt_idmap *map, struct inode *folder, struct dentry *dentry,
		       const char *target)
{
	int error = ram_make(folder, dentry, S_IFLNK | 0777);

	(void)map;
	return error ? error : page_symlink(d_inode(dentry), target, (int)strlen(target) + 1);
}

static const struct inode_operations ram_file = {
	.setattr = simple_setattr, .getattr = simple_getattr,
};
static const struct inode_operations ram_folder = {
	.create = ram_create, .lookup = simple_lookup, .link = simple_link,
	.unlink = simple_unlink, .symlink = ram_symlink, .mkdir = ram_mkdir,
	.rmdir = simple_rmdir, .rename = simple_rename,
};

static void ram_put(struct super_block *sb)
{
	(void)sb;
	nr_put++;
}

static void ram_evict(struct inode *inode)
{
	nr_inodes--;
	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
}

static const struct super_operations ram_super = {
	.statfs = simple_statfs, .drop_inode = generic_delete_inode, .evict_inode = ram_evict,
	.put_super = ram_put,
};

static int ram_fill(struct super_block *sb, struct fs_context *context)
{
	struct inode *root;

	(void)context;
	nr_filled++;
	sb->s_magic = MAGIC;
	sb->s_op = &ram_super;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_time_gran = 1;
	if (fill_error)
		return fill_error;
	root = ram_inode(sb, NULL, S_IFDIR | mode_option);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

enum { OPTION_MODE, OPTION_FAST, OPTION_LOUD };

static const struct constant_table loudness[] = { { "quiet", 0 }, { "loud", 1 }, {} };
static const struct fs_parameter_spec ram_parameters[] = {
	fsparam_u32oct("mode", OPTION_MODE), fsparam_flag_no("fast", OPTION_FAST),
	fsparam_enum("sound", OPTION_LOUD, loudness), {},
};

static int ram_parse(struct fs_context *context, struct fs_parameter *parameter)
{
	struct fs_parse_result result;
	int option = fs_parse(context, ram_parameters, parameter, &result);

	if (option == OPTION_MODE)
		mode_option = result.uint_32;
	else if (option == OPTION_FAST)
		fast_option = !result.negated;
	else if (option == OPTION_LOUD)
		quiet_option = !result.uint_32;
	return option < 0 ? option : 0;
}

static int ram_get_tree(struct fs_context *context)
{
	return get_tree_nodev(context, ram_fill);
}

static void ram_free(struct fs_context *context)
{
	(void)context;
	nr_freed++;
}

static const struct fs_context_operations ram_context = {
	.parse_param = ram_parse, .get_tree = ram_get_tree, .free = ram_free,
};

static int ram_init_context(struct fs_context *context)
{
	context->ops = &ram_context;
	return 0;
}

static struct file_system_type ram_type = {
	.owner = THIS_MODULE, .name = "test_ram", .init_fs_context = ram_init_context,
	.parameters = ram_parameters, .kill_sb = kill_litter_super,
};

static int filesystems_init(struct kunit *test)
{
	(void)test;
	nr_filled = nr_put = nr_evicted = nr_written = nr_freed = nr_released = nr_inodes = 0;
	fill_error = 0;
	mode_option = 0755;
	fast_option = quiet_option = false;
	return 0;
}

/* An unmount has ended all inodes. */
static void filesystems_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nr_inodes, 0);
}

static void test_names_of_types(struct kunit *test)
{
	struct file_system_type other = { .name = "test_ram" };

	KUNIT_EXPECT_EQ(test, register_filesystem(&ram_type), 0);
	KUNIT_EXPECT_EQ(test, register_filesystem(&other), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, get_fs_type("test_ram"), &ram_type);
	KUNIT_EXPECT_EQ(test, unregister_filesystem(&other), -EINVAL);
	KUNIT_EXPECT_EQ(test, unregister_filesystem(&ram_type), 0);
	KUNIT_EXPECT_EQ(test, unregister_filesystem(&ram_type), -EINVAL);
	KUNIT_EXPECT_NULL(test, get_fs_type("test_ram"));
}

static struct path root_of(struct vfsmount *mount)
{
	return (struct path){ .mnt = mount, .dentry = mount->mnt_root };
}

/* More than a page, so that each read and write crosses two. */
static void write_and_read(struct kunit *test, struct path *root)
{
	char *bytes = kunit_kmalloc(test, 10000, GFP_KERNEL);
	char *back = kunit_kzalloc(test, 10000, GFP_KERNEL);
	struct file *file = file_open_root(root, "file", O_RDWR | O_CREAT | O_EXCL, 0640);
	loff_t pos = 100;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	for (unsigned int i = 0; i < 10000; i++)
		bytes[i] = (char)(i * 7);
	KUNIT_EXPECT_EQ(test, kernel_write(file, bytes, 10000, &pos), 10000);
	KUNIT_EXPECT_EQ(test, pos, 10100);
	KUNIT_EXPECT_EQ(test, i_size_read(file_inode(file)), 10100);
	KUNIT_EXPECT_EQ(test, file_inode(file)->i_mode, S_IFREG | 0640);
	pos = 100;
	KUNIT_EXPECT_EQ(test, kernel_read(file, back, 10000, &pos), 10000);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, back, 10000), 0);
	pos = 0;
	KUNIT_EXPECT_EQ(test, kernel_read(file, back, 100, &pos), 100);
	KUNIT_EXPECT_EQ(test, back[0] | back[99], 0);
	pos = 10090;
	KUNIT_EXPECT_EQ(test, kernel_read(file, back, 100, &pos), 10);
	KUNIT_EXPECT_EQ(test, kernel_read(file, back, 100, &pos), 0);
	truncate_setsize(file_inode(file), 150);
	truncate_setsize(file_inode(file), 5000);
	pos = 140;
	KUNIT_EXPECT_EQ(test, kernel_read(file, back, 20, &pos), 20);
	KUNIT_EXPECT_EQ(test, memcmp(back, bytes + 40, 10), 0);
	KUNIT_EXPECT_EQ(test, back[10] | back[19], 0);
	filp_close(file, NULL);
	file = file_open_root(root, "file", O_RDWR | O_CREAT | O_EXCL, 0);
	KUNIT_EXPECT_PTR_EQ(test, (void *)file, ERR_PTR(-EEXIST));
	file = file_open_root(root, "file", O_WRONLY | O_TRUNC, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, i_size_read(file_inode(file)), 0);
	filp_close(file, NULL);
}

static void test_bytes_of_a_file(struct kunit *test)
{
	struct vfsmount *mount = kern_mount(&ram_type);
	struct path root;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	root = root_of(mount);
	write_and_read(test, &root);
	KUNIT_EXPECT_PTR_EQ(test, (void *)file_open_root(&root, "none", O_RDONLY, 0),
			    ERR_PTR(-ENOENT));
	KUNIT_EXPECT_PTR_EQ(test, (void *)file_open_root(&root, "file/x", O_RDONLY, 0),
			    ERR_PTR(-ENOTDIR));
	KUNIT_EXPECT_PTR_EQ(test, (void *)file_open_root(&root, ".", O_RDWR, 0),
			    ERR_PTR(-EISDIR));
	kern_unmount(mount);
	KUNIT_EXPECT_EQ(test, nr_put, 1);
	KUNIT_EXPECT_EQ(test, nr_freed, 1);
}

static int do_mkdir(struct dentry *folder, const char *name)
{
	struct dentry *dentry, *made;

	inode_lock(d_inode(folder));
	dentry = lookup_one_len(name, folder, (int)strlen(name));
	made = ram_mkdir(&nop_mnt_idmap, d_inode(folder), dentry, 0755);
	inode_unlock(d_inode(folder));
	dput(dentry);
	return (int)PTR_ERR(made);
}

static int do_symlink(struct dentry *folder, const char *name, const char *target)
{
	struct dentry *dentry;
	int error;

	inode_lock(d_inode(folder));
	dentry = lookup_one_len(name, folder, (int)strlen(name));
	error = ram_symlink(&nop_mnt_idmap, d_inode(folder), dentry, target);
	inode_unlock(d_inode(folder));
	dput(dentry);
	return error;
}

static int look(struct path *root, const char *name, unsigned int flags, struct path *path)
{
	return vfs_path_lookup(root->dentry, root->mnt, name, flags, path);
}

static void test_paths(struct kunit *test)
{
	struct vfsmount *mount = kern_mount(&ram_type);
	struct path root, path;
	struct file *file;
	char text[16];

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	root = root_of(mount);
	KUNIT_ASSERT_EQ(test, do_mkdir(root.dentry, "a"), 0);
	KUNIT_ASSERT_EQ(test, look(&root, "a", 0, &path), 0);
	KUNIT_EXPECT_EQ(test, do_mkdir(path.dentry, "b"), 0);
	KUNIT_EXPECT_EQ(test, d_inode(path.dentry)->i_nlink, 3);
	path_put(&path);
	file = file_open_root(&root, "a/b/c", O_RDWR | O_CREAT, 0644);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_STREQ(test, d_path(&file->f_path, text, sizeof(text)), "/a/b/c");
	KUNIT_EXPECT_PTR_EQ(test, (void *)d_path(&file->f_path, text, 6), ERR_PTR(-ENAMETOOLONG));
	filp_close(file, NULL);
	KUNIT_EXPECT_EQ(test, do_symlink(root.dentry, "up", "a/b/../b"), 0);
	KUNIT_EXPECT_EQ(test, do_symlink(root.dentry, "loop", "/loop"), 0);
	KUNIT_EXPECT_EQ(test, look(&root, "up/c", 0, &path), 0);
	KUNIT_EXPECT_STREQ(test, d_path(&path, text, sizeof(text)), "/a/b/c");
	path_put(&path);
	KUNIT_EXPECT_EQ(test, look(&root, "up", 0, &path), 0);
	KUNIT_EXPECT_TRUE(test, d_is_symlink(path.dentry));
	path_put(&path);
	KUNIT_EXPECT_EQ(test, look(&root, "up", LOOKUP_FOLLOW, &path), 0);
	KUNIT_EXPECT_TRUE(test, d_is_dir(path.dentry));
	path_put(&path);
	KUNIT_EXPECT_EQ(test, look(&root, "../..//a/./", LOOKUP_DIRECTORY, &path), 0);
	path_put(&path);
	KUNIT_ASSERT_EQ(test, look(&root, "a", 0, &path), 0);
	root.dentry = path.dentry;
	/* The folder that a walk begins at is its root, even for a link that begins with '/'. */
	KUNIT_EXPECT_EQ(test, look(&root, "../../b/c", 0, &path), 0);
	KUNIT_EXPECT_STREQ(test, d_path(&path, text, sizeof(text)), "/a/b/c");
	path_put(&path);
	KUNIT_EXPECT_EQ(test, look(&root, "../a", 0, &path), -ENOENT);
	path = root;
	root.dentry = mount->mnt_root;
	path_put(&path);
	KUNIT_EXPECT_EQ(test, look(&root, "loop", LOOKUP_FOLLOW, &path), -ELOOP);
	KUNIT_EXPECT_EQ(test, look(&root, "a/b/c", LOOKUP_DIRECTORY, &path), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, look(&root, "a/x/c", 0, &path), -ENOENT);
	kern_unmount(mount);
	KUNIT_EXPECT_EQ(test, nr_put, 1);
}

struct names {
	struct dir_context context;
	char text[64];
	int most;
};

static bool note_name(struct dir_context *context, const char *name, int length, loff_t offset,
		      u64 number, unsigned int type)
{
	struct names *names = container_of(context, struct names, context);
	size_t n = strlen(names->text);

	(void)offset;
	(void)number;
	if (!names->most)
		return false;
	names->most--;
	snprintf(names->text + n, sizeof(names->text) - n, "%.*s%s ", length, name,
		 type == DT_DIR ? "/" : "");
	return true;
}

static void test_folders_and_links(struct kunit *test)
{
	struct names names = { .context.actor = note_name, .most = 3 };
	struct vfsmount *mount = kern_mount(&ram_type);
	struct dentry *one, *two;
	struct path root;
	struct file *file;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	root = root_of(mount);
	KUNIT_ASSERT_EQ(test, do_mkdir(root.dentry, "d"), 0);
	file = file_open_root(&root, "d/f", O_RDWR | O_CREAT, 0644);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	filp_close(file, NULL);
	inode_lock(d_inode(root.dentry));
	two = lookup_one_len("g", root.dentry, 1);
	one = lookup_one_len("d", root.dentry, 1);
	KUNIT_EXPECT_EQ(test, simple_rmdir(d_inode(root.dentry), one), -ENOTEMPTY);
	inode_unlock(d_inode(root.dentry));
	file = file_open_root(&root, "d/f", O_RDONLY, 0);
	KUNIT_EXPECT_EQ(test, simple_link(file->f_path.dentry, d_inode(root.dentry), two), 0);
	KUNIT_EXPECT_EQ(test, file_inode(file)->i_nlink, 2);
	KUNIT_EXPECT_EQ(test, iterate_dir(file, &names.context), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, simple_unlink(d_inode(one), file->f_path.dentry), 0);
	d_delete(file->f_path.dentry);
	filp_close(file, NULL);
	dput(two);
	shrink_dcache_sb(mount->mnt_sb);		/* leaves names of files */
	file = file_open_root(&root, "", O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, iterate_dir(file, &names.context), 0);
	names.most = 9;
	KUNIT_EXPECT_EQ(test, iterate_dir(file, &names.context), 0);
	KUNIT_EXPECT_EQ(test, iterate_dir(file, &names.context), 0);
	KUNIT_EXPECT_STREQ(test, names.text[7] == 'd' ? "./ ../ d/ g " : "./ ../ g d/ ",
			   names.text);
	filp_close(file, NULL);
	KUNIT_EXPECT_EQ(test, simple_rmdir(d_inode(root.dentry), one), 0);
	d_delete(one);
	dput(one);
	kern_unmount(mount);
	KUNIT_EXPECT_EQ(test, nr_put, 1);
}

static void test_rename(struct kunit *test)
{
	struct vfsmount *mount = kern_mount(&ram_type);
	struct dentry *from, *to;
	struct path root, path;
	struct inode *folder;
	struct file *file;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	root = root_of(mount);
	folder = d_inode(root.dentry);
	file = file_open_root(&root, "old", O_RDWR | O_CREAT, 0644);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	from = dget(file->f_path.dentry);
	filp_close(file, NULL);
	to = lookup_one_len("new name", root.dentry, 8);
	KUNIT_EXPECT_EQ(test, simple_rename(&nop_mnt_idmap, folder, from, folder, to, 0x80),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, simple_rename(&nop_mnt_idmap, folder, from, folder, to, 0), 0);
	d_move(from, to);
	KUNIT_EXPECT_EQ(test, look(&root, "old", 0, &path), -ENOENT);
	KUNIT_ASSERT_EQ(test, look(&root, "new name", 0, &path), 0);
	KUNIT_EXPECT_PTR_EQ(test, path.dentry, from);
	path_put(&path);
	dput(from);
	dput(to);
	kern_unmount(mount);
	KUNIT_EXPECT_EQ(test, nr_put, 1);
}

static int mount_with(char *options)
{
	char *text = kstrdup(options, GFP_KERNEL);
	struct vfsmount *mount = vfs_kern_mount(&ram_type, 0, "none", text);

	kfree(text);
	if (IS_ERR(mount))
		return (int)PTR_ERR(mount);
	kern_unmount(mount);
	return 0;
}

static void test_options(struct kunit *test)
{
	struct vfsmount *mount;
	char ro[] = "ro";
	struct path root;

	KUNIT_EXPECT_EQ(test, mount_with(""), 0);
	KUNIT_EXPECT_EQ(test, mount_with("mode=0700,fast,,sound=quiet"), 0);
	KUNIT_EXPECT_EQ(test, mode_option, 0700);
	KUNIT_EXPECT_TRUE(test, fast_option);
	KUNIT_EXPECT_TRUE(test, quiet_option);
	KUNIT_EXPECT_EQ(test, mount_with("nofast"), 0);
	KUNIT_EXPECT_FALSE(test, fast_option);
	KUNIT_EXPECT_EQ(test, mount_with("mode=8"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mount_with("mode"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mount_with("fast=1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mount_with("sound=none"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mount_with("nomode"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mount_with("colour=red"), -EINVAL);
	mount = vfs_kern_mount(&ram_type, 0, NULL, ro);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	root = root_of(mount);
	KUNIT_EXPECT_PTR_EQ(test, (void *)file_open_root(&root, "f", O_RDWR | O_CREAT, 0644),
			    ERR_PTR(-EROFS));
	KUNIT_EXPECT_PTR_EQ(test, (void *)file_open_root(&root, "f", O_RDONLY | O_CREAT, 0644),
			    ERR_PTR(-EROFS));
	kern_unmount(mount);
}

static void test_fill_that_fails(struct kunit *test)
{
	fill_error = -ENXIO;
	KUNIT_EXPECT_PTR_EQ(test, (void *)kern_mount(&ram_type), ERR_PTR(-ENXIO));
	KUNIT_EXPECT_EQ(test, nr_filled, 1);
	KUNIT_EXPECT_EQ(test, nr_freed, 1);
	/* Without a root there is nothing that put_super() would have to end. */
	KUNIT_EXPECT_EQ(test, nr_put, 0);
}

static void test_pinned_for_each_user(struct kunit *test)
{
	struct vfsmount *mount = NULL;
	int count = 0;

	KUNIT_EXPECT_EQ(test, simple_pin_fs(&ram_type, &mount, &count), 0);
	KUNIT_EXPECT_EQ(test, simple_pin_fs(&ram_type, &mount, &count), 0);
	KUNIT_EXPECT_EQ(test, nr_filled, 1);
	KUNIT_EXPECT_EQ(test, count, 2);
	simple_release_fs(&mount, &count);
	KUNIT_EXPECT_EQ(test, nr_put, 0);
	KUNIT_EXPECT_NOT_NULL(test, mount);
	simple_release_fs(&mount, &count);
	KUNIT_EXPECT_EQ(test, nr_put, 1);
	KUNIT_EXPECT_NULL(test, mount);
	fill_error = -EIO;
	KUNIT_EXPECT_EQ(test, simple_pin_fs(&ram_type, &mount, &count), -EIO);
	KUNIT_EXPECT_EQ(test, count, 0);
}

/* A file system of numbered inodes of its own, mounted by mount(), as before 5.1. */
struct numbered {
	int tag;
	struct inode inode;
};

static struct kmem_cache *numbered_cache;

static void numbered_once(void *object)
{
	inode_init_once(&((struct numbered *)object)->inode);
}

static struct inode *numbered_alloc(struct super_block *sb)
{
	struct numbered *numbered = alloc_inode_sb(sb, numbered_cache, GFP_KERNEL);

	return numbered ? &numbered->inode : NULL;
}

static void numbered_free(struct inode *inode)
{
	nr_freed++;
	kmem_cache_free(numbered_cache, container_of(inode, struct numbered, inode));
}

static void numbered_evict(struct inode *inode)
{
	nr_evicted++;
	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
}

static int numbered_write(struct inode *inode, struct writeback_control *control)
{
	(void)inode;
	nr_written += control->sync_mode == WB_SYNC_ALL;
	return inode->i_ino == 9 ? -EIO : 0;
}

static const struct super_operations numbered_super = {
	.alloc_inode = numbered_alloc, .free_inode = numbered_free,
	.evict_inode = numbered_evict, .write_inode = numbered_write, .put_super = ram_put,
};

static int numbered_fill(struct super_block *sb, void *data, int silent)
{
	struct inode *root;

	(void)silent;
	sb->s_op = &numbered_super;
	sb->s_fs_info = data;
	root = iget_locked(sb, 1);
	if (!root)
		return -ENOMEM;
	root->i_mode = S_IFDIR | 0755;
	root->i_op = &simple_dir_inode_operations;
	unlock_new_inode(root);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

static struct dentry *numbered_mount(struct file_system_type *type, int flags, const char *device,
				     void *data)
{
	(void)device;
	return mount_nodev(type, flags, data, numbered_fill);
}

static struct file_system_type numbered_type = {
	.name = "test_numbered", .mount = numbered_mount, .kill_sb = kill_anon_super,
};

static void try_numbers(struct kunit *test, struct super_block *sb)
{
	struct inode *inode = iget_locked(sb, 7), *again;

	KUNIT_ASSERT_NOT_NULL(test, inode);
	KUNIT_EXPECT_EQ(test, inode->i_state & I_NEW, I_NEW);
	unlock_new_inode(inode);
	again = iget_locked(sb, 7);
	KUNIT_EXPECT_PTR_EQ(test, again, inode);
	KUNIT_EXPECT_EQ(test, again->i_state & I_NEW, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&inode->i_count), 2);
	iput(again);
	iput(inode);
	/* It has a link, and stays for the next one. */
	KUNIT_EXPECT_EQ(test, nr_evicted, 0);
	again = ilookup(sb, 7);
	KUNIT_EXPECT_PTR_EQ(test, again, inode);
	KUNIT_EXPECT_NULL(test, ilookup(sb, 8));
	clear_nlink(again);
	iput(again);
	KUNIT_EXPECT_EQ(test, nr_evicted, 1);
	KUNIT_EXPECT_NULL(test, ilookup(sb, 7));
	inode = iget_locked(sb, 8);
	KUNIT_ASSERT_NOT_NULL(test, inode);
	iget_failed(inode);
	KUNIT_EXPECT_NULL(test, ilookup(sb, 8));
	KUNIT_EXPECT_EQ(test, nr_evicted, 2);
}

static void try_writing(struct kunit *test, struct super_block *sb)
{
	struct inode *inode = iget_locked(sb, 5);

	KUNIT_ASSERT_NOT_NULL(test, inode);
	unlock_new_inode(inode);
	mark_inode_dirty(inode);
	KUNIT_EXPECT_EQ(test, sync_filesystem(sb), 0);
	KUNIT_EXPECT_EQ(test, sync_filesystem(sb), 0);
	KUNIT_EXPECT_EQ(test, nr_written, 1);
	iput(inode);
	inode = iget_locked(sb, 9);
	KUNIT_ASSERT_NOT_NULL(test, inode);
	unlock_new_inode(inode);
	mark_inode_dirty(inode);
	KUNIT_EXPECT_EQ(test, sync_filesystem(sb), -EIO);
	mark_inode_dirty(inode);
	iput(inode);
}

static void test_inodes_by_number(struct kunit *test)
{
	struct vfsmount *mount;

	numbered_cache = kmem_cache_create("test_numbered", sizeof(struct numbered), 0,
					   SLAB_RECLAIM_ACCOUNT, numbered_once);
	KUNIT_ASSERT_NOT_NULL(test, numbered_cache);
	mount = vfs_kern_mount(&numbered_type, 0, NULL, "data");
	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	KUNIT_EXPECT_STREQ(test, (char *)mount->mnt_sb->s_fs_info, "data");
	try_numbers(test, mount->mnt_sb);
	try_writing(test, mount->mnt_sb);
	/* The root, 5 and 9 are left; what is dirty of them is written first. */
	nr_evicted = nr_written = 0;
	kern_unmount(mount);
	KUNIT_EXPECT_EQ(test, nr_evicted, 3);
	KUNIT_EXPECT_EQ(test, nr_written, 1);
	KUNIT_EXPECT_EQ(test, nr_put, 1);
	KUNIT_EXPECT_EQ(test, nr_freed, 5);
	kmem_cache_destroy(numbered_cache);
}

static ssize_t hello_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	(void)file;
	return simple_read_from_buffer(buffer, n, pos, "hello\n", 6);
}

static const struct file_operations hello_operations = { .read = hello_read };

static int tree_fill(struct super_block *sb, void *data, int silent)
{
	static const struct tree_descr files[] = {
		[2] = { "hello", &hello_operations, 0444 }, { .name = "" },
	};

	(void)data;
	(void)silent;
	nr_filled++;
	return simple_fill_super(sb, MAGIC, files);
}

static struct dentry *tree_mount(struct file_system_type *type, int flags, const char *device,
				 void *data)
{
	(void)device;
	return mount_single(type, flags, data, tree_fill);
}

static struct file_system_type tree_type = {
	.name = "test_tree", .mount = tree_mount, .kill_sb = kill_litter_super,
};

static void test_one_super_block_for_all(struct kunit *test)
{
	struct vfsmount *one = kern_mount(&tree_type), *two = kern_mount(&tree_type);
	struct kstatfs statfs;
	struct kstat stat;
	struct path root;
	struct file *file;
	loff_t pos = 0;
	char text[8] = "";

	KUNIT_ASSERT_FALSE(test, IS_ERR(one) || IS_ERR(two));
	KUNIT_EXPECT_PTR_EQ(test, one->mnt_sb, two->mnt_sb);
	KUNIT_EXPECT_EQ(test, nr_filled, 1);
	kern_unmount(one);
	root = root_of(two);
	file = file_open_root(&root, "hello", O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, kernel_read(file, text, 7, &pos), 6);
	KUNIT_EXPECT_STREQ(test, text, "hello\n");
	KUNIT_EXPECT_EQ(test, vfs_getattr(&file->f_path, &stat, STATX_BASIC_STATS, 0), 0);
	KUNIT_EXPECT_EQ(test, stat.ino, 2);
	KUNIT_EXPECT_EQ(test, stat.mode, S_IFREG | 0444);
	KUNIT_EXPECT_EQ(test, vfs_statfs(&file->f_path, &statfs), 0);
	KUNIT_EXPECT_EQ(test, statfs.f_type, MAGIC);
	/* The file keeps what it was opened by. */
	kern_unmount(two);
	pos = 0;
	KUNIT_EXPECT_EQ(test, kernel_read(file, text, 7, &pos), 6);
	filp_close(file, NULL);
}

static int pseudo_init(struct fs_context *context)
{
	return init_pseudo(context, MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type pseudo_type = {
	.name = "test_pseudo", .init_fs_context = pseudo_init, .kill_sb = kill_anon_super,
};

static struct dentry *disk_mount(struct file_system_type *type, int flags, const char *device,
				 void *data)
{
	return mount_bdev(type, flags, device, data, numbered_fill);
}

static struct file_system_type disk_type = {
	.name = "test_disk", .mount = disk_mount, .kill_sb = kill_block_super,
	.fs_flags = FS_REQUIRES_DEV,
};

static void test_without_names_and_disks(struct kunit *test)
{
	struct vfsmount *mount = kern_mount(&pseudo_type);
	struct inode *inode;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	inode = alloc_anon_inode(mount->mnt_sb);
	KUNIT_ASSERT_FALSE(test, IS_ERR(inode));
	KUNIT_EXPECT_EQ(test, mount->mnt_sb->s_magic, MAGIC);
	iput(inode);
	kern_unmount(mount);
	KUNIT_EXPECT_PTR_EQ(test, (void *)vfs_kern_mount(&disk_type, 0, "/dev/none", NULL),
			    ERR_PTR(-ENOENT));
	KUNIT_EXPECT_PTR_EQ(test, (void *)vfs_kern_mount(&disk_type, 0, NULL, NULL),
			    ERR_PTR(-EINVAL));
}

static void note_release(struct dentry *dentry)
{
	(void)dentry;
	nr_released++;
}

static int never_keep(const struct dentry *dentry)
{
	(void)dentry;
	return 1;
}

static const struct dentry_operations forgetting = {
	.d_delete = never_keep, .d_release = note_release,
};

static void test_lives_of_names(struct kunit *test)
{
	struct vfsmount *mount = kern_mount(&ram_type);
	struct qstr name = QSTR_INIT("x", 1);
	struct dentry *dentry;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	dentry = lookup_one_len("x", mount->mnt_root, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dentry));
	KUNIT_EXPECT_TRUE(test, d_really_is_negative(dentry));
	dput(dentry);
	/* That there is no such file is remembered, until someone shrinks. */
	KUNIT_EXPECT_PTR_EQ(test, d_lookup(mount->mnt_root, &name), dentry);
	dput(dentry);
	shrink_dcache_parent(mount->mnt_root);
	KUNIT_EXPECT_NULL(test, d_lookup(mount->mnt_root, &name));
	dentry = d_alloc_name(mount->mnt_root, "y");
	KUNIT_ASSERT_NOT_NULL(test, dentry);
	d_set_d_op(dentry, &forgetting);
	d_add(dentry, NULL);
	dput(dentry);
	KUNIT_EXPECT_EQ(test, nr_released, 1);
	KUNIT_EXPECT_PTR_EQ(test, (void *)lookup_one_len("a/b", mount->mnt_root, 3),
			    ERR_PTR(-EACCES));
	KUNIT_EXPECT_PTR_EQ(test, (void *)lookup_one_len("..", mount->mnt_root, 2),
			    ERR_PTR(-EACCES));
	kern_unmount(mount);
}

static void test_whole_files(struct kunit *test)
{
	struct vfsmount *mount = kern_mount(&ram_type);
	char small[4];
	void *bytes = NULL, *place = small;
	size_t size = 0;
	struct path root;
	struct file *file;
	loff_t pos = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mount));
	root = root_of(mount);
	file = file_open_root(&root, "f", O_RDWR | O_CREAT, 0644);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, kernel_read_file(file, 0, &bytes, 99, NULL, READING_FIRMWARE),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, kernel_write(file, "eight by", 8, &pos), 8);
	KUNIT_EXPECT_EQ(test, kernel_read_file(file, 0, &bytes, 8, NULL, READING_FIRMWARE), 8);
	KUNIT_ASSERT_NOT_NULL(test, bytes);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, "eight by", 8), 0);
	vfree(bytes);
	bytes = NULL;
	KUNIT_EXPECT_EQ(test, kernel_read_file(file, 0, &bytes, 7, NULL, READING_FIRMWARE),
			-EFBIG);
	KUNIT_EXPECT_NULL(test, bytes);
	KUNIT_EXPECT_EQ(test, kernel_read_file(file, 2, &place, 4, &size, READING_POLICY), 4);
	KUNIT_EXPECT_EQ(test, memcmp(small, "ght ", 4), 0);
	KUNIT_EXPECT_EQ(test, size, 8);
	filp_close(file, NULL);
	kern_unmount(mount);
	KUNIT_EXPECT_EQ(test, kernel_read_file_from_path("", 0, &bytes, 8, NULL, READING_POLICY),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, kernel_read_file_from_path("/nowhere/at/all", 0, &bytes, 8, NULL,
							 READING_POLICY), -ENOENT);
}

static void test_key_types(struct kunit *test)
{
	struct key_type type = { .name = "test" }, other = type, user = { .name = "user" };

	KUNIT_EXPECT_EQ(test, register_key_type(&type), 0);
	KUNIT_EXPECT_EQ(test, register_key_type(&other), -EEXIST);
	KUNIT_EXPECT_EQ(test, register_key_type(&user), -EEXIST);
	unregister_key_type(&type);
	KUNIT_EXPECT_EQ(test, register_key_type(&other), 0);
	unregister_key_type(&other);
}

static void test_paths_of_folders(struct kunit *test)
{
	struct file_node *base = node_base("/proc");
	struct proc_dir_entry *file = proc_create("a_file", 0444, NULL, NULL);
	struct path path;

	KUNIT_ASSERT_NOT_NULL(test, base);
	KUNIT_EXPECT_EQ(test, kern_path("/", LOOKUP_DIRECTORY, &path), 0);
	path_put(&path);
	KUNIT_EXPECT_EQ(test, kern_path("/proc/self/exe", LOOKUP_FOLLOW | LOOKUP_OPEN, &path), 0);
	KUNIT_EXPECT_TRUE(test, S_ISREG(d_inode(path.dentry)->i_mode));
	path_put(&path);
	KUNIT_EXPECT_EQ(test, kern_path("/proc/self/exe", LOOKUP_DIRECTORY, &path), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, kern_path("/proc/no such", LOOKUP_DIRECTORY, &path), -ENOENT);
	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_EXPECT_EQ(test, kern_path("/proc/a_file", 0, &path), 0);
	path_put(&path);
	KUNIT_EXPECT_EQ(test, kern_path("/proc/a_file", LOOKUP_DIRECTORY, &path), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, kern_path("/proc", LOOKUP_DIRECTORY, &path), 0);
	path_put(&path);
	proc_remove(file);
}

static int mode_at(const char *name, unsigned int flags)
{
	struct path path;
	int error = kern_path(name, flags, &path), mode;

	if (error)
		return error;
	mode = d_inode(path.dentry)->i_mode & S_IFMT;
	path_put(&path);
	return mode;
}

static void test_paths_of_links(struct kunit *test)
{
	static const struct {
		const char *name;
		unsigned int flags;
		int mode;		/* or -errno */
	} paths[] = {
		{ "/proc/to_file", 0, S_IFLNK },
		{ "/proc/to_file", LOOKUP_FOLLOW, S_IFREG },
		{ "/proc/to_file", LOOKUP_FOLLOW | LOOKUP_DIRECTORY, -ENOTDIR },
		{ "/proc/to_file", LOOKUP_DIRECTORY, -ENOTDIR },
		{ "/proc/to_file/", 0, -ENOTDIR },
		{ "/proc/a_folder/relative", LOOKUP_FOLLOW, S_IFREG },
		{ "/proc/a_folder/twice", LOOKUP_FOLLOW, S_IFREG },
		{ "/proc/to_folder", LOOKUP_DIRECTORY, -ENOTDIR },
		{ "/proc/to_folder/", 0, S_IFDIR },
		{ "/proc/to_folder/inner", 0, S_IFREG },
		{ "/proc/outside", LOOKUP_FOLLOW | LOOKUP_DIRECTORY, S_IFDIR },
		{ "/proc/nowhere", LOOKUP_FOLLOW, -ENOENT },
		{ "/proc/loop", LOOKUP_FOLLOW, -ELOOP },
		{ "/proc/loop", 0, S_IFLNK },
		{ "/proc/a_file/", 0, -ENOTDIR },
		{ "/proc/a_folder/", 0, S_IFDIR },
		{ "/proc/self/cwd", 0, S_IFLNK },
		{ "/proc/self/cwd", LOOKUP_FOLLOW, S_IFDIR },
		{ "/proc/self/exe", LOOKUP_FOLLOW, S_IFREG },
		{ "/proc/self/exe/", 0, -ENOTDIR },
		{ "", LOOKUP_FOLLOW, -ENOENT },
		{ "proc", LOOKUP_FOLLOW, -ENOENT },
	};
	struct proc_dir_entry *folder = proc_mkdir("a_folder", NULL), *entries[9] = {
		proc_create("a_file", 0444, NULL, NULL),
		proc_create("inner", 0444, folder, NULL),
		proc_symlink("relative", folder, "inner"),
		proc_symlink("twice", folder, "/proc/to_file"),
		proc_symlink("to_file", NULL, "a_file"),
		proc_symlink("to_folder", NULL, "/proc/a_folder"),
		proc_symlink("outside", NULL, "/tmp"),
		proc_symlink("nowhere", NULL, "missing"),
		proc_symlink("loop", NULL, "loop"),
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++)
		KUNIT_EXPECT_EQ_MSG(test, mode_at(paths[i].name, paths[i].flags), paths[i].mode,
				    "%s %x", paths[i].name, paths[i].flags);
	for (unsigned int i = 0; i < ARRAY_SIZE(entries); i++)
		proc_remove(entries[i]);
	proc_remove(folder);
}

/* Its path is found; nothing opens it. */
static void test_path_of_a_socket(struct kunit *test)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	KUNIT_ASSERT_GE(test, fd, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/usermm-socket-%d", getpid());
	KUNIT_ASSERT_EQ(test, bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	KUNIT_EXPECT_EQ(test, mode_at(address.sun_path, LOOKUP_FOLLOW), S_IFSOCK);
	KUNIT_EXPECT_EQ(test, mode_at(address.sun_path, LOOKUP_DIRECTORY), -ENOTDIR);
	unlink(address.sun_path);
	close(fd);
}

static struct kunit_case filesystems_cases[] = {
	KUNIT_CASE(test_paths_of_folders),
	KUNIT_CASE(test_paths_of_links), KUNIT_CASE(test_path_of_a_socket),
	KUNIT_CASE(test_names_of_types),
	KUNIT_CASE(test_bytes_of_a_file),
	KUNIT_CASE(test_paths),
	KUNIT_CASE(test_folders_and_links),
	KUNIT_CASE(test_rename),
	KUNIT_CASE(test_options),
	KUNIT_CASE(test_fill_that_fails),
	KUNIT_CASE(test_pinned_for_each_user),
	KUNIT_CASE(test_inodes_by_number),
	KUNIT_CASE(test_one_super_block_for_all),
	KUNIT_CASE(test_without_names_and_disks),
	KUNIT_CASE(test_lives_of_names),
	KUNIT_CASE(test_whole_files),
	KUNIT_CASE(test_key_types),
	{}
};

static struct kunit_suite filesystems_suite = {
	.name = "kernel_filesystems", .init = filesystems_init, .exit = filesystems_exit,
	.test_cases = filesystems_cases,
};
kunit_test_suite(filesystems_suite);
