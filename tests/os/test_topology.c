/* SPDX-License-Identifier: MIT */
/* The memory nodes as the machine lists them; most machines have one. */
#include <errno.h>
#include <sched.h>

#include "os/os.h"
#include "support/kernel.h"
#include "support/threads.h"

/* The nodes that the machine lists. */
static unsigned int nodes_end(void)
{
	return OS_NODES - (unsigned int)__builtin_clzl(os_nodes_online());
}

static void test_topology_distances(struct kunit *test)
{
	uint64_t online = os_nodes_online();

	for (unsigned int from = 0; from < nodes_end(); from++)
		for (unsigned int to = 0; to < nodes_end(); to++) {
			unsigned int distance = os_node_distance(from, to);

			if (from == to)
				KUNIT_EXPECT_EQ(test, distance, 10);
			else if (online >> from & online >> to & 1)
				KUNIT_EXPECT_GT(test, distance, 10);
		}
	KUNIT_EXPECT_EQ_MSG(test, os_node_distance(1000, 0), 20, "no such node: a guess");
	KUNIT_EXPECT_EQ_MSG(test, os_node_distance(0, 1000), 20, "no such node: a guess");
}

static void test_topology_memory(struct kunit *test)
{
	uint64_t sum = 0;
	char text[16];

	KUNIT_EXPECT_NE(test, os_nodes_with_memory(), 0);
	KUNIT_EXPECT_EQ(test, os_nodes_with_memory() & ~os_nodes_online(), 0);
	for (unsigned int node = 0; node < nodes_end(); node++)
		sum += os_node_bytes(node);
	if (os_read_file("/sys/devices/system/node/online", text, sizeof(text)) <= 0)
		kunit_skip(test, "no nodes in /sys");
	KUNIT_EXPECT_GT(test, sum, 0);
	KUNIT_EXPECT_LE_MSG(test, sum, os_memory_bytes(), "RAM without swap");
	KUNIT_EXPECT_EQ(test, os_node_bytes(1000), 0);
}

/* Memory can be used whether the node that it was asked from exists or not. */
static void test_topology_prefer(struct kunit *test)
{
	size_t bytes = 16 * os_page_bytes();
	void *memory;

	for (unsigned int node = 0; node < 16; node += 15) {
		KUNIT_ASSERT_EQ(test, os_map(bytes, os_page_bytes(), &memory), 0);
		errno = 7;
		os_prefer_node(memory, bytes, node);
		KUNIT_EXPECT_EQ(test, errno, 7);
		memset(memory, 1, bytes);
		os_unmap(memory, bytes);
	}
}

static void test_topology_thread(struct kunit *test)
{
	struct sched_param param = { .sched_priority = 1 };

	unsigned int node = os_current_node();

	KUNIT_EXPECT_LT(test, node, 1024);
	test_pin(0);
	node = os_current_node();
	KUNIT_EXPECT_NE(test, os_read_node_cpus() >> node & 1, 0);
	KUNIT_EXPECT_EQ(test, os_cpu_node(0), (int)node);
	KUNIT_EXPECT_EQ_MSG(test, os_current_node(), node, "by the table as by the system");
	KUNIT_EXPECT_EQ(test, os_cpu_node(1U << 30), -1);
	KUNIT_EXPECT_FALSE(test, os_thread_is_realtime());
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		kunit_skip(test, "no realtime policy here");
	KUNIT_EXPECT_TRUE(test, os_thread_is_realtime());
	param.sched_priority = 0;
	sched_setscheduler(0, SCHED_OTHER, &param);
	KUNIT_EXPECT_FALSE(test, os_thread_is_realtime());
}

static struct kunit_case topology_cases[] = {
	KUNIT_CASE(test_topology_distances),
	KUNIT_CASE(test_topology_memory),
	KUNIT_CASE(test_topology_prefer),
	KUNIT_CASE(test_topology_thread),
	{ 0 },
};

static struct kunit_suite topology_suite = {
	.name = "topology",
	.test_cases = topology_cases,
};

kunit_test_suite(topology_suite);
