// SPDX-License-Identifier: MIT
/* Paths that modules look up (linux/namei.h), and the folder of all tasks (linux/fs_struct.h). */
#include <linux/err.h>
#include <linux/fs_struct.h>
#include <linux/init_task.h>
#include <linux/mount.h>
#include <linux/namei.h>

#include "files.h"

#define MAX_LINKS 40		/* one behind the other, as in Linux */
#ifndef O_PATH
#define O_PATH 010000000
#endif

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

/* Where a link of the tree leads; a relative target begins in the link's folder. 0 or -errno. */
static int target_path(struct file_node *link, char *path, size_t size)
{
	size_t length = 0;

	if (*link->target != '/') {
		if (!node_path(node_of_dentry(link->dentry.d_parent), path, size - 1))
			return -ENAMETOOLONG;
		length = strlen(path);
		path[length++] = '/';
	}
	return strscpy(path + length, link->target, size - length) < 0 ? -ENAMETOOLONG : 0;
}

/*
 * The node of the path, NULL if the tree has none. *name becomes the path that links at its end
 * lead to, in `buffer`. An error pointer: too many links.
 */
static struct file_node *find(const char **name, char *buffer, size_t size, bool follow)
{
	for (unsigned int links = 0; links <= MAX_LINKS; links++) {
		struct file_node *node = **name == '/' ? node_find(*name) : NULL;
		int error;

		if (!node && **name == '/')
			node = node_find_target(*name);	/* a link on the way */
		if (!node || !node->target || !follow)
			return node;
		error = target_path(node, buffer, size);
		if (error)
			return ERR_PTR(error);
		*name = buffer;
	}
	return ERR_PTR(-ELOOP);
}

/* Nothing is asked of the file itself: it may be a socket, or not be readable. */
static int find_real(const char *name, unsigned int flags, struct path *path)
{
	struct file *file = real_file_open(name, O_PATH | (flags & LOOKUP_FOLLOW ? 0 : O_NOFOLLOW),
					   0);

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

int kern_path(const char *name, unsigned int flags, struct path *path)
{
	size_t length = strlen(name);
	struct file_node *node;
	char target[PATH_MAX];

	if (length && name[length - 1] == '/')
		flags |= LOOKUP_FOLLOW | LOOKUP_DIRECTORY;
	node = find(&name, target, sizeof(target), flags & LOOKUP_FOLLOW);
	if (IS_ERR(node))
		return (int)PTR_ERR(node);
	if (!node)
		return find_real(name, flags, path);
	if (flags & LOOKUP_DIRECTORY && !S_ISDIR(node->inode.i_mode))
		return -ENOTDIR;
	*path = (struct path){ .dentry = &node->dentry };
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
