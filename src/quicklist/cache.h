/* SPDX-License-Identifier: MIT */
/* One set of quicklists: one for each CPU. See quicklist.c for the theory. */
#ifndef QUICKLIST_CACHE_H
#define QUICKLIST_CACHE_H

#include "base/atomic.h"
#include "base/check.h"
#include "base/options.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "usermm/list.h"
#include "usermm/page.h"
#include "usermm/quicklist.h"

/* Sync: atomic relaxed; statistics, of slow paths alone */
struct quicklist_counts {
	unsigned long misses, returned, trimmed, hits, ctors, dtors;
};

struct quicklist_cache {
	/* Per-CPU pointer that fast paths use. Sync: atomic; constant once it is not NULL */
	struct percpu_list *fast __off_mark;
	void (*ctor)(void *page) __off_mark;
	/*
	 * Sync: atomic relaxed. Constant, but for the numbered lists, whose frees and trims
	 * name it: the last one that was seen by a slow path.
	 */
	void (*dtor)(void *page) __off_mark;
	/* Per-CPU pointer, this cache's for ever. Sync: as fast, and set before it */
	struct percpu_list *lists;

	/* Sync: constant */
	int (*try_ctor)(void *page);
	long (*check)(const void *page);
	const char *name;

	/* Sync: RANK_QUICKLISTS, these four */
	struct list_head link;
	bool leaving;			/* no shrinker begins with it any more */
	unsigned int shrinking;		/* threads that free pages of it for the shrinker */
	unsigned int generation;	/* of the process that counted them */

	bool has_ctor;			/* the state is not zero. Sync: atomic relaxed */
	struct quicklist_counts counts;
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

/* --- All of them (caches.c) ---------------------------------------------------- */

/* False without memory, for ever. */
bool quicklist_bring_up_numbered(void);

/* Calls visit for every cache there is, under RANK_QUICKLISTS; the sum of what it returns. */
unsigned long quicklist_for_each(unsigned long (*visit)(struct quicklist_cache *cache));
/* Under RANK_QUICKLISTS one thread at a time takes pages off other CPUs' lists. */
bool quicklist_lock(void);
void quicklist_unlock(void);
/*
 * The cache behind `at` (NULL: the first), which stays until it is asked for the next; NULL
 * behind the last. Nobody stops half way.
 */
struct quicklist_cache *quicklist_next_to_shrink(struct quicklist_cache *at);

/* Pages on the list of one slot, or of all. */
unsigned long quicklist_slot_pages(const struct quicklist_cache *cache, unsigned int slot);
unsigned long quicklist_pages(struct quicklist_cache *cache);

/* What stats shows of one; caches number first and on, in the order of their making: how many. */
struct quicklist_line {
	char name[24];
	struct quicklist_stats stats;
};
unsigned int quicklist_lines(struct quicklist_line *lines, unsigned int first, unsigned int max);

/* --- Pages (quicklist.c) --------------------------------------------------------- */

/*
 * What is rare leaves fast paths without a list, so that every call comes by the slow ones:
 * quicklist_debug, and several nodes, where each page is asked for its own.
 */
static inline bool quicklist_debugging(void)
{
	return options.quicklist_debug != QUICKLIST_DEBUG_OFF;
}

/*
 * Without sequences a pop may look into a page that has left the list already (cas_list.h).
 * It is never unmapped then: see bring_up() in caches.c. With debug_pagealloc=1 it cannot be
 * touched once it is free, so no page is kept.
 */
static inline bool quicklist_keeps_pages(void)
{
	return percpu_has_sequences() || !options.debug_pagealloc;
}

static inline bool quicklist_may_be_fast(void)
{
	/* Before nodes are known no list has a page. */
	return !quicklist_debugging() && atomic_load_relaxed(&nr_online_nodes) == 1 &&
	       quicklist_keeps_pages();
}

/* To the page allocator: whole, behind dtor. */
void quicklist_return(struct quicklist_cache *cache, void (*dtor)(void *page), void *page);

static inline void quicklist_count(unsigned long *count)
{
	atomic_add_relaxed(count, 1);
}

/* --- Trimming (trim.c, shrink.c) --------------------------------------------------- */

/* A page that is off its list goes back because it was too many. */
void quicklist_trim_page(struct quicklist_cache *cache, void (*dtor)(void *page), void *page);
/* False without memory. */
bool quicklist_register_shrinker(void);

/* --- Verifying (debug.c); all of them do nothing without quicklist_debug=verify ----- */

/* The page is freed: is it one, and in its state? */
void quicklist_verify_free(const struct quicklist_cache *cache, const void *page);
/* It is on the list now, and is off it again. */
void quicklist_mark(const void *page);
void quicklist_unmark(const void *page);
/* Off the list, for its next user: was it written to meanwhile? */
void quicklist_verify_hit(const struct quicklist_cache *cache, const void *page);
/* ctor is through: is the page in the state that a free will want? */
void quicklist_verify_ctor(const struct quicklist_cache *cache, const void *page);

#endif
