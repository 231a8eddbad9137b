/* SPDX-License-Identifier: MIT */
/*
 * Gives free memory back to the system.
 *
 * A free block that may hold data ("dirty") keeps its memory, and the next owner gets it without a
 * page fault. The more there is, and the longer nobody needs it, the more of it goes back:
 *
 *	dirty free memory		goes back when nobody has needed it for
 *	beyond release_dirty_pages()	250 ms, a quarter of it at a time
 *	beyond RELEASE_REST_PAGES	3 s
 *	the rest			never
 *
 * zone->dirty_low and zone->old_low are the least amounts of dirty memory since the last look, so
 * nobody has needed that much. A program that frees and allocates again at shorter intervals keeps
 * the memory for this. Once it stops, half of a large amount goes in less than a second, and all
 * but the rest within seconds.
 *
 * The background thread looks (decay.h). Where there is none, the thread that frees a block does
 * this, each time a piece that takes a few milliseconds.
 *
 * Small amounts need no thread: the thread that frees gives them back at once (decay_gives_now()).
 *
 * Memory that went back reads as zero and is known to be zero (PG_zeroed). It stays free and part
 * of the budget. The memory of its struct pages and of mm's other tables goes back as well: 2 %
 * more. When nobody needs it, it is parked (parked.h).
 *
 * Under RLIMIT_AS or RLIMIT_DATA this is not enough: the kernel counts what is mapped, also if it
 * has no memory, and refuses threads' stacks and other mappings. So there free sections are given
 * up as well (online.c). Which of them nobody needed is estimated from the pages that were taken
 * since the last look. A freeing thread does this only if there is no background thread, which
 * may be because its stack has no room.
 */
#include "page/reclaim/release.h"

#include "base/options.h"
#include "base/upward_hooks.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/buddy.h"
#include "page/debug/hooks.h"
#include "page/parked.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/reclaim.h"
#include "usermm/reclaim.h"

/* One in this many unneeded pages goes at a time: half of them are gone after three times. */
#define RELEASE_SHARE 4
/* The most that a thread with other things to do gives back at a time. */
#define RELEASE_STEP_PAGES (32 * MIB / PAGE_SIZE)
/* Smaller blocks are not worth a system call, unless they are old. */
#define RELEASE_ORDER_MIN 4

unsigned long release_wake_pages = 2 * RELEASE_REST_PAGES;
unsigned int release_interval_ms = RELEASE_INTERVAL_MS;
/* Where a limit counts what is online, this share of the limit is much. */
#define CHARGED_SHARE 4

/* Parking pays if more zeroed pages than this are free: their struct pages take half a MiB. */
#define PARK_WORTH_PAGES (MIB / 2 / sizeof(struct page))

/* Has a test raised release_wake_pages, so that old memory stays? */
static bool old_memory_stays(const struct zone *z)
{
	return release_wake_pages > release_dirty_pages(z);
}

/* How many old pages the zone keeps. */
static unsigned long rest_pages(const struct zone *z)
{
	return old_memory_stays(z) ? release_dirty_pages(z) :
				     min(RELEASE_REST_PAGES, release_wake_pages);
}

/*
 * The release_mark of a zone while no thread looks at the zones. Memory that the system refused to
 * take back calls nobody.
 */
static unsigned long wake_mark(const struct zone *z)
{
	return old_memory_stays(z) ? release_dirty_pages(z) :
				     z->release_stuck + release_wake_pages;
}

void release_forget(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		atomic_store_relaxed(&z->release_mark, wake_mark(z));
}

void release_init(void)
{
	release_forget();
	decay_begin();
}

/*
 * The release_mark between two looks of the thread at the zones. Whatever a free would ask for, the
 * thread does at its next look. An infinite mark would do, but for a child of clone(2): it inherits
 * the mark and has no thread. With this mark such a child calls release_some() once it has freed so
 * much more.
 */
static unsigned long watched_mark(const struct zone *z)
{
	return z->dirty_pages + release_lists_pages(z);
}

/*
 * Only release_watch() raises a mark, and it sets each mark under the zone's lock. So a free that
 * took the lock later sees the new mark (release_excess()). release_watch() sees in z->dirty_pages
 * what was freed before. So the last free is not lost, however high a mark it saw.
 */
