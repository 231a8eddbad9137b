/* SPDX-License-Identifier: MIT */
/* Numbers of a controller's interrupts: a domain can be made, and gives no line. */
#ifndef _LINUX_IRQDOMAIN_H
#define _LINUX_IRQDOMAIN_H

#include <linux/errno.h>
#include <linux/irq.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/radix-tree.h>
#include <linux/slab.h>
#include <linux/types.h>

typedef unsigned long irq_hw_number_t;
struct irq_domain;
struct irq_fwspec;

struct irq_domain_ops {
	int (*map)(struct irq_domain *domain, unsigned int line, irq_hw_number_t number);
	void (*unmap)(struct irq_domain *domain, unsigned int line);
	int (*xlate)(struct irq_domain *domain, struct device_node *node, const u32 *cells,
		     unsigned int n, unsigned long *number, unsigned int *type);
};

struct irq_domain {
	const char *name;
	const struct irq_domain_ops *ops;
	void *host_data;
	irq_hw_number_t hwirq_max;
};

static inline struct irq_domain *irq_domain_create_linear(struct fwnode_handle *node,
							  unsigned int size,
							  const struct irq_domain_ops *operations,
							  void *data)
{
	struct irq_domain *domain = (struct irq_domain *)kzalloc(sizeof(*domain), GFP_KERNEL);

	(void)node;
	if (domain) {
		domain->ops = operations;
		domain->host_data = data;
		domain->hwirq_max = size;
	}
	return domain;
}

#define irq_domain_add_linear(node, size, operations, data) \
	((void)(node), irq_domain_create_linear(NULL, size, operations, data))
#define irq_domain_remove(domain) kfree(domain)
#define irq_create_mapping(domain, number) ((void)(domain), (void)(number), 0U)
#define irq_find_mapping(domain, number) ((void)(domain), (void)(number), 0U)
#define irq_dispose_mapping(line) ((void)(line))

#endif
