/* SPDX-License-Identifier: MIT */
/* Managed resources: memory and actions that are released with their device, the latest first. */
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

/* Zeroed memory; it belongs to no device until devres_add(). NULL without memory. */
void *__devres_alloc_node(dr_release_t release, size_t size, gfp_t gfp, int node,
			  const char *name) USERMM_API(__devres_alloc_node);
/* Frees a resource that was not added to a device, or was removed. */
void devres_free(void *resource) USERMM_API(devres_free);
void devres_add(struct device *dev, void *resource) USERMM_API(devres_add);
/* The latest resource with this release function for which match() is true (NULL: any), or NULL. */
void *devres_find(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_find);
/*
 * Returns the matching resource and frees the new one; if none matches, adds and returns the new.
 */
void *devres_get(struct device *dev, void *new_resource, dr_match_t match, void *match_data)
	USERMM_API(devres_get);
/* Takes a resource from the device without calling release. */
void *devres_remove(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_remove);
/* Remove and free a resource; _release() also calls release. 0 or -ENOENT. */
int devres_destroy(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_destroy);
int devres_release(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
	USERMM_API(devres_release);
/* Releases all resources of the device. Returns how many there were. */
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

/* If there is no memory to record the action, it runs at once. */
static inline int devm_add_action_or_reset(struct device *dev, void (*action)(void *), void *data)
{
	int error = devm_add_action(dev, action, data);

	if (error)
		action(data);
	return error;
}

#endif
