// SPDX-License-Identifier: MIT
/*
 * vmalloc() and kvmalloc() where every second page is free, and no two side by side: single
 * pages will do. Run with 16 MiB of memory, and with -D WITH_VIEWS as a
 * program that sees pages at several addresses.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#define NR_PAGES 4096

static struct page *held[NR_PAGES];
static unsigned int nr_held;

static int scatter(struct kunit *test)
{
	unsigned int kept = 0;

	while (nr_held < NR_PAGES &&
	       (held[nr_held] = alloc_page(GFP_NOWAIT | __GFP_MEMALLOC | __GFP_NOWARN)))
		nr_held++;
	for (unsigned int i = 0; i < nr_held; i++)
		if (page_to_pfn(held[i]) & 1)
			__free_page(held[i]);
		else
			held[kept++] = held[i];
	nr_held = kept;
	return nr_held > NR_PAGES / 4 ? 0 : -ENOMEM;
}

static void let_go(struct kunit *test)
{
	while (nr_held)
		__free_page(held[--nr_held]);
}

static void expect_memory(struct kunit *test, u8 *memory, size_t size)
{
	OPTIMIZER_HIDE_VAR(memory);
	KUNIT_ASSERT_NOT_NULL_MSG(test, memory, "%zu bytes", size);
	memset(memory, 0x4d, size);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x4d, size));
	kvfree(memory);
}

static const gfp_t ways[] = {
	GFP_KERNEL, GFP_KERNEL | __GFP_RETRY_MAYFAIL, GFP_KERNEL | __GFP_NOFAIL,
};

static void scattered_vmalloc(struct kunit *test)
{
	for (size_t size = 2 * PAGE_SIZE; size <= 128 * PAGE_SIZE; size *= 4)
		for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++)
			expect_memory(test, __vmalloc(size, ways[i]), size);
}

static void scattered_kvmalloc(struct kunit *test)
{
	for (size_t size = PAGE_SIZE; size <= 128 * PAGE_SIZE; size *= 4)
		for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++)
			expect_memory(test, kvmalloc(size, ways[i]), size);
}

#ifdef WITH_VIEWS
/* Pages can be asked for, so areas are made of pages. */
static void scattered_pages(struct kunit *test)
{
	u8 *area = __vmalloc(16 * PAGE_SIZE, GFP_KERNEL | __GFP_NOFAIL);

	KUNIT_ASSERT_NOT_NULL(test, area);
	for (unsigned int i = 0; i < 16; i++)
		KUNIT_EXPECT_NOT_NULL(test, vmalloc_to_page(area + i * PAGE_SIZE));
	vfree(area);
}
#endif

static struct kunit_case scattered_cases[] = {
	KUNIT_CASE(scattered_vmalloc),
	KUNIT_CASE(scattered_kvmalloc),
#ifdef WITH_VIEWS
	KUNIT_CASE(scattered_pages),
#endif
	{}
};

static struct kunit_suite scattered_suite = {
	.name = "scattered",
	.init = scatter,
	.exit = let_go,
	.test_cases = scattered_cases,
};

kunit_test_suite(scattered_suite);
MODULE_LICENSE("Dual MIT/GPL");
