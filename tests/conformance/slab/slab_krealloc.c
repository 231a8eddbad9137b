// SPDX-License-Identifier: MIT
/* krealloc(), functions that copy into new objects, kfree_sensitive(). */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance.h"

/* Not a constant, so that neither the compiler nor FORTIFY has an opinion. */
/* krealloc(NULL) is kmalloc(). */
static void of_null_is_kmalloc(struct kunit *test)
{
	for (size_t size = 1; size <= 4 * PAGE_SIZE; size += 1 + size / 2) {
		void *object = krealloc(NULL, size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, ksize(object), kmalloc_size_roundup(size));
		kfree(object);
		object = krealloc(ZERO_SIZE_PTR, size, GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_NULL(test, memchr_inv(hidden(object), 0, size));
		kfree(object);
	}
	KUNIT_EXPECT_PTR_EQ(test, krealloc(NULL, 0, GFP_KERNEL), ZERO_SIZE_PTR);
}

/* krealloc(object, 0) frees, and returns ZERO_SIZE_PTR. */
static void to_zero_frees(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_krealloc", 56, 0,
						     SLAB_NO_MERGE, NULL);
	void *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_NE(test, kmem_cache_shrink(cache), 0);
	KUNIT_EXPECT_PTR_EQ(test, krealloc(object, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	KUNIT_EXPECT_PTR_EQ(test, krealloc(ZERO_SIZE_PTR, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	kmem_cache_destroy(cache);
}

/* What fits the bucket stays where it is, grown or shrunk. */
static void within_the_bucket_it_stays(struct kunit *test)
{
	for (size_t size = 1; size <= 8 * PAGE_SIZE; size += 1 + size / 5) {
		size_t bytes = kmalloc_size_roundup(size);
		void *object = kmalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_PTR_EQ(test, krealloc(object, bytes, GFP_KERNEL), object);
		KUNIT_EXPECT_PTR_EQ(test, krealloc(object, 1, GFP_KERNEL), object);
		KUNIT_EXPECT_EQ(test, ksize(object), bytes);
		KUNIT_EXPECT_PTR_EQ(test, krealloc(object, bytes, GFP_NOWAIT), object);
		kfree(object);
	}
}

/* Beyond the bucket it moves, with all of the old bucket's content. */
static void beyond_the_bucket_it_moves(struct kunit *test)
{
	for (size_t size = 1; size <= 8 * PAGE_SIZE; size += 1 + size / 3) {
		size_t bytes = kmalloc_size_roundup(size);
		u8 *object = hidden(kmalloc(size, GFP_KERNEL));
		u8 *moved;

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0x5d, bytes);
		moved = hidden(krealloc(object, bytes + 1, GFP_KERNEL));
		KUNIT_ASSERT_NOT_NULL(test, moved);
		KUNIT_EXPECT_PTR_NE(test, moved, object);
		KUNIT_EXPECT_NULL(test, memchr_inv(moved, 0x5d, bytes));
		KUNIT_EXPECT_EQ(test, ksize(moved), kmalloc_size_roundup(bytes + 1));
		kfree(moved);
	}
}

/*
 * __GFP_ZERO: bytes that the block gains are zero, and bytes that it gives up within the bucket are
 * cleared.
 */
static void with_zero(struct kunit *test)
{
	for (size_t size = 2; size <= 4 * PAGE_SIZE; size += 1 + size / 5) {
		size_t bytes = kmalloc_size_roundup(size), half = size / 2;
		u8 *object = hidden(kzalloc(size, GFP_KERNEL));

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0x77, size);
		object = hidden(krealloc(object, half, GFP_KERNEL | __GFP_ZERO));
		KUNIT_EXPECT_NULL(test, memchr_inv(object, 0x77, half));
		KUNIT_EXPECT_NULL(test, memchr_inv(object + half, 0, bytes - half));
		object = hidden(krealloc(object, 2 * bytes, GFP_KERNEL | __GFP_ZERO));
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_NULL(test, memchr_inv(object, 0x77, half));
		KUNIT_EXPECT_NULL(test, memchr_inv(object + half, 0, 2 * bytes - half));
		kfree(object);
	}
}

/* On failure the old object is as it was. */
static void failure_keeps_the_old(struct kunit *test)
{
	size_t many = SIZE_MAX;

	OPTIMIZER_HIDE_VAR(many);
	for (size_t size = 1; size <= 4 * PAGE_SIZE; size *= 4) {
		u8 *object = kmalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0x21, size);
		KUNIT_EXPECT_NULL(test, krealloc(object, KMALLOC_MAX_SIZE + 1,
						 GFP_KERNEL | __GFP_NOWARN));
		KUNIT_EXPECT_NULL(test, krealloc(object, many, GFP_KERNEL | __GFP_NOWARN));
		KUNIT_EXPECT_NULL(test, memchr_inv(object, 0x21, size));
		kfree(object);
	}
}

/* krealloc_array(): an overflow is NULL and the old one stays. */
static void of_arrays(struct kunit *test)
{
	u32 *array = krealloc_array(NULL, 3, sizeof(*array), GFP_KERNEL);
	size_t many = SIZE_MAX / 2;

	OPTIMIZER_HIDE_VAR(many);
	KUNIT_ASSERT_NOT_NULL(test, array);
	for (u32 n = 3; n < 3000; n *= 2) {
		memset(array, 0x44, n * sizeof(*array));
		KUNIT_EXPECT_NULL(test, krealloc_array(array, many, 3, GFP_KERNEL));
		array = krealloc_array(array, 2 * n, sizeof(*array), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, array);
		KUNIT_EXPECT_NULL(test, memchr_inv(array, 0x44, n * sizeof(*array)));
	}
	KUNIT_EXPECT_PTR_EQ(test, krealloc_array(array, 0, 4, GFP_KERNEL), ZERO_SIZE_PTR);
}

/* Any sequence of sizes keeps the bytes that were never given up. */
static void any_sequence(struct kunit *test)
{
	size_t valid = 0, size;
	u8 *object = NULL;
	u32 seed = 7;

	for (unsigned int step = 0; step < 3000; step++) {
		seed = seed * 1664525 + 1013904223;
		size = 1 + (seed >> 8) % (1U << (1 + (seed >> 28)));
		object = hidden(krealloc(object, size, GFP_KERNEL));
		KUNIT_ASSERT_NOT_NULL(test, object);
		if (valid > size)
			valid = size;
		for (size_t i = 0; i < valid; i++)
			if (object[i] != (u8)(i * 7)) {
				KUNIT_FAIL(test, "byte %zu of %zu was lost", i, valid);
				break;
			}
		for (size_t i = valid; i < size; i++)
			object[i] = (u8)(i * 7);
		valid = size;
	}
	kfree(object);
}

/* kfree_sensitive() clears all that ksize() says; type-stable memory shows it. */
static void sensitive_is_cleared(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_secret", 104, 0,
						     SLAB_TYPESAFE_BY_RCU, NULL);
	u8 *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	object = hidden(kmem_cache_alloc(cache, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, object);
	memset(object, 0x99, 104);
	rcu_read_lock();
	kfree_sensitive(object);
	KUNIT_EXPECT_NULL(test, memchr_inv(object, 0, 104));
	rcu_read_unlock();
	kfree_sensitive(NULL);
	kfree_sensitive(ZERO_SIZE_PTR);
	kfree_sensitive(kmalloc(3 * PAGE_SIZE, GFP_KERNEL));
	kmem_cache_destroy(cache);
}

/* kmemdup(), kmemdup_array(), kvmemdup(): a copy of its own; size 0; overflow. */
static void copies_of_memory(struct kunit *test)
{
	static u8 source[5000];
	size_t many = SIZE_MAX / 2 + 2;

	OPTIMIZER_HIDE_VAR(many);
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (u8)(i * 31);
	for (size_t size = 1; size <= sizeof(source); size += 1 + size / 4) {
		u8 *copy = kmemdup(source, size, GFP_KERNEL);
		u8 *other = kvmemdup(source, size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, copy);
		KUNIT_ASSERT_NOT_NULL(test, other);
		KUNIT_EXPECT_EQ(test, memcmp(copy, source, size), 0);
		KUNIT_EXPECT_EQ(test, memcmp(other, source, size), 0);
		KUNIT_EXPECT_EQ(test, ksize(copy), kmalloc_size_roundup(size));
		kfree(copy);
		kvfree(other);
	}
	KUNIT_EXPECT_PTR_EQ(test, kmemdup(source, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_NULL(test, kmemdup_array(source, many, 2, GFP_KERNEL | __GFP_NOWARN));
}

/* kstrdup(), kstrndup(), kmemdup_nul(): what is copied, and that NULL stays NULL. */
static void copies_of_text(struct kunit *test)
{
	static const char text[] = "thirty-one bytes and a zero end";
	char *copy;

	KUNIT_EXPECT_NULL(test, kstrdup(NULL, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kstrndup(NULL, 5, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kmemdup_nul(NULL, 5, GFP_KERNEL));
	copy = kstrdup(text, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_STREQ(test, copy, text);
	KUNIT_EXPECT_EQ(test, ksize(copy), (size_t)32);
	kfree(copy);
	for (size_t max = 0; max < sizeof(text) + 8; max++) {
		size_t length = min(max, sizeof(text) - 1);

		copy = kstrndup(text, max, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		KUNIT_EXPECT_EQ(test, strlen(copy), length);
		KUNIT_EXPECT_EQ(test, memcmp(copy, text, length), 0);
		kfree(copy);
		if (max >= sizeof(text))
			continue;
		copy = kmemdup_nul(text, max, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		KUNIT_EXPECT_EQ(test, copy[max], '\0');
		KUNIT_EXPECT_EQ(test, memcmp(copy, text, max), 0);
		kfree(copy);
	}
}

/* kstrdup_const(): text that may change is copied; kfree_const() takes either. */
static void copies_of_constant_text(struct kunit *test)
{
	char *text = kstrdup("a name", GFP_KERNEL);
	const char *copy = kstrdup_const(text, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(copy);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_PTR_NE(test, copy, (const char *)text);
	KUNIT_EXPECT_STREQ(test, copy, "a name");
	kfree_const(copy);
	kfree_const(NULL);
	kfree(text);
}

/* kasprintf(): as long as the text is. */
static void formatted_text(struct kunit *test)
{
	for (int width = 1; width < 300; width += 13) {
		char *text = kasprintf(GFP_KERNEL, "%0*d", width, 7);

		KUNIT_ASSERT_NOT_NULL(test, text);
		KUNIT_EXPECT_EQ(test, strlen(text), (size_t)width);
		KUNIT_EXPECT_EQ(test, ksize(text), kmalloc_size_roundup((size_t)width + 1));
		kfree(text);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(of_null_is_kmalloc),
	KUNIT_CASE(to_zero_frees),
	KUNIT_CASE(within_the_bucket_it_stays),
	KUNIT_CASE(beyond_the_bucket_it_moves),
	KUNIT_CASE(with_zero),
	KUNIT_CASE(failure_keeps_the_old),
	KUNIT_CASE(of_arrays),
	KUNIT_CASE(any_sequence),
	KUNIT_CASE(sensitive_is_cleared),
	KUNIT_CASE(copies_of_memory),
	KUNIT_CASE(copies_of_text),
	KUNIT_CASE(copies_of_constant_text),
	KUNIT_CASE(formatted_text),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_krealloc", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
