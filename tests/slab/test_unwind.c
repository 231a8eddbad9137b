/* SPDX-License-Identifier: MIT */
/* At every instruction of objects' and pages' functions, unwinders find the callers. */
#include "slab/slab_fast.h"
#include "support/kernel.h"
#include "support/unwinding.h"
#include "usermm/usermm.h"

#if UNWINDING_WORKS
#define NR 4
#define BULK 40

static struct kmem_cache *cache;
static void *objects[BULK];
static struct page *pages[NR];

static void all_calls(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < NR; i++)
		objects[i] = kmalloc(20UL << 2 * i, GFP_KERNEL);
	for (unsigned int i = 0; i < NR; i++)
		objects[i] = krealloc(objects[i], 50UL << 2 * i, GFP_KERNEL);
	for (unsigned int i = 0; i < NR; i++)
		kfree(objects[i]);
	for (unsigned int i = 0; i < NR; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned int i = 0; i < NR; i++)
		kmem_cache_free(cache, objects[i]);
	if (kmem_cache_alloc_bulk(cache, GFP_KERNEL, BULK, objects))
		kmem_cache_free_bulk(cache, BULK, objects);
	for (unsigned int i = 0; i < NR; i++)
		pages[i] = alloc_pages(GFP_KERNEL, i);
	for (unsigned int i = 0; i < NR; i++)
		__free_pages(pages[i], i);
}

static void test_unwind_calls(struct kunit *test)
{
	static struct unwinding result;

	cache = kmem_cache_create("unwind", 72, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	all_calls(NULL);	/* bring-up is behind */
	unwinding_run(&result, (void *)(unsigned long)all_calls, all_calls, NULL);
	KUNIT_EXPECT_EQ_MSG(test, result.wrong, 0, "of %lu stacks: %s", result.checked,
			    result.failure);
	KUNIT_EXPECT_GT(test, result.instructions, 500);
	if (percpu_mode() != PERCPU_LOCKED && !RSEQ_IN_C)
		KUNIT_EXPECT_GT(test, result.targets, 10);
	kunit_info(test, "%lu steps, %lu stacks at %lu instructions, %lu of aborts", result.steps,
		   result.checked, result.instructions, result.targets);
	kmem_cache_destroy(cache);
}
#else
static void test_unwind_calls(struct kunit *test)
{
	kunit_skip(test, "a program cannot step itself here");
}
#endif

static struct kunit_case unwind_cases[] = {
	KUNIT_CASE(test_unwind_calls),
	{ 0 },
};

static struct kunit_suite unwind_suite = {
	.name = "slab_unwind",
	.test_cases = unwind_cases,
};

kunit_test_suite(unwind_suite);
