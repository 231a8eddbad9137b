/* SPDX-License-Identifier: MIT */
/* Counts what is on the CPUs' lists, without stopping any CPU. */
#include "page/pcp/pcp_list.h"

often_called unsigned long slot_pages(const struct zone *z, unsigned int slot)
{
	unsigned long pages = 0;

	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		if (pcp_allowed_order(index_order(i)))
			pages += slot_blocks(z, slot, i) << index_order(i);
	return pages;
}

/* How many blocks of the order the slot's exact blocks will become when they go back. */
static unsigned long exact_blocks(const struct zone *z, unsigned int slot, unsigned int order)
{
	unsigned long blocks = 0;

	for (unsigned int i = NR_PCP_ORDER_LISTS; i < NR_PCP_LISTS; i++)
		if (index_pages(i) >> order & 1)
			blocks += slot_blocks(z, slot, i);
	return blocks;
}

unsigned long zone_free_blocks(const struct zone *z, unsigned int order, enum migratetype type)
{
	unsigned long blocks = atomic_load_relaxed(&z->free_area[order].nr_of_type[type]);

	if (type >= MIGRATE_PCPTYPES ||
	    !zone_test_flag(z, ZONE_BLOCKS_LISTED | ZONE_BLOCKS_MOVING))
		return blocks;
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		if (!pcp_allowed_order(order))
			blocks += slot_blocks(z, slot, list_index(order, type));
		if (type == MIGRATE_UNMOVABLE)
			blocks += exact_blocks(z, slot, order);
	}
	return blocks;
}

unsigned long zone_free_blocks_of_order(const struct zone *z, unsigned int order)
{
	unsigned long blocks = 0;

	for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
		blocks += zone_free_blocks(z, order, type);
	return blocks;
}

unsigned long zone_free_pages(const struct zone *z)
{
	unsigned long pages = atomic_load_relaxed(&z->free_pages);

	if (!zone_test_flag(z, ZONE_BLOCKS_LISTED | ZONE_BLOCKS_MOVING))
		return pages;
	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
			if (!pcp_allowed_order(index_order(i)))
				pages += slot_blocks(z, slot, i) * index_pages(i);
	return pages;
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
	counts->high = pcp_read_high(z, tuning_of(z, slot));
	counts->batch = z->pcp_batch;
}

FOR_KERNEL(pcp_pages);
FOR_KERNEL(zone_free_blocks_of_order);
FOR_KERNEL(zone_free_pages);
