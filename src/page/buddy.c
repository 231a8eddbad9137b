/* SPDX-License-Identifier: MIT */
/*
 * The free lists: one per order and migrate type, of blocks that are aligned to
 * their size.
 *
 * A block's buddy is the block that differs from it in the one address bit that
 * the order names. Splitting keeps the low half and frees the high one; freeing
 * joins a block with its buddy for as long as that is free and of the same
 * order. cf. Linux mm/page_alloc.c: __free_one_page(), expand().
 *
 * Whether a free block is known to be zero (PG_zeroed) is a property of its
 * first page: halves inherit it, and joining keeps it if both had it.
 */
#include "base/check.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "page/buddy.h"
#include "page/debug/bad_page.h"
#include "page/gfp.h"
#include "page/migratetype.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/release.h"

void buddy_init(struct zone *z)
{
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
			INIT_LIST_HEAD(&z->free_area[order].free_list[type]);
}

static void add_dirty_pages(struct zone *z, unsigned long nr)
{
	atomic_store_relaxed(&z->dirty_pages, z->dirty_pages + nr);
}

static void take_dirty_pages(struct zone *z, unsigned long nr)
{
	atomic_store_relaxed(&z->dirty_pages, z->dirty_pages - nr);
	z->dirty_low = min(z->dirty_low, z->dirty_pages);
}

/* --- One list ------------------------------------------------------------------ */

static __always_inline void count_blocks(struct free_area *area, enum migratetype type,
					 unsigned long nr)
{
	atomic_store_relaxed(&area->nr_of_type[type], area->nr_of_type[type] + nr);
}

/* cf. Linux account_freepages(): what is isolated is not free. */
static __always_inline void account(struct zone *z, enum migratetype type, unsigned long nr_pages)
{
	if (unlikely(type == MIGRATE_ISOLATE))
		return;
	zone_add_free_pages(z, nr_pages);
	if (likely(type < MIGRATE_PCPTYPES))
		return;
	if (type == MIGRATE_HIGHATOMIC)
		atomic_store_relaxed(&z->nr_free_highatomic, z->nr_free_highatomic + nr_pages);
	else
		atomic_store_relaxed(&z->nr_free_cma, z->nr_free_cma + nr_pages);
}

static __always_inline void count_taken(struct zone *z, unsigned long nr_pages)
{
	atomic_store_relaxed(&z->nr_taken, z->nr_taken + nr_pages);
}

/* These two do not count pages: whoever calls them does so once, for the sum. */
static __always_inline void list_block(struct zone *z, struct page *page, unsigned int order,
				       enum migratetype type, unsigned long zeroed,
				       bool at_tail)
{
	struct free_area *area = &z->free_area[order];

	page->order = (uint8_t)order;
	page_set_flags(page, PG_buddy | zeroed);
	if (at_tail)
		list_add_tail(&page->lru, &area->free_list[type]);
	else
		list_add(&page->lru, &area->free_list[type]);
	count_blocks(area, type, 1);
	if (!zeroed)
		add_dirty_pages(z, 1UL << order);
}

/* The block's flags become PG_zeroed or 0. */
static __always_inline void unlist_block(struct zone *z, struct page *page,
					 enum migratetype type)
{
	list_del(&page->lru);
	if (!(page_flags(page) & PG_zeroed))
		take_dirty_pages(z, 1UL << page->order);
	count_blocks(&z->free_area[page->order], type, -1UL);
	page_set_flags(page, page_flags(page) & PG_zeroed);
}

struct page *freelist_first(struct zone *z, unsigned int order, enum migratetype type)
{
	struct list_head *list = &z->free_area[order].free_list[type];

	return list_empty(list) ? NULL : list_first_entry(list, struct page, lru);
}

void freelist_move(struct zone *z, struct page *page, enum migratetype from,
		   enum migratetype to)
{
	unsigned int order = page->order;
	unsigned long zeroed = page_flags(page) & PG_zeroed;

	unlist_block(z, page, from);
	list_block(z, page, order, to, zeroed, true);
	/* In this order, so that nobody sees too few. */
	account(z, to, 1UL << order);
	account(z, from, -(1UL << order));
}

struct page *freelist_take(struct zone *z, struct page *page, unsigned int order,
			   enum migratetype type)
{
	unsigned int found = page->order;
	unsigned long zeroed;

