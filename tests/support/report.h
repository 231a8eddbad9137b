/* SPDX-License-Identifier: MIT */
/* What a report writes to a file descriptor. */
#ifndef SUPPORT_REPORT_H
#define SUPPORT_REPORT_H

#include <kunit/test.h>

/* All of what print(fd) writes, with a 0 behind it; or the case ends. */
void test_read_report(struct kunit *test, char *report, size_t bytes, void (*print)(int fd));

#endif
