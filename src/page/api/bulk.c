/* SPDX-License-Identifier: MIT */
/*
 * Bulk allocation of order-0 pages (seed 1). cf. Linux mm/page_alloc.c: alloc_pages_bulk_noprof().
 *
 * Pages come straight from this CPU's list. A short request pops them one by one, so the array
 * begins with the page that was freed last, as in Linux. A longer request pops several pages at
 * once, which come in the list's order; reversing them would cost a tenth of the time. A request
 * for a linked list always pops one by one: the pages are linked one by one anyway.
 *
 * The slow half handles everything else: array entries that are set already, the buddy lists under
 * one hold of the zone's lock, clearing, hooks, nodes. Only a request for a single page goes the
 * normal way, where it may wait.
 */
#include <string.h>

#include "base/linux_version.h"
#include "mm/page_flags.h"
#include "page/debug/hooks.h"
#include "page/gfp.h"
#include "page/pcp/pcp.h"
#include "page/refs.h"
#include "page/zonelist.h"
#include "usermm/reclaim.h"

/* Pages moved at a time; a restartable sequence must stay short. */
#define BULK_STEP 64
/* Up to this many pages are popped one by one. */
#define SHORT_MAX 32

/* Flags that need more than a page from the list. */
#define GFP_BULK_SLOW (__GFP_ZERO | __GFP_ACCOUNT)

/* A bulk request, and where it may be served. */
struct bulk {
	gfp_t gfp;
	int nid;			/* NUMA_NO_NODE: the caller's */
	const unsigned long *nodes;	/* NULL: all */
};

/* Where the pages go: to the NULL entries of an array, or on a list. */
struct target {
	struct list_head *list;		/* NULL: the array */
	struct page **array;
	unsigned long nr;		/* entries of the array, pages of the list */
	unsigned long index;		/* how many of these are done */
	unsigned long set_before;	/* leading entries that the caller had set */
};

static bool is_anywhere(const struct bulk *bulk)
{
	return bulk->nid == NUMA_NO_NODE && !bulk->nodes;
}

/* --- The slow half ---------------------------------------------------------------- */

/* May pages be taken many at a time? page_owner wants to see each page by itself. */
static bool is_for_many(const struct bulk *bulk)
{
	return !(bulk->gfp & __GFP_ACCOUNT) && !(page_hooks() & HOOK_OWNER) &&
	       gfp_zone_is_valid(bulk->gfp) && gfp_mobility_is_valid(bulk->gfp) &&
	       bulk->nid >= NUMA_NO_NODE && bulk->nid < (int)nr_online_nodes;
}

/* Returns the flags that are in force: scopes take some away, MOVABLE among them. */
static gfp_t prepare_context(const struct bulk *bulk, struct alloc_context *ac)
{
	gfp_t gfp = current_gfp_context(bulk->gfp & atomic_load_relaxed(&gfp_allowed_mask));

	alloc_context_prepare(ac, gfp, bulk->nid, bulk->nodes);
	return gfp;
}

/* Would some zone of the preferred node stay above its low mark without nr pages? */
static bool fits_above_low(const struct bulk *bulk, unsigned long nr)
{
	const struct zoneref *ref;
	struct alloc_context ac;
	struct zone *z;
	gfp_t gfp = prepare_context(bulk, &ac);

	for_each_zone_zonelist(z, ref, &ac)
		if (z->node == ac.preferred->zone->node &&
		    zone_fits_above_low(z, nr, ac.preferred->index, gfp_to_alloc_flags_cma(gfp)))
			return true;
	return false;
}

/* Takes one page, and refills this CPU's list for the next ones. */
static unsigned long take_and_refill(gfp_t gfp, struct page **pages, const struct alloc_context *ac)
{
	unsigned int alloc_flags = ALLOC_WMARK_LOW | gfp_to_alloc_flags_cma(gfp);

	pages[0] = get_page_from_freelist(0, alloc_flags, ac);
	if (!pages[0])
		return 0;
	page_set_flags(pages[0], 0);
	return 1;
}

/*
 * Takes pages from this CPU's list; if it is empty and `from_buddy`, from the buddy lists. 0 if
 * there is nothing.
 */
