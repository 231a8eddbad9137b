/* SPDX-License-Identifier: MIT */
/* A memory cgroup that is made up of files, whose limits and usage a test changes. */
#ifndef SUPPORT_GROUP_H
#define SUPPORT_GROUP_H

#include <kunit/test.h>

#define GROUP_V1 "/sys/fs/cgroup/memory"
#define GROUP_V2 "/sys/fs/cgroup"

/*
 * Makes a folder with /proc/self/cgroup of this text, below which the library looks from now on.
 * To be called in a child, before the library is up. group_end() removes the folder.
 */
void group_begin(struct kunit *test, const char *groups);
void group_end(struct kunit *test);
/* Writes one of the files. */
void group_write(struct kunit *test, const char *path, const char *text);
void group_write_number(struct kunit *test, const char *path, unsigned long number);
void group_remove(const char *path);

#endif
