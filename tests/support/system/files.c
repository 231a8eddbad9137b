/* SPDX-License-Identifier: MIT */
#include "support/system/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void test_write_file(struct kunit *test, const char *root, const char *path, const char *text)
{
	char name[256];
	int fd;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_ASSERT_EQ(test, write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}
