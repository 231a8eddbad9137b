/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_list.h"

#include "page/reclaim/limits.h"
#include "slab/mixed/mixed_table.h"

/* How many slabs of a bin a request looks at: free runs may be shorter than the bin says. */
#define LOOKS_MAX 3

/* Slabs by their longest free run: its length in granules says which bin, by bin_of(). */
static struct list_head bins[MIXED_BINS] __eager_bss;
/* Slabs that may have pages to give back. */
static struct list_head releasable;
struct slab_mixed_usage mixed_usage;

/* --- Bins and sums ----------------------------------------------------------------- */

/*
 * Fewer than 8 granules have a bin for each number. From 8 on, each power of two has eight bins:
 * one for each of malloc's classes, with the class's size as its least length. So every slab of a
 * class's bin has room for a block of the class.
 */
static unsigned int bin_of(unsigned int granules)
{
	unsigned int log = ilog2(granules);

	return log < 3 ? granules - 1 : 8 * log - 17 + (granules >> (log - 3) & 7);
}

void mixed_unlist_locked(struct mixed_record *record)
{
	list_del_init(&record->holes);
}

/* Puts the slab into the bin of its longest free run, which may be shorter than `largest`. */
static void list_locked(struct mixed_record *record)
{
	list_del_init(&record->holes);
	if (record->largest)
		list_add_tail(&record->holes, &bins[bin_of(record->largest)]);
}

void mixed_set_released_locked(struct mixed_record *record, unsigned int released)
{
	unsigned long pages = mixed_usage.released;

	pages -= (unsigned int)__builtin_popcount(record->released);
	record->released = released;
	atomic_store_relaxed(&mixed_usage.released,
			     pages + (unsigned int)__builtin_popcount(record->released));
}

static void count_locked(struct mixed_record *record, bool taken, unsigned int nr)
{
	long granules = taken ? (long)nr : -(long)nr;

	record->used = (unsigned int)((long)record->used + granules);
	atomic_store_relaxed(&mixed_usage.blocks, mixed_usage.blocks + (taken ? 1UL : -1UL));
	atomic_store_relaxed(&mixed_usage.used_bytes, mixed_usage.used_bytes +
			     (unsigned long)granules * MIXED_GRANULE_BYTES);
}

void mixed_note_run_locked(struct mixed_record *record, unsigned int nr)
{
	if (nr <= record->largest && !list_empty(&record->holes))
		return;
	record->largest = max(record->largest, nr);
	list_locked(record);
}

/* --- Slabs that may have pages to give back ------------------------------------------ */

void mixed_queue_locked(struct mixed_record *record)
{
	if (list_empty(&record->releasable))
		list_add_tail(&record->releasable, &releasable);
}

struct mixed_record *mixed_next_queued_locked(void)
{
	struct mixed_record *record;

	if (list_empty(&releasable))
		return NULL;
	record = list_first_entry(&releasable, struct mixed_record, releasable);
	list_del_init(&record->releasable);
	return record;
}

/* --- Blocks ---------------------------------------------------------------------- */

/* Pages with a block have memory again. */
static void take_run_locked(struct mixed_record *record, unsigned int at, unsigned int nr)
{
	unsigned int first = at / (unsigned int)MIXED_PAGE_GRANULES;
	unsigned int last = (at + nr - 1) / (unsigned int)MIXED_PAGE_GRANULES;
	unsigned int fresh = record->released & ((2U << last) - (1U << first));

	mixed_map_take(&record->map, at, nr);
	count_locked(record, true, nr);
	if (fresh) {
		mixed_set_released_locked(record, record->released & ~fresh);
		limits_take((unsigned int)__builtin_popcount(fresh));
	}
	if (record->used == record->map.nr)
		mixed_unlist_locked(record);
}

/*
 * Returns the first granule of a free run of nr granules. If there is none, returns map.nr, and
 * moves the slab to the right bin.
 */
