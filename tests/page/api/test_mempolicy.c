/* SPDX-License-Identifier: MIT */
/*
 * Bulk requests by a thread's memory policy: how many pages come from which node, in which
 * order, and where the next request goes on. Nodes are nodes in name only.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/os.h"
#include "page/pageblock.h"
#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/system/no_syscalls.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR_MAX 400
#define THREE_NODES "limit=192M:nodes=3:simulated_cpus=3:rseq=off"

static struct page *array[NR_MAX];

static void set_policy(struct kunit *test, int mode, unsigned long nodes)
{
	KUNIT_ASSERT_EQ(test, usermm_set_mempolicy(mode, nodes ? &nodes : NULL), 0);
}

/* Takes nr pages and gives them back: *nodes is each one's node, as digits. */
static void ask(struct kunit *test, gfp_t gfp, unsigned long nr, char *nodes)
{
	memset(array, 0, sizeof(array));
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_mempolicy(gfp, nr, array), nr);
	for (unsigned long i = 0; i < nr; i++) {
		KUNIT_ASSERT_NOT_NULL(test, array[i]);
		KUNIT_EXPECT_EQ(test, page_ref_count(array[i]), 1);
		nodes[i] = (char)('0' + page_zone(array[i])->node);
	}
	nodes[nr] = '\0';
	free_pages_bulk(array, nr);
}

#define EXPECT_NODES(test, nr, expected)				\
	do {								\
		char nodes[NR_MAX + 1];					\
									\
		ask(test, GFP_KERNEL, nr, nodes);			\
		KUNIT_EXPECT_STREQ(test, nodes, expected);		\
	} while (0)

static void interleaved(struct kunit *test)
{
	set_policy(test, USERMM_MPOL_INTERLEAVE, 7);
	EXPECT_NODES(test, 9, "000111222");
	/* The remainder of the division goes to this call's first nodes. */
	EXPECT_NODES(test, 7, "0001122");
	EXPECT_NODES(test, 2, "01");
	/* Every call moves the turns on, also one that gives a node no page. */
	EXPECT_NODES(test, 1, "0");
	set_policy(test, USERMM_MPOL_INTERLEAVE, 5);
	EXPECT_NODES(test, 5, "00022");
	set_policy(test, USERMM_MPOL_INTERLEAVE, 2);
	EXPECT_NODES(test, 3, "111");
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_mempolicy(GFP_KERNEL, 0, array), 0);
}

static void test_mempolicy_interleave(struct kunit *test)
{
	zones_run(test, THREE_NODES, interleaved);
}

static void weighted(struct kunit *test)
{
	set_policy(test, USERMM_MPOL_WEIGHTED_INTERLEAVE, 7);
	EXPECT_NODES(test, 4, "0012");
	KUNIT_ASSERT_EQ(test, usermm_set_mempolicy_weight(0, 3), 0);
	KUNIT_ASSERT_EQ(test, usermm_set_mempolicy_weight(1, 2), 0);
	set_policy(test, USERMM_MPOL_WEIGHTED_INTERLEAVE, 7);
	/* Three, two, one; a turn goes on with the next call. */
	EXPECT_NODES(test, 2, "00");
	EXPECT_NODES(test, 2, "01");
	EXPECT_NODES(test, 1, "1");
	EXPECT_NODES(test, 1, "2");
	EXPECT_NODES(test, 6, "000112");
	/* The turn of node 0; two rounds and a page: each node's at once. */
	EXPECT_NODES(test, 16, "0001111122000000");
	EXPECT_NODES(test, 1, "1");
	EXPECT_NODES(test, 3, "200");
	/* A node that is not in the new policy has no turn any more. */
	set_policy(test, USERMM_MPOL_WEIGHTED_INTERLEAVE, 6);
	EXPECT_NODES(test, 4, "1112");
	KUNIT_ASSERT_EQ(test, usermm_set_mempolicy_weight(1, 0), 0);
	set_policy(test, USERMM_MPOL_WEIGHTED_INTERLEAVE, 6);
	EXPECT_NODES(test, 4, "1122");
}

