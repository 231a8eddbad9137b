/* SPDX-License-Identifier: MIT */
/*
 * Pages for signal handlers that interrupted a holder of a lock. Such a handler gets mappings
 * instead of objects (docs/environment.md). A new mapping takes a system call and a page fault. If
 * signals arrive fast, each might then interrupt before the handler of the last one returns: the
 * interrupted thread would never continue, and never release its lock. So when such a handler frees
 * a mapping of one page, the page is kept here for the next such handler, up to HANDLER_PAGES_MAX
 * pages. Nobody waits: one atomic operation takes a page or puts one.
 */
#ifndef MALLOC_MAPPED_HANDLER_PAGES_H
#define MALLOC_MAPPED_HANDLER_PAGES_H

#include "base/compiler.h"

/* More small blocks than most handlers have at a time. */
#define HANDLER_PAGES_MAX 32
extern void *handler_pages[HANDLER_PAGES_MAX];	/* Sync: atomic exchange, compare-and-swap */

/* A zeroed page. NULL if none is kept, or if the caller did not interrupt a holder of a lock. */
void *handler_page_take(void);
/* Keeps a freed page. False if enough are kept, or if the caller did not interrupt a holder. */
bool handler_page_keep(void *page);
/* Takes a kept page as it is, for a caller who unmaps it; NULL if there is none. */
void *handler_page_withdraw(void);
/* The bytes of all kept pages. */
size_t handler_pages_bytes(void);

#endif