static unsigned int find_locked(struct mixed_record *record, unsigned int nr, unsigned int align)
{
	unsigned int largest, at = mixed_map_find(&record->map, nr, align, &largest);

	if (at == record->map.nr) {
		record->largest = largest;
		list_locked(record);
	}
	return at;
}

static void *take_from_bin_locked(struct list_head *bin, unsigned int nr, unsigned int align)
{
	struct mixed_record *record, *next;
	unsigned int looks = 0;

	list_for_each_entry_safe(record, next, bin, holes) {
		unsigned int at = record->map.nr;

		if (looks++ == LOOKS_MAX)
			return NULL;
		if (record->largest >= nr)
			at = find_locked(record, nr, align);
		if (at == record->map.nr)
			continue;
		take_run_locked(record, at, nr);
		return (char *)page_address(record->slab) + at * MIXED_GRANULE_BYTES;
	}
	return NULL;
}

/* Looks at slabs with short runs first, so that long runs stay. */
void *mixed_take_locked(unsigned int nr, unsigned int align)
{
	void *block = NULL;

	for (unsigned int i = bin_of(nr); i < MIXED_BINS && !block; i++)
		block = take_from_bin_locked(&bins[i], nr, align);
	return block;
}

/* Makes the block free, and notes what that makes possible. */
static void put_run_locked(struct mixed_record *record, unsigned int at, unsigned int nr)
{
	unsigned int end, first;

	mixed_map_put(&record->map, at, nr);
	count_locked(record, false, nr);
	first = mixed_map_free_run(&record->map, at, &end);
	mixed_note_run_locked(record, end - first);
	if (ALIGN(first, (unsigned int)MIXED_PAGE_GRANULES) + MIXED_PAGE_GRANULES <= end)
		mixed_queue_locked(record);
}

void mixed_end_locked(struct mixed_record *record, struct list_head *empty)
{
	struct page *slab = record->slab;

	mixed_set_released_locked(record, 0);
	mixed_usage.slabs--;
	atomic_store_relaxed(&mixed_usage.pages, mixed_usage.pages - mixed_pages_of(record));
	list_del_init(&record->holes);
	list_del_init(&record->releasable);
	atomic_store_relaxed(&slab->freelist, NULL);
	list_add(&slab->lru, empty);
	mixed_record_put_locked(record);
}

void mixed_put_locked(struct mixed_record *record, unsigned int at, unsigned int nr,
		      struct list_head *empty)
{
	put_run_locked(record, at, nr);
	if (!record->used)
		mixed_end_locked(record, empty);
}

/* --- The whole --------------------------------------------------------------------- */

void mixed_publish(struct mixed_record *record, unsigned int order, unsigned int blocks)
{
	struct page *slab = record->slab;

	lock_acquire(&mixed_lock);
	for (unsigned int i = 0; i < 1U << order; i++) {
		/* Without PG_head, which kmalloc's page blocks have. */
		page_set_flags(slab + i, (page_flags(slab + i) & ~PG_head) | PG_mixed_slab);
		slab[i].order = (uint8_t)order;
		/* pairs with slab_around() and kmalloc_block_order(): flags, order, record */
		atomic_store_release(mm_slab_cache(slab + i), NULL);
	}
	mixed_table_note_locked(slab);
	/* An upper bound: the first request that does not fit finds the right one. */
	record->largest = record->map.nr - record->used;
	record->may_move = true;
	list_locked(record);
	mixed_queue_locked(record);
	mixed_usage.slabs++;
	atomic_store_relaxed(&mixed_usage.pages, mixed_usage.pages + (1UL << order));
	atomic_store_relaxed(&mixed_usage.blocks, mixed_usage.blocks + blocks);
	atomic_store_relaxed(&mixed_usage.used_bytes,
			     mixed_usage.used_bytes + record->used * MIXED_GRANULE_BYTES);
	lock_release(&mixed_lock);
}

void mixed_list_init(void)
{
	for (unsigned int i = 0; i < MIXED_BINS; i++)
		INIT_LIST_HEAD(&bins[i]);
	INIT_LIST_HEAD(&releasable);
}
