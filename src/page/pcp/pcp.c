/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of the per-CPU page lists: an empty list takes a batch from the buddy lists, a
 * full one gives a batch back. pcp_lists.c makes the lists.
 */
#include "page/pcp/pcp.h"

#include "base/check.h"
#include "mm/page_flags.h"
#include "page/buddy.h"
#include "page/debug/bad_page.h"
#include "page/pcp/pcp_list.h"
#include "page/prefault.h"
#include "page/reclaim/release.h"
#include "page/rmqueue.h"

/* The most blocks that one call of the slow path moves. */
#define PCP_MOVE_MAX 256
/*
 * Blocks moved at a time. They lie on the stack, which may be a coroutine's or a signal handler's.
 * The second number is smaller, because a spill may come deep in a request that makes others give
 * memory up.
 */
#define REFILL_ROUND 64u
#define SPILL_ROUND 32u

/* --- Taking ---------------------------------------------------------------------------- */

/* The blocks that a list may hold while a CPU may keep `high` pages. */
static uint32_t list_limit(const struct zone *z, unsigned int index, int high)
{
	return min(index_blocks_in(index, high), z->pcp_capacity[index]);
}

static void set_list_high(const struct zone *z, unsigned int index, int high)
{
	uint32_t limit = list_limit(z, index, high);

	if (limit)
		percpu_array_prepare(list_of(z, index), limit);
}

/*
 * The pages on one slot's lists. A CPU whose lists were never tuned has none. Then the lists' own
 * memory is not touched.
 */
static int listed_pages(const struct zone *z, unsigned int slot)
{
	return atomic_load_relaxed(&tuning_of(z, slot)->high) ? (int)slot_pages(z, slot) : 0;
}

/* How many blocks to take for an empty list. Makes the list ready for them. */
static unsigned int refill_batch(struct zone *z, unsigned int index)
{
	int slot = percpu_current_slot(), batch, count = 0;
	struct pcp_tuning *tuning;

	/* Without a slot there is no list. For a large block, only the one that is asked for. */
	if (slot < 0 || index_order(index) > PAGE_ALLOC_COSTLY_ORDER)
		return 1;
	tuning = tuning_of(z, (unsigned int)slot);
	/*
	 * Only a batch of order 0 grows with use. It may become too large beside what the lists
	 * hold, so their pages are counted.
	 */
	if (!index_order(index))
		count = listed_pages(z, (unsigned int)slot);
	batch = pcp_nr_alloc(z, tuning, index_order(index), count);
	if (batch > 1)
		set_list_high(z, index, atomic_load_relaxed(&tuning->high));
	return min((unsigned int)batch, min(z->pcp_capacity[index] + 1, (uint32_t)PCP_MOVE_MAX));
}

struct page *pcp_pop_again(gfp_t gfp, unsigned int order)
{
	struct percpu_array **lists;

	if (nr_online_nodes == 1)
		return percpu_pop(pcp_alloc_list(gfp, order));
	lists = pcp_node_alloc_lists[numa_node_id()];
	return percpu_pop(atomic_load_relaxed(&lists[pcp_alloc_index(gfp, order)]));
}

struct page *pcp_pop_exact(gfp_t gfp, unsigned long nr_pages)
{
	/* pairs with set_exact_lists(): the lists */
	const struct zone *z = atomic_load_acquire(&pcp_exact_zone);
	unsigned int index = exact_index(nr_pages);

	return z && index < NR_PCP_LISTS && !(gfp & GFP_PLACE_MASK) ?
	       percpu_pop(list_of(z, index)) : NULL;
}

void pcp_give_blocks(struct zone *z, unsigned int index, struct page *const *pages,
		     unsigned long nr)
{
	const struct page *twice = buddy_give_blocks(z, index_pages(index), pages, nr);

	/* Reported without the zone's lock, because a handler for SIGABRT may still allocate. */
	if (unlikely(twice))
		page_report_unowned(twice, "second free");
}

/* Pushes the last block first, so that the list hands them out in the order of addresses. */
static bool put_on_list(struct zone *z, unsigned int index, struct page **pages, unsigned int nr)
{
	unsigned int put;

	for (unsigned int i = 0; i < nr; i++)
		page_set_flags(pages[i], 0);
	pcp_turn_round(pages, nr);
	put = percpu_push_n(list_of(z, index), (void **)pages, nr);
	if (put < nr)
		pcp_give_blocks(z, index, pages + put, nr - put);
	return put == nr;
}

/*
 * Takes up to nr blocks. If *first is NULL, it gets the first block; the list gets the others.
 * Makes up to *may_prefault of their pages present. Returns how many were taken if another round
 * may take more, else 0.
 */
