/* SPDX-License-Identifier: MIT */
#include "support/system/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/file.h"
#include "support/system/files.h"

static char root[64];

void group_begin(struct kunit *test, const char *groups)
{
	snprintf(root, sizeof(root), "/tmp/usermm-group-XXXXXX");
	KUNIT_ASSERT_NOT_NULL(test, mkdtemp(root));
	group_write(test, "/proc/self/cgroup", groups);
	os_root = root;
}

void group_end(struct kunit *test)
{
	char command[96];

	os_root = "";
	snprintf(command, sizeof(command), "rm -r %s", root);
	KUNIT_EXPECT_EQ(test, system(command), 0);
}

void group_write(struct kunit *test, const char *path, const char *text)
{
	test_write_file(test, root, path, text);
}

void group_write_number(struct kunit *test, const char *path, unsigned long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu\n", number);
	group_write(test, path, text);
}

void group_remove(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", root, path);
	unlink(full);
}