	unlist_block(z, page, type);
	zeroed = page_flags(page);
	while (found > order) {
		found--;
		list_block(z, page + (1UL << found), found, type, zeroed, false);
	}
	account(z, type, -(1UL << order));
	count_taken(z, 1UL << order);
	return page;
}

struct page *freelist_take_smallest(struct zone *z, unsigned int order, enum migratetype type)
{
	for (unsigned int found = order; found < NR_PAGE_ORDERS; found++) {
		struct page *page = freelist_first(z, found, type);

		if (page)
			return freelist_take(z, page, order, type);
	}
	return NULL;
}

void pageblocks_set_type(struct zone *z, struct page *page, unsigned int order,
			 enum migratetype type)
{
	for (unsigned long i = 0; i < 1UL << order; i += PAGEBLOCK_PAGES)
		set_pageblock_migratetype(z, page + i, type);
}

void freelist_split_at(struct zone *z, struct page *start)
{
	struct page *head = pfn_to_page(ALIGN_DOWN(page_to_pfn(start), 1UL << MAX_PAGE_ORDER));
	enum migratetype type = get_pageblock_migratetype(head);
	unsigned long zeroed;

	if (!(page_flags(head) & PG_buddy) || head->order <= PAGEBLOCK_ORDER)
		return;
	unlist_block(z, head, type);
	zeroed = page_flags(head);
	for (unsigned long i = 0; i < 1UL << MAX_PAGE_ORDER; i += PAGEBLOCK_PAGES)
		list_block(z, head + i, PAGEBLOCK_ORDER, type, zeroed, true);
}

/* --- One block comes back -------------------------------------------------------- */

/* Is the block at pfn free, and as a whole of that order? */
static bool is_free_block(unsigned long pfn, unsigned int order)
{
	struct page *page = pfn_to_page(pfn);

	/* A section is one block of the highest order, so pfn is online. */
	return (page_flags(page) & PG_buddy) && page->order == order;
}

/* Whole pageblocks of two types are joined only if either type may stand in for the other. */
static bool may_join(enum migratetype type, enum migratetype other)
{
	return type == other || (type < MIGRATE_PCPTYPES && other < MIGRATE_PCPTYPES);
}

/*
 * If the next larger buddy is free, this block is about to become part of a larger
 * one as soon as its own buddy comes back: it is handed out last.
 */
static bool is_join_likely(unsigned long pfn, unsigned int order)
{
	unsigned long parent_pfn = pfn & ~(1UL << order);

	return order < MAX_PAGE_ORDER - 1 && is_free_block(parent_pfn ^ (2UL << order), order + 1);
}

/* A block within one pageblock, or whole pageblocks of one type. */
static void free_block_of_type(struct zone *z, struct page *page, unsigned int order,
			       enum migratetype type, unsigned long zeroed)
{
	unsigned long pfn = page_to_pfn(page);

	account(z, type, 1UL << order);
	while (order < MAX_PAGE_ORDER) {
		unsigned long buddy_pfn = pfn ^ (1UL << order);
		struct page *buddy = pfn_to_page(buddy_pfn);
		enum migratetype buddy_type = type;

		if (!is_free_block(buddy_pfn, order))
			break;
		if (order >= PAGEBLOCK_ORDER)
			buddy_type = get_pageblock_migratetype(buddy);
		if (!may_join(type, buddy_type))
			break;
		unlist_block(z, buddy, buddy_type);
		zeroed &= page_flags(buddy);
		page_set_flags(buddy, 0);
		page_set_flags(pfn_to_page(pfn), 0);
		if (buddy_type != type)
			pageblocks_set_type(z, buddy, order, type);
		pfn &= ~(1UL << order);
		order++;
	}
	list_block(z, pfn_to_page(pfn), order, type, zeroed, is_join_likely(pfn, order));
}

/* Several pageblocks whose types differ go one by one. cf. Linux split_large_buddy(). */
static void free_one_block(struct zone *z, struct page *page, unsigned int order,
			   unsigned long zeroed)
{
	unsigned int class = page_class(page);
	unsigned int part = order;

	for (unsigned long i = PAGEBLOCK_PAGES; i < 1UL << order; i += PAGEBLOCK_PAGES)
		if (page_class(page + i) != class)
			part = PAGEBLOCK_ORDER;
	atomic_store_relaxed(&z->nr_given, z->nr_given + (1UL << order));
	for (unsigned long i = 0; i < 1UL << order; i += 1UL << part)
		free_block_of_type(z, page + i, part, get_pageblock_migratetype(page + i), zeroed);
}

