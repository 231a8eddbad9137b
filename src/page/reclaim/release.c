/* SPDX-License-Identifier: MIT */
/*
 * Giving free memory back to the system.
 *
 * A free block that may hold data ("dirty") keeps its memory, which the next owner then
 * gets without a page fault. When there is more than RELEASE_DIRTY_PAGES of it, what is
 * beyond goes back by and by: every RELEASE_INTERVAL_MS a share of what nobody has needed
 * in that time, which is the least that there was (zone->dirty_low). So a program that frees
 * and allocates again in turns shorter than that keeps what its turns need, and once it does
 * not, half goes in less than a second. It is done by whoever gives a block back, each time a
 * piece that takes a few milliseconds; or, since a program may free and then do nothing, by
 * the background thread. That is made only where there is much to do:
 *
 *	background=auto	from release_much_pages on, of dirty blocks or of slabs
 *	background=on	at once
 *	background=off	never
 *
 * While it is there it also takes back what CPUs and the layers above keep free and nobody
 * has used for a second (release_set_keeper()), for those blocks have to be whole before they
 * can go. It does so for DECAY_ROUNDS seconds after the last request for it, so it is gone
 * soon after the program is at rest, and is not there at all in a small one.
 *
 * What went back reads as zero and is known to be (PG_zeroed). It stays free and part of
 * the budget.
 */
#include "page/reclaim/release.h"

#include "base/options.h"
#include "base/upward_hooks.h"
#include "mm/memmap.h"
#include "os/background.h"
#include "os/os.h"
#include "page/buddy.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "usermm/reclaim.h"

#define RELEASE_INTERVAL_MS 250
/* Of what was not needed, at a time: half of it is gone after three. */
#define RELEASE_SHARE 4
/* At a time by a thread that has other things to do. */
#define RELEASE_STEP_PAGES (32 * MIB / PAGE_SIZE)
/* Smaller blocks are not worth a system call. */
#define RELEASE_ORDER_MIN 4
#define DECAY_ROUNDS 4
#define DECAY_INTERVAL_MS 1000
#define IDLE_MAPPINGS_MS 1000

unsigned long release_much_pages = RELEASE_LISTS_PAGES;
uint64_t release_inherited_ms;
uint64_t release_mappings_ms;

/* Sync: atomic; when the thread was called last */
static uint64_t called_at;
/* Sync: atomic relaxed; see above */
static unsigned int rounds_left;
/* Sync: atomic; the thread was called for this, and is not through with it */
static bool called;
/* Sync: the background thread's; a fork child goes on with the values */
static uint64_t next_round_ms, next_release_ms;
static unsigned long moves_seen;
/* Sync: atomic; set once */
static void (*decay_above)(void), (*give_back_kept)(void), (*unmap_kept)(size_t bytes);

