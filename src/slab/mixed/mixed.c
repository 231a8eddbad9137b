/* SPDX-License-Identifier: MIT */
/* Blocks of mixed slabs come and go. See mixed.h. */
#include "slab/mixed/mixed.h"

#include "slab/cache.h"
#include "slab/debug/report.h"
#include "slab/mixed/mixed_churn.h"
#include "slab/mixed/mixed_list.h"
#include "slab/mixed/mixed_mark.h"
#include "slab/mixed/mixed_release.h"
#include "slab/mixed/mixed_table.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab_word.h"

/* What signal handlers freed, linked by the first words. Sync: as kmem_cache_node.deferred */
static void *deferred;

/* --- Addresses ------------------------------------------------------------------- */

/*
 * The first page of the mixed slab that the address lies in; NULL if it lies in none. The answer is
 * certain if the caller owns the block at the address; otherwise the slab may come or go meanwhile.
 * The acquire pairs with mixed_publish(): flags, order and record.
 */
static struct page *slab_around(const void *pointer)
{
	const struct page *page;

	if (!mm_is_online(pointer))
		return NULL;
	page = virt_to_page(pointer);
	if (atomic_load_acquire(mm_slab_cache(page)) || !slab_is_mixed(page))
		return NULL;
	return pfn_to_page(page_to_pfn(page) & ~((1UL << page->order) - 1));
}

/* The slab's record; NULL if the slab has ended. */
static struct mixed_record *record_of(const struct page *slab)
{
	struct slab_word word = slab_word_read(slab);

	if (!slab_word_is_mixed(&word))
		return NULL;
	return (struct mixed_record *)((unsigned long)word.freelist & ~SLAB_MIXED_BITS);
}

const struct mixed_record *mixed_record_at(const struct page *page)
{
	if (!slab_is_mixed(page) || page_to_pfn(page) & ((1UL << page->order) - 1))
		return NULL;
	return record_of(page);
}

/* --- Slabs without a block ----------------------------------------------------------- */

void slab_mixed_discard(struct page *slab)
{
	unsigned int order = slab->order;

	barn_budget_count_slabs(-(long)(PAGE_SIZE << order));
	for (unsigned int i = 0; i < 1U << order; i++)
		page_set_flags(slab + i, 0);
	free_frozen_pages(slab, order);
	mixed_record_give_back();
}

void mixed_discard_all(struct list_head *empty)
{
	struct page *slab, *next;

	list_for_each_entry_safe(slab, next, empty, lru)
		slab_mixed_discard(slab);
}

/* --- What signal handlers freed --------------------------------------------------- */

/* Lock-free: only pushes, and the list is taken as a whole. See slab_defer_object(). */
static void defer(void *block)
{
	void *head = atomic_load_relaxed(&deferred);

	do {
		*(void **)block = head;
		/* pairs with put_all_deferred_locked(): the links */
	} while (!atomic_cas_release(&deferred, &head, block));
}

static slow_path void put_all_deferred_locked(struct list_head *empty)
{
	/* pairs with defer() */
	void *next, *block = atomic_exchange_acquire(&deferred, NULL);

	for (; block; block = next) {
		struct page *slab = slab_around(block);
		struct mixed_record *record = record_of(slab);
		unsigned int at = mixed_granule_of(slab, block);
		unsigned int nr = mixed_map_block(&record->map, at);

		next = *(void **)block;
		mixed_mark_in_use(block, nr * MIXED_GRANULE_BYTES);
		mixed_put_locked(record, at, nr, empty);
	}
}

void mixed_put_deferred_locked(struct list_head *empty)
{
	if (unlikely(atomic_load_relaxed(&deferred)))
		put_all_deferred_locked(empty);
}

/* --- Blocks ---------------------------------------------------------------------- */

void *slab_mixed_take(size_t size, size_t align)
{
	unsigned int nr = mixed_granules_for(size);
	unsigned int step = mixed_granules_for(align);
	LIST_HEAD(empty);
	void *block;

	if (!lock_acquire_unless_handler(&mixed_lock))
		return NULL;
	mixed_put_deferred_locked(&empty);
	block = mixed_take_locked(nr, step);
	lock_release(&mixed_lock);
	mixed_discard_all(&empty);
	/* Not under the lock: this may be the first touch of a page that the system had back. */
	if (block)
		mixed_mark_in_use(block, nr * MIXED_GRANULE_BYTES);
	return block;
}

