// SPDX-License-Identifier: MIT
/* memcmp() of kernel sources: as libc's, and right about bytes that change meanwhile. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/random.h>
#include <linux/string.h>

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

static int byte_by_byte(const unsigned char *a, const unsigned char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* All lengths and alignments, with one byte that differs or none. */
static void test_memcmp_orders(struct kunit *test)
{
	static unsigned char a[64], b[64];

	for (size_t n = 0; n <= 24; n++)
		for (size_t at = 0; at < 8; at++)
			for (size_t wrong = 0; wrong <= n; wrong++) {
				get_random_bytes(a, sizeof(a));
				memcpy(b + at, a + 3, n);
				b[at + wrong] ^= (unsigned char)(1u << (wrong % 8));
				KUNIT_ASSERT_EQ(test, sign(memcmp(a + 3, b + at, n)),
						byte_by_byte(a + 3, b + at, n));
			}
}

#define COMPARISONS 5000000

static unsigned long changing;

/* It must not end by itself: kthread_stop() would find no thread. */
static int change(void *unused)
{
	(void)unused;
	while (!kthread_should_stop()) {
		__atomic_store_n(&changing, 0x00000005000015feUL, __ATOMIC_RELAXED);
		__atomic_store_n(&changing, 0x000000057fffffffUL, __ATOMIC_RELAXED);
	}
	return 0;
}

/* Never equal: the first value differs in its first byte, the second in its second. */
static void test_memcmp_of_changing_bytes(struct kunit *test)
{
	const unsigned long key = 0x00000005000015ffUL;
	struct task_struct *task = kthread_run(change, NULL, "change");
	volatile size_t n = sizeof(key);	/* so that the compiler does not compare itself */
	unsigned long equal = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (unsigned int i = 0; i < COMPARISONS; i++)
		equal += !memcmp(&changing, &key, n);
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, equal, 0);
}

static struct kunit_case memcmp_cases[] = {
	KUNIT_CASE(test_memcmp_orders),
	KUNIT_CASE(test_memcmp_of_changing_bytes),
	{ 0 },
};

static struct kunit_suite memcmp_suite = { .name = "memcmp", .test_cases = memcmp_cases };

kunit_test_suite(memcmp_suite);
