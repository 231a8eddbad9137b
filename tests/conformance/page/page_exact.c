// SPDX-License-Identifier: MIT
/* Exactly as many pages as the bytes need: alloc_pages_exact(), free_pages_exact(). */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/vmstat.h>

#include "../conformance.h"

#define SLACK 32

/* Byte counts around every multiple of a page up to 20, and some large ones. */
static size_t size_of_step(unsigned int step)
{
	static const size_t large[] = { 33 * PAGE_SIZE, 65 * PAGE_SIZE - 1, 100 * PAGE_SIZE + 1,
					257 * PAGE_SIZE, 513 * PAGE_SIZE, 1023 * PAGE_SIZE,
					1024 * PAGE_SIZE };

	if (step < 60)
		return (step / 3 + 1) * PAGE_SIZE + step % 3 - 1;
	return large[step - 60];
}
#define STEPS 67

/* The address is a page's, all bytes are usable, every page has one reference. */
static void pages_are_single(struct kunit *test)
{
	for (unsigned int step = 0; step < STEPS; step++) {
		size_t size = size_of_step(step);
		unsigned long nr = DIV_ROUND_UP(size, PAGE_SIZE), wrong = 0;
		void *addr = alloc_pages_exact(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, addr);
		KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(addr));
		memset(addr, 0x3c, nr * PAGE_SIZE);
		for (unsigned long i = 0; i < nr; i++) {
			struct page *page = virt_to_page(addr + i * PAGE_SIZE);

			wrong += page_count(page) != 1;
			wrong += PageCompound(page);
			wrong += page_address(page) != addr + i * PAGE_SIZE;
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		free_pages_exact(addr, size);
	}
}

/* The pages of the power of two beyond the request go back at once. */
static void surplus_is_given_back(struct kunit *test)
{
	for (unsigned int step = 0; step < STEPS; step++) {
		size_t size = size_of_step(step);
		long before = free_pages_now();
		void *addr = alloc_pages_exact(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, addr);
		KUNIT_EXPECT_EQ_MSG(test, before - free_pages_now(),
				    (long)DIV_ROUND_UP(size, PAGE_SIZE), "size %zu", size);
		free_pages_exact(addr, size);
		KUNIT_EXPECT_LE(test, abs(before - free_pages_now()), SLACK);
	}
}

/* The address is aligned to the next power of two. */
static void alignment_is_that_of_the_order(struct kunit *test)
{
	for (unsigned int step = 0; step < STEPS; step++) {
		size_t size = size_of_step(step);
		void *addr = alloc_pages_exact(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, addr);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(page_to_pfn(virt_to_page(addr)),
						   1UL << get_order(size)));
		free_pages_exact(addr, size);
	}
}

/* __GFP_ZERO covers all pages. */
static void zeroed(struct kunit *test)
{
	for (unsigned int step = 0; step < STEPS; step += 3) {
		size_t size = size_of_step(step);

		for (unsigned int round = 0; round < 2; round++) {
			void *addr = alloc_pages_exact(size, GFP_KERNEL | __GFP_ZERO);

			KUNIT_ASSERT_NOT_NULL(test, addr);
			KUNIT_EXPECT_NULL(test, memchr_inv(addr, 0, PAGE_ALIGN(size)));
			memset(addr, 0xee, PAGE_ALIGN(size));
			free_pages_exact(addr, size);
		}
	}
}

/* The pages may as well be freed one by one, in any order, and one may be kept. */
static void freed_page_by_page(struct kunit *test)
{
	void *addr = alloc_pages_exact(7 * PAGE_SIZE, GFP_KERNEL);
	long before;

	KUNIT_ASSERT_NOT_NULL(test, addr);
	before = free_pages_now();
	free_page((unsigned long)addr + 6 * PAGE_SIZE);
	put_page(virt_to_page(addr));
	__free_page(virt_to_page(addr + 3 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 3);
	/* Frees the pages behind the first one, then those behind the fourth one. */
	free_pages_exact(addr + PAGE_SIZE, 2 * PAGE_SIZE);
	free_pages_exact(addr + 4 * PAGE_SIZE, PAGE_SIZE + 1);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 7);
}

