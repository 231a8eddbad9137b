/* SPDX-License-Identifier: MIT */
/*
 * Bulk frees of order-0 pages (seed 1). Kernel sources of Linux 7.2 and newer use
 * free_pages_bulk_as_blocks().
 *
 * A step takes the first pages of the array that belong on one per-CPU list, and pushes them in one
 * restartable sequence. If they do not fit, the list is tuned once in the call. After that the
 * pages go to the buddy lists, and a run of neighbours goes as the large blocks that it is made of.
 *
 * The cost of a step is the memory that it reads. Frozen pages are only copied: their struct pages
 * are not read, unless they belong to several pageblocks. The struct page of each counted page is
 * read and written: its flags must be 0 and its count 1, which becomes 0 (refs.h).
 */
#include "page/api/bulk_free.h"

#include "base/check.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "page/buddy.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/release.h"
#include "page/refs.h"

/* Frozen pages moved at a time; a restartable sequence must stay short. */
#define FROZEN_STEP 64
/*
 * Counted pages moved at a time: fewer, since the sequence also checks each page's count and flags.
 */
#define FREE_STEP 32
/* From this many neighbours on, pages are given back as blocks. */
#define RUN_MIN 8

/*
 * Like word_pair_anywhere except for the alignment; with that one, gcc 12 keeps one register more.
 */
typedef unsigned long page_pair
	__attribute__((__vector_size__(16), __aligned__(sizeof(long)), __may_alias__));

static __always_inline page_pair pair_at(struct page *const *array)
{
	return *(const page_pair *)array;
}

/*
 * Are the pages of one pageblock? Nearly always they are. The array of struct pages begins where a
 * section does, so the addresses tell: their upper bits are equal.
 */
static __always_inline bool are_of_one_pageblock(struct page *const *array, unsigned int nr)
{
	unsigned long first = (unsigned long)array[0], rest = 0;
	page_pair firsts = { first, first }, differ = { 0 };
	unsigned int i = 0;

	for (; i + 8 <= nr; i += 8)
		differ |= (pair_at(array + i) ^ firsts) | (pair_at(array + i + 2) ^ firsts) |
			  (pair_at(array + i + 4) ^ firsts) | (pair_at(array + i + 6) ^ firsts);
	for (; i < nr; i++)
		rest |= (unsigned long)array[i] ^ first;
	return (differ[0] | differ[1] | rest) < PAGEBLOCK_PAGES * sizeof(struct page);
}

static __always_inline bool is_of_class(const struct page *page, unsigned int class, bool nulls)
{
	return (!nulls || page) && page_class(page) == class;
}

/*
 * How many of the first nr pages belong on the same list? With `nulls`, the array may have NULL
 * entries, and the first of them ends the count.
 */
static __always_inline unsigned int same_class(struct page *const *array, unsigned int nr,
					       unsigned int class, bool nulls)
{
	unsigned int n = 1;

	if (likely(are_of_one_pageblock(array, nr)))
		return nr;
	while (n + 4 <= nr && is_of_class(array[n], class, nulls) &&
	       is_of_class(array[n + 1], class, nulls) &&
	       is_of_class(array[n + 2], class, nulls) && is_of_class(array[n + 3], class, nulls))
		n += 4;
	while (n < nr && is_of_class(array[n], class, nulls))
		n++;
	return n;
}

/* How many of the first pages are neighbours, in one pageblock? */
static unsigned long run_length(struct page *const *array, unsigned long nr)
{
	unsigned long n = 1;

	while (n < nr && array[n] == array[0] + n &&
	       are_of_one_pageblock((struct page *const[]){ array[0], array[n] }, 2))
		n++;
	return n;
}

static void give_run(struct page *page, unsigned long nr)
{
	struct zone *z = page_zone(page);

	buddy_give_range(page, nr, false);
	release_excess(z);
}

/*
 * The list has no room, or is not up yet. The first time in a call, this frees one page by
 * pcp_free_slow(), which makes room as the list's tuning allows, or brings the list up. Later in
 * the call, this frees the run of neighbouring pages at the array's start: the run is split into
 * the largest possible blocks, which go to the buddy lists. Returns the number of pages freed.
 */
static slow_path unsigned int spill(struct page *const *array, unsigned long nr, bool *tuned)
{
	unsigned long run = *tuned ? run_length(array, nr) : 1;

	*tuned = true;
	/* With hooks each page goes by itself: a bad one then takes no other with it. */
	if (run < RUN_MIN || unlikely(page_hooks()))
		run = 1;
	if (unlikely(page_hooks()) && !page_hooks_free(array[0], 1))
		return 1;
	if (run == 1)
		pcp_free_slow(0, array[0]);
	else
		give_run(array[0], run);
	return (unsigned int)run;
}