static unsigned long take_frozen(const struct bulk *bulk, struct page **pages, unsigned int nr,
				 bool from_buddy)
{
	struct alloc_context ac;
	unsigned int taken = 0;
	gfp_t gfp;

	if (is_anywhere(bulk))
		taken = pcp_pop_n(pcp_alloc_list(bulk->gfp, 0), pages, nr);
	pcp_turn_round(pages, taken);
	if (taken || !from_buddy)
		return taken;
	gfp = prepare_context(bulk, &ac);
	if (!ac.preferred->zone)
		return 0;
	if (nr <= SHORT_MAX && is_anywhere(bulk) && nr_online_nodes == 1 && !page_hooks())
		return take_and_refill(gfp, pages, &ac);
	return get_pages_from_freelist(gfp, nr, pages, &ac);
}

/* Prepares the pages' memory as the flags say. */
static void prepare_memory(struct page *const *pages, unsigned long nr, gfp_t gfp)
{
	bool hooks = page_hooks();

	for (unsigned long i = 0; i < nr; i++) {
		if (hooks)
			page_hooks_alloc(pages[i], gfp, 0, false);
		else if (gfp & __GFP_ZERO)
			memset(page_address(pages[i]), 0, PAGE_SIZE);
	}
}

/* Moves to the next missing entry. False if nothing is missing. */
static bool find_missing(struct target *target)
{
	if (!target->list)
		while (target->index < target->nr && target->array[target->index])
			target->index++;
	return target->index < target->nr;
}

/* How many entries are missing from here on; at most BULK_STEP. */
static unsigned int count_missing(const struct target *target)
{
	unsigned int missing = 0;

	if (target->list)
		return (unsigned int)min(target->nr - target->index, (unsigned long)BULK_STEP);
	for (unsigned long i = target->index; i < target->nr && missing < BULK_STEP; i++)
		missing += !target->array[i];
	return missing;
}

static void place(struct target *target, struct page *page)
{
	if (target->list)
		list_add(&page->lru, target->list);
	else
		target->array[target->index] = page;
	target->index++;
}

/*
 * Takes pages for the next entries. When this CPU's list is empty, takes pages from the buddy
 * lists, but only if all that the call still needs fit above the low mark. *from_buddy says that
 * this was found.
 */
static unsigned long take_next(const struct bulk *bulk, const struct target *target,
			       struct page **pages, bool *from_buddy)
{
	unsigned int wanted = count_missing(target);
	unsigned long taken = take_frozen(bulk, pages, wanted, *from_buddy);

	if (taken || *from_buddy)
		return taken;
	/* cf. Linux alloc_pages_bulk_noprof(): entries that are set count up to Linux 7.0. */
	*from_buddy = fits_above_low(bulk, target->nr - target->index +
					   (linux_since(7, 1) ? 0 : target->set_before));
	return *from_buddy ? take_frozen(bulk, pages, wanted, true) : 0;
}

/* Places as many pages as there are without waiting. Returns how many. */
static unsigned long place_many(const struct bulk *bulk, struct target *target)
{
	struct page *pages[BULK_STEP];
	unsigned long taken, total = 0;
	bool from_buddy = false;

	do {
		taken = take_next(bulk, target, pages, &from_buddy);
		prepare_memory(pages, taken, bulk->gfp);
		for (unsigned long i = 0; i < taken; i++) {
			page_start_references(pages[i]);
			find_missing(target);
			place(target, pages[i]);
		}
		total += taken;
	} while (taken && find_missing(target));
	return total;
}

/* Places one page, by the slow path, which may wait. */
static void place_single(const struct bulk *bulk, struct target *target)
{
	struct page *page;

	if (is_anywhere(bulk))
		page = alloc_pages(bulk->gfp, 0);
	else
		page = __alloc_pages(bulk->gfp, 0, bulk->nid, bulk->nodes);
	if (page)
		place(target, page);
}

/*
 * Fills the rest of the target, of which `total` pages are new. A request that fault injection
 * fails is failed as a whole, before anything is taken.
 */
