/* SPDX-License-Identifier: MIT */
/*
 * mm: the one window of addresses that all pages lie in, and its struct pages.
 *
 * 1. Purpose. The window is one reservation, and the struct pages are one array. So page, pfn
 *    and address are converted by arithmetic (usermm/page.h), and free() needs no search. Three
 *    more tables are indexed by the address: a word for each pageblock, a pointer for each page
 *    (to the cache of its slab), and a byte for each 512 bytes.
 *
 * 2. What it must not know: zones, free lists, who owns a page.
 *
 * 3. States of a page: offline (reserved, cannot be touched) -> online
 *    (readable, writable, zero). Pages come online in whole sections, lowest
 *    first, and stay online; so "online" is one number. The page layer may unmap the memory of a
 *    free section (page/online.c): here it stays online, and its struct pages can be read.
 *
 * 4. Who may touch what. mm_grow() is called by one thread at a time (the page
 *    layer's RANK_GROW lock). Everybody may read mm_window.
 *
 * 5. Differences from Linux: memory is hot-added on demand, and no struct page is ever removed.
 *
 *    Under RLIMIT_AS the window is not reserved but only chosen, since reserved addresses
 *    count for that limit, and the program needs some, too. Memory that comes online is then
 *    mapped at its place in the window. If another mapping is there, the window ends before it.
 *
 *    A process may ask before mm_init() that its pages can be mapped at further addresses
 *    (mm_view()). The window is then shared memory, and stays reserved.
 *
 * 6. Failure. If the window cannot be had at the wished size it is halved until
 *    it can; mm_facts says so. If memory cannot be committed mm_grow() fails and
 *    may be tried again.
 */
#ifndef MM_MEMMAP_H
#define MM_MEMMAP_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "usermm/page.h"

/* Memory comes online in multiples of this: one block of the highest order. */
#define SECTION_PAGES (1UL << MAX_PAGE_ORDER)
#define SECTION_BYTES (PAGE_SIZE * SECTION_PAGES)
/* The order of a pageblock: the table of pageblocks has a word for 2^9 pages. */
#define MM_PAGEBLOCK_ORDER 9
/* There is a byte of marks for each 1 << MM_MARK_SHIFT bytes. */
#define MM_MARK_SHIFT 9
/* The heap grows by an eighth of its size at a time, but by no more than this. */
#define GROW_BYTES_MAX (64 * MIB)

/*
 * The first line has the fields that free() reads for a small object, the second those for large
 * objects and for pages. base, slab_caches and pages repeat usermm_memmap's fields: that variable
 * is public, so its address must be looked up in a table of the dynamic linker's.
 */
struct mm_window {
	unsigned long base __off_mark;
	/*
	 * online_bytes; but 0 with hardened=1 and without restartable sequences, so that free()'s
	 * fast path takes no address.
	 * Sync: as online_bytes
	 */
	unsigned long free_bytes __off_mark;
	struct kmem_cache **slab_caches __off_mark;	/* see mm_slab_cache() */
	/* The slab layer's (slab/free_mark.h); it is here since free() reads this line anyway */
	unsigned long mark_key __off_mark;
	unsigned long marks __off_mark;	/* see mm_mark() */
	struct page *pages __off_mark;
	/* Bytes of struct pages that are online. Sync: as online_bytes */
	unsigned long online_map_bytes __off_mark;
	uint16_t *pageblocks __off_mark;	/* see mm_pageblock() */
	/* Bytes of the window that are online. Sync: written under RANK_GROW, after the tables */
	unsigned long online_bytes __off_mark;
} __aligned(CACHE_LINE_BYTES);
_Static_assert(offsetof(struct mm_window, marks) == CACHE_LINE_BYTES, "free() reads one line");
extern struct mm_window mm_window __hidden;

/* The bytes of all tables except that of pageblocks, for a window of this size. */
size_t mm_table_bytes(size_t window_bytes);

/* Prefers the node for these pages, and for their parts of the tables (MPOL_PREFERRED). */
void mm_prefer_node(struct page *page, unsigned long nr_pages, unsigned int node);

struct mm_facts {
	size_t wished_bytes;	/* window size asked for first */
	size_t window_bytes;	/* window size got */
	/* How many of the window's bytes may be in use. Sync: atomic relaxed; mm_set_budget() */
	size_t budget_bytes;
	const char *budget_source;	/* Sync: as budget_bytes */
};
extern struct mm_facts mm_facts;	/* Sync: constant after mm_init(), but for the budget */

static inline size_t mm_budget_bytes(void)
{
	return atomic_load_relaxed(&mm_facts.budget_bytes);
}

/*
 * Lowers *limit, which may have changed, to the budget that follows from it: whole sections, and
 * never more than the window, RAM and limit= allow. limit->source becomes the name of the smallest
 * of these.
 */
struct os_limit;
void mm_lower_to_budget(struct os_limit *limit);
/* Called by one thread at a time. */
void mm_set_budget(const struct os_limit *limit);
/* False if the budget is what options say (mm_fixed_bytes). */
bool mm_budget_may_change(void);

/*
 * If this is not 0, it is the size of the window and of the budget, whatever options and machine
 * say. The page layer sets it if options give its zones fixed sizes. Sync: written before mm_init()
 */
