/* SPDX-License-Identifier: MIT */
/* The option parser: which texts it accepts, which it refuses, and with which message. */
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
	char error[OPTION_ERROR_BYTES];

	KUNIT_EXPECT_EQ_MSG(test, parse(text, error, sizeof(error)), 0, "\"%s\": %s", text, error);
	KUNIT_EXPECT_STREQ(test, error, "");
}

/* Is the text refused, with a message that has the wrong word? */
static void expect_bad(struct kunit *test, const char *text, const char *word)
{
	char error[OPTION_ERROR_BYTES];

	KUNIT_EXPECT_EQ_MSG(test, parse(text, error, sizeof(error)), -1, "\"%s\"", text);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(error, word) != NULL, "\"%s\": no \"%s\" in \"%s\"",
			      text, word, error);
	KUNIT_EXPECT_FALSE_MSG(test, strchr(error, '\n') != NULL, "one line: \"%s\"", error);
}

/* Is the text refused, with a message that has these words? */
static bool says(const char *text, const char *words)
{
	char error[OPTION_ERROR_BYTES];

	return parse(text, error, sizeof(error)) && strstr(error, words);
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
}

/* For a number out of range the message says the range, and nothing else. */
static void test_options_say_what_is_right(struct kunit *test)
{
	expect_bad(test, "limit=129T", "limit takes 0..128T");
	KUNIT_EXPECT_FALSE(test, says("limit=129T", "K, M, G"));
	expect_bad(test, "limit=64MB", "limit takes 0..128T: bytes, or a number with K, M, G or ");
	expect_bad(test, "limit=", "or a number with K, M, G or T behind it");
	expect_bad(test, "limit=1.5G", "or a number with K, M, G or T behind it");
	KUNIT_EXPECT_FALSE(test, says("stats=1K", "K, M, G"));
	expect_bad(test, "limit=64M,stats=1", "; options are separated by ':'");
	expect_bad(test, "limit=64M stats=1", "; options are separated by ':'");
	expect_bad(test, "rseq=off;limit=64M", "; options are separated by ':'");
	expect_bad(test, "stats=1,quicklist_debug", "; options are separated by ':'");
	KUNIT_EXPECT_FALSE(test, says("limit=64M,nosuch=1", "':'"));
	KUNIT_EXPECT_FALSE(test, says("limit=64M,:stats=1", "':'"));
}

static void test_options_old_names(struct kunit *test)
{
	const char *name, *new_name;

	KUNIT_EXPECT_FALSE(test, options_old_name(0, &name, &new_name));
	expect_good(test, "window=64M:populate=off:guard=7:slab_path=freelist,kmalloc-64");
	KUNIT_EXPECT_EQ(test, options.reserve, 64UL << 20);
	KUNIT_EXPECT_EQ(test, options.prefault, (unsigned long)OPTION_PREFAULT_OFF);
	KUNIT_EXPECT_EQ(test, options.kfence_sample, 7UL);
	KUNIT_EXPECT_STREQ(test, option_text(options.slab_cpu_cache), "freelist,kmalloc-64");
	KUNIT_ASSERT_TRUE(test, options_old_name(3, &name, &new_name));
	KUNIT_EXPECT_STREQ(test, name, "window");
	KUNIT_EXPECT_STREQ(test, new_name, "reserve");
	KUNIT_EXPECT_FALSE(test, options_old_name(4, &name, &new_name));

	expect_bad(test, "guard=x", "guard takes 0..1000000000");
	expect_bad(test, "slab_path=slab", "slab_path takes sheaf|freelist[,CACHE...]");
	expect_bad(test, "slab_cpu_cache=freelist", "slab_cpu_cache takes sheaf|slab[,CACHE...]");
	expect_good(test, "guard=7:kfence_sample=8");
	KUNIT_EXPECT_EQ(test, options.kfence_sample, 8UL);
	expect_good(test, "slab_path=sheaf:window=0:prefault=on:guard=0");
}

