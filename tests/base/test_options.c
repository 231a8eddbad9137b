/* SPDX-License-Identifier: MIT */
/* The option parser: what it takes, what it refuses, and how it says so. */
#include "base/options.h"
#include "support/kernel.h"

static struct options saved;

static int save_options(struct kunit *test)
{
	(void)test;
	saved = options;
	return 0;
}

static void restore_options(struct kunit *test)
{
	(void)test;
	options = saved;
}

static int parse(const char *text, char *error, size_t bytes)
{
	memset(error, 0, bytes);
	return options_parse(text, error, bytes);
}

static void expect_good(struct kunit *test, const char *text)
{
	char error[160];

	KUNIT_EXPECT_EQ_MSG(test, parse(text, error, sizeof(error)), 0, "\"%s\": %s", text, error);
	KUNIT_EXPECT_STREQ(test, error, "");
}

/* Refused, and the message holds the word that is to blame. */
static void expect_bad(struct kunit *test, const char *text, const char *word)
{
	char error[160];

	KUNIT_EXPECT_EQ_MSG(test, parse(text, error, sizeof(error)), -1, "\"%s\"", text);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(error, word) != NULL, "\"%s\": no \"%s\" in \"%s\"",
			      text, word, error);
	KUNIT_EXPECT_FALSE_MSG(test, strchr(error, '\n') != NULL, "one line: \"%s\"", error);
}

