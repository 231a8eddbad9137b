/* SPDX-License-Identifier: MIT */
/*
 * Pages at further addresses, for vmap() and its kin. Only a program that calls one of them
 * pays for it: then the window is shared memory (mm/memmap.h).
 */
#ifndef KERNEL_VIEWS_H
#define KERNEL_VIEWS_H

#include <stdbool.h>

struct page;

/* Before there are any pages. */
void views_want(void);
/* In a program that is linked with the archive and calls one of them: on_demand/views_wanted.c */
extern const char usermm_views_wanted __attribute__((weak));
bool views_are_possible(void);
/*
 * The pages side by side, at an address that is a multiple of align, and a page behind them
 * that cannot be touched; NULL if there is no place for them.
 */
void *views_map(struct page *const *pages, unsigned long nr_pages, unsigned long align);
void views_unmap(void *view, unsigned long nr_pages);

#endif
