/* SPDX-License-Identifier: MIT */
#include "support/system/made_up.h"

#include <stdlib.h>

#include "support/system/files.h"
#include "support/kernel.h"
#include "os/os.h"
#include "page/zone.h"

static void write_node(struct kunit *test, const char *root, unsigned int nid,
		       const struct made_up_node *node)
{
	char path[128], text[128];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/distance", nid);
	test_write_file(test, root, path, node->distance);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", nid);
	test_write_file(test, root, path, node->cpus);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", nid);
	snprintf(text, sizeof(text), "Node %u MemTotal:       %u kB\nNode %u MemFree: 1 kB\n", nid,
		 node->mib * 1024, nid);
	test_write_file(test, root, path, text);
}

void made_up_bring_up(struct kunit *test, const struct made_up *machine)
{
	char root[] = "/tmp/usermm-nodes-XXXXXX", status[128], command[128];
	const char *error = NULL;

	KUNIT_ASSERT_NOT_NULL(test, mkdtemp(root));
	test_write_file(test, root, "/sys/devices/system/node/online", machine->online);
	test_write_file(test, root, "/sys/devices/system/node/has_memory", machine->has_memory);
	test_write_file(test, root, "/sys/devices/system/cpu/possible", "0-63\n");
	snprintf(status, sizeof(status), "Name:\tx\nMems_allowed:\t1\nMems_allowed_list:\t%s\n",
		 machine->allowed);
	test_write_file(test, root, "/proc/self/status", status);
	for (unsigned int nid = 0; nid < ARRAY_SIZE(machine->nodes); nid++)
		if (machine->nodes[nid].distance)
			write_node(test, root, nid, &machine->nodes[nid]);
	os_root = root;
	KUNIT_ASSERT_EQ(test, usermm_set_options("nodes=0:limit=64M:reserve=64M", &error), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	os_root = "";
	snprintf(command, sizeof(command), "rm -r %s", root);
	KUNIT_EXPECT_EQ(test, system(command), 0);
}
