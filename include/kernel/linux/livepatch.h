/* SPDX-License-Identifier: MIT */
/* Functions of this process are not replaced: a patch is refused, as one of unknown functions. */
#ifndef _LINUX_LIVEPATCH_H_
#define _LINUX_LIVEPATCH_H_

#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/module.h>

struct klp_func {
	const char *old_name;
	void *new_func;
	unsigned long old_sympos;
	void *old_func;
};

struct klp_object;
struct klp_callbacks {
	int (*pre_patch)(struct klp_object *object);
	void (*post_patch)(struct klp_object *object);
	void (*pre_unpatch)(struct klp_object *object);
	void (*post_unpatch)(struct klp_object *object);
};

struct klp_object {
	const char *name;
	struct klp_func *funcs;
	struct klp_callbacks callbacks;
};

struct klp_patch {
	struct module *mod;
	struct klp_object *objs;
	bool replace;
};

#define klp_enable_patch(patch) ((void)(patch), -EINVAL)

#endif
