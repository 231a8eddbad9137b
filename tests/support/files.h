/* SPDX-License-Identifier: MIT */
/* Files that a test makes up, such as those in which the kernel tells about a machine. */
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include <kunit/test.h>

/* root/path holds just this text; folders that are missing below root are made. */
void test_write_file(struct kunit *test, const char *root, const char *path, const char *text);

#endif