bool release_watch(bool watched)
{
	bool is_beyond = false;
	struct zone *z;

	for_each_populated_zone(z) {
		unsigned long mark;

		lock_acquire(&z->lock);
		mark = watched ? watched_mark(z) : wake_mark(z);
		atomic_store_relaxed(&z->release_mark, mark);
		is_beyond |= z->dirty_pages > mark;
		lock_release(&z->lock);
	}
	return is_beyond;
}

static unsigned int order_of_system_page(void)
{
	return (unsigned int)get_order(os_page_bytes());
}

static unsigned int order_worth_a_call(void)
{
	return max(order_of_system_page(), RELEASE_ORDER_MIN + 0u);
}

static unsigned long release_block_locked(struct zone *z, unsigned int min_order)
{
	struct page *page;
	unsigned long nr;
	bool released;

	page = buddy_take_dirty(z, min_order, &nr);
	if (!page)
		return 0;
	released = !mm_discard(page, nr);
	if (released && !page_hooks())
		mm_discard_tables(page, nr, false);
	buddy_give_range(page, nr, released);
	return released ? nr : 0;
}

/*
 * Gives one block back. Returns its pages, or 0 if there is none or the system refuses it.
 *
 * Meanwhile the block is on no list. So page_drain_lock is held: a request that finds nothing takes
 * this lock to drain CPUs' lists before it gives up, and then finds the block. fork() waits for the
 * lock, too, since otherwise the child would lose the block.
 */
static unsigned long release_block(struct zone *z, unsigned int min_order)
{
	unsigned long nr;

	if (page_hooks() & HOOK_POISON)		/* the poison has to stay */
		return 0;
	lock_acquire(&page_drain_lock);
	zone_set_flag(z, ZONE_BLOCKS_MOVING);
	nr = release_block_locked(z, min_order);
	zone_clear_flag(z, ZONE_BLOCKS_MOVING);
	lock_release(&page_drain_lock);
	return nr;
}

/*
 * Gives blocks of at least min_order back, the largest first, until `keep` dirty pages are left, or
 * at least `most` pages are back. Returns how many pages.
 */
static unsigned long release_blocks(struct zone *z, unsigned int min_order, unsigned long keep,
				    unsigned long most)
{
	unsigned long total = 0, nr;

	while (total < most && atomic_load_relaxed(&z->dirty_pages) > keep) {
		nr = release_block(z, min_order);
		if (!nr)
			break;
		total += nr;
	}
	return total;
}

static unsigned long release_pages_beyond(struct zone *z, unsigned long keep, unsigned long most)
{
	return release_blocks(z, order_worth_a_call(), keep, most);
}

