/* SPDX-License-Identifier: MIT */
#include "page/pcp/pcp.h"

#include "base/check.h"
#include "base/options.h"
#include "mm/page_flags.h"
#include "page/buddy.h"
#include "page/debug/bad_page.h"
#include "page/pcp/pcp_list.h"
#include "page/prefault.h"
#include "page/reclaim/release.h"
#include "page/rmqueue.h"
#include "percpu/remote.h"

/* The most blocks that one call of the slow path moves. */
#define PCP_MOVE_MAX 256
/*
 * Blocks moved at a time. They lie on the stack, which may be a coroutine's or a signal handler's.
 * The second number is smaller, because a spill may come deep in a request that makes others give
 * memory up.
 */
#define REFILL_ROUND 64u
#define SPILL_ROUND 32u

/*
 * The most blocks that a list holds: 2 MiB of order 0, whose array is 4 KiB; 1 MiB of orders 1 to
 * 3; 2 MiB of larger ones, and at least one block; 16 MiB of huge ones (order 9).
 */
static const uint32_t capacity_of_order[NR_PAGE_ORDERS] = {
	PCP_CAPACITY_MAX, 127, 63, 31, 31, 15, 7, 3, 1, 8, 1,
};

/*
 * The pages that each list of an exact number holds, and at least one block: 2.3 MiB for all such
 * lists.
 */
#define EXACT_LISTED_PAGES (128 * KIB / PAGE_SIZE)

#define ALLOC_LISTS ((GFP_PLACE_MASK + 1) << CLASS_ORDER_BITS)

struct percpu_array *pcp_alloc_lists[ALLOC_LISTS] __large_bss __aligned(PAGE_SIZE);
/* With several nodes: one table for each. Sync: as pcp_alloc_lists */
static struct percpu_array *node_alloc_lists[MAX_NUMNODES][ALLOC_LISTS] __large_bss;
struct percpu_array *pcp_free_lists[PAGE_CLASSES_END] __large_bss;
/*
 * The zone whose lists of exact numbers are in use: the first zone for requests that do not say
 * where their pages should lie. NULL with several nodes. Sync: as pcp_alloc_lists
 */
static struct zone *exact_zone __read_mostly;
/* Can large blocks be taken back from other CPUs? Sync: constant after pcp_init() */
static bool lists_large_blocks __read_mostly;

/* --- Setting up --------------------------------------------------------------------- */

/* How many blocks of this list's size the pages are. */
static uint32_t blocks_in(unsigned int index, int pages)
{
	return (uint32_t)((unsigned long)pages / index_pages(index));
}

static size_t list_bytes(uint32_t most)
{
	return sizeof(struct percpu_array) + most * sizeof(void *);
}

/* Slabs come from this list, also those of malloc(): a small process needs no other. */
#define FIRST_LIST list_index(PAGE_ALLOC_COSTLY_ORDER, MIGRATE_UNMOVABLE)

static uint32_t most_blocks(const struct zone *z, unsigned int index)
{
	return blocks_in(index, atomic_load_relaxed(&z->pcp_high_max));
}

static void init_list(struct zone *z, unsigned int index)
{
	unsigned int order = index_order(index);
	uint32_t most = min(capacity_of_order[order], most_blocks(z, index));
	struct percpu_array *list;

	if (!most || (!lists_large_blocks && !pcp_allowed_order(order)))
		return;
	list = percpu_alloc(list_bytes(most), CACHE_LINE_BYTES);
	if (!list)	/* with very many zones, blocks of this kind get no list */
		return;
	z->pcp_capacity[index] = most;
	atomic_store_release(&z->pcp_lists[index], list);
}

/*
 * Only the tuning may fail. It comes first, so a zone that has its tuning has its lists. FIRST_LIST
 * comes next, so that both lie on one page.
 */
static int init_zone_lists(struct zone *z)
{
	if (z->pcp_tuning)
		return 0;
	z->pcp_tuning = percpu_alloc(sizeof(struct pcp_tuning), CACHE_LINE_BYTES);
	if (!z->pcp_tuning)
		return -1;
	init_list(z, FIRST_LIST);
	for (unsigned int i = 0; i < NR_PCP_ORDER_LISTS; i++)
		if (i != FIRST_LIST)
			init_list(z, i);
	return 0;
}

