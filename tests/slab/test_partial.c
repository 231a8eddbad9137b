/* SPDX-License-Identifier: MIT */
/*
 * When CPUs take objects of another node: remote_node_defrag_ratio, min_partial, lack of memory, or
 * a node without memory.
 */
#include "page/pageblock.h"
#include "slab/slab.h"
#include "slab/slab_free.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/system/made_up.h"
#include "support/slabs.h"
#include "support/zones.h"
#include "usermm/fault.h"
#include "usermm/stats.h"

#define SLABS 60
#define KEPT 5		/* min_partial */

struct scene {
	struct kmem_cache *cache;
	struct kmem_cache_node *here, *there;
	unsigned int nid;	/* of `there` */
};

static unsigned int node_of(const void *object)
{
	return page_zone(virt_to_page(object))->node;
}

/* Allocates all objects of so many slabs of the other node. */
static void **fill_slabs(struct kunit *test, const struct scene *scene)
{
	unsigned int n = SLABS * scene->cache->objects;
	void **objects = kcalloc(n, sizeof(*objects), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, objects);
	for (unsigned int i = 0; i < n; i++) {
		objects[i] = slab_take_of_node(scene->cache, GFP_KERNEL | __GFP_THISNODE,
					       scene->nid);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		KUNIT_ASSERT_EQ(test, node_of(objects[i]), scene->nid);
	}
	return objects;
}

/* The other node has many slabs with one free object each, this one none. */
static struct scene set_scene(struct kunit *test, const char *ratio)
{
	struct scene scene = { .cache = kmem_cache_create("apart", 512, 0, 0, NULL) };
	void **objects;

	KUNIT_ASSERT_NOT_NULL(test, scene.cache);
	KUNIT_ASSERT_EQ(test, usermm_write_slab_attribute("apart", "min_partial", "5"), 0);
	KUNIT_ASSERT_EQ(test, usermm_write_slab_attribute("apart", "remote_node_defrag_ratio",
							  ratio), 0);
	scene.nid = 1 - numa_node_id();
	scene.here = slab_node(scene.cache, numa_node_id());
	scene.there = slab_node(scene.cache, scene.nid);
	KUNIT_ASSERT_NOT_NULL(test, scene.there);
	objects = fill_slabs(test, &scene);
	for (unsigned int i = 0; i < SLABS; i++)
		slab_return_objects(scene.cache, &objects[i * scene.cache->objects], 1);
	kfree(objects);
	KUNIT_ASSERT_EQ(test, scene.there->nr_partial, SLABS);
	KUNIT_ASSERT_EQ(test, scene.here->nr_partial, 0);
	return scene;
}

/* One object when this node has none; true if it is the other node's. A new slab is used up. */
static bool take_one(struct kunit *test, struct scene *scene)
{
	unsigned int rest = scene->cache->objects - 1u;
	void *object, *objects[64];
	bool is_remote;

	KUNIT_ASSERT_EQ(test, slab_take_objects(scene->cache, GFP_KERNEL, &object, 1), 1);
	is_remote = node_of(object) == scene->nid;
	KUNIT_ASSERT_LE(test, rest, ARRAY_SIZE(objects));
	if (!is_remote && rest)
		KUNIT_ASSERT_EQ(test, slab_take_objects(scene->cache, GFP_KERNEL, objects, rest),
				rest);
	KUNIT_ASSERT_EQ(test, scene->here->nr_partial, 0);
	return is_remote;
}

/* 0: only the node's own objects, whatever other nodes have. */
static void never(struct kunit *test)
{
	struct scene scene = set_scene(test, "0");

	for (unsigned int i = 0; i < SLABS; i++)
		KUNIT_EXPECT_FALSE(test, take_one(test, &scene));
	KUNIT_EXPECT_EQ(test, scene.there->nr_partial, SLABS);
}

/* 100: nearly always (1000 of 1024), until the other node has no more than it would keep. */
static void nearly_always(struct kunit *test)
{
	struct scene scene = set_scene(test, "100");
	unsigned int calls = 0;

	for (; scene.there->nr_partial > KEPT && calls < 10 * SLABS; calls++)
		take_one(test, &scene);
	KUNIT_EXPECT_EQ(test, scene.there->nr_partial, KEPT);
	KUNIT_EXPECT_LT(test, calls, SLABS * 5 / 4);
	for (unsigned int i = 0; i < 20; i++)
		KUNIT_EXPECT_FALSE(test, take_one(test, &scene));
	KUNIT_EXPECT_EQ(test, scene.there->nr_partial, KEPT);
}

/* 50: about every second time. */
static void half_of_the_time(struct kunit *test)
{
	struct scene scene = set_scene(test, "50");
	unsigned int calls = 0;

	for (; scene.there->nr_partial > KEPT && calls < 10 * SLABS; calls++)
		take_one(test, &scene);
	KUNIT_EXPECT_GT(test, calls, SLABS * 5 / 4);
	KUNIT_EXPECT_LT(test, calls, SLABS * 4);
}

