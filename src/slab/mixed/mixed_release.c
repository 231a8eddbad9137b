/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_release.h"

#include "os/lock.h"
#include "os/os.h"
#include "page/debug/hooks.h"
#include "slab/mixed/mixed.h"
#include "slab/mixed/mixed_list.h"
#include "slab/mixed/mixed_mark.h"
#include "slab/mixed/mixed_table.h"

/* RANK_MIXED_RELEASE: a thread that gives pages back holds it, so fork() waits for that thread. */
static struct lock release_lock;

/*
 * Free pages of a slab on their way to the system. Meanwhile they are a block of the map, so that
 * nobody takes blocks there and the slab does not end. The block's mark says "free", so it is
 * nobody's to free.
 */
struct hold {
	struct mixed_record *record;
	unsigned int first, nr;		/* pages */
};

/* The next free pages from hold->first on; the system's page may be several of ours. */
static bool find_pages_locked(struct hold *hold)
{
	unsigned int step = max((unsigned int)(os_page_bytes() / PAGE_SIZE), 1U), nr;
	const struct mixed_record *record = hold->record;

	for (; hold->first < mixed_pages_of(record); hold->first += step) {
		for (nr = 0; hold->first + nr < mixed_pages_of(record) &&
			     mixed_map_page_is_free(&record->map, hold->first + nr) &&
			     !(record->released >> (hold->first + nr) & 1); nr++)
			;
		hold->nr = ALIGN_DOWN(nr, step);
		if (hold->nr)
			return true;
	}
	return false;
}

static void hold_pages_locked(struct hold *hold)
{
	struct mixed_record *record = hold->record;
	unsigned int nr = hold->nr * (unsigned int)MIXED_PAGE_GRANULES;

	mixed_mark_free(page_address(record->slab + hold->first), nr * MIXED_GRANULE_BYTES);
	mixed_map_take(&record->map, hold->first * (unsigned int)MIXED_PAGE_GRANULES, nr);
	record->used += nr;
	if (record->used == record->map.nr)
		mixed_unlist_locked(record);
}

static void let_go_locked(const struct hold *hold, bool released, struct list_head *empty)
{
	unsigned int at = hold->first * (unsigned int)MIXED_PAGE_GRANULES, end, first;
	unsigned int nr = hold->nr * (unsigned int)MIXED_PAGE_GRANULES;
	struct mixed_record *record = hold->record;

	mixed_mark_in_use(page_address(record->slab + hold->first), nr * MIXED_GRANULE_BYTES);
	mixed_map_put(&record->map, at, nr);
	record->used -= nr;
	if (released)
		mixed_set_released_locked(record, record->released |
					    ((1U << hold->nr) - 1) << hold->first);
	first = mixed_map_free_run(&record->map, at, &end);
	mixed_note_run_locked(record, end - first);
	if (!record->used)
		mixed_end_locked(record, empty);
}

/* The slab that waits longest; its first free pages, if any, are held. False: no slab waits. */
static bool begin_locked(struct hold *hold)
{
	hold->record = mixed_next_queued_locked();
	if (!hold->record)
		return false;
	hold->first = 0;
	if (find_pages_locked(hold))
		hold_pages_locked(hold);
	return true;
}

/* Lets the held pages go, and holds the slab's next free ones. True if there were more. */
static bool go_on_locked(struct hold *hold, bool released, struct list_head *empty)
{
	bool is_end = hold->nr * MIXED_PAGE_GRANULES == hold->record->used;

	let_go_locked(hold, released, empty);
	if (is_end)
		return false;
	if (!released)
		mixed_queue_locked(hold->record);
	hold->first += hold->nr;
	if (!released || !find_pages_locked(hold))
		return false;
	hold_pages_locked(hold);
	return true;
}

/*
 * Gives all free pages of the slab that waits longest back to the system. False: no slab waits, or
 * the system refuses.
 */
static bool release_next(unsigned long *pages, struct list_head *empty)
{
	struct hold hold;
	bool waits, more, released = true;

	lock_acquire(&mixed_lock);
	mixed_put_deferred_locked(empty);
	waits = begin_locked(&hold);
	lock_release(&mixed_lock);
	more = waits && hold.nr;
	while (more) {
		released = !mm_discard(hold.record->slab + hold.first, hold.nr);
		*pages += released ? hold.nr : 0;
		lock_acquire(&mixed_lock);
		more = go_on_locked(&hold, released, empty);
		lock_release(&mixed_lock);
	}
	return waits && released;
}

/* Records move together, so that their pages go back as well. */
static void gather_records(void)
{
	bool more = true;

	while (more && lock_acquire_unless_handler(&release_lock)) {
		lock_acquire(&mixed_lock);
		more = mixed_record_gather_locked();
		lock_release(&mixed_lock);
		lock_release(&release_lock);
		mixed_record_give_back();
	}
}

unsigned long slab_mixed_release(unsigned long most)
{
	unsigned long pages = 0;
	bool more = true;
	LIST_HEAD(empty);

	if (page_hooks() & HOOK_POISON)		/* the poison has to stay */
		return 0;
	while (more && most-- && lock_acquire_unless_handler(&release_lock)) {
		more = release_next(&pages, &empty);
		lock_release(&release_lock);
		mixed_discard_all(&empty);
		INIT_LIST_HEAD(&empty);
	}
	gather_records();
	return pages;
}

unsigned long slab_mixed_release_table(void)
{
	unsigned long pages;

	if (!lock_acquire_unless_handler(&release_lock))
		return 0;
	pages = mixed_table_release();
	lock_release(&release_lock);
	return pages;
}

void mixed_release_init(void)
{
	lock_init(&release_lock, RANK_MIXED_RELEASE);
}
