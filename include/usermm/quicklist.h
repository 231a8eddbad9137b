/* SPDX-License-Identifier: MIT */
/*
 * Quicklists: per-CPU stacks of pages in a known state (seed 3).
 *
 * Page tables, zeroed buffers and the like are freed in the very state that the
 * next user needs. A page passes through a quicklist in that state, so neither
 * allocation nor free clears or builds it, and a hit touches the per-CPU word
 * and the page's first line only, never struct page.
 *
 * The state is all zero bytes, or what ctor establishes. Every page given to
 * quicklist_free() must be in it; the first word must be 0 in that state, since
 * the list links through it and clears it on the way out. ctor runs once for a
 * page when it comes from the page allocator, dtor once when it goes back;
 * neither runs on a hit.
 *
 * When memory runs short, requests that may wait have pages taken off all lists before they
 * fail (shrinker.h). So dtor runs in any thread that allocates, and ctor, which runs in the
 * thread that asked: they must not wait for what a holder of a lock allocates.
 *
 * With several memory nodes a list holds pages of its CPU's node; a page of another one
 * goes back to the page allocator instead, behind dtor.
 *
 * Misuse. Always one line, and the process ends: an address that is no page of the
 * library's, a list's number out of range. Not noticed: a page that is freed in another state,
 * which is handed to the next user as it is; a page that is freed twice, which two users then
 * have; one that is not the whole of its block, or is somebody else's. The option
 * quicklist_debug=verify notices all of these, each in one line, and the process ends: it looks
 * at every byte of a page that is freed, and again when it is handed out, where the state is
 * zero or has a check, and names the first byte that is wrong.
 *
 * Any thread, and signal handlers as in page.h. quicklist_alloc() may wait if flags contain
 * __GFP_DIRECT_RECLAIM. Semantics: seed 3, Linux 2.6.22 mm/quicklist.c.
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

/* A page from this CPU's list nr, else a fresh one; NULL without memory. */
void *quicklist_alloc(int nr, gfp_t flags, void (*ctor)(void *page))
	USERMM_API(quicklist_alloc) USERMM_MUST_CHECK;

/*
 * The page goes on this CPU's list nr. It goes back to the page allocator
 * instead, after dtor, if it is of another node, or the list holds 65535 pages or cannot be
 * reached. A list has one dtor, or none: the shrinker uses the one that it saw last.
 */
void quicklist_free(int nr, void (*dtor)(void *page), void *page)
	USERMM_API(quicklist_free);
void quicklist_free_page(int nr, void (*dtor)(void *page), struct page *page)
	USERMM_API(quicklist_free_page);

/*
 * If this CPU's list nr holds more than min_pages: frees what is above
 * max(free pages / 16, min_pages), at most max_free pages, dtor for each. Free pages are those
 * of the CPU's node that GFP_KERNEL may have.
 */
void quicklist_trim(int nr, void (*dtor)(void *page), unsigned long min_pages,
		    unsigned long max_free) USERMM_API(quicklist_trim);

/* Pages on all lists of all CPUs, those below included; approximate while others use them. */
unsigned long quicklist_total_size(void) USERMM_API(quicklist_total_size);

/*
 * Lists of one's own, as many as one likes: the same by a handle instead of a number,
 * and with the constructor and destructor of the state named once.
 */
struct quicklist_cache;

/*
 * dtor may be NULL, and so may ctor: then the state is zero. The name stays the
 * caller's and is shown in reports. May sleep. NULL without memory.
 */
struct quicklist_cache *quicklist_cache_create(const char *name, void (*ctor)(void *page),
					       void (*dtor)(void *page))
	USERMM_API(quicklist_cache_create) USERMM_MUST_CHECK;
/*
 * A state whose construction can fail, or that quicklist_debug=verify is to know. Each function
 * may be NULL: without ctor and check the state is zero.
 */
struct quicklist_state {
	/*
	 * Builds the state in a zeroed page. If it is not 0 there is no page: the
	 * allocation returns NULL, the page goes back without dtor, and a line tells it.
	 */
	int (*ctor)(void *page);
	void (*dtor)(void *page);
	/* Where the first byte lies that is not in the state, behind the first word; or -1. */
	long (*check)(const void *page);
};

/* The same with a state, which is copied. */
struct quicklist_cache *quicklist_cache_create_state(const char *name,
						     const struct quicklist_state *state)
	USERMM_API(quicklist_cache_create_state) USERMM_MUST_CHECK;
/*
 * Its pages go back to the page allocator. May sleep, until no shrinker is in it. Nobody
 * uses it any more; pages that are still out are their users' and end with free_page(). NULL
 * is allowed.
 */
void quicklist_cache_destroy(struct quicklist_cache *cache) USERMM_API(quicklist_cache_destroy);

/* As quicklist_alloc() and quicklist_free(). */
void *quicklist_cache_alloc(struct quicklist_cache *cache, gfp_t flags)
	USERMM_API(quicklist_cache_alloc) USERMM_MUST_CHECK;
void quicklist_cache_free(struct quicklist_cache *cache, void *page)
	USERMM_API(quicklist_cache_free);

/* Up to nr pages into pages[]; how many: fewer only without memory, or where ctor fails. */
unsigned int quicklist_cache_alloc_bulk(struct quicklist_cache *cache, gfp_t flags,
					unsigned int nr, void **pages)
	USERMM_API(quicklist_cache_alloc_bulk) USERMM_MUST_CHECK;
void quicklist_cache_free_bulk(struct quicklist_cache *cache, unsigned int nr,
			       void *const *pages) USERMM_API(quicklist_cache_free_bulk);

/* As quicklist_trim(): this CPU's list. How many pages went back. */
unsigned long quicklist_cache_trim(struct quicklist_cache *cache, unsigned long min_pages,
				   unsigned long max_free) USERMM_API(quicklist_cache_trim);
/*
 * The lists of all CPUs, whole: for memory pressure. Where the kernel lacks membarrier(2)
 * only this CPU's. How many pages went back.
 */
unsigned long quicklist_cache_shrink(struct quicklist_cache *cache)
	USERMM_API(quicklist_cache_shrink);

/* What a list has done, all CPUs together. */
struct quicklist_stats {
	unsigned long pages;	/* on the lists now; approximate while others use them */
	unsigned long misses;	/* pages that came from the page allocator */
	unsigned long returned;	/* pages that went back, trimmed or not */
	unsigned long trimmed;	/* of these, by trim, shrink and memory pressure */
	unsigned long hits;	/* pages handed out from a list; only with quicklist_debug= */
	unsigned long ctors;	/* calls: one for each miss, where there is a ctor */
	unsigned long dtors;	/* calls: one for each page that went back, where there is one */
};

void quicklist_cache_stats(const struct quicklist_cache *cache, struct quicklist_stats *stats)
	USERMM_API(quicklist_cache_stats);
/* Of the numbered list. */
void quicklist_stats(int nr, struct quicklist_stats *stats) USERMM_API(quicklist_stats);

USERMM_END_DECLS

#endif
