/* SPDX-License-Identifier: MIT */
/*
 * The budget is the smallest of a process's limits: resource limits, and memory cgroups. The
 * cgroups are made up of files; one is real, if this process may make one.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mm/memmap.h"
#include "os/os.h"
#include "page/zone.h"
#include "support/child.h"
#include "support/system/files.h"
#include "support/kernel.h"

#define V1 "/sys/fs/cgroup/memory"
#define V2 "/sys/fs/cgroup"

struct files {
	const char *name, *cgroup;	/* what /proc/self/cgroup says */
	struct {
		const char *path, *text;
	} limits[4];
	const char *source;		/* whose limit it is */
	uint64_t bytes;			/* 0: RAM and swap */
};

static const struct files trees[] = {
	{ "none at all", "", { { NULL, NULL } }, "RAM and swap", 0 },
	{ "version 2", "0::/user/job\n", { { V2 "/user/job/memory.max", "73400320\n" } },
	  "memory cgroup v2", 70 * MIB },
	{ "version 2, no limit", "0::/user/job\n", { { V2 "/user/job/memory.max", "max\n" } },
	  "RAM and swap", 0 },
	{ "version 2, a parent's", "0::/user/job/part\n", {
		{ V2 "/user/job/part/memory.max", "max\n" },
		{ V2 "/user/job/memory.max", "83886080\n" },
		{ V2 "/user/memory.max", "62914560\n" },
	}, "memory cgroup v2", 60 * MIB },
	{ "version 2, the root of a container", "0::/\n", { { V2 "/memory.max", "41943040\n" } },
	  "memory cgroup v2", 40 * MIB },
	{ "version 1", "9:name=systemd:/\n4:memory:/job\n1:cpu:/\n0::/\n", {
		{ V1 "/job/memory.limit_in_bytes", "52428800\n" },
		{ V1 "/memory.limit_in_bytes", "9223372036854771712\n" },
	}, "memory cgroup v1", 50 * MIB },
	{ "version 1, with others", "4:cpu,memory:/a/b\n", {
		{ V1 "/a/b/memory.limit_in_bytes", "9223372036854771712\n" },
		{ V1 "/a/memory.limit_in_bytes", "31457280\n" },
	}, "memory cgroup v1", 30 * MIB },
	/* The path is the host's; the container sees its own group as the root. */
	{ "version 1, a container", "4:memory:/docker/0123\n", {
		{ V1 "/memory.limit_in_bytes", "20971520\n" },
	}, "memory cgroup v1", 20 * MIB },
	{ "both", "4:memory:/x\n0::/y\n", {
		{ V1 "/x/memory.limit_in_bytes", "94371840\n" },
		{ V2 "/y/memory.max", "52428800\n" },
	}, "memory cgroup v2", 50 * MIB },
	{ "nonsense", "4:memory\n::\n0:\nmemory:4:/x", { { V2 "/memory.max", "-7\n" } },
	  "RAM and swap", 0 },
};

/* The library comes up with these files: its budget, and how much can be allocated. */
static void among_files(struct kunit *test, void *arg)
{
	char root[] = "/tmp/usermm-limits-XXXXXX", command[64];
	const struct files *files = arg;
	struct os_limit limit = { 0 };

	KUNIT_ASSERT_NOT_NULL(test, mkdtemp(root));
	test_write_file(test, root, "/proc/self/cgroup", files->cgroup);
	for (unsigned int i = 0; i < ARRAY_SIZE(files->limits) && files->limits[i].path; i++)
		test_write_file(test, root, files->limits[i].path, files->limits[i].text);
	os_root = root;
	os_constant_limit(&limit);
	os_take_changing_limits(&limit, false);
	KUNIT_EXPECT_EQ(test, page_init(), 0);
	os_root = "";
	snprintf(command, sizeof(command), "rm -r %s", root);
	KUNIT_EXPECT_EQ(test, system(command), 0);
	KUNIT_EXPECT_STREQ_MSG(test, limit.source, files->source, "%s", files->name);
	KUNIT_EXPECT_EQ(test, limit.bytes, files->bytes ? files->bytes : os_memory_bytes());
	if (files->bytes) {
		KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes,
				ALIGN_DOWN(files->bytes, SECTION_BYTES));
		KUNIT_EXPECT_STREQ(test, mm_facts.budget_source, files->source);
		KUNIT_EXPECT_EQ(test, nodes_managed_pages(), mm_facts.budget_bytes >> PAGE_SHIFT);
	}
}

