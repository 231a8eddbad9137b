/* SPDX-License-Identifier: MIT */
#include "page/pcp.h"

#include "base/check.h"
#include "base/options.h"
#include "mm/page_flags.h"
#include "page/pcp_tuning.h"
#include "percpu/remote.h"

/* Huge blocks: what Linux calls THP lists. */
#define PCP_HUGE_ORDER PAGEBLOCK_ORDER
/* Blocks moved at a time at most; they lie on the stack. */
#define PCP_MOVE_MAX 256

/* What a list holds at most: one 4 KiB array for order 0, then about 1 MiB; 16 MiB. */
#define PCP_CAPACITY_MAX 511
static const uint32_t capacity_of_order[PCP_MAX_ORDER + 1] = { PCP_CAPACITY_MAX, 127, 63, 31 };
#define PCP_HUGE_CAPACITY 8

struct percpu_array *pcp_alloc_lists[(GFP_PLACE_MASK + 1) << CLASS_ORDER_BITS] __read_mostly;
struct percpu_array *pcp_free_lists[PAGE_CLASSES_END];

/* --- Which list ------------------------------------------------------------------ */

/* cf. Linux pcp_allowed_order(), order_to_pindex(). */
static bool has_lists(unsigned int order)
{
	return order <= PCP_MAX_ORDER || order == PCP_HUGE_ORDER;
}

static unsigned int list_index(unsigned int order, enum migratetype type)
{
	if (order > PCP_MAX_ORDER)
		return NR_LOWORDER_PCP_LISTS + (type == MIGRATE_MOVABLE);
	return order * MIGRATE_PCPTYPES + type;
}

static unsigned int index_order(unsigned int index)
{
	return index < NR_LOWORDER_PCP_LISTS ? index / MIGRATE_PCPTYPES : PCP_HUGE_ORDER;
}

/* The type whose list a freed page goes to. Isolated pages go to none. */
static enum migratetype list_type(enum migratetype type)
{
	return type < MIGRATE_PCPTYPES ? type : MIGRATE_MOVABLE;
}

/* pairs with init_zone_lists(): the list's capacity, and the slots; NULL until then */
static struct percpu_array *list_of(const struct zone *z, unsigned int index)
{
	return atomic_load_acquire(&z->pcp_lists[index]);
}

static struct pcp_tuning *tuning_of(const struct zone *z, unsigned int slot)
{
	return percpu_ptr(z->pcp_tuning, slot);
}

/* --- Setting up --------------------------------------------------------------------- */

static int init_zone_lists(struct zone *z)
{
	z->pcp_tuning = percpu_alloc(sizeof(struct pcp_tuning), CACHE_LINE_BYTES);
	if (!z->pcp_tuning)
		return -1;
	for (unsigned int i = 0; i < NR_PCP_LISTS; i++) {
		unsigned int order = index_order(i);
		uint32_t most = PCP_HUGE_CAPACITY;
		struct percpu_array *list;

		if (order <= PCP_MAX_ORDER)
			most = capacity_of_order[order];
		most = min(most, (uint32_t)z->pcp_high_max >> order);
		if (!most)
			continue;
		list = percpu_alloc(sizeof(*list) + most * sizeof(void *), CACHE_LINE_BYTES);
		if (!list)
			return -1;
		z->pcp_capacity[i] = most;
		atomic_store_release(&z->pcp_lists[i], list);
	}
	return 0;
}

static void set_free_lists(const struct zone *z)
{
	for (unsigned int type = 0; type < MIGRATE_ISOLATE; type++)
		for (unsigned int order = 0; order <= PCP_MAX_ORDER; order++)
			atomic_store_release(&pcp_free_lists[page_class_of(z, type) + order],
					     list_of(z, list_index(order, list_type(type))));
}

