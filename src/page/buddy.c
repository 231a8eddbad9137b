/* SPDX-License-Identifier: MIT */
/*
 * The free lists: one per order, of blocks that are aligned to their size.
 *
 * A block's buddy is the block that differs from it in the one address bit that
 * the order names. Splitting keeps the low half and frees the high one; freeing
 * joins a block with its buddy for as long as that is free and of the same
 * order. cf. Linux mm/page_alloc.c: __free_one_page(), expand().
 *
 * Whether a free block is known to be zero (PG_zeroed) is a property of its
 * first page: halves inherit it, and joining keeps it if both had it.
 */
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "page/bad_page.h"
#include "page/release.h"
#include "page/zone.h"

void buddy_init(struct zone *z)
{
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		INIT_LIST_HEAD(&z->free_area[order].free_list);
}

static void add_dirty_pages(struct zone *z, unsigned long nr)
{
	atomic_store_relaxed(&z->dirty_pages, z->dirty_pages + nr);
}

static void list_block(struct zone *z, struct page *page, unsigned int order,
		       unsigned long zeroed, bool at_tail)
{
	struct free_area *area = &z->free_area[order];

	page->order = (uint8_t)order;
	page_set_flags(page, PG_buddy | zeroed);
	if (at_tail)
		list_add_tail(&page->lru, &area->free_list);
	else
		list_add(&page->lru, &area->free_list);
	area->nr_free++;
	if (!zeroed)
		add_dirty_pages(z, 1UL << order);
}

/* Takes a free block off its list; its flags become PG_zeroed or 0. */
static void unlist_block(struct zone *z, struct page *page)
{
	list_del(&page->lru);
	z->free_area[page->order].nr_free--;
	if (!(page_flags(page) & PG_zeroed))
		add_dirty_pages(z, -(1UL << page->order));
	page_set_flags(page, page_flags(page) & PG_zeroed);
}

/* Is the block at pfn free, and as a whole of that order? */
static bool is_free_block(unsigned long pfn, unsigned int order)
{
	struct page *page = pfn_to_page(pfn);

	/* A section is one block of the highest order, so pfn is online. */
	return (page_flags(page) & PG_buddy) && page->order == order;
}

static void free_one_block(struct zone *z, struct page *page, unsigned int order,
			   unsigned long zeroed)
{
	unsigned long pfn = page_to_pfn(page);
	bool merge_likely = false;

	while (order < MAX_PAGE_ORDER) {
		unsigned long buddy_pfn = pfn ^ (1UL << order);
		struct page *buddy = pfn_to_page(buddy_pfn);

		if (!is_free_block(buddy_pfn, order))
			break;
		unlist_block(z, buddy);
		zeroed &= page_flags(buddy);
		page_set_flags(buddy, 0);
		page_set_flags(pfn_to_page(pfn), 0);
		pfn &= ~(1UL << order);
		order++;
	}
	/*
	 * If the next larger buddy is free, this block is about to become part
	 * of a larger one as soon as its own buddy comes back: hand it out last.
	 */
	if (order < MAX_PAGE_ORDER - 1) {
		unsigned long parent_pfn = pfn & ~(1UL << order);

		merge_likely = is_free_block(parent_pfn ^ (2UL << order), order + 1);
	}
	list_block(z, pfn_to_page(pfn), order, zeroed, merge_likely);
}

/* The smallest block that holds the order, cut down to it; NULL if there is none. */
static struct page *take_one_block(struct zone *z, unsigned int order)
{
	unsigned int found = order;
	unsigned long zeroed;
	struct page *page;

	while (found < NR_PAGE_ORDERS && list_empty(&z->free_area[found].free_list))
		found++;
	if (found == NR_PAGE_ORDERS)
		return NULL;
	page = list_first_entry(&z->free_area[found].free_list, struct page, lru);
	unlist_block(z, page);
	zeroed = page_flags(page);
	while (found > order) {
		found--;
		list_block(z, page + (1UL << found), found, zeroed, false);
	}
	return page;
}

/* --- What signal handlers could not give back; see zone.h, 4. ------------- */

/*
 * Only ever pushed to and taken as a whole, so a head that is the same again
 * heads the same list.
 */
static void defer_block(struct zone *z, struct page *page, unsigned long nr_pages)
{
	struct list_head *head = atomic_load_relaxed(&z->deferred);

	page->index = nr_pages;
	do {
		page->lru.next = head;
		/* pairs with give_deferred_locked(): the block's fields */
	} while (!atomic_cas_release(&z->deferred, &head, &page->lru));
}

static void give_range_locked(struct zone *z, struct page *page, unsigned long nr_pages,
			      unsigned long zeroed)
{
	unsigned long pfn = page_to_pfn(page), end = pfn + nr_pages;

	while (pfn < end) {
		unsigned int order = pfn ? (unsigned int)__builtin_ctzl(pfn) : MAX_PAGE_ORDER;

		order = min(order, (unsigned int)MAX_PAGE_ORDER);
		while (pfn + (1UL << order) > end)
			order--;
		free_one_block(z, pfn_to_page(pfn), order, zeroed);
		pfn += 1UL << order;
	}
	zone_add_free_pages(z, nr_pages);
}

