// SPDX-License-Identifier: MIT
/* Credentials as they were before Linux 6.2 and 6.14. */
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 1, 0)

#include <kunit/test.h>
#include <linux/cred.h>

/* The usual way: the override's reference is the only one. */
static void test_override_has_a_reference(struct kunit *test)
{
	const struct cred *before = current->cred, *old;
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->fsuid = KUIDT_INIT(1000);
	old = override_creds(cred);
	KUNIT_EXPECT_PTR_EQ(test, old, before);
	KUNIT_EXPECT_EQ(test, refcount_read(&cred->usage), 2U);
	put_cred(cred);
	KUNIT_EXPECT_EQ(test, current_fsuid().val, 1000U);
	get_cred(cred);
	revert_creds(old);
	KUNIT_EXPECT_EQ(test, refcount_read(&cred->usage), 1U);
	KUNIT_EXPECT_PTR_EQ(test, current->cred, before);
	put_cred(cred);
}

static void test_overrides_nest(struct kunit *test)
{
	struct cred *outer = prepare_creds(), *inner = prepare_creds();
	const struct cred *first, *second;

	KUNIT_ASSERT_TRUE(test, outer && inner);
	first = override_creds(outer);
	second = override_creds(inner);
	KUNIT_EXPECT_PTR_EQ(test, second, (const struct cred *)outer);
	revert_creds(second);
	KUNIT_EXPECT_EQ(test, refcount_read(&outer->usage), 2U);
	KUNIT_EXPECT_EQ(test, refcount_read(&inner->usage), 1U);
	revert_creds(first);
	KUNIT_EXPECT_EQ(test, refcount_read(&outer->usage), 1U);
	put_cred(outer);
	put_cred(inner);
}

static void test_root_is_the_default(struct kunit *test)
{
	struct cred *cred = prepare_kernel_cred(NULL);

	KUNIT_ASSERT_NOT_NULL(test, cred);
	KUNIT_EXPECT_EQ(test, cred->uid.val, 0U);
	KUNIT_EXPECT_TRUE(test, cap_raised(cred->cap_effective, CAP_SYS_ADMIN));
	put_cred(cred);
	cred = prepare_kernel_cred(current);
	KUNIT_ASSERT_NOT_NULL(test, cred);
	KUNIT_EXPECT_PTR_NE(test, (const struct cred *)cred, current_real_cred());
	put_cred(cred);
}

static struct kunit_case old_creds_cases[] = {
	KUNIT_CASE(test_override_has_a_reference),
	KUNIT_CASE(test_overrides_nest),
	KUNIT_CASE(test_root_is_the_default),
	{ }
};

static struct kunit_suite old_creds_suite = {
	.name = "old_creds",
	.test_cases = old_creds_cases,
};
kunit_test_suite(old_creds_suite);
