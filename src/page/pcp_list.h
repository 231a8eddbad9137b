/* SPDX-License-Identifier: MIT */
/*
 * A zone's per-CPU lists as those see them who fill, empty and count them: pcp.c,
 * pcp_drain.c and pcp_counts.c.
 */
#ifndef PAGE_PCP_LIST_H
#define PAGE_PCP_LIST_H

#include "page/pcp.h"
#include "page/pcp_tuning.h"

/* No list has room for more blocks. */
#define PCP_CAPACITY_MAX 511

static inline unsigned int list_index(unsigned int order, enum migratetype type)
{
	return order * MIGRATE_PCPTYPES + type;
}

static inline unsigned int index_order(unsigned int index)
{
	return index / MIGRATE_PCPTYPES;
}

/* The type whose list a freed page goes to. Isolated pages go to none. */
static inline enum migratetype list_type(enum migratetype type)
{
	return type < MIGRATE_PCPTYPES ? type : MIGRATE_MOVABLE;
}

/* pairs with init_zone_lists(): the list's capacity, and the slots; NULL until then */
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

/* What percpu_array_prepare() said last on that slot; 0 if nothing is to be kept. */
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

/* Pages on one slot's lists of the zone that do not count as free (pcp_counts.c). */
unsigned long slot_pages(const struct zone *z, unsigned int slot);

/* After pages came back: is the zone above its high mark again? (pcp.c) */
void end_below_high(struct zone *z);

#endif
