/* SPDX-License-Identifier: MIT */
/*
 * Pageblocks: 512 pages, the unit in which memory has a migrate type.
 *
 * A table of the window (mm/memmap.h) holds a word for each pageblock, its class: the number of its
 * zone, its type, and room for an order in the lowest bits. Class plus order is the index by which
 * the free path finds a page's per-CPU list. A free may read a class that is about to change. Then
 * the page is on the list of the old type for a while, and goes to the list of the new type when it
 * returns to the free lists. cf. Linux get_pfnblock_migratetype().
 */
#ifndef PAGE_PAGEBLOCK_H
#define PAGE_PAGEBLOCK_H

#include "base/atomic.h"
#include "mm/memmap.h"
#include "page/zone.h"

#define PAGEBLOCK_ORDER MM_PAGEBLOCK_ORDER
#define PAGEBLOCK_PAGES (1UL << PAGEBLOCK_ORDER)

#define CLASS_ORDER_BITS 4
#define CLASS_TYPE_BITS 3
#define CLASS_TYPE_MASK ((1u << CLASS_TYPE_BITS) - 1)
#define CLASS_ZONE_SHIFT (CLASS_ORDER_BITS + CLASS_TYPE_BITS)
#define PAGE_CLASSES_END ((MAX_NUMNODES * MAX_NR_ZONES) << CLASS_ZONE_SHIFT)

_Static_assert(NR_PAGE_ORDERS <= 1 << CLASS_ORDER_BITS && MIGRATE_TYPES <= 1 << CLASS_TYPE_BITS &&
	       PAGE_CLASSES_END <= UINT16_MAX + 1, "a class has room for all");

static inline unsigned int page_class_of(const struct zone *z, enum migratetype type)
{
	return (z->node * MAX_NR_ZONES + z->index) << CLASS_ZONE_SHIFT | type << CLASS_ORDER_BITS;
}

/* Sync: written under the zone's lock */
static __always_inline unsigned int page_class_at(unsigned long map_offset)
{
	return atomic_load_relaxed(mm_pageblock(map_offset));
}

static __always_inline unsigned int page_class(const struct page *page)
{
	return page_class_at(mm_map_offset(page));
}

static inline struct zone *class_zone(unsigned int class)
{
	unsigned int number = class >> CLASS_ZONE_SHIFT;

	return &NODE_DATA(number / MAX_NR_ZONES)->node_zones[number % MAX_NR_ZONES];
}

static inline enum migratetype class_type(unsigned int class)
{
	return (enum migratetype)(class >> CLASS_ORDER_BITS & CLASS_TYPE_MASK);
}

static inline struct zone *page_zone(const struct page *page)
{
	return class_zone(page_class(page));
}

static inline enum migratetype get_pageblock_migratetype(const struct page *page)
{
	return class_type(page_class(page));
}

/* The caller holds the lock of the page's zone, z. */
static inline void set_pageblock_migratetype(const struct zone *z, const struct page *page,
					     enum migratetype type)
{
	atomic_store_relaxed(mm_pageblock(mm_map_offset(page)),
			     (uint16_t)page_class_of(z, type));
}

static inline struct page *pageblock_start(const struct page *page)
{
	return pfn_to_page(ALIGN_DOWN(page_to_pfn(page), PAGEBLOCK_PAGES));
}

#endif
