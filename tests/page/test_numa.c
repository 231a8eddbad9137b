/* SPDX-License-Identifier: MIT */
/*
 * The nodes of machines that are made up of files, and of this machine, if it has several
 * (tests/qemu/run_numa.py emulates such machines). The kernel says where pages really lie.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/os.h"
#include "page/pageblock.h"
#include "page/zonelist.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/system/made_up.h"
#include "support/threads.h"
#include "support/zones.h"
#include "usermm/reclaim.h"

/* --- Machines made up in files ------------------------------------------------------ */

struct machine {
	struct made_up made_up;
	void (*check)(struct kunit *test);
};

static void on_made_up(struct kunit *test, void *arg)
{
	const struct machine *machine = arg;

	made_up_bring_up(test, &machine->made_up);
	machine->check(test);
}

/* The nodes of a node's list, as digits. */
static const char *node_order(unsigned int nid)
{
	static char text[MAX_NUMNODES + 1];
	const struct zoneref *ref = NODE_DATA(nid)->node_zonelists[ZONELIST_FALLBACK].refs;
	unsigned int n = 0;

	for (; ref->zone; ref++)
		text[n++] = (char)('0' + ref->zone->node);
	text[n] = '\0';
	return text;
}

static unsigned long managed_mib(unsigned int nid)
{
	return zone_at(nid, ZONE_NORMAL)->managed_pages >> 8;
}

/* One page for the thread on this CPU; the node of its zone. */
static unsigned int node_for_cpu(unsigned int cpu, gfp_t gfp)
{
	struct page *page;
	unsigned int node;

	test_pin(cpu);
	page = alloc_page(gfp | __GFP_NOWARN);
	if (!page)
		return MAX_NUMNODES;
	node = page_zone(page)->node;
	__free_page(page);
	return node;
}

/* Node 1 is near to node 0, which is empty; 2 has no CPU; the CPUs 0 and up are 3's. */
static void check_four(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nr_online_nodes, 4);
	KUNIT_EXPECT_TRUE(test, nodes_are_real);
	KUNIT_EXPECT_EQ(test, managed_mib(0), 0);
	KUNIT_EXPECT_EQ(test, managed_mib(1), 16);
	KUNIT_EXPECT_EQ(test, managed_mib(2), 32);
	KUNIT_EXPECT_EQ(test, managed_mib(3), 16);
	KUNIT_EXPECT_EQ(test, node_distance(0, 2), 25);
	KUNIT_EXPECT_EQ(test, node_distance(3, 0), 31);
	KUNIT_EXPECT_STREQ(test, node_order(0), "123");
	/* At the same distance a node without CPUs comes first. */
	KUNIT_EXPECT_STREQ(test, node_order(1), "123");
	KUNIT_EXPECT_STREQ(test, node_order(2), "231");
	KUNIT_EXPECT_STREQ(test, node_order(3), "321");
	KUNIT_EXPECT_EQ(test, node_for_cpu(0, GFP_KERNEL), 3);
	KUNIT_EXPECT_EQ(test, numa_node_id(), 3);
	KUNIT_EXPECT_EQ(test, numa_cpu_node(40), 0);
	KUNIT_EXPECT_EQ(test, numa_cpu_node(50), 1);
	KUNIT_EXPECT_NULL(test, alloc_pages_node(0, GFP_KERNEL | __GFP_THISNODE | __GFP_NOWARN, 0));
}

/* Node 1 is missing: the lists of distances have no column for it. */
static void check_gap(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nr_online_nodes, 6);
	KUNIT_EXPECT_EQ(test, node_distance(0, 2), 17);
	KUNIT_EXPECT_EQ(test, node_distance(0, 5), 28);
	KUNIT_EXPECT_EQ(test, node_distance(5, 2), 21);
	KUNIT_EXPECT_STREQ(test, node_order(0), "025");
	KUNIT_EXPECT_EQ(test, managed_mib(1), 0);
	/* 64 MiB in three parts: the remainder goes to the first ones. */
	KUNIT_EXPECT_EQ(test, managed_mib(0), 24);
	KUNIT_EXPECT_EQ(test, managed_mib(2) + managed_mib(5), 40);
}

/* The process may have memory of nodes 1 and 2, and runs on 0. */
static void check_cpuset(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nr_online_nodes, 3);
	KUNIT_EXPECT_EQ(test, managed_mib(0), 0);
	KUNIT_EXPECT_EQ(test, managed_mib(1), 32);
	KUNIT_EXPECT_EQ(test, managed_mib(2), 32);
	KUNIT_EXPECT_EQ(test, node_for_cpu(0, GFP_KERNEL), 2);
	KUNIT_EXPECT_EQ(test, node_for_cpu(0, GFP_KERNEL | __GFP_THISNODE), MAX_NUMNODES);
}