/* With one node the zone that is asked first depends on these bits alone. */
static void set_alloc_lists(void)
{
	for (gfp_t gfp = 0; gfp <= GFP_PLACE_MASK; gfp++) {
		struct zone *z = &NODE_DATA(0)->node_zones[gfp_zone(gfp)];

		if (!gfp_zone_is_valid(gfp) || !gfp_mobility_is_valid(gfp))
			continue;
		while (z > NODE_DATA(0)->node_zones && !populated_zone(z))
			z--;
		for (unsigned int order = 0; order <= PCP_MAX_ORDER; order++)
			atomic_store_release(&pcp_alloc_lists[(gfp << CLASS_ORDER_BITS) + order],
					     list_of(z, list_index(order, gfp_migratetype(gfp))));
	}
}

/* What fast paths read of the tables, for the first sections of the first zone. */
static void keep_tables_apart(void)
{
	const struct zone *z = first_populated_zone();

	percpu_keep_apart(&pcp_alloc_lists[0], sizeof(pcp_alloc_lists[0]) << CLASS_ORDER_BITS);
	percpu_keep_apart(&pcp_free_lists[page_class_of(z, 0)],
			  MIGRATE_PCPTYPES * sizeof(pcp_free_lists[0]) << CLASS_ORDER_BITS);
	percpu_keep_apart(usermm_memmap.pageblocks, CACHE_LINE_BYTES);
}

int pcp_init(void)
{
	struct zone *z;

	keep_tables_apart();
	for_each_populated_zone(z) {
		pcp_set_limits(z, max(percpu_nr_slots() / nr_online_nodes, 1u), !options.pcp);
		if (init_zone_lists(z))
			return -1;
		set_free_lists(z);
	}
	if (nr_online_nodes == 1)
		set_alloc_lists();
	return 0;
}

void pcp_hide_lists(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(pcp_alloc_lists); i++)
		atomic_store_relaxed(&pcp_alloc_lists[i], NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(pcp_free_lists); i++)
		atomic_store_relaxed(&pcp_free_lists[i], NULL);
}

/* --- Taking ---------------------------------------------------------------------------- */

/* A stopped list has a negative count. */
static unsigned int list_blocks(const struct percpu_array *list)
{
	int32_t count = (int32_t)atomic_load_relaxed(&list->count);

	return count > 0 ? (unsigned int)count : 0;
}

/* Pages on one slot's lists of the zone. */
static unsigned long slot_pages(const struct zone *z, unsigned int slot)
{
	unsigned long pages = 0;

	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		if (list_of(z, i))
			pages += (unsigned long)list_blocks(percpu_ptr(list_of(z, i), slot))
				 << index_order(i);
	return pages;
}

/* The list may hold so many pages from now on. */
static void set_list_high(const struct zone *z, unsigned int index, int high)
{
	uint32_t limit = min((uint32_t)high >> index_order(index), z->pcp_capacity[index]);

	if (limit)
		percpu_array_prepare(list_of(z, index), limit);
}

/* Blocks to take for a list that is empty, and the list is ready for them. */
static unsigned int refill_batch(struct zone *z, unsigned int index)
{
	int slot = percpu_current_slot(), batch, count = 0;
	struct pcp_tuning *tuning;

	if (slot < 0)
		return 1;	/* nowhere to keep more */
	tuning = tuning_of(z, (unsigned int)slot);
	/* Only order 0 is taken in such numbers that it matters what the lists hold. */
	if (!index_order(index))
		count = (int)slot_pages(z, (unsigned int)slot);
	batch = pcp_nr_alloc(z, tuning, index_order(index), count);
	if (batch > 1)
		set_list_high(z, index, atomic_load_relaxed(&tuning->high));
	return min((unsigned int)batch, min(z->pcp_capacity[index] + 1, (uint32_t)PCP_MOVE_MAX));
}

struct page *pcp_pop_again(gfp_t gfp, unsigned int order)
{
	return percpu_pop(pcp_alloc_list(gfp, order));
}

static void reverse(struct page **pages, unsigned long nr)
{
	for (unsigned long i = 0; i + 1 < nr - i; i++) {
		struct page *page = pages[i];

		pages[i] = pages[nr - 1 - i];
		pages[nr - 1 - i] = page;
	}
}