static void test_budget_cgroup_files(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(trees); i++)
		CHILD_EXPECT_SUCCESS(test, among_files, (void *)&trees[i]);
}

/* --- Resources -------------------------------------------------------------------- */

struct resources {
	uint64_t address_space, data;	/* 0 is none */
	const char *options, *source;
	uint64_t budget;
};

static void under_resources(struct kunit *test, void *arg)
{
	const struct resources *resources = arg;
	struct rlimit limit;
	const char *error;

	limit.rlim_cur = limit.rlim_max = resources->address_space;
	if (resources->address_space)
		KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = limit.rlim_max = resources->data;
	if (resources->data)
		KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_DATA, &limit), 0);
	KUNIT_ASSERT_EQ(test, usermm_set_options(resources->options, &error), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, resources->budget);
	KUNIT_EXPECT_STREQ(test, mm_facts.budget_source, resources->source);
}

static void test_budget_resources(struct kunit *test)
{
	static const struct resources cases[] = {
		{ 400 * MIB, 0, "", "RLIMIT_AS", 400 * MIB },
		{ 0, 200 * MIB, "", "RLIMIT_DATA", 200 * MIB },
		{ 400 * MIB, 200 * MIB, "", "RLIMIT_DATA", 200 * MIB },
		{ 400 * MIB, 200 * MIB, "limit=100M", "limit=", 100 * MIB },
		{ 400 * MIB, 200 * MIB, "limit=300M", "RLIMIT_DATA", 200 * MIB },
		{ 400 * MIB, 200 * MIB, "reserve=64M", "window", 64 * MIB },
	};

	if (!ADDRESSES_MAY_BE_FEW)
		kunit_skip(test, "the sanitizer needs more than any limit");
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		CHILD_EXPECT_SUCCESS(test, under_resources, (void *)&cases[i]);
}

/* --- A real cgroup ---------------------------------------------------------------- */

#define REAL_LIMIT (96 * MIB)

/* This process's memory cgroup of version 1, as a folder; false if it has none. */
static bool own_cgroup(char *folder, size_t size)
{
	char text[4096], *line, *end;

	if (os_read_file("/proc/self/cgroup", text, sizeof(text)) <= 0)
		return false;
	line = strstr(text, ":memory:");
	if (!line)
		return false;
	line += strlen(":memory:");
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	snprintf(folder, size, V1 "%s/usermm-test-%d", strcmp(line, "/") ? line : "", getpid());
	return true;
}

/* As many pages as it gets, each written to: nobody is killed for it. */
static void in_cgroup(struct kunit *test, void *arg)
{
	unsigned long bytes = 0;
	char *page;

	test_write_file(test, arg, "/cgroup.procs", "0");
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_EXPECT_STREQ(test, mm_facts.budget_source, "memory cgroup v1");
	KUNIT_EXPECT_EQ(test, mm_facts.budget_bytes, REAL_LIMIT);
	while (bytes < REAL_LIMIT / 10 * 8 &&
	       (page = (char *)__get_free_pages(GFP_KERNEL | __GFP_NOWARN, 0))) {
		memset(page, 1, PAGE_SIZE);
		bytes += PAGE_SIZE;
	}
	KUNIT_EXPECT_GE(test, bytes, REAL_LIMIT / 10 * 8);
}

static void test_budget_real_cgroup(struct kunit *test)
{
	char folder[256], text[32];

	if (!own_cgroup(folder, sizeof(folder)) || mkdir(folder, 0700))
		kunit_skip(test, "no memory cgroup of version 1 can be made here");
	snprintf(text, sizeof(text), "%lu", REAL_LIMIT);
	test_write_file(test, folder, "/memory.limit_in_bytes", text);
	CHILD_EXPECT_SUCCESS(test, in_cgroup, folder);
	rmdir(folder);
}

static struct kunit_case budget_cases[] = {
	KUNIT_CASE(test_budget_cgroup_files),
	KUNIT_CASE(test_budget_resources),
	KUNIT_CASE(test_budget_real_cgroup),
	{ 0 },
};

static struct kunit_suite budget_suite = {
	.name = "budget",
	.test_cases = budget_cases,
};

kunit_test_suite(budget_suite);
