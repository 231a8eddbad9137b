/* SPDX-License-Identifier: MIT */
/* Files with made-up content, such as the kernel's files about a machine. */
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include <kunit/test.h>

/*
 * Writes a file root/path that holds only this text. Makes the folders below root that are missing.
 */
void test_write_file(struct kunit *test, const char *root, const char *path, const char *text);

#endif
