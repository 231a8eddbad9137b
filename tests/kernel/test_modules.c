// SPDX-License-Identifier: MIT
/* Other things that modules rely on: named objects, replaced functions, zone lists. */
#include <kunit/resource.h>
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include <linux/cdev.h>
#include <linux/kobject.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/vmstat.h>

#include "module/module_run.h"

static int nr_released;

static void count_release(struct kobject *kobj)
{
	KUNIT_EXPECT_STREQ(kunit_get_current_test(), kobject_name(kobj), "child-7");
	nr_released++;
}

static void test_kobjects_hold_their_parent(struct kunit *test)
{
	static const struct kobj_type type = { .release = count_release };
	struct kobject *parent = kobject_create_and_add("parent", kernel_kobj);
	struct kobject child = { 0 }, nameless = { 0 };

	KUNIT_ASSERT_NOT_NULL(test, parent);
	nr_released = 0;
	KUNIT_EXPECT_EQ(test, kobject_init_and_add(&child, &type, parent, "child-%d", 7), 0);
	KUNIT_EXPECT_EQ(test, kref_read(&parent->kref), 2u);
	kobject_get(&child);
	kobject_put(&child);
	KUNIT_EXPECT_EQ(test, nr_released, 0);
	kobject_del(&child);
	KUNIT_EXPECT_EQ(test, kref_read(&parent->kref), 1u);
	kobject_put(&child);
	KUNIT_EXPECT_EQ(test, nr_released, 1);
	kobject_put(parent);

	kobject_init(&nameless, &type);
	KUNIT_EXPECT_EQ(test, kobject_add(&nameless, NULL, "%s", ""), -EINVAL);
	kobject_put(NULL);
}

static int doubled(int n)
{
	KUNIT_STATIC_STUB_REDIRECT(doubled, n);
	return 2 * n;
}

static int tripled(int n)
{
	return 3 * n;
}

static int negated(int n)
{
	return -n;
}

static void test_stubs_replace_until_the_end(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, doubled(5), 10);
	kunit_activate_static_stub(test, doubled, tripled);
	KUNIT_EXPECT_EQ(test, doubled(5), 15);
	kunit_activate_static_stub(test, doubled, negated);
	KUNIT_EXPECT_EQ(test, doubled(5), -5);
	kunit_deactivate_static_stub(test, doubled);
	KUNIT_EXPECT_EQ(test, doubled(5), 10);
	kunit_activate_static_stub(test, doubled, tripled);
}

/* Runs after the case above, which left its replacement in force. */
static void test_stubs_end_with_their_case(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, doubled(5), 10);
}

static void test_zone_lists(struct kunit *test)
{
	struct zonelist *list = node_zonelist(0, GFP_KERNEL);
	struct zoneref *ref;
	struct zone *zone;
	unsigned int nr = 0;

	for_each_zone_zonelist(zone, ref, list, gfp_zone(GFP_KERNEL)) {
		KUNIT_EXPECT_TRUE(test, populated_zone(zone));
		KUNIT_EXPECT_EQ(test, zonelist_zone_idx(ref), (int)zone_idx(zone));
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, 1u);
	for_each_zone_zonelist(zone, ref, list, ZONE_DMA)
		KUNIT_FAIL(test, "%s is above DMA", zone->name);
}

static void test_slab_pages_are_counted(struct kunit *test)
{
	unsigned long before = global_node_page_state(NR_SLAB_UNRECLAIMABLE_B);
	struct kmem_cache *cache = kmem_cache_create("counted", PAGE_SIZE, 0, SLAB_NO_MERGE, NULL);
	void *objects[64];

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 64, objects), 64);
	KUNIT_EXPECT_GE(test, global_node_page_state(NR_SLAB_UNRECLAIMABLE_B), before + 64);
	KUNIT_EXPECT_LT(test, global_node_page_state(NR_SLAB_RECLAIMABLE_B), 64);
	kmem_cache_free_bulk(cache, 64, objects);
	kmem_cache_destroy(cache);
	/* Without the slabs of the cache of caches, where the cache's description was. */
	KUNIT_EXPECT_LT(test, global_node_page_state(NR_SLAB_UNRECLAIMABLE_B), before + 64);
}

