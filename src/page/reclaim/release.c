/* SPDX-License-Identifier: MIT */
/*
 * Gives free memory back to the system.
 *
 * A free block that may hold data ("dirty") keeps its memory, and the next owner gets it without a
 * page fault. If there is more than release_dirty_pages() of it, the excess goes back gradually.
 * zone->dirty_low is the least amount of dirty memory since the last look, so nobody has needed
 * that much. A share of it goes every RELEASE_INTERVAL_MS. So a program that frees and allocates
 * again at shorter intervals keeps the memory for this. Once the program stops, half of what it no
 * longer needs goes in less than a second.
 *
 * The thread that frees a block does this, each time a piece that takes a few milliseconds. A
 * program may also free and then do nothing, so the background thread does it, too, if there is
 * much to do (decay.h).
 *
 * Memory that went back reads as zero and is known to be zero (PG_zeroed). It stays free and part
 * of the budget.
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

/* One in this many unneeded pages goes at a time: half of them are gone after three times. */
#define RELEASE_SHARE 4
/* The most that a thread with other things to do gives back at a time. */
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
 * Gives one block back; returns its pages, or 0 if there is none or the system refuses it.
 * Meanwhile the block is on no list. So page_drain_lock is held: a request that finds nothing takes
 * it to drain CPUs' lists before it gives up, and then finds the block. fork() waits for it, too;
 * else the child would lose the block.
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

/* Dirty pages, beyond the amount that is kept, that nobody has needed since the last call. */
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

/* Gives back the next piece of the current share. The share takes as many calls as it needs. */
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
	/* A free that stays on a list does not come here, so for now lists take no large blocks. */
	if (atomic_load_relaxed(&z->dirty_pages) > release_lists_pages(z))
		pcp_return_blocks(z);
	if (decay_in_background(atomic_load_relaxed(&z->dirty_pages)))
		return;
	release_piece(z);
	/* No thread can be created here, so nobody will do this later if the program rests now. */
	if (release_is_much(atomic_load_relaxed(&z->dirty_pages)))
		release_pages_beyond(z, release_much_pages, ~0UL);
}

/* Gives back a share of the zone's unused pages. True if it is worth coming back. */
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
	/* pair with release_decay_kept() and release_kept(): the layer above may be called */
	atomic_store_release(&decay_above, decay);
	atomic_store_release(&give_back_kept, give_back);
}

void release_set_mappings(void (*unmap)(size_t bytes))
{
	/* pairs with release_mappings(): the layer above is ready to be called */
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
	/* The first zones keep the pages that stay. */
	for_each_populated_zone(z) {
		total += release_pages_beyond(z, keep, ~0UL);
		keep -= min(keep, atomic_load_relaxed(&z->dirty_pages));
	}
	return total * PAGE_SIZE;
}
