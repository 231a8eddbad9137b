// SPDX-License-Identifier: MIT
/* Memory in pieces: lib/scatterlist.c, with arrays by kmalloc(), in chains, and from pools. */
#include <kunit/test.h>
#include <linux/bvec.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uio.h>

enum { PAGES = 300, ROUNDS = 200 };

static struct page *pages[PAGES];

static int client_init(struct kunit *test)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
	}
	return 0;
}

static void client_exit(struct kunit *test)
{
	for (unsigned int i = 0; i < PAGES; i++)
		__free_page(pages[i]);
}

/* Every page a piece of its own; the table is more than one page of entries long. */
static void fill(struct sg_table *table)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(table, sg, i)
		sg_set_page(sg, pages[i], PAGE_SIZE - 16, i % 16);
}

static void expect_entries(struct kunit *test, struct sg_table *table, unsigned int nr)
{
	struct scatterlist *sg;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, table->orig_nents, nr);
	KUNIT_EXPECT_EQ(test, sg_nents(table->sgl), (int)nr);
	for_each_sgtable_sg(table, sg, i) {
		KUNIT_EXPECT_PTR_EQ(test, sg_page(sg), pages[i]);
		KUNIT_EXPECT_EQ(test, sg_is_last(sg), i == nr - 1);
	}
	KUNIT_EXPECT_PTR_EQ(test, sg_page(sg_last(table->sgl, nr)), pages[nr - 1]);
}

static void tables(struct kunit *test)
{
	for (unsigned int nr = 1; nr <= PAGES; nr = nr * 2 + 1) {
		struct sg_table table;

		KUNIT_ASSERT_EQ(test, sg_alloc_table(&table, nr, GFP_KERNEL), 0);
		fill(&table);
		expect_entries(test, &table, nr);
		sg_free_table(&table);
	}
}

/* Bytes that are written at some place are read there, and nothing else was changed. */
static void copying(struct kunit *test)
{
	unsigned int bytes = PAGES * (PAGE_SIZE - 16);
	u8 *source = kvmalloc(bytes, GFP_KERNEL), *target = kvmalloc(bytes, GFP_KERNEL);
	struct sg_table table;

	KUNIT_ASSERT_NOT_NULL(test, source);
	KUNIT_ASSERT_NOT_NULL(test, target);
	KUNIT_ASSERT_EQ(test, sg_alloc_table(&table, PAGES, GFP_KERNEL), 0);
	fill(&table);
	get_random_bytes(source, bytes);
	KUNIT_EXPECT_EQ(test, sg_copy_from_buffer(table.sgl, PAGES, source, bytes), (size_t)bytes);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int skip = get_random_u32() % bytes;
		unsigned int length = get_random_u32() % (bytes - skip) + 1;

		KUNIT_ASSERT_EQ(test, sg_pcopy_to_buffer(table.sgl, PAGES, target, length, skip),
				(size_t)length);
		KUNIT_ASSERT_EQ(test, memcmp(target, source + skip, length), 0);
		length = length % 1000 + 1;
		length = min(length, bytes - skip);
		get_random_bytes(source + skip, length);
		KUNIT_ASSERT_EQ(test, sg_pcopy_from_buffer(table.sgl, PAGES, source + skip,
							   length, skip), (size_t)length);
	}
	KUNIT_EXPECT_EQ(test, sg_copy_to_buffer(table.sgl, PAGES, target, bytes + 1),
			(size_t)bytes);
	KUNIT_EXPECT_EQ(test, memcmp(target, source, bytes), 0);
	KUNIT_EXPECT_EQ(test, sg_zero_buffer(table.sgl, PAGES, bytes, 0), (size_t)bytes);
	sg_copy_to_buffer(table.sgl, PAGES, target, bytes);
	KUNIT_EXPECT_NULL(test, memchr_inv(target, 0, bytes));
	sg_free_table(&table);
	kvfree(source);
	kvfree(target);
}