static noinline unsigned int refill_round(struct zone *z, unsigned int index,
					  unsigned int alloc_flags, unsigned int nr,
					  unsigned long *may_prefault, struct page **first)
{
	struct page *pages[REFILL_ROUND];
	unsigned int taken, mine = !*first;
	struct prefault_range range;
	bool listed;

	nr = min(nr, REFILL_ROUND);
	taken = (unsigned int)rmqueue_bulk(z, index_order(index), index % MIGRATE_PCPTYPES,
					   alloc_flags, pages, nr);
	if (!taken)
		return 0;
	if (mine)
		*first = pages[0];
	prefault_choose(&range, index_order(index), pages, taken, *first, may_prefault);
	listed = taken > mine && put_on_list(z, index, pages + mine, taken - mine);
	prefault(&range);
	return listed && taken == nr ? taken : 0;
}

/* Would the zone stay above its low mark without nr blocks? */
static bool fit_above_low(const struct zone *z, unsigned int order, unsigned int nr,
			  unsigned int alloc_flags)
{
	return zone_watermark_ok(z, 0, wmark_pages(z, WMARK_LOW) + ((unsigned long)nr << order),
				 z->index, alloc_flags & ~ALLOC_RESERVES);
}

/*
 * Fills the list, and returns the caller's block, which is the first one. Near the mark it takes
 * only that one. After several rounds, the list hands out the last round's blocks first.
 */
static struct page *refill(struct zone *z, unsigned int order, enum migratetype type,
			   unsigned int alloc_flags)
{
	unsigned int index = list_index(order, type), batch = refill_batch(z, index), round;
	unsigned long may_prefault = prefault_share(z, order, alloc_flags);
	struct page *page = NULL;

	if (!fit_above_low(z, order, batch, alloc_flags))
		batch = 1;
	do {
		round = refill_round(z, index, alloc_flags, batch, &may_prefault, &page);
		batch -= round;
	} while (round && batch && fit_above_low(z, order, min(batch, REFILL_ROUND), alloc_flags));
	if (page)
		atomic_add_relaxed(&z->pcp_refills, 1);
	return page;
}

struct page *pcp_alloc(struct zone *z, unsigned int order, enum migratetype type,
		       unsigned int alloc_flags)
{
	struct page *page;

	page = percpu_pop(list_of(z, list_index(order, type)));
	if (page || !pcp_allowed_order(order))
		return page;
	/*
	 * The caller then takes one of the blocks that are kept for such requests, and has more of
	 * them kept.
	 */
	if ((alloc_flags & ALLOC_HIGHATOMIC) && linux_since(7, 1))
		return NULL;
	return refill(z, order, type, alloc_flags);
}

unsigned long pcp_alloc_bulk(struct zone *z, enum migratetype type, unsigned int alloc_flags,
			     struct page **pages, unsigned long nr)
{
	unsigned long taken;

	/* What was freed last comes first, so the array begins with the list's top. */
	taken = pcp_pop_n(list_of(z, list_index(0, type)), pages, (unsigned int)nr);
	pcp_turn_round(pages, taken);
	if (taken)
		return taken;
	taken = rmqueue_bulk(z, 0, type, alloc_flags, pages, nr);
	for (unsigned long i = 0; i < taken; i++)
		page_set_flags(pages[i], 0);
	return taken;
}

/* --- Giving back ------------------------------------------------------------------------ */

/* How many blocks to give back from a list that is full or was not ready. Sets its new limit. */
static unsigned int spill_batch(struct zone *z, unsigned int index)
{
	unsigned int order = index_order(index);
	int slot = percpu_current_slot(), nr, high;
	unsigned int blocks;

	if (slot < 0)
		return 0;
	blocks = list_blocks(percpu_ptr(list_of(z, index), (unsigned int)slot));
	nr = pcp_nr_free(z, tuning_of(z, (unsigned int)slot), order,
			 listed_pages(z, (unsigned int)slot), (int)(blocks << order), &high);
	set_list_high(z, index, high);
	/* The list must not stay full, and must not lose all blocks that it has just got. */
	return min(min((unsigned int)nr >> order, max(blocks / 2, 1u)),
		   (unsigned int)PCP_MOVE_MAX - 1);
}

void end_below_high(struct zone *z)
{
	if (zone_test_flag(z, ZONE_BELOW_HIGH) &&
	    zone_watermark_ok(z, 0, wmark_pages(z, WMARK_HIGH), ZONE_MOVABLE, 0))
		zone_clear_flag(z, ZONE_BELOW_HIGH);
}

