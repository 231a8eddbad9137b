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
#include "page/hooks.h"
#include "page/pcp.h"
#include "page/refs.h"
#include "page/zonelist.h"

/* Pages moved at a time; a restartable sequence must stay short. */
#define BULK_STEP 64
/* Of those that have to be looked at one by one inside of it. */
#define FREE_STEP 16

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
	/* Hooks want to see every page: one at a time, the normal way. */
	if (page_init() || page_hooks())
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

static __always_inline unsigned long differ(const struct page *page, const struct page *other)
{
	return (unsigned long)page ^ (unsigned long)other;
}

/*
 * Four at a time: nearly always all pages come from few pageblocks. The array of struct
 * pages begins where a section does, so addresses tell.
 */
static __always_inline bool are_of_pageblock(struct page *const four[4], const struct page *page)
{
	return (differ(four[0], page) | differ(four[1], page) | differ(four[2], page) |
		differ(four[3], page)) < PAGEBLOCK_PAGES * sizeof(*page);
}

/* Of nr pages, how many of the first belong on the same list? NULL ends them. */
static unsigned int same_class(struct page *const *array, unsigned long nr, unsigned int class)
{
	unsigned int most = (unsigned int)min(nr, (unsigned long)BULK_STEP), n = 0;

	while (n + 4 <= most && are_of_pageblock(array + n, array[0]))
		n += 4;
	while (n < most && array[n] && page_class(array[n]) == class)
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
			if (unlikely(page_hooks()))
				page_hooks_free(array[0], 1);
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

/*
 * Pages that could not be pushed as they are: of the first `seen` the counts were made 0
 * before the thread was interrupted, of the last of these perhaps.
 */
static void free_step_slow(struct page **array, unsigned int nr, uint32_t seen)
{
	struct page *pages[FREE_STEP];
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct page *page = array[i];

		if (!page)
			continue;
		if (i + 1 < seen || (i + 1 == seen && !atomic_load_relaxed(&page->_refcount)))
			pages[n++] = page;
		else if (page_flags(page) || atomic_load_relaxed(&page->_refcount) <= 0)
			put_page(page);
		else if (page_drop_reference(page, false, "free_pages_bulk") == PAGE_DROP_LAST)
			pages[n++] = page;
	}
	free_frozen_pages_bulk(pages, n);
}

void free_pages_bulk(struct page **array, unsigned long nr)
{
	while (nr) {
		unsigned int step = (unsigned int)min(nr, (unsigned long)FREE_STEP), done, class;
		uint32_t seen;

		if (unlikely(!*array)) {
			array++;
			nr--;
			continue;
		}
		class = page_class(*array);
		step = same_class(array, step, class);
		done = percpu_push_n_last_fast(pcp_free_list(class, 0), (void *const *)array, step,
					       &page_sole_count, &seen);
		if (unlikely(!done)) {
			done = step;
			free_step_slow(array, done, seen);
		}
		array += done;
		nr -= done;
	}
}
