/* SPDX-License-Identifier: MIT */
/*
 * The kernel's auxiliary vector and its functions, read without libc: the results agree with
 * libc's.
 */
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/start/auxiliary.h"
#include "os/clock.h"
#include "os/start/vdso.h"
#include "support/kernel.h"

static void test_os_auxiliary(struct kunit *test)
{
	/* glibc has changed the processor's features for its own use. */
	for (unsigned long type = 1; type < 200; type++)
		if (type != AT_HWCAP && type != AT_HWCAP2)
			KUNIT_EXPECT_EQ_MSG(test, os_auxiliary(type), getauxval(type), "type %lu",
					    type);
}

static void test_os_first_environment(struct kunit *test)
{
	char **first = os_first_environment();

	if (!first)
		kunit_skip(test, "this libc does not tell where it is");
	setenv("USERMM_TEST_LATER", "1", 1);
	for (; *first; first++)
		KUNIT_EXPECT_STRNEQ(test, *first, "USERMM_TEST_LATER=1");
}

static void test_vdso_clock(struct kunit *test)
{
	const struct vdso_functions *functions = vdso_functions();
	struct timespec before, now, after;

	if (!getauxval(AT_SYSINFO_EHDR))
		kunit_skip(test, "the kernel gives this process no functions");
#if defined __x86_64__ || defined __aarch64__ || defined __riscv
	KUNIT_ASSERT_TRUE(test, functions->clock_gettime);
#endif
	if (!functions->clock_gettime)
		kunit_skip(test, "its names on this processor are not known");
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &before);
	KUNIT_EXPECT_EQ(test, functions->clock_gettime(CLOCK_MONOTONIC, &now), 0);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &after);
	KUNIT_EXPECT_TRUE(test, now.tv_sec > before.tv_sec || now.tv_nsec >= before.tv_nsec);
	KUNIT_EXPECT_TRUE(test, after.tv_sec > now.tv_sec || after.tv_nsec >= now.tv_nsec);
}

static void test_os_time(struct kunit *test)
{
	uint64_t ms = os_time_ms(), ns = os_time_ns();
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	KUNIT_EXPECT_LE(test, ms, ns / 1000000);
	KUNIT_EXPECT_LE(test, ns, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	os_sleep_us(50000);
	KUNIT_EXPECT_GE(test, os_time_ns() - ns, 50000000UL);
	KUNIT_EXPECT_GT(test, os_time_ms(), ms);
}

static struct kunit_case auxiliary_cases[] = {
	KUNIT_CASE(test_os_auxiliary),
	KUNIT_CASE(test_os_first_environment),
	KUNIT_CASE(test_vdso_clock),
	KUNIT_CASE(test_os_time),
	{ 0 },
};

static struct kunit_suite auxiliary_suite = {
	.name = "auxiliary",
	.test_cases = auxiliary_cases,
};

kunit_test_suite(auxiliary_suite);