/* Gives up to nr blocks of the list to the buddy lists, and returns how many. */
static noinline unsigned int spill_round(struct zone *z, unsigned int index, unsigned int nr)
{
	struct page *pages[SPILL_ROUND];
	unsigned int taken = pcp_pop_n(list_of(z, index), pages, min(nr, SPILL_ROUND));

	if (taken)
		pcp_give_blocks(z, index, pages, taken);
	return taken;
}

static slow_path void spill_full_list(struct zone *z, unsigned int index, struct page *page)
{
	struct percpu_array *list = list_of(z, index);
	unsigned int left = spill_batch(z, index), round;

	if (percpu_push(list, page))
		return;
	while (left && (round = spill_round(z, index, left)))
		left -= round;
	if (!percpu_push(list, page))
		pcp_give_blocks(z, index, &page, 1);
	atomic_add_relaxed(&z->pcp_spills, 1);
	end_below_high(z);
	release_excess(z);
}

/*
 * Raises the limit of this CPU's list, if the list may hold more; returns whether it did.
 *
 * ZONE_BLOCKS_LISTED is set before the limit, so that no block is listed without the flag. It is
 * set again after the limit, in any case. This pairs with pcp_return_blocks(), which clears the
 * flag before it looks at limits. So either that function sees this limit, or the flag stays set.
 */
static bool make_room_for_block(struct zone *z, unsigned int index)
{
	struct percpu_array *list = list_of(z, index);
	int slot = percpu_current_slot(), high;
	uint32_t limit;

	if (slot < 0)
		return false;
	high = pcp_read_high(z, tuning_of(z, (unsigned int)slot));
	limit = list_limit(z, index, high);
	if (slot_limit(list, (unsigned int)slot) >= limit ||
	    zone_test_flag(z, ZONE_RECLAIM_ACTIVE | ZONE_BELOW_HIGH) ||
	    atomic_load_relaxed(&z->dirty_pages) > release_lists_pages(z) ||
	    !zone_watermark_ok(z, 0, wmark_pages(z, WMARK_HIGH) + (unsigned long)high, ZONE_MOVABLE,
			       0))
		return false;
	zone_set_flag(z, ZONE_BLOCKS_LISTED);
	percpu_array_prepare(list, limit);
	/* pairs with pcp_return_blocks(): the limit */
	atomic_or_acq_rel(&z->flags, ZONE_BLOCKS_LISTED);
	return true;
}

/* Puts a large block on this CPU's list, if that may keep it, or on the buddy lists. */
static slow_path void spill_block(struct zone *z, unsigned int index, struct page *page)
{
	if (make_room_for_block(z, index) && percpu_push(list_of(z, index), page))
		return;
	pcp_give_blocks(z, index, &page, 1);
	end_below_high(z);
	release_excess(z);
}

/*
 * Puts the block on the list, or makes room for it there. Tries to push it first: perhaps the fast
 * path has not tried, or was aborted, or the slot needs its lock.
 */
static void give_to_list(struct zone *z, unsigned int index, struct page *page)
{
	if (percpu_push(list_of(z, index), page))
		return;
	if (pcp_allowed_order(index_order(index)))
		spill_full_list(z, index, page);
	else
		spill_block(z, index, page);
}

/* Have all of a block's pageblocks the same class? */
static bool is_of_one_class(const struct page *page, unsigned int order)
{
	return order <= PAGEBLOCK_ORDER || page_class(page) == page_class(page + PAGEBLOCK_PAGES);
}

bool pcp_give_exact(struct page *page, unsigned long nr_pages)
{
	unsigned int class = page_class(page), index = exact_index(nr_pages);
	/* pairs with set_exact_lists(): the lists */
	struct zone *z = atomic_load_acquire(&pcp_exact_zone);

	if (!z || index == NR_PCP_LISTS || class != page_class_of(z, MIGRATE_UNMOVABLE) ||
	    page_class(page + nr_pages - 1) != class)
		return false;
	give_to_list(z, index, page);
	return true;
}

void pcp_free_slow(unsigned int order, struct page *page)
{
	unsigned int class = page_class(page);
	enum migratetype type = class_type(class);
	struct zone *z = class_zone(class);
	unsigned int index;

	CHECK(order <= MAX_PAGE_ORDER, "free of page %p with order %u, more than %d",
	      page_address(page), order, MAX_PAGE_ORDER);
	index = list_index(order, list_type(type));
	if (type_is_listed(order, type) && is_of_one_class(page, order) && list_of(z, index)) {
		give_to_list(z, index, page);
		return;
	}
	pcp_give_blocks(z, index, &page, 1);
	release_excess(z);
}
