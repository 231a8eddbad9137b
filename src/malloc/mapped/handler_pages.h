/* SPDX-License-Identifier: MIT */
/*
 * Pages for signal handlers above a holder of a lock. Such a handler gets mappings instead of
 * objects (docs/environment.md), and each would cost it a system call and a page fault. If signals
 * come one after the other, the next one may arrive before the handler is through; then the holder
 * would never run on, and its lock would stay taken. So a mapping of one page that such a handler
 * frees is kept here, up to HANDLER_PAGES_MAX of them, for the next such handler. Nobody waits: one
 * atomic operation takes a page or puts one.
 */
#ifndef MALLOC_MAPPED_HANDLER_PAGES_H
#define MALLOC_MAPPED_HANDLER_PAGES_H

#include "base/compiler.h"

/* A zeroed page; NULL if there is none, or if the caller is not above a holder. */
void *handler_page_take(void);
/* Keeps a freed page. False if there are enough, or if the caller is not above a holder. */
bool handler_page_keep(void *page);
/* Takes a kept page as it is, for a caller who unmaps it; NULL if there is none. */
void *handler_page_withdraw(void);
/* The bytes of all kept pages. */
size_t handler_pages_bytes(void);

#endif
