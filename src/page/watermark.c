/* SPDX-License-Identifier: MIT */
/*
 * Watermarks: how much of a zone is kept back, and for whom; and the budget.
 *
 *	min	below it, only requests with a right to reserves get pages
 *	low	the fast path stays above it
 *	high	above it, background reclaim stops, and CPUs' lists may grow
 *	promo	one step further up
 *
 * lowmem_reserve[i] is the number of pages that a zone keeps from requests that may also use
 * zone i. A boost raises all marks for a while after types were mixed in a pageblock.
 *
 * cf. Linux mm/page_alloc.c: calculate_min_free_kbytes(), __setup_per_zone_wmarks(),
 * setup_per_zone_lowmem_reserve(), __zone_watermark_ok(). Here, budget that is not online yet is
 * free memory in blocks of the highest order.
 */
#include "page/watermark.h"

#include <limits.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/options.h"
#include "page/buddy.h"
#include "page/gfp.h"
#include "page/pcp/pcp.h"

#define KBYTES_PER_PAGE (PAGE_SIZE / 1024)
#define MIN_FREE_KBYTES_LOW 128UL
#define MIN_FREE_KBYTES_HIGH 262144UL
/* The distance between two marks is at least this many ten-thousandths of the zone. */
#define WATERMARK_SCALE_FACTOR 10
/* The min mark of a Movable zone, in pages. Small: urgent requests do not use that zone. */
#define MOVABLE_MIN_LOW 32UL
#define MOVABLE_MIN_HIGH 128UL

/* How many pages of the zones above it make a zone reserve one page; 0: it reserves none. */
static const unsigned long lowmem_reserve_ratio[MAX_NR_ZONES] = {
	[ZONE_DMA] = 256, [ZONE_DMA32] = 256, [ZONE_NORMAL] = 32,
};

