/* SPDX-License-Identifier: MIT */
/* All barns: what they may hold together, and which barn gives way. See barn_budget.h. */
#include "slab/sheaf/barn_budget.h"

#include "base/check.h"
#include "base/options.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/reclaim/decay.h"
#include "page/zone.h"
#include "usermm/shrinker.h"

/* The default budget: 1/BUDGET_SHARE of memory, and at most BUDGET_MAX. */
#define BUDGET_SHARE 64
#define BUDGET_MAX (512 * MIB)
/*
 * The firm part, kept even if others want memory: 1/FIRM_SHARE of all slabs, at least FIRM_LEAST.
 */
#define FIRM_SHARE 4
#define FIRM_LEAST (32 * MIB)
/*
 * Objects of at least so many bytes are large. To put one back into its slab and to take it again
 * costs less than a tenth of touching as much memory for the first time. So barns keep no more than
 * LARGE_LEAST bytes of large objects when the heap would grow.
 */
#define LARGE_BYTES PAGE_SIZE
#define LARGE_LEAST MIB
/*
 * A search for an idle barn looks at BARNS_LOOKED_AT barns at most. An idle barn that is found
 * gives back at most BATCHES_GIVING_WAY batches.
 */
#define BARNS_LOOKED_AT 16
#define BATCHES_GIVING_WAY 64u
/* A barn is idle if it was used neither in the current epoch nor in the one before. */
#define IDLE_EPOCHS 2
/*
 * barn_budget_age() gives back at most BATCHES_AGED batches. If there are more, it goes on after
 * AGE_AGAIN_MS.
 */
#define BATCHES_AGED 256u
#define AGE_AGAIN_MS 100

uint32_t barn_budget_epoch = 1;	/* not 0, as none_idle_epoch is */

static struct lock barn_budget_lock;		/* RANK_BARNS */
static LIST_HEAD(barns);		/* looked at in this order. Sync: barn_budget_lock */
static unsigned int nr_barns;		/* Sync: barn_budget_lock */
/* SHARE: a share of memory, whose limit may change. Sync: atomic relaxed */
#define SHARE SIZE_MAX
static size_t budget_bytes = SHARE;
/* Firm even with few slabs. Sync: atomic relaxed */
static size_t least_bytes = FIRM_LEAST;
static size_t slab_bytes;		/* Sync: atomic relaxed */
static size_t reserved_bytes;		/* Sync: atomic relaxed; see reserve() */
static uint64_t next_age_ms;		/* Sync: atomic relaxed; one thread wins the turn */
static uint64_t epoch_ms;		/* when the epoch began. Sync: as next_age_ms */
/* Looks in a row that found no idle barn. Sync: barn_budget_lock */
static unsigned int looks_in_vain;
static uint32_t vain_epoch;		/* the epoch of these looks. Sync: barn_budget_lock */
/* No barn has large objects until there are so many bytes of slabs. Sync: atomic relaxed */
static size_t no_large_until;
static uint32_t none_idle_epoch;	/* in which no barn was idle. Sync: atomic relaxed */

/* --- The budget ------------------------------------------------------------ */

static size_t budget(void)
{
	size_t bytes = atomic_load_relaxed(&budget_bytes);

	return bytes == SHARE ? min(mm_budget_bytes() / BUDGET_SHARE, BUDGET_MAX) : bytes;
}

/* The firm part of the budget: bytes that barns keep even if others want memory. */
static size_t firm_budget(void)
{
	return min(budget(), max(atomic_load_relaxed(&least_bytes),
				 atomic_load_relaxed(&slab_bytes) / FIRM_SHARE));
}

void barn_budget_count_slabs(long bytes)
{
	atomic_add_relaxed(&slab_bytes, (size_t)bytes);
}