extern size_t mm_fixed_bytes;

/* Reserves the window; further calls do nothing. 0 or -1. */
int mm_init(void);

/*
 * Brings the next section or sections online, at most max_bytes. Sets *first
 * and returns the number of pages; 0 if the window is used up or the operating
 * system refuses.
 */
unsigned long mm_grow(size_t max_bytes, struct page **first);

/*
 * Is the offline part of the window reserved? If not, it is mapped when it is needed, and limits
 * may refuse it: RLIMIT_AS, or RLIMIT_MEMLOCK after mlockall(MCL_FUTURE).
 */
bool mm_is_reserved(void);

/*
 * The lowest limit of the process that counts what is online: RLIMIT_DATA, or RLIMIT_AS if the
 * window is not reserved; UINT64_MAX if there is none. mm_read_limits() looks at them again; it is
 * called like mm_grow().
 */
uint64_t mm_charge_limit(void);
void mm_read_limits(void);

/*
 * Is mm_charge_limit() up to date? False if the limits have changed since, also if RLIMIT_AS has
 * come, under which the window should give up its reservation.
 */
bool mm_knows_limits(void);

static inline bool mm_is_charged(void)
{
	return mm_charge_limit() != UINT64_MAX;
}

/* How much of mm_charge_limit() is online. */
enum mm_addresses {
	MM_ADDRESSES_PLENTY,
	MM_ADDRESSES_SCARCE,		/* more than a quarter is online */
	MM_ADDRESSES_SCARCER,		/* more than half */
};
enum mm_addresses mm_addresses(void);

/* Did RLIMIT_AS restrict the window when the library came up, and is the limit higher now? */
bool mm_limit_has_risen(void);

/*
 * Looks at the limits again. Under RLIMIT_AS it gives up the reservation of the window's offline
 * part. False if there was none to give up. Called like mm_grow().
 */
bool mm_give_up_reservation(void);

/* The offset in bytes from the first struct page to this one; huge if it is not the window's. */
static __always_inline unsigned long mm_map_offset(const struct page *page)
{
	return (unsigned long)page - (unsigned long)mm_window.pages;
}

/* May the struct page with this offset be read? */
static __always_inline bool mm_map_is_online(unsigned long map_offset)
{
	return map_offset < atomic_load_operand(&mm_window.online_map_bytes);
}

/* The word of a page's pageblock. The page layer defines its content; it is 0 at first. */
static __always_inline uint16_t *mm_pageblock(unsigned long map_offset)
{
	return &mm_window.pageblocks[map_offset / (sizeof(struct page) << MM_PAGEBLOCK_ORDER)];
}

/*
 * The byte for the 512 bytes around addr, which is online. The slab layer defines its content; it
 * is 0 at first. mm_window.marks is where the byte of address 0 would be.
 */
static __always_inline uint8_t *mm_mark(const void *addr)
{
	return (uint8_t *)(mm_window.marks + ((unsigned long)addr >> MM_MARK_SHIFT));
}

/*
 * Where the pointer of an online page to its slab's cache is kept (NULL if the page is in no slab).
 * The slab layer writes it. The pointer is not in struct page, because in a large heap free() would
 * then miss a cache line for each page. A line of this table serves eight pages.
 */
static __always_inline struct kmem_cache **mm_slab_cache(const struct page *page)
{
	return &mm_window.slab_caches[page_to_pfn(page)];
}

/* Offset of addr in the window; huge if it lies outside. */
static inline unsigned long mm_offset(const void *addr)
{
	return (unsigned long)addr - mm_window.base;
}

/*
 * Set mm_wants_views before mm_init() if pages should have further addresses. mm_has_views() says
 * afterwards whether they can.
 */
extern bool mm_wants_views;
bool mm_has_views(void);
/* Maps the pages at this address, too, in place of the mapping that is there. */
int mm_view(const struct page *page, unsigned long nr_pages, void *addr);
/* Gives the memory of free pages back to the system. They are zero then, and not locked. */
int mm_discard(const struct page *page, unsigned long nr_pages);
/*
 * Gives back the parts of the tables for a free block whose own memory went back: only whole system
 * pages, as far as the system takes them. They are zero then, as for pages that have just come
 * online. The first struct page stays unless `all` goes.
 */
void mm_discard_tables(const struct page *page, unsigned long nr_pages, bool all);
/*
 * Each table has an entry for this page: the table of caches a pointer, the table of marks its
 * marks. The function gives the system page with this entry back. The caller knows that the system
 * page has only NULL pointers, or no mark that is wanted, and that this stays so until the function
 * returns. System pages are as large as ours.
 */
void mm_discard_slab_caches(unsigned long pfn);
void mm_discard_marks(unsigned long pfn);

/* Is addr online, so that its struct page and its entries in the tables may be read? */
static inline bool mm_is_online(const void *addr)
{
	/* online_bytes only grows: an old value hides only pages that nobody has seen yet. */
	return mm_offset(addr) < atomic_load_operand(&mm_window.online_bytes);
}

/* virt_to_page() */
static __always_inline struct page *mm_page(const void *addr)
{
	return mm_window.pages + (mm_offset(addr) >> PAGE_SHIFT);
}

#endif
