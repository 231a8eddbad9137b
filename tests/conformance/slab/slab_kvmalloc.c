// SPDX-License-Identifier: MIT
/* kvmalloc() and its relatives: kmalloc() first, vmalloc() where that will not do. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../conformance.h"

#define LARGE (KMALLOC_MAX_SIZE + 5 * PAGE_SIZE)

/* Up to a page it is kmalloc() and nothing else. */
static void up_to_a_page(struct kunit *test)
{
	for (size_t size = 1; size <= PAGE_SIZE; size += 1 + size / 7) {
		void *memory = kvmalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, memory);
		KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(memory));
		KUNIT_EXPECT_EQ(test, ksize(memory), kmalloc_size_roundup(size));
		kvfree(memory);
	}
	KUNIT_EXPECT_PTR_EQ(test, kvmalloc(0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kvzalloc(0, GFP_KERNEL), ZERO_SIZE_PTR);
}

/* More than kmalloc() can give comes from vmalloc(); every byte is there. */
static void beyond_kmalloc(struct kunit *test)
{
	u8 *memory = hidden(kvmalloc(LARGE, GFP_KERNEL));

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(memory));
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(memory + LARGE - 1));
	KUNIT_EXPECT_EQ(test, (unsigned long)memory % PAGE_SIZE, 0UL);
	for (size_t i = 0; i < LARGE; i += PAGE_SIZE / 2)
		memory[i] = (u8)(i / 2048);
	for (size_t i = 0; i < LARGE; i += PAGE_SIZE / 2)
		KUNIT_EXPECT_EQ(test, memory[i], (u8)(i / 2048));
	kvfree(memory);
}

/* In between it is one or the other, and kvfree() knows which. */
static void in_between(struct kunit *test)
{
	for (size_t size = PAGE_SIZE + 1; size <= KMALLOC_MAX_SIZE; size *= 3) {
		u8 *memory = hidden(kvmalloc(size, GFP_KERNEL));

		KUNIT_ASSERT_NOT_NULL(test, memory);
		memset(memory, 0x42, size);
		KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x42, size));
		kvfree(memory);
		memory = hidden(kvzalloc(size, GFP_KERNEL));
		KUNIT_ASSERT_NOT_NULL(test, memory);
		KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0, size));
		kvfree(memory);
	}
}

/* A caller that may not block gets vmalloc's since Linux 6.19. */
static void without_blocking(struct kunit *test)
{
	bool gets_area = LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0);
	void *memory = kvmalloc(2 * PAGE_SIZE, GFP_ATOMIC), *large;

	large = kvmalloc(LARGE, GFP_NOWAIT);
	KUNIT_EXPECT_EQ(test, is_vmalloc_addr(large), gets_area);
	kvfree(large);
	large = kvmalloc(LARGE, GFP_ATOMIC);
	KUNIT_EXPECT_EQ(test, is_vmalloc_addr(large), gets_area);
	kvfree(large);
	KUNIT_EXPECT_NOT_NULL(test, memory);
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(memory));
	kvfree(memory);
}

