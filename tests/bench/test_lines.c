// SPDX-License-Identifier: MIT
/* The cache lines that suite kmalloc counts: of code that touches known ones. */
#include "measure/lines.h"

#include "base/compiler.h"
#include "support/kernel.h"
#include "support/threads.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOWED 1		/* the sanitizer's own lines would count */
#else
#define SHADOWED 0
#endif

#define LINE 64
#define NR_LINES 200

static char memory[(NR_LINES + 2) * LINE] __aligned(LINE);
static __thread char own[2 * LINE] __aligned(LINE);
static volatile unsigned long sink;
static const char *refused;

/*
 * Once for all cases: the thread has no restartable sequences from here on, and stays on one
 * CPU. With locked slots it might fill one CPU's slot, and then find another CPU's slot empty.
 */
static int begin(struct kunit_suite *suite)
{
	(void)suite;
	test_pin(0);
	kfree(kmalloc(64, GFP_KERNEL));
	refused = SHADOWED ? "a sanitizer is in the way" : lines_begin();
	return 0;
}

static void skip_if_refused(struct kunit *test)
{
	if (refused)
		kunit_skip(test, "%s", refused);
}

static void trace(struct kunit *test, void (*function)(void *arg), void *arg, struct lines *lines)
{
	skip_if_refused(test);
	KUNIT_ASSERT_TRUE(test, lines_trace(function, arg, lines));
}

/* The lines of a call of an empty function: the loader's tables for the call, if there are any. */
static void do_nothing(void *arg)
{
	(void)arg;
}

static void touch_lines(void *arg)
{
	volatile char *bytes = arg;

	for (unsigned int i = 0; i < NR_LINES; i++)
		bytes[i * LINE]++;
}

static void touch_one_often(void *arg)
{
	volatile char *bytes = arg;

	for (unsigned int i = 0; i < NR_LINES; i++)
		bytes[i % LINE]++;
}

struct unaligned {
	unsigned long word;
} __attribute__((packed));

static void straddle(void *arg)
{
	volatile struct unaligned *place = (void *)((char *)arg + LINE - 4);

	(void)place->word;
}

static void touch_own(void *arg)
{
	(void)arg;
	*(volatile char *)&own[0] = 1;
	*(volatile char *)&own[LINE] = 1;
}

static void touch_stack(void *arg)
{
	volatile char bytes[16 * LINE];

	(void)arg;
	for (unsigned int i = 0; i < 16; i++)
		bytes[i * LINE] = 1;
	sink = (unsigned long)bytes[0];
}

static void touch_by_index(void *arg)
{
	volatile unsigned long *words = arg;

	for (unsigned long i = 0; i < 4; i++)
		words[i * LINE / sizeof(long)] = i;
}

static void test_others(struct kunit *test)
{
	struct lines nothing, lines;

	trace(test, do_nothing, NULL, &nothing);
	trace(test, touch_lines, memory, &lines);
	KUNIT_EXPECT_EQ(test, lines.others - nothing.others, NR_LINES);
	KUNIT_EXPECT_EQ(test, lines.objects + lines.pages, 0ul);
	trace(test, touch_one_often, memory, &lines);
	KUNIT_EXPECT_EQ(test, lines.others - nothing.others, 1ul);
	trace(test, touch_by_index, memory, &lines);
	KUNIT_EXPECT_EQ(test, lines.others - nothing.others, 4ul);
	trace(test, straddle, memory, &lines);
	KUNIT_EXPECT_EQ(test, lines.others - nothing.others, 2ul);
}

static void test_thread_local(struct kunit *test)
{
	struct lines nothing, lines;

	trace(test, do_nothing, NULL, &nothing);
	trace(test, touch_own, NULL, &lines);
	/* The offset of the thread's copy may have to be looked up. */
	KUNIT_EXPECT_GE(test, lines.others - nothing.others, 2ul);
	KUNIT_EXPECT_LE(test, lines.others - nothing.others, 4ul);
}

static void test_stack_does_not_count(struct kunit *test)
{
	struct lines nothing, lines;

	trace(test, do_nothing, NULL, &nothing);
	trace(test, touch_stack, NULL, &lines);
	/* The stack protector's word, if there is one. */
	KUNIT_EXPECT_LE(test, lines.others - nothing.others, 1ul);
}

static void test_objects(struct kunit *test)
{
	void *object = kmalloc(NR_LINES * LINE, GFP_KERNEL);
	struct lines lines;

	skip_if_refused(test);
	KUNIT_ASSERT_NOT_NULL(test, object);
	trace(test, touch_lines, object, &lines);
	KUNIT_EXPECT_EQ(test, lines.objects, NR_LINES);
	kfree(object);
}

static void test_pages(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	struct lines nothing, lines;

	skip_if_refused(test);
	KUNIT_ASSERT_NOT_NULL(test, page);
	trace(test, do_nothing, NULL, &nothing);
	trace(test, straddle, page, &lines);	/* reads one's end and the next one's start */
	KUNIT_EXPECT_EQ(test, lines.pages, 2ul);
	KUNIT_EXPECT_EQ(test, lines.objects, 0ul);
	KUNIT_EXPECT_EQ(test, lines.others, nothing.others);
	__free_pages(page, 2);
}

static void take_and_give(void *arg)
{
	(void)arg;
	kfree(kmalloc(64, GFP_KERNEL));
}

/* A pair on the fast path touches its object, the entry that names the cache, and few others. */
static void test_pair(struct kunit *test)
{
	struct lines first, second;

	for (unsigned int i = 0; i < 100; i++)
		take_and_give(NULL);
	trace(test, take_and_give, NULL, &first);
	trace(test, take_and_give, NULL, &second);
	KUNIT_EXPECT_EQ(test, first.objects, 1ul);
	KUNIT_EXPECT_EQ(test, first.pages, 1ul);
	KUNIT_EXPECT_EQ(test, lines_total(&first), lines_total(&second));
	KUNIT_EXPECT_LE(test, first.others, 40ul);
}

static void endless(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < 40000; i++)
		sink += i;
}

static void test_too_many_steps(struct kunit *test)
{
	struct lines lines;

	skip_if_refused(test);
	KUNIT_EXPECT_FALSE(test, lines_trace(endless, NULL, &lines));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_others),
	KUNIT_CASE(test_thread_local),
	KUNIT_CASE(test_stack_does_not_count),
	KUNIT_CASE(test_objects),
	KUNIT_CASE(test_pages),
	KUNIT_CASE(test_pair),
	KUNIT_CASE(test_too_many_steps),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "lines",
	.suite_init = begin,
	.test_cases = cases,
};

kunit_test_suite(suite);