static void test_options_bad_words(struct kunit *test)
{
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

/* A bad option is skipped, the others take effect, and the message is about the first bad one. */
static void test_options_words(struct kunit *test)
{
	expect_good(test, "slab_cpu_cache=sheaf");
	expect_good(test, "slab_cpu_cache=slab");
	expect_good(test, "slab_cpu_cache=slab,kmalloc-*,malloc-64");
	expect_bad(test, "slab_cpu_cache=foo", "sheaf|slab[,CACHE...]");
	expect_bad(test, "slab_cpu_cache=", "slab_cpu_cache");
	expect_bad(test, "slab_cpu_cache=,kmalloc-8", "slab_cpu_cache");
	expect_bad(test, "slab_cpu_cache=sheaf,kmalloc-8", "slab_cpu_cache");
	expect_bad(test, "slab_cpu_cache=freelists", "slab_cpu_cache");
}

/* Letters, in either case, in any number of blocks; behind a comma anything is a name. */
static void test_options_letters(struct kunit *test)
{
	static const char *const good[] = {
		"slab_debug", "slab_debug=", "slab_debug=FZPUTAO", "slab_debug=fzputao-",
		"slab_debug=-", "slab_debug=off", "slab_debug=,x y", "slab_debug=Z,a*,b;P,c;;U",
		"slab_debug=;F",
	};
	static const char *const bad[] = {
		"slab_debug=Q", "slab_debug=FxZ,a", "slab_debug=FZ;PQ,a", "slab_debug=F Z",
		"slab_debug=1", "slab_debug=F,a;x", "slab_debug=]", "slab_debug=[",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(good); i++)
		expect_good(test, good[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		expect_bad(test, bad[i], "bad value in option 'slab_debug=");
		expect_bad(test, bad[i], "slab_debug takes [FZPUTAO-][,CACHE...][;...]");
	}
}

static void test_options_faults(struct kunit *test)
{
	static const char *const good[] = {
		"failslab=1,100,0,-1", "failslab=off", "failslab=-",
		"failslab=0x10,5,-3,2147483647",
		"failslab=1,2,3,4,cache-filter=1,task-filter=0,verbose=0x2,reject-end=-1",
		"fail_page_alloc=1,2,3,4,min-order=4294967295,ignore-gfp-highmem=0",
		"fail_page_alloc=1,2,3,4,require-start=0x7f0000000000,require-end=0x7fffffffffff",
		"failslab=1,2,3,4,ignore-gfp-wait=1,ignore-gfp-wait=0,stacktrace-depth=4",
	};
	static const char *const bad[] = {
		"failslab", "failslab=", "failslab=x", "failslab=1,2,3", "failslab=1,,0,1",
		"failslab=1,2,3,x", "failslab=1,100,0,-", "failslab=-1,100,0,-1",
		"failslab=1,-100,0,-1", "failslab=1,2,2147483648,4", "failslab=1,2,3,2147483648",
		"failslab=99999999999999999999,2,3,4", "failslab=1,100,0,-1,", "failslab=1,2,3,4x",
		"failslab=1,100,0,-1,5", "failslab=1,2,3,4,cache-filter=2",
		"failslab=1,2,3,4,min-order=1", "failslab=1,2,3,4,cache-filter",
		"failslab=1,2,3,4,cache-filter=", "failslab=1,2,3,4,verbose=1x",
		"failslab= 1,2,3,4",
		"fail_page_alloc=1,2,3,4,cache-filter=1", "fail_page_alloc=1,2,3,4,min-order=-1",
		"fail_page_alloc=1,2,3,4,order=3", "fail_page_alloc=1,2,3,4,ignore-gfp-wait=2",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(good); i++)
		expect_good(test, good[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		expect_bad(test, bad[i], " takes interval,probability,space,times[,NAME=VALUE...]");
		expect_bad(test, bad[i], "; NAMEs: ignore-gfp-wait ");
		expect_bad(test, bad[i], " reject-start reject-end");
	}
	expect_bad(test, "failslab=1", " cache-filter ");
	expect_bad(test, "fail_page_alloc=1", " min-order ");
}

static void test_options_path(struct kunit *test)
{
	static const char *const good[] = {
		"profile_file=heap", "profile_file=/tmp/%p.%n.heap", "profile_file=100%%",
		"profile_file=%%%p%%", "profile_file=a b,c;d|e[f]", "profile_file=off",
	};
	static const char *const bad[] = {
		"profile_file", "profile_file=", "profile_file=%", "profile_file=heap.%d",
		"profile_file=%p%", "profile_file=%%%", "profile_file=% p",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(good); i++)
		expect_good(test, good[i]);
	KUNIT_EXPECT_PTR_EQ(test, option_text(options.profile_file), NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		expect_bad(test, bad[i], "profile_file takes PATH, in which %p is the process");
}

/* For example a line of a file with its end. */
static void test_options_one_line(struct kunit *test)
{
	expect_bad(test, "limit=1G\n", "'limit=1G\\x0a'; limit takes");
	expect_bad(test, "no\rsuch\x7f=\t", "'no\\x0dsuch\\x7f=\\x09'");
	expect_bad(test, "slab_debug=F\n", "'slab_debug=F\\x0a'");
	expect_bad(test, "rseq\nlimit", "'rseq\\x0alimit'");
	expect_bad(test, "limit=\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "\\x0a");
	expect_bad(test, "limit=\303\244", "'limit=\303\244'");
}

/* A bad text leaves the text before it in force, whatever its length. */
static void test_options_text_stays(struct kunit *test)
{
	expect_good(test, "slab_debug=ZU,first");
	expect_bad(test, "slab_debug=QQQQQQQQQQQQQQQQQ", "slab_debug");
	KUNIT_EXPECT_STREQ(test, option_text(options.slab_debug), "ZU,first");
	expect_good(test, "slab_debug=P");
	KUNIT_EXPECT_STREQ(test, option_text(options.slab_debug), "P");
}

static void test_options_good_beside_bad(struct kunit *test)
{
	expect_bad(test, "limit=5M:nosuch=1:limit=x:rseq=off", "nosuch");
	KUNIT_EXPECT_EQ(test, options.limit, 5UL << 20);
	KUNIT_EXPECT_EQ(test, options.rseq, OPTION_RSEQ_OFF);
}

static void test_options_long_text(struct kunit *test)
{
	char text[5000], error[OPTION_ERROR_BYTES], tiny[8];

	memset(text, 'n', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	KUNIT_EXPECT_EQ(test, parse(text, error, sizeof(error)), -1);
	KUNIT_EXPECT_LT(test, strlen(error), sizeof(error));
	memset(tiny, '!', sizeof(tiny));
	KUNIT_EXPECT_EQ(test, options_parse("nosuch=1", tiny, 4), -1);
	KUNIT_EXPECT_EQ(test, strlen(tiny), 3);
	KUNIT_EXPECT_EQ(test, tiny[4], '!');
}

/* The parser accepts each value as the table prints it, and gets the same value. */
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
	KUNIT_CASE(test_options_say_what_is_right),
	KUNIT_CASE(test_options_old_names),
	KUNIT_CASE(test_options_bad_words),
	KUNIT_CASE(test_options_bad_names),
	KUNIT_CASE(test_options_words),
	KUNIT_CASE(test_options_letters),
	KUNIT_CASE(test_options_faults),
	KUNIT_CASE(test_options_path),
	KUNIT_CASE(test_options_one_line),
	KUNIT_CASE(test_options_text_stays),
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