/* Frees the array's first pages. Returns how many. */
static __always_inline unsigned int free_frozen_step(struct page *const *array,
						     unsigned long nr, bool *tuned)
{
	unsigned int step = (unsigned int)min(nr, (unsigned long)FROZEN_STEP), put;
	unsigned int class = page_class(*array);

	step = same_class(array, step, class, false);
	put = percpu_push_n(pcp_free_list(class, 0), (void *const *)array, step);
	return likely(put) ? put : spill(array, nr, tuned);
}

static __always_inline void free_frozen(struct page *const *array, unsigned long nr, bool *tuned)
{
	while (nr) {
		unsigned int done = free_frozen_step(array, nr, tuned);

		array += done;
		nr -= done;
	}
}

void free_frozen_pages_bulk(struct page **array, unsigned long nr)
{
	bool tuned = false;

	if (nr <= PCP_FROZEN_SHORT_MAX)
		while (nr && likely(pcp_push(0, *array))) {
			array++;
			nr--;
		}
	free_frozen(array, nr, &tuned);
}

/*
 * Frees pages that could not be pushed in one go. The counts of the first `seen` pages were made 0
 * before the thread was interrupted; the last of these may still be 1.
 */
static slow_path void free_step_slow(struct page *const *array, unsigned int nr, uint32_t seen,
				     bool *tuned)
{
	struct page *pages[FREE_STEP];
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct page *page = array[i];

		if (i + 1 < seen || (i + 1 == seen && !atomic_load_relaxed(&page->_refcount)))
			pages[n++] = page;
		else if (page_flags(page) || atomic_load_relaxed(&page->_refcount) <= 0)
			put_page(page);
		else if (page_drop_reference(page, false, "free_pages_bulk") != PAGE_DROP_LAST)
			continue;
		/* another owner of the page set flags before dropping its reference */
		else if (unlikely(page_flags(page)))
			page_free_dropped(page, 0);
		else
			pages[n++] = page;
	}
	free_frozen(pages, n, tuned);
}

/* Frees the array's first pages. Returns how many; a NULL entry counts as one. */
static __always_inline unsigned int free_step(struct page *const *array, unsigned long nr,
					      bool *tuned)
{
	unsigned int step = (unsigned int)min(nr, (unsigned long)FREE_STEP), done, class;
	unsigned long map_offset = mm_map_offset(*array);
	uint32_t seen;

	if (unlikely(!mm_map_is_online(map_offset))) {
		CHECK(!*array, "free_pages_bulk(%p), which is no struct page of this allocator's",
		      *array);
		return 1;
	}
	if (nr == 1) {
		put_page(*array);
		return 1;
	}
	class = page_class_at(map_offset);
	step = same_class(array, step, class, true);
	done = percpu_push_n_last_fast(pcp_free_list(class, 0), (void *const *)array, step, &seen);
	if (likely(done))
		return done;
	free_step_slow(array, step, seen, tuned);
	return step;
}

void free_pages_bulk(struct page **array, unsigned long nr)
{
	bool tuned = false;

	while (nr) {
		unsigned int done = free_step(array, nr, &tuned);

		array += done;
		nr -= done;
	}
}

/* --- Neighbours as blocks -------------------------------------------------------------- */

/* Frees a run of pages without references, as the largest blocks that it is made of. */
static void free_run(struct page *page, unsigned long nr)
{
	while (nr) {
		unsigned long aligned = page_to_pfn(page) | 1UL << MAX_PAGE_ORDER;
		unsigned int order = min((unsigned int)__builtin_ctzl(aligned),
					 63u - (unsigned int)__builtin_clzl(nr));

		free_frozen_pages(page, order);
		page += 1UL << order;
		nr -= 1UL << order;
	}
}

/* Drops a reference. Is the page nobody's now, and in a state to be freed? */
static bool is_given_up(struct page *page)
{
	unsigned long flags;

	if (atomic_load_relaxed(&page->_refcount) <= 0) {
		put_page(page);		/* a mistake, which this reports */
		return false;
	}
	if (page_drop_reference(page, false, "free_pages_bulk") != PAGE_DROP_LAST)
		return false;
	flags = page_flags(page);
	if (unlikely(flags))
		page_free_dropped(page, 0);
	return !flags;
}

void free_pages_bulk_as_blocks(struct page **array, unsigned long nr)
{
	struct page *start = NULL;
	unsigned long run = 0;

	/* With hooks each page goes by itself: a bad one then takes no other with it. */
	if (unlikely(page_hooks())) {
		free_pages_bulk(array, nr);
		return;
	}
	for (unsigned long i = 0; i < nr; i++) {
		bool is_next = run && array[i] == start + run;

		if (!is_next) {
			free_run(start, run);
			start = array[i];
			run = 0;
		}
		CHECK(!array[i] || mm_map_is_online(mm_map_offset(array[i])),
		      "free_pages_bulk(%p), which is no struct page of this allocator's",
		      array[i]);
		if (array[i] && is_given_up(array[i])) {
			run++;
		} else if (is_next) {
			free_run(start, run);
			run = 0;
		}
	}
	free_run(start, run);
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

FOR_KERNEL(free_pages_bulk_as_blocks);