/* Without memory for a slab, all objects of other nodes are used. */
static void in_need(struct kunit *test)
{
	struct scene scene = set_scene(test, "0");
	void *object;

	usermm_arm_faults();
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.attr.probability = 100;
	usermm_fail_page_alloc.attr.times = -1;
	for (unsigned int i = 0; i < SLABS; i++) {
		object = kmem_cache_alloc(scene.cache, GFP_KERNEL | __GFP_NOWARN);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, node_of(object), scene.nid);
	}
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc(scene.cache, GFP_KERNEL | __GFP_NOWARN));
}

/* A request for a node that gets another's object is one that may fail on purpose, not two. */
static void asked_once(struct kunit *test)
{
	struct scene scene = set_scene(test, "100");
	void *object;

	usermm_arm_faults();
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.attr.probability = 100;
	usermm_fail_page_alloc.attr.times = -1;
	usermm_failslab.attr.interval = 1000;
	usermm_failslab.attr.probability = 100;
	for (unsigned int i = 1; i <= 20; i++) {
		object = kmem_cache_alloc_node(scene.cache, GFP_NOWAIT, (int)numa_node_id());
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, node_of(object), scene.nid);
		KUNIT_EXPECT_EQ(test, usermm_failslab.attr.count, i);
	}
}

/*
 * A request for one node alone (__GFP_THISNODE) finds that node's object in the CPU's sheaf, even
 * if an object of another node lies above it.
 */
static void kept_by_a_cpu(struct kunit *test)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN | __GFP_THISNODE;
	struct kmem_cache *cache = kmem_cache_create("kept", 512, 0, 0, NULL);
	int here = (int)numa_node_id(), there = 1 - here;
	void *object, *last = NULL, *own;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	own = kmem_cache_alloc_node(cache, gfp, here);
	KUNIT_ASSERT_NOT_NULL(test, own);
	while ((object = kmem_cache_alloc_node(cache, gfp, there)))
		last = object;
	KUNIT_ASSERT_NOT_NULL(test, last);
	kmem_cache_free(cache, last);
	kmem_cache_free(cache, own);
	KUNIT_EXPECT_PTR_EQ(test, kmem_cache_alloc_node(cache, gfp, there), last);
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc_node(cache, gfp, there));
}

/*
 * A node without memory has no slabs either: its CPUs use the freed objects of the nearest node,
 * and with a ratio of 0, too, this does not count as taking from another node.
 */
static void without_memory(struct kunit *test, void *arg)
{
	static const struct made_up machine = { "0-2\n", "1-2\n", "0-2", {
		{ "0-63\n", "10 20 15\n", 0 },
		{ "\n", "20 10 20\n", 512 },
		{ "\n", "15 20 10\n", 512 },
	} };
	struct kmem_cache *cache;
	unsigned int n, half;
	unsigned long created, before, freed;
	void *objects[64];

	(void)arg;
	made_up_bring_up(test, &machine);
	cache = kmem_cache_create("far", 512, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_EQ(test, usermm_write_slab_attribute("far", "remote_node_defrag_ratio", "0"),
			0);
	n = cache->objects;
	half = n / 2;
	KUNIT_ASSERT_LE(test, n, ARRAY_SIZE(objects));
	KUNIT_ASSERT_EQ(test, slab_take_objects(cache, GFP_KERNEL, objects, n), n);
	KUNIT_EXPECT_EQ(test, node_of(objects[0]), 2);
	slab_read_turnover(cache, &before, &freed);
	slab_return_objects(cache, objects, half);
	KUNIT_EXPECT_EQ(test, slab_take_objects(cache, GFP_KERNEL, objects, half), half);
	slab_read_turnover(cache, &created, &freed);
	KUNIT_EXPECT_EQ(test, created, before);
}

#define TWO_NODES "nodes=2:limit=64M:simulated_cpus=2:rseq=off"

static void test_partial_ratio(struct kunit *test)
{
	zones_run(test, TWO_NODES, never);
	zones_run(test, TWO_NODES, half_of_the_time);
	zones_run(test, TWO_NODES, nearly_always);
}

static void test_partial_in_need(struct kunit *test)
{
	zones_run(test, TWO_NODES, in_need);
	zones_run(test, TWO_NODES ":slab_cpu_cache=slab", in_need);
	zones_run(test, TWO_NODES, kept_by_a_cpu);
	zones_run(test, TWO_NODES ":slab_cpu_cache=slab", kept_by_a_cpu);
	zones_run(test, TWO_NODES, asked_once);
	zones_run(test, TWO_NODES ":slab_cpu_cache=slab", asked_once);
}

static void test_partial_without_memory(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, without_memory, NULL);
}

static struct kunit_case partial_cases[] = {
	KUNIT_CASE(test_partial_ratio),
	KUNIT_CASE(test_partial_in_need),
	KUNIT_CASE(test_partial_without_memory),
	{ 0 },
};

static struct kunit_suite partial_suite = { .name = "slab_partial", .test_cases = partial_cases };

kunit_test_suite(partial_suite);
