/* SPDX-License-Identifier: MIT */
/* Batches of free objects between sheaves and slabs. See barn.h. */
#include "slab/barn.h"

#include <string.h>

#include "base/check.h"
#include "base/options.h"
#include "os/os.h"
#include "page/hooks.h"
#include "page/release.h"
#include "page/zone.h"
#include "slab/debug.h"
#include "usermm/shrinker.h"

/*
 * The budget unless an option says otherwise: a share of memory, no more than that, and
 * beyond the least only a share of what slabs are.
 */
#define BUDGET_SHARE 64
#define BUDGET_MAX (256 * MIB)
#define BUDGET_LEAST (32 * MIB)
#define SLABS_SHARE 4
/* Kept batches are worth no reserves, no waiting and no noise. */
#define BARN_GFP (__GFP_NOWARN | __GFP_NOMEMALLOC)
/* Every so many visits of a barn somebody looks at the clock. */
#define VISITS_PER_LOOK 64
/* Barns that are looked at for one that gives way, and what is taken from it at most. */
#define BARNS_LOOKED_AT 16
#define BATCHES_GIVING_WAY 64u
/* Batches that age sends back at a time; and when it goes on if there are more. */
#define BATCHES_AGED 256u
#define AGE_AGAIN_MS 100

#define POINTERS_PER_PAGE (PAGE_SIZE / sizeof(void *) - 1)

struct barn_page {
	struct barn_page *below;
	void *objects[POINTERS_PER_PAGE];
};
_Static_assert(sizeof(struct barn_page) == PAGE_SIZE, "a page is used up to its end");

static struct lock barns_lock;		/* RANK_BARNS */
static LIST_HEAD(barns);		/* Sync: barns_lock; who was looked at last stands last */
static unsigned int nr_barns;		/* Sync: barns_lock */
static size_t budget_bytes;		/* Sync: atomic relaxed */
static size_t least_bytes;		/* the budget while there are few slabs. Sync: as that */
static size_t slab_bytes;		/* Sync: atomic relaxed */
static size_t reserved_bytes;		/* Sync: atomic relaxed; see reserve() */
static unsigned long nr_pages;		/* Sync: atomic relaxed; statistics */
static uint64_t next_age_ms;		/* Sync: atomic relaxed; one thread wins the turn */

/* --- The budget ------------------------------------------------------------ */

static size_t budget(void)
{
	size_t share = atomic_load_relaxed(&slab_bytes) / SLABS_SHARE;

	return min(atomic_load_relaxed(&budget_bytes),
		   max(atomic_load_relaxed(&least_bytes), share));
}

void barns_count_slabs(long nr, unsigned long bytes)
{
	atomic_add_relaxed(&slab_bytes, (size_t)nr * bytes);
}

static bool reserve(size_t bytes)
{
	size_t reserved = atomic_load_relaxed(&reserved_bytes);

	do {
		size_t most = budget();

		if (reserved > most || bytes > most - reserved)
			return false;
	} while (!atomic_cas_relaxed(&reserved_bytes, &reserved, reserved + bytes));
	return true;
}

static void unreserve(size_t bytes)
{
	atomic_add_relaxed(&reserved_bytes, -bytes);
}

size_t barns_reserved_bytes(void)
{
	return atomic_load_relaxed(&reserved_bytes);
}

void barns_set_budget(size_t bytes)
{
	atomic_store_relaxed(&budget_bytes, bytes);
	atomic_store_relaxed(&least_bytes, bytes);
}

/* --- Pages ------------------------------------------------------------------ */

/* Requests that fail on purpose are the program's: none of these is to be counted. */
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
	if (!page)
		return;
	atomic_add_relaxed(&nr_pages, -1UL);
	free_frozen_pages(virt_to_page(page), 0);
}

unsigned long barns_pages(void)
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

