// SPDX-License-Identifier: MIT
/* The results of suites as JSON: what is written, and what is left out. */
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compiler.h"
#include "support/kernel.h"

/* What is written of the value, which is freed. */
static void expect_written(struct kunit *test, struct json *value, const char *expected)
{
	char text[1024];
	int fd = memfd_create("json", MFD_CLOEXEC);
	ssize_t length;

	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_EXPECT_EQ(test, json_write(value, fd), 0);
	length = pread(fd, text, sizeof(text) - 1, 0);
	close(fd);
	json_free(value);
	KUNIT_ASSERT_GE(test, length, 0);
	text[length] = '\0';
	KUNIT_EXPECT_STREQ(test, text, expected);
}

static void values_of_all_kinds(struct kunit *test)
{
	struct json *object = json_object(), *array = json_array();

	json_add_text(array, NULL, "a \"b\" \\ \n\t\x01 \xc3\xa9 \xff");
	json_add(array, NULL, json_array());
	json_add(array, NULL, json_object());
	json_add_real(object, "real", 0.1);
	json_add_real(object, "whole", 2);
	json_add_real(object, "large", 1e21);
	json_add_integer(object, "integer", -(1ll << 62));
	json_add_bool(object, "bool", true);
	json_add_bool(object, "other", false);
	json_add_null(object, "nothing");
	json_add(object, "array", array);
	expect_written(test, object, "{\n \"real\": 0.1,\n \"whole\": 2.0,\n \"large\": 1e+21,\n"
		       " \"integer\": -4611686018427387904,\n \"bool\": true,\n"
		       " \"other\": false,\n \"nothing\": null,\n \"array\": [\n"
		       "  \"a \\\"b\\\" \\\\ \\n\\u0009\\u0001 \xc3\xa9 \xef\xbf\xbd\",\n"
		       "  [],\n  {}\n ]\n}\n");
}

static void what_cannot_be_said_is_left_out(struct kunit *test)
{
	struct json *object = json_object();

	json_add_real(object, "nan", NAN);
	json_add_real(object, "infinity", -INFINITY);
	json_add(object, "no value", NULL);
	json_add_text(NULL, "name", "text");
	json_add_real(NULL, "name", 1);
	json_add(NULL, "name", json_object());
	expect_written(test, object, "{}\n");
	json_free(NULL);
}

static void members_are_found(struct kunit *test)
{
	struct json *rows = json_array(), *row = NULL;
	static const char *const names[] = { "first", "second", "second" };

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		row = json_object();
		json_add_text(row, "name", names[i]);
		json_add_integer(row, "step", i);
		json_add_real(row, "ns", i + 0.5);
		json_add(rows, NULL, row);
	}
	row = json_find(rows, "name", "second");
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_TRUE(test, json_number(row, "step") == 1 && json_number(row, "ns") == 1.5);
	KUNIT_EXPECT_STREQ(test, json_text(row, "name"), "second");
	KUNIT_EXPECT_STREQ(test, json_text(row, "ns"), "?");
	KUNIT_EXPECT_TRUE(test, isnan(json_number(row, "name")));
	KUNIT_EXPECT_TRUE(test, isnan(json_number(row, "none")));
	KUNIT_EXPECT_NULL(test, json_member(row, "none"));
	KUNIT_EXPECT_NULL(test, json_find(rows, "name", "third"));
	json_free(rows);
}

static void a_full_disk_is_told(struct kunit *test)
{
	struct json *object = json_object();
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		kunit_skip(test, "no /dev/full");
	KUNIT_EXPECT_EQ(test, json_write(object, fd), -ENOSPC);
	close(fd);
	json_free(object);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(values_of_all_kinds),
	KUNIT_CASE(what_cannot_be_said_is_left_out),
	KUNIT_CASE(members_are_found),
	KUNIT_CASE(a_full_disk_is_told),
	{}
};

static struct kunit_suite suite = {
	.name = "json",
	.test_cases = cases,
};
kunit_test_suite(suite);