static noinline unsigned long bulk_slow(const struct bulk *bulk, struct target *target,
					unsigned long total)
{
	unsigned long before = target->index;

	if (!find_missing(target) || page_init())
		return target->index;
	target->set_before = target->index - before;
	/* A single page goes the normal way. */
	if (is_for_many(bulk) && (total || target->nr - target->index > 1)) {
		if (!page_hooks_may_alloc(bulk->gfp, 0))
			return target->index;
		total += place_many(bulk, target);
	}
	if (!total)
		place_single(bulk, target);
	return target->index;
}

/* --- The fast half ------------------------------------------------------------------ */

static __always_inline bool is_plain(gfp_t gfp)
{
	return likely(!(gfp & GFP_BULK_SLOW));
}

/* Are all entries NULL? Most often they are, so no early exit. */
static __always_inline bool is_empty(struct page *const *array, unsigned int nr)
{
	unsigned long any = 0;
	unsigned int i = 0;

	for (; i + 4 <= nr; i += 4)
		any |= (unsigned long)array[i] | (unsigned long)array[i + 1] |
		       (unsigned long)array[i + 2] | (unsigned long)array[i + 3];
	for (; i < nr; i++)
		any |= (unsigned long)array[i];
	return !any;
}

static __always_inline void start_references(struct page *const *pages, unsigned int nr)
{
	unsigned int i = 0;

	for (; i + 4 <= nr; i += 4) {
		page_start_references(pages[i]);
		page_start_references(pages[i + 1]);
		page_start_references(pages[i + 2]);
		page_start_references(pages[i + 3]);
	}
	for (; i < nr; i++)
		page_start_references(pages[i]);
}

static __always_inline unsigned int next_step(unsigned long nr, unsigned long done)
{
	return (unsigned int)min(nr - done, (unsigned long)BULK_STEP);
}

/* Fills the first entries, while they are NULL and the list has pages. Returns how many. */
static __always_inline unsigned long fill_array_short(struct percpu_array *list,
						      unsigned long nr, struct page **array)
{
	unsigned long done = 0;

	for (; done < nr && likely(!array[done]); done++) {
		struct page *page = percpu_pop_fast(list);

		if (unlikely(!page))
			break;
		page_start_references(page);
		array[done] = page;
	}
	return done;
}

static __always_inline unsigned long fill_array_long(struct percpu_array *list,
						     unsigned long nr, struct page **array)
{
	unsigned long done = 0;

	while (done < nr) {
		unsigned int step = next_step(nr, done), taken;

		if (unlikely(!is_empty(array + done, step)))
			break;
		taken = pcp_pop_n(list, array + done, step);
		start_references(array + done, taken);
		done += taken;
		if (unlikely(taken < step)) {
			/* An aborted sequence may have written to the other entries. */
			memset(array + done, 0, (step - taken) * sizeof(*array));
			break;
		}
	}
	return done;
}

static noinline unsigned long fill_array(gfp_t gfp, unsigned long nr, struct page **array)
{
	struct percpu_array *list = pcp_alloc_list(gfp, 0);
	unsigned long done = 0;

	if (is_plain(gfp)) {
		done = nr <= SHORT_MAX ? fill_array_short(list, nr, array) :
					 fill_array_long(list, nr, array);
		if (likely(done == nr))
			return nr;
	}
	return bulk_slow(&(struct bulk){ gfp, NUMA_NO_NODE, NULL },
			 &(struct target){ NULL, array, nr, done, 0 }, done);
}

/*
 * One page from this CPU's list, or NULL. For a single page the rest of the bulk path would cost
 * more than the pop.
 */
static __always_inline struct page *take_one(gfp_t gfp)
{
	struct page *page = is_plain(gfp) ? percpu_pop_fast(pcp_alloc_list(gfp, 0)) : NULL;

	if (likely(page))
		page_start_references(page);
	return page;
}

fast_path unsigned long alloc_pages_bulk_array(gfp_t gfp, unsigned long nr, struct page **array)
{
	if (nr == 1 && likely(!array[0]) && likely(array[0] = take_one(gfp)))
		return 1;
	return fill_array(gfp, nr, array);
}

/* Adds pages at the head of the list, while this CPU's list has some. Returns how many. */
static __always_inline unsigned long fill_list(struct percpu_array *from, unsigned long nr,
					       struct list_head *list)
{
	unsigned long done = 0;