void release_set_keeper(void (*give_back)(void), void (*decay)(void))
{
	/* pair with decay() and release_kept(): what they need is there */
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

void release_idle_mappings(void)
{
	uint64_t last = atomic_load_relaxed(&release_mappings_ms), now = os_time_ms();

	/* Another thread may have been later than this one. */
	if (last && (int64_t)(now - last) > IDLE_MAPPINGS_MS && lock_none_held() &&
	    atomic_cas_relaxed(&release_mappings_ms, &last, 0UL))
		release_mappings(SIZE_MAX);
}

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

static bool is_much(unsigned long pages)
{
	return options.background == OPTION_BACKGROUND_ON ||
	       (options.background == OPTION_BACKGROUND_AUTO && pages > release_much_pages);
}

/* A share of what is not needed, spread over as many calls as it takes. */
static void release_piece(struct zone *z)
{
	uint64_t now = os_time_ms(), last = atomic_load_relaxed(&z->released_ms);
	unsigned long due, piece;

	if (now - last >= RELEASE_INTERVAL_MS && atomic_cas_relaxed(&z->released_ms, &last, now))
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
	if (release_in_background(atomic_load_relaxed(&z->dirty_pages)))
		return;
	release_piece(z);
	/* No thread can be made here, so nobody else may do it if the program rests now. */
	if (is_much(atomic_load_relaxed(&z->dirty_pages)))
		release_pages_beyond(z, release_much_pages, ~0UL);
}

/* --- In the background ---------------------------------------------------------- */

static bool call_thread(void)
{
	atomic_store_relaxed(&rounds_left, DECAY_ROUNDS + 0u);
	/* pairs with release_background_work(): it takes this back before it looks */
	atomic_store_release(&called, true);
	return reclaim_wake_background();
}

bool release_in_background(unsigned long pages)
{
	uint64_t now, last = atomic_load_relaxed(&called_at);

	if (!is_much(pages) || !lock_none_held())
		return false;
	now = os_time_ms();
	if (now - last < RELEASE_INTERVAL_MS)
		return background_is_running();
	if (!atomic_cas_relaxed(&called_at, &last, now))
		return background_is_running();
	if (!background_is_running() && os_called_by_loader())
		return false;
	return call_thread();
}

void release_forget(void)
{
	atomic_store_relaxed(&called_at, 0);
	if (atomic_load_relaxed(&called) || atomic_load_relaxed(&rounds_left))
		atomic_store_relaxed(&release_inherited_ms, os_time_ms());
}

/* Where no thread is to be had it is asked for again as long afterwards: to look takes time. */
void release_inherited(void)
{
	uint64_t since = atomic_load_relaxed(&release_inherited_ms), now = os_time_ms();

	if (!since || now - since < RELEASE_INHERITED_MS || !lock_none_held() ||
	    !atomic_cas_relaxed(&release_inherited_ms, &since, now))
		return;
	if (!background_is_running() && os_called_by_loader())
		return;
	if (call_thread() || options.background == OPTION_BACKGROUND_OFF)
		atomic_store_relaxed(&release_inherited_ms, 0UL);
}

/* Pages on CPUs' lists that none has taken from the zones or given to them for a round. */
static void drain_idle_lists(void)
{
	unsigned long moves = 0;
	struct zone *z;

	for_each_populated_zone(z)
		moves += atomic_load_relaxed(&z->pcp_refills) +
			 atomic_load_relaxed(&z->pcp_spills);
	if (moves == moves_seen)
		pcp_drain_all(NULL);
	moves_seen = moves;
}

/* Milliseconds to the next round; 0 if there is none. */
static unsigned int decay(void)
{
	unsigned int left = atomic_load_relaxed(&rounds_left);
	/* pairs with release_set_keeper() */
	void (*above)(void) = atomic_load_acquire(&decay_above);
	uint64_t now = os_time_ms();

	if (!left)
		return 0;
	if (now < next_round_ms)
		return (unsigned int)(next_round_ms - now);
	next_round_ms = now + DECAY_INTERVAL_MS;
	atomic_cas_relaxed(&rounds_left, &left, left - 1);
	if (above)
		above();
	release_idle_mappings();
	drain_idle_lists();
	return DECAY_INTERVAL_MS;
}

/* A share of the zone's unused pages. Is it worth to come back? */
static bool release_share(struct zone *z)
{
	unsigned long nr = unused_since(z), least = 1UL << MAX_PAGE_ORDER;

	if (nr && !release_pages_beyond(z, release_dirty_pages(z), max(nr / RELEASE_SHARE, least)))
		return false;
	return excess(z);
}

/* As decay(). */
static unsigned int release_unused(void)
{
	uint64_t now = os_time_ms();
	bool again = false;
	struct zone *z;

	if (now < next_release_ms)
		return (unsigned int)(next_release_ms - now);
	next_release_ms = now + RELEASE_INTERVAL_MS;
	for_each_populated_zone(z)
		again |= release_share(z);
	return again ? RELEASE_INTERVAL_MS : 0;
}

/*
 * The thread may be there for reclaim alone, and then whoever frees releases. A call that comes
 * while this is at work is a new one.
 */
unsigned int release_background_work(void)
{
	unsigned int decay_ms, release_ms;

	if (options.background == OPTION_BACKGROUND_OFF)
		return 0;
	/* pairs with call_thread() */
	if (!atomic_exchange_acquire(&called, false))
		return 0;
	decay_ms = decay();
	release_ms = release_unused();
	if (decay_ms || release_ms)
		atomic_store_relaxed(&called, true);
	return background_sooner(decay_ms, release_ms);
}

/* --- All of it -------------------------------------------------------------------- */

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