static void test_mempolicy_weighted_interleave(struct kunit *test)
{
	zones_run(test, THREE_NODES, weighted);
}

/* A node's memory is used up, except the pages below its mark. */
static void fill_node(struct hoard *hoard, int nid)
{
	hoard_init(hoard);
	hoard_take(hoard, (GFP_KERNEL & ~__GFP_DIRECT_RECLAIM) | __GFP_THISNODE | __GFP_NOWARN, 0,
		   nid, NULL, ~0UL);
}

static void bound(struct kunit *test)
{
	static struct hoard hoard;
	unsigned long got;

	set_policy(test, USERMM_MPOL_BIND, 4);
	EXPECT_NODES(test, 5, "22222");
	fill_node(&hoard, 2);
	memset(array, 0, sizeof(array));
	got = alloc_pages_bulk_mempolicy(GFP_NOWAIT, 5, array);
	KUNIT_EXPECT_EQ_MSG(test, got, 0, "other nodes have pages, but it is bound to this one");
	KUNIT_EXPECT_NULL(test, array[0]);
	hoard_give_all(&hoard);
	set_policy(test, USERMM_MPOL_DEFAULT, 0);
	EXPECT_NODES(test, 3, numa_node_id() == 0 ? "000" : numa_node_id() == 1 ? "111" : "222");
}

static void test_mempolicy_bind(struct kunit *test)
{
	zones_run(test, THREE_NODES, bound);
}

/* A request for a zone below the highest is not bound. */
static void bound_by_zone(struct kunit *test)
{
	char nodes[NR_MAX + 1];

	set_policy(test, USERMM_MPOL_BIND, 2);
	percpu_bind_slot(0);
	ask(test, GFP_KERNEL, 4, nodes);
	KUNIT_EXPECT_STREQ(test, nodes, "1111");
	ask(test, GFP_KERNEL | __GFP_DMA, 4, nodes);
	KUNIT_EXPECT_STREQ(test, nodes, "0000");
}

static void test_mempolicy_bind_zones(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_dma=8M:zone_normal=16M:simulated_cpus=2:rseq=off",
		  bound_by_zone);
}

static void preferred(struct kunit *test)
{
	static struct hoard hoard;

	percpu_bind_slot(0);
	set_policy(test, USERMM_MPOL_PREFERRED, 2);
	EXPECT_NODES(test, 3, "111");
	set_policy(test, USERMM_MPOL_PREFERRED, 0);
	EXPECT_NODES(test, 3, "000");
	set_policy(test, USERMM_MPOL_LOCAL, 0);
	EXPECT_NODES(test, 3, "000");
	set_policy(test, USERMM_MPOL_PREFERRED_MANY, 6);
	EXPECT_NODES(test, 3, "111");
	fill_node(&hoard, 1);
	/*
	 * One page comes from the preferred nodes, by the path of single pages; the others come
	 * from all nodes.
	 */
	EXPECT_NODES(test, 4, "2000");
	set_policy(test, USERMM_MPOL_PREFERRED_MANY, 2);
	EXPECT_NODES(test, 4, "0000");
	set_policy(test, USERMM_MPOL_PREFERRED, 2);
	array[0] = NULL;
	KUNIT_EXPECT_EQ_MSG(test, alloc_pages_bulk_mempolicy(GFP_KERNEL | __GFP_THISNODE, 1, array),
			    1, "the policy does not count");
	KUNIT_EXPECT_EQ(test, page_zone(array[0])->node, 0);
	put_page(array[0]);
	hoard_give_all(&hoard);
}

static void test_mempolicy_preferred(struct kunit *test)
{
	zones_run(test, THREE_NODES, preferred);
}