/* A page that is held survives free_pages_exact(). */
static void held_page_survives(struct kunit *test)
{
	void *addr = alloc_pages_exact(5 * PAGE_SIZE, GFP_KERNEL);
	struct page *page;
	long before;

	KUNIT_ASSERT_NOT_NULL(test, addr);
	page = virt_to_page(addr + 2 * PAGE_SIZE);
	get_page(page);
	before = free_pages_now();
	free_pages_exact(addr, 5 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 4);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	put_page(page);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 5);
}

/* No more than MAX_PAGE_ORDER allows, and nothing for no bytes. */
static void sizes_that_fail(struct kunit *test)
{
	const gfp_t quiet = GFP_KERNEL | __GFP_NOWARN;
	volatile size_t none = 0;

	KUNIT_EXPECT_NULL(test, alloc_pages_exact((PAGE_SIZE << MAX_PAGE_ORDER) + 1, quiet));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(PAGE_SIZE << (MAX_PAGE_ORDER + 1), quiet));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(1UL << 62, quiet));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(none, quiet));
}

/* free_pages_exact() of no bytes frees nothing. */
static void free_of_nothing(struct kunit *test)
{
	void *addr = alloc_pages_exact(PAGE_SIZE, GFP_KERNEL);
	long before;

	KUNIT_ASSERT_NOT_NULL(test, addr);
	before = free_pages_now();
	free_pages_exact(addr, 0);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 0);
	KUNIT_EXPECT_EQ(test, page_count(virt_to_page(addr)), 1);
	free_pages_exact(addr, PAGE_SIZE);
}

/* __GFP_COMP makes no sense here: it is warned about (once) and taken off. */
static void compound_is_taken_off(struct kunit *test)
{
	void *addr = alloc_pages_exact(3 * PAGE_SIZE, GFP_KERNEL | __GFP_COMP | __GFP_HIGHMEM);

	KUNIT_ASSERT_NOT_NULL(test, addr);
	for (unsigned int i = 0; i < 3; i++) {
		KUNIT_EXPECT_FALSE(test, PageCompound(virt_to_page(addr + i * PAGE_SIZE)));
		KUNIT_EXPECT_EQ(test, page_count(virt_to_page(addr + i * PAGE_SIZE)), 1);
	}
	free_pages_exact(addr, 3 * PAGE_SIZE);
}

/* Many rounds of all sizes leave the free count as it was. */
static void nothing_is_lost(struct kunit *test)
{
	long before = free_pages_now();

	for (unsigned int round = 0; round < 20; round++) {
		void *held[STEPS];

		for (unsigned int step = 0; step < STEPS; step++)
			held[step] = alloc_pages_exact(size_of_step(step), GFP_KERNEL);
		for (unsigned int step = 0; step < STEPS; step++) {
			KUNIT_EXPECT_NOT_NULL(test, held[step]);
			if (held[step])
				free_pages_exact(held[step], size_of_step(step));
		}
	}
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

static struct kunit_case exact_cases[] = {
	KUNIT_CASE(pages_are_single),
	KUNIT_CASE(surplus_is_given_back),
	KUNIT_CASE(alignment_is_that_of_the_order),
	KUNIT_CASE(zeroed),
	KUNIT_CASE(freed_page_by_page),
	KUNIT_CASE(held_page_survives),
	KUNIT_CASE(sizes_that_fail),
	KUNIT_CASE(free_of_nothing),
	KUNIT_CASE(compound_is_taken_off),
	KUNIT_CASE(nothing_is_lost),
	{}
};

static struct kunit_suite exact_suite = {
	.name = "conformance_page_exact",
	.test_cases = exact_cases,
};
kunit_test_suite(exact_suite);
MODULE_DESCRIPTION("exact numbers of pages");
MODULE_LICENSE("Dual MIT/GPL");
