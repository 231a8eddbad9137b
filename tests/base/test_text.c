/* SPDX-License-Identifier: MIT */
/* The library's own functions on texts, compared with libc's on random short texts. */
#include <string.h>

#include "support/kernel.h"
#include "support/prng.h"
#include "support/threads.h"

/* libc's, before the header gives their names to others. */
static const struct {
	size_t (*length)(const char *text);
	int (*compare)(const char *one, const char *other);
	int (*compare_start)(const char *one, const char *other, size_t most);
	char *(*find)(const char *text, int c);
	char *(*find_last)(const char *text, int c);
	char *(*find_text)(const char *text, const char *part);
	size_t (*span)(const char *text, const char *of);
	size_t (*span_without)(const char *text, const char *of);
	void *(*find_byte)(const void *bytes, int c, size_t nr);
	int (*compare_bytes)(const void *one, const void *other, size_t nr);
} libc = { strlen, strcmp, strncmp, strchr, strrchr, strstr, strspn, strcspn, memchr, memcmp };

#include "base/text.h"

#define LONGEST 12

/* Few different characters, so that texts have parts in common; one is negative as a char. */
static void make_text(struct prng *prng, char text[LONGEST + 1])
{
	unsigned int length = prng_below(prng, LONGEST + 1);

	for (unsigned int i = 0; i < length; i++)
		text[i] = "ab\xe9"[prng_below(prng, 3)];
	memset(text + length, 0, LONGEST + 1 - length);
}

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

static void test_text_like_libc(struct kunit *test)
{
	struct prng prng = { 1 };
	char one[LONGEST + 1], other[LONGEST + 1];

	for (unsigned int i = 0; i < (unsigned int)TEST_STEPS(200000); i++) {
		unsigned int nr = prng_below(&prng, LONGEST + 2);
		int c = "ab\xe9z"[prng_below(&prng, 5)];

		make_text(&prng, one);
		make_text(&prng, other);
		other[2 + prng_below(&prng, LONGEST - 2)] = '\0';
		KUNIT_ASSERT_EQ(test, strlen(one), libc.length(one));
		KUNIT_ASSERT_EQ(test, sign(strcmp(one, other)), sign(libc.compare(one, other)));
		KUNIT_ASSERT_EQ(test, sign(strncmp(one, other, nr)),
				sign(libc.compare_start(one, other, nr)));
		KUNIT_ASSERT_PTR_EQ(test, strchr(one, c), libc.find(one, c));
		KUNIT_ASSERT_PTR_EQ(test, strrchr(one, c), libc.find_last(one, c));
		KUNIT_ASSERT_PTR_EQ(test, strstr(one, other), libc.find_text(one, other));
		KUNIT_ASSERT_EQ(test, strspn(one, other), libc.span(one, other));
		KUNIT_ASSERT_EQ(test, strcspn(one, other), libc.span_without(one, other));
		nr = min(nr, LONGEST + 1u);
		KUNIT_ASSERT_PTR_EQ(test, memchr(one, c, nr), libc.find_byte(one, c, nr));
		KUNIT_ASSERT_EQ(test, sign(memcmp(one, other, nr)),
				sign(libc.compare_bytes(one, other, nr)));
	}
}

static struct kunit_case text_cases[] = {
	KUNIT_CASE(test_text_like_libc),
	{ 0 },
};

static struct kunit_suite text_suite = {
	.name = "text",
	.test_cases = text_cases,
};

kunit_test_suite(text_suite);