static void give_deferred_locked(struct zone *z)
{
	/* pairs with defer_block() */
	struct list_head *next, *entry = atomic_exchange_acquire(&z->deferred, NULL);

	for (; entry; entry = next) {
		struct page *page = list_entry(entry, struct page, lru);

		next = entry->next;
		give_range_locked(z, page, page->index, 0);
	}
}

bool zone_acquire(struct zone *z)
{
	if (!lock_acquire_in_order(&z->lock))
		return false;
	if (unlikely(atomic_load_relaxed(&z->deferred)))
		give_deferred_locked(z);
	if (unlikely(atomic_load_relaxed(&z->charged)))
		zone_add_free_pages(z, -atomic_exchange_acquire(&z->charged, 0));
	return true;
}

void buddy_give_deferred(struct zone *z)
{
	if (atomic_load_relaxed(&z->deferred) && zone_acquire(z))
		lock_release(&z->lock);
}

/* --- Taking and giving -------------------------------------------------------- */

static unsigned long take_blocks(struct zone *z, unsigned int order, struct page **pages,
				 unsigned long nr)
{
	unsigned long taken = 0;

	if (!zone_acquire(z))
		return 0;
	while (taken < nr) {
		struct page *page = take_one_block(z, order);

		if (!page)
			break;
		pages[taken++] = page;
	}
	zone_add_free_pages(z, -(taken << order));
	lock_release(&z->lock);
	return taken;
}

/* More memory on the free lists. It counted as free already. */
static bool bring_online(struct zone *z)
{
	unsigned long budget = z->managed_pages * PAGE_SIZE;
	unsigned long nr;
	struct page *page;

	nr = mm_grow(budget - mm_online_bytes, &page);
	if (!nr)
		return false;
	lock_acquire(&z->lock);
	for (unsigned long i = 0; i < nr; i += 1UL << MAX_PAGE_ORDER)
		list_block(z, page + i, MAX_PAGE_ORDER, PG_zeroed, true);
	lock_release(&z->lock);
	return true;
}

unsigned long buddy_take(struct zone *z, unsigned int order, struct page **pages,
			 unsigned long nr)
{
	unsigned long taken = take_blocks(z, order, pages, nr);

	if (taken)
		return taken;
	if (!lock_acquire_in_order(&z->grow_lock))
		return 0;
	/* Another thread may have done it, or freed something, meanwhile. */
	taken = take_blocks(z, order, pages, nr);
	if (!taken && bring_online(z))
		taken = take_blocks(z, order, pages, nr);
	lock_release(&z->grow_lock);
	return taken;
}

struct page *buddy_take_dirty(struct zone *z, unsigned int min_order, unsigned long *nr)
{
	struct page *found = NULL, *page;

	if (!zone_acquire(z))
		return NULL;
	for (int order = MAX_PAGE_ORDER; order >= (int)min_order && !found; order--)
		list_for_each_entry(page, &z->free_area[order].free_list, lru)
			if (!(page_flags(page) & PG_zeroed)) {
				found = page;
				break;
			}
	if (found) {
		*nr = 1UL << found->order;
		unlist_block(z, found);
		zone_add_free_pages(z, -*nr);
	}
	lock_release(&z->lock);
	return found;
}

/* Much free memory that nobody wanted for a while goes back to the system. */
static void look_at_dirty_pages(struct zone *z)
{
	if (unlikely(atomic_load_relaxed(&z->dirty_pages) > RELEASE_DIRTY_PAGES))
		release_some(z);
}

void buddy_give(struct zone *z, unsigned int order, struct page *const *pages,
		unsigned long nr)
{
	bool can_give = zone_acquire(z);
	const struct page *twice = NULL;
	unsigned long given = 0;

	for (unsigned long i = 0; i < nr; i++) {
		if (unlikely(page_flags(pages[i]) & PG_buddy)) {
			twice = pages[i];
			continue;
		}
		if (can_give)
			free_one_block(z, pages[i], order, 0);
		else
			defer_block(z, pages[i], 1UL << order);
		given++;
	}
	if (can_give) {
		zone_add_free_pages(z, given << order);
		lock_release(&z->lock);
	}
	/* Not under the lock: whoever handles SIGABRT may still allocate. */
	if (unlikely(twice))
		page_report_unowned(twice, "second free");
	look_at_dirty_pages(z);
}

void buddy_give_range(struct zone *z, struct page *page, unsigned long nr_pages, bool zeroed)
{
	if (!zone_acquire(z)) {
		defer_block(z, page, nr_pages);
		return;
	}
	give_range_locked(z, page, nr_pages, zeroed ? PG_zeroed : 0);
	lock_release(&z->lock);
	if (!zeroed)
		look_at_dirty_pages(z);
}
