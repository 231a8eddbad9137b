/* SPDX-License-Identifier: MIT */
/*
 * Bulk allocation and free of order-0 pages (seed 1).
 *
 * Pages come straight from this CPU's list, many at a time, then from the buddy
 * lists under one hold of the zone's lock. Only a request for a single page goes
 * the normal way, where it may wait. cf. Linux mm/page_alloc.c:
 * alloc_pages_bulk_noprof().
 */
#include <string.h>

#include "mm/page_flags.h"
#include "page/gfp.h"
#include "page/pcp.h"
#include "page/zonelist.h"

/* Pages moved at a time; a restartable sequence must stay short. */
#define BULK_STEP 64

/* From this CPU's list, else from the buddy lists; 0 if both have nothing. */
static unsigned int take_step(gfp_t gfp, struct page **pages, unsigned int nr)
{
	struct alloc_context ac;
	unsigned int taken;

	/* The buffer's pages must not be touched first inside the sequence. */
	pages[0] = NULL;
	pages[nr - 1] = NULL;
	taken = percpu_pop_n(pcp_alloc_list(gfp, 0), (void **)pages, nr);
	if (likely(taken))
		return taken;
	if (page_init())
		return 0;
	alloc_context_prepare(&ac, gfp, NUMA_NO_NODE, NULL);
	return (unsigned int)get_pages_from_freelist(gfp, nr, pages, &ac);
}

static void zero_pages(struct page *const *pages, unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++)
		memset(page_address(pages[i]), 0, PAGE_SIZE);
}

/* As many as there are at once. */
static unsigned long take_pages(gfp_t gfp, unsigned long nr, struct page **pages)
{
	unsigned long done = 0;

	while (done < nr) {
		unsigned int step = (unsigned int)min(nr - done, (unsigned long)BULK_STEP);
		unsigned int taken = take_step(gfp, pages + done, step);

		if (!taken)
			break;
		done += taken;
	}
	if (unlikely(gfp & __GFP_ZERO))
		zero_pages(pages, done);
	return done;
}

unsigned long alloc_frozen_pages_bulk(gfp_t gfp, unsigned long nr, struct page **array)
{
	unsigned long done = take_pages(gfp, nr, array);

	if (done || !nr)
		return done;
	/* Nothing at all: one page, the way that may wait. */
	array[0] = alloc_frozen_pages(gfp, 0);
	return array[0] != NULL;
}

typedef unsigned long page_pair
	__attribute__((__vector_size__(16), __aligned__(sizeof(long)), __may_alias__));

/*
 * Nearly always all pages are of one pageblock. The array of struct pages begins where
 * a section does, so addresses tell: their upper bits are alike if what any has all have.
 */
static bool are_of_one_pageblock(struct page *const *array, unsigned int nr)
{
	page_pair any = { 0 }, all = ~any;
	unsigned long differ;
	unsigned int i = 0;

	for (; i + 4 <= nr; i += 4) {
		page_pair two = *(const page_pair *)&array[i];
		page_pair more = *(const page_pair *)&array[i + 2];

		any |= two | more;
		all &= two & more;
	}
	for (; i < nr; i++) {
		any[0] |= (unsigned long)array[i];
		all[0] &= (unsigned long)array[i];
	}
	differ = (any[0] | any[1]) ^ (all[0] & all[1]);
	return differ < PAGEBLOCK_PAGES * sizeof(struct page);
}

/* Of nr pages, how many of the first belong on the same list? */
static unsigned int same_class(struct page *const *array, unsigned long nr, unsigned int class)
{
	unsigned int most = (unsigned int)min(nr, (unsigned long)BULK_STEP), n = 1;

	if (likely(are_of_one_pageblock(array, most)))
		return most;
	while (n < most && page_class(array[n]) == class)
		n++;
	return n;
}

void free_frozen_pages_bulk(struct page **array, unsigned long nr)
{
	while (nr) {
		unsigned int class = page_class(array[0]);
		unsigned int put = percpu_push_n(pcp_free_list(class, 0), (void **)array,
						 same_class(array, nr, class));

		if (unlikely(!put)) {
			pcp_spill(0, array[0]);
			put = 1;
		}
		array += put;
		nr -= put;
	}
}

/* The next run of empty slots from *start on; its length, at most BULK_STEP. */
static unsigned int find_gap(struct page *const *array, unsigned long nr, unsigned long *start)
{
	unsigned int length = 0;

	while (*start < nr && array[*start])
		++*start;
	while (*start + length < nr && length < BULK_STEP && !array[*start + length])
		length++;
	return length;
}

unsigned long alloc_pages_bulk_array(gfp_t gfp, unsigned long nr, struct page **array)
{
	unsigned long index = 0, total = 0, taken;
	unsigned int gap;

	while ((gap = find_gap(array, nr, &index))) {
		taken = take_pages(gfp, gap, array + index);
		for (unsigned long i = 0; i < taken; i++)
			atomic_store_relaxed(&array[index + i]->_refcount, 1);
		index += taken;
		total += taken;
		if (taken < gap) {
			/* A sequence that was aborted may have written to the rest. */
			memset(array + index, 0, (gap - taken) * sizeof(*array));
			break;
		}
	}
	if (gap && !total) {
		array[index] = alloc_pages(gfp, 0);
		index += array[index] != NULL;
	}
	return index;
}

unsigned long alloc_pages_bulk_list(gfp_t gfp, unsigned long nr, struct list_head *list)
{
	struct page *pages[BULK_STEP];
	unsigned long done = 0, taken = 0;

	do {
		unsigned long step = min(nr - done, (unsigned long)BULK_STEP);

		taken = take_pages(gfp, step, pages);
		if (!taken && !done && nr) {
			pages[0] = alloc_frozen_pages(gfp, 0);
			taken = pages[0] != NULL;
			nr = taken;
		}
		for (unsigned long i = 0; i < taken; i++) {
			atomic_store_relaxed(&pages[i]->_refcount, 1);
			list_add(&pages[i]->lru, list);
		}
		done += taken;
	} while (taken && done < nr);
	return done;
}

void free_pages_bulk(struct page **array, unsigned long nr)
{
	struct page *pages[BULK_STEP];
	unsigned int n = 0;

	for (unsigned long i = 0; i < nr; i++) {
		struct page *page = array[i];

		if (!page)
			continue;
		/* Only plain pages of one owner go in bulk. */
		if (unlikely(atomic_load_acquire(&page->_refcount) != 1 || page_flags(page))) {
			put_page(page);
			continue;
		}
		atomic_store_relaxed(&page->_refcount, 0);
		pages[n++] = page;
		if (n == BULK_STEP) {
			free_frozen_pages_bulk(pages, n);
			n = 0;
		}
	}
	free_frozen_pages_bulk(pages, n);
}
