/* SPDX-License-Identifier: MIT */
/* When memory that is kept goes back. decay.h has the table. */
#include "page/reclaim/decay.h"

#include "base/options.h"
#include "base/upward_hooks.h"
#include "os/background.h"
#include "os/os.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "page/reclaim/release.h"

#define DECAY_ROUNDS 4
#define DECAY_INTERVAL_MS 1000
#define IDLE_MAPPINGS_MS 1000

uint64_t decay_inherited_ms;
uint64_t decay_mappings_ms;

/* Sync: atomic; when the thread was last woken */
static uint64_t called_at;
/* Sync: atomic relaxed; rounds of decay that are left */
static unsigned int rounds_left;
/* Sync: atomic; the thread was woken for this and has not finished */
static bool called;
/* Sync: only the background thread uses it; a fork child keeps the value */
static unsigned long moves_seen;

/* --- Calling the thread ------------------------------------------------------------- */

static bool call_thread(void)
{
	atomic_store_relaxed(&rounds_left, DECAY_ROUNDS + 0u);
	/* pairs with decay_background_work(): it clears this before it looks */
	atomic_store_release(&called, true);
	return reclaim_wake_background();
}

bool decay_in_background(unsigned long pages)
{
	if (!release_is_much(pages) || !lock_none_held())
		return false;
	if (!decay_turn(&called_at, os_time_ms(), RELEASE_INTERVAL_MS))
		return background_is_running();
	if (!background_is_running() && os_called_by_loader())
		return false;
	return call_thread();
}

void decay_forget(void)
{
	atomic_store_relaxed(&called_at, 0);
	if (atomic_load_relaxed(&called) || atomic_load_relaxed(&rounds_left))
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
	if (!background_is_running() && os_called_by_loader())
		return;
	if (call_thread() || options.background == OPTION_BACKGROUND_OFF)
		atomic_store_relaxed(&decay_inherited_ms, 0UL);
}

void decay_mappings(void)
{
	uint64_t last = atomic_load_relaxed(&decay_mappings_ms), now = os_time_ms();

	/* `now` may lie before `last`, which another thread has just set. */
	if (last && (int64_t)(now - last) > IDLE_MAPPINGS_MS && lock_none_held() &&
	    atomic_cas_relaxed(&decay_mappings_ms, &last, 0UL))
		release_mappings(SIZE_MAX);
}

/* --- In the thread -------------------------------------------------------------------- */

/* Drains CPUs' lists if no page was moved between them and the zones since the last round. */
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

static bool has_rounds_left(void)
{
	return atomic_load_relaxed(&rounds_left);
}

/* A round of decay of what CPUs and the layers above keep. */
static bool decay_kept(void)
{
	unsigned int left = atomic_load_relaxed(&rounds_left);

	/* Fails if a call came meanwhile: that call's rounds begin with the next one. */
	atomic_cas_relaxed(&rounds_left, &left, left - 1);
	release_decay_kept();
	decay_mappings();
	drain_idle_lists();
	return true;
}

/* Sync: only the background thread uses them; a fork child keeps next_ms */
static struct decay_clock {
	unsigned int period_ms;
	bool (*is_wanted)(void);	/* NULL: always */
	bool (*step)(void);		/* true: once more after the period */
	uint64_t next_ms;
} clocks[] = {
	{ DECAY_INTERVAL_MS, has_rounds_left, decay_kept, 0 },
	{ RELEASE_INTERVAL_MS, NULL, release_unused, 0 },
};

/* Milliseconds until the clock's next step; 0: there is none. */
static unsigned int look_at(struct decay_clock *clock)
{
	uint64_t now = os_time_ms();

	if (clock->is_wanted && !clock->is_wanted())
		return 0;
	if (now < clock->next_ms)
		return (unsigned int)(clock->next_ms - now);
	clock->next_ms = now + clock->period_ms;
	return clock->step() ? clock->period_ms : 0;
}

/*
 * If the thread was woken for reclaim only, it releases nothing here; the threads that free do
 * that. A call that comes while this runs counts as a new one.
 */
unsigned int decay_background_work(void)
{
	unsigned int again_ms = 0;

	if (options.background == OPTION_BACKGROUND_OFF)
		return 0;
	/* pairs with call_thread() */
	if (!atomic_exchange_acquire(&called, false))
		return 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(clocks); i++)
		again_ms = background_sooner(again_ms, look_at(&clocks[i]));
	if (again_ms)
		atomic_store_relaxed(&called, true);
	return again_ms;
}
