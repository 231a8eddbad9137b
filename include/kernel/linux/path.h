/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PATH_H
#define _LINUX_PATH_H

#include <usermm/compiler.h>

struct dentry;
struct vfsmount;

struct path {
	struct vfsmount *mnt;		/* NULL: the module's files are mounted nowhere */
	struct dentry *dentry;
};

static inline void path_get(const struct path *path)
{
	(void)path;
}

static inline void path_put(const struct path *path)
{
	(void)path;
}

USERMM_BEGIN_DECLS

/* The path as a text at the end of the buffer; or -ENAMETOOLONG as an error pointer. */
char *d_path(const struct path *path, char *buffer, int size) USERMM_API(d_path);

USERMM_END_DECLS

#endif
