// SPDX-License-Identifier: MIT
/* kmalloc(): classes, alignment, real sizes, limits, overflow, zeroing. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance.h"

static const size_t classes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192,
};

static size_t class_of(size_t size)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++)
		if (size <= classes[i])
			return classes[i];
	return PAGE_SIZE << get_order(size);
}

/* Of a class: the largest power of two that divides its size. */
static unsigned long alignment_of(size_t bytes)
{
	return bytes & -bytes;
}

/* include/linux/slab.h: what the limits are with 4 KiB pages. */
static void limits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (unsigned long)KMALLOC_MIN_SIZE, 8UL);
	KUNIT_EXPECT_EQ(test, (unsigned long)KMALLOC_MAX_CACHE_SIZE, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, (unsigned long)KMALLOC_MAX_SIZE, PAGE_SIZE << MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, (unsigned long)KMALLOC_MAX_ORDER, (unsigned long)MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, (unsigned long)KMALLOC_SHIFT_HIGH, PAGE_SHIFT + 1UL);
	KUNIT_EXPECT_EQ(test, (unsigned long)KMALLOC_SHIFT_MAX, PAGE_SHIFT + 10UL);
	KUNIT_EXPECT_EQ(test, (unsigned long)ZERO_SIZE_PTR, 16UL);
}

/* ksize(), kmalloc_size_roundup(): every size of the 13 classes, at its bucket. */
static void size_of_every_class(struct kunit *test)
{
	for (size_t size = 1; size <= KMALLOC_MAX_CACHE_SIZE; size++) {
		void *object = kmalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, ksize(object), class_of(size));
		KUNIT_EXPECT_EQ(test, kmalloc_size_roundup(size), class_of(size));
		kfree(object);
	}
}

/* A size that the compiler knows takes the same class as one it does not. */
#define EXPECT_CONSTANT(test, size)						\
	do {									\
		void *known_ = kmalloc(size, GFP_KERNEL);			\
										\
		KUNIT_EXPECT_EQ(test, ksize(known_), class_of(size));		\
		kfree(known_);							\
	} while (0)

static void constant_sizes(struct kunit *test)
{
	EXPECT_CONSTANT(test, 1);
	EXPECT_CONSTANT(test, 8);
	EXPECT_CONSTANT(test, 9);
	EXPECT_CONSTANT(test, 64);
	EXPECT_CONSTANT(test, 65);
	EXPECT_CONSTANT(test, 96);
	EXPECT_CONSTANT(test, 97);
	EXPECT_CONSTANT(test, 128);
	EXPECT_CONSTANT(test, 129);
	EXPECT_CONSTANT(test, 192);
	EXPECT_CONSTANT(test, 193);
	EXPECT_CONSTANT(test, 1025);
	EXPECT_CONSTANT(test, 4097);
	EXPECT_CONSTANT(test, 8192);
	EXPECT_CONSTANT(test, 8193);
	EXPECT_CONSTANT(test, 100000);
	EXPECT_CONSTANT(test, 4194304);
}

/*
 * kmalloc(): a power of two is aligned to itself, 96 to 32, 192 to 64; so is every
 * object of the class, not just the first.
 */
static void alignment_of_every_class(struct kunit *test)
{
	static void *objects[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
		for (unsigned int n = 0; n < ARRAY_SIZE(objects); n++) {
			objects[n] = kmalloc(classes[i], GFP_KERNEL);
			KUNIT_EXPECT_NOT_NULL(test, objects[n]);
			KUNIT_EXPECT_EQ_MSG(test,
				(unsigned long)objects[n] % alignment_of(classes[i]), 0UL,
				"size %zu", classes[i]);
		}
		for (unsigned int n = 0; n < ARRAY_SIZE(objects); n++)
			kfree(objects[n]);
	}
}

/* More than KMALLOC_MAX_CACHE_SIZE: compound pages, aligned to their order. */
static void large_is_a_compound_page(struct kunit *test)
{
	for (size_t size = KMALLOC_MAX_CACHE_SIZE + 1; size <= KMALLOC_MAX_SIZE;
	     size += size / 3) {
		unsigned int order = get_order(size);
		char *block = kmalloc(size, GFP_KERNEL);
		struct page *page;

		KUNIT_ASSERT_NOT_NULL(test, block);
		page = virt_to_page(block);
		KUNIT_EXPECT_EQ(test, (unsigned long)block % (PAGE_SIZE << order), 0UL);
		KUNIT_EXPECT_TRUE(test, PageHead(page));
		KUNIT_EXPECT_FALSE(test, PageSlab(page));
		KUNIT_EXPECT_EQ(test, compound_order(page), order);
		KUNIT_EXPECT_EQ(test, page_count(page), LARGE_HAS_REFERENCES ? 1 : 0);
		KUNIT_EXPECT_PTR_EQ(test, virt_to_head_page(block + size - 1), page);
		KUNIT_EXPECT_EQ(test, ksize(block), PAGE_SIZE << order);
		KUNIT_EXPECT_EQ(test, kmalloc_size_roundup(size), PAGE_SIZE << order);
		kfree(block);
	}
}

