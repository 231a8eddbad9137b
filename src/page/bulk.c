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
#include "usermm/reclaim.h"

/* Pages moved at a time; a restartable sequence must stay short. */
#define BULK_STEP 64
/* Of those that have to be looked at one by one inside of it. */
#define FREE_STEP 16
/* So many pages in a row are worth to be given back as blocks. */
#define RUN_MIN 8

/* A bulk request, and where it may be served. */
struct bulk {
	gfp_t gfp;
	int nid;			/* NUMA_NO_NODE: the caller's */
	const unsigned long *nodes;	/* NULL: all */
};

static bool is_anywhere(const struct bulk *bulk)
{
	return bulk->nid == NUMA_NO_NODE && !bulk->nodes;
}

/* From the buddy lists. Hooks want to see every page: one at a time, the normal way. */
static slow_path unsigned int take_step_slow(const struct bulk *bulk, struct page **pages,
					     unsigned int nr)
{
	gfp_t gfp = current_gfp_context(bulk->gfp & atomic_load_relaxed(&gfp_allowed_mask));
	struct alloc_context ac;

	if (page_init() || page_hooks() || bulk->nid < NUMA_NO_NODE ||
	    bulk->nid >= (int)nr_online_nodes)
		return 0;
	alloc_context_prepare(&ac, gfp, bulk->nid, bulk->nodes);
	return ac.preferred->zone ? (unsigned int)get_pages_from_freelist(gfp, nr, pages, &ac) : 0;
}

/* From this CPU's list, else from the buddy lists; 0 if both have nothing. */
static __always_inline unsigned int take_step(const struct bulk *bulk, struct page **pages,
					      unsigned int nr)
{
	unsigned int taken = 0;

	/* The buffer's pages must not be touched first inside the sequence. */
	pages[0] = NULL;
	pages[nr - 1] = NULL;
	if (likely(is_anywhere(bulk)))
		taken = percpu_pop_n(pcp_alloc_list(bulk->gfp, 0), (void **)pages, nr);
	return likely(taken) ? taken : take_step_slow(bulk, pages, nr);
}

static void zero_pages(struct page *const *pages, unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++)
		memset(page_address(pages[i]), 0, PAGE_SIZE);
}

/* As many as there are at once. */
static __always_inline unsigned long take_pages(const struct bulk *bulk, unsigned long nr,
						struct page **pages)
{
	unsigned long done = 0;

	while (done < nr) {
		unsigned int step = (unsigned int)min(nr - done, (unsigned long)BULK_STEP);
		unsigned int taken = take_step(bulk, pages + done, step);

		if (!taken)
			break;
		done += taken;
	}
	if (unlikely(bulk->gfp & __GFP_ZERO))
		zero_pages(pages, done);
	return done;
}

