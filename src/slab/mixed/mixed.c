/* SPDX-License-Identifier: MIT */
/* Mixed slabs: their blocks and their pages. See mixed.h. */
#include "slab/mixed/mixed.h"

#include "base/check.h"
#include "os/os.h"
#include "page/debug/hooks.h"
#include "page/reclaim/limits.h"
#include "slab/cache.h"
#include "slab/debug/report.h"
#include "slab/free_mark.h"
#include "slab/mixed/mixed_churn.h"
#include "slab/mixed/mixed_map.h"
#include "slab/mixed/mixed_record.h"
#include "slab/mixed/mixed_table.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab_word.h"

/* Slabs of a bin that a request looks at: free runs may be shorter than the bin says. */
#define LOOKS_MAX 3

/* Slabs by the length of their longest free run, in granules: bin_of() that. */
static struct list_head bins[MIXED_BINS] __large_bss;
/* Slabs that may have pages to give back. */
static struct list_head releasable;
struct slab_mixed_usage mixed_usage;
/* What signal handlers freed, linked by the first words. Sync: as kmem_cache_node.deferred */
static void *deferred;

/* --- Addresses ------------------------------------------------------------------- */

/*
 * The first page of the mixed slab that the address lies in; NULL if it lies in none. For the owner
 * of a block the answer is right; the acquire pairs with mixed_publish(): flags, order and record.
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

/* --- Marks ----------------------------------------------------------------------- */

/* Objects of malloc's classes have their marks by size: see free_mark.h. */
static bool has_byte_mark(size_t bytes)
{
	return bytes > KMALLOC_SMALL_BYTES;
}

static void mark_in_use(void *block, size_t bytes)
{
	if (has_byte_mark(bytes))
		*byte_mark(block) = BYTE_MARK_IN_USE;
	else
		*object_mark(block, SLAB_MARK_OFFSET) = 0;
}

static void mark_free(void *block, size_t bytes)
{
	if (has_byte_mark(bytes))
		*byte_mark(block) = BYTE_MARK_FREE;
	else
		*object_mark(block, SLAB_MARK_OFFSET) = free_mark(block);
}

static bool says_free(const void *block, size_t bytes)
{
	return has_byte_mark(bytes) ? *byte_mark(block) >= BYTE_MARK_FREE :
				      mark_says_free(*object_mark(block, SLAB_MARK_OFFSET), block);
}

/* --- Lists; the lock is held ------------------------------------------------------ */

/*
 * Fewer than 8 granules have a bin for each number, and each power of two from 8 on has eight bins:
 * one for each of malloc's classes. So all slabs of the bin that a class begins with have room.
 */
static unsigned int bin_of(unsigned int granules)
{
	unsigned int log = ilog2(granules);

	return log < 3 ? granules - 1 : 8 * log - 17 + (granules >> (log - 3) & 7);
}

static void unlist_locked(struct mixed_record *record)
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

static unsigned int pages_of(const struct mixed_record *record)
{
	return record->map.nr / (unsigned int)MIXED_PAGE_GRANULES;
}

static void set_released_locked(struct mixed_record *record, unsigned int released)
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

/* Pages with a block have memory again. */
static void take_locked(struct mixed_record *record, unsigned int at, unsigned int nr)
{
	unsigned int first = at / (unsigned int)MIXED_PAGE_GRANULES;
	unsigned int last = (at + nr - 1) / (unsigned int)MIXED_PAGE_GRANULES;
	unsigned int fresh = record->released & ((2U << last) - (1U << first));

	mixed_map_take(&record->map, at, nr);
	count_locked(record, true, nr);
	if (fresh) {
		set_released_locked(record, record->released & ~fresh);
		limits_take((unsigned int)__builtin_popcount(fresh));
	}
	if (record->used == record->map.nr)
		unlist_locked(record);
}

/* The slab has a free run of this length. */
static void note_run_locked(struct mixed_record *record, unsigned int nr)
{
	if (nr <= record->largest && !list_empty(&record->holes))
		return;
	record->largest = max(record->largest, nr);
	list_locked(record);
}

/* Makes the block free, and notes what that makes possible. */
static void put_locked(struct mixed_record *record, unsigned int at, unsigned int nr)
{
	unsigned int end, first;

	mixed_map_put(&record->map, at, nr);
	count_locked(record, false, nr);
	first = mixed_map_free_run(&record->map, at, &end);
	note_run_locked(record, end - first);
	if (ALIGN(first, (unsigned int)MIXED_PAGE_GRANULES) + MIXED_PAGE_GRANULES <= end &&
	    list_empty(&record->releasable))
		list_add_tail(&record->releasable, &releasable);
}

/*
 * The slab has no block left. It leaves the lists, and its record ends. Its pages stay mixed ones
 * without a record until slab_mixed_discard(), so they hold no block for anybody who looks.
 */
