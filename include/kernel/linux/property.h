/* SPDX-License-Identifier: MIT */
/*
 * Properties of devices. Nothing describes the machine, so a device has none: -EINVAL, as in Linux.
 */
#ifndef _LINUX_PROPERTY_H_
#define _LINUX_PROPERTY_H_

#include <linux/args.h>
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/types.h>

struct device;
struct fwnode_handle {
	struct fwnode_handle *secondary;
	struct device *dev;
};

#define dev_fwnode(dev) ((dev)->fwnode)

#define USERMM_PROPERTY_CALLS(prefix, owner)					\
	static inline bool prefix##_property_present(const owner *from, const char *name) \
	{									\
		(void)from;							\
		(void)name;							\
		return false;							\
	}									\
	static inline bool prefix##_property_read_bool(const owner *from, const char *name) \
	{									\
		return prefix##_property_present(from, name);			\
	}									\
	static inline int prefix##_property_read_string(const owner *from, const char *name, \
							const char **text)	\
	{									\
		(void)from;							\
		(void)name;							\
		(void)text;							\
		return -EINVAL;							\
	}									\
	USERMM_PROPERTY_NUMBER(prefix, owner, u8)				\
	USERMM_PROPERTY_NUMBER(prefix, owner, u16)				\
	USERMM_PROPERTY_NUMBER(prefix, owner, u32)				\
	USERMM_PROPERTY_NUMBER(prefix, owner, u64)
#define USERMM_PROPERTY_NUMBER(prefix, owner, type)				\
	static inline int prefix##_property_read_##type(const owner *from, const char *name, \
							type *value)		\
	{									\
		(void)from;							\
		(void)name;							\
		(void)value;							\
		return -EINVAL;							\
	}									\
	static inline int prefix##_property_read_##type##_array(const owner *from, \
								const char *name, \
								type *values, size_t n) \
	{									\
		(void)n;							\
		return prefix##_property_read_##type(from, name, values);	\
	}
USERMM_PROPERTY_CALLS(device, struct device)
USERMM_PROPERTY_CALLS(fwnode, struct fwnode_handle)

#define device_property_count_u32(dev, name) ((void)(dev), (void)(name), -EINVAL)
#define device_property_match_string(dev, name, text) \
	((void)(dev), (void)(name), (void)(text), -EINVAL)
#define device_get_match_data(dev) ((void)(dev), (const void *)NULL)
#define device_get_child_node_count(dev) ((void)(dev), 0U)
#define device_get_next_child_node(dev, child) \
	((void)(dev), (void)(child), (struct fwnode_handle *)NULL)
#define device_for_each_child_node(dev, child) for ((void)(dev), child = NULL; child;)
#define fwnode_for_each_child_node(node, child) for ((void)(node), child = NULL; child;)
#define fwnode_handle_put(node) ((void)(node))
#define fwnode_handle_get(node) (node)

#endif
