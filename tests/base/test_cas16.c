/* SPDX-License-Identifier: MIT */
#include "base/cas16.h"

#include "support/kernel.h"
#include "support/threads.h"

#if CAS16_SUPPORTED
#define THREADS 4
#define SWAPS TEST_STEPS(100000)
#define FACTOR 3
#define WORD_BITS 64

static struct two_words words;

static bool are(unsigned long first, unsigned long second)
{
	return words.first == first && words.second == second;
}

/* The expected value differs from the real one in a low bit or a high bit of either word. */
static void test_cas16_compares_both(struct kunit *test)
{
	const struct two_words old = { 0x123456789abcdef0, ~0UL }, new = { 5, 7 };

	for (unsigned int bit = 0; bit < 2 * WORD_BITS; bit++) {
		struct two_words other = old;

		*(bit < WORD_BITS ? &other.first : &other.second) ^=
			1UL << bit % WORD_BITS;
		words = old;
		KUNIT_EXPECT_FALSE(test, cas16(&words, &other, &new));
		KUNIT_EXPECT_TRUE(test, are(old.first, old.second));
	}
	KUNIT_EXPECT_TRUE(test, cas16(&words, &old, &new));
	KUNIT_EXPECT_TRUE(test, are(new.first, new.second));
	KUNIT_EXPECT_TRUE(test, cas16(&words, &new, &new));
	KUNIT_EXPECT_TRUE(test, are(new.first, new.second));
}

/* The words belong together; reading them one by one may give a pair that does not. */
static void swap_often(struct test_thread *thread)
{
	for (unsigned int done = 0; done < SWAPS;) {
		struct two_words old = { .first = atomic_load_relaxed(&words.first),
					 .second = atomic_load_relaxed(&words.second) };
		struct two_words new = { old.first + 1, old.second + FACTOR };

		if (!cas16(&words, &old, &new))
			continue;
		done++;
		if (old.second != FACTOR * old.first)
			KUNIT_FAIL(thread->test, "a pair that never stood there was found");
	}
}

static void test_cas16_loses_nothing(struct kunit *test)
{
	words = (struct two_words){ 0, 0 };
	test_threads_run(test, THREADS, swap_often, NULL);
	KUNIT_EXPECT_TRUE(test, are(THREADS * SWAPS, FACTOR * THREADS * SWAPS));
}

#else
static void test_cas16_is_missing(struct kunit *test)
{
	kunit_skip(test, "this processor has no swap of two words");
}
#endif

static struct kunit_case cas16_cases[] = {
#if CAS16_SUPPORTED
	KUNIT_CASE(test_cas16_compares_both),
	KUNIT_CASE(test_cas16_loses_nothing),
#else
	KUNIT_CASE(test_cas16_is_missing),
#endif
	{ 0 },
};

static struct kunit_suite cas16_suite = {
	.name = "base_cas16",
	.test_cases = cas16_cases,
};

kunit_test_suite(cas16_suite);
