/* SPDX-License-Identifier: MIT */
/*
 * Giving free memory back to the system.
 *
 * A free block that may hold data ("dirty") keeps its memory, which the next owner then
 * gets without a page fault. When there is more than RELEASE_DIRTY_PAGES of it, what is
 * beyond goes back by and by: a quarter of it every RELEASE_INTERVAL_MS, so that a
 * program that frees and allocates again in short turns keeps most. It is done by whoever
 * gives a block back, in pieces that take about a millisecond, or by the background
 * thread (background=on), which also does it when nobody frees.
 *
 * What went back reads as zero and is known to be (PG_zeroed). It stays free and part of
 * the budget.
 */
#include "page/release.h"

#include "base/options.h"
#include "os/background.h"
#include "os/os.h"
#include "page/hooks.h"
#include "page/pcp.h"
#include "usermm/reclaim.h"

#define RELEASE_INTERVAL_MS 100
/* At a time by a thread that has other things to do. */
#define RELEASE_STEP_PAGES (16 * MIB / PAGE_SIZE)
/* Smaller blocks are not worth a system call. */
#define RELEASE_ORDER_MIN 4

/* Sync: atomic; when the last piece went back */
static uint64_t released_at;
/* Sync: atomic; set once */
static void (*give_back_kept)(void);

void release_set_keeper(void (*give_back)(void))
{
	/* pairs with usermm_trim(): what it needs is there */
	atomic_store_release(&give_back_kept, give_back);
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
	released = !os_discard(page_address(page), nr * PAGE_SIZE);
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

	return dirty > RELEASE_DIRTY_PAGES ? dirty - RELEASE_DIRTY_PAGES : 0;
}

void release_some(struct zone *z)
{
	uint64_t now, last = atomic_load_relaxed(&released_at);

	if (!lock_none_held())
		return;
	/* Frees that stay on lists do not come by here, so for now none do. */
	if (atomic_load_relaxed(&z->dirty_pages) > RELEASE_LISTS_PAGES)
		pcp_return_blocks(z);
	now = os_time_ms();
	if (now - last < RELEASE_INTERVAL_MS || !atomic_cas_relaxed(&released_at, &last, now))
		return;
	if (options.background == OPTION_BACKGROUND_ON)
		background_wake();
	else
		release_pages_beyond(z, RELEASE_DIRTY_PAGES,
				     min(excess(z) / 4, RELEASE_STEP_PAGES));
}

/* A quarter of what is too much, of each zone. */
unsigned int release_background_work(void)
{
	bool more = false;
	struct zone *z;

	if (options.background != OPTION_BACKGROUND_ON)
		return 0;
	for_each_populated_zone(z) {
		unsigned long nr = excess(z);

		if (nr && release_pages_beyond(z, RELEASE_DIRTY_PAGES,
					       max(nr / 4, 1UL << MAX_PAGE_ORDER)))
			more |= excess(z) != 0;
	}
	return more ? RELEASE_INTERVAL_MS : 0;
}

size_t usermm_trim(size_t keep_bytes)
{
	unsigned long keep = keep_bytes / PAGE_SIZE, total = 0;
	void (*give_back)(void);
	struct zone *z;

	if (page_init() || !lock_none_held())
		return 0;
	/* pairs with release_set_keeper() */
	give_back = atomic_load_acquire(&give_back_kept);
	if (give_back)
		give_back();
	pcp_drain_all(NULL);
	/* What is kept is kept in the first zones. */
	for_each_populated_zone(z) {
		total += release_pages_beyond(z, keep, ~0UL);
		keep -= min(keep, atomic_load_relaxed(&z->dirty_pages));
	}
	return total * PAGE_SIZE;
}
