// SPDX-License-Identifier: MIT
/* Nodes as a module sees them. It runs with several and with one, which a parameter says. */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/numa.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#define NR 300

static int expected_nodes = 1;
module_param(expected_nodes, int, 0444);

static void nodes_masks(struct kunit *test)
{
	nodemask_t mask = NODE_MASK_NONE;
	int nid, nr = 0, cpus = 0;

	KUNIT_EXPECT_EQ(test, num_online_nodes(), expected_nodes);
	KUNIT_EXPECT_EQ(test, nr_online_nodes, (unsigned int)expected_nodes);
	KUNIT_EXPECT_EQ(test, nr_node_ids, (unsigned int)expected_nodes);
	KUNIT_EXPECT_EQ(test, num_node_state(N_MEMORY), expected_nodes);
	for_each_online_node(nid) {
		KUNIT_EXPECT_EQ(test, nid, nr++);
		KUNIT_EXPECT_TRUE(test, node_state(nid, N_NORMAL_MEMORY));
		KUNIT_EXPECT_FALSE(test, node_state(nid, N_GENERIC_INITIATOR));
		KUNIT_EXPECT_EQ(test, numa_nearest_node(nid, N_MEMORY), nid);
		cpus += (int)nr_cpus_node(nid);
	}
	KUNIT_EXPECT_EQ(test, nr, expected_nodes);
	KUNIT_EXPECT_EQ_MSG(test, cpus, (int)num_online_cpus(), "each CPU is of one node");
	KUNIT_EXPECT_FALSE(test, node_online(expected_nodes));
	KUNIT_EXPECT_FALSE(test, node_online(-1));
	KUNIT_EXPECT_FALSE(test, node_possible(MAX_NUMNODES));
	KUNIT_EXPECT_EQ(test, next_online_node(expected_nodes - 1), MAX_NUMNODES);
	KUNIT_EXPECT_EQ(test, first_online_node, 0);
	node_set(0, mask);
	KUNIT_EXPECT_TRUE(test, nodes_subset(mask, node_states[N_ONLINE]));
	KUNIT_EXPECT_EQ(test, node_random(&mask), 0);
	for (nid = 0; nid < expected_nodes; nid++)
		for (nr = 0; nr < expected_nodes; nr++)
			KUNIT_EXPECT_EQ(test, node_distance(nid, nr) == LOCAL_DISTANCE, nid == nr);
}

static void nodes_zonelists(struct kunit *test)
{
	unsigned long present = 0, managed = 0;
	pg_data_t *pgdat;
	struct zone *zone;
	int nid, nr = 0;

	for_each_online_pgdat(pgdat) {
		KUNIT_EXPECT_EQ(test, pgdat->node_id, nr++);
		KUNIT_EXPECT_PTR_EQ(test, pgdat, NODE_DATA(pgdat->node_id));
		present += pgdat->node_present_pages;
	}
	KUNIT_EXPECT_EQ(test, nr, expected_nodes);
	for_each_populated_zone(zone)
		managed += zone_managed_pages(zone);
	KUNIT_EXPECT_EQ(test, managed, totalram_pages());
	KUNIT_EXPECT_EQ(test, present, managed);
	for_each_online_node(nid) {
		nodemask_t others = node_states[N_ONLINE];
		struct zoneref *ref;
		int zones = 0;

		nr = 0;
		for_each_zone_zonelist(zone, ref, node_zonelist(nid, GFP_KERNEL), ZONE_NORMAL) {
			if (!zones++)
				KUNIT_EXPECT_EQ(test, zone_to_nid(zone), nid);
			KUNIT_EXPECT_EQ(test, zonelist_node_idx(ref), zone_to_nid(zone));
			KUNIT_EXPECT_PTR_EQ(test, zone, NODE_DATA(zone_to_nid(zone))->node_zones +
							zone_idx(zone));
		}
		KUNIT_EXPECT_EQ(test, zones, expected_nodes);
		node_clear(nid, others);
		for_each_zone_zonelist_nodemask(zone, ref, node_zonelist(nid, GFP_KERNEL),
						ZONE_NORMAL, &others)
			KUNIT_EXPECT_NE(test, zone_to_nid(zone), nid);
		for_each_zone_zonelist(zone, ref, node_zonelist(nid, GFP_KERNEL | __GFP_THISNODE),
				       ZONE_MOVABLE) {
			KUNIT_EXPECT_EQ(test, zone_to_nid(zone), nid);
			nr++;
		}
		KUNIT_EXPECT_EQ(test, nr, 1);
	}
}

