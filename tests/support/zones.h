/* SPDX-License-Identifier: MIT */
/*
 * For tests of nodes and zones. Each runs in a child of its own, with zones that its options ask
 * for, and takes memory until a request is refused.
 */
#ifndef SUPPORT_ZONES_H
#define SUPPORT_ZONES_H

#include "page/zone.h"
#include "usermm/usermm.h"

#include <kunit/test.h>

#define MIB_PAGES(mib) ((unsigned long)(mib) << 8)

/*
 * Runs fn in a child whose library comes up with these options. The calling process must not have
 * used the library.
 */
void zones_run(struct kunit *test, const char *options, void (*fn)(struct kunit *test));

/* Blocks that were taken, linked by page->lru. */
struct hoard {
	struct list_head blocks[NR_PAGE_ORDERS];
	unsigned long nr;	/* taken by the last call */
};

void hoard_init(struct hoard *hoard);
/* Takes up to nr blocks, from node nid on (-1: any node). Returns how many it got. */
unsigned long hoard_take(struct hoard *hoard, gfp_t gfp, unsigned int order, int nid,
			 const unsigned long *nodes, unsigned long nr);
/* Takes all blocks that there are. */
#define hoard_take_all(hoard, gfp, order) hoard_take(hoard, gfp, order, -1, NULL, ~0UL)
/* Frees all blocks of the hoard, and empties the CPUs' lists. */
void hoard_give_all(struct hoard *hoard);

/* Empties all CPUs' lists, also if slots cannot be stopped. */
void zones_drain(void);
/* Skips the case if CPUs cannot be stopped, so that memory may stay on their lists. */
void zones_need_stopping(struct kunit *test);

/* Blocks of all types on the free lists of one order, without those on CPUs' lists. */
static inline unsigned long free_area_blocks(const struct free_area *area)
{
	unsigned long nr = 0;

	for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
		nr += atomic_load_relaxed(&area->nr_of_type[type]);
	return nr;
}

/* A node's zone. */
struct zone *zone_at(unsigned int node, enum zone_type index);

/*
 * Checks every list of every zone: order, type, alignment and counts, and that no other block is
 * free.
 */
void zones_check_lists(struct kunit *test);
/* Checks that all memory is free, in blocks of the highest order. */
void zones_check_whole(struct kunit *test);

#endif
