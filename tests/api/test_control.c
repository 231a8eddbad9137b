/* SPDX-License-Identifier: MIT */
/* Controls: each can be listed, read and written, and does what it says. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "malloc_core/tested.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#define CONTROL_MIB (1UL << 20)

static uint64_t read_of(struct kunit *test, const char *name)
{
	uint64_t value = ~0UL;

	KUNIT_EXPECT_EQ_MSG(test, usermm_control(name, &value, NULL), 0, "%s", name);
	return value;
}

static int write_of(const char *name, uint64_t value)
{
	return usermm_control(name, NULL, &value);
}

static void test_control_list(struct kunit *test)
{
	struct usermm_control_info info;
	unsigned int nr = 0;
	uint64_t value;

	for (; usermm_control_info(nr, &info); nr++) {
		KUNIT_EXPECT_GT_MSG(test, strlen(info.help), 5, "%s", info.name);
		KUNIT_EXPECT_TRUE_MSG(test, info.readable || info.writable, "%s", info.name);
		KUNIT_EXPECT_EQ_MSG(test, usermm_control(info.name, &value, NULL),
				    info.readable ? 0 : -EPERM, "%s", info.name);
	}
	KUNIT_EXPECT_GT(test, nr, 50);
}

static void test_control_errors(struct kunit *test)
{
	uint64_t value = 1;

	KUNIT_EXPECT_EQ(test, usermm_control("no.such", &value, NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, usermm_control("stats.", &value, NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, usermm_control("zones.free_pages", &value, NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, write_of("stats.online_bytes", 1), -EPERM);
	KUNIT_EXPECT_EQ(test, write_of("nr_cpus", 1), -EPERM);
	KUNIT_EXPECT_EQ(test, write_of("decay_ms", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, write_of("decay_ms", 3600001), -EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_control("purge", &value, &value), -EPERM);
	KUNIT_EXPECT_EQ(test, value, 1);
}

static void test_control_decay(struct kunit *test)
{
	uint64_t old = 0, wanted = 1000;

	KUNIT_EXPECT_EQ(test, usermm_control("decay_ms", &old, &wanted), 0);
	KUNIT_EXPECT_EQ(test, old, 250);
	KUNIT_EXPECT_EQ(test, read_of(test, "decay_ms"), 1000);
	KUNIT_EXPECT_EQ(test, write_of("decay_ms", old), 0);
}

static void test_control_purge(struct kunit *test)
{
	void *block = usermm_malloc(2 * CONTROL_MIB);

	KUNIT_ASSERT_NOT_NULL(test, block);
	memset(block, 1, 2 * CONTROL_MIB);
	usermm_free(block);
	KUNIT_EXPECT_GE(test, read_of(test, "stats.dirty_bytes") +
			      read_of(test, "stats.pcp_bytes") +
			      read_of(test, "stats.large_kept_bytes"), 2 * CONTROL_MIB);
	KUNIT_EXPECT_EQ(test, write_of("purge", 0), 0);
	KUNIT_EXPECT_LT(test, read_of(test, "stats.dirty_bytes"), CONTROL_MIB);
}

/* How many blocks of a MiB malloc() gives, at most `most`. The blocks are freed. */
static unsigned int count_blocks(unsigned int most)
{
	static void *blocks[512];
	unsigned int nr = 0;

	while (nr < most && (blocks[nr] = usermm_malloc(CONTROL_MIB)))
		nr++;
	for (unsigned int i = 0; i < nr; i++)
		usermm_free(blocks[i]);
	return nr;
}

static void change_limit(struct kunit *test, void *arg)
{
	const char *error = NULL;
	void *kept;

	KUNIT_ASSERT_EQ(test, usermm_set_options(arg, &error), 0);
	KUNIT_EXPECT_EQ(test, read_of(test, "limit"), 400 * CONTROL_MIB);
	KUNIT_EXPECT_EQ(test, write_of("limit", CONTROL_MIB), -EINVAL);
	KUNIT_EXPECT_EQ(test, write_of("limit", 401 * CONTROL_MIB), -EINVAL);
	KUNIT_EXPECT_GT(test, count_blocks(400), 300);
	KUNIT_EXPECT_EQ(test, write_of("limit", 100 * CONTROL_MIB), 0);
	KUNIT_EXPECT_EQ(test, read_of(test, "limit"), 100 * CONTROL_MIB);
	KUNIT_EXPECT_LE(test, count_blocks(400), 100);
	KUNIT_EXPECT_GT(test, count_blocks(400), 50);
	kept = usermm_malloc(60 * CONTROL_MIB);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	KUNIT_EXPECT_EQ(test, write_of("limit", 40 * CONTROL_MIB), -ENOMEM);
	KUNIT_EXPECT_EQ(test, read_of(test, "limit"), 100 * CONTROL_MIB);
	usermm_free(kept);
	KUNIT_EXPECT_EQ(test, write_of("limit", 400 * CONTROL_MIB), 0);
	KUNIT_EXPECT_GT(test, count_blocks(400), 300);
}

