/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers on a small stack. The kernel's own frame may take kilobytes of it; what
 * the calls need beyond that is bounded, however much there is on the CPUs' lists.
 */
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "page/pcp/pcp.h"
#include "percpu/remote.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* The stack for the calls, and for the handler's own frames. */
#define CALLS_BYTES (USERMM_DEBUG ? 6144UL : 3072UL)
#define NR_LISTED_MAX 511u

static void call(void *fn)
{
	(*(void (**)(void))fn)();
}

/* A stack in front of which nothing can be touched. */
static void use_small_stack(struct kunit *test)
{
	unsigned long kernel_bytes = getauxval(AT_MINSIGSTKSZ);
	size_t bytes = (kernel_bytes ? kernel_bytes : MINSIGSTKSZ) + CALLS_BYTES;
	size_t whole = (bytes + 2 * PAGE_SIZE - 1) & PAGE_MASK;
	char *area = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = area + PAGE_SIZE, .ss_size = bytes };

	KUNIT_ASSERT_TRUE(test, area != MAP_FAILED);
	KUNIT_ASSERT_EQ(test, mprotect(area, PAGE_SIZE, PROT_NONE), 0);
	KUNIT_ASSERT_EQ(test, sigaltstack(&stack, NULL), 0);
}

static void run(void (*fn)(void))
{
	run_in_handler(call, &fn);
}

static struct hoard hoard;

static void take_all(void)
{
	hoard_take_all(&hoard, GFP_ATOMIC, 0);
}

static void fail(void)
{
	hoard_take(&hoard, GFP_KERNEL, 0, -1, NULL, 1);
}

static void give_all(void)
{
	hoard_give_all(&hoard);
}

static void drain(void)
{
	drain_all_pages(NULL);
}

static void trim(void)
{
	usermm_trim(0);
}

/* As if another CPU had freed so many pages. */
static void fill_other_slot(struct kunit *test)
{
	const struct zone *z = zone_at(0, ZONE_NORMAL);
	struct percpu_array *list = z->pcp_lists[MIGRATE_UNMOVABLE];
	unsigned int nr = z->pcp_capacity[MIGRATE_UNMOVABLE];
	static struct page *pages[NR_LISTED_MAX];
	struct percpu_stopped_array stopped;

	KUNIT_ASSERT_GT(test, nr, 0);
	KUNIT_ASSERT_LE(test, nr, NR_LISTED_MAX);
	for (unsigned int i = 0; i < nr; i++) {
		pages[i] = alloc_frozen_pages(GFP_KERNEL, 0);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
	}
	drain_all_pages(NULL);
	KUNIT_ASSERT_EQ(test, percpu_stop_array(list, 1, &stopped), 0);
	for (unsigned int i = 0; i < nr; i++)
		percpu_set_stopped_item(&stopped, i, pages[i]);
	stopped.count = nr;
	percpu_start_array(&stopped);
}

static void use_in_handlers(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);

	hoard_init(&hoard);
	use_small_stack(test);
	fill_other_slot(test);
	run(drain);
	KUNIT_EXPECT_EQ(test, pcp_zone_pages(z), 0);
	zones_check_whole(test);
	run(take_all);
	KUNIT_ASSERT_GT(test, hoard.nr, 0);
	run(fail);
	run(give_all);
	run(trim);
	zones_check_whole(test);
}

static void test_small_stack(struct kunit *test)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	kunit_skip(test, "a sanitizer's frames are larger");
#endif
	if (test_nr_cpus() < 2)
		kunit_skip(test, "one CPU");
	zones_need_stopping(test);
	zones_run(test, "zone_normal=64M", use_in_handlers);
}

static struct kunit_case small_stack_cases[] = {
	KUNIT_CASE(test_small_stack),
	{ 0 },
};

static struct kunit_suite small_stack_suite = {
	.name = "small_stack",
	.test_cases = small_stack_cases,
};

kunit_test_suite(small_stack_suite);
