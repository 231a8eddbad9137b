// SPDX-License-Identifier: MIT
/*
 * Resources that are released together with a device; see linux/device/devres.h. A resource is the
 * memory behind its struct node, so the node is found by arithmetic. cf. Linux
 * drivers/base/devres.c.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/string.h>

struct node {
	struct list_head entry;		/* Sync: the device's devres_lock; empty: no device's */
	dr_release_t release;
	u8 resource[] __aligned(ARCH_KMALLOC_MINALIGN);
};

static struct node *node_of(const void *resource)
{
	return container_of(resource, struct node, resource[0]);
}

void *__devres_alloc_node(dr_release_t release, size_t size, gfp_t gfp, int nid,
			  const char *name __maybe_unused)
{
	struct node *node;
	size_t bytes;

	if (check_add_overflow(sizeof(*node), size, &bytes))
		return NULL;
	node = kmalloc_node(bytes, gfp | __GFP_ZERO, nid);
	if (!node)
		return NULL;
	INIT_LIST_HEAD(&node->entry);
	node->release = release;
	return node->resource;
}

void devres_free(void *resource)
{
	struct node *node;

	if (!resource)
		return;
	node = node_of(resource);
	BUG_ON(!list_empty(&node->entry));
	kfree(node);
}

static void add_locked(struct device *dev, struct node *node)
{
	BUG_ON(!list_empty(&node->entry));
	list_add_tail(&node->entry, &dev->devres_head);
}

static struct node *find_locked(struct device *dev, dr_release_t release, dr_match_t match,
				void *match_data)
{
	struct node *node;

	list_for_each_entry_reverse(node, &dev->devres_head, entry)
		if (node->release == release &&
		    (!match || match(dev, node->resource, match_data)))
			return node;
	return NULL;
}

void devres_add(struct device *dev, void *resource)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->devres_lock, flags);
	add_locked(dev, node_of(resource));
	spin_unlock_irqrestore(&dev->devres_lock, flags);
}

void *devres_find(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
{
	unsigned long flags;
	struct node *node;

	spin_lock_irqsave(&dev->devres_lock, flags);
	node = find_locked(dev, release, match, match_data);
	spin_unlock_irqrestore(&dev->devres_lock, flags);
	return node ? node->resource : NULL;
}

void *devres_get(struct device *dev, void *new_resource, dr_match_t match, void *match_data)
{
	struct node *new = node_of(new_resource), *node;
	unsigned long flags;

	spin_lock_irqsave(&dev->devres_lock, flags);
	node = find_locked(dev, new->release, match, match_data);
	if (!node) {
		add_locked(dev, new);
		node = new;
		new_resource = NULL;
	}
	spin_unlock_irqrestore(&dev->devres_lock, flags);
	devres_free(new_resource);
	return node->resource;
}

void *devres_remove(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
{
	unsigned long flags;
	struct node *node;

	spin_lock_irqsave(&dev->devres_lock, flags);
	node = find_locked(dev, release, match, match_data);
	if (node)
		list_del_init(&node->entry);
	spin_unlock_irqrestore(&dev->devres_lock, flags);
	return node ? node->resource : NULL;
}

int devres_destroy(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
{
	void *resource = devres_remove(dev, release, match, match_data);

	devres_free(resource);
	return resource ? 0 : -ENOENT;
}

int devres_release(struct device *dev, dr_release_t release, dr_match_t match, void *match_data)
{
	void *resource = devres_remove(dev, release, match, match_data);

	if (!resource)
		return -ENOENT;
	release(dev, resource);
	devres_free(resource);
	return 0;
}

/* Resources that the release functions add stay until the next call. */
int devres_release_all(struct device *dev)
{
	struct node *node, *next;
	unsigned long flags;
	LIST_HEAD(all);
	int nr = 0;

	/* Was the device initialised? If not, the list has no links yet. */
	if (WARN_ON(!dev->devres_head.next))
		return -ENODEV;
	spin_lock_irqsave(&dev->devres_lock, flags);
	list_splice_init(&dev->devres_head, &all);
	spin_unlock_irqrestore(&dev->devres_lock, flags);
	list_for_each_entry_safe_reverse(node, next, &all, entry) {
		list_del_init(&node->entry);
		node->release(dev, node->resource);
		kfree(node);
		nr++;
	}
	return nr;
}

static void release_memory(struct device *dev __maybe_unused, void *resource __maybe_unused)
{
}

static int match_memory(struct device *dev __maybe_unused, void *resource, void *data)
{
	return resource == data;
}

void *devm_kmalloc(struct device *dev, size_t size, gfp_t gfp)
{
	struct node *node;
	size_t bytes;

	if (!size)
		return ZERO_SIZE_PTR;
	if (check_add_overflow(sizeof(*node), size, &bytes))
		return NULL;
	node = kmalloc_node(bytes, gfp, dev_to_node(dev));
	if (!node)
		return NULL;
	INIT_LIST_HEAD(&node->entry);
	node->release = release_memory;
	devres_add(dev, node->resource);
	return node->resource;
}

void devm_kfree(struct device *dev, const void *memory)
{
	if (ZERO_OR_NULL_PTR(memory))
		return;
	WARN_ON(devres_destroy(dev, release_memory, match_memory, (void *)memory));
}

void *devm_kmemdup(struct device *dev, const void *source, size_t size, gfp_t gfp)
{
	void *copy = devm_kmalloc(dev, size, gfp);

	if (copy)
		memcpy(copy, source, size);
	return copy;
}

char *devm_kstrdup(struct device *dev, const char *text, gfp_t gfp)
{
	return text ? devm_kmemdup(dev, text, strlen(text) + 1, gfp) : NULL;
}

char *devm_kasprintf(struct device *dev, gfp_t gfp, const char *format, ...)
{
	char *text, *copy;
	va_list args;

	va_start(args, format);
	text = kvasprintf(gfp, format, args);
	va_end(args);
	copy = devm_kstrdup(dev, text, gfp);
	kfree(text);
	return copy;
}

struct action {
	void *data;
	void (*action)(void *data);
};

static void release_action(struct device *dev __maybe_unused, void *resource)
{
	struct action *action = resource;

	action->action(action->data);
}

static int match_action(struct device *dev __maybe_unused, void *resource, void *data)
{
	struct action *left = resource, *right = data;

	return left->action == right->action && left->data == right->data;
}

int devm_add_action(struct device *dev, void (*action)(void *), void *data)
{
	struct action *resource = devres_alloc(release_action, sizeof(*resource), GFP_KERNEL);

	if (!resource)
		return -ENOMEM;
	*resource = (struct action){ .data = data, .action = action };
	devres_add(dev, resource);
	return 0;
}

void devm_remove_action(struct device *dev, void (*action)(void *), void *data)
{
	struct action wanted = { .data = data, .action = action };

	WARN_ON(devres_destroy(dev, release_action, match_action, &wanted));
}

void devm_release_action(struct device *dev, void (*action)(void *), void *data)
{
	struct action wanted = { .data = data, .action = action };

	WARN_ON(devres_release(dev, release_action, match_action, &wanted));
}
