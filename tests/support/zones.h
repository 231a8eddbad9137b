/* SPDX-License-Identifier: MIT */
/*
 * Tests of nodes and zones: each runs in a child of its own, with the zones that its
 * options say, and takes memory until it is refused.
 */
#ifndef SUPPORT_ZONES_H
#define SUPPORT_ZONES_H

#include "page/zone.h"
#include "usermm/usermm.h"

#include <kunit/test.h>

#define MIB_PAGES(mib) ((unsigned long)(mib) << 8)

/*
 * fn in a child whose library comes up with these options. The calling process must
 * not have used the library.
 */
void zones_run(struct kunit *test, const char *options, void (*fn)(struct kunit *test));

/* Blocks that were taken, linked by page->lru. */
struct hoard {
	struct list_head blocks[NR_PAGE_ORDERS];
	unsigned long nr;	/* taken by the last call */
};

void hoard_init(struct hoard *hoard);
/* Takes up to nr blocks, from node nid on (-1: wherever); how many it got. */
unsigned long hoard_take(struct hoard *hoard, gfp_t gfp, unsigned int order, int nid,
			 const unsigned long *nodes, unsigned long nr);
/* All there are. */
#define hoard_take_all(hoard, gfp, order) hoard_take(hoard, gfp, order, -1, NULL, ~0UL)
/* Frees all, and empties the CPUs' lists. */
void hoard_give_all(struct hoard *hoard);

/* Empties all CPUs' lists, by whatever way there is. */
void zones_drain(void);
/* Skips a case whose memory may be left on the lists of CPUs that nobody can stop. */
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

/* Checks every list of every zone: order, type, alignment, counts; nothing else is free. */
void zones_check_lists(struct kunit *test);
/* All memory is free, in blocks of the highest order. */
void zones_check_whole(struct kunit *test);

#endif
