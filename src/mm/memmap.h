/* SPDX-License-Identifier: MIT */
/*
 * mm: the one window of addresses that all pages lie in, and its struct pages.
 *
 * 1. Purpose. page, pfn and address are three names of one number: the window
 *    is one reservation and the struct pages are one array, so conversion is
 *    arithmetic (usermm/page.h) and free() needs no search. Three more tables go by
 *    the address: a word for each pageblock, a pointer for each page (the cache whose
 *    slab it is of), and a byte for each 512 bytes.
 *
 * 2. What it must not know: zones, free lists, who owns a page.
 *
 * 3. States of a page: offline (reserved, cannot be touched) -> online
 *    (readable, writable, zero). Pages come online in whole sections, lowest
 *    first, and stay online; so "online" is one number.
 *
 * 4. Who may touch what. mm_grow() is called by one thread at a time (the page
 *    layer's RANK_GROW lock). Everybody may read mm_window.
 *
 * 5. Differences from Linux: memory is hot-added on demand and never removed.
 *
 *    Under RLIMIT_AS the window is not reserved but only chosen: addresses count as
 *    soon as they are reserved, and the program wants some too. Then memory that comes
 *    online is mapped where the window has it. Should anybody else have a mapping there,
 *    the window ends before it.
 *
 *    A process that asks for it before mm_init() has pages that can be seen at further
 *    addresses (mm_view()): the window is shared memory then, and stays reserved.
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
#define SECTION_BYTES (PAGE_SIZE << MAX_PAGE_ORDER)
/* Pages that one word of the table of pageblocks stands for, as an order. */
#define MM_PAGEBLOCK_ORDER 9
/* There is a byte of marks for each 1 << MM_MARK_SHIFT bytes. */
#define MM_MARK_SHIFT 9
/* A growing heap is extended in steps of an eighth, up to this. */
#define GROW_BYTES_MAX (64 * MIB)

/*
 * What free() looks at for a small object is the first line, and what is for large objects and for
 * pages the second. base, slab_caches and pages are usermm_memmap's once more: that is public, and
 * what is public is found by way of a table.
 */
struct mm_window {
	unsigned long base __off_mark;
	/*
	 * online_bytes, or 0 with hardened=1: free()'s fast path would take nothing then, so it
	 * does not look. Sync: as online_bytes
	 */
	unsigned long free_bytes __off_mark;
	struct kmem_cache **slab_caches __off_mark;	/* see mm_slab_cache() */
	/* Not this layer's, but in the line that free() reads anyway: see slab/free_mark.h */
	unsigned long mark_key __off_mark;
	unsigned long marks __off_mark;	/* see mm_mark() */
	struct page *pages __off_mark;
	/* Of struct pages. Sync: as online_bytes */
	unsigned long online_map_bytes __off_mark;
	uint16_t *pageblocks __off_mark;	/* see mm_pageblock() */
	/* Of the window. Sync: written under RANK_GROW after the tables can be read */
	unsigned long online_bytes __off_mark;
} __aligned(CACHE_LINE_BYTES);
_Static_assert(offsetof(struct mm_window, marks) == CACHE_LINE_BYTES, "free() reads one line");
extern struct mm_window mm_window __hidden;

/*
 * Bytes of the tables that are as long as the window is, but the words of pageblocks, for so many
 * bytes of it.
 */
size_t mm_table_bytes(size_t window_bytes);

/* These pages, and what tables have of them, are to be the node's memory as far as it has some. */
void mm_prefer_node(struct page *page, unsigned long nr_pages, unsigned int node);

struct mm_facts {
	size_t wished_bytes;	/* window size asked for first */
	size_t window_bytes;	/* window size got */
	size_t budget_bytes;	/* of it, what may be in use */
	const char *budget_source;
};
extern struct mm_facts mm_facts;	/* Sync: constant after mm_init() */

/*
 * Sync: written before mm_init(). If it is not 0, window and budget are of this
 * size whatever options and machine say: the page layer's zones have fixed sizes.
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
 * Is what is not online of the window reserved? Else it is mapped when it is wanted, and may be
 * refused where addresses are limited: RLIMIT_AS, or mlockall(MCL_FUTURE) and RLIMIT_MEMLOCK.
 */
bool mm_is_reserved(void);

/*
 * How much of RLIMIT_AS or RLIMIT_DATA is online, as far as is known: a limit that is raised later
 * is not looked at. Plenty is left where what is online does not count.
 */
enum mm_addresses {
	MM_ADDRESSES_PLENTY,
	MM_ADDRESSES_SCARCE,		/* more than a quarter is online */
	MM_ADDRESSES_SCARCER,		/* more than half */
};
enum mm_addresses mm_addresses(void);

/* Is the window as small as RLIMIT_AS was when the library came up, and the limit higher now? */
bool mm_limit_has_risen(void);

/*
 * For a program that has come to live under RLIMIT_AS: what of the window is not online is
 * no longer reserved. False if nothing was to be had. Called like mm_grow().
 */
bool mm_give_up_reservation(void);

/* Bytes from the first struct page to this one; huge if it is none of the window's. */
static __always_inline unsigned long mm_map_offset(const struct page *page)
{
	return (unsigned long)page - (unsigned long)mm_window.pages;
}

/* May the struct page with that offset be looked at? */
static __always_inline bool mm_map_is_online(unsigned long map_offset)
{
	return map_offset < atomic_load_operand(&mm_window.online_map_bytes);
}

/* The word of a page's pageblock; the page layer says what is in it. 0 at first. */
static __always_inline uint16_t *mm_pageblock(unsigned long map_offset)
{
	return &mm_window.pageblocks[map_offset / (sizeof(struct page) << MM_PAGEBLOCK_ORDER)];
}

/*
 * The byte of the 512 bytes that addr, which is online, lies in; the slab layer says what is in
 * it. 0 at first. mm_window.marks is where the one of address 0 would be.
 */
static __always_inline uint8_t *mm_mark(const void *addr)
{
	return (uint8_t *)(mm_window.marks + ((unsigned long)addr >> MM_MARK_SHIFT));
}

/*
 * Where it is said which cache's slab a page, which is online, is of; NULL at first, and where it
 * is of none. The slab layer writes it. It is not part of struct page, since free() would have to
 * wait for a line of memory for each page of a large heap; a line of this table is of eight.
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
 * Are pages to have further addresses? Sync: mm_wants_views is written before mm_init();
 * that it came true is known afterwards.
 */
extern bool mm_wants_views;
bool mm_has_views(void);
/* The pages are seen at that address as well, in place of what is mapped there. */
int mm_view(const struct page *page, unsigned long nr_pages, void *addr);
/* The content of free pages goes back to the system: they are zero, and locked no more. */
int mm_discard(const struct page *page, unsigned long nr_pages);

/* May addr's struct page and what else the tables say of it be looked at? */
static inline bool mm_is_online(const void *addr)
{
	/* Monotonic; a stale value only hides pages that nobody has seen yet. */
	return mm_offset(addr) < atomic_load_operand(&mm_window.online_bytes);
}

/* virt_to_page() */
static __always_inline struct page *mm_page(const void *addr)
{
	return mm_window.pages + (mm_offset(addr) >> PAGE_SHIFT);
}

#endif