/*
 * The first block is the caller's. The others go in last block first, so that the
 * list hands them out in the order of their addresses.
 */
static struct page *refill(struct zone *z, unsigned int order, enum migratetype type,
			   unsigned int alloc_flags)
{
	unsigned int index = list_index(order, type), batch = refill_batch(z, index), put;
	struct page *pages[PCP_MOVE_MAX];
	unsigned long taken;

	/* Near the mark only the block that was asked for may be taken. */
	if (!zone_watermark_ok(z, 0, wmark_pages(z, WMARK_LOW) + ((unsigned long)batch << order),
			       z->index, alloc_flags & ~ALLOC_RESERVES))
		batch = 1;
	taken = buddy_take(z, order, type, alloc_flags, pages, batch);
	if (!taken)
		return NULL;
	atomic_add_relaxed(&z->pcp_refills, 1);
	if (taken == 1)
		return pages[0];
	for (unsigned long i = 1; i < taken; i++)
		page_set_flags(pages[i], 0);
	reverse(pages + 1, taken - 1);
	put = percpu_push_n(list_of(z, index), (void **)pages + 1, (unsigned int)taken - 1);
	if (put < taken - 1)
		buddy_give(z, order, pages + 1 + put, taken - 1 - put);
	return pages[0];
}

struct page *pcp_alloc(struct zone *z, unsigned int order, enum migratetype type,
		       unsigned int alloc_flags)
{
	struct page *page;

	if (!has_lists(order))
		return NULL;
	page = percpu_pop(list_of(z, list_index(order, type)));
	return page ? page : refill(z, order, type, alloc_flags);
}

unsigned long pcp_alloc_bulk(struct zone *z, enum migratetype type, unsigned int alloc_flags,
			     struct page **pages, unsigned long nr)
{
	unsigned long taken;

	/* What is on the list was freed last, so it comes first. */
	taken = percpu_pop_n(list_of(z, list_index(0, type)), (void **)pages, (unsigned int)nr);
	if (taken)
		return taken;
	taken = buddy_take(z, 0, type, alloc_flags, pages, nr);
	for (unsigned long i = 0; i < taken; i++)
		page_set_flags(pages[i], 0);
	return taken;
}

/* --- Giving back ------------------------------------------------------------------------ */

/* So many pages have come since the list was looked at: it is full, or was not ready. */
static unsigned int spill_batch(struct zone *z, unsigned int index)
{
	unsigned int order = index_order(index);
	int slot = percpu_current_slot(), nr, high;
	unsigned int blocks;

	if (slot < 0)
		return 0;
	blocks = list_blocks(percpu_ptr(list_of(z, index), (unsigned int)slot));
	nr = pcp_nr_free(z, tuning_of(z, (unsigned int)slot), order,
			 (int)slot_pages(z, (unsigned int)slot), (int)(blocks << order), &high);
	set_list_high(z, index, high);
	/* The list must not stay full, nor lose all that it has just got. */
	return min(min((unsigned int)nr >> order, max(blocks / 2, 1u)),
		   (unsigned int)PCP_MOVE_MAX - 1);
}

static void end_below_high(struct zone *z)
{
	if (zone_test_flag(z, ZONE_BELOW_HIGH) &&
	    zone_watermark_ok(z, 0, wmark_pages(z, WMARK_HIGH), ZONE_MOVABLE, 0))
		zone_clear_flag(z, ZONE_BELOW_HIGH);
}

/* What is taken off a list lies in memory that was touched before; it may be two pages. */
static unsigned int take_off(struct percpu_array *list, struct page **pages, unsigned int nr)
{
	pages[0] = NULL;
	pages[nr - 1] = NULL;
	return percpu_pop_n(list, (void **)pages, nr);
}