static void test_options_sizes(struct kunit *test)
{
	static const struct {
		const char *text;
		unsigned long value;
	} rows[] = {
		{ "limit=0", 0 }, { "limit=1", 1 }, { "limit=4096", 4096 },
		{ "limit=16K", 16UL << 10 }, { "limit=16k", 16UL << 10 },
		{ "limit=16M", 16UL << 20 }, { "limit=16m", 16UL << 20 },
		{ "limit=3G", 3UL << 30 }, { "limit=2T", 2UL << 40 }, { "limit=128T", 128UL << 40 },
		{ "limit=0M", 0 }, { "limit=007", 7 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		options.limit = 99;
		expect_good(test, rows[i].text);
		KUNIT_EXPECT_EQ_MSG(test, options.limit, rows[i].value, "%s", rows[i].text);
	}
}

static void test_options_enum(struct kunit *test)
{
	expect_good(test, "rseq=off");
	KUNIT_EXPECT_EQ(test, options.rseq, OPTION_RSEQ_OFF);
	expect_good(test, "rseq=auto");
	KUNIT_EXPECT_EQ(test, options.rseq, OPTION_RSEQ_AUTO);
	expect_good(test, "rseq=cpu_id");
	KUNIT_EXPECT_EQ(test, options.rseq, OPTION_RSEQ_CPU_ID);
	expect_good(test, "rseq=mm_cid");
	KUNIT_EXPECT_EQ(test, options.rseq, OPTION_RSEQ_MM_CID);
}

static void test_options_several(struct kunit *test)
{
	expect_good(test, "");
	expect_good(test, ":");
	expect_good(test, "::limit=8M::rseq=off:");
	KUNIT_EXPECT_EQ(test, options.limit, 8UL << 20);
	KUNIT_EXPECT_EQ(test, options.rseq, OPTION_RSEQ_OFF);
	expect_good(test, "limit=1M:limit=2M");
	KUNIT_EXPECT_EQ_MSG(test, options.limit, 2UL << 20, "the later one counts");
}

static void test_options_bad_values(struct kunit *test)
{
	static const char *const bad[] = {
		"limit=", "limit=K", "limit=x", "limit=16X", "limit=16MM", "limit=-1", "limit=+1",
		"limit= 1", "limit=1 ", "limit=1.5M", "limit=0x10", "limit=129T",
		"limit=18446744073709551616", "limit=99999999999999999999T",
		"limit=18446744073709551615K", "limit=16M,", "stats=3", "stats=1K", "stats=yes",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct options before = options;

		expect_bad(test, bad[i], "bad value");
		KUNIT_EXPECT_MEMEQ_MSG(test, &options, &before, sizeof(before), "%s", bad[i]);
	}
	expect_bad(test, "rseq=", "rseq");
	expect_bad(test, "rseq=on", "auto|off|cpu_id|mm_cid");
	expect_bad(test, "rseq=OFF", "rseq");
	expect_bad(test, "rseq=of", "rseq");
	expect_bad(test, "rseq=off|auto", "rseq");
}

static void test_options_bad_names(struct kunit *test)
{
	expect_bad(test, "nosuch=1", "'nosuch=1'");
	expect_bad(test, "=1", "unknown");
	expect_bad(test, "limi=1M", "unknown");
	expect_bad(test, "limits=1M", "unknown");
	expect_bad(test, "Limit=1M", "unknown");
	expect_bad(test, "limit", "needs a value");
	expect_bad(test, " limit=1M", "unknown");
}

/* A bad option is skipped, the others count, and the first bad one is told. */
static void test_options_words(struct kunit *test)
{
	expect_good(test, "slab_path=sheaf");
	expect_good(test, "slab_path=freelist");
	expect_good(test, "slab_path=freelist,kmalloc-*,malloc-64");
	expect_bad(test, "slab_path=foo", "sheaf|freelist[,CACHE...]");
	expect_bad(test, "slab_path=", "slab_path");
	expect_bad(test, "slab_path=,kmalloc-8", "slab_path");
	expect_bad(test, "slab_path=sheaf,kmalloc-8", "slab_path");
	expect_bad(test, "slab_path=freelists", "slab_path");
}

static void test_options_good_beside_bad(struct kunit *test)
{
	expect_bad(test, "limit=5M:nosuch=1:limit=x:rseq=off", "nosuch");
	KUNIT_EXPECT_EQ(test, options.limit, 5UL << 20);
	KUNIT_EXPECT_EQ(test, options.rseq, OPTION_RSEQ_OFF);
}

static void test_options_long_text(struct kunit *test)
{
	char text[5000], error[160], tiny[8];

	memset(text, 'n', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	KUNIT_EXPECT_EQ(test, parse(text, error, sizeof(error)), -1);
	KUNIT_EXPECT_LT(test, strlen(error), sizeof(error));
	memset(tiny, '!', sizeof(tiny));
	KUNIT_EXPECT_EQ(test, options_parse("nosuch=1", tiny, 4), -1);
	KUNIT_EXPECT_EQ(test, strlen(tiny), 3);
	KUNIT_EXPECT_EQ(test, tiny[4], '!');
}

/* What the table prints, the parser takes, and comes to the same value. */
static void test_options_table(struct kunit *test)
{
	const struct option_row *row;

	for (unsigned int i = 0; (row = options_row(i)); i++) {
		char value[64], text[128];

		KUNIT_ASSERT_NOT_NULL(test, row->name);
		KUNIT_EXPECT_GT(test, strlen(row->help), 10);
		options_format_value(row, row->default_value, value, sizeof(value));
		snprintf(text, sizeof(text), "%s=%s", row->name, value);
		*row->value = row->default_value + 1;
		expect_good(test, text);
		KUNIT_EXPECT_EQ(test, *row->value, row->default_value);
		for (unsigned int k = 0; k < i; k++)
			KUNIT_EXPECT_STRNEQ(test, row->name, options_row(k)->name);
	}
	KUNIT_EXPECT_NULL(test, options_row(1000));
}

static void test_options_format_sizes(struct kunit *test)
{
	static const struct {
		unsigned long value;
		const char *text;
	} rows[] = {
		{ 0, "0" }, { 1, "1" }, { 1023, "1023" }, { 1024, "1K" }, { 1536, "1536" },
		{ 16UL << 20, "16M" }, { 3UL << 30, "3G" }, { 128UL << 40, "128T" },
		{ (1UL << 20) + 1024, "1025K" },
	};
	const struct option_row *row = NULL;
	char text[64];

	for (unsigned int i = 0; (row = options_row(i)); i++)
		if (!strcmp(row->name, "limit"))
			break;
	KUNIT_ASSERT_NOT_NULL(test, row);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		options_format_value(row, rows[i].value, text, sizeof(text));
		KUNIT_EXPECT_STREQ(test, text, rows[i].text);
	}
}

static struct kunit_case options_cases[] = {
	KUNIT_CASE(test_options_sizes),
	KUNIT_CASE(test_options_enum),
	KUNIT_CASE(test_options_several),
	KUNIT_CASE(test_options_bad_values),
	KUNIT_CASE(test_options_bad_names),
	KUNIT_CASE(test_options_words),
	KUNIT_CASE(test_options_good_beside_bad),
	KUNIT_CASE(test_options_long_text),
	KUNIT_CASE(test_options_table),
	KUNIT_CASE(test_options_format_sizes),
	{ 0 },
};

static struct kunit_suite options_suite = {
	.name = "options",
	.init = save_options,
	.exit = restore_options,
	.test_cases = options_cases,
};

kunit_test_suite(options_suite);