static unsigned long integer_sqrt(unsigned long x)
{
	unsigned long root = 0;

	for (unsigned long bit = 1UL << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

unsigned long min_free_pages(unsigned long lowmem_pages)
{
	unsigned long kbytes = integer_sqrt(lowmem_pages * KBYTES_PER_PAGE * 16);

	if (kbytes > options.min_free_kbytes)
		kbytes = clamp(kbytes, MIN_FREE_KBYTES_LOW, MIN_FREE_KBYTES_HIGH);
	else
		kbytes = options.min_free_kbytes;
	return kbytes / KBYTES_PER_PAGE;
}

void zone_set_watermarks(struct zone *z, unsigned long min_pages, unsigned long lowmem_pages)
{
	unsigned long managed = zone_share_pages(z);
	unsigned long share, delta, mark;

	share = (unsigned long)((unsigned __int128)min_pages * managed / max(lowmem_pages, 1UL));
	delta = max(share / 4, managed / 10000 * WATERMARK_SCALE_FACTOR +
			       managed % 10000 * WATERMARK_SCALE_FACTOR / 10000);
	mark = z->index != ZONE_MOVABLE ? share :
	       clamp(managed / 1024, MOVABLE_MIN_LOW, MOVABLE_MIN_HIGH);
	for (unsigned int i = 0; i < NR_WMARK; i++, mark += delta)
		atomic_store_relaxed(&z->watermark[i], mark);
}

void node_set_lowmem_reserve(struct pglist_data *node)
{
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		struct zone *z = &node->node_zones[i];
		unsigned long ratio = lowmem_reserve_ratio[i], above = 0;

		for (unsigned int j = i + 1; j < MAX_NR_ZONES; j++) {
			above += zone_share_pages(&node->node_zones[j]);
			z->lowmem_reserve[j] = ratio && populated_zone(z) ? above / ratio : 0;
		}
	}
}

static unsigned long lowmem_pages(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		if (z->index != ZONE_MOVABLE)
			pages += zone_share_pages(z);
	return pages;
}

void zones_set_min_free(unsigned long min_pages)
{
	unsigned long lowmem = lowmem_pages();
	struct zone *z;

	for_each_populated_zone(z) {
		zone_set_watermarks(z, min_pages, lowmem);
		zone_lower_boost(z, ULONG_MAX);
	}
}

void zones_set_watermarks(void)
{
	zones_set_min_free(min_free_pages(lowmem_pages()));
	/* With only one kind of zone, the reserves stay 0 and are not written to. */
	for (unsigned int node = 0; page_has_several_kinds() && node < nr_online_nodes; node++)
		node_set_lowmem_reserve(NODE_DATA(node));
}

/* --- The test ------------------------------------------------------------------------ */

/* The mark, lowered for requests that may use the reserve. */
static long lowered_mark(long mark, unsigned int alloc_flags)
{
	if (alloc_flags & ALLOC_MIN_RESERVE) {
		mark -= mark / 2;
		if (alloc_flags & ALLOC_NON_BLOCK)
			mark -= mark / 4;
	}
	if (alloc_flags & ALLOC_OOM)
		mark -= mark / 2;
	return mark;
}

/* Free pages that this request may not use. */
static unsigned long unusable_pages(const struct zone *z, unsigned int order,
				    unsigned int alloc_flags)
{
	unsigned long pages = (1UL << order) - 1;

	if (!(alloc_flags & ALLOC_RESERVES))
		pages += atomic_load_relaxed(&z->nr_free_highatomic);
	if (!(alloc_flags & ALLOC_CMA))
		pages += atomic_load_relaxed(&z->nr_free_cma);
	return pages;
}

/*
 * Is there a free block of this order or a larger one, of a type that the request may use? Looks
 * without the lock, as Linux does.
 */
static bool has_block(const struct zone *z, unsigned int order, unsigned int alloc_flags)
{
	unsigned int types = 1u << MIGRATE_UNMOVABLE | 1u << MIGRATE_MOVABLE |
			     1u << MIGRATE_RECLAIMABLE;

	if (alloc_flags & ALLOC_CMA)
		types |= 1u << MIGRATE_CMA;
	if (alloc_flags & (ALLOC_HIGHATOMIC | ALLOC_OOM))
		types |= 1u << MIGRATE_HIGHATOMIC;
	for (; order < NR_PAGE_ORDERS; order++) {
		const struct free_area *area = &z->free_area[order];

		for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
			if ((types >> type & 1) && atomic_load_relaxed(&area->nr_of_type[type]))
				return true;
	}
	return false;
}

/*
 * Is the zone above the mark if `more` pages more were free? free_pages includes budget that is
 * offline.
 */
static bool is_above(const struct zone *z, unsigned int order, unsigned long mark,
		     enum zone_type highest, unsigned int alloc_flags, unsigned long more)
{
	long usable = (long)(atomic_load_relaxed(&z->free_pages) + more -
			     unusable_pages(z, order, alloc_flags));

	return usable > lowered_mark((long)mark, alloc_flags) + (long)z->lowmem_reserve[highest];
}

bool zone_watermark_ok(const struct zone *z, unsigned int order, unsigned long mark,
		       enum zone_type highest, unsigned int alloc_flags)
{
	return is_above(z, order, mark, highest, alloc_flags, 0) &&
	       (!order || zone_offline_pages(z) || has_block(z, order, alloc_flags));
}

bool zone_could_be_ok(const struct zone *z, unsigned int order, unsigned long mark,
		      enum zone_type highest, unsigned int alloc_flags, unsigned long more)
{
	unsigned long offline = zone_offline_pages(z), refused = 0;

	if (zone_test_flag(z, ZONE_GROWTH_REFUSED))
		refused = offline;
	/* The difference may wrap around; the sum in is_above() wraps back. */
	return is_above(z, order, mark, highest, alloc_flags, more - refused) &&
	       (!order || offline > refused || has_block(z, order, alloc_flags));
}

bool zone_watermark_fast(const struct zone *z, unsigned int order, enum zone_type highest,
			 unsigned int alloc_flags)
{
	enum zone_watermark mark = (enum zone_watermark)(alloc_flags & ALLOC_WMARK_MASK);

	if (zone_watermark_ok(z, order, wmark_pages(z, mark), highest, alloc_flags))
		return true;
	/* At the min mark, an urgent request for a single page ignores the boost. */
	return !order && (alloc_flags & ALLOC_MIN_RESERVE) && mark == WMARK_MIN &&
	       atomic_load_relaxed(&z->watermark_boost) &&
	       zone_watermark_ok(z, 0, atomic_load_relaxed(&z->watermark[WMARK_MIN]), highest,
				 alloc_flags);
}

void zone_lower_boost(struct zone *z, unsigned long pages)
{
	if (!atomic_load_relaxed(&z->watermark_boost) || !zone_acquire(z))
		return;
	atomic_store_relaxed(&z->watermark_boost,
			     z->watermark_boost - min(z->watermark_boost, pages));
	lock_release(&z->lock);
}

/* --- The budget ---------------------------------------------------------------------- */

static bool has_room(const struct zone *z, unsigned long pages)
{
	long usable = (long)(atomic_load_relaxed(&z->free_pages) -
			     atomic_load_relaxed(&z->charged) - pages);

	return usable > (long)wmark_pages(z, WMARK_MIN);
}

/*
 * For a signal handler above a holder of this zone's lock or another lock. The pages stay in
 * free_pages; whoever takes the zone's lock next takes them off.
 *
 * Adds its charge before it looks. So if the charges of two handlers do not both fit, both may
 * fail, but they never both succeed. A thread that holds the lock may succeed at the same moment,
 * because it takes its pages off free_pages after it has looked. The min mark's pages cover that.
 */
static bool charge_unlocked(struct zone *z, unsigned long pages)
{
	if (!has_room(z, pages))
		return false;
	atomic_add_relaxed(&z->charged, pages);
	if (has_room(z, 0))
		return true;
	atomic_add_relaxed(&z->charged, -pages);
	return false;
}

static bool charge(struct zone *z, unsigned long pages)
{
	bool fits;

	if (!zone_acquire(z))
		return charge_unlocked(z, pages);
	fits = has_room(z, pages);
	if (fits)
		zone_add_free_pages(z, -pages);
	lock_release(&z->lock);
	return fits;
}

bool zone_charge(struct zone *z, unsigned long pages)
{
	return charge(z, pages) || (pcp_return_blocks(z) && charge(z, pages));
}

void zone_uncharge(struct zone *z, unsigned long pages)
{
	if (!zone_acquire(z)) {
		atomic_add_relaxed(&z->charged, -pages);
		return;
	}
	zone_add_free_pages(z, pages);
	lock_release(&z->lock);
}

static unsigned long listed_pages_locked(const struct zone *z)
{
	unsigned long pages = 0;

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		for (unsigned int type = 0; type < MIGRATE_ISOLATE; type++)
			pages += z->free_area[order].nr_of_type[type] << order;
	return pages;
}

/* Solves the equation in zone.h for what is charged. */
unsigned long zone_charged_pages(struct zone *z)
{
	unsigned long pages;

	if (!zone_acquire(z))
		return 0;
	/* More pages may be online than the zone has; the sum wraps back. */
	pages = listed_pages_locked(z) + z->managed_pages - z->present_pages - z->free_pages;
	lock_release(&z->lock);
	return pages;
}

FOR_KERNEL(zone_charge);
FOR_KERNEL(zone_uncharge);
FOR_KERNEL(zones_set_min_free);
