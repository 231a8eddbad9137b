/* SPDX-License-Identifier: MIT */
/*
 * Watermarks: how much of the zone is kept back, and for whom; and the budget.
 *
 * cf. Linux mm/page_alloc.c: init_per_zone_wmark_min(), __setup_per_zone_wmarks(),
 * __zone_watermark_ok(). With one zone there is no lowmem_reserve.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "page/gfp.h"
#include "page/zone.h"

#define MIN_FREE_KBYTES_LOW 128UL
#define MIN_FREE_KBYTES_HIGH 262144UL
/* Distance between the marks: this many ten-thousandths of the zone, at least. */
#define WATERMARK_SCALE_FACTOR 10

static unsigned long integer_sqrt(unsigned long x)
{
	unsigned long root = 0;

	for (unsigned long bit = 1UL << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

void zone_set_watermarks(struct zone *z)
{
	unsigned long managed = z->managed_pages;
	unsigned long kbytes = integer_sqrt(managed * (PAGE_SIZE / 1024) * 16);
	unsigned long low, delta;

	low = clamp(kbytes, MIN_FREE_KBYTES_LOW, MIN_FREE_KBYTES_HIGH) / (PAGE_SIZE / 1024);
	delta = max(low / 4, managed * WATERMARK_SCALE_FACTOR / 10000);
	z->watermark[WMARK_MIN] = low;
	z->watermark[WMARK_LOW] = low + delta;
	z->watermark[WMARK_HIGH] = low + 2 * delta;
}

/* The mark, lowered for requests that may use the reserve. */
static long effective_mark(const struct zone *z, unsigned int alloc_flags)
{
	long mark = (long)z->watermark[alloc_flags & ALLOC_WMARK_MASK];

	if (alloc_flags & ALLOC_RESERVES) {
		if (alloc_flags & ALLOC_MIN_RESERVE) {
			mark -= mark / 2;
			if (alloc_flags & ALLOC_NON_BLOCK)
				mark -= mark / 4;
		}
		if (alloc_flags & ALLOC_OOM)
			mark -= mark / 2;
	}
	return mark;
}

bool zone_watermark_ok(const struct zone *z, unsigned int order, unsigned int alloc_flags)
{
	long usable = (long)atomic_load_relaxed(&z->free_pages) - ((1L << order) - 1);

	if (alloc_flags & ALLOC_NO_WATERMARKS)
		return usable > 0;
	return usable > effective_mark(z, alloc_flags);
}

bool zone_watermark_ok_bulk(const struct zone *z, unsigned long nr, unsigned int alloc_flags)
{
	long usable = (long)atomic_load_relaxed(&z->free_pages) - (long)nr;

	return usable > effective_mark(z, alloc_flags);
}

/* What a signal handler above a holder charges is counted by whoever has the lock next. */
bool zone_charge(struct zone *z, unsigned long pages)
{
	bool locked = zone_acquire(z);
	long usable = (long)(atomic_load_relaxed(&z->free_pages) -
			     atomic_load_relaxed(&z->charged) - pages);
	bool fits = usable > effective_mark(z, ALLOC_WMARK_MIN);

	if (fits && locked)
		zone_add_free_pages(z, -pages);
	else if (fits)
		atomic_add_relaxed(&z->charged, pages);
	if (locked)
		lock_release(&z->lock);
	return fits;
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
