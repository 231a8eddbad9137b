/* SPDX-License-Identifier: MIT */
/*
 * What pcp_lists.c, pcp.c, pcp_drain.c and pcp_counts.c share: they make, use, empty and count a
 * zone's per-CPU lists.
 */
#ifndef PAGE_PCP_PCP_LIST_H
#define PAGE_PCP_PCP_LIST_H

#include "page/pcp/pcp.h"
#include "page/pcp/pcp_tuning.h"

/* The most blocks that any list has room for. */
#define PCP_CAPACITY_MAX 511

#define PCP_ALLOC_LISTS ((GFP_PLACE_MASK + 1) << CLASS_ORDER_BITS)

/* With several nodes: one table for each. Sync: as pcp_alloc_lists */
extern struct percpu_array *pcp_node_alloc_lists[MAX_NUMNODES][PCP_ALLOC_LISTS] __hidden;
/*
 * The zone whose lists of exact numbers are in use: the first zone for requests that do not say
 * where their pages should lie. NULL with several nodes. Sync: as pcp_alloc_lists
 */
extern struct zone *pcp_exact_zone __hidden;

static inline unsigned int list_index(unsigned int order, enum migratetype type)
{
	return order * MIGRATE_PCPTYPES + type;
}

/*
 * The exact numbers of pages are those that malloc() asks for: 5, 6 and 7 eighths of a block of
 * one of these orders (malloc/page_blocks.c: pages_for()).
 */
#define PCP_EXACT_ORDER 4
#define PCP_EXACT_ORDERS 4
#define PCP_EXACT_FIRST_EIGHTH 5u
#define PCP_EXACT_NUMBERS 3		/* of each order */
_Static_assert(PCP_EXACT_ORDERS * PCP_EXACT_NUMBERS == NR_PCP_EXACT_LISTS, "a list for each");

/* NR_PCP_LISTS if there is no list for that number of pages. */
static inline unsigned int exact_index(unsigned long nr_pages)
{
	unsigned int order = (unsigned int)get_order(nr_pages << PAGE_SHIFT), shift = order - 3;

	if (order < PCP_EXACT_ORDER || order >= PCP_EXACT_ORDER + PCP_EXACT_ORDERS ||
	    is_power_of_2(nr_pages) || nr_pages & ((1UL << shift) - 1))
		return NR_PCP_LISTS;
	return NR_PCP_ORDER_LISTS + (order - PCP_EXACT_ORDER) * PCP_EXACT_NUMBERS +
	       (unsigned int)(nr_pages >> shift) - PCP_EXACT_FIRST_EIGHTH;
}

static inline bool index_is_exact(unsigned int index)
{
	return index >= NR_PCP_ORDER_LISTS;
}

/* For an exact number of pages, the order of the block that they are a part of. */
static inline unsigned int index_order(unsigned int index)
{
	return index_is_exact(index) ?
	       PCP_EXACT_ORDER + (index - NR_PCP_ORDER_LISTS) / PCP_EXACT_NUMBERS :
	       index / MIGRATE_PCPTYPES;
}

/* Pages in each block of the list. */
static inline unsigned long index_pages(unsigned int index)
{
	unsigned int order = index_order(index);
	unsigned long eighths = PCP_EXACT_FIRST_EIGHTH +
				(index - NR_PCP_ORDER_LISTS) % PCP_EXACT_NUMBERS;

	return index_is_exact(index) ? eighths << (order - 3) : 1UL << order;
}

/* How many blocks of this list's size the pages are. */
static inline uint32_t index_blocks_in(unsigned int index, int pages)
{
	return (uint32_t)((unsigned long)pages / index_pages(index));
}

/* The type whose list a freed page goes to. Isolated pages go to no list. */
static inline enum migratetype list_type(enum migratetype type)
{
	return type < MIGRATE_PCPTYPES ? type : MIGRATE_MOVABLE;
}

/*
 * The lists of Linux's orders follow Linux's rule: pages of the reserve and of CMA pageblocks go to
 * the MOVABLE list. For other orders, blocks of these types go to no list.
 */
static inline bool type_is_listed(unsigned int order, enum migratetype type)
{
	return pcp_allowed_order(order) ? type != MIGRATE_ISOLATE : type < MIGRATE_PCPTYPES;
}

/*
 * NULL until the list is set. Pairs with init_list() and set_exact_lists(): the list's capacity and
 * slots
 */
static inline struct percpu_array *list_of(const struct zone *z, unsigned int index)
{
	return atomic_load_acquire(&z->pcp_lists[index]);
}

static inline struct pcp_tuning *tuning_of(const struct zone *z, unsigned int slot)
{
	return percpu_ptr(z->pcp_tuning, slot);
}

/* A stopped list has a negative count. */
static inline unsigned int list_blocks(const struct percpu_array *list)
{
	int32_t count = (int32_t)atomic_load_relaxed(&list->count);

	return count > 0 ? (unsigned int)count : 0;
}

/* The limit that percpu_array_prepare() set last on that slot; 0: the list keeps nothing. */
static inline uint32_t slot_limit(const struct percpu_array *list, unsigned int slot)
{
	const struct percpu_array *array = percpu_ptr(list, slot);

	return atomic_load_relaxed(&array->limit);
}

/* Blocks on one slot's list. */
static inline unsigned long slot_blocks(const struct zone *z, unsigned int slot, unsigned int index)
{
	const struct percpu_array *list = list_of(z, index);

	return list ? list_blocks(percpu_ptr(list, slot)) : 0;
}

/* Pages on one slot's lists of the zone, without those that count as free (pcp_counts.c). */
unsigned long slot_pages(const struct zone *z, unsigned int slot);

/*
 * Gives nr blocks of the list's size back to the zone, under one hold of its lock (pcp.c). Reports
 * a block that was free already. The caller calls release_excess() when its buffer of blocks is off
 * the stack.
 */
void pcp_give_blocks(struct zone *z, unsigned int index, struct page *const *pages,
		     unsigned long nr);

/* Clears ZONE_BELOW_HIGH if pages that came back have lifted the zone above that mark (pcp.c). */
void end_below_high(struct zone *z);

#endif
