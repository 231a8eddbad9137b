/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PAGEMAP_H
#define KERNEL_LINUX_PAGEMAP_H

#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched.h>

/* A page's lock is the flag PG_locked. Whoever set it clears it. */
static inline bool trylock_page(struct page *page)
{
	return !TestSetPageLocked(page);
}

static inline void unlock_page(struct page *page)
{
	ClearPageLocked(page);
}

/* Holders are expected to be few and quick: it waits by giving the processor away. */
static inline void lock_page(struct page *page)
{
	while (!trylock_page(page))
		yield();
}

/*
 * How the pages of a file are allocated, and whether they may be reclaimed: they never are. The
 * structure is in <linux/fs.h>, which is not included: <linux/slab.h> includes this file.
 */
#define mapping_gfp_mask(mapping) ((mapping)->gfp_mask)
#define mapping_set_gfp_mask(mapping, gfp) ((void)((mapping)->gfp_mask = (gfp)))
#define mapping_gfp_constraint(mapping, gfp) (mapping_gfp_mask(mapping) & (gfp))
#define mapping_set_unevictable(mapping) ((void)(mapping))
#define mapping_clear_unevictable(mapping) ((void)(mapping))
#define mapping_unevictable(mapping) ((void)(mapping), true)

#define folio_lock(folio) lock_page(&(folio)->page)
#define folio_trylock(folio) trylock_page(&(folio)->page)
#define folio_unlock(folio) unlock_page(&(folio)->page)

#endif