/* Neighbours become one piece, up to the longest that is wanted. */
static void from_pages(struct kunit *test)
{
	struct page *block = alloc_pages(GFP_KERNEL, 3), *eight[8];
	struct sg_table table;
	struct sg_page_iter iter;
	unsigned int i = 0;

	KUNIT_ASSERT_NOT_NULL(test, block);
	for (unsigned int j = 0; j < 8; j++)
		eight[j] = block + j;
	KUNIT_ASSERT_EQ(test, sg_alloc_table_from_pages(&table, eight, 8, 100, 7 * PAGE_SIZE,
							GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, table.orig_nents, 1U);
	KUNIT_EXPECT_EQ(test, table.sgl->length, (unsigned int)(7 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, table.sgl->offset, 100U);
	sg_free_table(&table);
	KUNIT_ASSERT_EQ(test, sg_alloc_table_from_pages_segment(&table, eight, 8, 0,
								8 * PAGE_SIZE, 2 * PAGE_SIZE,
								GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, table.orig_nents, 4U);
	for_each_sgtable_page(&table, &iter, 0)
		KUNIT_EXPECT_PTR_EQ(test, sg_page_iter_page(&iter), block + i++);
	KUNIT_EXPECT_EQ(test, i, 8U);
	sg_free_table(&table);
	__free_pages(block, 3);
}

/* Pieces in the linear memory and by pages become entries for exactly so many bytes. */
static void of_iterators(struct kunit *test)
{
	char *memory = page_address(pages[0]);
	struct kvec kvecs[] = { { memory, 100 }, { memory + 300, 200 } };
	struct bio_vec bvecs[] = { { pages[1], 50, 10 }, { pages[2], 60, 20 } };
	struct scatterlist entries[8];
	struct sg_table table = { .sgl = entries };
	struct iov_iter iter;

	sg_init_table(entries, ARRAY_SIZE(entries));
	iov_iter_kvec(&iter, ITER_SOURCE, kvecs, 2, 300);
	iov_iter_advance(&iter, 40);
	KUNIT_EXPECT_EQ(test, extract_iter_to_sg(&iter, 200, &table, 8, 0), (ssize_t)200);
	KUNIT_EXPECT_EQ(test, table.nents, 2U);
	KUNIT_EXPECT_PTR_EQ(test, sg_virt(&entries[0]), (void *)(memory + 40));
	KUNIT_EXPECT_EQ(test, entries[0].length, 60U);
	KUNIT_EXPECT_PTR_EQ(test, sg_virt(&entries[1]), (void *)(memory + 300));
	KUNIT_EXPECT_EQ(test, entries[1].length, 140U);
	KUNIT_EXPECT_EQ(test, iov_iter_count(&iter), (size_t)60);
	iov_iter_bvec(&iter, ITER_DEST, bvecs, 2, 110);
	KUNIT_EXPECT_EQ(test, extract_iter_to_sg(&iter, 110, &table, 6, 0), (ssize_t)110);
	KUNIT_EXPECT_EQ(test, table.nents, 4U);
	KUNIT_EXPECT_PTR_EQ(test, sg_page(&entries[3]), pages[2]);
	KUNIT_EXPECT_EQ(test, entries[3].offset, 20U);
	KUNIT_EXPECT_EQ(test, iov_iter_count(&iter), (size_t)0);
}

#ifdef CONFIG_USERMM
/* In Linux the pools are another file, which UML's configuration leaves out. */
static void chained(struct kunit *test)
{
	struct scatterlist first[2];

	for (unsigned int nr = 1; nr <= PAGES; nr = nr * 3 + 1) {
		struct sg_table table = { .sgl = first };

		KUNIT_ASSERT_EQ(test, sg_alloc_table_chained(&table, (int)nr, first, 2), 0);
		fill(&table);
		expect_entries(test, &table, nr);
		KUNIT_EXPECT_PTR_EQ(test, table.sgl, first);
		sg_free_table_chained(&table, 2);
	}
}
#endif

static struct kunit_case cases[] = {
	KUNIT_CASE(tables),
	KUNIT_CASE(copying),
	KUNIT_CASE(from_pages),
	KUNIT_CASE(of_iterators),
#ifdef CONFIG_USERMM
	KUNIT_CASE(chained),
#endif
	{}
};

static struct kunit_suite suite = {
	.name = "client_scatterlist", .test_cases = cases, .init = client_init, .exit = client_exit
};
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
