/* SPDX-License-Identifier: MIT */
/* When memory that is kept goes back. decay.h has the table. */
#include "page/reclaim/decay.h"

#include "base/options.h"
#include "base/upward_hooks.h"
#include "os/background.h"
#include "os/os.h"
#include "os/thread.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "page/reclaim/release.h"

/* After it was last called, the thread makes at least this many rounds. */
#define DECAY_ROUNDS 4
#define DECAY_INTERVAL_MS 1000
#define MAPPINGS_MS 1000
/* A process is young for so long (is_much()). */
#define YOUNG_MS 1000
/* The allowance of decay_gives_now(): its most, and how many pages it gains each millisecond. */
#define GIVES_MAX_PAGES (32 * MIB / PAGE_SIZE)
#define GIVES_PER_MS 2
#define GIVES_STEP_MS 100
/*
 * Pages that are wanted again reduce the allowance by GIVES_WANTED_COST times their number. The
 * allowance may fall below zero, but not below -GIVES_DEBT times GIVES_MAX_PAGES.
 */
#define GIVES_WANTED_COST 8
#define GIVES_DEBT 2

uint64_t decay_inherited_ms;
uint64_t decay_mappings_ms;

/* Sync: atomic; when the thread was last woken, or asked for while it was there */
static uint64_t called_at;
/* Sync: atomic relaxed; rounds of decay that are left */
static unsigned int rounds_left;
/* Sync: atomic; the thread was woken for this and has not finished */
static bool called;
/* Sync: only the background thread uses it; a fork child keeps the value */
static unsigned long moves_seen;

/* --- At once -------------------------------------------------------------------------- */

/*
 * A budget of pages that frees may give back at once, without waiting for the decay. Sync of all
 * four: atomic relaxed; threads that count at the same time lose counts
 */
static long gives_left;			/* pages that the budget still allows */
static uint64_t gives_ms;		/* when the budget was last refilled */
static unsigned long gives_out;		/* pages given back in this way, and not wanted again */
static unsigned long zeroed_seen;	/* the zones' nr_zeroed_taken at the last refill */

static unsigned long zeroed_taken(void)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_populated_zone(z)
		pages += atomic_load_relaxed(&z->nr_zeroed_taken);
	return pages;
}

/* How many pages that were given back have been wanted again since the last call? */
static long wanted_again(void)
{
	unsigned long taken = zeroed_taken(), out = atomic_load_relaxed(&gives_out), wanted;

	wanted = min(taken - atomic_load_relaxed(&zeroed_seen), out);
	atomic_store_relaxed(&zeroed_seen, taken);
	atomic_store_relaxed(&gives_out, out - wanted);
	return (long)wanted;
}

static void refill_gives(void)
{
	uint64_t now = os_time_ms(), since = now - atomic_load_relaxed(&gives_ms);
	long left = atomic_load_relaxed(&gives_left);

	if (!decay_turn(&gives_ms, now, GIVES_STEP_MS))
		return;
	left += (long)min(since, (uint64_t)GIVES_MAX_PAGES) * GIVES_PER_MS;
	left -= wanted_again() * GIVES_WANTED_COST;
	atomic_store_relaxed(&gives_left, clamp(left, -GIVES_DEBT * (long)GIVES_MAX_PAGES,
						(long)GIVES_MAX_PAGES));
}

bool decay_gives_now(unsigned long pages)
{
	long left;

	if (atomic_load_relaxed(&called))
		return false;
	refill_gives();
	left = atomic_load_relaxed(&gives_left);
	if ((long)pages > left || !atomic_cas_relaxed(&gives_left, &left, left - (long)pages))
		return false;
	atomic_add_relaxed(&gives_out, pages);
	return true;
}

void decay_gives_no_more(void)
{
	atomic_store_relaxed(&gives_ms, os_time_ms());
	atomic_store_relaxed(&gives_left, 0L);
}

/* --- Calling the thread ------------------------------------------------------------- */

/* When the process was made, or brought the library up. Sync: atomic relaxed */
static uint64_t born_ms;
static uint32_t born_generation;	/* that process's os_fork_generation. Sync: as born_ms */

void decay_begin(void)
{
	atomic_store_relaxed(&born_generation, atomic_load_relaxed(&os_fork_generation));
	atomic_store_relaxed(&born_ms, os_time_ms());
}

static bool is_young(void)
{
	return os_time_ms() - atomic_load_relaxed(&born_ms) < YOUNG_MS;
}

static bool is_much(unsigned long pages)
{
	if (options.background != OPTION_BACKGROUND_AUTO)
		return options.background == OPTION_BACKGROUND_ON;
	/* In this order, so that most calls do not read the clock. */
	return pages > release_wake_pages &&
	       (pages / 2 > release_wake_pages || !release_wake_pages || !is_young());
}