static void end_locked(struct mixed_record *record, struct list_head *empty)
{
	struct page *slab = record->slab;

	set_released_locked(record, 0);
	mixed_usage.slabs--;
	atomic_store_relaxed(&mixed_usage.pages, mixed_usage.pages - pages_of(record));
	list_del_init(&record->holes);
	list_del_init(&record->releasable);
	atomic_store_relaxed(&slab->freelist, NULL);
	list_add(&slab->lru, empty);
	mixed_record_put_locked(record);
}

static void put_and_end_locked(struct mixed_record *record, unsigned int at, unsigned int nr,
			       struct list_head *empty)
{
	put_locked(record, at, nr);
	if (!record->used)
		end_locked(record, empty);
}

static void discard_all(struct list_head *empty)
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
		/* pairs with put_deferred_locked(): the links */
	} while (!atomic_cas_release(&deferred, &head, block));
}

static slow_path void put_deferred_locked(struct list_head *empty)
{
	/* pairs with defer() */
	void *next, *block = atomic_exchange_acquire(&deferred, NULL);

	for (; block; block = next) {
		struct page *slab = slab_around(block);
		struct mixed_record *record = record_of(slab);
		unsigned int at = mixed_granule_of(slab, block);
		unsigned int nr = mixed_map_block(&record->map, at);

		next = *(void **)block;
		mark_in_use(block, nr * MIXED_GRANULE_BYTES);
		put_and_end_locked(record, at, nr, empty);
	}
}

static void look_at_deferred_locked(struct list_head *empty)
{
	if (unlikely(atomic_load_relaxed(&deferred)))
		put_deferred_locked(empty);
}

/* --- Blocks ---------------------------------------------------------------------- */

/* A free run of the slab: its first granule, or map.nr. Then the slab is in the right bin. */
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
		take_locked(record, at, nr);
		return (char *)page_address(record->slab) + at * MIXED_GRANULE_BYTES;
	}
	return NULL;
}

/* Short runs first, so that long ones stay. */
static void *take_block_locked(unsigned int nr, unsigned int align)
{
	void *block = NULL;

	for (unsigned int i = bin_of(nr); i < MIXED_BINS && !block; i++)
		block = take_from_bin_locked(&bins[i], nr, align);
	return block;
}

void *slab_mixed_take(size_t size, size_t align)
{
	unsigned int nr = mixed_granules_for(size);
	unsigned int step = mixed_granules_for(align);
	LIST_HEAD(empty);
	void *block;

	if (!lock_acquire_unless_handler(&mixed_lock))
		return NULL;
	look_at_deferred_locked(&empty);
	block = take_block_locked(nr, step);
	lock_release(&mixed_lock);
	discard_all(&empty);
	/* Not under the lock: the page may come back only now. */
	if (block)
		mark_in_use(block, nr * MIXED_GRANULE_BYTES);
	return block;
}

/*
 * Finds the block in use that begins at the address, in the slab; 0 granules if there is none. For
 * the block's owner that needs no lock (mixed_map.h), but then mixed_record_begin_read().
 */
static unsigned int block_at(const struct page *slab, const void *pointer)
{
	const struct mixed_record *record = record_of(slab);
	unsigned int nr = 0;

	if (record && !((unsigned long)pointer % MIXED_GRANULE_BYTES))
		nr = mixed_map_block(&record->map, mixed_granule_of(slab, pointer));
	return nr && !says_free(pointer, nr * MIXED_GRANULE_BYTES) ? nr : 0;
}

/* Without the lock. */
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
	if (has_byte_mark(nr * MIXED_GRANULE_BYTES))
		mixed_table_wait(virt_to_page(pointer), 0);
	mark_free(pointer, nr * MIXED_GRANULE_BYTES);
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
	look_at_deferred_locked(&empty);
	nr = block_at(slab, pointer);
	if (nr)
		put_and_end_locked(record_of(slab), mixed_granule_of(slab, pointer), nr, &empty);
	lock_release(&mixed_lock);
	discard_all(&empty);
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
	look_at_deferred_locked(empty);
	for (unsigned int i = 0; i < nr; i++) {
		struct page *slab = slab_around(objects[i]);
		struct mixed_record *record = slab ? record_of(slab) : NULL;
		unsigned int at = record ? mixed_granule_of(slab, objects[i]) : 0;
		unsigned int granules = record ? mixed_map_block(&record->map, at) : 0;

		if (unlikely(!granules))
			slab_report_bad_free("free", objects[i], NULL);
		mark_in_use(objects[i], granules * MIXED_GRANULE_BYTES);
		put_and_end_locked(record, at, granules, empty);
	}
	lock_release(&mixed_lock);
}

/* --- Slabs become mixed ones ------------------------------------------------------- */

