/* SPDX-License-Identifier: MIT */
/*
 * A block's buddy is the block whose address differs in one bit, the bit of the block's size. A
 * split keeps the low half and frees the high one. A free joins the block with its buddy as long as
 * the buddy is free and of the same order. cf. Linux mm/page_alloc.c: __free_one_page(), expand().
 *
 * PG_zeroed in the flags of a free block's first page says that the whole block is known to be
 * zero. The halves of a split inherit it; a joined block has it if both halves had it.
 */
#include "page/buddy.h"

#include "mm/memmap.h"

void buddy_init(struct zone *z)
{
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
			INIT_LIST_HEAD(&z->free_area[order].free_list[type]);
}

static __always_inline void add_dirty_pages(struct zone *z, unsigned long nr)
{
	atomic_store_relaxed(&z->dirty_pages, z->dirty_pages + nr);
}

/* To be called after a block with these flags has left the lists for good. */
static __always_inline void take_dirty_pages(struct zone *z, unsigned long flags, unsigned long nr)
{
	unsigned long dirty;

	if (flags & PG_zeroed)
		return;
	dirty = z->dirty_pages - nr;
	atomic_store_relaxed(&z->dirty_pages, dirty);
	z->dirty_low = min(z->dirty_low, dirty);
	z->old_low = min(z->old_low, dirty);
}

/* --- One list ------------------------------------------------------------------ */

static __always_inline void count_blocks(struct free_area *area, enum migratetype type,
					 unsigned long nr)
{
	atomic_store_relaxed(&area->nr_of_type[type], area->nr_of_type[type] + nr);
}

/* cf. Linux account_freepages(): isolated pages are not free. */
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

/*
 * list_block() and unlist_block() count only blocks. Their callers count pages, and dirty pages,
 * once for several blocks: if each block changed these counts, each change would wait for the one
 * before.
 */
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
		area->nr_dirty++;
}

/* Sets the block's flags to PG_zeroed or 0. */
static __always_inline void unlist_block(struct zone *z, struct page *page,
					 enum migratetype type)
{
	list_del(&page->lru);
	if (!(page_flags(page) & PG_zeroed))
		z->free_area[page->order].nr_dirty--;
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
	/* Adds before it subtracts, so that nobody sees too few free pages. */
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
	take_dirty_pages(z, zeroed, 1UL << order);
	account(z, type, -(1UL << order));
	count_taken(z, 1UL << order);
	if (zeroed)
		atomic_store_relaxed(&z->nr_zeroed_taken, z->nr_zeroed_taken + (1UL << order));
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

/* Whole pageblocks of two types join only if either type may stand in for the other. */
static bool may_join(enum migratetype type, enum migratetype other)
{
	return type == other || (type < MIGRATE_PCPTYPES && other < MIGRATE_PCPTYPES);
}

/*
 * Is the buddy of the next larger block free? If so, this block will become part of a still larger
 * one as soon as its own buddy comes back. So it goes to the list's tail, and is handed out last.
 */
static bool is_join_likely(unsigned long pfn, unsigned int order)
{
	unsigned long parent_pfn = pfn & ~(1UL << order);

	return order < MAX_PAGE_ORDER - 1 && is_free_block(parent_pfn ^ (2UL << order), order + 1);
}

/* Frees a block within one pageblock, or whole pageblocks of one type. */
static void free_block_of_type(struct zone *z, struct page *page, unsigned int order,
			       enum migratetype type, unsigned long zeroed)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned long dirty_before = 0;		/* dirty pages of buddies that it joins */

	account(z, type, 1UL << order);
	while (order < MAX_PAGE_ORDER) {
		unsigned long buddy_pfn = pfn ^ (1UL << order);
		struct page *buddy = pfn_to_page(buddy_pfn);
		enum migratetype buddy_type = type;

		/* The buddy is online, since a whole section is a block of the highest order. */
		if (!is_free_block(buddy_pfn, order))
			break;
		if (order >= PAGEBLOCK_ORDER)
			buddy_type = get_pageblock_migratetype(buddy);
		if (!may_join(type, buddy_type))
			break;
		unlist_block(z, buddy, buddy_type);
		if (!page_flags(buddy))
			dirty_before += 1UL << order;
		zeroed &= page_flags(buddy);
		page_set_flags(buddy, 0);
		page_set_flags(pfn_to_page(pfn), 0);
		if (buddy_type != type)
			pageblocks_set_type(z, buddy, order, type);
		pfn &= ~(1UL << order);
		order++;
	}
	/* Zeroed memory goes to the tail: it may have to be made present first. */
	list_block(z, pfn_to_page(pfn), order, type, zeroed,
		   zeroed || is_join_likely(pfn, order));
	if (!zeroed)
		add_dirty_pages(z, (1UL << order) - dirty_before);
}

