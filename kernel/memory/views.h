/* SPDX-License-Identifier: MIT */
/*
 * Views: pages mapped at a second address, for vmap() and similar functions. Pages can be mapped
 * twice only if the window, which has all pages (docs/glossary.md), is shared memory (mm/memmap.h).
 * In a program that calls no such function it is private memory.
 */
#ifndef KERNEL_VIEWS_H
#define KERNEL_VIEWS_H

#include <stdbool.h>

struct page;

/* Makes the window shared memory. Call it before the library has any pages. */
void views_want(void);
/* Defined in a program that links the archive and calls vmap() (on_demand/views_wanted.c). */
extern const char usermm_views_wanted __attribute__((weak));
bool views_are_possible(void);
/* The memory file that has all pages, each at its number. -1: views are not possible. */
int views_descriptor(void);
/*
 * Maps the pages side by side at an address that is a multiple of align, a page or more, with one
 * inaccessible page in front of them and one behind. NULL if there is no room in the address space.
 */
void *views_map(struct page *const *pages, unsigned long nr_pages, unsigned long align);
void views_unmap(void *view, unsigned long nr_pages);
/* Unmaps the last pages of a view, and what is behind them. */
void views_cut(void *end, unsigned long nr_pages);

#endif
