// SPDX-License-Identifier: MIT
/* Hooks of security modules: who asks them, in which order, and what a refusal does. */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/lsm_hooks.h>
#include <linux/proc_fs.h>

#include "files/files.h"
#include "module/security.h"

/* Hooks stay, so they refuse only while this is set. */
static int refusal;
static int nr_first, nr_second, nr_freed;
static unsigned long last_argument;

static int first_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	(void)file, (void)command;
	nr_first++;
	last_argument = argument;
	return refusal;
}

static int second_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	(void)file, (void)command, (void)argument;
	nr_second++;
	return 0;
}

static int take_fcntl(struct file *file, unsigned int command, unsigned long argument)
{
	(void)file;
	last_argument = argument;
	return command == F_SETFL ? refusal : -EIO;
}

static int prepare(struct cred *new, const struct cred *old, gfp_t gfp)
{
	(void)gfp;
	return new->usage.refs.counter == 1 && old != new ? refusal : -EIO;
}

static void free_cred(struct cred *cred)
{
	(void)cred;
	nr_freed++;
}

static int make_name(struct inode *dir, struct dentry *dentry, umode_t mode, dev_t number)
{
	(void)dir;
	last_argument = number;
	return S_ISCHR(mode) && dentry->d_name.len == 3 ? refusal : -EIO;
}

static struct security_hook_list hooks[] = {
	LSM_HOOK_INIT(file_ioctl, first_ioctl), LSM_HOOK_INIT(file_ioctl, second_ioctl),
	LSM_HOOK_INIT(file_fcntl, take_fcntl), LSM_HOOK_INIT(cred_prepare, prepare),
	LSM_HOOK_INIT(cred_free, free_cred), LSM_HOOK_INIT(inode_mknod, make_name),
};

static int start(struct kunit_suite *suite)
{
	static const struct lsm_id id = { .name = "test" };

	(void)suite;
	security_add_hooks(hooks, ARRAY_SIZE(hooks), &id);
	return 0;
}

static void forget(struct kunit *test)
{
	(void)test;
	refusal = nr_first = nr_second = nr_freed = 0;
}

static long answer(struct file *file, unsigned int command, unsigned long argument)
{
	(void)file;
	return command == 1 ? (long)argument : -ENOTTY;
}

static void test_the_first_refusal_counts(struct kunit *test)
{
	static const struct proc_ops operations = { .proc_ioctl = answer };
	struct proc_dir_entry *entry = proc_create("asked", 0666, NULL, &operations);
	struct file *file = filp_open("/proc/asked", O_RDWR, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, file_ioctl(file, 1, 7), 7);
	KUNIT_EXPECT_EQ(test, last_argument, 7UL);
	KUNIT_EXPECT_EQ(test, nr_first * 10 + nr_second, 11);
	refusal = -EPERM;
	KUNIT_EXPECT_EQ(test, file_ioctl(file, 1, 8), -EPERM);
	KUNIT_EXPECT_EQ(test, nr_first * 10 + nr_second, 21);
	KUNIT_EXPECT_EQ(test, file_set_flags(file, O_NONBLOCK), -EPERM);
	KUNIT_EXPECT_FALSE(test, file->f_flags & O_NONBLOCK);
	refusal = 0;
	KUNIT_EXPECT_EQ(test, file_set_flags(file, O_NONBLOCK), 0);
	KUNIT_EXPECT_EQ(test, last_argument, (unsigned long)O_NONBLOCK);
	KUNIT_EXPECT_TRUE(test, file->f_flags & O_NONBLOCK);
	filp_close(file, NULL);
	proc_remove(entry);
}

static void test_credentials(struct kunit *test)
{
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	KUNIT_EXPECT_EQ(test, nr_freed, 0);
	abort_creds(cred);
	KUNIT_EXPECT_EQ(test, nr_freed, 1);
	refusal = -ENOMEM;
	KUNIT_EXPECT_NULL(test, prepare_creds());
	KUNIT_EXPECT_EQ(test, nr_freed, 2);
}

static void test_new_names(struct kunit *test)
{
	struct file_node *folder = node_base("/dev");

	KUNIT_EXPECT_EQ(test, security_mknod(&folder->dentry, "abc", S_IFCHR, MKDEV(1, 2)), 0);
	KUNIT_EXPECT_EQ(test, last_argument, (unsigned long)MKDEV(1, 2));
	refusal = -EACCES;
	KUNIT_EXPECT_EQ(test, security_mknod(&folder->dentry, "abc", S_IFCHR, 0), -EACCES);
	KUNIT_EXPECT_EQ(test, security_mkdir(&folder->dentry, "abc", 0755), 0);
}

static struct kunit_case security_cases[] = {
	KUNIT_CASE(test_the_first_refusal_counts), KUNIT_CASE(test_credentials),
	KUNIT_CASE(test_new_names), { }
};

static struct kunit_suite security_suite = {
	.name = "security", .suite_init = start, .exit = forget, .test_cases = security_cases,
};
kunit_test_suite(security_suite);
