/* SPDX-License-Identifier: MIT */
/* One set of quicklists: one for each CPU. See quicklist.c for the theory. */
#ifndef QUICKLIST_CACHE_H
#define QUICKLIST_CACHE_H

#include "base/atomic.h"
#include "base/check.h"
#include "base/options.h"
#include "percpu/percpu.h"
#include "usermm/list.h"
#include "usermm/page.h"
#include "usermm/quicklist.h"

struct quicklist_cache {
	/* Per-CPU pointer that fast paths use. Sync: atomic; constant once it is not NULL */
	struct percpu_list *fast __off_mark;
	void (*ctor)(void *page) __off_mark;
	void (*dtor)(void *page) __off_mark;
	/* Per-CPU pointer. Sync: as fast, and set before it */
	struct percpu_list *lists;
	const char *name;
	struct list_head link;			/* Sync: RANK_QUICKLISTS */

	/* Sync: atomic relaxed; statistics */
	unsigned long misses, returned, trimmed, hits;
	bool has_ctor;				/* the state is not zero */
} __aligned(CACHE_LINE_BYTES);

/* The numbered lists, which have no ctor and dtor of their own. */
extern struct quicklist_cache quicklist_numbers[CONFIG_NR_QUICK]
	__attribute__((__visibility__("hidden")));
/* Their fields `fast` once more, close together. Sync: as these */
extern struct percpu_list *quicklist_numbers_fast[CONFIG_NR_QUICK]
	__attribute__((__visibility__("hidden")));

enum quicklist_debug { QUICKLIST_DEBUG_OFF, QUICKLIST_DEBUG_STATS, QUICKLIST_DEBUG_VERIFY };

/* Until it is brought up each list is NULL, whose first bytes are always zero: empty. */
_Static_assert(sizeof(struct percpu_list) <= PERCPU_ZERO_BYTES,
	       "the list of the NULL per-CPU pointer must be empty");

static __always_inline void quicklist_check_number(int nr)
{
	CHECK((unsigned int)nr < CONFIG_NR_QUICK, "quicklist %d: lists are numbered 0 to %d", nr,
	      CONFIG_NR_QUICK - 1);
}

/* False without memory, for ever. */
bool quicklist_bring_up_numbered(void);

/* Calls visit for every cache there is, under RANK_QUICKLISTS; the sum of what it returns. */
unsigned long quicklist_for_each(unsigned long (*visit)(struct quicklist_cache *cache));
/* Under RANK_QUICKLISTS one thread at a time takes pages off other CPUs' lists. */
bool quicklist_lock(void);
void quicklist_unlock(void);

/* Pages on the list of one slot, or of all. */
unsigned long quicklist_slot_pages(const struct quicklist_cache *cache, unsigned int slot);
unsigned long quicklist_pages(struct quicklist_cache *cache);

/* To the page allocator: whole, behind dtor. */
void quicklist_return(struct quicklist_cache *cache, void (*dtor)(void *page), void *page);

/*
 * Without sequences a pop may look into a page that has left the list already (cas_list.h).
 * It is never unmapped then: see publish(). With debug_pagealloc=1 it cannot be touched once
 * it is free, so no page is kept.
 */
static inline bool quicklist_keeps_pages(void)
{
	return percpu_has_sequences() || !options.debug_pagealloc;
}

/* False: the list is full, or takes none. */
static inline bool quicklist_push(struct quicklist_cache *cache, void *page)
{
	return quicklist_keeps_pages() && percpu_list_push(cache->lists, page);
}

/* With quicklist_debug everything goes through these. */
static inline bool quicklist_debugging(const struct quicklist_cache *cache)
{
	return options.quicklist_debug != QUICKLIST_DEBUG_OFF &&
	       atomic_load_relaxed(&cache->lists);
}

void *quicklist_debug_alloc(struct quicklist_cache *cache);
/* False: the list is full. */
bool quicklist_debug_free(struct quicklist_cache *cache, void *page);
/* The page leaves its list for the page allocator. */
void quicklist_debug_forget(void *page);

#endif