/* One page, which goes at once; its node. */
static int node_of(struct kunit *test, struct page *page)
{
	int nid;

	KUNIT_ASSERT_NOT_NULL(test, page);
	nid = page_to_nid(page);
	KUNIT_EXPECT_PTR_EQ(test, page_zone(page)->zone_pgdat, page_pgdat(page));
	KUNIT_EXPECT_EQ(test, pfn_to_nid(page_to_pfn(page)), nid);
	__free_pages(page, compound_order(page));
	return nid;
}

static void nodes_pages(struct kunit *test)
{
	int nid;

	for_each_online_node(nid) {
		nodemask_t mask = nodemask_of_node(nid);
		struct zonelist *list = node_zonelist(nid, GFP_KERNEL);
		struct page *array[NR] = { NULL };
		struct folio *folio;
		char *bytes;

		KUNIT_EXPECT_EQ(test, node_of(test, alloc_pages_node(nid, GFP_KERNEL, 0)), nid);
		KUNIT_EXPECT_EQ(test, node_of(test, alloc_pages_node(nid, GFP_KERNEL |
						__GFP_THISNODE, 0)), nid);
		KUNIT_EXPECT_EQ(test, node_of(test, __alloc_pages(GFP_KERNEL, 0, nid, NULL)), nid);
		KUNIT_EXPECT_EQ(test, node_of(test, __alloc_pages(GFP_KERNEL, 0, 0, &mask)), nid);
		KUNIT_EXPECT_EQ(test, node_of(test, __alloc_pages(GFP_KERNEL, 0, list,
									  NULL)), nid);
		folio = __folio_alloc(GFP_KERNEL, 2, nid, NULL);
		KUNIT_ASSERT_NOT_NULL(test, folio);
		KUNIT_EXPECT_EQ(test, folio_nid(folio), nid);
		KUNIT_EXPECT_EQ(test, folio_order(folio), 2);
		folio_put(folio);
		bytes = alloc_pages_exact_nid(nid, 3 * PAGE_SIZE, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, bytes);
		KUNIT_EXPECT_EQ(test, page_to_nid(virt_to_page(bytes + 2 * PAGE_SIZE)), nid);
		free_pages_exact(bytes, 3 * PAGE_SIZE);

		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_node(GFP_KERNEL, nid, NR, array), NR);
		for (int i = 0; i < NR; i++) {
			KUNIT_EXPECT_EQ(test, page_to_nid(array[i]), nid);
			__free_page(array[i]);
		}
		memset(array, 0, sizeof(array));
		KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, nid, &mask, 10, array), 10);
		for (int i = 0; i < 10; i++)
			KUNIT_EXPECT_EQ(test, node_of(test, array[i]), nid);
	}
}

static void nodes_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("nodes_objects", 200, 0, 0, NULL);
	static void *objects[NR];
	int nid;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for_each_online_node(nid) {
		char *large, *area, *zeroed;

		for (int i = 0; i < NR; i++) {
			objects[i] = kmem_cache_alloc_node(cache, GFP_KERNEL, nid);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			KUNIT_ASSERT_EQ(test, page_to_nid(virt_to_page(objects[i])), nid);
			memset(objects[i], 1, 200);
		}
		for (int i = 0; i < NR; i++)
			kmem_cache_free(cache, objects[i]);
		for (int i = 0; i < NR; i++) {
			objects[i] = kmalloc_node(100, GFP_KERNEL | __GFP_THISNODE, nid);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			KUNIT_ASSERT_EQ(test, page_to_nid(virt_to_page(objects[i])), nid);
			memset(objects[i], 1, 100);
		}
		for (int i = 0; i < NR; i++)
			kfree(objects[i]);
		zeroed = kcalloc_node(10, 10, GFP_KERNEL, nid);
		KUNIT_ASSERT_NOT_NULL(test, zeroed);
		KUNIT_EXPECT_NULL(test, memchr_inv(zeroed, 0, 100));
		KUNIT_EXPECT_EQ(test, page_to_nid(virt_to_page(zeroed)), nid);
		kfree(zeroed);
		large = kmalloc_node(5 * PAGE_SIZE, GFP_KERNEL, nid);
		KUNIT_ASSERT_NOT_NULL(test, large);
		KUNIT_EXPECT_EQ(test, page_to_nid(virt_to_page(large)), nid);
		kfree(large);
		area = vzalloc_node(5 * PAGE_SIZE, nid);
		KUNIT_ASSERT_NOT_NULL(test, area);
		KUNIT_EXPECT_EQ(test, page_to_nid(vmalloc_to_page(area + PAGE_SIZE)), nid);
		vfree(area);
		area = kvmalloc_node(9 * PAGE_SIZE, GFP_KERNEL, nid);
		KUNIT_ASSERT_NOT_NULL(test, area);
		kvfree(area);
	}
	kmem_cache_destroy(cache);
}