/*
 * The lists of Linux's orders follow Linux's rule: pages of the reserve and of CMA pageblocks go to
 * the MOVABLE list. For other orders, blocks of these types go to no list.
 */
static bool may_list(unsigned int order, enum migratetype type)
{
	return pcp_allowed_order(order) ? type != MIGRATE_ISOLATE : type < MIGRATE_PCPTYPES;
}

/*
 * Blocks of the highest order get no list here: pcp_free_slow() has to look at both of their
 * pageblocks.
 */
static void set_free_lists(const struct zone *z)
{
	for (unsigned int type = 0; type < MIGRATE_ISOLATE; type++) {
		struct percpu_array **lists = &pcp_free_lists[page_class_of(z, type)];

		for (unsigned int order = 0; order <= PAGEBLOCK_ORDER; order++)
			if (may_list(order, type))
				atomic_store_release(&lists[order], list_of(z,
						     list_index(order, list_type(type))));
	}
}

/* The most blocks that the list would hold. */
static uint32_t exact_capacity(const struct zone *z, unsigned int index)
{
	unsigned long most = max(EXACT_LISTED_PAGES / index_pages(index), 1UL);

	return min((uint32_t)most, most_blocks(z, index));
}

/* Puts all these lists into one piece of slots' memory, because they are many and short. */
static void set_exact_lists(struct zone *z)
{
	size_t bytes = 0;
	char *list;

	if (!lists_large_blocks)
		return;
	for (unsigned int i = NR_PCP_ORDER_LISTS; i < NR_PCP_LISTS; i++)
		bytes += list_bytes(exact_capacity(z, i));
	list = percpu_alloc(bytes, CACHE_LINE_BYTES);
	if (!list)
		return;
	for (unsigned int i = NR_PCP_ORDER_LISTS; i < NR_PCP_LISTS; i++) {
		z->pcp_capacity[i] = exact_capacity(z, i);
		atomic_store_release(&z->pcp_lists[i], (struct percpu_array *)list);
		list += list_bytes(z->pcp_capacity[i]);
	}
	/* pairs with pcp_pop_exact() and pcp_give_exact(): the lists */
	atomic_store_release(&exact_zone, z);
}

/* The node's zone of that kind, or else the nearest kind below that has memory; or NULL. */
static struct zone *first_zone_for(unsigned int node, enum zone_type highest)
{
	for (unsigned int i = highest + 1u; i-- > 0;) {
		struct zone *z = populated_zone_of(node, i);

		if (z)
			return z;
	}
	return NULL;
}

/* Within a node, the zone that is asked first depends on the bits of GFP_PLACE_MASK alone. */
static void set_alloc_lists(unsigned int node, struct percpu_array **lists)
{
	for (gfp_t gfp = 0; gfp <= GFP_PLACE_MASK; gfp++) {
		struct zone *z;

		if (!gfp_zone_is_valid(gfp) || !gfp_mobility_is_valid(gfp))
			continue;
		z = first_zone_for(node, gfp_zone(gfp));
		if (!z)
			continue;
		for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
			atomic_store_release(&lists[(gfp << CLASS_ORDER_BITS) + order],
					     list_of(z, list_index(order, gfp_migratetype(gfp))));
		if (!gfp && nr_online_nodes == 1)
			set_exact_lists(z);
	}
}

/*
 * With several nodes the fast path finds no list. The slow path finds the list in its node's table.
 */
static void set_all_alloc_lists(void)
{
	if (nr_online_nodes == 1)
		set_alloc_lists(0, pcp_alloc_lists);
	else
		for (unsigned int node = 0; node < nr_online_nodes; node++)
			set_alloc_lists(node, node_alloc_lists[node]);
}

/*
 * Fast paths read this memory for the first zone. Slots' pieces must not have the same page
 * offsets.
 */