/* Each thread has its own, and its own place in the turns. */
static void one_thread(struct test_thread *thread)
{
	struct page *pages[6];
	unsigned long nodes = thread->index & 1 ? 5 : 2;

	KUNIT_ASSERT_EQ(thread->test, usermm_set_mempolicy(USERMM_MPOL_INTERLEAVE, &nodes), 0);
	for (unsigned int round = 0; round < 200; round++) {
		memset(pages, 0, sizeof(pages));
		KUNIT_ASSERT_EQ(thread->test, alloc_pages_bulk_mempolicy(GFP_KERNEL, 6, pages), 6);
		for (unsigned int i = 0; i < 6; i++)
			KUNIT_ASSERT_EQ(thread->test, page_zone(pages[i])->node,
					thread->index & 1 ? (i < 3 ? 0 : 2) : 1);
		free_pages_bulk(pages, 6);
	}
}

static void in_threads(struct kunit *test)
{
	test_threads_run(test, 4, one_thread, NULL);
	percpu_bind_slot(1);
	EXPECT_NODES(test, 3, "111");
}

static void test_mempolicy_threads(struct kunit *test)
{
	zones_run(test, THREE_NODES, in_threads);
}

static void wrong(struct kunit *test)
{
	unsigned long none = 0, absent = 1UL << 9, some = 3;

	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy(-1, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy(7, &some), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy(USERMM_MPOL_DEFAULT, &some), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy(USERMM_MPOL_LOCAL, &some), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy(USERMM_MPOL_BIND, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy(USERMM_MPOL_INTERLEAVE, &none), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy(USERMM_MPOL_BIND, &absent), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy_weight(3, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_set_mempolicy_weight(0, 256), -EINVAL);
}

static void test_mempolicy_wrong(struct kunit *test)
{
	zones_run(test, THREE_NODES, wrong);
}

/* With one node the kernel is not asked. */
static void without_system_calls(struct kunit *test)
{
	unsigned long got;

	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_mempolicy(GFP_KERNEL, 8, array), 8);
	free_pages_bulk(array, 8);
	memset(array, 0, sizeof(array));
	if (!no_syscalls_from_here())
		return;
	got = alloc_pages_bulk_mempolicy(GFP_KERNEL, 8, array);
	syscall(SYS_exit_group, got == 8 ? 0 : 1);	/* _exit() makes calls under a sanitizer */
}

static void test_mempolicy_one_node(struct kunit *test)
{
	zones_run(test, "nodes=1", without_system_calls);
}

/* The library reads the policy that set_mempolicy(2) has set. */
static void test_mempolicy_of_the_kernel(struct kunit *test)
{
	unsigned long nodes = 1, read = 0;
	int mode = -1;

	if (syscall(SYS_set_mempolicy, MPOL_INTERLEAVE | MPOL_F_STATIC_NODES, &nodes, 64))
		kunit_skip(test, "no memory policies here (errno %d)", errno);
	KUNIT_EXPECT_EQ(test, os_thread_memory_policy(&mode, &read), 0);
	KUNIT_EXPECT_EQ(test, mode, USERMM_MPOL_INTERLEAVE);
	KUNIT_EXPECT_EQ(test, read, 1);
	KUNIT_ASSERT_EQ(test, syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, os_thread_memory_policy(&mode, &read), 0);
	KUNIT_EXPECT_EQ(test, mode, USERMM_MPOL_DEFAULT);
	KUNIT_EXPECT_EQ(test, read, 0);
}

static struct kunit_case mempolicy_cases[] = {
	KUNIT_CASE(test_mempolicy_interleave),
	KUNIT_CASE(test_mempolicy_weighted_interleave),
	KUNIT_CASE(test_mempolicy_bind),
	KUNIT_CASE(test_mempolicy_bind_zones),
	KUNIT_CASE(test_mempolicy_preferred),
	KUNIT_CASE(test_mempolicy_threads),
	KUNIT_CASE(test_mempolicy_wrong),
	KUNIT_CASE(test_mempolicy_one_node),
	KUNIT_CASE(test_mempolicy_of_the_kernel),
	{ 0 },
};

static struct kunit_suite mempolicy_suite = {
	.name = "page_mempolicy",
	.test_cases = mempolicy_cases,
};

kunit_test_suite(mempolicy_suite);