unsigned long release_dirty(unsigned long pages)
{
	unsigned long total = 0;
	struct zone *z;

	for_each_populated_zone(z)
		if (total < pages)
			total += release_pages_beyond(z, 0, pages - total);
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

/* --- Sections, where a limit counts them ------------------------------------------------ */

static unsigned long free_online_pages(const struct zone *z)
{
	unsigned long pages = zone_free_pages(z);

	return pages - min(pages, zone_offline_pages(z));
}

/* What the zone has and could give back: where a limit counts, all that is free. */
static unsigned long kept_pages(const struct zone *z)
{
	return mm_is_charged() ? free_online_pages(z) : atomic_load_relaxed(&z->dirty_pages);
}

static unsigned long charged_much(void)
{
	return mm_charge_limit() / PAGE_SIZE / CHARGED_SHARE;
}

static bool is_charged_for_much(const struct zone *z)
{
	return mm_is_charged() && free_online_pages(z) > charged_much();
}

/* How many pages a free leaves in the zone if no thread can be created. */
static unsigned long keeps_without_thread(const struct zone *z)
{
	return min(max(release_lists_pages(z), release_wake_pages), charged_much());
}

static unsigned long vacate_beyond(struct zone *z, unsigned long keep)
{
	unsigned long pages = mm_is_charged() ? free_online_pages(z) : 0;

	return zone_vacate(z, pages - min(pages, keep));
}

/* Gives up a share of the sections that nobody needed since the last call. */
static bool vacate_share(struct zone *z)
{
	unsigned long taken = atomic_load_relaxed(&z->nr_taken);
	unsigned long recently = taken - z->taken_before, unused;

	z->taken_before = taken;
	if (!mm_is_charged())
		return false;
	unused = free_online_pages(z);
	unused -= min(unused, recently);
	return zone_vacate(z, min(unused, max(unused / RELEASE_SHARE, SECTION_PAGES)));
}

/* --- Old memory ---------------------------------------------------------------------- */

/* Dirty pages that nobody has needed for RELEASE_OLD_LOOKS looks, without those that stay. */
static unsigned long old_unused(struct zone *z)
{
	unsigned long low = ~0UL, rest = rest_pages(z);

	lock_acquire(&z->lock);
	z->old_lows[z->old_looks++ % RELEASE_OLD_LOOKS] = z->old_low;
	z->old_low = z->dirty_pages;
	for (unsigned int i = 0; i < RELEASE_OLD_LOOKS; i++)
		low = min(low, z->old_lows[i]);
	lock_release(&z->lock);
	return low > rest ? low - rest : 0;
}

/* Gives back up to `most` old pages. False if there are some, but the system refuses them. */
static bool release_old_of(struct zone *z, unsigned long most)
{
	unsigned long nr = min(old_unused(z), most);

	return !nr || release_blocks(z, order_of_system_page(), rest_pages(z), nr);
}

/*
 * Parks zeroed memory if nobody has taken any since the last call. Else parks none; then returns
 * true if so much could be parked that the caller should look again later.
 */
static bool park_unneeded(struct zone *z)
{
	unsigned long taken = atomic_load_relaxed(&z->nr_zeroed_taken);
	bool is_needed = taken != z->zeroed_taken_before;

	z->zeroed_taken_before = taken;
	if (!is_needed)
		zone_park(z);
	return is_needed && zone_parkable_pages(z) > PARK_WORTH_PAGES;
}

/*
 * Gives the zone's old memory back, and parks what is not needed. True if a later call may find
 * more.
 */
static bool look_at_zone(struct zone *z)
{
	bool is_stuck = !release_old_of(z, ~0UL), parks_later = park_unneeded(z);

	z->release_stuck = is_stuck ? atomic_load_relaxed(&z->dirty_pages) : 0;
	return parks_later || atomic_load_relaxed(&z->dirty_pages) > wake_mark(z);
}

bool release_old(void)
{
	bool again = false;
	struct zone *z;

	for_each_populated_zone(z)
		again |= look_at_zone(z);
	return again;
}

/* --- Whoever frees ------------------------------------------------------------------- */

/*
 * Gives back all dirty pages beyond the rest, if they are few enough to be given back at once
 * (decay_gives_now()). False if nothing was given back.
 */
static bool release_at_once(struct zone *z)
{
	unsigned long dirty = atomic_load_relaxed(&z->dirty_pages), rest = rest_pages(z);

	if (release_interval() > RELEASE_INTERVAL_MS)	/* the program wants it to stay */
		return false;
	return dirty > rest && dirty <= release_dirty_pages(z) && decay_gives_now(dirty - rest) &&
	       release_pages_beyond(z, rest, ~0UL);
}

/*
 * Gives back the next piece of the current share, which takes as many calls as it needs; and a
 * piece of what is old.
 */
static void release_piece(struct zone *z)
{
	unsigned long due, piece;
	uint64_t now = os_time_ms();

	if (decay_turn(&z->released_ms, now, release_interval()))
		atomic_store_relaxed(&z->release_due, unused_since(z) / RELEASE_SHARE);
	due = atomic_load_relaxed(&z->release_due);
	piece = min(due, RELEASE_STEP_PAGES);
	if (piece && atomic_cas_relaxed(&z->release_due, &due, due - piece))
		release_pages_beyond(z, release_dirty_pages(z), piece);
	if (!old_memory_stays(z) && decay_turn(&z->old_ms, now, release_old_interval()))
		release_old_of(z, RELEASE_STEP_PAGES);
}

/* May no free give memory back to the system? Sync: atomic relaxed; see release_forbid() */
static bool is_forbidden;

void release_forbid(bool forbidden)
{
	atomic_store_relaxed(&is_forbidden, forbidden);
}

/*
 * While another thread gives memory back, a free does not wait for it. That thread may even wait
 * for this one: a collector has stopped it, or it is in madvise(2) until this thread has read from
 * its userfaultfd(2).
 */
void release_some(struct zone *z)
{
	if (atomic_load_relaxed(&is_forbidden) || !lock_none_held() ||
	    lock_is_held(&page_drain_lock))
		return;
	/* A free that stays on a list does not come here, so for now lists take no large blocks. */
	if (atomic_load_relaxed(&z->dirty_pages) > release_lists_pages(z))
		pcp_return_blocks(z);
	if (release_at_once(z) && !is_charged_for_much(z))
		return;
	if (decay_in_background(kept_pages(z)))
		return;
	/* No thread can be created here, so nobody will do this later if the program rests now. */
	vacate_beyond(z, keeps_without_thread(z));
	release_piece(z);
	if (options.background != OPTION_BACKGROUND_OFF)
		release_pages_beyond(z, keeps_without_thread(z), ~0UL);
}

/* Gives back a share of the zone's unused pages. True if it is worth coming back. */
static bool release_share(struct zone *z)
{
	unsigned long nr = unused_since(z);
	bool vacated = vacate_share(z);

	if (nr && !release_pages_beyond(z, release_dirty_pages(z),
					max(nr / RELEASE_SHARE, SECTION_PAGES)))
		return vacated;
	return vacated || excess(z);
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
static unsigned long (*give_back_kept)(void);
static void (*unmap_kept)(size_t bytes);
static size_t (*decay_above)(void), (*unmap_idle)(void);

void release_set_keeper(unsigned long (*give_back)(void), size_t (*decay)(void))
{
	/* pair with release_decay_kept() and give_back_all(): the layer above is set up */
	atomic_store_release(&decay_above, decay);
	atomic_store_release(&give_back_kept, give_back);
}

void release_set_mappings(void (*unmap)(size_t bytes), size_t (*decay)(void))
{
	/* pair with release_mappings() and release_idle_mappings(): the layer above is set up */
	atomic_store_release(&unmap_kept, unmap);
	atomic_store_release(&unmap_idle, decay);
}

void release_mappings(size_t bytes)
{
	/* pairs with release_set_mappings() */
	void (*unmap)(size_t bytes) = atomic_load_acquire(&unmap_kept);

	if (unmap)
		unmap(bytes);
}

size_t release_idle_mappings(void)
{
	/* pairs with release_set_mappings() */
	size_t (*decay)(void) = atomic_load_acquire(&unmap_idle);

	return decay ? decay() : 0;
}

size_t release_decay_kept(void)
{
	/* pairs with release_set_keeper() */
	size_t (*decay)(void) = atomic_load_acquire(&decay_above);

	return decay ? decay() : 0;
}

/* As release_kept(). *released: pages that the layer above gave back to the system itself. */
static bool give_back_all(unsigned long *released)
{
	unsigned long (*give_back)(void);

	if (!lock_none_held())
		return false;
	/* pairs with release_set_keeper() */
	give_back = atomic_load_acquire(&give_back_kept);
	*released = give_back ? give_back() : 0;
	release_mappings(SIZE_MAX);
	pcp_drain_all(NULL);
	return true;
}

bool release_kept(void)
{
	unsigned long released;

	return give_back_all(&released);
}

/* --- All of it -------------------------------------------------------------------- */

size_t usermm_trim(size_t keep_bytes)
{
	unsigned long keep = keep_bytes / PAGE_SIZE, total;
	struct zone *z;

	if (page_init() || !give_back_all(&total))
		return 0;
	page_read_limits();
	/* The first zones keep the pages that stay. */
	for_each_populated_zone(z) {
		total += vacate_beyond(z, keep);
		total += release_blocks(z, order_of_system_page(), keep, ~0UL);
		keep -= min(keep, atomic_load_relaxed(&z->dirty_pages));
	}
	return total * PAGE_SIZE;
}