	for (; done < nr; done++) {
		struct page *page = percpu_pop_fast(from);

		if (unlikely(!page))
			break;
		page_start_references(page);
		list_add(&page->lru, list);
	}
	return done;
}

static noinline unsigned long fill_list_of_many(gfp_t gfp, unsigned long nr,
						struct list_head *list)
{
	struct percpu_array *from = pcp_alloc_list(gfp, 0);
	unsigned long done = 0;

	if (is_plain(gfp)) {
		done = fill_list(from, nr, list);
		if (likely(done == nr))
			return nr;
	}
	return bulk_slow(&(struct bulk){ gfp, NUMA_NO_NODE, NULL },
			 &(struct target){ list, NULL, nr, done, 0 }, done);
}

unsigned long alloc_pages_bulk_list(gfp_t gfp, unsigned long nr, struct list_head *list)
{
	struct page *page = nr == 1 ? take_one(gfp) : NULL;

	if (!page)
		return fill_list_of_many(gfp, nr, list);
	list_add(&page->lru, list);
	return 1;
}

/* --- Other forms -------------------------------------------------------------------- */

unsigned long __alloc_pages_bulk(gfp_t gfp, int preferred_nid, const unsigned long *nodemask,
				 int nr, struct list_head *list, struct page **array)
{
	struct bulk bulk = { gfp, preferred_nid, nodemask };

	if (nr <= 0)
		return 0;
	/* If there is one node, it is the caller's. */
	if (is_anywhere(&bulk) || (!preferred_nid && !nodemask && nr_online_nodes == 1))
		return list ? alloc_pages_bulk_list(gfp, (unsigned long)nr, list) :
			      alloc_pages_bulk_array(gfp, (unsigned long)nr, array);
	return bulk_slow(&bulk, &(struct target){ list, array, (unsigned long)nr, 0, 0 }, 0);
}

unsigned long alloc_pages_bulk_order(gfp_t gfp, unsigned int order, unsigned long nr,
				     struct list_head *list)
{
	struct page *page;
	unsigned long got;

	if (!order)
		return alloc_pages_bulk_list(gfp, nr, list);
	for (got = 0; got < nr && (page = alloc_pages(gfp, order)); got++) {
		list_add(&page->lru, list);
		/*
		 * Only the request for the first block may reclaim, insist (__GFP_NOFAIL) or warn.
		 */
		gfp = (gfp & ~(__GFP_DIRECT_RECLAIM | __GFP_NOFAIL)) | __GFP_NOWARN;
	}
	return got;
}

/*
 * Takes as many pages as there are without waiting. If there is not even one, takes one page by the
 * slow path, which may wait.
 */
static noinline unsigned long frozen_slow(gfp_t gfp, unsigned long nr, struct page **array,
					  unsigned long done)
{
	struct bulk bulk = { gfp, NUMA_NO_NODE, NULL };

	if (done == nr || page_init())
		return done;
	if (is_for_many(&bulk) && (done || nr > 1)) {
		unsigned long first = done, taken;

		if (!page_hooks_may_alloc(gfp, 0))
			return done;
		do {
			taken = take_frozen(&bulk, array + done, next_step(nr, done), true);
			done += taken;
		} while (taken && done < nr);
		prepare_memory(array + first, done - first, gfp);
	}
	if (!done) {
		array[0] = alloc_frozen_pages(gfp, 0);
		done = array[0] != NULL;
	}
	return done;
}

fast_path unsigned long alloc_frozen_pages_bulk(gfp_t gfp, unsigned long nr, struct page **array)
{
	struct percpu_array *list = pcp_alloc_list(gfp, 0);
	unsigned long done = 0;
	unsigned int taken;

	if (!is_plain(gfp))
		return frozen_slow(gfp, nr, array, 0);
	if (nr <= PCP_FROZEN_SHORT_MAX) {
		while (done < nr && (array[done] = percpu_pop_fast(list)))
			done++;
	} else {
		do {
			taken = pcp_pop_n(list, array + done, next_step(nr, done));
			done += taken;
		} while (taken && done < nr);
	}
	return likely(done == nr) ? nr : frozen_slow(gfp, nr, array, done);
}
