// SPDX-License-Identifier: MIT
/*
 * A process reads its own hundred caches through the reader of `usermm inspect`. The reader's
 * figures are right, and `usermm top` needs few system calls for a picture. (Processor time would
 * depend on the machine; the number of calls does not.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kunit/test.h>
#include <usermm/usermm.h>

#include "page/parked.h"
#include "pages.h"
#include "percpu/percpu.h"
#include "slab/slab.h"

#define NR_CACHES 100
#define NR_OBJECTS 300
#define READS_MAX 100
/* The same number as in tools/inspect/show/top.c. */
#define PARTIAL_LOOKED_AT 16

static struct kmem_cache *caches[NR_CACHES];
static void *objects[NR_CACHES][NR_OBJECTS];

static void make_caches(struct kunit *test)
{
	static char names[NR_CACHES][16];

	for (unsigned int i = 0; i < NR_CACHES; i++) {
		snprintf(names[i], sizeof(names[i]), "many-%u", i);
		caches[i] = kmem_cache_create(names[i], 64 + 8 * i, 0, SLAB_NO_MERGE, NULL);
		KUNIT_ASSERT_NOT_NULL(test, caches[i]);
		for (unsigned int j = 0; j < NR_OBJECTS; j++) {
			objects[i][j] = kmem_cache_alloc(caches[i], GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[i][j]);
		}
	}
}

/* Every other object of each cache goes, so all its slabs become partial. */
static void free_half(void)
{
	for (unsigned int i = 0; i < NR_CACHES; i++) {
		for (unsigned int j = 0; j < NR_OBJECTS; j += 2)
			kmem_cache_free(caches[i], objects[i][j]);
		kmem_cache_shrink(caches[i]);
	}
}

static struct heap *open_own(struct kunit *test)
{
	char pid[16], error[INSPECT_TEXT_BYTES];
	enum inspect_status status;
	struct heap *heap;

	snprintf(pid, sizeof(pid), "%d", getpid());
	heap = heap_open(pid, &status, error);
	KUNIT_ASSERT_NOT_NULL_MSG(test, heap, "%s", error);
	return heap;
}

/* The reads that top makes for a picture. */
static struct heap_usage *draw(struct kunit *test, struct heap *heap)
{
	static struct heap_summary summary;
	struct heap_usage *usages;

	KUNIT_ASSERT_TRUE(test, heap_refresh(heap) == INSPECT_OK);
	usages = calloc(heap->nr_caches + 1, sizeof(*usages));
	KUNIT_ASSERT_NOT_NULL(test, usages);
	KUNIT_ASSERT_TRUE(test, heap_read_usages(heap, PARTIAL_LOOKED_AT, usages) == INSPECT_OK);
	KUNIT_ASSERT_TRUE(test, heap_sum_up(heap, usages, &summary) == INSPECT_OK);
	return usages;
}

static const struct heap_usage *find(const struct heap *heap, const struct heap_usage *usages,
				     const char *name)
{
	for (size_t i = 0; i < heap->nr_caches; i++)
		if (!strcmp(heap->caches[i].name, name))
			return &usages[i];
	return NULL;
}

/* The caches make_caches() made have so many objects in use. */
static void check_active(struct kunit *test, const struct heap *heap,
			 const struct heap_usage *usages, uint64_t active)
{
	KUNIT_ASSERT_TRUE(test, heap->nr_caches >= NR_CACHES && !heap->nr_damages);
	for (unsigned int i = 0; i < NR_CACHES; i++) {
		const struct heap_usage *usage;
		char name[16];

		snprintf(name, sizeof(name), "many-%u", i);
		usage = find(heap, usages, name);
		KUNIT_ASSERT_NOT_NULL(test, usage);
		KUNIT_EXPECT_GE(test, usage->objects, active);
		KUNIT_EXPECT_TRUE(test, usage->is_estimate || usage->active == active);
	}
}

static void test_pictures_of_many_caches(struct kunit *test)
{
	struct heap_usage *usages;
	struct heap *heap;
	uint64_t before;

	make_caches(test);
	heap = open_own(test);
	usages = draw(test, heap);
	check_active(test, heap, usages, NR_OBJECTS);
	free(usages);
	free_half();
	before = heap->target->nr_reads;
	usages = draw(test, heap);
	KUNIT_EXPECT_LE(test, heap->target->nr_reads - before, (uint64_t)READS_MAX);
	check_active(test, heap, usages, NR_OBJECTS / 2);
	free(usages);
	heap_close(heap);
}

/* Data of a former list must not be taken for that of another cache. */
static void test_caches_that_come_and_go(struct kunit *test)
{
	struct heap *heap = open_own(test);

	for (unsigned int i = 0; i < NR_CACHES; i += 3)
		for (unsigned int j = 1; j < NR_OBJECTS; j += 2)
			kmem_cache_free(caches[i], objects[i][j]);
	for (unsigned int i = 0; i < NR_CACHES; i += 3)
		kmem_cache_destroy(caches[i]);
	caches[0] = kmem_cache_create("another", 4000, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, caches[0]);
	for (unsigned int round = 0; round < 2; round++) {
		struct heap_usage *usages = draw(test, heap);

		KUNIT_EXPECT_TRUE(test, !heap->nr_damages);
		KUNIT_EXPECT_NULL(test, find(heap, usages, "many-0"));
		KUNIT_EXPECT_NULL(test, find(heap, usages, "many-3"));
		KUNIT_EXPECT_NOT_NULL(test, find(heap, usages, "many-4"));
		KUNIT_EXPECT_NOT_NULL(test, find(heap, usages, "another"));
		free(usages);
	}
	heap_close(heap);
}

