/* SPDX-License-Identifier: MIT */
/*
 * One barn: batches of free objects between sheaves and slabs. See barn.h. barn_budget.c has what
 * concerns all barns together.
 */
#include "slab/sheaf/barn.h"

#include <string.h>

#include "base/check.h"
#include "os/os.h"
#include "page/debug/hooks.h"
#include "page/reclaim/decay.h"
#include "slab/counters.h"
#include "slab/debug/debug.h"
#include "slab/sheaf/barn_budget.h"

/* A page for batches: from no reserves, without waiting, without a report. */
#define BARN_GFP (__GFP_NOWARN | __GFP_NOMEMALLOC)
/*
 * One visit of a barn in VISITS_PER_LOOK looks at the clock. Visits with large objects look more
 * often, so that no more than LOOK_BYTES of objects pass between two looks: a program may free a
 * few large objects in each of many caches and then rest.
 */
#define VISITS_PER_LOOK 64u
#define LOOK_BYTES (512 * KIB)

#define POINTERS_PER_PAGE (PAGE_SIZE / sizeof(void *) - 1)

struct barn_page {
	struct barn_page *below;
	void *objects[POINTERS_PER_PAGE];
};
_Static_assert(sizeof(struct barn_page) == PAGE_SIZE, "a page is used up to its end");

static unsigned long nr_pages;		/* Sync: atomic relaxed; statistics */

/* --- Pages ------------------------------------------------------------------ */

/*
 * NULL while requests fail on purpose (failslab=, fail_page_alloc=): these options count the
 * program's requests, and must not count the barns'.
 */
static struct barn_page *page_new(void)
{
	struct page *page;

	if (slab_failslab_is_armed() || page_hooks() & HOOK_FAULTS)
		return NULL;
	page = alloc_frozen_pages(BARN_GFP, 0);
	if (!page)
		return NULL;
	atomic_add_relaxed(&nr_pages, 1UL);
	return page_address(page);
}

static void page_done(struct barn_page *page)
{
	atomic_add_relaxed(&nr_pages, -1UL);
	free_frozen_pages(virt_to_page(page), 0);
}

unsigned long barn_pages(void)
{
	return atomic_load_relaxed(&nr_pages);
}

/* --- The stack; the barn's lock is held -------------------------------------- */

static void set_nr_locked(struct barn *barn, uint32_t nr)
{
	atomic_store_relaxed(&barn->nr, nr);
	barn->low = min(barn->low, nr);
	barn->high = max(barn->high, nr);
}

static void set_capacity_locked(struct barn *barn, uint32_t capacity)
{
	atomic_store_relaxed(&barn->capacity, capacity);
}

static void set_nr_pages_locked(struct barn *barn, uint32_t nr_pages)
{
	atomic_store_relaxed(&barn->nr_pages, nr_pages);
}

/* Takes out an empty page that is not needed for `batches` batches; NULL if there is none. */
static struct barn_page *superfluous_page_locked(struct barn *barn, uint32_t batches)
{
	struct barn_page *page = barn->empty;

	if (!page || barn->nr_pages <= DIV_ROUND_UP(batches, barn->batches_per_page + 0u))
		return NULL;
	barn->empty = page->below;
	set_nr_pages_locked(barn, barn->nr_pages - 1);
	return page;
}

/* Makes sure that the top page has room for a batch. False if there is no page for it. */
static bool have_room_locked(struct barn *barn)
{
	struct barn_page *top = barn->empty;

	if (barn->top && barn->nr_on_top < barn->batches_per_page)
		return true;
	if (!top)
		return false;
	barn->empty = top->below;
	top->below = barn->top;
	barn->top = top;
	barn->nr_on_top = 0;
	return true;
}

static void push_locked(struct barn *barn, void *const *objects)
{
	memcpy(barn->top->objects + barn->nr_on_top * barn->batch, objects,
	       barn->batch * sizeof(*objects));
	barn->nr_on_top++;
	set_nr_locked(barn, barn->nr + 1);
	atomic_store_relaxed(&barn->counts.barn_put, barn->counts.barn_put + 1);
}