/* Is there a page with room for a batch? *page is used if it is needed. */
static bool have_room_locked(struct barn *barn, struct barn_page **page)
{
	struct barn_page **from = barn->spare ? &barn->spare : page;
	struct barn_page *top = *from;

	if (barn->top && barn->nr_on_top < barn->batches_per_page)
		return true;
	if (!top)
		return false;
	*from = NULL;
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

/* The last batch; there is one. Returns a page that is not needed any more, or NULL. */
static struct barn_page *pop_locked(struct barn *barn, void **objects)
{
	struct barn_page *top = barn->top, *done = barn->spare;

	barn->nr_on_top--;
	memcpy(objects, top->objects + barn->nr_on_top * barn->batch,
	       barn->batch * sizeof(*objects));
	set_nr_locked(barn, barn->nr - 1);
	if (barn->nr_on_top)
		return NULL;
	barn->top = top->below;
	barn->nr_on_top = barn->top ? barn->batches_per_page : 0;
	barn->spare = top;
	return done;
}

static void note_used(struct barn *barn)
{
	if (!atomic_load_relaxed(&barn->used))
		atomic_store_relaxed(&barn->used, true);
}

/*
 * A batch was refused. What was refused long ago says nothing about now. Without the lock:
 * a barn that has no room costs its callers no more than this look.
 */
static void note_spilled(struct barn *barn)
{
	uint64_t now = os_time_ms();
	uint32_t before = atomic_load_relaxed(&barn->spilled);

	if (atomic_load_relaxed(&barn->closed))
		return;
	if (now - atomic_load_relaxed(&barn->spilled_ms) > BARN_SPAN_MS)
		before = 0;
	atomic_store_relaxed(&barn->spilled_ms, now);
	atomic_store_relaxed(&barn->spilled, before + 1);
	note_used(barn);
}

/* True now and then: somebody should look at the clock. */
static bool note_visit_locked(struct barn *barn)
{
	note_used(barn);
	return !(++barn->visits % VISITS_PER_LOOK);
}

/* --- Less; barns_lock is held ------------------------------------------------- */

/*
 * Lowers the capacity by up to `less`, and gives back as many batches as then are too
 * many, and `out` at least, if there are so many. How many.
 */
static unsigned int cut(struct barn *barn, uint32_t less, uint32_t out)
{
	void *objects[BARN_BATCH_MAX];
	struct barn_page *done;
	unsigned int given = 0;

	lock_acquire(&barn->lock);
	less = min(less, barn->capacity);
	set_capacity_locked(barn, barn->capacity - less);
	while (barn->nr && (given < out || barn->nr > barn->capacity)) {
		done = pop_locked(barn, objects);
		lock_release(&barn->lock);
		page_done(done);
		barn->give_back(barn, objects, barn->batch);
		given++;
		lock_acquire(&barn->lock);
	}
	done = barn->top ? NULL : barn->spare;
	if (done)
		barn->spare = NULL;
	lock_release(&barn->lock);
	page_done(done);
	unreserve((size_t)less * barn->cost);
	return given;
}

static struct barn *next_barn(void)
{
	struct barn *barn = list_first_entry(&barns, struct barn, barns);

	list_move_tail(&barn->barns, &barns);
	return barn;
}

/* Was it left alone since the last look? */
static bool lies_idle(struct barn *barn)
{
	bool idle;

	lock_acquire(&barn->lock);
	idle = !atomic_load_relaxed(&barn->used) && barn->capacity;
	atomic_store_relaxed(&barn->used, false);
	lock_release(&barn->lock);
	return idle;
}

/* Idle barns give way until so many bytes can be reserved, and are. */
static bool reserve_from_idle(const struct barn *wanting)
{
	unsigned int looks = min(nr_barns, BARNS_LOOKED_AT + 0u);
	bool reserved = false;

	while (looks-- && !(reserved = reserve(wanting->cost))) {
		struct barn *barn = next_barn();

		if (barn != wanting && lies_idle(barn))
			cut(barn, clamp(atomic_load_relaxed(&barn->capacity) / 2, 1u,
					BATCHES_GIVING_WAY), 0);
	}
	return reserved || reserve(wanting->cost);
}

/* Half of what was not needed since the last look, but for `most` batches. */
static unsigned int age(struct barn *barn, unsigned int most)
{
	uint32_t unused, old;

	lock_acquire(&barn->lock);
	old = min((barn->low + 1) / 2, most);
	unused = (barn->capacity - min(barn->high, barn->capacity) + 1) / 2;
	barn->low = barn->high = barn->nr;
	lock_release(&barn->lock);
	return unused + old ? cut(barn, unused + old, old) : 0;
}

void barns_age(uint64_t now_ms)
{
	uint64_t next = atomic_load_relaxed(&next_age_ms);
	unsigned int left = BATCHES_AGED;

	if (now_ms < next || !lock_may_wait(RANK_BARNS) ||
	    !atomic_cas_relaxed(&next_age_ms, &next, now_ms + BARN_AGE_MS))
		return;
	lock_acquire(&barns_lock);
	for (unsigned int looks = nr_barns; looks && left; looks--)
		left -= min(left, age(next_barn(), left));
	lock_release(&barns_lock);
	if (!left)
		atomic_store_relaxed(&next_age_ms, now_ms + AGE_AGAIN_MS);
}

/* One barn at a time, so that whoever waits for the list does not wait for all of them. */
void barns_decay(void)
{
	unsigned int looks = 1;

	for (unsigned int i = 0; i < looks; i++) {
		struct barn *barn;

		if (!lock_acquire_in_order(&barns_lock))
			return;
		looks = nr_barns;
		if (looks) {
			barn = next_barn();
			if (lies_idle(barn))
				cut(barn, UINT32_MAX, 0);
			else
				age(barn, UINT32_MAX);
		}
		lock_release(&barns_lock);
	}
}

unsigned long barns_release(unsigned long nr_objects)
{
	unsigned long released = 0;

	if (!lock_acquire_in_order(&barns_lock))
		return 0;
	for (unsigned int looks = nr_barns; looks && released < nr_objects; looks--) {
		struct barn *barn = next_barn();
		unsigned long out = (nr_objects - released - 1) / barn->batch + 1;

		out = min(out, (unsigned long)atomic_load_relaxed(&barn->nr));
		if (out)
			released += (unsigned long)cut(barn, (uint32_t)out, (uint32_t)out) *
				    barn->batch;
	}
	lock_release(&barns_lock);
	return released;
}

unsigned int barn_shrink(struct barn *barn, unsigned int keep)
{
	unsigned int given;
	uint32_t capacity;

	lock_acquire(&barns_lock);
	capacity = atomic_load_relaxed(&barn->capacity);
	given = cut(barn, capacity - min(keep, capacity), 0);
	lock_release(&barns_lock);
	return given;
}

/* --- The shrinker --------------------------------------------------------------- */

static unsigned long count_objects(struct shrinker *shrinker, struct shrink_control *control)
{
	const struct barn *barn;
	unsigned long nr = 0;

	(void)shrinker;
	(void)control;
	if (!lock_acquire_in_order(&barns_lock))
		return 0;
	list_for_each_entry(barn, &barns, barns)
		nr += barn_objects(barn);
	lock_release(&barns_lock);
	return nr ? nr : SHRINK_EMPTY;
}

static unsigned long scan_objects(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long released = barns_release(control->nr_to_scan);

	(void)shrinker;
	control->nr_scanned = max(released, control->nr_to_scan);
	return released ? released : SHRINK_STOP;
}

/* Nothing has to be made again to have free objects elsewhere: seeks is 0. */
static struct shrinker barns_shrinker = {
	.count_objects = count_objects,
	.scan_objects = scan_objects,
	.seeks = 0,
	.flags = SHRINKER_INTERNAL,
	.name = "slab-barns",
};

/* --- More ------------------------------------------------------------------------ */

/* Room for one more batch, for which `reserve` was called. */
static void grow(struct barn *barn)
{
	bool grows = false;
	uint32_t spilled;

	if (lock_acquire_in_order(&barn->lock)) {
		spilled = atomic_load_relaxed(&barn->spilled);
		grows = spilled && !barn->closed;
		if (grows) {
			atomic_store_relaxed(&barn->spilled, spilled - 1);
			set_capacity_locked(barn, barn->capacity + 1);
		}
		lock_release(&barn->lock);
	}
	if (!grows)
		unreserve(barn->cost);
}

/* False, if what was refused was refused too long ago. */
static bool was_spilled(struct barn *barn)
{
	bool spilled;

	if (!lock_acquire_in_order(&barn->lock))
		return false;
	spilled = atomic_load_relaxed(&barn->spilled) &&
		  os_time_ms() - atomic_load_relaxed(&barn->spilled_ms) <= BARN_SPAN_MS;
	if (!spilled)
		atomic_store_relaxed(&barn->spilled, 0u);
	lock_release(&barn->lock);
	return spilled;
}

/* There is no room: it is looked for again after the next refusal. */
static void forget_spilled(struct barn *barn)
{
	if (!lock_acquire_in_order(&barn->lock))
		return;
	atomic_store_relaxed(&barn->spilled, 0u);
	lock_release(&barn->lock);
}

/* A batch is wanted that had been refused. */
static void want_more(struct barn *barn)
{
	bool reserved;

	if (!was_spilled(barn))
		return;
	reserved = reserve(barn->cost);
	if (!reserved && lock_acquire_in_order(&barns_lock)) {
		reserved = reserve_from_idle(barn);
		lock_release(&barns_lock);
	}
	if (reserved)
		grow(barn);
	else
		forget_spilled(barn);
}

/* --- Entry points ------------------------------------------------------------------ */

enum answer { STORED, REFUSED, NO_PAGE };

static enum answer store(struct barn *barn, void *const *objects, struct barn_page **page,
			 bool *look)
{
	enum answer answer = STORED;

	if (!lock_acquire_in_order(&barn->lock))
		return REFUSED;
	*look = note_visit_locked(barn);
	if (barn->nr >= barn->capacity) {
		answer = REFUSED;
	} else if (!have_room_locked(barn, page)) {
		answer = NO_PAGE;
	} else {
		push_locked(barn, objects);
	}
	lock_release(&barn->lock);
	return answer;
}

static unsigned long count_failure(unsigned long *count)
{
	unsigned long before = atomic_load_relaxed(count);

	atomic_store_relaxed(count, before + 1);
	return before;
}

static slow_path bool give_nothing(struct barn *barn)
{
	unsigned long fails = count_failure(&barn->counts.barn_put_fail);

	if (fails % VISITS_PER_LOOK == 0) {
		release_in_background(atomic_load_relaxed(&slab_bytes) / PAGE_SIZE);
		barns_age(os_time_ms());
	}
	return false;
}

bool barn_give(struct barn *barn, void *const *objects, unsigned int n)
{
	struct barn_page *page = NULL;
	enum answer answer;
	bool look = false;

	if (n != barn->batch)
		return false;
	if (atomic_load_relaxed(&barn->nr) >= atomic_load_relaxed(&barn->capacity)) {
		note_spilled(barn);
		return give_nothing(barn);
	}
	answer = store(barn, objects, &page, &look);
	if (answer == NO_PAGE && (page = page_new())) {
		answer = store(barn, objects, &page, &look);
		page_done(page);
	}
	if (answer != STORED)
		return give_nothing(barn);
	if (unlikely(look))
		barns_age(os_time_ms());
	return true;
}

static slow_path unsigned int take_nothing(struct barn *barn)
{
	unsigned long fails = count_failure(&barn->counts.barn_get_fail);

	if (atomic_load_relaxed(&barn->spilled))
		want_more(barn);
	if (fails % VISITS_PER_LOOK == 0)
		barns_age(os_time_ms());
	return 0;
}

unsigned int barn_take(struct barn *barn, void **objects)
{
	struct barn_page *done = NULL;
	unsigned int n = 0;
	bool look = false;

	/* A glance; who misses a batch that is just coming takes one elsewhere. */
	if (atomic_load_relaxed(&barn->nr) && lock_acquire_in_order(&barn->lock)) {
		if (barn->nr) {
			done = pop_locked(barn, objects);
			look = note_visit_locked(barn);
			n = barn->batch;
			atomic_store_relaxed(&barn->counts.barn_get,
					     barn->counts.barn_get + 1);
		}
		lock_release(&barn->lock);
	}
	if (!n)
		return take_nothing(barn);
	page_done(done);
	if (unlikely(look))
		barns_age(os_time_ms());
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
	barn->give_back = give_back;
	lock_acquire(&barns_lock);
	list_add_tail(&barn->barns, &barns);
	nr_barns++;
	lock_release(&barns_lock);
}

void barn_close(struct barn *barn)
{
	lock_acquire(&barns_lock);
	list_del(&barn->barns);
	nr_barns--;
	lock_acquire(&barn->lock);
	atomic_store_relaxed(&barn->closed, true);
	atomic_store_relaxed(&barn->spilled, 0u);
	lock_release(&barn->lock);
	cut(barn, barn->capacity, 0);
	lock_release(&barns_lock);
}

void barn_destroy(struct barn *barn)
{
	lock_destroy(&barn->lock);
}

void barns_init(void)
{
	size_t share = nodes_managed_pages() * PAGE_SIZE / BUDGET_SHARE;

	lock_init(&barns_lock, RANK_BARNS);
	barns_set_budget(options.slab_cache_bytes ? options.slab_cache_bytes :
						    min(share, (size_t)BUDGET_MAX));
	if (!options.slab_cache_bytes)
		atomic_store_relaxed(&least_bytes, (size_t)BUDGET_LEAST);
	if (usermm_register_shrinker(&barns_shrinker))
		report_warning("barns have no shrinker");
}