/*
 * A limit that counts free memory, too, may leave no room for the thread's stack and for what libc
 * keeps of a thread. So this gives free sections up.
 */
static void make_room_for_thread(void)
{
	if (!background_is_running() && options.background != OPTION_BACKGROUND_OFF)
		page_make_room(4 * BACKGROUND_STACK_BYTES);
}

static bool call_thread(void)
{
	make_room_for_thread();
	atomic_store_relaxed(&rounds_left, DECAY_ROUNDS + 0u);
	/*
	 * pairs with decay_background_work(): rounds_left, and the pages to give back. It clears
	 * `called` before it looks for the last time.
	 */
	atomic_store_release(&called, true);
	if (reclaim_wake_background())
		return true;
	atomic_store_relaxed(&called, false);
	return false;
}

/* Was the thread called less than release_interval() ago, and has it ended no round since? */
static bool was_called_lately(uint64_t now_ms)
{
	return atomic_load_relaxed(&called) && atomic_load_relaxed(&rounds_left) == DECAY_ROUNDS &&
	       (int64_t)(now_ms - atomic_load_relaxed(&called_at)) < release_interval();
}

bool decay_may_call(uint64_t now_ms)
{
	return options.background != OPTION_BACKGROUND_OFF && !was_called_lately(now_ms);
}

bool decay_in_background(unsigned long pages)
{
	bool is_called = atomic_load_relaxed(&called), is_due;
	uint64_t now;

	if (!is_much(pages) || !lock_none_held())
		return false;
	now = os_time_ms();
	/* First, because background_is_running() is a system call. */
	if (was_called_lately(now))
		return true;
	is_due = decay_turn(&called_at, now, release_interval());
	if (is_called && background_is_running()) {
		atomic_store_relaxed(&rounds_left, DECAY_ROUNDS + 0u);
		return true;
	}
	if (!is_due)
		return background_is_running();
	if (!background_is_running() && (background_is_forbidden() || os_called_by_loader()))
		return false;
	return call_thread();
}

void decay_forget(void)
{
	if (atomic_load_relaxed(&born_generation) != atomic_load_relaxed(&os_fork_generation)) {
		decay_begin();
		atomic_store_relaxed(&called_at, 0UL);
	} else {
		/* The thread has to end here, so it is not called again at once. */
		atomic_store_relaxed(&called_at, os_time_ms());
	}
	release_forget();
	/* Relaxed: what the thread was called for is not looked at here. */
	if (atomic_exchange_relaxed(&called, false))
		atomic_store_relaxed(&decay_inherited_ms, os_time_ms());
}

/* --- Without the thread -------------------------------------------------------------- */

/*
 * If no thread can be created, the next attempt comes DECAY_INHERITED_MS later, because each
 * attempt takes time.
 */
void decay_inherited(void)
{
	uint64_t since = atomic_load_relaxed(&decay_inherited_ms), now = os_time_ms();

	if (!since || now - since < DECAY_INHERITED_MS || !lock_none_held() ||
	    !atomic_cas_relaxed(&decay_inherited_ms, &since, now))
		return;
	if (!background_is_running() && !background_is_forbidden() && os_called_by_loader())
		return;
	if (call_thread() || options.background == OPTION_BACKGROUND_OFF)
		atomic_store_relaxed(&decay_inherited_ms, 0UL);
}

/* Is it time to look? `now` may lie before `last`, which another thread has just set. */
static bool mappings_are_due(uint64_t last, uint64_t now)
{
	return last && (int64_t)(now - last) >= max(MAPPINGS_MS + 0u, release_interval());
}

static void decay_mappings_now(void)
{
	uint64_t last = atomic_load_relaxed(&decay_mappings_ms), now = os_time_ms();

	/* pairs with decay_begin_mappings(): mappings that were kept before its write */
	if (mappings_are_due(last, now) && lock_none_held() &&
	    atomic_cas_acq_rel(&decay_mappings_ms, &last, 0UL) && release_idle_mappings())
		atomic_store_relaxed(&decay_mappings_ms, now);
}

bool decay_begin_mappings(void)
{
	/*
	 * pairs with decay_mappings_now(): the caller's mapping. This writes although it changes
	 * nothing. So either decay_mappings_now() reads this write and sees the mapping, or this
	 * reads its 0.
	 */
	if (atomic_or_acq_rel(&decay_mappings_ms, 0UL))
		return false;
	atomic_store_relaxed(&decay_mappings_ms, os_time_ms());
	return true;
}

void decay_mappings(void)
{
	if (mappings_are_due(atomic_load_relaxed(&decay_mappings_ms), os_time_ms()) &&
	    (!atomic_load_relaxed(&called) || !background_is_running()))
		decay_mappings_now();
}

