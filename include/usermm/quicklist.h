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
 * instead, after dtor, if the list holds 65535 pages or cannot be reached.
 */
void quicklist_free(int nr, void (*dtor)(void *page), void *page)
	USERMM_API(quicklist_free);
void quicklist_free_page(int nr, void (*dtor)(void *page), struct page *page)
	USERMM_API(quicklist_free_page);

/*
 * If this CPU's list nr holds more than min_pages: frees what is above
 * max(free pages / 16, min_pages), at most max_free pages, dtor for each.
 */
void quicklist_trim(int nr, void (*dtor)(void *page), unsigned long min_pages,
		    unsigned long max_free) USERMM_API(quicklist_trim);

/* Pages on all lists of all CPUs; approximate while others use them. */
unsigned long quicklist_total_size(void) USERMM_API(quicklist_total_size);

USERMM_END_DECLS

#endif