static void check_one(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nr_online_nodes, 1);
	KUNIT_EXPECT_EQ(test, managed_mib(0), 64);
	KUNIT_EXPECT_EQ(test, node_for_cpu(0, GFP_KERNEL), 0);
}

static const struct machine machines[] = {
	{ { "0-3\n", "1-3\n", "0-3", {
		{ "32-47\n", "10 12 25 31\n", 0 },
		{ "48-63\n", "12 10 20 20\n", 1024 },
		{ "\n", "25 20 10 20\n", 2048 },
		{ "0-31\n", "31 20 20 10\n", 1024 },
	} }, check_four },
	{ { "0,2,5\n", "0,2,5\n", "0-7", {
		[0] = { "0-31\n", "10 17 28\n", 512 },
		[2] = { "32-47\n", "17 10 21\n", 512 },
		[5] = { "48-63\n", "28 21 10\n", 512 },
	} }, check_gap },
	{ { "0-2\n", "0-2\n", "1-2", {
		{ "0-31\n", "10 20 15\n", 512 },
		{ "32-47\n", "20 10 20\n", 512 },
		{ "48-63\n", "15 20 10\n", 512 },
	} }, check_cpuset },
	/* Of several nodes one is left. */
	{ { "0-1\n", "0-1\n", "1", {
		{ "0-31\n", "10 20\n", 512 },
		{ "32-63\n", "20 10\n", 512 },
	} }, check_one },
	{ { "0-1\n", "1\n", "0-1", {
		{ "0-31\n", "10 20\n", 0 },
		{ "32-63\n", "20 10\n", 512 },
	} }, check_one },
	{ { "no list\n", "\n", "", { { NULL, NULL, 0 } } }, check_one },
};

static void test_numa_made_up(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(machines); i++)
		CHILD_EXPECT_SUCCESS(test, on_made_up, (void *)&machines[i]);
}

/* The kernel applies a policy that the process has. */
static void with_policy(struct kunit *test, void *arg)
{
	static const struct machine machine = { { "0-1\n", "0-1\n", "0-1", {
		{ "0-31\n", "10 20\n", 512 },
		{ "32-63\n", "20 10\n", 512 },
	} }, check_one };
	unsigned long node0 = 1;

	(void)arg;
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &node0, 64))
		return;		/* not here */
	on_made_up(test, (void *)&machine);
}

static void test_numa_policy(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, with_policy, NULL);
}

/* --- This machine --------------------------------------------------------------------- */

static bool is_numa(void)
{
	uint64_t nodes = os_nodes_with_memory();

	return nodes & (nodes - 1);
}

/* The node on which the kernel has the page at this address, which has been written to. */
static int kernel_node(void *address)
{
	int status = -ENOENT;

	address = (void *)ALIGN_DOWN((unsigned long)address, os_page_bytes());
	if (syscall(SYS_move_pages, 0, 1UL, &address, NULL, &status, 0))
		return -errno;
	return status;
}

/* The node that the kernel's policy for this address prefers; -1 if it is another policy. */
static int policy_node(void *address)
{
	unsigned long nodes = 0;
	int mode = -1;

	if (syscall(SYS_get_mempolicy, &mode, &nodes, 64, address, MPOL_F_ADDR) ||
	    mode != MPOL_PREFERRED || !nodes)
		return -1;
	return __builtin_ctzl(nodes);
}

static int touched_node(struct page *page)
{
	memset(page_address(page), 1, PAGE_SIZE);
	return kernel_node(page_address(page));
}

/* Takes pages and has each looked for; the last one's node. */
static int take_and_look(struct kunit *test, struct hoard *hoard, gfp_t gfp, int nid,
			 unsigned long nr)
{
	struct page *page;
	int node = -1;

	for (unsigned long i = 0; i < nr; i++) {
		if (!hoard_take(hoard, gfp, 0, nid, NULL, 1))
			return -1;
		page = list_first_entry(&hoard->blocks[0], struct page, lru);
		node = (int)page_zone(page)->node;
		KUNIT_ASSERT_EQ(test, touched_node(page), node);
		KUNIT_ASSERT_EQ(test, policy_node(page_address(page)), node);
		KUNIT_ASSERT_EQ(test, policy_node(mm_slab_cache(page)), node);
		KUNIT_ASSERT_EQ(test, policy_node(mm_mark(page_address(page))), node);
		KUNIT_ASSERT_EQ(test, kernel_node(page), node);
	}
	return node;
}

