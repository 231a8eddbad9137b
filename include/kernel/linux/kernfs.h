/* SPDX-License-Identifier: MIT */
/* Files and folders of /sys as objects: see sysfs_get_dirent(). */
#ifndef __LINUX_KERNFS_H
#define __LINUX_KERNFS_H

#include <linux/types.h>
#include <usermm/compiler.h>

struct kernfs_node {
	const char *name;
	void *priv;		/* of a file the attribute, of a folder the kobject */
	umode_t mode;
};

USERMM_BEGIN_DECLS

/* With a reference; NULL without such a name. */
struct kernfs_node *usermm_kernfs_find_and_get(struct kernfs_node *parent, const char *name)
	__attribute__((visibility("default")));
void kernfs_get(struct kernfs_node *node) USERMM_API(kernfs_get);
void kernfs_put(struct kernfs_node *node) USERMM_API(kernfs_put);
/* Wakes programs that poll the file. */
void kernfs_notify(struct kernfs_node *node) USERMM_API(kernfs_notify);

USERMM_END_DECLS

#define kernfs_find_and_get(parent, name) usermm_kernfs_find_and_get(parent, name)

#endif
