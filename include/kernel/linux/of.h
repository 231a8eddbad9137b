/* SPDX-License-Identifier: MIT */
/* As without CONFIG_OF: there is no device tree, so nothing is found. */
#ifndef _LINUX_OF_H
#define _LINUX_OF_H

#include <asm/msr.h>
#include <linux/errno.h>
#include <linux/kobject.h>
#include <linux/list_nulls.h>
#include <linux/nodemask.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

struct device_node;
struct property;

static inline struct device_node *of_node_get(struct device_node *node)
{
	return node;
}

static inline void of_node_put(struct device_node *node)
{
}

static inline struct device_node *of_parse_phandle(const struct device_node *node,
						   const char *property, int index)
{
	return NULL;
}

static inline struct device_node *of_get_parent(const struct device_node *node)
{
	return NULL;
}

static inline int of_property_read_string(const struct device_node *node, const char *property,
					  const char **text)
{
	return -ENOSYS;
}

static inline bool of_property_read_bool(const struct device_node *node, const char *property)
{
	return false;
}

#define of_match_ptr(table) NULL

#endif