/*
 * Returns the granules of the slab's block in use that begins at the address; 0 if there is none.
 * The caller holds the lock; or it owns the block (mixed_map.h), and has called
 * mixed_record_begin_read().
 */
static unsigned int block_at(const struct page *slab, const void *pointer)
{
	const struct mixed_record *record = record_of(slab);
	unsigned int nr = 0;

	if (record && !((unsigned long)pointer % MIXED_GRANULE_BYTES))
		nr = mixed_map_block(&record->map, mixed_granule_of(slab, pointer));
	return nr && !mixed_says_free(pointer, nr * MIXED_GRANULE_BYTES) ? nr : 0;
}

/* block_at() for the block's owner, without the lock. */
static unsigned int own_block_at(const struct page *slab, const void *pointer)
{
	unsigned int nr;

	mixed_record_begin_read();
	nr = block_at(slab, pointer);
	mixed_record_end_read();
	return nr;
}

static bool defer_free(const struct page *slab, void *pointer)
{
	unsigned int nr = own_block_at(slab, pointer);

	if (!nr)
		return false;
	if (mixed_has_byte_mark(nr * MIXED_GRANULE_BYTES))
		mixed_table_wait(virt_to_page(pointer), 0);
	mixed_mark_free(pointer, nr * MIXED_GRANULE_BYTES);
	defer(pointer);
	return true;
}

bool slab_mixed_free(void *pointer)
{
	struct page *slab = slab_around(pointer);
	unsigned int nr;
	LIST_HEAD(empty);

	if (!slab)
		return false;
	if (!lock_acquire_unless_handler(&mixed_lock))
		return defer_free(slab, pointer);
	mixed_put_deferred_locked(&empty);
	nr = block_at(slab, pointer);
	if (nr)
		mixed_put_locked(record_of(slab), mixed_granule_of(slab, pointer), nr, &empty);
	lock_release(&mixed_lock);
	mixed_discard_all(&empty);
	if (nr)
		mixed_churn_count_free(nr);
	return nr;
}

size_t slab_mixed_bytes(const void *pointer)
{
	const struct page *slab = slab_around(pointer);

	return slab ? own_block_at(slab, pointer) * MIXED_GRANULE_BYTES : 0;
}

void *slab_mixed_block_around(const void *pointer)
{
	const struct page *slab = slab_around(pointer);
	const struct mixed_record *record;
	void *block = NULL;
	unsigned int at;

	if (!slab)
		return NULL;
	mixed_record_begin_read();
	record = record_of(slab);
	if (record) {
		at = mixed_map_block_around(&record->map, mixed_granule_of(slab, pointer));
		if (at < record->map.nr)
			block = (char *)page_address(slab) + at * MIXED_GRANULE_BYTES;
	}
	mixed_record_end_read();
	return block;
}

void slab_mixed_take_back(void **objects, unsigned int nr, struct list_head *empty)
{
	lock_acquire(&mixed_lock);
	mixed_put_deferred_locked(empty);
	for (unsigned int i = 0; i < nr; i++) {
		struct page *slab = slab_around(objects[i]);
		struct mixed_record *record = slab ? record_of(slab) : NULL;
		unsigned int at = record ? mixed_granule_of(slab, objects[i]) : 0;
		unsigned int granules = record ? mixed_map_block(&record->map, at) : 0;

		if (unlikely(!granules))
			slab_report_bad_free("free", objects[i], NULL);
		mixed_mark_in_use(objects[i], granules * MIXED_GRANULE_BYTES);
		mixed_put_locked(record, at, granules, empty);
	}
	lock_release(&mixed_lock);
}

/* --- The whole --------------------------------------------------------------------- */

void slab_mixed_read_usage(struct slab_mixed_usage *copy)
{
	*copy = (struct slab_mixed_usage){ 0 };
	if (!slab_is_up() || !lock_acquire_unless_handler(&mixed_lock))
		return;
	*copy = mixed_usage;
	copy->record_pages = mixed_record_pages();
	lock_release(&mixed_lock);
}

void slab_mixed_init(void)
{
	mixed_record_init();
	mixed_list_init();
	mixed_release_init();
}

FOR_KERNEL(slab_mixed_read_usage);
