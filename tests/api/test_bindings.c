/* SPDX-License-Identifier: MIT */
/* Each symbol of usermm/bindings.h does the same as the inline function that it stands for. */
#include <usermm/bindings.h>

#include "support/kernel.h"

static void test_bindings_flags(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, usermm_gfpflags_allow_blocking(GFP_KERNEL));
	KUNIT_EXPECT_FALSE(test, usermm_gfpflags_allow_blocking(GFP_ATOMIC));
	KUNIT_EXPECT_EQ(test, (gfp_t)USERMM_GFP_KERNEL, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, (slab_flags_t)USERMM_SLAB_NO_MERGE, SLAB_NO_MERGE);
	KUNIT_EXPECT_EQ(test, (unsigned long)USERMM_ZERO_SIZE_ADDRESS,
			(unsigned long)ZERO_SIZE_PTR);
}

static void test_bindings_lists(struct kunit *test)
{
	struct list_head head, other, a, b;

	usermm_INIT_LIST_HEAD(&head);
	usermm_INIT_LIST_HEAD(&other);
	KUNIT_EXPECT_TRUE(test, usermm_list_empty(&head));
	usermm_list_add(&a, &head);
	usermm_list_add_tail(&b, &head);
	KUNIT_EXPECT_PTR_EQ(test, head.next, &a);
	KUNIT_EXPECT_PTR_EQ(test, head.prev, &b);
	usermm_list_move(&b, &head);
	KUNIT_EXPECT_PTR_EQ(test, head.next, &b);
	usermm_list_move_tail(&b, &other);
	KUNIT_EXPECT_PTR_EQ(test, other.next, &b);
	usermm_list_del_init(&b);
	KUNIT_EXPECT_TRUE(test, usermm_list_empty(&b));
	KUNIT_EXPECT_TRUE(test, usermm_list_empty(&other));
	usermm_list_insert_between(&b, &head, head.next);
	KUNIT_EXPECT_PTR_EQ(test, head.next, &b);
	usermm_list_del(&b);
	KUNIT_EXPECT_PTR_EQ(test, head.next, &a);
}

static void test_bindings_pages(struct kunit *test)
{
	struct page *page = usermm_alloc_pages_node(-1, GFP_KERNEL | __GFP_COMP, 2);
	char *address;
	unsigned long single;

	KUNIT_ASSERT_NOT_NULL(test, page);
	address = usermm_page_address(page);
	KUNIT_EXPECT_PTR_EQ(test, address, (char *)page_address(page));
	KUNIT_EXPECT_PTR_EQ(test, usermm_virt_to_page(address + PAGE_SIZE), page + 1);
	KUNIT_EXPECT_PTR_EQ(test, usermm_virt_to_head_page(address + PAGE_SIZE), page);
	KUNIT_EXPECT_PTR_EQ(test, usermm_pfn_to_page(usermm_page_to_pfn(page)), page);
	KUNIT_EXPECT_EQ(test, usermm_get_order(3 * PAGE_SIZE), 2);
	__free_pages(page, 2);
	single = usermm___get_free_page(GFP_KERNEL);
	KUNIT_ASSERT_NE(test, single, 0);
	usermm_free_page(single);
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	usermm___free_page(page);
}

static bool is_zero(const unsigned char *bytes, size_t nr)
{
	while (nr && !bytes[nr - 1])
		nr--;
	return !nr;
}

static void test_bindings_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("bindings", 100, 0, 0, NULL);
	void *objects[2];

	KUNIT_ASSERT_NOT_NULL(test, cache);
	objects[0] = usermm_kmem_cache_zalloc(cache, GFP_KERNEL);
	objects[1] = usermm_kmalloc(300, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, objects[0]);
	KUNIT_ASSERT_NOT_NULL(test, objects[1]);
	KUNIT_EXPECT_TRUE(test, is_zero(objects[0], 100));
	KUNIT_EXPECT_EQ(test, ksize(objects[1]), 512);
	usermm_kfree_bulk(2, objects);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, usermm_kmalloc_class_of(300), kmalloc_class(300));
	KUNIT_EXPECT_EQ(test, usermm_kmalloc_type_of(GFP_KERNEL | __GFP_DMA), KMALLOC_DMA);
}

/* Each block has the size and the bytes of its inline function's, and is freed in its way. */
static void test_bindings_blocks(struct kunit *test)
{
	const size_t large = KMALLOC_MAX_SIZE + 1;
	volatile size_t huge = SIZE_MAX;	/* hides the value from the compiler */
	struct row {
		void *block;
		size_t zero_bytes;
		void (*free)(const void *block);
	} rows[] = {
		{ usermm_kzalloc(700, GFP_KERNEL), 700, kfree },
		{ usermm_kmalloc_array(7, 100, GFP_KERNEL), 0, kfree },
		{ usermm_kcalloc(7, 100, GFP_KERNEL), 700, usermm_kfree_nolock },
		{ usermm_kvmalloc(large, GFP_KERNEL), 0, kvfree },
		{ usermm_kvzalloc(large, GFP_KERNEL), large, kvfree },
		{ usermm_kvmalloc_array(2, large, GFP_KERNEL), 0, kvfree },
		{ usermm_kvcalloc(2, large, GFP_KERNEL), 2 * large, kvfree },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_ASSERT_NOT_NULL_MSG(test, rows[i].block, "row %u", i);
		KUNIT_EXPECT_TRUE_MSG(test, is_zero(rows[i].block, rows[i].zero_bytes), "row %u",
				      i);
		rows[i].free(rows[i].block);
	}
	KUNIT_EXPECT_NULL(test, usermm_kmalloc_array(huge, 2, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, usermm_kcalloc(huge, 2, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, usermm_kvmalloc_array(huge, 2, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, usermm_kvcalloc(huge, 2, GFP_KERNEL));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_bindings_flags),
	KUNIT_CASE(test_bindings_lists),
	KUNIT_CASE(test_bindings_pages),
	KUNIT_CASE(test_bindings_objects),
	KUNIT_CASE(test_bindings_blocks),
	{ 0 },
};

static struct kunit_suite suite = { .name = "api-bindings", .test_cases = cases };

kunit_test_suite(suite);