size_t barn_budget_slab_bytes(void)
{
	return atomic_load_relaxed(&slab_bytes);
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

void barn_budget_unreserve(size_t bytes)
{
	atomic_add_relaxed(&reserved_bytes, -bytes);
}

size_t barn_budget_reserved_bytes(void)
{
	return atomic_load_relaxed(&reserved_bytes);
}

void barn_budget_set_budget(size_t bytes, size_t least)
{
	atomic_store_relaxed(&budget_bytes, bytes);
	atomic_store_relaxed(&least_bytes, least);
}

/* --- Who gives way ------------------------------------------------------------- */

/*
 * Begins a new epoch if the last one is over; returns the epoch. Adds only one, however long nobody
 * looked: a barn that was used since the last look must not seem idle. now_ms may come from another
 * clock, which is ahead of ours (tests).
 */
static uint32_t look_at_clock(uint64_t now_ms)
{
	if (decay_turn(&epoch_ms, now_ms, BARN_EPOCH_MS))
		return atomic_add_relaxed(&barn_budget_epoch, 1u) + 1;
	return atomic_load_relaxed(&barn_budget_epoch);
}

/* The caller of these functions, up to give_way(), holds barn_budget_lock. */
static struct barn *next_barn(void)
{
	struct barn *barn = list_first_entry(&barns, struct barn, barns);

	list_move_tail(&barn->barns, &barns);
	return barn;
}

/* Has the barn room that nobody uses? */
static bool lies_idle(const struct barn *barn)
{
	uint32_t epoch = atomic_load_relaxed(&barn_budget_epoch);

	return epoch - atomic_load_relaxed(&barn->used_epoch) >= IDLE_EPOCHS &&
	       atomic_load_relaxed(&barn->capacity);
}

/* The next idle barn; NULL if the barns that were looked at are in use. */
static struct barn *next_idle(void)
{
	uint32_t epoch = atomic_load_relaxed(&barn_budget_epoch);

	if (vain_epoch != epoch)
		looks_in_vain = 0;
	vain_epoch = epoch;
	for (unsigned int looks = min(nr_barns, BARNS_LOOKED_AT + 0u); looks; looks--) {
		struct barn *barn = next_barn();

		if (lies_idle(barn)) {
			looks_in_vain = 0;
			return barn;
		}
		looks_in_vain++;
	}
	if (looks_in_vain >= nr_barns) {
		atomic_store_relaxed(&none_idle_epoch, epoch);
		looks_in_vain = 0;
	}
	return NULL;
}

static void give_way(struct barn *barn, size_t bytes)
{
	size_t nr = bytes / barn->cost + 1;

	barn_cut(barn, (uint32_t)min(nr, (size_t)BATCHES_GIVING_WAY), 0);
}

/*
 * Lets idle barns give way until reserved + bytes <= most. Does not wait for the lock: its holder
 * is giving back already.
 */
static void let_give_way(size_t bytes, size_t most)
{
	size_t reserved;
	struct barn *barn;

	/* If no barn was idle in this epoch, none will be until the next. */
	if (look_at_clock(os_time_ms()) == atomic_load_relaxed(&none_idle_epoch) ||
	    !lock_try_in_order(&barn_budget_lock))
		return;
	while ((reserved = barn_budget_reserved_bytes()) + bytes > most && (barn = next_idle()))
		give_way(barn, reserved + bytes - most);
	lock_release(&barn_budget_lock);
}

bool barn_budget_reserve(size_t bytes)
{
	if (reserve(bytes))
		return true;
	let_give_way(bytes, budget());
	return reserve(bytes);
}

/* A barn with large objects; NULL: there is none. The caller holds barn_budget_lock. */
static struct barn *find_large(void)
{
	struct barn *barn;

	list_for_each_entry(barn, &barns, barns)
		if (atomic_load_relaxed(&barn->nr) && barn->cost / barn->batch >= LARGE_BYTES)
			return barn;
	return NULL;
}

/* Would a slab of so many bytes be in memory that nobody has touched? */
static bool needs_new_memory(size_t bytes)
{
	return nodes_dirty_pages() < bytes / PAGE_SIZE;
}

/* Gives back large objects of at least so many bytes, if there are any, instead of new memory. */
static void let_large_give_way(size_t bytes)
{
	size_t slabs = barn_budget_slab_bytes();
	struct barn *barn;

	if (slabs < atomic_load_relaxed(&no_large_until) || !needs_new_memory(bytes) ||
	    !lock_try_in_order(&barn_budget_lock))
		return;
	barn = find_large();
	if (barn)
		barn_cut(barn, (uint32_t)(bytes / barn->cost + 1),
			 (uint32_t)(bytes / barn->cost + 1));
	else
		atomic_store_relaxed(&no_large_until, slabs + slabs / 16 + LARGE_LEAST);
	lock_release(&barn_budget_lock);
}

void barn_budget_make_way(size_t bytes)
{
	size_t reserved = barn_budget_reserved_bytes(), firm = firm_budget();

	if (unlikely(reserved > firm))
		let_give_way(0, max(firm, reserved - min(bytes, reserved)));
	if (unlikely(reserved > LARGE_LEAST))
		let_large_give_way(bytes);
}

/* --- Age ------------------------------------------------------------------------- */

/* Gives back half of what was not needed since the last look; at most `most` batches. */
static unsigned int age(struct barn *barn, unsigned int most)
{
	uint32_t unused, old;

	lock_acquire(&barn->lock);
	old = min((barn->low + 1) / 2, most);
	unused = (barn->capacity - min(barn->high, barn->capacity) + 1) / 2;
	barn->low = barn->high = barn->nr;
	lock_release(&barn->lock);
	return unused + old ? barn_cut(barn, unused + old, old) : 0;
}

void barn_budget_age(uint64_t now_ms)
{
	uint64_t next = atomic_load_relaxed(&next_age_ms);
	unsigned int left = BATCHES_AGED;

	look_at_clock(now_ms);
	if (USERMM_LINUX_SHEAVES)
		return;
	if (now_ms < next || !atomic_cas_relaxed(&next_age_ms, &next, now_ms + BARN_AGE_MS))
		return;
	if (!lock_try_in_order(&barn_budget_lock)) {
		atomic_store_relaxed(&next_age_ms, now_ms + AGE_AGAIN_MS);
		return;
	}
	for (unsigned int looks = nr_barns; looks && left; looks--)
		left -= min(left, age(next_barn(), left));
	lock_release(&barn_budget_lock);
	if (!left)
		atomic_store_relaxed(&next_age_ms, now_ms + AGE_AGAIN_MS);
}

/*
 * Gives back a part of what the next barn does not need. False: this barn has more to give, so it
 * stays the next one.
 */
static bool decay_next(void)
{
	struct barn *barn = next_barn();

	if (!lies_idle(barn)) {
		age(barn, BATCHES_AGED);
		return true;
	}
	barn_cut(barn, BATCHES_AGED, 0);
	if (!atomic_load_relaxed(&barn->capacity))
		return true;
	list_move(&barn->barns, &barns);
	return false;
}

/*
 * Releases the lock after each piece, so that fork() and the end of a cache need not wait longer.
 */
void barn_budget_decay(void)
{
	unsigned int looks = 0, nr;

	look_at_clock(os_time_ms());
	if (USERMM_LINUX_SHEAVES)
		return;
	do {
		if (!lock_acquire_unless_handler(&barn_budget_lock))
			return;
		nr = nr_barns;
		if (nr)
			looks += decay_next();
		lock_release(&barn_budget_lock);
	} while (looks < nr);
}

/* Goes from barn to barn until there are enough: gives back batches, and frees empty pages. */
unsigned long barn_budget_release(unsigned long nr)
{
	unsigned long released = 0;

	if (!lock_acquire_unless_handler(&barn_budget_lock))
		return 0;
	for (unsigned int looks = nr_barns; looks && released < nr; looks--) {
		struct barn *barn = next_barn();
		unsigned long out = (nr - released - 1) / barn->batch + 1;

		out = min(out, (unsigned long)atomic_load_relaxed(&barn->nr));
		if (out)
			released += (unsigned long)barn_cut(barn, (uint32_t)out, (uint32_t)out) *
				    barn->batch;
		released += barn_give_pages(barn);
	}
	lock_release(&barn_budget_lock);
	return released;
}

size_t barn_budget_kept_bytes(void)
{
	size_t bytes = 0;
	struct barn *barn;

	if (!lock_try_in_order(&barn_budget_lock))
		return 0;
	list_for_each_entry(barn, &barns, barns)
		bytes += (size_t)atomic_load_relaxed(&barn->nr) * barn->cost;
	lock_release(&barn_budget_lock);
	return bytes;
}

/* --- The shrinker --------------------------------------------------------------- */

static unsigned long count_objects(struct shrinker *shrinker, struct shrink_control *control)
{
	struct barn *barn;
	unsigned long nr = 0;

	(void)shrinker;
	(void)control;
	if (!lock_acquire_unless_handler(&barn_budget_lock))
		return 0;
	list_for_each_entry(barn, &barns, barns)
		nr += barn_objects(barn) + barn_empty_pages(barn);
	lock_release(&barn_budget_lock);
	return nr ? nr : SHRINK_EMPTY;
}

static unsigned long scan_objects(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long released = barn_budget_release(control->nr_to_scan);

	(void)shrinker;
	control->nr_scanned = max(released, control->nr_to_scan);
	return released ? released : SHRINK_STOP;
}

/* seeks is 0: nothing has to be made again later, since the objects are still free elsewhere. */
static struct shrinker barn_budget_shrinker = {
	.count_objects = count_objects,
	.scan_objects = scan_objects,
	.seeks = 0,
	.flags = SHRINKER_INTERNAL,
	.name = "slab-barns",
};

/* --- Which barns there are --------------------------------------------------------- */

void barn_budget_join(struct barn *barn)
{
	lock_acquire(&barn_budget_lock);
	list_add_tail(&barn->barns, &barns);
	nr_barns++;
	lock_release(&barn_budget_lock);
}

void barn_close(struct barn *barn)
{
	lock_acquire(&barn_budget_lock);
	list_del(&barn->barns);
	nr_barns--;
	barn_shut(barn);
	lock_release(&barn_budget_lock);
}

unsigned int barn_shrink(struct barn *barn, unsigned int keep)
{
	unsigned int given;
	uint32_t capacity;

	lock_acquire(&barn_budget_lock);
	capacity = atomic_load_relaxed(&barn->capacity);
	given = barn_cut(barn, capacity - min(keep, capacity), 0);
	lock_release(&barn_budget_lock);
	return given;
}

void barn_budget_init(void)
{
	size_t wished = options.slab_cache_bytes;

	lock_init(&barn_budget_lock, RANK_BARNS);
	if (wished)
		barn_budget_set_budget(wished, wished);
	if (usermm_register_shrinker(&barn_budget_shrinker))
		report_warning("barns have no shrinker");
}
