/* SPDX-License-Identifier: MIT */
/*
 * Once memory is warm, no operation makes a system call, in no mode: the kernel ends
 * whoever makes one. The rounds are deep enough for the slow paths: they fill and
 * empty the CPU's lists.
 */
#include "percpu/percpu.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/system/no_syscalls.h"
#include "support/threads.h"
#include "usermm/quicklist.h"

#define OPERATIONS 100000
#define DEPTH 300
#define ARRAY_BYTES (sizeof(struct percpu_array) + DEPTH * sizeof(void *))

static void *held[DEPTH];
static struct percpu_array *array;
static struct percpu_list *list;
static long things[DEPTH];

static void pairs_of_pages(void)
{
	for (unsigned int i = 0; i < DEPTH; i++)
		held[i] = alloc_pages(GFP_KERNEL, i % 4);
	for (unsigned int i = 0; i < DEPTH; i++)
		__free_pages(held[i], i % 4);
}

static void pairs_of_objects(void)
{
	for (unsigned int i = 0; i < DEPTH; i++)
		held[i] = kmalloc(1 + i * 27 % 8192, GFP_KERNEL);
	for (unsigned int i = 0; i < DEPTH; i++)
		kfree(held[i]);
}

static void pairs_of_quicklist_pages(void)
{
	for (unsigned int i = 0; i < DEPTH; i++)
		held[i] = quicklist_alloc(0, GFP_KERNEL, NULL);
	for (unsigned int i = 0; i < DEPTH; i++)
		quicklist_free(0, NULL, held[i]);
}

static void pairs_of_pops(void)
{
	percpu_array_prepare(array, DEPTH);
	for (unsigned int i = 0; i < DEPTH; i++)
		percpu_push(array, &things[i]);
	for (unsigned int i = 0; i < DEPTH; i++)
		percpu_pop(array);
	for (unsigned int i = 0; i < DEPTH; i++)
		percpu_list_push(list, &things[i]);
	for (unsigned int i = 0; i < DEPTH; i++)
		percpu_list_pop(list);
}

static const struct operation {
	const char *name;
	void (*pairs)(void);	/* DEPTH or more of them */
} operations[] = {
	{ "page", pairs_of_pages },
	{ "kmalloc", pairs_of_objects },
	{ "quicklist", pairs_of_quicklist_pages },
	{ "percpu", pairs_of_pops },
};

static void describe_operation(const struct operation *operation, char *desc)
{
	strcpy(desc, operation->name);
}

KUNIT_ARRAY_PARAM(operation, operations, describe_operation);

/* On one CPU, since another one's lists may be cold. */
static void operate(struct kunit *test, void *arg)
{
	const struct operation *operation = arg;

	KUNIT_ASSERT_EQ(test, percpu_init(), 0);
	test_pin(0);
	array = percpu_alloc(ARRAY_BYTES, 64);
	list = percpu_alloc(sizeof(*list), 64);
	KUNIT_ASSERT_TRUE(test, array && list);
	for (unsigned int warm = 0; warm < 3; warm++)
		operation->pairs();
	KUNIT_ASSERT_TRUE(test, no_syscalls_from_here());
	for (unsigned int done = 0; done < OPERATIONS; done += DEPTH)
		operation->pairs();
}

static void call_the_kernel(struct kunit *test, void *arg)
{
	(void)arg;
	KUNIT_ASSERT_TRUE(test, no_syscalls_from_here());
	getppid();
}

static int need_filters(struct kunit *test)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	kunit_skip(test, "a sanitizer makes system calls of its own");
#endif
	if (prctl(PR_GET_SECCOMP) < 0)
		kunit_skip(test, "the kernel takes no filters here");
	return 0;
}

static void test_no_syscalls_filter_notices(struct kunit *test)
{
	struct child_result result;

	child_run(test, call_the_kernel, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, WEXITSTATUS(result.status), NO_SYSCALLS_BROKEN, "%s", result.err);
}

static void test_no_syscalls(struct kunit *test)
{
	percpu_init();
#ifdef __aarch64__
	/* There getcpu(2) is a system call unless libc reads it from its area. */
	if (percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "the processor's number may cost a call here");
#endif
	CHILD_EXPECT_SUCCESS(test, operate, (void *)(uintptr_t)test->param_value);
}

static struct kunit_case no_syscalls_cases[] = {
	KUNIT_CASE(test_no_syscalls_filter_notices),
	KUNIT_CASE_PARAM(test_no_syscalls, operation_gen_params),
	{ 0 },
};

static struct kunit_suite no_syscalls_suite = {
	.name = "no_syscalls",
	.init = need_filters,
	.test_cases = no_syscalls_cases,
};

kunit_test_suite(no_syscalls_suite);