/* Takes the batch that was given last. The barn must have one. */
static void pop_locked(struct barn *barn, void **objects)
{
	struct barn_page *top = barn->top;

	barn->nr_on_top--;
	memcpy(objects, top->objects + barn->nr_on_top * barn->batch,
	       barn->batch * sizeof(*objects));
	set_nr_locked(barn, barn->nr - 1);
	if (barn->nr_on_top)
		return;
	barn->top = top->below;
	barn->nr_on_top = barn->top ? barn->batches_per_page : 0;
	top->below = barn->empty;
	barn->empty = top;
}

static void note_used(struct barn *barn)
{
	uint32_t epoch = atomic_load_relaxed(&barn_budget_epoch);

	if (atomic_load_relaxed(&barn->used_epoch) != epoch)
		atomic_store_relaxed(&barn->used_epoch, epoch);
}

/* Signed, since another thread's `then` may be later than our `now`. */
static bool is_long_ago(uint64_t then, uint64_t now)
{
	return (int64_t)(now - then) > BARN_SPAN_MS;
}

/*
 * Counts a refused batch; refusals of long ago no longer count. Takes no lock: so a barn without
 * room costs its callers little.
 */
static void note_spilled(struct barn *barn)
{
	uint64_t then = atomic_load_relaxed(&barn->spilled_ms), now = os_time_ms();

	if (atomic_load_relaxed(&barn->closed))
		return;
	if (is_long_ago(then, now))
		atomic_store_relaxed(&barn->spilled, 0u);
	if (then < now)
		atomic_store_relaxed(&barn->spilled_ms, now);
	atomic_add_relaxed(&barn->spilled, 1u);
	note_used(barn);
}

/* Is this visit to look at the clock? */
static bool is_turn(const struct barn *barn, unsigned long visits)
{
	return !(visits & barn->look_mask);
}

/* Counts a visit. True if this visit is to look at the clock. */
static bool note_visit_locked(struct barn *barn)
{
	note_used(barn);
	return is_turn(barn, ++barn->visits);
}

/* --- Less ------------------------------------------------------------------- */

/*
 * Frees the empty pages that the barn would not need if it were full; or all empty ones. Returns
 * how many.
 */
static unsigned int give_pages(struct barn *barn, bool all)
{
	unsigned int given = 0;
	struct barn_page *page;

	for (;; given++) {
		lock_acquire(&barn->lock);
		page = superfluous_page_locked(barn, all ? barn->nr : barn->capacity);
		lock_release(&barn->lock);
		if (!page)
			return given;
		page_done(page);
	}
}

unsigned int barn_cut(struct barn *barn, uint32_t less, uint32_t out)
{
	/* Not on the stack: a caller that makes room may have a batch there. Sync: RANK_BARNS */
	static void *objects[BARN_BATCH_MAX] __large_bss;
	unsigned int given = 0;

	lock_acquire(&barn->lock);
	less = min(less, barn->capacity);
	set_capacity_locked(barn, barn->capacity - less);
	while (barn->nr && (given < out || barn->nr > barn->capacity)) {
		pop_locked(barn, objects);
		lock_release(&barn->lock);
		barn->give_back(barn, objects, barn->batch);
		given++;
		lock_acquire(&barn->lock);
	}
	lock_release(&barn->lock);
	give_pages(barn, false);
	barn_budget_unreserve((size_t)less * barn->cost);
	return given;
}

unsigned int barn_give_pages(struct barn *barn)
{
	return give_pages(barn, true);
}

unsigned int barn_empty_pages(struct barn *barn)
{
	unsigned int nr;

	lock_acquire(&barn->lock);
	nr = barn->nr_pages - DIV_ROUND_UP(barn->nr, barn->batches_per_page + 0u);
	lock_release(&barn->lock);
	return nr;
}

/* --- More ------------------------------------------------------------------------ */

