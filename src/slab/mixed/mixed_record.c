/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_record.h"

#include <string.h>

#include "page/debug/hooks.h"
#include "page/zone.h"
#include "slab/debug/debug.h"

/* A page for records: from no reserves, without waiting, without a report. */
#define RECORD_GFP (__GFP_NOWARN | __GFP_NOMEMALLOC)
#define PER_PAGE 7

struct record_page {
	struct list_head pages;		/* on `some` or `empty`; on none if all records are used */
	unsigned long used;		/* a bit for each record */
	struct mixed_record records[PER_PAGE];
};
_Static_assert(sizeof(struct record_page) <= PAGE_SIZE, "as many as fit");
#define ALL_USED ((1UL << PER_PAGE) - 1)

struct lock mixed_lock;

/* Sync: mixed_lock */
static struct list_head some, empty;
/* Pages of `empty`; free records; all pages. Sync: as above, and read without it */
static unsigned long nr_empty, nr_free, nr_pages;

void mixed_record_init(void)
{
	lock_init(&mixed_lock, RANK_MIXED);
	INIT_LIST_HEAD(&some);
	INIT_LIST_HEAD(&empty);
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
	list_add(&page->pages, &empty);
	count_locked(&nr_empty, 1);
	count_locked(&nr_free, PER_PAGE);
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
		count_locked(&nr_empty, -1);
		count_locked(&nr_free, -PER_PAGE);
		count_locked(&nr_pages, -1);
	}
	lock_release(&mixed_lock);
	if (page)
		free_frozen_pages(virt_to_page(page), 0);
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

unsigned long mixed_record_pages(void)
{
	return atomic_load_relaxed(&nr_pages);
}