/* More than INT_MAX is refused, however it is reached. */
static void too_large(struct kunit *test)
{
	size_t most = INT_MAX, many = SIZE_MAX / 2;

	OPTIMIZER_HIDE_VAR(most);
	OPTIMIZER_HIDE_VAR(many);
	KUNIT_EXPECT_NULL(test, kvmalloc(most + 1, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kvzalloc(many, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kvmalloc_array(many, 3, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kvcalloc(3, many, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kvmalloc_array(most, 2, GFP_KERNEL | __GFP_NOWARN));
}

static void arrays_and_nodes(struct kunit *test)
{
	u64 *array = kvcalloc(100000, sizeof(*array), GFP_KERNEL);
	u64 *plain = kvmalloc_array(1000, sizeof(*plain), GFP_KERNEL);
	u64 *node = kvzalloc_node(3 * PAGE_SIZE, GFP_KERNEL, 0);

	KUNIT_ASSERT_NOT_NULL(test, array);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, node);
	KUNIT_EXPECT_NULL(test, memchr_inv(array, 0, 100000 * sizeof(*array)));
	KUNIT_EXPECT_NULL(test, memchr_inv(node, 0, 3 * PAGE_SIZE));
	memset(plain, 0xff, 1000 * sizeof(*plain));
	kvfree(array);
	kvfree(plain);
	kvfree(node);
}

/* kvfree() takes what any of the three made, and NULL. */
static void kvfree_takes_any(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_kvfree", 80, 0, SLAB_NO_MERGE,
						     NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	kvfree(NULL);
	kvfree(ZERO_SIZE_PTR);
	kvfree(kmalloc(10, GFP_KERNEL));
	kvfree(kmalloc(5 * PAGE_SIZE, GFP_KERNEL));
	kvfree(vmalloc(5 * PAGE_SIZE));
	kvfree(kmem_cache_alloc(cache, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* kvfree_sensitive() clears what it is told; type-stable memory shows it. */
static void sensitive_is_cleared(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_kvsecret", 160, 0,
						     SLAB_TYPESAFE_BY_RCU, NULL);
	u8 *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	object = hidden(kmem_cache_alloc(cache, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, object);
	memset(object, 0x55, 160);
	rcu_read_lock();
	kvfree_sensitive(object, 100);
	KUNIT_EXPECT_NULL(test, memchr_inv(object, 0, 100));
	KUNIT_EXPECT_NULL(test, memchr_inv(object + 100, 0x55, 60));
	rcu_read_unlock();
	kvfree_sensitive(NULL, 0);
	kvfree_sensitive(vmalloc(3 * PAGE_SIZE), 3 * PAGE_SIZE);
	kmem_cache_destroy(cache);
}

/* kvrealloc() of kmalloc's memory is krealloc(): NULL, 0, in place, moved. */
static void realloc_of_small(struct kunit *test)
{
	u8 *memory = hidden(kvrealloc(NULL, 100, GFP_KERNEL));

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_EQ(test, ksize(memory), (size_t)128);
	memset(memory, 0x66, 128);
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 128, GFP_KERNEL), (void *)memory);
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 5, GFP_KERNEL), (void *)memory);
	memory = hidden(kvrealloc(memory, 1000, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x66, 128));
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(NULL, 0, GFP_KERNEL), ZERO_SIZE_PTR);
	memory = kvrealloc(ZERO_SIZE_PTR, 10, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, memory);
	kvfree(memory);
}

/* From kmalloc's memory into vmalloc's, with what was there. */
static void realloc_into_vmalloc(struct kunit *test)
{
	u8 *memory = hidden(kvmalloc(3000, GFP_KERNEL));

	KUNIT_ASSERT_NOT_NULL(test, memory);
	memset(memory, 0x31, 3000);
	memory = hidden(kvrealloc(memory, LARGE, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(memory));
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x31, 3000));
	memory[LARGE - 1] = 1;
	kvfree(memory);
}

/* Pages behind the new end go back since Linux 7.2; growing then takes another area. */
static bool shrinking_frees(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0);
}

/* vrealloc(): vmalloc's memory stays so, and where it is, while it is large enough. */
static void realloc_of_vmalloc(struct kunit *test)
{
	u8 *memory = hidden(vmalloc(3 * PAGE_SIZE)), *moved;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	memset(memory, 0x18, 3 * PAGE_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 10, GFP_KERNEL), (void *)memory);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(memory));
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, PAGE_SIZE, GFP_KERNEL), (void *)memory);
	moved = hidden(kvrealloc(memory, 3 * PAGE_SIZE, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, moved);
	KUNIT_EXPECT_EQ(test, moved != memory, shrinking_frees());
	memory = moved;
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x18, PAGE_SIZE));
	memset(memory, 0x18, 3 * PAGE_SIZE);
	moved = hidden(kvrealloc(memory, 4 * PAGE_SIZE, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, moved);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(moved));
	KUNIT_EXPECT_NULL(test, memchr_inv(moved, 0x18, 3 * PAGE_SIZE));
	KUNIT_EXPECT_NULL(test, kvrealloc(moved, 0, GFP_KERNEL));
}

/* What a smaller area gives back are pages. The pages that stay are as they were. */
static void realloc_frees_pages(struct kunit *test)
{
	enum { NR = 200 };
	u8 *memory = hidden(vmalloc(NR * PAGE_SIZE));
	long before, freed;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	memset(memory, 0x27, NR * PAGE_SIZE);
	before = free_pages_now();
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 20 * PAGE_SIZE + 1, GFP_NOIO), (void *)memory);
	freed = free_pages_now() - before;
	KUNIT_EXPECT_LT_MSG(test, freed, 50L, "not where I/O is forbidden");
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 20 * PAGE_SIZE, GFP_KERNEL), (void *)memory);
	freed = free_pages_now() - before;
	if (shrinking_frees())
		KUNIT_EXPECT_GE(test, freed, NR - 20L - 10);
	else
		KUNIT_EXPECT_LT(test, freed, 50L);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x27, 20 * PAGE_SIZE));
	if (shrinking_frees())
		KUNIT_EXPECT_NULL(test, vmalloc_to_page(memory + 20 * PAGE_SIZE));
	kvfree(memory);
}