/* The numbers that Linux makes of the seed. */
static void test_random_numbers_of_a_seed(struct kunit *test)
{
	static const u32 numbers[] = { 864658644, 4269580756, 3377341751, 4160522366, 2793066675 };
	struct rnd_state state;
	u8 bytes[6];

	prandom_seed_state(&state, 3141592653589793238ULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++)
		KUNIT_EXPECT_EQ(test, prandom_u32_state(&state), numbers[i]);
	/* Behind whole numbers, the low bytes of one more. */
	prandom_seed_state(&state, 3141592653589793238ULL);
	prandom_bytes_state(&state, bytes, sizeof(bytes));
	KUNIT_EXPECT_MEMEQ(test, bytes, numbers, sizeof(numbers[0]));
	KUNIT_EXPECT_EQ(test, bytes[4], (u8)numbers[1]);
	KUNIT_EXPECT_EQ(test, bytes[5], (u8)(numbers[1] >> 8));
}

static void test_device_numbers(struct kunit *test)
{
	dev_t dev;

	KUNIT_ASSERT_EQ(test, alloc_chrdev_region(&dev, 3, 1, "name"), 0);
	KUNIT_EXPECT_EQ(test, MINOR(dev), 3u);
	KUNIT_EXPECT_NE(test, MAJOR(dev), 0u);
	KUNIT_EXPECT_EQ(test, MAJOR(MKDEV(1, MINORMASK)), 1u);
}

static struct module parts[3] = {
	{ .name = "one", .state = MODULE_STATE_UNFORMED },
	{ .name = "one", .state = MODULE_STATE_UNFORMED },
	{ .name = "two", .state = MODULE_STATE_UNFORMED },
};
static unsigned long told;

static int hear(struct notifier_block *block, unsigned long state, void *module)
{
	(void)block;
	told = told * 10 + state + (module == &parts[0] ? 1 : 5);
	return NOTIFY_OK;
}

/* The sources of a name are one module. */
static void test_users_of_modules(struct kunit *test)
{
	struct notifier_block block = { .notifier_call = hear };

	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++)
		usermm_module_source(&parts[i]);
	usermm_module_source(&parts[0]);	/* twice is once */
	modules_join(NULL);
	KUNIT_EXPECT_PTR_EQ(test, module_next(NULL), NULL);
	KUNIT_EXPECT_PTR_EQ(test, find_module("one"), &parts[0]);
	KUNIT_EXPECT_PTR_EQ(test, find_module("three"), NULL);
	KUNIT_ASSERT_EQ(test, register_module_notifier(&block), 0);
	modules_state("one", MODULE_STATE_COMING);
	KUNIT_EXPECT_EQ(test, module_refcount(&parts[1]), 1);
	modules_state("one", MODULE_STATE_LIVE);
	modules_state("two", MODULE_STATE_COMING);
	KUNIT_EXPECT_PTR_EQ(test, module_next(&parts[0]), NULL);
	modules_state("two", MODULE_STATE_LIVE);
	KUNIT_EXPECT_PTR_EQ(test, module_next(NULL), &parts[0]);
	KUNIT_EXPECT_PTR_EQ(test, module_next(&parts[0]), &parts[2]);

	KUNIT_EXPECT_TRUE(test, try_module_get(&parts[0]));
	KUNIT_EXPECT_TRUE(test, try_module_get(&parts[1]));
	KUNIT_EXPECT_EQ(test, module_refcount(&parts[0]), 2);
	KUNIT_EXPECT_EQ(test, module_refcount(&parts[2]), 0);
	module_put(&parts[0]);
	module_put(&parts[0]);
	KUNIT_EXPECT_TRUE(test, try_module_get(NULL));
	module_put(NULL);

	modules_leave("one");
	KUNIT_EXPECT_FALSE(test, try_module_get(&parts[1]));
	KUNIT_EXPECT_EQ(test, parts[1].state, MODULE_STATE_GOING);
	modules_state("one", MODULE_STATE_GOING);
	KUNIT_EXPECT_EQ(test, told, 21653UL);
	KUNIT_EXPECT_EQ(test, unregister_module_notifier(&block), 0);
	KUNIT_EXPECT_EQ(test, unregister_module_notifier(&block), -ENOENT);
}

static struct kunit_case modules_cases[] = {
	KUNIT_CASE(test_kobjects_hold_their_parent),
	KUNIT_CASE(test_stubs_replace_until_the_end),
	KUNIT_CASE(test_stubs_end_with_their_case),
	KUNIT_CASE(test_zone_lists),
	KUNIT_CASE(test_slab_pages_are_counted),
	KUNIT_CASE(test_random_numbers_of_a_seed),
	KUNIT_CASE(test_device_numbers),
	KUNIT_CASE(test_users_of_modules),
	{ }
};

static struct kunit_suite modules_suite = {
	.name = "modules",
	.test_cases = modules_cases,
};
kunit_test_suite(modules_suite);
