// SPDX-License-Identifier: MIT
/* Paths in mounted file systems, and files that are opened there. cf. Linux fs/namei.c. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/string.h>

#include "files/files.h"
#include "vfs.h"

#define MAX_LINKS 40

/* The name, which may be of nothing, with a reference. The caller holds the folder's lock. */
static struct dentry *lookup_locked(struct dentry *folder, const struct qstr *name)
{
	const struct inode_operations *op = d_inode(folder)->i_op;
	struct dentry *dentry = d_lookup(folder, name), *other;

	if (dentry)
		return dentry;
	if (!op->lookup)
		return ERR_PTR(-ENOTDIR);
	dentry = d_alloc(folder, name);
	if (!dentry)
		return ERR_PTR(-ENOMEM);
	other = op->lookup(d_inode(folder), dentry, 0);
	if (!other)
		return dentry;
	dput(dentry);
	return other;
}

struct dentry *usermm_lookup_one(const char *name, struct dentry *folder, int length)
{
	struct qstr text = QSTR_INIT(name, (u32)length);

	if (!length || (length == 1 && *name == '.') || (length == 2 && !strncmp(name, "..", 2)) ||
	    memchr(name, '/', (size_t)length))
		return ERR_PTR(-EACCES);
	if (!d_is_dir(folder))
		return ERR_PTR(-ENOTDIR);
	text.hash = full_name_hash(folder, name, text.len);
	return lookup_locked(folder, &text);
}

static struct dentry *lookup(struct dentry *folder, const char *name, size_t length)
{
	struct inode *inode = d_inode(folder);
	struct dentry *dentry;

	inode_lock(inode);
	dentry = usermm_lookup_one(name, folder, (int)length);
	inode_unlock(inode);
	return dentry;
}

struct walk {
	struct dentry *root, *at;	/* at: with a reference */
	unsigned int nr_links;
};

static int walk_path(struct walk *walk, const char *path, bool follows);

/* Goes on from the link at `at` to its target, which is below the link's folder or the root. */
static int follow(struct walk *walk)
{
	struct dentry *link = walk->at;
	struct inode *inode = d_inode(link);
	const char *target = inode->i_op->get_link ? inode->i_op->get_link(link, inode, NULL) :
						     inode->i_link;
	int error;

	if (IS_ERR_OR_NULL(target))
		return target ? (int)PTR_ERR(target) : -EINVAL;
	if (++walk->nr_links > MAX_LINKS)
		return -ELOOP;
	walk->at = *target == '/' ? dget(walk->root) : dget_parent(link);
	error = walk_path(walk, target, true);
	dput(link);
	return error;
}

static int step(struct walk *walk, const char *name, size_t length)
{
	struct dentry *next;

	if (!d_is_dir(walk->at))
		return -ENOTDIR;
	if (length == 1 && *name == '.')
		return 0;
	if (length == 2 && !strncmp(name, "..", 2))
		next = walk->at == walk->root ? dget(walk->at) : dget_parent(walk->at);
	else
		next = lookup(walk->at, name, length);
	if (IS_ERR(next))
		return (int)PTR_ERR(next);
	dput(walk->at);
	walk->at = next;
	return d_really_is_negative(next) ? -ENOENT : 0;
}

/* `follows`: also a link that is the path's last name. */
static int walk_path(struct walk *walk, const char *path, bool follows)
{
	int error = 0;

	while (!error) {
		const char *end;
		bool is_last;

		path += strspn(path, "/");
		if (!*path)
			break;
		end = strchrnul(path, '/');
		is_last = !end[strspn(end, "/")];
		error = step(walk, path, (size_t)(end - path));
		if (!error && d_is_symlink(walk->at) && (follows || !is_last || *end))
			error = follow(walk);
		path = end;
	}
	return error;
}

int vfs_path_lookup(struct dentry *root, struct vfsmount *mount, const char *name,
		    unsigned int flags, struct path *path)
{
	struct walk walk = { .root = root, .at = dget(root) };
	int error = walk_path(&walk, name, flags & LOOKUP_FOLLOW);

	if (!error && flags & LOOKUP_DIRECTORY && !d_is_dir(walk.at))
		error = -ENOTDIR;
	if (error) {
		dput(walk.at);
		return error;
	}
	*path = (struct path){ .mnt = mntget(mount), .dentry = walk.at };
	return 0;
}

