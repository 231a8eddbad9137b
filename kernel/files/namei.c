// SPDX-License-Identifier: MIT
/* Paths that modules look up (linux/namei.h), and the folder of all tasks (linux/fs_struct.h). */
#include <linux/err.h>
#include <linux/fs_struct.h>
#include <linux/init_task.h>
#include <linux/mount.h>
#include <linux/namei.h>

#include "files.h"

/* It is in no tree: node_path() makes "/" of it. */
static struct file_node root = {
	.dentry = {
		.d_name = QSTR_INIT("/", 1), .d_parent = &root.dentry, .d_inode = &root.inode,
	},
	.inode = { .i_mode = S_IFDIR | 0755, .i_nlink = 2 },
	.children = LIST_HEAD_INIT(root.children), .sibling = LIST_HEAD_INIT(root.sibling),
	.is_base = true,
};
static struct vfsmount mount = { .mnt_root = &root.dentry, .usermm_users = ATOMIC_INIT(1) };

struct fs_struct init_fs = {
	.users = 1, .umask = 0022,
	.root = { .mnt = &mount, .dentry = &root.dentry },
	.pwd = { .mnt = &mount, .dentry = &root.dentry },
};

int kern_path(const char *name, unsigned int flags, struct path *path)
{
	struct file_node *node = node_find(name);
	struct file *file;

	if (node && flags & LOOKUP_DIRECTORY && !S_ISDIR(node->inode.i_mode) && !node->target)
		return -ENOTDIR;
	if (node) {
		*path = (struct path){ .dentry = &node->dentry };
		return 0;
	}
	file = filp_open(name, O_RDONLY | O_NONBLOCK, 0);
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	if (flags & LOOKUP_DIRECTORY && !S_ISDIR(file_inode(file)->i_mode)) {
		filp_close(file, NULL);
		return -ENOTDIR;
	}
	*path = file->f_path;
	path->usermm_file = file;
	return 0;
}

void path_get(const struct path *path)
{
	if (path->usermm_file)
		get_file(path->usermm_file);
	mntget(path->mnt);
	dget(path->dentry);
}

/* The file comes last: a real file's dentry is a part of it. */
void path_put(const struct path *path)
{
	if (path->dentry && path->dentry->d_sb)
		dput(path->dentry);
	mntput(path->mnt);
	if (path->usermm_file)
		fput(path->usermm_file);
}