/* From here on free() finds the map, and others take blocks of it. */
void mixed_publish(struct mixed_record *record, unsigned int order, unsigned int blocks)
{
	struct page *slab = record->slab;

	lock_acquire(&mixed_lock);
	for (unsigned int i = 0; i < 1U << order; i++) {
		/* Without PG_head, which kmalloc's page blocks have. */
		page_set_flags(slab + i, (page_flags(slab + i) & ~PG_head) | PG_mixed_slab);
		slab[i].order = (uint8_t)order;
		/* pairs with slab_around(): flags, order, record */
		atomic_store_release(mm_slab_cache(slab + i), NULL);
	}
	mixed_table_note_locked(slab);
	/* An upper bound: the first request that does not fit finds the right one. */
	record->largest = record->map.nr - record->used;
	record->may_move = true;
	list_locked(record);
	list_add_tail(&record->releasable, &releasable);
	mixed_usage.slabs++;
	atomic_store_relaxed(&mixed_usage.pages, mixed_usage.pages + (1UL << order));
	atomic_store_relaxed(&mixed_usage.blocks, mixed_usage.blocks + blocks);
	atomic_store_relaxed(&mixed_usage.used_bytes,
			     mixed_usage.used_bytes + record->used * MIXED_GRANULE_BYTES);
	lock_release(&mixed_lock);
}

/* --- Pages ----------------------------------------------------------------------- */

void slab_mixed_discard(struct page *slab)
{
	unsigned int order = slab->order;

	barn_budget_count_slabs(-(long)(PAGE_SIZE << order));
	for (unsigned int i = 0; i < 1U << order; i++)
		page_set_flags(slab + i, 0);
	free_frozen_pages(slab, order);
	mixed_record_give_back();
}

/*
 * RANK_MIXED_RELEASE: held by who gives pages back, so that fork() waits until no page is on its
 * way.
 */
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

	for (; hold->first < pages_of(record); hold->first += step) {
		for (nr = 0; hold->first + nr < pages_of(record) &&
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

	mark_free(page_address(record->slab + hold->first), nr * MIXED_GRANULE_BYTES);
	mixed_map_take(&record->map, hold->first * (unsigned int)MIXED_PAGE_GRANULES, nr);
	record->used += nr;
	if (record->used == record->map.nr)
		unlist_locked(record);
}

static void let_go_locked(const struct hold *hold, bool released, struct list_head *empty)
{
	unsigned int at = hold->first * (unsigned int)MIXED_PAGE_GRANULES, end, first;
	unsigned int nr = hold->nr * (unsigned int)MIXED_PAGE_GRANULES;
	struct mixed_record *record = hold->record;

	mark_in_use(page_address(record->slab + hold->first), nr * MIXED_GRANULE_BYTES);
	mixed_map_put(&record->map, at, nr);
	record->used -= nr;
	if (released)
		set_released_locked(record, record->released |
					    ((1U << hold->nr) - 1) << hold->first);
	first = mixed_map_free_run(&record->map, at, &end);
	note_run_locked(record, end - first);
	if (!record->used)
		end_locked(record, empty);
}

/* The slab that waits longest; its first free pages, if any, are held. False: no slab waits. */
static bool begin_locked(struct hold *hold)
{
	if (list_empty(&releasable))
		return false;
	hold->record = list_first_entry(&releasable, struct mixed_record, releasable);
	hold->first = 0;
	list_del_init(&hold->record->releasable);
	if (find_pages_locked(hold))
		hold_pages_locked(hold);
	return true;
}

/* True: the slab has more free pages, which are held now. */
static bool go_on_locked(struct hold *hold, bool released, struct list_head *empty)
{
	bool is_end = hold->nr * MIXED_PAGE_GRANULES == hold->record->used;

	let_go_locked(hold, released, empty);
	if (is_end)
		return false;
	if (!released && list_empty(&hold->record->releasable))
		list_add_tail(&hold->record->releasable, &releasable);
	hold->first += hold->nr;
	if (!released || !find_pages_locked(hold))
		return false;
	hold_pages_locked(hold);
	return true;
}

/* Releases what one slab has. False: no slab waits, or the system refuses. */
static bool release_next(unsigned long *pages, struct list_head *empty)
{
	struct hold hold;
	bool waits, more, released = true;

	lock_acquire(&mixed_lock);
	look_at_deferred_locked(empty);
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

	if (page_hooks() & HOOK_POISON)		/* what is filled has to stay */
		return 0;
	while (more && most-- && lock_acquire_unless_handler(&release_lock)) {
		more = release_next(&pages, &empty);
		lock_release(&release_lock);
		discard_all(&empty);
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
	for (unsigned int i = 0; i < MIXED_BINS; i++)
		INIT_LIST_HEAD(&bins[i]);
	INIT_LIST_HEAD(&releasable);
	lock_init(&release_lock, RANK_MIXED_RELEASE);
	mixed_record_init();
}

FOR_KERNEL(slab_mixed_read_usage);
