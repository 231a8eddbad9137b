/* SPDX-License-Identifier: MIT */
/*
 * Objects that programs make and remove, as folders below /sys/kernel/config: mkdir() calls the
 * module's make_item() or make_group(), rmdir() its drop_item(). Links between items are not made.
 */
#ifndef _CONFIGFS_H_
#define _CONFIGFS_H_

#include <linux/container_of.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/signal.h>
#include <linux/stat.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define CONFIGFS_ITEM_NAME_LEN 20

struct config_group;
struct config_item_type;
struct configfs_subsystem;
struct dentry;
struct module;

struct config_item {
	char *ci_name;		/* ci_namebuf, or kmalloc() memory */
	char ci_namebuf[CONFIGFS_ITEM_NAME_LEN];
	struct kref ci_kref;
	struct list_head ci_entry;
	struct config_item *ci_parent;
	struct config_group *ci_group;	/* holds a reference while the item has a folder */
	const struct config_item_type *ci_type;
	struct dentry *ci_dentry;	/* its folder */
};

struct config_group {
	struct config_item cg_item;
	struct list_head cg_children;
	struct configfs_subsystem *cg_subsys;
	struct list_head default_groups, group_entry;
};

struct configfs_subsystem {
	struct config_group su_group;
	struct mutex su_mutex;
};

struct configfs_attribute {
	const char *ca_name;
	struct module *ca_owner;
	umode_t ca_mode;
	ssize_t (*show)(struct config_item *item, char *page);
	ssize_t (*store)(struct config_item *item, const char *page, size_t n);
};

struct configfs_bin_attribute {
	struct configfs_attribute cb_attr;
	void *cb_private;
	size_t cb_max_size;	/* 0: any */
	/* Called without a buffer, it returns the number of bytes. */
	ssize_t (*read)(struct config_item *item, void *buffer, size_t n);
	ssize_t (*write)(struct config_item *item, const void *buffer, size_t n);
};

struct configfs_item_operations {
	void (*release)(struct config_item *item);
	int (*allow_link)(struct config_item *from, struct config_item *target);
	void (*drop_link)(struct config_item *from, struct config_item *target);
};

struct configfs_group_operations {
	struct config_item *(*make_item)(struct config_group *group, const char *name);
	struct config_group *(*make_group)(struct config_group *group, const char *name);
	void (*disconnect_notify)(struct config_group *group, struct config_item *item);
	void (*drop_item)(struct config_group *group, struct config_item *item);
	bool (*is_visible)(struct config_item *item, struct configfs_attribute *attr, int index);
	bool (*is_bin_visible)(struct config_item *item, struct configfs_bin_attribute *attr,
			       int index);
};

struct config_item_type {
	struct module *ct_owner;
	const struct configfs_item_operations *ct_item_ops;
	const struct configfs_group_operations *ct_group_ops;
	struct configfs_attribute **ct_attrs;
	struct configfs_bin_attribute **ct_bin_attrs;
};

#define USERMM_CONFIGFS_ATTR(prefix, name, mode, ...)				\
	static struct configfs_attribute prefix##attr_##name = {		\
		.ca_name = __stringify(name), .ca_mode = (mode), .ca_owner = THIS_MODULE, \
		__VA_ARGS__							\
	}
