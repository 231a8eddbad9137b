/* SPDX-License-Identifier: MIT */
/*
 * What is done with every block that is allocated or freed when somebody wants to see
 * it: faults on purpose, poison, clearing, owners. None of it is on a fast path: while
 * there are hooks the tables in which fast paths find their lists are empty.
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
/* Every page is looked at when it is freed. */
#define HOOKS_CHECKING	(HOOK_POISON | HOOK_PAGEALLOC)

/* Bits of page->debugged, of free pages. */
#define DEBUGGED_POISONED	0x01u
#define DEBUGGED_HIDDEN		0x02u

extern unsigned int page_hooks_active;	/* Sync: atomic relaxed */

static inline unsigned int page_hooks(void)
{
	return atomic_load_relaxed(&page_hooks_active);
}

/* From the options, when the layer comes up. */
void page_hooks_init(void);
/* From now on, besides those that there are. */
void page_hooks_add(unsigned int hooks);

bool page_hooks_may_alloc_slow(gfp_t gfp, unsigned int order);
/* May a request go on? Otherwise it fails. */
static inline bool page_hooks_may_alloc(gfp_t gfp, unsigned int order)
{
	return likely(!page_hooks()) || page_hooks_may_alloc_slow(gfp, order);
}
/* A block that is about to be handed out; `zeroed` says whether it is known to be zero. */
void page_hooks_alloc(struct page *page, gfp_t gfp, unsigned int order, bool zeroed);
/* Pages that are about to be free; false: they were reported, and are lost. */
bool page_hooks_free(struct page *page, unsigned long nr_pages);

/* fail_page_alloc.c: reads the option; true if requests may fail. */
bool fail_page_alloc_init(void);

/* debug_pagealloc.c: reads the option; true if pages may be hidden. */
bool pagealloc_debug_init(void);
void pagealloc_debug_hide(struct page *page, unsigned long nr_pages);
void pagealloc_debug_show(struct page *page, unsigned long nr_pages);

/* page_owner.c */
int page_owner_init(void);
/* Sections that come online, before anybody has a page of them. Sync: page_grow_lock */
void page_owner_grow(const struct page *page, unsigned long nr_pages);
void page_owner_set(struct page *page, gfp_t gfp, unsigned int order);
void page_owner_clear(struct page *page, unsigned long nr_pages);
void page_owner_split(struct page *page, unsigned int order);
/* All that is known of one page, as lines of a report; nothing without page_owner=1. */
void page_owner_dump(const struct page *page);
/* Who has which pages: a record for every block that is allocated. */
struct fmt_writer;
void page_owner_print(struct fmt_writer *out);

#endif