/* The reader's tables have room for as many objects as a slab can count. */
static void test_damaged_counts(struct kunit *test)
{
	const uint64_t page = 4096, bytes = page << 10;
	struct heap_cache cache = { .size = 16, .inverse = (1UL << 40) / 16 + 1, .order = 10,
				    .min_order = 10, .objects = 100 };
	struct page_info info[] = { { .kind = PAGE_SLAB, .is_small = true },
				    { .kind = PAGE_SLAB, .is_small = true } };
	struct pages pages = { .info = info, .nr = 2 };
	struct heap *heap = open_own(test);
	struct heap_cache *own = heap->caches;
	struct slab slab;
	struct kmem_cache before;

	KUNIT_ASSERT_EQ(test, heap_page_bytes(heap), page);
	heap->caches = &cache;
	slab_of_page(heap, &pages, 0, &slab);
	KUNIT_EXPECT_EQ(test, slab.nr, 100u);
	/* No object fits. */
	cache.min_order = 0;
	cache.size = (uint32_t)bytes - 8;
	slab_of_page(heap, &pages, 1, &slab);
	KUNIT_EXPECT_EQ(test, slab.nr, 0u);
	heap->caches = own;
	/* More objects than 15 bits count. */
	before = *caches[4];
	caches[4]->objects = HEAP_OBJECTS_MAX + 1;
	caches[4]->order = 10;
	KUNIT_EXPECT_TRUE(test, heap_refresh(heap) == INSPECT_OK);
	KUNIT_EXPECT_TRUE(test, heap->nr_damages);
	caches[4]->objects = before.objects;
	caches[4]->order = before.order;
	heap_close(heap);
}

/* --- Parked memory ------------------------------------------------------------------------ */

#define CHUNK_ORDER 6u
#define NR_CHUNKS 64u

/* Each list of each slot is read, so a damaged number would take hours. */
static void test_damaged_number_of_slots(struct kunit *test)
{
	struct heap *heap = open_own(test);
	uint32_t nr = percpu.nr_slots;

	KUNIT_ASSERT_EQ(test, heap->nr_slots, nr);
	percpu.nr_slots = 1U << 31;
	KUNIT_EXPECT_TRUE(test, heap_refresh(heap) == INSPECT_OK);
	percpu.nr_slots = nr;
	KUNIT_EXPECT_GE(test, heap->nr_slots, nr);
	KUNIT_EXPECT_LE(test, heap->nr_slots, 1U << 20);
	KUNIT_EXPECT_GT(test, heap->nr_damages, 0);
	KUNIT_EXPECT_TRUE(test, strstr(heap->damage, "slots of CPUs"));
	heap_close(heap);
}

static void check_kinds(struct kunit *test, const struct heap *heap, const struct pages *pages,
			const struct page *block, unsigned int order, bool is_free)
{
	uint64_t pfn = heap_pfn(heap, (uint64_t)page_address(block));

	for (uint64_t i = 0; i < 1UL << order; i++)
		KUNIT_ASSERT_EQ(test, pages->info[pfn + i].kind == PAGE_FREE, is_free);
}

/* Every second chunk stays in use, the others are parked. */
static void park(struct kunit *test, struct page **chunks)
{
	for (unsigned int i = 0; i < NR_CHUNKS; i++) {
		chunks[i] = alloc_pages(GFP_KERNEL, CHUNK_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, chunks[i]);
	}
	for (unsigned int i = 0; i < NR_CHUNKS; i++)
		if (page_to_pfn(chunks[i]) >> CHUNK_ORDER & 1)
			__free_pages(chunks[i], CHUNK_ORDER);
	usermm_trim(0);
	zone_park(budget_zone());
	KUNIT_ASSERT_NE(test, budget_zone()->parked_pages, 0UL);
}

/*
 * The struct pages of a parked chunk are zero. So are some in the middle of a block in use: then
 * nobody knows, and no page in use counts as free.
 */
static void test_parked_memory(struct kunit *test)
{
	struct page *chunks[NR_CHUNKS], *block;
	struct heap *heap;
	struct pages pages;

	if (sysconf(_SC_PAGESIZE) != PAGE_SIZE) {
		kunit_skip(test, "chunks have another size with larger pages");
		return;
	}
	block = alloc_frozen_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, block);
	park(test, chunks);
	heap = open_own(test);
	KUNIT_ASSERT_TRUE(test, pages_read(heap, &pages) == INSPECT_OK);
	check_kinds(test, heap, &pages, block, MAX_PAGE_ORDER, false);
	pages_free(&pages);
	free_frozen_pages(block, MAX_PAGE_ORDER);
	KUNIT_ASSERT_TRUE(test, heap_refresh(heap) == INSPECT_OK);
	KUNIT_ASSERT_TRUE(test, pages_read(heap, &pages) == INSPECT_OK);
	for (unsigned int i = 0; i < NR_CHUNKS; i++)
		check_kinds(test, heap, &pages, chunks[i], CHUNK_ORDER,
			    page_to_pfn(chunks[i]) >> CHUNK_ORDER & 1);
	pages_free(&pages);
	heap_close(heap);
	for (unsigned int i = 0; i < NR_CHUNKS; i++)
		if (!(page_to_pfn(chunks[i]) >> CHUNK_ORDER & 1))
			__free_pages(chunks[i], CHUNK_ORDER);
}

static struct kunit_case inspect_cases[] = {
	KUNIT_CASE(test_pictures_of_many_caches),
	KUNIT_CASE(test_caches_that_come_and_go),
	KUNIT_CASE(test_damaged_counts),
	KUNIT_CASE(test_damaged_number_of_slots),
	KUNIT_CASE(test_parked_memory),
	{ 0 },
};

static struct kunit_suite inspect_suite = {
	.name = "inspect_caches", .test_cases = inspect_cases,
};

kunit_test_suite(inspect_suite);
