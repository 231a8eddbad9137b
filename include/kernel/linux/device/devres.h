/* SPDX-License-Identifier: MIT */
/* What goes when its device goes, the latest first: memory, and calls that undo something. */
#ifndef KERNEL_LINUX_DEVICE_DEVRES_H
#define KERNEL_LINUX_DEVICE_DEVRES_H

#include <linux/gfp.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct device;

typedef void (*dr_release_t)(struct device *dev, void *resource);
typedef int (*dr_match_t)(struct device *dev, void *resource, void *match_data);

USERMM_BEGIN_DECLS

/* Zeroed memory that is nobody's until devres_add(); NULL if memory is short. */
void *__devres_alloc_node(dr_release_t release, size_t size, gfp_t gfp, int node,
			  const char *name) USERMM_API(__devres_alloc_node);
/* Of one that was not added, or was removed. */
void devres_free(void *resource) USERMM_API(devres_free);
void devres_add(struct device *dev, void *resource) USERMM_API(devres_add);
/* The latest with that release function that matches (NULL: any does), or NULL. */
void *devres_find(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_find);
/* The one that matches, or the new one, which is added; what is not needed is freed. */
void *devres_get(struct device *dev, void *new_resource, dr_match_t match, void *match_data)
	USERMM_API(devres_get);
/* Taken from the device; release is not called. */
void *devres_remove(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_remove);
/* Removed and freed, without and with calling release; 0 or -ENOENT. */
int devres_destroy(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_destroy);
int devres_release(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_release);
/* All of the device's; how many there were. */
int devres_release_all(struct device *dev) USERMM_API(devres_release_all);

void *devm_kmalloc(struct device *dev, size_t size, gfp_t gfp) USERMM_API(devm_kmalloc);
void devm_kfree(struct device *dev, const void *memory) USERMM_API(devm_kfree);
void *devm_kmemdup(struct device *dev, const void *source, size_t size, gfp_t gfp)
	USERMM_API(devm_kmemdup);
char *devm_kstrdup(struct device *dev, const char *text, gfp_t gfp) USERMM_API(devm_kstrdup);
__attribute__((format(printf, 3, 4)))
char *devm_kasprintf(struct device *dev, gfp_t gfp, const char *format, ...)
	USERMM_API(devm_kasprintf);

int devm_add_action(struct device *dev, void (*action)(void *), void *data)
	USERMM_API(devm_add_action);
void devm_remove_action(struct device *dev, void (*action)(void *), void *data)
	USERMM_API(devm_remove_action);
void devm_release_action(struct device *dev, void (*action)(void *), void *data)
	USERMM_API(devm_release_action);

USERMM_END_DECLS

#define devres_alloc(release, size, gfp) \
	__devres_alloc_node(release, size, gfp, NUMA_NO_NODE, #release)
#define devres_alloc_node(release, size, gfp, node) \
	__devres_alloc_node(release, size, gfp, node, #release)

static inline void *devm_kzalloc(struct device *dev, size_t size, gfp_t gfp)
{
	return devm_kmalloc(dev, size, gfp | __GFP_ZERO);
}

static inline void *devm_kmalloc_array(struct device *dev, size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return check_mul_overflow(n, size, &bytes) ? NULL : devm_kmalloc(dev, bytes, gfp);
}

static inline void *devm_kcalloc(struct device *dev, size_t n, size_t size, gfp_t gfp)
{
	return devm_kmalloc_array(dev, n, size, gfp | __GFP_ZERO);
}

/* If the action cannot be noted down it is done there and then. */
static inline int devm_add_action_or_reset(struct device *dev, void (*action)(void *), void *data)
{
	int error = devm_add_action(dev, action, data);

	if (error)
		action(data);
	return error;
}

#endif
