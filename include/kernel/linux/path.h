/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PATH_H
#define _LINUX_PATH_H

#include <usermm/compiler.h>

struct dentry;
struct file;
struct vfsmount;

struct path {
	struct vfsmount *mnt;		/* NULL: the module's files are mounted nowhere */
	struct dentry *dentry;
	struct file *usermm_file;	/* a file of the machine that kern_path() opened; or NULL */
};

USERMM_BEGIN_DECLS

void path_get(const struct path *path) USERMM_API(path_get);
void path_put(const struct path *path) USERMM_API(path_put);

/* The path as a text at the end of the buffer; or -ENAMETOOLONG as an error pointer. */
char *d_path(const struct path *path, char *buffer, int size) USERMM_API(d_path);

USERMM_END_DECLS

#endif
