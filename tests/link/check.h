/* SPDX-License-Identifier: MIT */
/*
 * Checks for a program that is linked without the tests' harness. The program counts the failures
 * itself.
 */
#ifndef LINK_CHECK_H
#define LINK_CHECK_H

#include <stdio.h>

static unsigned int passed, failed;

#define CHECK(condition)							\
	do {									\
		if (condition) {						\
			passed++;						\
		} else {							\
			failed++;						\
			printf("line %d: not true: %s\n", __LINE__, #condition);	\
		}								\
	} while (0)

/* Prints the last line, and returns what main() has to return. */
static int check_report(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}

#endif