/* --- In the thread -------------------------------------------------------------------- */

static unsigned long page_moves(void)
{
	unsigned long moves = 0;
	struct zone *z;

	for_each_populated_zone(z)
		moves += atomic_load_relaxed(&z->pcp_refills) +
			 atomic_load_relaxed(&z->pcp_spills);
	return moves;
}

/*
 * The layers above give back what nobody used in the last round. CPUs' page lists are drained if no
 * page was moved between them and the zones in that time. The pages that this round moves do not
 * count. Returns the bytes that the layers above still keep.
 */
static size_t decay_kept(void)
{
	bool is_idle = page_moves() == moves_seen;
	size_t kept = release_decay_kept();

	decay_mappings_now();
	if (is_idle)
		pcp_drain_all(NULL);
	moves_seen = page_moves();
	return kept;
}

/*
 * The bytes that the layers above kept at the last look, and how many looks in a row have found the
 * same. Sync: only the background thread uses them; a fork child keeps the values
 */
static size_t kept_seen;
static unsigned int same_looks;

/*
 * Is it worth while to look again at what the layers above keep? Not if the amount has stayed the
 * same for long: nobody uses it, and it cannot be given back.
 */
static bool may_go_later(size_t kept)
{
	same_looks = kept == kept_seen ? same_looks + 1 : 0;
	kept_seen = kept;
	return kept / PAGE_SIZE > release_wake_pages && same_looks < 2 * DECAY_ROUNDS;
}

/* A round of decay. True if more may go back in the next one. */
static bool decay_round(void)
{
	unsigned int left = atomic_load_relaxed(&rounds_left);
	bool again = may_go_later(decay_kept());

	/* Fails if a call came meanwhile: that call's rounds begin with the next one. */
	if (left && !atomic_cas_relaxed(&rounds_left, &left, left - 1))
		return true;
	return again || left > 1 || atomic_load_relaxed(&decay_mappings_ms);
}

static unsigned int decay_interval(void)
{
	return DECAY_INTERVAL_MS;
}

/* Sync: only the background thread uses them; a fork child keeps next_ms */
static struct decay_clock {
	unsigned int (*period_ms)(void);
	bool (*step)(void);		/* true: once more after the period */
	uint64_t next_ms;
	bool again;			/* what the last step returned */
} clocks[] = {
	{ decay_interval, decay_round, 0, false },
	{ release_old_interval, release_old, 0, false },
	{ release_interval, release_unused, 0, false },
};

/*
 * Milliseconds until the clock's next step; 0: it wants none. A call of the thread makes each clock
 * want a step.
 */
static unsigned int look_at(struct decay_clock *clock)
{
	uint64_t now = os_time_ms();

	if (now < clock->next_ms)
		return clock->again || atomic_load_relaxed(&rounds_left) ?
		       (unsigned int)(clock->next_ms - now) : 0;
	clock->next_ms = now + clock->period_ms();
	clock->again = clock->step();
	return clock->again ? clock->period_ms() : 0;
}

static unsigned int look_at_clocks(void)
{
	unsigned int again_ms = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(clocks); i++)
		again_ms = background_sooner(again_ms, look_at(&clocks[i]));
	return again_ms;
}

/* This thread, whatever it was made for, takes up the work that the last one had to leave. */
static void take_up_inherited(void)
{
	if (likely(!atomic_load_relaxed(&decay_inherited_ms)))
		return;
	atomic_store_relaxed(&decay_inherited_ms, 0UL);
	atomic_store_relaxed(&rounds_left, DECAY_ROUNDS + 0u);
	atomic_store_relaxed(&called, true);
}

/*
 * If the thread was woken for reclaim only, it releases nothing here; the threads that free do
 * that.
 *
 * While a zone is beyond its low mark, release_old() wants another look. So the thread stays even
 * if nobody frees.
 *
 * The end: `called` is cleared before the zones' marks are lowered. So a free that finds a zone
 * beyond its low mark calls the thread again. Pages that were freed after the last look, but before
 * the mark was lowered, called nobody; release_watch() finds them, and the thread goes on.
 */
unsigned int decay_background_work(void)
{
	unsigned int again_ms;

	if (options.background == OPTION_BACKGROUND_OFF)
		return 0;
	take_up_inherited();
	/* pairs with call_thread(): rounds_left */
	if (!atomic_load_acquire(&called))
		return 0;
	release_watch(true);
	again_ms = look_at_clocks();
	if (again_ms)
		return again_ms;
	/* pairs with call_thread(): the pages that it was called for */
	(void)atomic_exchange_acquire(&called, false);
	if (!release_watch(false))
		return 0;
	atomic_store_relaxed(&called, true);
	return RELEASE_INTERVAL_MS;
}
