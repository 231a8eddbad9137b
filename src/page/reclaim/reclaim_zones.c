/* SPDX-License-Identifier: MIT */
/* The zones' counts, for reclaim and its reports. */
#include "base/check.h"
#include "base/fmt.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "page/zonelist.h"

#define PAGE_KIB (PAGE_SIZE / KIB)
/* For each order: a count of up to 20 digits, a size and the types. */
#define SHOW_BYTES (NR_PAGE_ORDERS * (20 + 8 + 12))

unsigned long reclaim_available_pages(void)
{
	return nodes_free_pages() + pcp_pages();
}

bool reclaim_could_satisfy(const struct alloc_context *ac, unsigned int order,
			   unsigned int alloc_flags, unsigned long more_pages)
{
	const struct zoneref *ref;
	struct zone *z;

	for_each_zone_zonelist(z, ref, ac)
		if (zone_could_be_ok(z, order, wmark_pages(z, WMARK_MIN), ac->highest,
				     alloc_flags, more_pages))
			return true;
	return false;
}

static void show_marks(const struct zone *z)
{
	report_line("Node %u %s free:%lukB boost:%lukB min:%lukB low:%lukB high:%lukB "
		    "reserved_highatomic:%lukB managed:%lukB free_pcp:%lukB",
		    z->node, z->name, zone_free_pages(z) * PAGE_KIB,
		    atomic_load_relaxed(&z->watermark_boost) * PAGE_KIB,
		    wmark_pages(z, WMARK_MIN) * PAGE_KIB, wmark_pages(z, WMARK_LOW) * PAGE_KIB,
		    wmark_pages(z, WMARK_HIGH) * PAGE_KIB,
		    atomic_load_relaxed(&z->nr_reserved_highatomic) * PAGE_KIB,
		    zone_managed_pages(z) * PAGE_KIB, pcp_zone_pages(z) * PAGE_KIB);
}

/* " (UM)": the types of the order's free blocks. */
static size_t show_types(const struct zone *z, unsigned int order, char *text, size_t size)
{
	static const char letters[] = "UMEHCI";
	size_t used = 0;

	_Static_assert(sizeof(letters) == MIGRATE_TYPES + 1, "a letter for each type");
	for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
		if (zone_free_blocks(z, order, type))
			used += fmt_format(text + used, size - used, used ? "%c" : " (%c",
					   letters[type]);
	return used ? used + fmt_format(text + used, size - used, ")") : 0;
}

/* Reports free blocks by order, which shows why there is no block although there are pages. */
static void show_blocks(const struct zone *z)
{
	unsigned long pages = 0;
	char text[SHOW_BYTES];
	size_t used = 0;

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		unsigned long nr = zone_free_blocks_of_order(z, order);

		used += fmt_format(text + used, sizeof(text) - used, " %lu*%lukB", nr,
				   PAGE_KIB << order);
		used += show_types(z, order, text + used, sizeof(text) - used);
		pages += nr << order;
	}
	report_line("Node %u %s:%s = %lukB", z->node, z->name, text, pages * PAGE_KIB);
}

void reclaim_show_zones(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		show_marks(z);
	for_each_populated_zone(z)
		show_blocks(z);
}