#define CONFIGFS_ATTR_PERM(prefix, name, mode)					\
	USERMM_CONFIGFS_ATTR(prefix, name, mode, .show = prefix##name##_show,	\
			     .store = prefix##name##_store)
#define CONFIGFS_ATTR(prefix, name) CONFIGFS_ATTR_PERM(prefix, name, 0644)
#define CONFIGFS_ATTR_RO(prefix, name) \
	USERMM_CONFIGFS_ATTR(prefix, name, 0444, .show = prefix##name##_show)
#define CONFIGFS_ATTR_WO(prefix, name) \
	USERMM_CONFIGFS_ATTR(prefix, name, 0200, .store = prefix##name##_store)
#define USERMM_CONFIGFS_BIN(prefix, name, mode, private, max, ...)		\
	static struct configfs_bin_attribute prefix##attr_##name = {		\
		.cb_attr = { .ca_name = __stringify(name), .ca_mode = (mode),	\
			     .ca_owner = THIS_MODULE },				\
		.cb_private = (private), .cb_max_size = (max), __VA_ARGS__	\
	}
#define CONFIGFS_BIN_ATTR(prefix, name, private, max)				\
	USERMM_CONFIGFS_BIN(prefix, name, 0644, private, max, .read = prefix##name##_read, \
			    .write = prefix##name##_write)
#define CONFIGFS_BIN_ATTR_RO(prefix, name, private, max) \
	USERMM_CONFIGFS_BIN(prefix, name, 0444, private, max, .read = prefix##name##_read)
#define CONFIGFS_BIN_ATTR_WO(prefix, name, private, max) \
	USERMM_CONFIGFS_BIN(prefix, name, 0200, private, max, .write = prefix##name##_write)

USERMM_BEGIN_DECLS

/* 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3)))
int config_item_set_name(struct config_item *item, const char *format, ...)
	USERMM_API(config_item_set_name);
void config_item_init_type_name(struct config_item *item, const char *name,
				const struct config_item_type *type)
	USERMM_API(config_item_init_type_name);
void config_group_init(struct config_group *group) USERMM_API(config_group_init);
void config_group_init_type_name(struct config_group *group, const char *name,
				 const struct config_item_type *type)
	USERMM_API(config_group_init_type_name);
/* NULL has no effect. The last reference calls the type's release(). */
struct config_item *config_item_get(struct config_item *item) USERMM_API(config_item_get);
void config_item_put(struct config_item *item) USERMM_API(config_item_put);
/* Also takes a reference; NULL if there is none of that name. Hold the subsystem's mutex. */
struct config_item *config_group_find_item(struct config_group *group, const char *name)
	USERMM_API(config_group_find_item);
/* 0; -EEXIST for a name that is taken; -ENOMEM. They may sleep. */
int configfs_register_subsystem(struct configfs_subsystem *subsystem)
	USERMM_API(configfs_register_subsystem);
void configfs_unregister_subsystem(struct configfs_subsystem *subsystem)
	USERMM_API(configfs_unregister_subsystem);
int configfs_register_group(struct config_group *parent, struct config_group *group)
	USERMM_API(configfs_register_group);
void configfs_unregister_group(struct config_group *group) USERMM_API(configfs_unregister_group);
/* A group of its own; an error pointer. */
struct config_group *configfs_register_default_group(struct config_group *parent,
						     const char *name,
						     const struct config_item_type *type)
	USERMM_API(configfs_register_default_group);
void configfs_unregister_default_group(struct config_group *group)
	USERMM_API(configfs_unregister_default_group);
void configfs_remove_default_groups(struct config_group *group)
	USERMM_API(configfs_remove_default_groups);

USERMM_END_DECLS

static inline char *config_item_name(struct config_item *item)
{
	return item->ci_name;
}

static inline struct config_group *to_config_group(struct config_item *item)
{
	return item ? container_of(item, struct config_group, cg_item) : NULL;
}

static inline struct configfs_subsystem *to_configfs_subsystem(struct config_group *group)
{
	return group ? container_of(group, struct configfs_subsystem, su_group) : NULL;
}

static inline struct config_group *config_group_get(struct config_group *group)
{
	return group ? to_config_group(config_item_get(&group->cg_item)) : NULL;
}

static inline void config_group_put(struct config_group *group)
{
	config_item_put(&group->cg_item);
}

/* Call it before `group` is registered or returned by make_group(). */
static inline void configfs_add_default_group(struct config_group *added,
					      struct config_group *group)
{
	list_add_tail(&added->group_entry, &group->default_groups);
}

/* No effect: only the program itself calls rmdir(), so no item goes while something needs it. */
#define configfs_depend_item(subsystem, item) ((void)(subsystem), (void)(item), 0)
#define configfs_undepend_item(item) ((void)(item))

#endif
