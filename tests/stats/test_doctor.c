/* SPDX-License-Identifier: MIT */
/* usermm_doctor_read(), and options that are set by a call or the environment. */
#include <unistd.h>

#include "base/options.h"
#include "support/child.h"
#include "support/kernel.h"

static void test_doctor_version(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, usermm_version(), USERMM_VERSION);
}

static void read_doctor(struct kunit *test, void *arg)
{
	const char *text = getenv("USERMM_OPTIONS"), *error = NULL;
	struct usermm_doctor doctor;
	bool locked = text && strstr(text, "rseq=off");

	KUNIT_ASSERT_EQ(test, usermm_set_options(arg, &error), 0);
	usermm_doctor_read(&doctor);
	if (locked)
		KUNIT_EXPECT_STREQ(test, doctor.percpu_mode, "locked");
	if (!strcmp(doctor.percpu_mode, "locked"))
		KUNIT_EXPECT_STREQ(test, doctor.slot_index, "getcpu");
	else
		KUNIT_EXPECT_STREQ(test, doctor.percpu_mode, "rseq");
	KUNIT_ASSERT_NOT_NULL(test, doctor.percpu_reason);
	KUNIT_EXPECT_GT(test, strlen(doctor.percpu_reason), 3);
	KUNIT_EXPECT_GE(test, doctor.nr_slots, 1);
	KUNIT_EXPECT_EQ(test, doctor.os_page_bytes, (size_t)sysconf(_SC_PAGESIZE));
	KUNIT_EXPECT_GT(test, doctor.ram_bytes, 1UL << 26);
	KUNIT_EXPECT_EQ(test, doctor.limit_bytes, 64UL << 20);
	KUNIT_EXPECT_STREQ(test, doctor.limit_source, "limit=");
}

static void test_doctor_read(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, read_doctor, "limit=64M");
}

/*
 * Every rseq= setting works, or the reason why not is given; memory can be allocated in any case.
 */
static void try_mode(struct kunit *test, void *arg)
{
	const char *error = NULL;
	struct usermm_doctor doctor;
	void *objects[300];

	KUNIT_ASSERT_EQ(test, usermm_set_options(arg, &error), 0);
	for (unsigned int i = 0; i < 300; i++) {
		objects[i] = kmalloc(50, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	for (unsigned int i = 0; i < 300; i++)
		kfree(objects[i]);
	usermm_doctor_read(&doctor);
	if (!strcmp(arg, "rseq=off"))
		KUNIT_EXPECT_STREQ(test, doctor.percpu_mode, "locked");
	if (!strcmp(doctor.percpu_mode, "rseq") && !strcmp(arg, "rseq=cpu_id"))
		KUNIT_EXPECT_STREQ(test, doctor.slot_index, "cpu_id");
}

static void test_doctor_modes(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, try_mode, "rseq=auto");
	CHILD_EXPECT_SUCCESS(test, try_mode, "rseq=off");
	CHILD_EXPECT_SUCCESS(test, try_mode, "rseq=cpu_id");
	CHILD_EXPECT_SUCCESS(test, try_mode, "rseq=mm_cid");
}

static void set_bad(struct kunit *test, void *arg)
{
	const char *error = NULL;

	(void)arg;
	KUNIT_EXPECT_EQ(test, usermm_set_options("limit=64M:nosuch=1", &error), -1);
	KUNIT_ASSERT_NOT_NULL(test, error);
	KUNIT_EXPECT_NOT_NULL(test, strstr(error, "nosuch"));
	KUNIT_EXPECT_EQ(test, usermm_set_options("limit=32M", &error), 0);
	KUNIT_EXPECT_EQ(test, options.limit, 32UL << 20);
}

static void set_late(struct kunit *test, void *arg)
{
	void *object = kmalloc(8, GFP_KERNEL);
	const char *error = NULL;

	KUNIT_EXPECT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, usermm_set_options(arg, &error), -1);
	KUNIT_ASSERT_NOT_NULL(test, error);
	KUNIT_EXPECT_NOT_NULL(test, strstr(error, "before the first allocation"));
	KUNIT_EXPECT_EQ(test, options.limit, 0);
	kfree(object);
}

static void test_doctor_set_options(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, set_bad, NULL);
	CHILD_EXPECT_SUCCESS(test, set_late, "limit=64M");
}

static void test_doctor_option_info(struct kunit *test)
{
	struct usermm_option_info info;
	unsigned int nr = 0;
	bool seen_limit = false;

	for (; usermm_option_info(nr, &info); nr++) {
		KUNIT_ASSERT_TRUE(test, info.name && info.type && info.range && info.stability &&
				  info.help && info.default_value && info.current_value);
		KUNIT_EXPECT_GT(test, strlen(info.default_value), 0);
		KUNIT_EXPECT_GT(test, strlen(info.current_value), 0);
		seen_limit |= !strcmp(info.name, "limit");
	}
	KUNIT_EXPECT_GE(test, nr, 3);
	KUNIT_EXPECT_TRUE(test, seen_limit);
	KUNIT_EXPECT_FALSE(test, usermm_option_info(nr + 100, &info));
}

/* This very program again, with other options and nothing to do. */
static void run_again(struct kunit *test, void *arg)
{
	setenv("USERMM_OPTIONS", arg, 1);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execl("/proc/self/exe", "again", "--filter", "test_doctor_option_info", NULL);
	KUNIT_FAIL(test, "exec failed");
}

static void test_doctor_environment(struct kunit *test)
{
	struct child_result result;
	const char *warning;

	/* The machine's first node may have no memory. */
	CHILD_EXPECT_SUCCESS(test, run_again, "stats=1:nodes=1", "Node 0, zone",
			     "slabinfo - version: 2.1", "Quicklists:", "usermm: " USERMM_VERSION);
	/* A bad option is reported once, and the program runs. */
	child_run(test, run_again, "nosuch=7:stats=0", &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	warning = strstr(result.err, "usermm: USERMM_OPTIONS: ");
	KUNIT_ASSERT_NOT_NULL_MSG(test, warning, "%s", result.err);
	KUNIT_EXPECT_NOT_NULL(test, strstr(warning, "nosuch"));
	KUNIT_EXPECT_NULL(test, strstr(warning + 1, "usermm: USERMM_OPTIONS: "));
	KUNIT_EXPECT_NULL(test, strstr(result.err, "slabinfo"));
}

static struct kunit_case doctor_cases[] = {
	KUNIT_CASE(test_doctor_version),
	KUNIT_CASE(test_doctor_read),
	KUNIT_CASE(test_doctor_modes),
	KUNIT_CASE(test_doctor_set_options),
	KUNIT_CASE(test_doctor_option_info),
	KUNIT_CASE(test_doctor_environment),
	{ 0 },
};

static struct kunit_suite doctor_suite = { .name = "doctor", .test_cases = doctor_cases };

kunit_test_suite(doctor_suite);