/* The folder of a path's last name, and that name; or -errno. */
static int lookup_folder(const struct path *root, const char *name, struct path *folder,
			 const char **last)
{
	const char *slash = strrchr(name, '/');
	char text[PATH_MAX];

	*last = slash ? slash + 1 : name;
	if ((size_t)(*last - name) >= sizeof(text))
		return -ENAMETOOLONG;
	memcpy(text, name, (size_t)(*last - name));
	text[*last - name] = '\0';
	return vfs_path_lookup(root->dentry, root->mnt, text, LOOKUP_FOLLOW | LOOKUP_DIRECTORY,
			       folder);
}

static int create_locked(struct dentry *folder, struct dentry *dentry, int flags, umode_t mode)
{
	struct inode *inode = d_inode(folder);

	if (d_really_is_positive(dentry))
		return flags & O_EXCL ? -EEXIST : 0;
	if (sb_rdonly(inode->i_sb))
		return -EROFS;
	if (!inode->i_op->create)
		return -EACCES;
	return CALL_MAPPED(inode->i_op->create, (struct inode *, struct dentry *, umode_t, bool),
			   inode, dentry, (umode_t)(S_IFREG | (mode & 07777)),
			   (flags & O_EXCL) != 0);
}

/* Makes the file if it is missing. 0, or -EEXIST with O_EXCL, or what create() said. */
static int create(const struct path *root, const char *name, int flags, umode_t mode)
{
	struct path folder;
	struct dentry *dentry;
	const char *last;
	int error = lookup_folder(root, name, &folder, &last);

	if (error)
		return error;
	inode_lock(d_inode(folder.dentry));
	dentry = *last ? usermm_lookup_one(last, folder.dentry, (int)strlen(last)) :
			 ERR_PTR(-EISDIR);
	error = IS_ERR(dentry) ? (int)PTR_ERR(dentry) :
				 create_locked(folder.dentry, dentry, flags, mode);
	inode_unlock(d_inode(folder.dentry));
	if (!IS_ERR(dentry))
		dput(dentry);
	path_put(&folder);
	return error;
}

static int truncate(struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);
	struct iattr attributes = { .ia_valid = ATTR_SIZE | ATTR_OPEN | ATTR_MTIME | ATTR_CTIME };
	int error;

	attributes.ia_mtime = attributes.ia_ctime = current_time(inode);
	inode_lock(inode);
	if (inode->i_op->setattr)
		error = CALL_MAPPED(inode->i_op->setattr, (struct dentry *, struct iattr *),
				    dentry, &attributes);
	else
		error = simple_setattr(&nop_mnt_idmap, dentry, &attributes);
	inode_unlock(inode);
	return error;
}

struct file *dentry_open(const struct path *path, int flags, const struct cred *cred)
{
	struct inode *inode = d_inode(path->dentry);
	struct file *file;
	int error = 0;

	(void)cred;
	if (!inode)
		return ERR_PTR(-ENOENT);
	if (S_ISLNK(inode->i_mode))
		return ERR_PTR(-ELOOP);
	if ((flags & O_ACCMODE) != O_RDONLY && S_ISDIR(inode->i_mode))
		return ERR_PTR(-EISDIR);
	if ((flags & O_ACCMODE) != O_RDONLY && sb_rdonly(inode->i_sb))
		return ERR_PTR(-EROFS);
	file = file_open_path(path, (unsigned int)flags);
	if (!IS_ERR(file) && flags & O_TRUNC && S_ISREG(inode->i_mode))
		error = truncate(path->dentry);
	if (!error)
		return file;
	fput(file);
	return ERR_PTR(error);
}

struct file *file_open_root(const struct path *root, const char *name, int flags, umode_t mode)
{
	int error = flags & O_CREAT ? create(root, name, flags, mode) : 0;
	struct path path;
	struct file *file;

	if (!error)
		error = vfs_path_lookup(root->dentry, root->mnt, name, LOOKUP_FOLLOW, &path);
	if (error)
		return ERR_PTR(error);
	file = dentry_open(&path, flags, NULL);
	path_put(&path);
	return file;
}
