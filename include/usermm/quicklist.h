/* SPDX-License-Identifier: MIT */
/*
 * Quicklists: per-CPU stacks of pages in a known state (docs/glossary.md: seed 3).
 *
 * Page tables, zeroed buffers and the like are freed in exactly the state that the next user needs.
 * A quicklist keeps a page in this state, so neither allocation nor free clears or builds the page.
 * A hit touches only the per-CPU word and the page's first cache line, never struct page.
 *
 * The state is all zero bytes, or what ctor makes. Every page given to quicklist_free() must be in
 * this state. The page's first word must be 0 in it, since the list uses this word as its link and
 * clears it when the page is handed out. ctor runs once when a page comes from the page allocator,
 * dtor once when the page goes back. Neither runs on a hit.
 *
 * When memory runs short, requests that may wait take pages off all lists before they fail
 * (shrinker.h). So dtor may run in any thread that allocates, and ctor runs in the thread that
 * asked for a page. Neither may wait for a lock whose holder allocates memory.
 *
 * With several memory nodes a list holds pages of its CPU's node. A freed page of another node goes
 * to dtor and then back to the page allocator.
 *
 * Misuse. Two mistakes are always reported in one line and end the process: an address that is no
 * page of the library, and a list number out of range. These mistakes are not noticed: a page freed
 * in another state, which the next user then gets; a page freed twice, which two users then get; a
 * page that is only part of a block, or belongs to somebody else. The option quicklist_debug=verify
 * notices them all, reports each in one line, and ends the process. It checks every byte of a page
 * when the page is freed and again when it is handed out, provided that the state is zero or has a
 * check, and names the first wrong byte.
 *
 * Context: any thread, and signal handlers as in page.h. quicklist_alloc() may wait if flags
 * contain __GFP_DIRECT_RECLAIM. Semantics: seed 3, Linux 2.6.22 mm/quicklist.c.
 */
#ifndef USERMM_QUICKLIST_H
#define USERMM_QUICKLIST_H

#include "compiler.h"
#include "gfp.h"
#include "page.h"

/* Lists are numbered 0 .. CONFIG_NR_QUICK - 1. */
#ifndef CONFIG_NR_QUICK
#define CONFIG_NR_QUICK 4
#endif

USERMM_BEGIN_DECLS

/*
 * A page from this CPU's list nr. If the list is empty, a zeroed page from the page allocator,
 * after ctor (if not NULL). NULL without memory.
 */
void *quicklist_alloc(int nr, gfp_t flags, void (*ctor)(void *page))
	USERMM_API(quicklist_alloc) USERMM_MUST_CHECK;

/*
 * Puts the page on this CPU's list nr. The page goes to dtor (if not NULL) and back to the page
 * allocator instead if it is of another node, if the list holds 65535 pages, or if the list cannot
 * be used now (another thread is emptying it, for example). Always use the same dtor, or none, for
 * a list: the shrinker uses the last one given.
 */
void quicklist_free(int nr, void (*dtor)(void *page), void *page)
	USERMM_API(quicklist_free);
void quicklist_free_page(int nr, void (*dtor)(void *page), struct page *page)
	USERMM_API(quicklist_free_page);

/*
 * If this CPU's list nr holds more than min_pages, frees the pages beyond max(F / 16, min_pages),
 * at most max_free of them, after dtor for each. F is the number of free pages of the CPU's node
 * that GFP_KERNEL may use.
 */
void quicklist_trim(int nr, void (*dtor)(void *page), unsigned long min_pages,
		    unsigned long max_free) USERMM_API(quicklist_trim);

/*
 * Pages on all CPUs' lists, numbered lists and quicklist caches together. Approximate while other
 * threads use them.
 */
unsigned long quicklist_total_size(void) USERMM_API(quicklist_total_size);

/*
 * A quicklist cache: lists for all CPUs behind a handle instead of a number. There may be any
 * number of them. ctor and dtor are given once, at creation.
 */
struct quicklist_cache;