static void local_pages(struct kunit *test)
{
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int cpu = 0; cpu < os_possible_cpus(); cpu++) {
		unsigned int node, nearest, system_cpu;

		test_pin(cpu);
		KUNIT_ASSERT_EQ(test, syscall(SYS_getcpu, &system_cpu, &node, NULL), 0);
		if (system_cpu != cpu)
			continue;
		KUNIT_EXPECT_EQ(test, numa_node_id(), node);
		KUNIT_EXPECT_EQ(test, numa_cpu_node(cpu), node);
		nearest = NODE_DATA(node)->node_zonelists[ZONELIST_FALLBACK].refs->zone->node;
		kunit_info(test, "CPU %u, node %u: pages of node %u\n", cpu, node, nearest);
		KUNIT_EXPECT_EQ(test, take_and_look(test, &hoard, GFP_KERNEL, -1, 600),
				(int)nearest);
	}
	hoard_give_all(&hoard);
}

static void pages_of_nodes(struct kunit *test)
{
	struct hoard hoard;

	hoard_init(&hoard);
	for (int nid = 0; nid < (int)nr_online_nodes; nid++) {
		bool has_memory = populated_zone(zone_at((unsigned int)nid, ZONE_NORMAL));
		int got = take_and_look(test, &hoard, GFP_KERNEL | __GFP_THISNODE, nid, 600);

		kunit_info(test, "node %d: %lu MiB, lists %s\n", nid,
			   managed_mib((unsigned int)nid), node_order((unsigned int)nid));
		KUNIT_EXPECT_EQ(test, got, has_memory ? nid : -1);
	}
	hoard_give_all(&hoard);
}

/* A node that is full: the next one in its list, and none with __GFP_THISNODE. */
static void full_node(struct kunit *test)
{
	const struct zoneref *refs;
	struct hoard hoard;
	unsigned int node;

	hoard_init(&hoard);
	refs = NODE_DATA(numa_node_id())->node_zonelists[ZONELIST_FALLBACK].refs;
	node = refs[0].zone->node;
	while (hoard_take(&hoard, GFP_NOWAIT | __GFP_THISNODE, 0, (int)node, NULL, 1))
		;
	KUNIT_EXPECT_LE(test, refs[0].zone->free_pages, wmark_pages(refs[0].zone, WMARK_MIN));
	KUNIT_EXPECT_EQ(test, take_and_look(test, &hoard, GFP_KERNEL, (int)node, 100),
			(int)refs[1].zone->node);
	KUNIT_EXPECT_EQ(test, take_and_look(test, &hoard, GFP_KERNEL, -1, 100),
			(int)refs[1].zone->node);
	hoard_give_all(&hoard);
}

/* Memory that went back to the system comes again from the same node, whatever CPU touches it. */
static void released_pages(struct kunit *test)
{
	struct zone *z = first_populated_zone();
	struct hoard hoard;
	int other = -1;

	for (unsigned int cpu = 0; cpu < os_possible_cpus(); cpu++)
		if (numa_cpu_node(cpu) != z->node)
			other = (int)cpu;
	hoard_init(&hoard);
	KUNIT_EXPECT_EQ(test, take_and_look(test, &hoard, GFP_KERNEL, (int)z->node, 3000),
			(int)z->node);
	hoard_give_all(&hoard);
	KUNIT_EXPECT_GT(test, usermm_trim(0), 2048 * PAGE_SIZE);
	if (other >= 0)
		test_pin((unsigned int)other);
	KUNIT_EXPECT_EQ(test, take_and_look(test, &hoard, GFP_KERNEL, (int)z->node, 3000),
			(int)z->node);
	hoard_give_all(&hoard);
}

static void test_numa_real(struct kunit *test)
{
	if (!is_numa())
		kunit_skip(test, "this machine has one node");
	zones_run(test, "limit=128M", local_pages);
	zones_run(test, "limit=128M", pages_of_nodes);
	zones_run(test, "limit=64M", full_node);
	zones_run(test, "limit=128M", released_pages);
}

