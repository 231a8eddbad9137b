/* SPDX-License-Identifier: MIT */
#include "support/report.h"

#include <stdio.h>

void test_read_report(struct kunit *test, char *report, size_t bytes, void (*print)(int fd))
{
	FILE *file = tmpfile();
	size_t length;

	KUNIT_ASSERT_NOT_NULL(test, file);
	print(fileno(file));
	rewind(file);
	length = fread(report, 1, bytes - 1, file);
	report[length] = '\0';
	fclose(file);
	KUNIT_ASSERT_LT(test, length, bytes - 1);
}
