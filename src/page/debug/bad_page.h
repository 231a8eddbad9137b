/* SPDX-License-Identifier: MIT */
/*
 * A page that cannot be what its user says: freed twice, freed with another order, in a
 * state that no free page has.
 *
 * For kernel sources the outcome is the kernel's: a report (at most 60 a minute), and the
 * page is not touched any more, whoever it belongs to: at worst it is lost. In a program
 * that calls the library by itself it is one line and abort, as with any other misuse,
 * since there the mistake is its own and the debugger at hand. bad_page= chooses.
 */
#ifndef PAGE_DEBUG_BAD_PAGE_H
#define PAGE_DEBUG_BAD_PAGE_H

#include <stdbool.h>

struct page;

/* Reports; returns if the program goes on. */
void page_report_bad(const struct page *page, const char *reason)
	__attribute__((__noinline__, __cold__));
/* What is known of a page, as lines of a report; why it is told comes last. */
void page_report_state(const struct page *page, const char *reason)
	__attribute__((__noinline__, __cold__));
/* page_report_bad() for one whose count says that nobody has it; `what` was done to it. */
void page_report_unowned(const struct page *page, const char *what)
	__attribute__((__noinline__, __cold__));
/* One that is freed with an order that it cannot have. */
void page_report_wrong_order(const struct page *page, unsigned int order)
	__attribute__((__noinline__, __cold__));

/*
 * Flags of an owner (include/kernel/linux/page-flags.h) that a free page cannot have:
 * locked, writeback, lru, active, reserved, private, private_2, unevictable.
 */
#define PAGE_FLAGS_CHECK_AT_FREE						\
	(1UL << 16 | 1UL << 17 | 1UL << 21 | 1UL << 23 | 1UL << 26 | 1UL << 27 |	\
	 1UL << 28 | 1UL << 32)

/* Does the process end with the first of them? */
bool page_bad_is_fatal(void);
/* The kernel runtime: what is not chosen by bad_page= has the kernel's outcome. */
void page_bad_as_in_kernel(void);

#endif
