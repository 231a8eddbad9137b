// SPDX-License-Identifier: MIT
/*
 * The module defines names that the library has, too: each side calls its own function.
 * devm_kstrdup() of the library calls devm_kmemdup(); its runner calls symbol_find().
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

/* A name that the library has, or a name of libc's that the library needs. */
#ifndef OWN_INT
#define OWN_INT symbol_find
#endif
int OWN_INT = 42;

static unsigned int nr_calls;

void *devm_kmemdup(struct device *dev, const void *source, size_t size, gfp_t gfp)
{
	nr_calls++;
	return NULL;
}

static void release(struct device *device)
{
}

static int __init own_names_init(void)
{
	static struct device device = { .init_name = "own_names", .release = release };
	int error = device_register(&device);
	char *text;

	if (error)
		return error;
	text = devm_kstrdup(&device, "text", GFP_KERNEL);
	pr_info("the library's: %s, %u\n", text ? text : "none", nr_calls);
	text = devm_kmemdup(&device, "text", 5, GFP_KERNEL);
	pr_info("the module's: %s, %u, %d\n", text ? text : "none", nr_calls, OWN_INT);
	device_unregister(&device);
	return 0;
}

static void __exit own_names_exit(void)
{
}

module_init(own_names_init);
module_exit(own_names_exit);
MODULE_LICENSE("GPL");