/* Numbers of no node. Slabs take them for any node; pages only where there is one node. */
static void nodes_wrong(struct kunit *test)
{
	static const int wrong[] = { MAX_NUMNODES - 1, MAX_NUMNODES, 1000, -2 };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct page *page = alloc_pages_node(wrong[i], GFP_KERNEL, 0);
		void *object = kmalloc_node(64, GFP_KERNEL, wrong[i]);
		struct page *array[4] = { NULL };
		unsigned long nr = alloc_pages_bulk_node(GFP_KERNEL, wrong[i], 4, array);

		KUNIT_EXPECT_NOT_NULL(test, object);
		kfree(object);
		KUNIT_EXPECT_EQ(test, page != NULL, expected_nodes == 1);
		KUNIT_EXPECT_EQ(test, nr, expected_nodes == 1 ? 4 : 0);
		while (nr)
			__free_page(array[--nr]);
		if (page)
			__free_page(page);
		if (expected_nodes > 1)
			KUNIT_EXPECT_NULL(test, NODE_DATA(wrong[i]));
		else
			KUNIT_EXPECT_PTR_EQ(test, NODE_DATA(wrong[i]), NODE_DATA(0));
	}
	KUNIT_EXPECT_EQ(test, node_of(test, alloc_pages_node(NUMA_NO_NODE, GFP_KERNEL, 0)) <
			      expected_nodes, true);
}

static DECLARE_COMPLETION(done);
static int seen_node, seen_cpu, page_node;

static int look_around(void *data)
{
	struct page *page;

	seen_cpu = get_cpu();
	seen_node = numa_node_id();
	page = alloc_page(GFP_ATOMIC);
	put_cpu();
	page_node = page ? page_to_nid(page) : -1;
	if (page)
		__free_page(page);
	complete(&done);
	return 0;
}

/* A thread's pages are those of its CPU's node. */
static void nodes_cpus(struct kunit *test)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct task_struct *task = kthread_create_on_node(look_around, NULL,
								  cpu_to_node(cpu), "look/%d", cpu);

		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		kthread_bind(task, cpu);
		reinit_completion(&done);
		wake_up_process(task);
		wait_for_completion(&done);
		KUNIT_EXPECT_EQ(test, seen_cpu, cpu);
		KUNIT_EXPECT_EQ(test, seen_node, cpu_to_node(cpu));
		KUNIT_EXPECT_EQ(test, page_node, cpu_to_mem(cpu));
		KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(cpu, cpumask_of_node(seen_node)));
	}
}

static struct kunit_case nodes_cases[] = {
	KUNIT_CASE(nodes_masks),
	KUNIT_CASE(nodes_zonelists),
	KUNIT_CASE(nodes_pages),
	KUNIT_CASE(nodes_objects),
	KUNIT_CASE(nodes_wrong),
	KUNIT_CASE(nodes_cpus),
	{ }
};

static struct kunit_suite nodes_suite = {
	.name = "nodes",
	.test_cases = nodes_cases,
};

kunit_test_suite(nodes_suite);

MODULE_LICENSE("Dual MIT/GPL");
