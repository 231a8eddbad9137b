/* SPDX-License-Identifier: MIT */
/* Whose area is used, and the quick look at whether the kernel keeps it. */
#include "percpu/rseq/registration.h"

#include "os/os.h"
#include "percpu/percpu.h"
#include "percpu/rseq/abi.h"
#include "percpu/rseq/libc_area.h"
#include "support/kernel.h"
#include "support/threads.h"

static void test_registration_follows_libc(struct kunit *test)
{
	struct registration found;

	registration_find(&found);
	KUNIT_ASSERT_NOT_NULL(test, found.reason);
	kunit_info(test, "%s", found.reason);
	if (libc_has_area && __rseq_size) {
		KUNIT_EXPECT_EQ(test, found.owner, RSEQ_OWNER_LIBC);
		KUNIT_EXPECT_EQ(test, found.area, (unsigned long)__rseq_offset);
	} else if (libc_has_area) {
		/* libc was told not to register: usermm does not do it in its place. */
		KUNIT_EXPECT_EQ(test, found.owner, RSEQ_OWNER_NONE);
	} else {
		KUNIT_EXPECT_NE(test, found.owner, RSEQ_OWNER_LIBC);
	}
	if (found.owner != RSEQ_OWNER_NONE)
		KUNIT_EXPECT_GE(test, found.feature_bytes, RSEQ_CPU_ID_BYTES);
}

/* In each thread, also in those that have to be registered first. */
static void check_thread(struct test_thread *thread)
{
	const struct registration *found = thread->arg;

	registration_enter_thread();
	KUNIT_EXPECT_NULL(thread->test, registration_check(found, os_possible_cpus()));
}

static void test_registration_holds_in_threads(struct kunit *test)
{
	struct registration found;

	registration_find(&found);
	if (found.owner == RSEQ_OWNER_NONE)
		kunit_skip(test, "no restartable sequences: %s", found.reason);
	test_threads_run(test, 4, check_thread, &found);
}

/* The kernel demands the registered size, and libc may have registered more than 32 bytes. */
static void end_and_renew(struct test_thread *thread)
{
	const struct registration *found = thread->arg;

	registration_enter_thread();
	KUNIT_EXPECT_TRUE(thread->test, registration_end(found));
	KUNIT_EXPECT_FALSE(thread->test, registration_end(found));
	KUNIT_EXPECT_TRUE(thread->test, registration_renew(found));
	KUNIT_EXPECT_NULL(thread->test, registration_check(found, os_possible_cpus()));
	KUNIT_EXPECT_TRUE(thread->test, registration_renew(found));
}

static void test_registration_ends_and_is_renewed(struct kunit *test)
{
	struct registration found;

	registration_find(&found);
	if (found.owner == RSEQ_OWNER_NONE)
		kunit_skip(test, "no restartable sequences: %s", found.reason);
	KUNIT_EXPECT_GE(test, found.area_bytes, RSEQ_ORIGINAL_BYTES);
	test_threads_run(test, 1, end_and_renew, &found);
}

/* Values that a kernel without working sequences would leave in the area. */
static void test_registration_check_notices(struct kunit *test)
{
	static __thread struct rseq_area fake __attribute__((aligned(32)));
	struct registration of_fake = {
		.owner = RSEQ_OWNER_USERMM,
		.area = (unsigned long)&fake - (unsigned long)thread_pointer(),
		.feature_bytes = RSEQ_MM_CID_BYTES,
	};
	unsigned int cpu;

	test_pin(0);
	cpu = os_current_cpu();
	fake.cpu_id = cpu;
	KUNIT_EXPECT_NULL(test, registration_check(&of_fake, cpu + 1));
	fake.mm_cid = cpu + 1;
	KUNIT_EXPECT_NOT_NULL(test, registration_check(&of_fake, cpu + 1));
	of_fake.feature_bytes = RSEQ_CPU_ID_BYTES;
	KUNIT_EXPECT_NULL(test, registration_check(&of_fake, cpu + 1));
	fake.cpu_id = RSEQ_CPU_ID_UNINITIALIZED;
	KUNIT_EXPECT_NOT_NULL(test, registration_check(&of_fake, cpu + 1));
	fake.cpu_id = cpu + 1;	/* possible, but the thread is elsewhere */
	KUNIT_EXPECT_NOT_NULL(test, registration_check(&of_fake, cpu + 2));
	test_unpin();
}

static struct kunit_case registration_cases[] = {
	KUNIT_CASE(test_registration_follows_libc),
	KUNIT_CASE(test_registration_holds_in_threads),
	KUNIT_CASE(test_registration_ends_and_is_renewed),
	KUNIT_CASE(test_registration_check_notices),
	{ 0 },
};

static struct kunit_suite registration_suite = {
	.name = "percpu_registration",
	.test_cases = registration_cases,
};

kunit_test_suite(registration_suite);