unsigned long alloc_frozen_pages_bulk(gfp_t gfp, unsigned long nr, struct page **array)
{
	struct bulk bulk = { gfp, NUMA_NO_NODE, NULL };
	unsigned long done = take_pages(&bulk, nr, array);

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

/* Of nr pages, how many of the first belong on the same list? NULL ends them. */
static unsigned int same_class(struct page *const *array, unsigned long nr, unsigned int class)
{
	unsigned int most = (unsigned int)min(nr, (unsigned long)BULK_STEP), n = 1;

	if (likely(are_of_one_pageblock(array, most)))
		return most;
	while (n < most && array[n] && page_class(array[n]) == class)
		n++;
	return n;
}

/* How many of the first pages lie one behind the other, in one pageblock. */
static unsigned long run_length(struct page *const *array, unsigned long nr)
{
	unsigned long n = 1;

	while (n < nr && array[n] == array[0] + n &&
	       are_of_one_pageblock((struct page *const[]){ array[0], array[n] }, 2))
		n++;
	return n;
}

/*
 * There is no room on the list: a run of pages goes to the free lists at once, as the
 * large blocks that it is made of. How many went.
 */
static slow_path unsigned int spill_run(struct page **array, unsigned long nr)
{
	unsigned long run = run_length(array, nr);

	/* Each page by itself if somebody looks: a bad one takes none with it. */
	if (run < RUN_MIN || unlikely(page_hooks()))
		run = 1;
	if (unlikely(page_hooks()) && !page_hooks_free(array[0], 1))
		return 1;
	if (run == 1)
		pcp_spill(0, array[0]);
	else
		buddy_give_range(array[0], run, false);
	return (unsigned int)run;
}

void free_frozen_pages_bulk(struct page **array, unsigned long nr)
{
	while (nr) {
		unsigned int class = page_class(array[0]);
		unsigned int put = percpu_push_n(pcp_free_list(class, 0), (void **)array,
						 same_class(array, nr, class));

		if (unlikely(!put))
			put = spill_run(array, nr);
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

/* One page, the way that may wait. */
static slow_path struct page *take_single(const struct bulk *bulk)
{
	if (is_anywhere(bulk))
		return alloc_pages(bulk->gfp, 0);
	return __alloc_pages(bulk->gfp, 0, bulk->nid, bulk->nodes);
}

static __always_inline unsigned long fill_array(const struct bulk *bulk, unsigned long nr,
						struct page **array)
{
	unsigned long index = 0, total = 0, taken;
	unsigned int gap;

	while ((gap = find_gap(array, nr, &index))) {
		struct page **pages = array + index;

		taken = take_pages(bulk, gap, pages);
		for (unsigned int i = 0; i < taken; i++)
			page_start_references(pages[i]);
		index += taken;
		total += taken;
		if (taken < gap) {
			/* A sequence that was aborted may have written to the rest. */
			memset(array + index, 0, (gap - taken) * sizeof(*array));
			break;
		}
	}
	if (gap && !total) {
		array[index] = take_single(bulk);
		index += array[index] != NULL;
	}
	return index;
}

static __always_inline unsigned long fill_list(const struct bulk *bulk, unsigned long nr,
					       struct list_head *list)
{
	struct page *pages[BULK_STEP];
	unsigned long done = 0, taken = 0;

	do {
		unsigned long step = min(nr - done, (unsigned long)BULK_STEP);

		taken = take_pages(bulk, step, pages);
		if (!taken && !done && nr) {
			pages[0] = take_single(bulk);
			taken = pages[0] != NULL;
			nr = taken;
		}
		for (unsigned long i = 0; i < taken; i++) {
			page_start_references(pages[i]);
			list_add(&pages[i]->lru, list);
		}
		done += taken;
	} while (taken && done < nr);
	return done;
}

unsigned long alloc_pages_bulk_array(gfp_t gfp, unsigned long nr, struct page **array)
{
	struct bulk bulk = { gfp, NUMA_NO_NODE, NULL };

	return fill_array(&bulk, nr, array);
}

unsigned long alloc_pages_bulk_list(gfp_t gfp, unsigned long nr, struct list_head *list)
{
	struct bulk bulk = { gfp, NUMA_NO_NODE, NULL };

	return fill_list(&bulk, nr, list);
}

/* One page for whom more are not to be had at once; what the array has is counted. */
static unsigned long take_one(const struct bulk *bulk, unsigned long nr, struct list_head *list,
			      struct page **array)
{
	unsigned long index = 0;
	struct page *page;

	while (!list && index < nr && array[index])
		index++;
	if (index == nr)
		return nr;
	page = take_single(bulk);
	if (!page)
		return index;
	if (list)
		list_add(&page->lru, list);
	else
		array[index] = page;
	return index + 1;
}

unsigned long __alloc_pages_bulk(gfp_t gfp, int preferred_nid, const unsigned long *nodemask,
				 int nr, struct list_head *list, struct page **array)
{
	struct bulk bulk = { gfp, preferred_nid, nodemask };

	if (nr <= 0)
		return 0;
	if (gfp & __GFP_ACCOUNT)
		return take_one(&bulk, (unsigned long)nr, list, array);
	if (list)
		return fill_list(&bulk, (unsigned long)nr, list);
	return fill_array(&bulk, (unsigned long)nr, array);
}

unsigned long alloc_pages_bulk_order(gfp_t gfp, unsigned int order, unsigned long nr,
				     struct list_head *list)
{
	unsigned long got = 0;

	if (!order)
		return alloc_pages_bulk_list(gfp, nr, list);
	while (got < nr) {
		/* Only the first may reclaim, and fail aloud. */
		struct page *page = alloc_pages(got ? (gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_NOWARN :
						gfp, order);

		if (!page)
			break;
		list_add(&page->lru, list);
		got++;
	}
	return got;
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

void free_pages_bulk_list(struct list_head *list)
{
	struct page *pages[FREE_STEP];

	while (!list_empty(list)) {
		unsigned long n = 0;

		while (n < FREE_STEP && !list_empty(list)) {
			pages[n] = list_first_entry(list, struct page, lru);
			list_del(&pages[n++]->lru);
		}
		free_pages_bulk(pages, n);
	}
}
