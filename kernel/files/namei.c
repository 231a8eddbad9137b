// SPDX-License-Identifier: MIT
/* Paths that modules look up: see linux/namei.h. */
#include <linux/err.h>
#include <linux/mount.h>
#include <linux/namei.h>

#include "files.h"

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

void path_put(const struct path *path)
{
	if (path->usermm_file)
		fput(path->usermm_file);
	if (path->dentry && path->dentry->d_sb)
		dput(path->dentry);
	mntput(path->mnt);
}
