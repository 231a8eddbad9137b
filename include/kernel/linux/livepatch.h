/* SPDX-License-Identifier: MIT */
/* Functions of this process are not replaced: a patch is refused, as one of unknown functions. */
#ifndef _LINUX_LIVEPATCH_H_
#define _LINUX_LIVEPATCH_H_

#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/types.h>
#include <usermm/compiler.h>

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
	struct module *mod;		/* NULL: the kernel, or none that is loaded */
	bool patched;
};

struct klp_patch {
	struct module *mod;
	struct klp_object *objs;
	bool replace;
};

/*
 * Data that is added to an object, by the object's address and a number. klp_shadow_alloc() is NULL
 * if there is some already, or if constructor() fails; _get_or_alloc() returns what is there.
 */
typedef int (*klp_shadow_ctor_t)(void *object, void *shadow, void *constructor_data);
typedef void (*klp_shadow_dtor_t)(void *object, void *shadow);

USERMM_BEGIN_DECLS

void *klp_shadow_get(void *object, unsigned long id) USERMM_API(klp_shadow_get);
void *klp_shadow_alloc(void *object, unsigned long id, size_t n, gfp_t gfp,
		       klp_shadow_ctor_t constructor, void *data) USERMM_API(klp_shadow_alloc);
void *klp_shadow_get_or_alloc(void *object, unsigned long id, size_t n, gfp_t gfp,
			      klp_shadow_ctor_t constructor, void *data)
	USERMM_API(klp_shadow_get_or_alloc);
void klp_shadow_free(void *object, unsigned long id, klp_shadow_dtor_t destructor)
	USERMM_API(klp_shadow_free);
/* Frees the shadow variables `id` of all objects. */
void klp_shadow_free_all(unsigned long id, klp_shadow_dtor_t destructor)
	USERMM_API(klp_shadow_free_all);

USERMM_END_DECLS

#define klp_enable_patch(patch) ((void)(patch), -EINVAL)

#endif
