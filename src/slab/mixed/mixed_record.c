/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_record.h"

#include <string.h>

#include "mm/page_flags.h"
#include "page/debug/hooks.h"
#include "page/zone.h"
#include "slab/debug/debug.h"
#include "slab/slab_word.h"

/* A page for records: from no reserves, without waiting, without a report. */
#define RECORD_GFP (__GFP_NOWARN | __GFP_NOMEMALLOC)
#define PER_PAGE 7

struct record_page {
	/* on `some`, `empty` or `left`; on none if all records are used */
	struct list_head pages;
	unsigned long used;		/* a bit for each record */
	struct mixed_record records[PER_PAGE];
};
_Static_assert(sizeof(struct record_page) <= PAGE_SIZE, "as many as fit");
#define ALL_USED ((1UL << PER_PAGE) - 1)

struct lock mixed_lock;

/* left: empty, but perhaps still read. Sync: mixed_lock */
static struct list_head some, empty, left;
/* Pages of `empty`; free records; all pages. Sync: as above, and read without it */
static unsigned long nr_empty, nr_free, nr_pages;

void mixed_record_init(void)
{
	lock_init(&mixed_lock, RANK_MIXED);
	INIT_LIST_HEAD(&some);
	INIT_LIST_HEAD(&empty);
	INIT_LIST_HEAD(&left);
}

static struct record_page *page_of(const struct mixed_record *record)
{
	return (struct record_page *)((unsigned long)record & PAGE_MASK);
}

static void count_locked(unsigned long *count, long more)
{
	atomic_store_relaxed(count, *count + (unsigned long)more);
}

/* --- Pages ------------------------------------------------------------------------ */

static void add_empty_locked(struct record_page *page)
{
	list_add(&page->pages, &empty);
	count_locked(&nr_empty, 1);
	count_locked(&nr_free, PER_PAGE);
}

/* NULL while requests fail on purpose: see page_new() in sheaf/barn.c. */
static struct record_page *page_new(void)
{
	struct page *page;

	if (slab_failslab_is_armed() || page_hooks() & HOOK_FAULTS)
		return NULL;
	page = alloc_frozen_pages(RECORD_GFP, 0);
	return page ? page_address(page) : NULL;
}

bool mixed_record_is_there(void)
{
	return atomic_load_relaxed(&nr_free);
}

bool mixed_record_refill(void)
{
	struct record_page *page;

	if (!lock_may_wait(RANK_MIXED))
		return false;
	page = page_new();
	if (!page)
		return false;
	page->used = 0;
	lock_acquire(&mixed_lock);
	page_set_flags(virt_to_page(page), PG_mixed_record);
	add_empty_locked(page);
	count_locked(&nr_pages, 1);
	lock_release(&mixed_lock);
	return true;
}

void mixed_record_give_back(void)
{
	struct record_page *page = NULL;

	if (atomic_load_relaxed(&nr_empty) < 2 || !lock_acquire_unless_handler(&mixed_lock))
		return;
	if (nr_empty > 1) {
		page = list_first_entry(&empty, struct record_page, pages);
		list_del(&page->pages);
		page_set_flags(virt_to_page(page), 0);
		count_locked(&nr_empty, -1);
		count_locked(&nr_free, -PER_PAGE);
		count_locked(&nr_pages, -1);
	}
	lock_release(&mixed_lock);
	if (page)
		free_frozen_pages(virt_to_page(page), 0);
}

bool mixed_record_has_page(const struct page *page)
{
	return page_flags(page) & PG_mixed_record;
}

/* --- Records ---------------------------------------------------------------------- */

static struct record_page *page_with_room_locked(void)
{
	struct record_page *page;

	if (!list_empty(&some))
		return list_first_entry(&some, struct record_page, pages);
	if (list_empty(&empty))
		return NULL;
	page = list_first_entry(&empty, struct record_page, pages);
	list_move(&page->pages, &some);
	count_locked(&nr_empty, -1);
	return page;
}

struct mixed_record *mixed_record_get_locked(void)
{
	struct record_page *page = page_with_room_locked();
	struct mixed_record *record;
	unsigned int i;

	if (!page)
		return NULL;
	i = (unsigned int)__builtin_ctzl(~page->used);
	page->used |= 1UL << i;
	count_locked(&nr_free, -1);
	if (page->used == ALL_USED)
		list_del_init(&page->pages);
	record = &page->records[i];
	memset(record, 0, offsetof(struct mixed_record, map));
	INIT_LIST_HEAD(&record->holes);
	INIT_LIST_HEAD(&record->releasable);
	return record;
}

void mixed_record_put_locked(struct mixed_record *record)
{
	struct record_page *page = page_of(record);

	if (page->used == ALL_USED)
		list_add(&page->pages, &some);
	page->used &= ~(1UL << (record - page->records));
	count_locked(&nr_free, 1);
	if (page->used)
		return;
	list_move(&page->pages, &empty);
	count_locked(&nr_empty, 1);
}

/* --- Gathering -------------------------------------------------------------------- */

unsigned int mixed_record_readers;

static bool no_reader(void)
{
	/* pairs with mixed_record_begin_read() and mixed_record_end_read() */
	return !atomic_add_acq_rel(&mixed_record_readers, 0U);
}

/* False: pages that were left are still read. */
static bool take_up_left_locked(void)
{
	struct record_page *page, *next;

	if (list_empty(&left))
		return true;
	if (!no_reader())
		return false;
	list_for_each_entry_safe(page, next, &left, pages) {
		list_del(&page->pages);
		add_empty_locked(page);
	}
	return true;
}

static void replace_on_list(struct list_head *old, struct list_head *new)
{
	INIT_LIST_HEAD(new);
	if (list_empty(old))
		return;
	list_add(new, old);
	list_del(old);
}

static void move_locked(struct mixed_record *old, struct mixed_record *new)
{
	*new = *old;
	replace_on_list(&old->holes, &new->holes);
	replace_on_list(&old->releasable, &new->releasable);
	/* pairs with slab_word_read(): the record. Nobody else writes a mixed slab's word. */
	atomic_store_release(&new->slab->freelist,
			     (void *)((unsigned long)new | SLAB_MIXED_BITS));
}

static bool may_move_all(const struct record_page *page)
{
	for (unsigned int i = 0; i < PER_PAGE; i++)
		if (page->used >> i & 1 && !page->records[i].may_move)
			return false;
	return true;
}

/* The page to make empty; NULL if the other pages of the list `some` lack room for its records. */
static struct record_page *sparse_page_locked(void)
{
	struct record_page *page;

	if (nr_free - nr_empty * PER_PAGE < 2 * PER_PAGE)
		return NULL;
	page = list_last_entry(&some, struct record_page, pages);
	if (may_move_all(page))
		return page;
	list_move(&page->pages, &some);
	return NULL;
}

bool mixed_record_gather_locked(void)
{
	struct record_page *page = take_up_left_locked() ? sparse_page_locked() : NULL;

	if (!page)
		return false;
	list_del_init(&page->pages);	/* so that no record moves within the page */
	count_locked(&nr_free, __builtin_popcountl(page->used) - PER_PAGE);
	for (unsigned int i = 0; i < PER_PAGE; i++)
		if (page->used >> i & 1)
			move_locked(&page->records[i], mixed_record_get_locked());
	page->used = 0;
	if (no_reader())
		add_empty_locked(page);
	else
		list_add(&page->pages, &left);
	return true;
}

unsigned long mixed_record_pages(void)
{
	return atomic_load_relaxed(&nr_pages);
}
