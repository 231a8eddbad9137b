/* SPDX-License-Identifier: MIT */
/*
 * Pages for signal handlers. Above the holder of a lock a handler may have to do with mappings
 * (docs/environment.md). That takes the kernel and a page fault each time, and where signals come
 * again and again the next one may be there before the handler is through: then the holder, and
 * so its lock, would never get on. So what a handler frees there stays a mapping, up to a few of
 * a page each, for the next request of the kind. Nobody waits: a place is taken, and filled, by
 * one atomic operation.
 */
#ifndef MALLOC_MAPPED_HANDLER_PAGES_H
#define MALLOC_MAPPED_HANDLER_PAGES_H

#include "base/compiler.h"

/* A page that is zero; NULL if there is none, or the caller is not above a holder. */
void *handler_page_take(void);
/* False if it is not kept: there are enough, or the caller is not above a holder. */
bool handler_page_keep(void *page);
/* One that is kept, as it is, for whoever unmaps it; or NULL. */
void *handler_page_withdraw(void);
/* Of those that are kept. */
size_t handler_pages_bytes(void);

#endif