static slow_path void spill_full_list(struct zone *z, unsigned int index, struct page *page)
{
	struct percpu_array *list = list_of(z, index);
	unsigned int batch = spill_batch(z, index), taken = 0;
	struct page *pages[PCP_MOVE_MAX];

	if (percpu_push(list, page))
		return;
	if (batch)
		taken = take_off(list, pages, batch);
	if (!taken || !percpu_push(list, page))
		pages[taken++] = page;
	atomic_add_relaxed(&z->pcp_spills, 1);
	buddy_give(z, index_order(index), pages, taken);
	end_below_high(z);
}

/* The fast path tried once, if at all; that may have been aborted, or need the lock. */
static void give_to_list(struct zone *z, unsigned int index, struct page *page)
{
	if (!percpu_push(list_of(z, index), page))
		spill_full_list(z, index, page);
}

void pcp_spill(unsigned int order, struct page *page)
{
	unsigned int class = page_class(page);
	enum migratetype type = class_type(class);
	struct zone *z = class_zone(class);
	unsigned int index;

	CHECK(order <= MAX_PAGE_ORDER, "free of page %p with order %u, more than %d",
	      page_address(page), order, MAX_PAGE_ORDER);
	index = has_lists(order) ? list_index(order, list_type(type)) : NR_PCP_LISTS;
	if (index < NR_PCP_LISTS && type != MIGRATE_ISOLATE && list_of(z, index))
		give_to_list(z, index, page);
	else
		buddy_give(z, order, &page, 1);
}

/* --- Draining ----------------------------------------------------------------------------- */

static void drain_zone_local(struct zone *z)
{
	struct page *pages[PCP_MOVE_MAX];
	unsigned int taken;

	buddy_give_deferred(z);
	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		while ((taken = take_off(list_of(z, i), pages, PCP_MOVE_MAX)))
			buddy_give(z, index_order(i), pages, taken);
	end_below_high(z);
}

void pcp_drain_local(struct zone *z)
{
	if (!lock_may_wait(RANK_ZONE))	/* a signal handler above a holder */
		return;
	if (z) {
		drain_zone_local(z);
		return;
	}
	for_each_populated_zone(z)
		drain_zone_local(z);
}

/* One slot's list, emptied by whoever asks for it. */
static void drain_list(struct zone *z, unsigned int index, unsigned int slot)
{
	struct percpu_stopped_array stopped;
	struct page *pages[PCP_CAPACITY_MAX];
	unsigned int nr;

	if (percpu_stop_array(list_of(z, index), slot, &stopped))
		return;
	nr = stopped.count;
	for (unsigned int i = 0; i < nr; i++)
		pages[i] = percpu_stopped_item(&stopped, i);
	stopped.count = 0;
	percpu_start_array(&stopped);
	buddy_give(z, index_order(index), pages, nr);
}

static void drain_zone(struct zone *z)
{
	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		for (unsigned int slot = 0; list_of(z, i) && slot < percpu_nr_slots(); slot++)
			/* A glance, so that idle CPUs cost nothing. */
			if (list_blocks(percpu_ptr(list_of(z, i), slot)))
				drain_list(z, i, slot);
	end_below_high(z);
}

void pcp_drain_all(struct zone *z)
{
	pcp_drain_local(z);
	if (!lock_acquire_in_order(&page_drain_lock))
		return;
	if (z)
		drain_zone(z);
	else
		for_each_populated_zone(z)
			drain_zone(z);
	lock_release(&page_drain_lock);
}

unsigned long pcp_zone_pages(const struct zone *z)
{
	unsigned long pages = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		pages += slot_pages(z, slot);
	return pages;
}

unsigned long pcp_pages(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		pages += pcp_zone_pages(z);
	return pages;
}

void pcp_counts_read(const struct zone *z, unsigned int slot, struct pcp_counts *counts)
{
	counts->count = slot_pages(z, slot);
	counts->high = max(atomic_load_relaxed(&tuning_of(z, slot)->high), z->pcp_high_min);
	counts->batch = z->pcp_batch;
}