static void keep_tables_apart(void)
{
	const struct zone *z = first_populated_zone();

	percpu_keep_apart(&pcp_alloc_lists[0], sizeof(pcp_alloc_lists[0]) << CLASS_ORDER_BITS);
	percpu_keep_apart(&pcp_free_lists[page_class_of(z, 0)],
			  MIGRATE_PCPTYPES * sizeof(pcp_free_lists[0]) << CLASS_ORDER_BITS);
	percpu_keep_apart(mm_window.pageblocks, CACHE_LINE_BYTES);
	percpu_keep_apart(&exact_zone, sizeof(exact_zone));
}

/*
 * Writes to the list that this CPU will pop from first: to read it first would cost a second page
 * fault.
 */
static void touch_first_list(void)
{
	const struct zone *z = first_zone_for(numa_node_id(), ZONE_NORMAL);

	if (z)
		percpu_array_touch(list_of(z, FIRST_LIST));
}

static unsigned int cpus_of_node(void)
{
	return max(percpu_nr_cpus() / nr_online_nodes, 1u);
}

void pcp_resize(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		if (!options.pcp)
			pcp_set_high(z, cpus_of_node());
}

int pcp_init(void)
{
	struct zone *z;

	lists_large_blocks = percpu_can_stop();
	keep_tables_apart();
	for_each_populated_zone(z) {
		pcp_set_limits(z, cpus_of_node(), !options.pcp);
		if (init_zone_lists(z))
			return -1;
		set_free_lists(z);
	}
	set_all_alloc_lists();
	touch_first_list();
	return 0;
}

static void hide_alloc_list(unsigned int index)
{
	atomic_store_relaxed(&pcp_alloc_lists[index], NULL);
	for (unsigned int node = 0; nr_online_nodes > 1 && node < nr_online_nodes; node++)
		atomic_store_relaxed(&node_alloc_lists[node][index], NULL);
}

void pcp_hide_lists(void)
{
	for (unsigned int i = 0; i < ALLOC_LISTS; i++)
		hide_alloc_list(i);
	for (unsigned int i = 0; i < ARRAY_SIZE(pcp_free_lists); i++)
		atomic_store_relaxed(&pcp_free_lists[i], NULL);
	atomic_store_relaxed(&exact_zone, NULL);
}

void pcp_hide_movable_lists(void)
{
	for (unsigned int i = 0; i < ALLOC_LISTS; i++)
		if ((gfp_t)(i >> CLASS_ORDER_BITS) & __GFP_MOVABLE)
			hide_alloc_list(i);
}

/* --- Taking ---------------------------------------------------------------------------- */

/* The blocks that a list may hold while a CPU may keep `high` pages. */
static uint32_t list_limit(const struct zone *z, unsigned int index, int high)
{
	return min(blocks_in(index, high), z->pcp_capacity[index]);
}

static void set_list_high(const struct zone *z, unsigned int index, int high)
{
	uint32_t limit = list_limit(z, index, high);

	if (limit)
		percpu_array_prepare(list_of(z, index), limit);
}

/*
 * A CPU whose lists were never tuned has nothing on them. So the lists' own memory is not touched
 * then.
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
	/* Only batches of order 0 are so large that they may not fit beside what the lists hold. */
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
	lists = node_alloc_lists[numa_node_id()];
	return percpu_pop(atomic_load_relaxed(&lists[pcp_alloc_index(gfp, order)]));
}

struct page *pcp_pop_exact(gfp_t gfp, unsigned long nr_pages)
{
	/* pairs with set_exact_lists() */
	const struct zone *z = atomic_load_acquire(&exact_zone);
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
	/* So the request goes to the blocks that are kept for it, and more of them are kept. */
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
 * The fast path has tried once, if at all. It may have been aborted, or the slot needs its lock, so
 * the list may have room.
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
	/* pairs with set_exact_lists() */
	struct zone *z = atomic_load_acquire(&exact_zone);

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
	if (may_list(order, type) && is_of_one_class(page, order) && list_of(z, index)) {
		give_to_list(z, index, page);
		return;
	}
	pcp_give_blocks(z, index, &page, 1);
	release_excess(z);
}