static void test_control_limit(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, change_limit, "limit=400M");
}

/* Blocks of all kinds, some of which live through a change of the control. */
static void use_blocks(struct kunit *test)
{
	static void *kept[300];

	for (unsigned int i = 0; i < TEST_STEPS(30000); i++) {
		unsigned int at = i % 300;
		size_t size = i * 131 % 3000 + (i % 100 ? 0 : 100000);

		kept[at] = usermm_realloc(kept[at], size + 1);
		KUNIT_ASSERT_NOT_NULL(test, kept[at]);
		((char *)kept[at])[size] = 1;
		if (i % 7)
			continue;
		usermm_free(kept[at]);
		kept[at] = NULL;
	}
}

/* How many samples the profile has had so far. */
static unsigned long count_samples(struct kunit *test)
{
	char text[4096] = "";
	unsigned long in_use, bytes, all;
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_EXPECT_EQ(test, write_of("profile_write", (uint64_t)fd), 0);
	KUNIT_ASSERT_GT(test, pread(fd, text, sizeof(text) - 1, 0), 0);
	close(fd);
	KUNIT_ASSERT_EQ(test, sscanf(text, "heap profile: %lu: %lu [%lu:", &in_use, &bytes, &all),
			3);
	return all;
}

static void switch_profile(struct kunit *test, void *arg)
{
	const char *options = arg, *error = NULL;
	unsigned long samples;

	KUNIT_ASSERT_EQ(test, usermm_set_options(options, &error), 0);
	use_blocks(test);
	if (*options) {
		KUNIT_EXPECT_EQ(test, read_of(test, "profile"), 4096);
	} else {
		KUNIT_EXPECT_EQ(test, read_of(test, "profile"), 0);
		KUNIT_EXPECT_EQ(test, write_of("profile_write", 2), -EOPNOTSUPP);
		KUNIT_EXPECT_EQ(test, write_of("profile", 0), 0);
	}
	KUNIT_ASSERT_EQ(test, write_of("profile", 4096), 0);
	use_blocks(test);
	samples = count_samples(test);
	KUNIT_EXPECT_GT(test, samples, 100);
	KUNIT_EXPECT_EQ(test, write_of("profile", 8192), -EINVAL);
	KUNIT_EXPECT_EQ(test, write_of("profile", 0), 0);
	KUNIT_EXPECT_EQ(test, read_of(test, "profile"), 0);
	samples = count_samples(test);
	use_blocks(test);
	KUNIT_EXPECT_EQ(test, count_samples(test), samples);
	KUNIT_EXPECT_EQ(test, write_of("profile", 4096), 0);
	use_blocks(test);
	KUNIT_EXPECT_GT(test, count_samples(test), samples);
}

static void refuse_profile(struct kunit *test, void *arg)
{
	const char *error = NULL;

	KUNIT_ASSERT_EQ(test, usermm_set_options(arg, &error), 0);
	KUNIT_EXPECT_EQ(test, write_of("profile", 4096), -EOPNOTSUPP);
	use_blocks(test);
}

static void test_control_profile(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, switch_profile, "");
	CHILD_EXPECT_SUCCESS(test, switch_profile, "profile=4096");
	CHILD_EXPECT_SUCCESS(test, switch_profile, "profile=4096:hardened=1");
	CHILD_EXPECT_SUCCESS(test, refuse_profile, "hardened=1");
	CHILD_EXPECT_SUCCESS(test, refuse_profile, "kfence_sample=1000");
}

/* The cases with children come first: they need a library that is not up yet. */
static struct kunit_case cases[] = {
	KUNIT_CASE(test_control_limit),
	KUNIT_CASE(test_control_profile),
	KUNIT_CASE(test_control_list),
	KUNIT_CASE(test_control_errors),
	KUNIT_CASE(test_control_decay),
	KUNIT_CASE(test_control_purge),
	{ 0 },
};

static struct kunit_suite suite = { .name = "api-control", .test_cases = cases };

kunit_test_suite(suite);
