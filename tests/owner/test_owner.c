/* SPDX-License-Identifier: MIT */
/*
 * Another library has registered restartable sequences before usermm, and libc offers none: its
 * registrations stay.
 *
 * Built with usermm's registration as it is under a libc without rseq; GLIBC_TUNABLES makes glibc
 * register nothing. Each case is a process of its own.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "percpu/percpu.h"
#include "percpu/rseq/abi.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

/* The other library's area; only the kernel may write to it. */
static __thread struct rseq_area others __attribute__((aligned(32)));

static int others_call(int flags)
{
	return syscall(SYS_rseq, &others, sizeof(others), flags, RSEQ_SIGNATURE) ? errno : 0;
}

static void others_register(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, others_call(0), 0);
}

/* The owner's area is unchanged, and the kernel still knows it. */
static void others_unregister(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, others.rseq_cs, 0);
	KUNIT_EXPECT_LT(test, others.cpu_id, 4096);
	KUNIT_EXPECT_EQ(test, others_call(RSEQ_FLAG_UNREGISTER), 0);
}

static void use_all(struct kunit *test)
{
	void *objects[100];

	for (unsigned int round = 0; round < 200; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
			objects[i] = kmalloc(1 + i * 50, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			memset(objects[i], (int)i, 1 + i * 50);
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
			KUNIT_EXPECT_EQ(test, *(unsigned char *)objects[i], i);
			kfree(objects[i]);
		}
	}
}

static void in_first_thread(struct kunit *test, void *arg)
{
	(void)arg;
	others_register(test);
	use_all(test);
	KUNIT_EXPECT_EQ(test, percpu_mode(), PERCPU_LOCKED);
	KUNIT_EXPECT_STREQ(test, percpu_mode_reason(),
			   "another library, or a libc newer than the one that usermm "
			   "was built with, has registered restartable sequences");
	KUNIT_EXPECT_STREQ(test, percpu_registration(), "none");
	KUNIT_EXPECT_GE(test, percpu_current_slot(), 0);
	others_unregister(test);
}

static void in_every_second_thread(struct test_thread *thread)
{
	bool other_was_first = thread->index % 2;

	if (other_was_first)
		others_register(thread->test);
	use_all(thread->test);
	if (other_was_first) {
		KUNIT_EXPECT_EQ(thread->test, percpu_current_slot(), -1);
		others_unregister(thread->test);
		/* The choice was final: usermm does not register the thread later. */
		use_all(thread->test);
		KUNIT_EXPECT_EQ(thread->test, percpu_current_slot(), -1);
	} else {
		KUNIT_EXPECT_GE(thread->test, percpu_current_slot(), 0);
	}
}

static void in_later_threads(struct kunit *test, void *arg)
{
	(void)arg;
	use_all(test);
	KUNIT_EXPECT_NE(test, percpu_mode(), PERCPU_LOCKED);
	KUNIT_EXPECT_STREQ(test, percpu_registration(), "usermm's own");
	test_threads_run(test, 6, in_every_second_thread, NULL);
	KUNIT_EXPECT_GE(test, percpu_current_slot(), 0);
}

static void unregistered_later(struct kunit *test, void *arg)
{
	(void)arg;
	others_register(test);
	use_all(test);
	others_unregister(test);
	/* The choice is not taken back. */
	use_all(test);
	KUNIT_EXPECT_EQ(test, percpu_mode(), PERCPU_LOCKED);
}

static int need_rseq(struct kunit *test)
{
	const char *options = getenv("USERMM_OPTIONS");
	int error = others_call(0);

	if (options && strstr(options, "rseq=off"))
		kunit_skip(test, "usermm was told to register nobody");
	if (error)
		kunit_skip(test, "the test itself cannot register an area: %s", strerror(error));
	others_call(RSEQ_FLAG_UNREGISTER);
	return 0;
}

static void test_owner_in_first_thread(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, in_first_thread, NULL);
	CHILD_EXPECT_SUCCESS(test, unregistered_later, NULL);
}

static void test_owner_in_later_threads(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, in_later_threads, NULL);
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(test_owner_in_first_thread),
	KUNIT_CASE(test_owner_in_later_threads),
	{ 0 },
};

static struct kunit_suite owner_suite = {
	.name = "registration_owner",
	.init = need_rseq,
	.test_cases = owner_cases,
};

kunit_test_suite(owner_suite);
