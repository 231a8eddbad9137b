/* SPDX-License-Identifier: MIT */
/*
 * A libc has its area at a place where the kernel accepts none. usermm finds an area by rounding
 * down the place of its index field, which would be wrong here. So it does not use the area, and
 * everything works without.
 *
 * Built as test_owner.c: the two names below are not glibc's. Each case is a process of its
 * own.
 */
#include "percpu/percpu.h"
#include "percpu/rseq/registration.h"
#include "support/child.h"
#include "support/kernel.h"

/* Half way between two valid places. */
const ptrdiff_t __rseq_offset __attribute__((visibility("default"))) = 16;
const unsigned int __rseq_size __attribute__((visibility("default"))) = 32;

static void test_odd_area_is_refused(struct kunit *test)
{
	struct registration found;

	registration_find(&found);
	KUNIT_EXPECT_EQ(test, found.area, (unsigned long)__rseq_offset);
	KUNIT_EXPECT_EQ(test, found.owner, RSEQ_OWNER_NONE);
	KUNIT_ASSERT_NOT_NULL(test, found.reason);
	KUNIT_EXPECT_NOT_NULL(test, strstr(found.reason, "aligned"));
}

static void go_without(struct kunit *test, void *arg)
{
	void *object = kmalloc(100, GFP_KERNEL);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, object);
	memset(object, 0x5a, 100);
	kfree(object);
	KUNIT_EXPECT_EQ(test, percpu_mode(), PERCPU_LOCKED);
	KUNIT_EXPECT_FALSE(test, percpu_has_sequences());
	KUNIT_EXPECT_STREQ(test, percpu_registration(), "none");
	/* A processor without sequences has that reason first. */
	if (RSEQ_SUPPORTED)
		KUNIT_EXPECT_NOT_NULL(test, strstr(percpu_mode_reason(), "aligned"));
	KUNIT_EXPECT_GE(test, percpu_current_slot(), 0);
}

static void test_odd_area_is_gone_without(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, go_without, NULL);
}

static struct kunit_case odd_area_cases[] = {
	KUNIT_CASE(test_odd_area_is_refused),
	KUNIT_CASE(test_odd_area_is_gone_without),
	{ 0 },
};

static struct kunit_suite odd_area_suite = {
	.name = "registration_odd_area",
	.test_cases = odd_area_cases,
};

kunit_test_suite(odd_area_suite);
