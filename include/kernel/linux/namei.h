/* SPDX-License-Identifier: MIT */
/* Paths: those of the module's files, and of the machine's. */
#ifndef _LINUX_NAMEI_H
#define _LINUX_NAMEI_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/path.h>
#include <usermm/compiler.h>

#define LOOKUP_FOLLOW 0x0001
#define LOOKUP_DIRECTORY 0x0002
#define LOOKUP_PARENT 0x0010

USERMM_BEGIN_DECLS

/* 0 with a path for path_put(); -ENOENT and the like. What is found can be named and measured. */
int kern_path(const char *name, unsigned int flags, struct path *path) USERMM_API(kern_path);

USERMM_END_DECLS

/* Neither names nor folders of the machine are made or removed by modules. */
#define user_path_at(fd, name, flags, path_ptr) \
	((void)(fd), (void)(name), (void)(flags), (void)(path_ptr), -ENOENT)
#define lookup_one_len(name, base, n) \
	((void)(name), (void)(base), (void)(n), (struct dentry *)ERR_PTR(-ENOENT))

#endif