/*
 * kfree() drops a reference of a large block; the holder of another reference keeps the pages.
 * Since Linux 6.17 nobody can take one: get_page() warns, put_page() does nothing. The same holds
 * for pages of slabs.
 */
static void large_lives_by_its_references(struct kunit *test)
{
	char *block = kmalloc(4 * PAGE_SIZE, GFP_KERNEL);
	struct page *page;

	KUNIT_ASSERT_NOT_NULL(test, block);
	page = virt_to_page(block);
	memset(block, 0x3c, 4 * PAGE_SIZE);
	get_page(page);
	if (!LARGE_HAS_REFERENCES) {
		char *object = kmalloc(100, GFP_KERNEL);

		KUNIT_EXPECT_EQ(test, page_count(page), 0);
		put_page(page);
		put_page(page);
		get_page(virt_to_page(object));
		put_page(virt_to_page(object));
		put_page(virt_to_page(object));
		KUNIT_EXPECT_NULL(test, memchr_inv(block, 0x3c, 4 * PAGE_SIZE));
		kfree(object);
		kfree(block);
		return;
	}
	kfree(block);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(block, 0x3c, 4 * PAGE_SIZE));
	put_page(page);
}

/* kmalloc(0) is ZERO_SIZE_PTR, which may be freed and has no bytes. */
static void size_zero(struct kunit *test)
{
	size_t zero = 0;

	OPTIMIZER_HIDE_VAR(zero);
	KUNIT_EXPECT_PTR_EQ(test, kmalloc(zero, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kzalloc(zero, GFP_ATOMIC), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kmalloc(0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kmalloc_node(zero, GFP_KERNEL, NUMA_NO_NODE), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kmalloc_array(zero, 100, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kcalloc(100, zero, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_EQ(test, ksize(ZERO_SIZE_PTR), (size_t)0);
	KUNIT_EXPECT_EQ(test, ksize(NULL), (size_t)0);
	KUNIT_EXPECT_EQ(test, kmalloc_size_roundup(0), (size_t)0);
	KUNIT_EXPECT_TRUE(test, ZERO_OR_NULL_PTR(NULL));
	KUNIT_EXPECT_TRUE(test, ZERO_OR_NULL_PTR(ZERO_SIZE_PTR));
	KUNIT_EXPECT_FALSE(test, ZERO_OR_NULL_PTR((void *)17));
	kfree(ZERO_SIZE_PTR);
	kfree(NULL);
}

/* More than KMALLOC_MAX_SIZE is NULL, and is not rounded. */
static void too_large(struct kunit *test)
{
	static const size_t sizes[] = {
		KMALLOC_MAX_SIZE + 1, 2 * KMALLOC_MAX_SIZE, 1UL << 31, 1UL << 32, LONG_MAX,
		SIZE_MAX - PAGE_SIZE, SIZE_MAX,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t size = sizes[i];

		OPTIMIZER_HIDE_VAR(size);
		KUNIT_EXPECT_NULL(test, kmalloc(size, GFP_KERNEL | __GFP_NOWARN));
		KUNIT_EXPECT_NULL(test, kzalloc(size, GFP_NOWAIT | __GFP_NOWARN));
		KUNIT_EXPECT_EQ(test, kmalloc_size_roundup(size), size);
	}
}

/* kmalloc_array(), kcalloc(): a product that overflows is NULL, whatever remains of it. */
static void overflow_of_a_product(struct kunit *test)
{
	for (unsigned int shift = 1; shift < 64; shift++) {
		size_t n = 1UL << shift, size = 1UL << (64 - shift);

		OPTIMIZER_HIDE_VAR(n);
		KUNIT_EXPECT_NULL(test, kmalloc_array(n, size, GFP_KERNEL));
		KUNIT_EXPECT_NULL(test, kmalloc_array(n, size + 1, GFP_KERNEL));
		KUNIT_EXPECT_NULL(test, kcalloc(n + 1, size, GFP_KERNEL));
		KUNIT_EXPECT_NULL(test, kcalloc_node(n, size, GFP_KERNEL, NUMA_NO_NODE));
		KUNIT_EXPECT_NULL(test, kmalloc_array_node(n, size, GFP_KERNEL, NUMA_NO_NODE));
	}
	KUNIT_EXPECT_NULL(test, kmalloc_array(SIZE_MAX, SIZE_MAX, GFP_KERNEL));
}

/* array_size(), struct_size() and the like saturate, and such a size is never had. */
static void saturated_sizes(struct kunit *test)
{
	struct with_tail {
		long head;
		u32 tail[];
	} *object;
	size_t many = SIZE_MAX / 4 + 1;

	OPTIMIZER_HIDE_VAR(many);
	KUNIT_EXPECT_EQ(test, array_size(many, 4), SIZE_MAX);
	KUNIT_EXPECT_EQ(test, struct_size(object, tail, many), SIZE_MAX);
	KUNIT_EXPECT_EQ(test, struct_size(object, tail, 3), sizeof(long) + 12);
	KUNIT_EXPECT_EQ(test, size_add(SIZE_MAX, 1), SIZE_MAX);
	KUNIT_EXPECT_NULL(test, kmalloc(struct_size(object, tail, many),
					GFP_KERNEL | __GFP_NOWARN));
	object = kmalloc(struct_size(object, tail, 3), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, ksize(object), (size_t)32);
	kfree(object);
}

static void arrays(struct kunit *test)
{
	for (size_t n = 1; n < 40; n += 3)
		for (size_t size = 1; size < 300; size += 7) {
			char *array = kcalloc(n, size, GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, array);
			KUNIT_EXPECT_EQ(test, ksize(array), class_of(n * size));
			KUNIT_EXPECT_NULL(test, memchr_inv(array, 0, n * size));
			memset(array, 0xff, n * size);
			kfree(array);
		}
}

/* __GFP_ZERO clears the whole bucket, so that krealloc() with it can grow in place. */
static void zeroed_to_the_end(struct kunit *test)
{
	for (size_t size = 1; size <= 4 * KMALLOC_MAX_CACHE_SIZE; size += 1 + size / 7) {
		char *object = kmalloc(size, GFP_KERNEL);
		size_t bytes;

		KUNIT_ASSERT_NOT_NULL(test, object);
		bytes = kmalloc_size_roundup(size);
		OPTIMIZER_HIDE_VAR(object);
		memset(object, 0xee, bytes);
		kfree(object);
		object = kzalloc(size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		OPTIMIZER_HIDE_VAR(object);
		KUNIT_EXPECT_NULL(test, memchr_inv(object, 0, bytes));
		kfree(object);
	}
}

/*
 * kmalloc_type(): __GFP_DMA, __GFP_RECLAIMABLE and __GFP_ACCOUNT choose other caches;
 * size and alignment are the same in all.
 */
static void types_of_caches(struct kunit *test)
{
	for (unsigned int set = 0; set < 8; set++) {
		gfp_t gfp = GFP_KERNEL | (set & 1 ? __GFP_RECLAIMABLE : 0) |
			    (set & 2 ? __GFP_ACCOUNT : 0) | (set & 4 ? __GFP_DMA : 0);

		for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
			size_t size = classes[i] - 1;
			void *object = kmalloc(size, gfp);

			KUNIT_ASSERT_NOT_NULL(test, object);
			KUNIT_EXPECT_EQ(test, ksize(object), classes[i]);
			KUNIT_EXPECT_EQ(test, (unsigned long)object % alignment_of(classes[i]),
					0UL);
			kfree(object);
		}
	}
}

/* Every context gets small objects while there is memory. */
static void contexts(struct kunit *test)
{
	static const gfp_t contexts_of[] = {
		GFP_KERNEL, GFP_ATOMIC, GFP_NOWAIT, GFP_NOIO, GFP_NOFS, GFP_USER,
		GFP_KERNEL_ACCOUNT, GFP_KERNEL | __GFP_NOFAIL, GFP_KERNEL | __GFP_NORETRY,
		GFP_KERNEL | __GFP_RETRY_MAYFAIL, GFP_ATOMIC | __GFP_NOMEMALLOC,
		GFP_KERNEL | __GFP_MEMALLOC, __GFP_HIGH, __GFP_NOWARN,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(contexts_of); i++)
		for (size_t size = 1; size <= 4 * PAGE_SIZE; size *= 3) {
			void *object = kmalloc(size, contexts_of[i]);

			KUNIT_EXPECT_NOT_NULL_MSG(test, object, "context %u, size %zu", i, size);
			kfree(object);
		}
}

/* kmalloc_fix_flags(): zones that slabs cannot use are a warning, not a failure. */
static void zones_that_make_no_sense(struct kunit *test)
{
	void *object = kmalloc(64, GFP_KERNEL | __GFP_HIGHMEM);
	void *block = kmalloc(4 * PAGE_SIZE, GFP_KERNEL | __GFP_HIGHMEM);

	KUNIT_EXPECT_NOT_NULL(test, object);
	KUNIT_EXPECT_NOT_NULL(test, block);
	kfree(object);
	kfree(block);
}

static void nodes(struct kunit *test)
{
	static const int wanted[] = { NUMA_NO_NODE, 0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
		for (size_t size = 1; size <= 4 * PAGE_SIZE; size *= 2) {
			char *plain = kmalloc_node(size, GFP_KERNEL, wanted[i]);
			char *zeroed = kzalloc_node(size, GFP_KERNEL, wanted[i]);
			char *exact = kmalloc_node(size, GFP_KERNEL | __GFP_THISNODE, 0);

			KUNIT_ASSERT_NOT_NULL(test, plain);
			KUNIT_ASSERT_NOT_NULL(test, zeroed);
			KUNIT_ASSERT_NOT_NULL(test, exact);
			KUNIT_EXPECT_EQ(test, ksize(plain), class_of(size));
			KUNIT_EXPECT_NULL(test, memchr_inv(zeroed, 0, size));
			KUNIT_EXPECT_EQ(test, page_to_nid(virt_to_page(exact)), 0);
			kfree(plain);
			kfree(zeroed);
			kfree(exact);
		}
}

/* kmem_buckets_alloc(): by itself, or as kmalloc() where buckets are not configured. */
static void buckets(struct kunit *test)
{
	kmem_buckets *set = kmem_buckets_create("conformance", 0, 0, INT_MAX, NULL);

	KUNIT_ASSERT_NOT_NULL(test, set);
	for (size_t size = 1; size <= 2 * KMALLOC_MAX_CACHE_SIZE; size += size) {
		void *object = kmem_buckets_alloc(set, size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, ksize(object), class_of(size));
		kfree(object);
	}
}

/* Live objects of all sizes share no byte: each keeps what its owner wrote to it. */
static void objects_are_apart(struct kunit *test)
{
	enum { OBJECTS = 512, STEPS = 20000 };
	struct live {
		u8 *bytes;
		size_t size;
		u8 fill;
	} *live = kcalloc(OBJECTS, sizeof(*live), GFP_KERNEL);
	u32 seed = 1;

	KUNIT_ASSERT_NOT_NULL(test, live);
	for (unsigned int step = 0; step < STEPS + OBJECTS; step++) {
		struct live *one;

		seed = seed * 1664525 + 1013904223;
		one = live + (step < STEPS ? (seed >> 16) % OBJECTS : step - STEPS);
		if (one->bytes)
			KUNIT_EXPECT_NULL(test, memchr_inv(one->bytes, one->fill, one->size));
		kfree(one->bytes);
		one->bytes = NULL;
		if (step >= STEPS)
			continue;
		one->size = 1 + ((seed >> 8) & 0xfff) % (1U << (3 + (seed >> 28) % 10));
		one->fill = (u8)step;
		one->bytes = kmalloc(one->size, GFP_KERNEL);
		KUNIT_EXPECT_NOT_NULL(test, one->bytes);
		if (one->bytes)
			memset(one->bytes, one->fill, one->size);
	}
	kfree(live);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(limits),
	KUNIT_CASE(size_of_every_class),
	KUNIT_CASE(constant_sizes),
	KUNIT_CASE(alignment_of_every_class),
	KUNIT_CASE(large_is_a_compound_page),
	KUNIT_CASE(large_lives_by_its_references),
	KUNIT_CASE(size_zero),
	KUNIT_CASE(too_large),
	KUNIT_CASE(overflow_of_a_product),
	KUNIT_CASE(saturated_sizes),
	KUNIT_CASE(arrays),
	KUNIT_CASE(zeroed_to_the_end),
	KUNIT_CASE(types_of_caches),
	KUNIT_CASE(contexts),
	KUNIT_CASE(zones_that_make_no_sense),
	KUNIT_CASE(nodes),
	KUNIT_CASE(buckets),
	KUNIT_CASE(objects_are_apart),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_kmalloc", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