/*
 * Frees a block whose pageblocks have different types, one pageblock at a time. cf. Linux
 * split_large_buddy().
 */
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

/* --- Blocks that signal handlers could not give back: zone.h, 4 ---------------------- */

/*
 * During this loop others may take the list and push the same head again. This does no harm: a push
 * links its block to the head alone, and the list is only taken as a whole.
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

/* See zones_resize(): gives up free pages above the min mark. */
static void give_up_excess_locked(struct zone *z)
{
	long spare = (long)(z->free_pages - wmark_pages(z, WMARK_MIN));
	unsigned long pages = min(z->excess, (unsigned long)max(spare, 0L));

	zone_add_free_pages(z, -pages);
	atomic_store_relaxed(&z->managed_pages, z->managed_pages - pages);
	atomic_store_relaxed(&z->excess, z->excess - pages);
}

bool zone_acquire(struct zone *z)
{
	if (!lock_acquire_unless_handler(&z->lock))
		return false;
	if (unlikely(atomic_load_relaxed(&z->deferred)))
		give_deferred_locked(z);
	/* Relaxed: charge_unlocked() publishes nothing but the number. */
	if (unlikely(atomic_load_relaxed(&z->charged)))
		zone_add_free_pages(z, -atomic_exchange_relaxed(&z->charged, 0));
	if (unlikely(atomic_load_relaxed(&z->excess)))
		give_up_excess_locked(z);
	return true;
}

void buddy_give_deferred(struct zone *z)
{
	if (atomic_load_relaxed(&z->deferred) && zone_acquire(z))
		lock_release(&z->lock);
}

/* --- Taking dirty blocks, and giving back -------------------------------------------- */

/*
 * The first block with PG_zeroed (`zeroed`) or without it (0); NULL if there is none. Moves the
 * blocks before it to the list's end, so that the next search does not meet them.
 */
static struct page *first_of(struct zone *z, unsigned int order, enum migratetype type,
			     unsigned long zeroed)
{
	struct free_area *area = &z->free_area[order];
	struct list_head *list = &area->free_list[type];

	for (unsigned long nr = area->nr_of_type[type]; nr; nr--) {
		struct page *page = list_first_entry(list, struct page, lru);

		if ((page_flags(page) & PG_zeroed) == zeroed)
			return page;
		list_move_tail(&page->lru, list);
	}
	return NULL;
}

/* Takes a block as first_of() finds it, of a type below `end`; or NULL. */
static struct page *take_locked(struct zone *z, unsigned int order, enum migratetype end,
				unsigned long zeroed)
{
	for (unsigned int type = 0; type < end; type++) {
		struct page *page = first_of(z, order, (enum migratetype)type, zeroed);

		if (!page)
			continue;
		unlist_block(z, page, (enum migratetype)type);
		take_dirty_pages(z, zeroed, 1UL << order);
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
		if (!z->free_area[order].nr_dirty)
			continue;
		/* Isolated blocks stay on their lists. */
		page = take_locked(z, (unsigned int)order, MIGRATE_ISOLATE, 0);
		*nr = 1UL << order;
	}
	lock_release(&z->lock);
	return page;
}

/*
 * Zeroed blocks of the types with per-CPU lists. nr_dirty counts all types' dirty blocks, so the
 * result may be too small.
 */
static unsigned long nr_zeroed(const struct free_area *area)
{
	unsigned long nr = 0;

	for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++)
		nr += area->nr_of_type[type];
	return nr - min(nr, area->nr_dirty);
}

unsigned long buddy_zeroed_pages(struct zone *z, unsigned int min_order)
{
	unsigned long pages = 0;

	if (!zone_acquire(z))
		return 0;
	for (unsigned int order = min_order; order <= MAX_PAGE_ORDER; order++)
		pages += nr_zeroed(&z->free_area[order]) << order;
	lock_release(&z->lock);
	return pages;
}

struct page *buddy_take_zeroed(struct zone *z, unsigned int min_order, unsigned long *nr)
{
	struct page *page = NULL;

	if (!zone_acquire(z))
		return NULL;
	for (int order = MAX_PAGE_ORDER; order >= (int)min_order && !page; order--) {
		if (!nr_zeroed(&z->free_area[order]))
			continue;
		page = take_locked(z, (unsigned int)order, MIGRATE_PCPTYPES, PG_zeroed);
		*nr = 1UL << order;
	}
	lock_release(&z->lock);
	return page;
}

const struct page *buddy_give_blocks(struct zone *z, unsigned long nr_pages,
				     struct page *const *pages, unsigned long nr)
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
	return twice;
}

void buddy_give_zeroed_locked(struct zone *z, struct page *page, unsigned long nr_pages)
{
	give_range_locked(z, page, nr_pages, PG_zeroed);
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
}
