/* SPDX-License-Identifier: MIT */
/*
 * Giving free memory back to the system.
 *
 * A free block that may hold data ("dirty") keeps its memory, which the next owner then gets
 * without a page fault. If there is more of it than release_dirty_pages(), the excess goes back
 * by and by: every RELEASE_INTERVAL_MS a share of what nobody has needed in that time. That is
 * the least that there was (zone->dirty_low). So a program that frees and allocates again in
 * turns shorter than that keeps what its turns need. Once it needs nothing, half goes in less
 * than a second.
 *
 * Whoever gives a block back does this, each time a piece that takes a few milliseconds. A
 * program may also free and then do nothing; then the background thread does it, if there is
 * much to do (decay.h).
 *
 * Memory that went back reads as zero and is known to be (PG_zeroed). It stays free and part of
 * the budget.
 */
#include "page/reclaim/release.h"

#include "base/options.h"
#include "base/upward_hooks.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/buddy.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/reclaim.h"
#include "usermm/reclaim.h"

/* Of what was not needed, at a time: half of it is gone after three. */
#define RELEASE_SHARE 4
/* At a time by a thread that has other things to do. */
#define RELEASE_STEP_PAGES (32 * MIB / PAGE_SIZE)
/* Smaller blocks are not worth a system call. */
#define RELEASE_ORDER_MIN 4

unsigned long release_much_pages = RELEASE_LISTS_PAGES;

void release_init(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		pages += release_lists_pages(z);
	if (release_much_pages == RELEASE_LISTS_PAGES)	/* else a test has a wish */
		release_much_pages = min(release_much_pages, pages);
}

static unsigned int smallest_order(void)
{
	return max((unsigned int)get_order(os_page_bytes()), RELEASE_ORDER_MIN + 0u);
}

static unsigned long release_block_locked(struct zone *z)
{
	struct page *page;
	unsigned long nr;
	bool released;

	page = buddy_take_dirty(z, smallest_order(), &nr);
	if (!page)
		return 0;
	released = !mm_discard(page, nr);
	buddy_give_range(page, nr, released);
	return released ? nr : 0;
}

/*
 * One block; the pages given back, 0 if there is none or the system does not want it.
 * Meanwhile it is on no list. So the lock of emptying CPUs' lists is held: a request that
 * finds nothing empties them before it gives up, and then finds the block; and fork()
 * waits for it, or the child would not have it.
 */
static unsigned long release_block(struct zone *z)
{
	unsigned long nr;

	if (page_hooks() & HOOK_POISON)		/* what is filled has to stay */
		return 0;
	lock_acquire(&page_drain_lock);
	zone_set_flag(z, ZONE_BLOCKS_MOVING);
	nr = release_block_locked(z);
	zone_clear_flag(z, ZONE_BLOCKS_MOVING);
	lock_release(&page_drain_lock);
	return nr;
}

static unsigned long release_pages_beyond(struct zone *z, unsigned long keep, unsigned long most)
{
	unsigned long total = 0, nr;

	while (total < most && atomic_load_relaxed(&z->dirty_pages) > keep) {
		nr = release_block(z);
		if (!nr)
			break;
		total += nr;
	}
	return total;
}

static unsigned long excess(const struct zone *z)
{
	unsigned long dirty = atomic_load_relaxed(&z->dirty_pages);

	return dirty > release_dirty_pages(z) ? dirty - release_dirty_pages(z) : 0;
}

/* Dirty pages beyond what is kept that nobody has needed since the last call. */
static unsigned long unused_since(struct zone *z)
{
	unsigned long low;

	lock_acquire(&z->lock);
	low = z->dirty_low;
	z->dirty_low = z->dirty_pages;
	lock_release(&z->lock);
	return low > release_dirty_pages(z) ? low - release_dirty_pages(z) : 0;
}

bool release_is_much(unsigned long pages)
{
	return options.background == OPTION_BACKGROUND_ON ||
	       (options.background == OPTION_BACKGROUND_AUTO && pages > release_much_pages);
}

/* A share of what is not needed, spread over as many calls as it takes. */
static void release_piece(struct zone *z)
{
	unsigned long due, piece;

	if (decay_turn(&z->released_ms, os_time_ms(), RELEASE_INTERVAL_MS))
		atomic_store_relaxed(&z->release_due, unused_since(z) / RELEASE_SHARE);
	due = atomic_load_relaxed(&z->release_due);
	piece = min(due, RELEASE_STEP_PAGES);
	if (piece && atomic_cas_relaxed(&z->release_due, &due, due - piece))
		release_pages_beyond(z, release_dirty_pages(z), piece);
}

void release_some(struct zone *z)
{
	if (!lock_none_held())
		return;
	/* Frees that stay on lists do not come by here, so for now none do. */
	if (atomic_load_relaxed(&z->dirty_pages) > release_lists_pages(z))
		pcp_return_blocks(z);
	if (decay_in_background(atomic_load_relaxed(&z->dirty_pages)))
		return;
	release_piece(z);
	/* No thread can be made here, so nobody else may do it if the program rests now. */
	if (release_is_much(atomic_load_relaxed(&z->dirty_pages)))
		release_pages_beyond(z, release_much_pages, ~0UL);
}

/* A share of the zone's unused pages. Is it worth to come back? */
static bool release_share(struct zone *z)
{
	unsigned long nr = unused_since(z), least = 1UL << MAX_PAGE_ORDER;

	if (nr && !release_pages_beyond(z, release_dirty_pages(z), max(nr / RELEASE_SHARE, least)))
		return false;
	return excess(z);
}

bool release_unused(void)
{
	bool again = false;
	struct zone *z;

	for_each_populated_zone(z)
		again |= release_share(z);
	return again;
}

/* --- What layers above keep --------------------------------------------------------- */

/* Sync: atomic; set once */
static void (*decay_above)(void), (*give_back_kept)(void), (*unmap_kept)(size_t bytes);

void release_set_keeper(void (*give_back)(void), void (*decay)(void))
{
	/* pair with release_decay_kept() and release_kept(): what they need is there */
	atomic_store_release(&decay_above, decay);
	atomic_store_release(&give_back_kept, give_back);
}

void release_set_mappings(void (*unmap)(size_t bytes))
{
	/* pairs with release_mappings(): as above */
	atomic_store_release(&unmap_kept, unmap);
}

void release_mappings(size_t bytes)
{
	/* pairs with release_set_mappings() */
	void (*unmap)(size_t bytes) = atomic_load_acquire(&unmap_kept);

	if (unmap)
		unmap(bytes);
}

void release_decay_kept(void)
{
	/* pairs with release_set_keeper() */
	void (*decay)(void) = atomic_load_acquire(&decay_above);

	if (decay)
		decay();
}

bool release_kept(void)
{
	void (*give_back)(void);

	if (!lock_none_held())
		return false;
	/* pairs with release_set_keeper() */
	give_back = atomic_load_acquire(&give_back_kept);
	if (give_back)
		give_back();
	release_mappings(SIZE_MAX);
	pcp_drain_all(NULL);
	return true;
}

/* --- All of it -------------------------------------------------------------------- */

size_t usermm_trim(size_t keep_bytes)
{
	unsigned long keep = keep_bytes / PAGE_SIZE, total = 0;
	struct zone *z;

	if (page_init() || !release_kept())
		return 0;
	/* What is kept is kept in the first zones. */
	for_each_populated_zone(z) {
		total += release_pages_beyond(z, keep, ~0UL);
		keep -= min(keep, atomic_load_relaxed(&z->dirty_pages));
	}
	return total * PAGE_SIZE;
}
