/* SPDX-License-Identifier: MIT */
/*
 * How many pages a CPU takes and gives back at a time, and keeps. cf. Linux
 * mm/page_alloc.c: zone_batchsize(), zone_highsize(), nr_pcp_alloc(), nr_pcp_free(),
 * nr_pcp_high().
 */
#ifndef PAGE_PCP_PCP_TUNING_H
#define PAGE_PCP_PCP_TUNING_H

#include "page/zone.h"

/* Each run in the same direction as the last one doubles the batch, but at most this often. */
#define PCP_BATCH_SCALE_MAX 5

/*
 * One for each zone and slot. Sync: atomic relaxed. Two threads may write at once, when one leaves
 * the slot and another comes to it. This is harmless, because the values are hints.
 */
struct pcp_tuning {
	int high;
	int free_count;		/* pages freed since the last run of allocations */
	int alloc_factor;
	int freed_high_order;	/* was the last run of frees one of orders 1 to 3? */
};

/* Sets batch and high of the zone. Lists keep nothing if pages is false. */
void pcp_set_limits(struct zone *z, unsigned int nr_cpus, bool pages);
/* Sets high again after the zone's size or marks changed. Not called if lists keep nothing. */
void pcp_set_high(struct zone *z, unsigned int nr_cpus);

/* Pages that a CPU may keep now. */
int pcp_read_high(const struct zone *z, const struct pcp_tuning *tuning);

/*
 * Blocks to take for an empty list while count pages are on this CPU's lists; 1 if lists keep
 * nothing.
 */
int pcp_nr_alloc(const struct zone *z, struct pcp_tuning *tuning, unsigned int order,
		 int count);
/*
 * Pages to give back when a run of nr freed pages has filled a list. Sets *high to the list's new
 * high, in pages.
 */
int pcp_nr_free(const struct zone *z, struct pcp_tuning *tuning, unsigned int order,
		int count, int nr, int *high);

#endif