void buddy_add_section(struct zone *z, struct page *page)
{
	pageblocks_set_type(z, page, MAX_PAGE_ORDER, MIGRATE_MOVABLE);
	list_block(z, page, MAX_PAGE_ORDER, MIGRATE_MOVABLE, PG_zeroed, true);
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
	if (!lock_acquire_unless_handler(&z->lock))
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

/*
 * Of nr blocks those that leave the zone above its low mark, but one at least. The caller has
 * looked at the mark, for all of them or for this one; without the lock, so others may have
 * taken batches since, and together they would take what is kept for urgent requests.
 */
static unsigned long nr_above_low(const struct zone *z, unsigned int order, unsigned long nr)
{
	unsigned long least = wmark_pages(z, WMARK_LOW) + 1, free = z->free_pages;

	return free > least ? clamp((free - least) >> order, 1UL, nr) : 1;
}

static unsigned long take_blocks(struct zone *z, unsigned int order, enum migratetype type,
				 unsigned int alloc_flags, struct page **pages,
				 unsigned long nr)
{
	enum rmqueue_mode mode = RMQUEUE_NORMAL;
	unsigned long taken = 0;

	if (!zone_acquire(z))
		return 0;
	if (nr > 1)
		nr = nr_above_low(z, order, nr);
	while (taken < nr) {
		struct page *page = NULL;

		/* Nearly always; what else there may be is not looked at here. */
		if (mode == RMQUEUE_NORMAL && !(alloc_flags & ALLOC_CMA))
			page = freelist_take_smallest(z, order, type);
		if (!page)
			page = rmqueue_locked(z, order, type, alloc_flags, &mode);
		if (!page)
			break;
		pages[taken++] = page;
	}
	lock_release(&z->lock);
	return taken;
}

/* What is not online yet are free MOVABLE pageblocks: they come before mixing types. */
static unsigned long take_growing(struct zone *z, unsigned int order, enum migratetype type,
				  unsigned int alloc_flags, struct page **pages,
				  unsigned long nr)
{
	unsigned long taken;

	alloc_flags |= ALLOC_NOFRAGMENT;
	taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	if (!taken && pcp_return_own_blocks(z))
		taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	if (taken || !lock_acquire_unless_handler(&page_grow_lock))
		return taken;
	/* Another thread may have done it, or freed something, meanwhile. */
	taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	if (!taken && zone_grow(z))
		taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	lock_release(&page_grow_lock);
	return taken;
}

unsigned long buddy_take(struct zone *z, unsigned int order, enum migratetype type,
			 unsigned int alloc_flags, struct page **pages, unsigned long nr)
{
	unsigned long taken = 0;

	if (zone_offline_pages(z))
		taken = take_growing(z, order, type, alloc_flags, pages, nr);
	return taken ? taken : take_blocks(z, order, type, alloc_flags, pages, nr);
}

/* Of blocks of the one order that comes into question. */
#define HOLES_SEEN_MAX 8

/* Are the nr pages from pfn on free, in blocks of orders below this one? */
static bool are_free(unsigned long pfn, unsigned long nr, unsigned int below)
{
	unsigned int order;

	for (unsigned long end = pfn + nr; pfn < end; pfn += 1UL << order) {
		for (order = 0; order < below && !is_free_block(pfn, order); order++)
			;
		if (order == below)
			return false;
	}
	return true;
}

/* The lower half of a larger block, of that order, behind which so many pages more are free. */
static struct page *find_hole(struct zone *z, unsigned int order, unsigned long more,
			      unsigned int align_order, enum migratetype type)
{
	unsigned long lower = (1UL << order) | ((1UL << align_order) - 1);
	unsigned int seen = 0;
	struct page *page;

	list_for_each_entry(page, &z->free_area[order].free_list[type], lru) {
		unsigned long pfn = page_to_pfn(page);

		if (!(pfn & lower) && are_free(pfn + (1UL << order), more, order))
			return page;
		if (++seen == HOLES_SEEN_MAX)
			break;
	}
	return NULL;
}

struct page *buddy_take_hole(struct zone *z, unsigned long nr_pages, unsigned int align_order,
			     enum migratetype type, bool *zeroed)
{
	unsigned int order = (unsigned int)ilog2(nr_pages);
	unsigned long more = nr_pages - (1UL << order);
	struct page *hole, *part;

	/* All of it lies in one pageblock. */
	if (!more || order >= PAGEBLOCK_ORDER || !zone_acquire(z))
		return NULL;
	hole = find_hole(z, order, more, align_order, type);
	if (hole) {
		*zeroed = page_take_zeroed(freelist_take(z, hole, order, type));
		part = hole + (1UL << order);
		while (order--) {
			if (!(more & 1UL << order))
				continue;
			/*
			 * These pages are free and would be joined, so they are a block, or the
			 * beginning of a larger one: that is cut, and what follows is one again.
			 */
			ASSERT(is_free_block(page_to_pfn(part), part->order) &&
			       part->order >= order);
			*zeroed &= page_take_zeroed(freelist_take(z, part, order, type));
			part += 1UL << order;
		}
	}
	lock_release(&z->lock);
	return hole;
}

static struct page *take_highatomic(struct zone *z, unsigned int order)
{
	struct page *page;

	if (!atomic_load_relaxed(&z->nr_free_highatomic) || !zone_acquire(z))
		return NULL;
	page = freelist_take_smallest(z, order, MIGRATE_HIGHATOMIC);
	lock_release(&z->lock);
	return page;
}

struct page *buddy_take_direct(struct zone *z, unsigned int order, enum migratetype type,
			       unsigned int alloc_flags)
{
	struct page *page = NULL;

	if (alloc_flags & ALLOC_HIGHATOMIC)
		page = take_highatomic(z, order);
	if (page || buddy_take(z, order, type, alloc_flags, &page, 1))
		return page;
	return alloc_flags & (ALLOC_OOM | ALLOC_NON_BLOCK) ? take_highatomic(z, order) : NULL;
}

static struct page *first_dirty(struct zone *z, unsigned int order, enum migratetype type)
{
	struct page *page;

	list_for_each_entry(page, &z->free_area[order].free_list[type], lru)
		if (!(page_flags(page) & PG_zeroed))
			return page;
	return NULL;
}

/* Isolated blocks stay where they are. */
static struct page *take_dirty_locked(struct zone *z, unsigned int order)
{
	for (unsigned int type = 0; type < MIGRATE_ISOLATE; type++) {
		struct page *page = first_dirty(z, order, (enum migratetype)type);

		if (!page)
			continue;
		unlist_block(z, page, (enum migratetype)type);
		account(z, (enum migratetype)type, -(1UL << order));
		count_taken(z, 1UL << order);
		return page;
	}
	return NULL;
}

struct page *buddy_take_dirty(struct zone *z, unsigned int min_order, unsigned long *nr)
{
	struct page *page = NULL;

	if (!zone_acquire(z))
		return NULL;
	for (int order = MAX_PAGE_ORDER; order >= (int)min_order && !page; order--) {
		page = take_dirty_locked(z, (unsigned int)order);
		*nr = 1UL << order;
	}
	lock_release(&z->lock);
	return page;
}

void buddy_give_blocks(struct zone *z, unsigned long nr_pages, struct page *const *pages,
		       unsigned long nr)
{
	bool can_give = zone_acquire(z), is_whole = is_power_of_2(nr_pages);
	unsigned int order = ilog2(nr_pages);
	const struct page *twice = NULL;

	for (unsigned long i = 0; i < nr; i++) {
		if (unlikely(page_flags(pages[i]) & PG_buddy)) {
			twice = pages[i];
			continue;
		}
		if (!can_give)
			defer_block(z, pages[i], nr_pages);
		else if (is_whole)
			free_one_block(z, pages[i], order, 0);
		else
			give_range_locked(z, pages[i], nr_pages, 0);
	}
	if (can_give)
		lock_release(&z->lock);
	/* Not under the lock: whoever handles SIGABRT may still allocate. */
	if (unlikely(twice))
		page_report_unowned(twice, "second free");
}

void buddy_give_range(struct page *page, unsigned long nr_pages, bool zeroed)
{
	struct zone *z = page_zone(page);

	if (!zone_acquire(z)) {
		defer_block(z, page, nr_pages);
		return;
	}
	give_range_locked(z, page, nr_pages, zeroed ? PG_zeroed : 0);
	lock_release(&z->lock);
	if (!zeroed)
		release_excess(z);
}
