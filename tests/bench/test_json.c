// SPDX-License-Identifier: MIT
/* JSON: which values are written and which left out; which texts are read and which refused. */
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

/* The value that the text is, written again; "" and the line if it is none. */
static void expect_read(struct kunit *test, const char *text, const char *expected,
			unsigned int bad_line)
{
	unsigned int line = 0;
	const char *wrong = NULL;
	struct json *value = json_read(text, strlen(text), &line, &wrong);

	KUNIT_EXPECT_EQ_MSG(test, value == NULL, bad_line != 0, "%s", text);
	if (bad_line) {
		KUNIT_EXPECT_EQ_MSG(test, line, bad_line, "%s", text);
		KUNIT_EXPECT_NOT_NULL(test, wrong);
	}
	if (value && expected)
		expect_written(test, value, expected);
	else
		json_free(value);
}

static void values_are_read(struct kunit *test)
{
	expect_read(test, "{}", "{}\n", 0);
	expect_read(test, " [ ] ", "[]\n", 0);
	expect_read(test, "[1,-2.5e3,true,false,null,\"a\"]",
		    "[\n 1,\n -2500.0,\n true,\n false,\n null,\n \"a\"\n]\n", 0);
	expect_read(test, "{\"a\":{\"b\":[[],{}]},\n\"c\":9223372036854775807}",
		    "{\n \"a\": {\n  \"b\": [\n   [],\n   {}\n  ]\n },\n"
		    " \"c\": 9223372036854775807\n}\n", 0);
	expect_read(test, "[\"\\u00e9\\ud83d\\ude00\\n\\/\"]",
		    "[\n \"\xc3\xa9\xf0\x9f\x98\x80\\n/\"\n]\n", 0);
	/* Beyond the largest integer it is a real number. */
	expect_read(test, "[9223372036854775808]", "[\n 9.223372e+18\n]\n", 0);
}

static void mistakes_are_told(struct kunit *test)
{
	static const char *const wrong[] = {
		"", "1", "\"a\"", "x", "[", "]", "{", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}",
		"{\"a\":1,}", "{a:1}", "[\"a]", "[\"\\x\"]", "[\"\\u12\"]", "[\"\\ud800\"]",
		"[\"\\udc00\"]", "[\"\\u0000\"]", "[+1]", "[.5]", "[1e999]", "[-]", "[1-2]",
		"[tru]", "[] []", "{}x", "[\"\t\"]", "[\"\\", "[1 2]", "[nan]",
	};
	char deep[201];

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++)
		expect_read(test, wrong[i], NULL, 1);
	expect_read(test, "{\n\"a\": 1,\n\"b\" 2\n}", NULL, 3);
	memset(deep, '[', 200);
	deep[200] = '\0';
	expect_read(test, deep, NULL, 1);
}

/* Each text that a good one begins with is refused, and nothing behind its end is read. */
static void a_cut_text_is_refused(struct kunit *test)
{
	static const char text[] = "{\"a\": [1, 2.5, true, \"b\\u00e9\", {}], \"c\": null}";
	unsigned int line;
	const char *wrong;

	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		char *copy = kunit_kmalloc(test, length + 1, GFP_KERNEL);
		struct json *value;

		KUNIT_ASSERT_NOT_NULL(test, copy);
		memcpy(copy, text, length);
		value = json_read(copy, length, &line, &wrong);
		KUNIT_EXPECT_NULL(test, value);
		json_free(value);
	}
}

static void values_of_other_kinds_have_no_members(struct kunit *test)
{
	unsigned int line;
	const char *wrong, *text;
	struct json *array = json_read("[1, \"a\", {\"b\": 2}]", 18, &line, &wrong);
	const struct json *value = json_first(array);

	KUNIT_ASSERT_NOT_NULL(test, array);
	KUNIT_EXPECT_TRUE(test, json_is_array(array));
	KUNIT_EXPECT_NULL(test, json_member(array, "b"));
	KUNIT_EXPECT_NULL(test, json_member(NULL, "b"));
	KUNIT_EXPECT_NULL(test, json_member(value, "b"));
	KUNIT_EXPECT_NULL(test, json_first(value));
	value = json_next(value);
	KUNIT_EXPECT_TRUE(test, json_is_text(value, &text) && !strcmp(text, "a"));
	value = json_next(value);
	KUNIT_EXPECT_TRUE(test, json_is_object(value) && json_number(value, "b") == 2);
	KUNIT_EXPECT_STREQ(test, json_name(json_first(value)), "b");
	KUNIT_EXPECT_NULL(test, json_next(value));
	json_free(array);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(values_of_all_kinds),
	KUNIT_CASE(what_cannot_be_said_is_left_out),
	KUNIT_CASE(members_are_found),
	KUNIT_CASE(a_full_disk_is_told),
	KUNIT_CASE(values_are_read),
	KUNIT_CASE(mistakes_are_told),
	KUNIT_CASE(a_cut_text_is_refused),
	KUNIT_CASE(values_of_other_kinds_have_no_members),
	{}
};

static struct kunit_suite suite = {
	.name = "json",
	.test_cases = cases,
};
kunit_test_suite(suite);