static void interleaved(struct kunit *test, void *arg)
{
	unsigned long nodes = os_nodes_with_memory(), seen = 0;
	struct hoard hoard;
	struct page *page;

	(void)arg;
	KUNIT_ASSERT_EQ(test, syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &nodes, 64), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_EXPECT_EQ(test, nr_online_nodes, 1);
	hoard_init(&hoard);
	/* It may deal out huge pages. */
	hoard_take(&hoard, GFP_KERNEL, 0, -1, NULL, MIB_PAGES(64));
	list_for_each_entry(page, &hoard.blocks[0], lru)
		seen |= 1UL << touched_node(page);
	KUNIT_EXPECT_EQ_MSG(test, seen, nodes, "interleaved by the kernel");
	hoard_give_all(&hoard);
}

static void test_numa_interleaved(struct kunit *test)
{
	if (!is_numa())
		kunit_skip(test, "this machine has one node");
	CHILD_EXPECT_SUCCESS(test, interleaved, NULL);
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/*
 * A group of CPUs and memory, of this run's own: groups are the machine's, whoever mounts them
 * where, and others may run this test as well.
 */
struct cpuset {
	char root[sizeof("/tmp/usermm-cpuset-XXXXXX")];
	char group[128];
};

static void write_to_group(struct kunit *test, const struct cpuset *cpuset, const char *name,
			   const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", cpuset->group, name);
	KUNIT_ASSERT_TRUE_MSG(test, write_text(path, text), "%s to %s", text, path);
}

/* Into a cpuset without the first node's memory; its own is the nearest that is left. */
static void in_cpuset(struct kunit *test, void *arg)
{
	uint64_t nodes = os_nodes_with_memory();
	struct hoard hoard;
	char list[32];

	nodes &= nodes - 1;
	snprintf(list, sizeof(list), "%d-%d", __builtin_ctzl(nodes), 63 - __builtin_clzl(nodes));
	write_to_group(test, arg, "cpuset.mems", list);
	write_to_group(test, arg, "cgroup.procs", "0");
	KUNIT_EXPECT_EQ(test, os_nodes_with_memory(), nodes);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_EXPECT_EQ(test, nr_online_nodes > 1, (nodes & (nodes - 1)) != 0);
	test_pin(0);
	hoard_init(&hoard);
	KUNIT_ASSERT_EQ(test, hoard_take(&hoard, GFP_KERNEL, 0, -1, NULL, 600), 600);
	while (!list_empty(&hoard.blocks[0])) {
		struct page *page = list_first_entry(&hoard.blocks[0], struct page, lru);
		int node = touched_node(page);

		KUNIT_ASSERT_TRUE(test, nodes >> node & 1);
		if (nr_online_nodes > 1)
			KUNIT_ASSERT_EQ(test, (unsigned int)node, page_zone(page)->node);
		list_del(&page->lru);
		__free_page(page);
	}
}

/* False: there can be none here. */
static bool cpuset_make(struct cpuset *cpuset)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", cpuset->root);
	if (!write_text(path, "+cpuset"))
		return false;
	snprintf(cpuset->group, sizeof(cpuset->group), "%s/%s", cpuset->root,
		 cpuset->root + sizeof("/tmp"));
	return !mkdir(cpuset->group, 0700);
}

static void test_numa_cpuset(struct kunit *test)
{
	struct cpuset cpuset = { .root = "/tmp/usermm-cpuset-XXXXXX" };
	bool mounted, made;

	if (!is_numa())
		kunit_skip(test, "this machine has one node");
	KUNIT_ASSERT_NOT_NULL(test, mkdtemp(cpuset.root));
	mounted = !mount("cgroup2", cpuset.root, "cgroup2", 0, NULL);
	made = mounted && cpuset_make(&cpuset);
	if (made) {
		CHILD_EXPECT_SUCCESS(test, in_cpuset, &cpuset);
		KUNIT_EXPECT_EQ(test, rmdir(cpuset.group), 0);
	}
	if (mounted)
		KUNIT_EXPECT_EQ(test, umount(cpuset.root), 0);
	KUNIT_EXPECT_EQ(test, rmdir(cpuset.root), 0);
	if (!made)
		kunit_skip(test, "no cpusets can be made");
}

static struct kunit_case numa_cases[] = {
	KUNIT_CASE(test_numa_made_up),
	KUNIT_CASE(test_numa_policy),
	KUNIT_CASE(test_numa_real),
	KUNIT_CASE(test_numa_interleaved),
	KUNIT_CASE(test_numa_cpuset),
	{ 0 },
};

static struct kunit_suite numa_suite = {
	.name = "numa",
	.test_cases = numa_cases,
};

kunit_test_suite(numa_suite);