/* Adds room for one batch, which barn_budget_reserve() has granted. */
static void grow(struct barn *barn)
{
	uint32_t spilled = 0;

	if (lock_acquire_unless_handler(&barn->lock)) {
		spilled = barn->closed ? 0 : atomic_load_relaxed(&barn->spilled);
		while (spilled &&
		       !atomic_cas_relaxed(&barn->spilled, &spilled, spilled - 1))
			;
		if (spilled)
			set_capacity_locked(barn, barn->capacity + 1);
		lock_release(&barn->lock);
	}
	if (!spilled)
		barn_budget_unreserve(barn->cost);
}

/*
 * A refused batch is wanted again. If it was refused too long ago, or the budget has no room, all
 * refusals are forgotten: room is looked for again after the next one.
 */
static void want_more(struct barn *barn)
{
	if (!is_long_ago(atomic_load_relaxed(&barn->spilled_ms), os_time_ms()) &&
	    barn_budget_reserve(barn->cost))
		grow(barn);
	else
		atomic_store_relaxed(&barn->spilled, 0u);
}

/* With Linux's sizes: the barn's whole room, when the first batch wants in. */
static void open_whole(struct barn *barn)
{
	size_t bytes = LINUX_FULL_SHEAVES * (size_t)barn->cost;
	bool opened = false;

	if (atomic_load_relaxed(&barn->capacity) || atomic_load_relaxed(&barn->closed) ||
	    !barn_budget_reserve(bytes))
		return;
	if (lock_acquire_unless_handler(&barn->lock)) {
		opened = !barn->capacity && !barn->closed;
		if (opened)
			set_capacity_locked(barn, LINUX_FULL_SHEAVES);
		lock_release(&barn->lock);
	}
	if (!opened)
		barn_budget_unreserve(bytes);
}

/* --- Entry points ------------------------------------------------------------------ */

/* Bits of *due: the work of barn_catch_up() after a visit. */
enum { LOOK = 1, REFUSED = 2, MISSED = 4, PART = 8 };

/* Does the barn lack only a page for one more batch? Exact under the lock, approximate without. */
static bool wants_page(const struct barn *barn)
{
	uint32_t nr = atomic_load_relaxed(&barn->nr);

	return nr < atomic_load_relaxed(&barn->capacity) &&
	       nr >= atomic_load_relaxed(&barn->nr_pages) * barn->batches_per_page;
}

static bool add_page(struct barn *barn, struct barn_page *page)
{
	bool wanted;

	if (!lock_acquire_unless_handler(&barn->lock))
		return false;
	wanted = wants_page(barn);
	if (wanted) {
		page->below = barn->empty;
		barn->empty = page;
		set_nr_pages_locked(barn, barn->nr_pages + 1);
	}
	lock_release(&barn->lock);
	return wanted;
}

void barn_make_room(struct barn *barn)
{
	struct barn_page *page = wants_page(barn) ? page_new() : NULL;

	if (page && !add_page(barn, page))
		page_done(page);
}

static bool store(struct barn *barn, void *const *objects, unsigned int *due)
{
	bool stored;

	if (!lock_acquire_unless_handler(&barn->lock))
		return false;
	if (note_visit_locked(barn))
		*due |= LOOK;
	stored = barn->nr < barn->capacity && have_room_locked(barn);
	if (stored)
		push_locked(barn, objects);
	lock_release(&barn->lock);
	return stored;
}

bool barn_give_now(struct barn *barn, void *const *objects, unsigned int n, unsigned int *due)
{
	if (n != barn->batch) {
		*due |= PART;
		return false;
	}
	if (atomic_load_relaxed(&barn->nr) >= atomic_load_relaxed(&barn->capacity))
		note_spilled(barn);
	else if (store(barn, objects, due))
		return true;
	*due |= REFUSED;
	return false;
}

unsigned int barn_take_now(struct barn *barn, void **objects, unsigned int *due)
{
	unsigned int n = 0;

	/*
	 * The first look takes no lock. It may miss a batch that another thread is giving; then the
	 * caller takes objects elsewhere.
	 */
	if (atomic_load_relaxed(&barn->nr) && lock_acquire_unless_handler(&barn->lock)) {
		if (barn->nr) {
			pop_locked(barn, objects);
			if (note_visit_locked(barn))
				*due |= LOOK;
			n = barn->batch;
			atomic_store_relaxed(&barn->counts.barn_get,
					     barn->counts.barn_get + 1);
		}
		lock_release(&barn->lock);
	}
	if (!n)
		*due |= MISSED;
	return n;
}

