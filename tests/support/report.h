/* SPDX-License-Identifier: MIT */
/* Reads what a report writes to a file descriptor. */
#ifndef SUPPORT_REPORT_H
#define SUPPORT_REPORT_H

#include <kunit/test.h>

/*
 * Fills `report` with all that print(fd) writes, and a 0 after it. Ends the case if that does not
 * fit.
 */
void test_read_report(struct kunit *test, char *report, size_t bytes, void (*print)(int fd));

#endif
