/* SPDX-License-Identifier: MIT */
/*
 * Gives free memory back to the system.
 *
 * A free block that may hold data ("dirty") keeps its memory, and the next owner gets it without a
 * page fault. If there is more than RELEASE_DIRTY_PAGES of it, the excess goes back gradually.
 * zone->dirty_low is the least amount of dirty memory since the last look, so nobody has needed
 * that much. A share of it goes every RELEASE_INTERVAL_MS. So a program that frees and allocates
 * again at shorter intervals keeps the memory for this. Once the program stops, half of what it no
 * longer needs goes in less than a second.
 *
 * The thread that frees a block does this, each time a piece that takes a few milliseconds. A
 * program may also free and then do nothing, so the background thread does it, too. That thread is
 * created only if there is much to do:
 *
 *	background=auto	from release_much_pages on, of dirty blocks or of slabs
 *	background=on	at once
 *	background=off	never
 *
 * While the thread exists, it also takes back what CPUs and the layers above keep free and nobody
 * has used for a second (release_set_keeper()): blocks must be whole before they can go. It does so
 * for DECAY_ROUNDS seconds after the last request for it. So the thread is gone soon after the
 * program is at rest, and a small program never has it.
 *
 * Memory that went back reads as zero and is known to be zero (PG_zeroed). It stays free and part
 * of the budget.
 */
#include "page/reclaim/release.h"

#include "base/options.h"
#include "mm/memmap.h"
#include "os/background.h"
#include "os/os.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "usermm/reclaim.h"

#define RELEASE_INTERVAL_MS 250
/* One in this many unneeded pages goes at a time: half of them are gone after three times. */
#define RELEASE_SHARE 4
/* The most that a thread with other things to do gives back at a time. */
#define RELEASE_STEP_PAGES (32 * MIB / PAGE_SIZE)
/* Smaller blocks are not worth a system call. */
#define RELEASE_ORDER_MIN 4
#define DECAY_ROUNDS 4
#define DECAY_INTERVAL_MS 1000
#define IDLE_MAPPINGS_MS 1000

unsigned long release_much_pages = RELEASE_LISTS_PAGES;
uint64_t release_inherited_ms;
uint64_t release_mappings_ms;

/* Sync: atomic; when the thread was last woken */
static uint64_t called_at;
/* Sync: atomic relaxed; rounds of decay that are left */
static unsigned int rounds_left;
/* Sync: atomic; the thread was woken for this and has not finished */
static bool called;
/* Sync: the background thread's; a fork child goes on with the values */
static uint64_t next_round_ms, next_release_ms;
static unsigned long moves_seen;
/* Sync: atomic; set once */
static void (*decay_above)(void), (*give_back_kept)(void), (*unmap_kept)(size_t bytes);

void release_set_keeper(void (*give_back)(void), void (*decay)(void))
{
	/* pair with decay() and release_kept(): the layer above is ready to be called */
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

void release_idle_mappings(void)
{
	uint64_t last = atomic_load_relaxed(&release_mappings_ms), now = os_time_ms();

	/* `now` may lie before `last`, which another thread has just set. */
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
	if (release_much_pages == RELEASE_LISTS_PAGES)	/* else a test has set it */
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

	if (page_hooks() & HOOK_POISON)		/* the poison has to stay */
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

static bool is_much(unsigned long pages)
{
	return options.background == OPTION_BACKGROUND_ON ||
	       (options.background == OPTION_BACKGROUND_AUTO && pages > release_much_pages);
}

/* Gives back the next piece of the current share. The share takes as many calls as it needs. */
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
	/* A free that stays on a list does not come here, so for now lists take no large blocks. */
	if (atomic_load_relaxed(&z->dirty_pages) > release_lists_pages(z))
		pcp_return_blocks(z);
	if (release_in_background(atomic_load_relaxed(&z->dirty_pages)))
		return;
	release_piece(z);
	/* No thread can be created here, so nobody will do this later if the program rests now. */
	if (is_much(atomic_load_relaxed(&z->dirty_pages)))
		release_pages_beyond(z, release_much_pages, ~0UL);
}

/* --- In the background ---------------------------------------------------------- */

static bool call_thread(void)
{
	atomic_store_relaxed(&rounds_left, DECAY_ROUNDS + 0u);
	/* pairs with release_background_work(): it clears this before it looks */
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

/*
 * If no thread can be created, the next try comes RELEASE_INHERITED_MS later, since each try takes
 * time.
 */
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

/* Drains CPUs' lists if no page was moved between them and the zones for a round. */
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

/*
 * Runs a round of decay if one is due. Returns the milliseconds to the next round; 0: there is
 * none.
 */
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

/* Gives back a share of the zone's unused pages. True if it is worth coming back. */
static bool release_share(struct zone *z)
{
	unsigned long nr = unused_since(z), least = 1UL << MAX_PAGE_ORDER;

	if (nr && !release_pages_beyond(z, release_dirty_pages(z), max(nr / RELEASE_SHARE, least)))
		return false;
	return excess(z);
}

/*
 * Gives back a share in each zone if that is due. Returns the milliseconds to the next time; 0:
 * there is none.
 */
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
 * If nobody has called the thread for this, it exists for reclaim alone and releases nothing; the
 * threads that free do that. A call that comes while this runs counts as a new one.
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
	/* keep_bytes stay in the first zones. */
	for_each_populated_zone(z) {
		total += release_pages_beyond(z, keep, ~0UL);
		keep -= min(keep, atomic_load_relaxed(&z->dirty_pages));
	}
	return total * PAGE_SIZE;
}
