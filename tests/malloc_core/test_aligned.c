/* SPDX-License-Identifier: MIT */
/* The calls of usermm/malloc.h: alignments up to 1 GiB, zeroed blocks, sizes beyond the window. */
#include <errno.h>

#include "malloc_core/tested.h"
#include "support/kernel.h"
#include "support/opaque.h"
#include "support/prng.h"

static const size_t sizes[] = { 0, 1, 24, 100, 1728, 5000, 32768, 40000, 300000, 5 << 20 };

static bool is_zero(const unsigned char *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i += 1 + nr / 1000)
		if (bytes[i])
			return false;
	return true;
}

static void try_block(struct kunit *test, size_t align, size_t size)
{
	unsigned char *block = usermm_aligned_alloc(align, size), *zeroed;

	KUNIT_ASSERT_NOT_NULL_MSG(test, block, "align %zu, size %zu", align, size);
	KUNIT_EXPECT_EQ(test, (unsigned long)block % align, 0);
	KUNIT_EXPECT_GE(test, usermm_usable_size(block), size);
	memset(block, 0xff, size);
	usermm_free_aligned_sized(block, align, size);
	zeroed = usermm_aligned_zalloc(align, size);
	KUNIT_ASSERT_NOT_NULL_MSG(test, zeroed, "align %zu, size %zu", align, size);
	KUNIT_EXPECT_EQ(test, (unsigned long)zeroed % align, 0);
	KUNIT_EXPECT_TRUE(test, is_zero(zeroed, size));
	usermm_free(zeroed);
}

static void test_aligned_blocks(struct kunit *test)
{
	for (size_t align = 1; align <= USERMM_ALIGN_MAX; align *= align < PAGE_SIZE ? 2 : 8)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			try_block(test, align, sizes[i]);
}

/* A block keeps its content and its alignment. */
static void test_aligned_realloc(struct kunit *test)
{
	struct prng prng = { 5 };

	for (size_t align = 16; align <= 1 << 20; align *= 4) {
		size_t old_size = 0;
		unsigned char *block = NULL;

		for (unsigned int i = 0; i < 100; i++) {
			size_t size = prng_below(&prng, 1u << prng_range(&prng, 1, 22)) + 1;
			size_t kept = size < old_size ? size : old_size;

			block = usermm_aligned_realloc(block, align, size);
			KUNIT_ASSERT_NOT_NULL(test, block);
			KUNIT_ASSERT_EQ(test, (unsigned long)block % align, 0);
			for (size_t byte = 0; byte < kept; byte += 97)
				KUNIT_ASSERT_EQ(test, block[byte], (unsigned char)byte);
			for (size_t byte = 0; byte < size; byte += 97)
				block[byte] = (unsigned char)byte;
			old_size = size;
		}
		block = usermm_aligned_realloc(block, align, 0);
		KUNIT_ASSERT_NOT_NULL(test, block);
		usermm_free(block);
	}
}

static void test_aligned_mistakes(struct kunit *test)
{
	void *(*const calls[])(size_t align, size_t size) = {
		usermm_aligned_alloc, usermm_aligned_zalloc,
	};
	char *block = usermm_malloc(10);
	volatile size_t huge = SIZE_MAX;	/* hides the value from the compiler */

	for (unsigned int i = 0; i < ARRAY_SIZE(calls); i++) {
		errno = 0;
		KUNIT_EXPECT_NULL(test, calls[i](24, 100));
		KUNIT_EXPECT_EQ(test, errno, EINVAL);
		errno = 0;
		KUNIT_EXPECT_NULL(test, calls[i](64, PTRDIFF_MAX));
		KUNIT_EXPECT_EQ(test, errno, ENOMEM);
	}
	errno = 0;
	KUNIT_EXPECT_NULL(test, usermm_aligned_realloc(block, 0, 100));
	KUNIT_EXPECT_EQ(test, errno, EINVAL);
	KUNIT_EXPECT_NULL(test, usermm_aligned_realloc(block, 64, PTRDIFF_MAX));
	usermm_free_sized(block, 10);
	errno = 0;
	KUNIT_EXPECT_NULL(test, usermm_calloc(huge, 2));
	KUNIT_EXPECT_EQ(test, errno, ENOMEM);
}

/* Both names of a call have one heap. clang takes two functions to have two addresses. */
static void test_aligned_names_are_the_same(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, opaque(usermm_malloc), (void *)tested_malloc);
	KUNIT_EXPECT_PTR_EQ(test, opaque(usermm_calloc), (void *)tested_calloc);
	KUNIT_EXPECT_PTR_EQ(test, opaque(usermm_realloc), (void *)tested_realloc);
	KUNIT_EXPECT_PTR_EQ(test, opaque(usermm_free), (void *)tested_free);
	KUNIT_EXPECT_PTR_EQ(test, opaque(usermm_usable_size), (void *)tested_malloc_usable_size);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_aligned_blocks),
	KUNIT_CASE(test_aligned_realloc),
	KUNIT_CASE(test_aligned_mistakes),
	KUNIT_CASE(test_aligned_names_are_the_same),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-aligned", .test_cases = cases };

kunit_test_suite(suite);
