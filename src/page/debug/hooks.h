/* SPDX-License-Identifier: MIT */
/*
 * Hooks for every block that is allocated or freed: injected faults, poison, clearing, owners. No
 * fast path tests for them. While any hook is active, the tables in which fast paths find their
 * lists are empty, so every request takes the slow path, which calls the hooks.
 */
#ifndef PAGE_DEBUG_HOOKS_H
#define PAGE_DEBUG_HOOKS_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "usermm/page.h"

#define HOOK_FAULTS	0x01u
#define HOOK_POISON	0x02u
#define HOOK_INIT_ALLOC	0x04u
#define HOOK_INIT_FREE	0x08u
#define HOOK_OWNER	0x10u
#define HOOK_PAGEALLOC	0x20u
/* Hooks that check every page when it is freed. */
#define HOOKS_CHECKING	(HOOK_POISON | HOOK_PAGEALLOC)

/* Bits of page->debugged, for free pages. */
#define DEBUGGED_POISONED	0x01u
#define DEBUGGED_HIDDEN		0x02u

extern unsigned int page_hooks_active;	/* Sync: atomic relaxed */

static inline unsigned int page_hooks(void)
{
	return atomic_load_relaxed(&page_hooks_active);
}

/* Activates hooks by the options, when the layer comes up. */
void page_hooks_init(void);
/* Activates these hooks in addition to those that are active. */
void page_hooks_add(unsigned int hooks);

bool page_hooks_may_alloc_slow(gfp_t gfp, unsigned int order);
/* May the request go on? If not, it has to fail. */
static inline bool page_hooks_may_alloc(gfp_t gfp, unsigned int order)
{
	return likely(!page_hooks()) || page_hooks_may_alloc_slow(gfp, order);
}
/*
 * Calls the hooks for a block that is about to be handed out; `zeroed` says whether its memory is
 * known to be zero.
 */
void page_hooks_alloc(struct page *page, gfp_t gfp, unsigned int order, bool zeroed);
/* Calls the hooks for pages that are about to be free. False: they were reported and are lost. */
bool page_hooks_free(struct page *page, unsigned long nr_pages);

/* fail_page_alloc.c: reads the option; true if requests may fail. */
bool fail_page_alloc_init(void);

/* debug_pagealloc.c: reads the option; true if pages may be hidden. */
bool pagealloc_debug_init(void);
void pagealloc_debug_hide(struct page *page, unsigned long nr_pages);
void pagealloc_debug_show(struct page *page, unsigned long nr_pages);

/* page_owner.c */
int page_owner_init(void);
/*
 * Maps records for sections that come online, before anybody has a page of them. Sync:
 * page_grow_lock
 */
void page_owner_grow(const struct page *page, unsigned long nr_pages);
void page_owner_set(struct page *page, gfp_t gfp, unsigned int order);
void page_owner_clear(struct page *page, unsigned long nr_pages);
void page_owner_split(struct page *page, unsigned int order);
/* Prints all that is known of one page, as lines of a report; nothing without page_owner=1. */
void page_owner_dump(const struct page *page);
/* Prints a record for every allocated block: who has which pages. */
struct fmt_writer;
void page_owner_print(struct fmt_writer *out);

#endif
