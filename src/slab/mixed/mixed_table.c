/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_table.h"

#include "os/clock.h"
#include "os/os.h"
#include "page/parked.h"
#include "slab/free_mark.h"
#include "slab/mixed/mixed.h"
#include "slab/mixed/mixed_record.h"

/* Pageblocks that a call looks at: a few milliseconds at most. */
#define LOOKS_MAX 4096UL
#define WAIT_US 50
#define WORD_BITS 64UL

unsigned long mixed_table_leaving = MIXED_TABLE_NONE;

/*
 * A bit for each pageblock of the window whose page of the table may be worth a look. Made by the
 * first release, with all bits set. Sync: atomic
 */
static unsigned long *bits;
static unsigned long next_look;		/* Sync: the background thread */

static unsigned long nr_words(void)
{
	return DIV_ROUND_UP(mm_facts.window_bytes / PAGE_SIZE >> PAGEBLOCK_ORDER, WORD_BITS);
}

static bool make_bits(void)
{
	unsigned long *map;
	void *addr;

	if (bits)
		return true;
	if (os_map_lazily(ALIGN(nr_words() * sizeof(*map), os_page_bytes()), os_page_bytes(),
			  &addr))
		return false;
	map = addr;
	for (unsigned long i = 0; i < nr_words(); i++)
		map[i] = ~0UL;
	/* pairs with mixed_table_note_locked(): the bits are set */
	atomic_store_release(&bits, map);
	return true;
}

void mixed_table_note_locked(const struct page *slab)
{
	unsigned long pageblock = page_to_pfn(slab) >> PAGEBLOCK_ORDER;
	/* pairs with make_bits(): the bits are set */
	unsigned long *map = atomic_load_acquire(&bits);

	if (map)
		atomic_or_relaxed(&map[pageblock / WORD_BITS], 1UL << pageblock % WORD_BITS);
}

void mixed_table_wait_slow(unsigned long first, unsigned long last)
{
	/* pairs with release_pages(): its discards of the tables' pages are over */
	while (atomic_load_acquire(&mixed_table_leaving) - first <= last - first)
		os_sleep_us(WAIT_US);
}

/* Has the pageblock that is looked at a block with a mark in the table? Sync: RANK_MIXED */
static bool has_marks;

/* The pages of the mixed slab that begins here, or of records; 0: none does. RANK_MIXED is held. */
static unsigned long mixed_pages_at(const struct page *page)
{
	const struct mixed_record *record = mixed_record_at(page);

	if (!record)
		return mixed_record_has_page(page);
	has_marks |= mixed_map_has_longer(&record->map, mixed_granules_for(KMALLOC_SMALL_BYTES));
	return 1UL << page->order;
}

/* Returns whether the page of the table of caches went. */
static bool release_pages(unsigned long pageblock)
{
	unsigned long pfn = pageblock << PAGEBLOCK_ORDER;
	bool leaves, marks_leave;

	atomic_store_relaxed(&mixed_table_leaving, pageblock);
	/* The release of either lock pairs with mixed_table_wait(): the name of the pageblock. */
	lock_acquire(&mixed_lock);
	has_marks = false;
	leaves = pageblock_is_free_but(pfn, mixed_pages_at);
	marks_leave = leaves && !has_marks;
	lock_release(&mixed_lock);
	if (leaves)
		mm_discard_slab_caches(pfn);
	if (marks_leave)
		mm_discard_marks(pfn);
	/* pairs with mixed_table_wait() and mixed_table_wait_slow(): the discards are over */
	atomic_store_release(&mixed_table_leaving, MIXED_TABLE_NONE);
	return leaves;
}

static bool look_at(unsigned long pageblock)
{
	unsigned long *word = &bits[pageblock / WORD_BITS], bit = 1UL << pageblock % WORD_BITS;

	if (!(atomic_load_relaxed(word) & bit))
		return false;
	/* First, so that a slab which becomes a mixed one meanwhile sets it again. */
	atomic_and_relaxed(word, ~bit);
	if (release_pages(pageblock))
		return true;
	atomic_or_relaxed(word, bit);
	return false;
}

unsigned long mixed_table_release(void)
{
	unsigned long online = atomic_load_relaxed(&mm_window.online_bytes) / PAGE_SIZE;
	unsigned long end = online >> PAGEBLOCK_ORDER, pages = 0;

	if (os_page_bytes() != PAGE_SIZE || !atomic_load_relaxed(&mixed_usage.pages) ||
	    !make_bits())
		return 0;
	for (unsigned long looks = min(end, LOOKS_MAX); looks; looks--) {
		next_look = next_look < end ? next_look : 0;
		pages += look_at(next_look++);
	}
	return pages;
}