/*
 * Creates a cache. dtor may be NULL. ctor may be NULL: then the state is zero. Reports show the
 * name; it is not copied, so the caller keeps it alive. May sleep. NULL without memory.
 */
struct quicklist_cache *quicklist_cache_create(const char *name, void (*ctor)(void *page),
					       void (*dtor)(void *page))
	USERMM_API(quicklist_cache_create) USERMM_MUST_CHECK;
/*
 * Describes a state whose ctor can fail, or that quicklist_debug=verify can check. Each function
 * may be NULL; without ctor and check the state is zero.
 */
struct quicklist_state {
	/*
	 * Builds the state in a zeroed page. If the result is not 0, the allocation returns NULL,
	 * the page goes back without dtor, and one line reports the failure.
	 */
	int (*ctor)(void *page);
	void (*dtor)(void *page);
	/*
	 * Returns the offset of the first byte that is not in the state, or -1. It does not look at
	 * the page's first word, which is the list's link.
	 */
	long (*check)(const void *page);
};

/* quicklist_cache_create() with a state, which is copied. */
struct quicklist_cache *quicklist_cache_create_state(const char *name,
						     const struct quicklist_state *state)
	USERMM_API(quicklist_cache_create_state) USERMM_MUST_CHECK;
/*
 * Destroys a cache; its free pages go back to the page allocator. No thread may be using it. Pages
 * that were allocated from it stay valid; free them by free_page(). May sleep until no shrinker
 * works on the cache. NULL is allowed.
 */
void quicklist_cache_destroy(struct quicklist_cache *cache) USERMM_API(quicklist_cache_destroy);

/* quicklist_alloc() and quicklist_free() for a quicklist cache. */
void *quicklist_cache_alloc(struct quicklist_cache *cache, gfp_t flags)
	USERMM_API(quicklist_cache_alloc) USERMM_MUST_CHECK;
void quicklist_cache_free(struct quicklist_cache *cache, void *page)
	USERMM_API(quicklist_cache_free);

/*
 * Puts nr pages into pages[] and returns how many there are: fewer than nr only without memory, or
 * if ctor fails.
 */
unsigned int quicklist_cache_alloc_bulk(struct quicklist_cache *cache, gfp_t flags,
					unsigned int nr, void **pages)
	USERMM_API(quicklist_cache_alloc_bulk) USERMM_MUST_CHECK;
void quicklist_cache_free_bulk(struct quicklist_cache *cache, unsigned int nr,
			       void *const *pages) USERMM_API(quicklist_cache_free_bulk);

/* quicklist_trim() of this CPU's list. Returns how many pages went back. */
unsigned long quicklist_cache_trim(struct quicklist_cache *cache, unsigned long min_pages,
				   unsigned long max_free) USERMM_API(quicklist_cache_trim);
/*
 * Empties the lists of all CPUs, for memory pressure; only this CPU's list if the kernel lacks
 * membarrier(2). Returns how many pages went back.
 */
unsigned long quicklist_cache_shrink(struct quicklist_cache *cache)
	USERMM_API(quicklist_cache_shrink);

/* Counts since the start, for all CPUs together. */
struct quicklist_stats {
	unsigned long pages;	/* on the lists now; approximate while others use them */
	unsigned long misses;	/* pages that came from the page allocator */
	unsigned long returned;	/* pages that went back, trimmed or not */
	unsigned long trimmed;	/* the part of them due to trim, shrink, memory pressure */
	unsigned long hits;	/* pages handed out from a list; only with quicklist_debug= */
	unsigned long ctors;	/* calls of ctor: one for each miss */
	unsigned long dtors;	/* calls of dtor: one for each page that went back */
};

void quicklist_cache_stats(const struct quicklist_cache *cache, struct quicklist_stats *stats)
	USERMM_API(quicklist_cache_stats);
/* The counts of numbered list nr. */
void quicklist_stats(int nr, struct quicklist_stats *stats) USERMM_API(quicklist_stats);

USERMM_END_DECLS

#endif
