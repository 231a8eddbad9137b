/* SPDX-License-Identifier: MIT */
/* A cache: a set of quicklists, one for each CPU. See quicklist.c for the theory. */
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

/* Statistics; fast paths count nothing. Sync: atomic relaxed */
struct quicklist_counts {
	unsigned long misses, returned, trimmed, hits, ctors, dtors;
};

struct quicklist_cache {
	/* The fast paths' per-CPU pointer. Sync: atomic; constant once it is not NULL */
	struct percpu_list *fast __off_mark;
	void (*ctor)(void *page) __off_mark;
	/*
	 * Constant in caches that are made by name. In a numbered list it is the dtor of the last
	 * call that took the slow path, because frees and trims of such lists pass their dtor.
	 * Sync: atomic relaxed
	 */
	void (*dtor)(void *page) __off_mark;
	/* The per-CPU pointer to the cache's lists, set before `fast`. Sync: as `fast` */
	struct percpu_list *lists;

	/* Sync: constant */
	int (*try_ctor)(void *page);
	long (*check)(const void *page);
	const char *name;

	/* Sync for these four: RANK_QUICKLISTS */
	struct list_head link;
	bool leaving;			/* being destroyed: shrinkers skip it */
	unsigned int shrinking;		/* threads that free its pages for the shrinker */
	unsigned int generation;	/* os_fork_generation when they were counted */

	bool has_ctor;			/* pages are not just zero. Sync: atomic relaxed */
	struct quicklist_counts counts;
} __aligned(CACHE_LINE_BYTES);

/* All caches, through link. Sync: RANK_QUICKLISTS */
extern struct list_head quicklist_caches __attribute__((__visibility__("hidden")));

/* The numbered lists. Their ctor and dtor come with each call. */
extern struct quicklist_cache quicklist_numbers[CONFIG_NR_QUICK]
	__attribute__((__visibility__("hidden")));
/*
 * The numbered lists' `fast` pointers, kept side by side instead of in their caches. Sync: as
 * `fast`
 */
extern struct percpu_list *quicklist_numbers_fast[CONFIG_NR_QUICK]
	__attribute__((__visibility__("hidden")));

enum quicklist_debug { QUICKLIST_DEBUG_OFF, QUICKLIST_DEBUG_STATS, QUICKLIST_DEBUG_VERIFY };

/*
 * Until a list is brought up its pointer is the NULL per-CPU pointer. The bytes there are zero, so
 * the list is empty.
 */
_Static_assert(sizeof(struct percpu_list) <= PERCPU_ZERO_BYTES,
	       "the list of the NULL per-CPU pointer must be empty");

static __always_inline void quicklist_check_number(int nr)
{
	CHECK((unsigned int)nr < CONFIG_NR_QUICK, "quicklist %d: lists are numbered 0 to %d", nr,
	      CONFIG_NR_QUICK - 1);
}

/* --- All caches (caches.c) ----------------------------------------------------- */

/* False if there is no memory; then it is false in all later calls, too. */
bool quicklist_bring_up_numbered(void);

/* Calls visit for every cache, under RANK_QUICKLISTS; returns the sum of its results. */
unsigned long quicklist_for_each(unsigned long (*visit)(struct quicklist_cache *cache));
/*
 * Takes RANK_QUICKLISTS, whose holder may take pages off other CPUs' lists. False if the lock
 * cannot be taken now.
 */
bool quicklist_lock(void);
void quicklist_unlock(void);
/*
 * The cache behind `at` (NULL: the first); NULL behind the last. The result cannot be destroyed
 * until it is passed back as `at`. So callers must go on to the end.
 */
struct quicklist_cache *quicklist_next_to_shrink(struct quicklist_cache *at);

/* How many pages are on one slot's list, or on all lists of the cache. */
unsigned long quicklist_slot_pages(const struct quicklist_cache *cache, unsigned int slot);
unsigned long quicklist_pages(struct quicklist_cache *cache);

/*
 * The statistics of up to `max` caches from number `first` on, in the order in which they were
 * made. Returns how many there were.
 */
struct quicklist_line {
	char name[24];
	struct quicklist_stats stats;
};
unsigned int quicklist_lines(struct quicklist_line *lines, unsigned int first, unsigned int max);

/* --- Pages (quicklist.c) --------------------------------------------------------- */

static inline bool quicklist_debugging(void)
{
	return options.quicklist_debug != QUICKLIST_DEBUG_OFF;
}

/*
 * May lists hold pages? Without sequences a pop may read a page that has left the list already
 * (cas_list.h). bring_up() in caches.c keeps such pages mapped. But debug_pagealloc=1 makes free
 * pages inaccessible, so then lists hold none.
 */
static inline bool quicklist_keeps_pages(void)
{
	return percpu_has_sequences() || !options.debug_pagealloc;
}

/*
 * May the fast paths have a list? If not, every call takes the slow path. With several nodes the
 * slow path looks up each page's node.
 */
static inline bool quicklist_may_be_fast(void)
{
	/* nr_online_nodes is 0 before the page layer is up; no list has a page then. */
	return !quicklist_debugging() && atomic_load_relaxed(&nr_online_nodes) == 1 &&
	       quicklist_keeps_pages();
}

/* Calls dtor and gives the page back to the page allocator. */
void quicklist_return(struct quicklist_cache *cache, void (*dtor)(void *page), void *page);

static inline void quicklist_count(unsigned long *count)
{
	atomic_add_relaxed(count, 1);
}

/* --- Trimming (trim.c, shrink.c) --------------------------------------------------- */

/* Gives back a page that trimming or shrinking has taken off its list. */
void quicklist_trim_page(struct quicklist_cache *cache, void (*dtor)(void *page), void *page);
/* False if there is no memory. */
bool quicklist_register_shrinker(void);

/* --- Verifying (debug.c); all of them do nothing without quicklist_debug=verify ----- */

/* At a free: is this a single page in use, in the state that ctor makes (zero without a ctor)? */
void quicklist_verify_free(const struct quicklist_cache *cache, const void *page);
/* Sets or clears the page's flag PG_quicklist: it is on a list. */
void quicklist_mark(const void *page);
void quicklist_unmark(const void *page);
/* After a pop: was the page written to while it was on the list? */
void quicklist_verify_hit(const struct quicklist_cache *cache, const void *page);
/* After ctor: is the page in the state that a page on a list must have? */
void quicklist_verify_ctor(const struct quicklist_cache *cache, const void *page);

#endif
