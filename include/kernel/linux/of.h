/* SPDX-License-Identifier: MIT */
/* As without CONFIG_OF: there is no device tree, so nothing is found. */
#ifndef _LINUX_OF_H
#define _LINUX_OF_H

#include <asm/msr.h>
#include <linux/errno.h>
#include <linux/kobject.h>
#include <linux/list_nulls.h>
#include <linux/mod_devicetable.h>
#include <linux/nodemask.h>
#include <linux/property.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

typedef u32 phandle;

struct property {
	char *name;
	int length;
	void *value;
	struct property *next;
};

struct device_node {
	const char *name;
	phandle phandle;
	const char *full_name;
	struct fwnode_handle fwnode;
	struct property *properties;
	struct device_node *parent, *child, *sibling;
	struct kobject kobj;
	void *data;
};

struct of_phandle_args {
	struct device_node *np;
	int args_count;
	uint32_t args[16];
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* Each answers that it found nothing. Arguments are only evaluated. */
#define USERMM_OF_NODE(name, arguments)					\
	static inline struct device_node *name arguments		\
	{								\
		return NULL;						\
	}
USERMM_OF_NODE(of_parse_phandle, (const struct device_node *node, const char *property, int index))
USERMM_OF_NODE(of_get_parent, (const struct device_node *node))
USERMM_OF_NODE(of_get_next_child, (const struct device_node *node, struct device_node *child))
USERMM_OF_NODE(of_get_next_available_child,
	       (const struct device_node *node, struct device_node *child))
USERMM_OF_NODE(of_get_child_by_name, (const struct device_node *node, const char *name))
USERMM_OF_NODE(of_find_node_by_name, (struct device_node *from, const char *name))
USERMM_OF_NODE(of_find_node_by_path, (const char *path))
USERMM_OF_NODE(of_find_node_by_phandle, (phandle handle))
USERMM_OF_NODE(of_find_compatible_node,
	       (struct device_node *from, const char *type, const char *compatible))
USERMM_OF_NODE(of_find_matching_node,
	       (struct device_node *from, const struct of_device_id *matches))

static inline struct device_node *of_node_get(struct device_node *node)
{
	return node;
}

static inline void of_node_put(struct device_node *node)
{
}

#define USERMM_OF_ERROR(name, arguments)				\
	static inline int name arguments				\
	{								\
		return -ENOSYS;						\
	}
USERMM_OF_ERROR(of_property_read_string,
		(const struct device_node *node, const char *property, const char **text))
USERMM_OF_ERROR(of_property_read_string_index,
		(const struct device_node *node, const char *property, int index,
		 const char **text))
USERMM_OF_ERROR(of_property_read_string_array,
		(const struct device_node *node, const char *property, const char **texts,
		 size_t n))
USERMM_OF_ERROR(of_property_count_strings, (const struct device_node *node, const char *property))
USERMM_OF_ERROR(of_property_match_string,
		(const struct device_node *node, const char *property, const char *text))
USERMM_OF_ERROR(of_property_count_u32_elems, (const struct device_node *node, const char *name))
USERMM_OF_ERROR(of_property_count_elems_of_size,
		(const struct device_node *node, const char *name, int size))
USERMM_OF_ERROR(of_property_read_u32_index,
		(const struct device_node *node, const char *name, u32 index, u32 *value))
USERMM_OF_ERROR(of_property_read_s32,
		(const struct device_node *node, const char *name, s32 *value))
USERMM_OF_ERROR(of_parse_phandle_with_args,
		(const struct device_node *node, const char *list, const char *cells, int index,
		 struct of_phandle_args *out))
USERMM_OF_ERROR(of_count_phandle_with_args,
		(const struct device_node *node, const char *list, const char *cells))
USERMM_OF_ERROR(of_alias_get_id, (const struct device_node *node, const char *stem))
#define USERMM_OF_NUMBER(type)							\
	USERMM_OF_ERROR(of_property_read_##type,				\
			(const struct device_node *node, const char *name, type *value)) \
	USERMM_OF_ERROR(of_property_read_##type##_array,			\
			(const struct device_node *node, const char *name, type *values, \
			 size_t n))
USERMM_OF_NUMBER(u8)
USERMM_OF_NUMBER(u16)
USERMM_OF_NUMBER(u32)
USERMM_OF_NUMBER(u64)

static inline bool of_property_read_bool(const struct device_node *node, const char *property)
{
	return false;
}

static inline bool of_device_is_compatible(const struct device_node *node, const char *compatible)
{
	return false;
}

static inline bool of_device_is_available(const struct device_node *node)
{
	return false;
}

static inline const void *of_get_property(const struct device_node *node, const char *name,
					  int *n)
{
	return NULL;
}

static inline struct property *of_find_property(const struct device_node *node, const char *name,
						int *n)
{
	return NULL;
}

#pragma GCC diagnostic pop

#define of_property_present(node, name) of_property_read_bool(node, name)
#define of_machine_is_compatible(compatible) ((void)(compatible), false)
#define of_have_populated_dt() false
#define of_get_child_count(node) ((void)(node), 0)
#define of_get_available_child_count(node) ((void)(node), 0)
#define of_node_full_name(node) ((node) ? (node)->full_name : "<no-node>")
#define of_node_name_eq(node, text) ((void)(node), (void)(text), false)
#define of_match_node(table, node) \
	((void)(table), (void)(node), (const struct of_device_id *)NULL)
#define of_match_device(table, dev) \
	((void)(table), (void)(dev), (const struct of_device_id *)NULL)
#define of_device_get_match_data(dev) ((void)(dev), (const void *)NULL)
#define for_each_child_of_node(parent, node) for ((void)(parent), node = NULL; node;)
#define for_each_available_child_of_node(parent, node) for ((void)(parent), node = NULL; node;)
#define for_each_compatible_node(node, type, text) \
	for ((void)(type), (void)(text), node = NULL; node;)
#define of_match_ptr(table) NULL
#define of_fwnode_handle(node) ((struct fwnode_handle *)((node) ? &(node)->fwnode : NULL))
#define is_of_node(node) ((void)(node), false)
#define to_of_node(node) ((void)(node), (struct device_node *)NULL)

#endif