/*
 * Objects in CPUs' sheaves keep their slabs. So while more objects come back to slabs than leave,
 * few objects in sheaves may keep 1/PINNED_SHARE of all slabs. The background thread can free
 * these slabs.
 */
#define PINNED_SHARE 4

static void look(size_t pinned_bytes)
{
	uint64_t now_ms = os_time_ms();

	if (decay_may_call(now_ms))
		decay_in_background((pinned_bytes + barn_budget_kept_bytes()) / PAGE_SIZE);
	barn_budget_age(now_ms);
}

static slow_path void gave_nothing(struct barn *barn)
{
	unsigned long fails = slab_count_lossy(&barn->counts.barn_put_fail, 1);

	if (USERMM_LINUX_SHEAVES)
		open_whole(barn);
	if (is_turn(barn, fails))
		look(barn_budget_slab_bytes() / PINNED_SHARE);
}

/* A part of a batch goes to the slabs, since the barn takes whole batches only. */
static slow_path void gave_part(struct barn *barn)
{
	if (is_turn(barn, slab_count_lossy(&barn->parts, 1)))
		look(barn_budget_slab_bytes() / PINNED_SHARE);
}

static slow_path void took_nothing(struct barn *barn)
{
	unsigned long fails = slab_count_lossy(&barn->counts.barn_get_fail, 1);

	if (!USERMM_LINUX_SHEAVES && atomic_load_relaxed(&barn->spilled))
		want_more(barn);
	if (is_turn(barn, fails))
		look(0);
}

void barn_catch_up(struct barn *barn, unsigned int due)
{
	if (due & REFUSED)
		gave_nothing(barn);
	else if (due & MISSED)
		took_nothing(barn);
	else if (due & PART)
		gave_part(barn);
	else if (unlikely(due & LOOK))
		look(0);
}

bool barn_give(struct barn *barn, void *const *objects, unsigned int n)
{
	unsigned int due = 0;
	bool given;

	barn_make_room(barn);
	given = barn_give_now(barn, objects, n, &due);
	barn_catch_up(barn, due);
	return given;
}

unsigned int barn_take(struct barn *barn, void **objects)
{
	unsigned int due = 0, n = barn_take_now(barn, objects, &due);

	barn_catch_up(barn, due);
	return n;
}

void barn_read_counts(const struct barn *barn, struct barn_counts *counts)
{
	counts->barn_get = atomic_load_relaxed(&barn->counts.barn_get);
	counts->barn_get_fail = atomic_load_relaxed(&barn->counts.barn_get_fail);
	counts->barn_put = atomic_load_relaxed(&barn->counts.barn_put);
	counts->barn_put_fail = atomic_load_relaxed(&barn->counts.barn_put_fail);
}

void barn_init(struct barn *barn, unsigned int batch, unsigned int object_bytes,
	       void (*give_back)(struct barn *barn, void **objects, unsigned int n))
{
	ASSERT(batch > 0 && batch <= BARN_BATCH_MAX);
	lock_init(&barn->lock, RANK_BARN);
	barn->batch = (uint16_t)batch;
	barn->batches_per_page = (uint16_t)(POINTERS_PER_PAGE / batch);
	barn->cost = batch * (object_bytes + (uint32_t)sizeof(void *));
	barn->look_mask = (uint8_t)((1u << ilog2(clamp(LOOK_BYTES / barn->cost, 1u,
						       VISITS_PER_LOOK))) - 1);
	barn->give_back = give_back;
	barn_budget_join(barn);
}

void barn_shut(struct barn *barn)
{
	lock_acquire(&barn->lock);
	atomic_store_relaxed(&barn->closed, true);
	atomic_store_relaxed(&barn->spilled, 0u);
	lock_release(&barn->lock);
	barn_cut(barn, UINT32_MAX, 0);
}

void barn_destroy(struct barn *barn)
{
	lock_destroy(&barn->lock);
}

FOR_KERNEL(barn_pages);