/* kvrealloc_node_align(): wherever the memory moves, it is aligned, and keeps its bytes. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
static void realloc_keeps_alignment(struct kunit *test)
{
	static const struct { size_t size, grown; unsigned long align; } steps[] = {
		{ 64, 128, 64 }, { 16, PAGE_SIZE, 512 }, { PAGE_SIZE, LARGE, PAGE_SIZE },
		{ LARGE, 2 * LARGE, 16 * PAGE_SIZE },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		unsigned long align = steps[i].align;
		u8 *memory = hidden(kvmalloc_node_align(steps[i].size, align, GFP_KERNEL,
							NUMA_NO_NODE));

		KUNIT_ASSERT_NOT_NULL(test, memory);
		memset(memory, 0x35, steps[i].size);
		memory = hidden(kvrealloc_node_align(memory, steps[i].grown, align, GFP_KERNEL,
						     NUMA_NO_NODE));
		KUNIT_ASSERT_NOT_NULL(test, memory);
		KUNIT_EXPECT_EQ_MSG(test, (unsigned long)memory % align, 0UL, "step %u", i);
		KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x35, steps[i].size));
		kvfree(memory);
	}
}

/* vrealloc_node_align(): the area is aligned before and after. */
static void realloc_of_an_area_keeps_alignment(struct kunit *test)
{
	unsigned long align = 32 * PAGE_SIZE;
	u8 *memory = hidden(vrealloc_node_align(NULL, 3 * PAGE_SIZE, align, GFP_KERNEL,
						NUMA_NO_NODE));

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_EQ(test, (unsigned long)memory % align, 0UL);
	memset(memory, 0x36, 3 * PAGE_SIZE);
	memory = hidden(vrealloc_node_align(memory, LARGE, align, GFP_KERNEL, NUMA_NO_NODE));
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_EQ(test, (unsigned long)memory % align, 0UL);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x36, 3 * PAGE_SIZE));
	KUNIT_EXPECT_PTR_EQ(test, vrealloc_node(memory, PAGE_SIZE, GFP_KERNEL, NUMA_NO_NODE),
			    (void *)memory);
	KUNIT_EXPECT_NULL(test, vrealloc_node_align(memory, 0, align, GFP_KERNEL, NUMA_NO_NODE));
}
#else
static void realloc_keeps_alignment(struct kunit *test)
{
	kunit_skip(test, "since Linux 6.18");
}

static void realloc_of_an_area_keeps_alignment(struct kunit *test)
{
	kunit_skip(test, "since Linux 6.18");
}
#endif

/* __GFP_ZERO in every call: what is given up is cleared, what is gained is zero. */
static void realloc_with_zero(struct kunit *test)
{
	u8 *memory = hidden(vzalloc(2 * PAGE_SIZE));

	KUNIT_ASSERT_NOT_NULL(test, memory);
	memset(memory, 0x99, 2 * PAGE_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 100, GFP_KERNEL | __GFP_ZERO), (void *)memory);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0x99, 100));
	KUNIT_EXPECT_NULL(test, memchr_inv(memory + 100, 0,
					   (shrinking_frees() ? 1 : 2) * PAGE_SIZE - 100));
	memory = hidden(kvrealloc(memory, 3 * PAGE_SIZE, GFP_KERNEL | __GFP_ZERO));
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory + 100, 0, 3 * PAGE_SIZE - 100));
	kvfree(memory);
	memory = hidden(kvzalloc(60, GFP_KERNEL));
	KUNIT_ASSERT_NOT_NULL(test, memory);
	memset(memory, 0x99, 60);
	KUNIT_EXPECT_PTR_EQ(test, kvrealloc(memory, 10, GFP_KERNEL | __GFP_ZERO), (void *)memory);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory + 10, 0, 54));
	kvfree(memory);
}

/* On failure the old one is as it was. */
static void realloc_that_fails(struct kunit *test)
{
	u8 *small = hidden(kvmalloc(100, GFP_KERNEL)), *area = hidden(vmalloc(2 * PAGE_SIZE));
	size_t many = SIZE_MAX / 2;

	OPTIMIZER_HIDE_VAR(many);
	KUNIT_ASSERT_NOT_NULL(test, small);
	KUNIT_ASSERT_NOT_NULL(test, area);
	memset(small, 0x12, 100);
	memset(area, 0x13, 2 * PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, kvrealloc(small, many, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kvrealloc(area, many, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, memchr_inv(small, 0x12, 100));
	KUNIT_EXPECT_NULL(test, memchr_inv(area, 0x13, 2 * PAGE_SIZE));
	kvfree(small);
	kvfree(area);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(up_to_a_page),
	KUNIT_CASE(beyond_kmalloc),
	KUNIT_CASE(in_between),
	KUNIT_CASE(without_blocking),
	KUNIT_CASE(too_large),
	KUNIT_CASE(arrays_and_nodes),
	KUNIT_CASE(kvfree_takes_any),
	KUNIT_CASE(sensitive_is_cleared),
	KUNIT_CASE(realloc_of_small),
	KUNIT_CASE(realloc_into_vmalloc),
	KUNIT_CASE(realloc_of_vmalloc),
	KUNIT_CASE(realloc_frees_pages),
	KUNIT_CASE(realloc_keeps_alignment),
	KUNIT_CASE(realloc_of_an_area_keeps_alignment),
	KUNIT_CASE(realloc_with_zero),
	KUNIT_CASE(realloc_that_fails),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_kvmalloc", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
