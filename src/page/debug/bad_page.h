/* SPDX-License-Identifier: MIT */
/*
 * Reports about a page that its user handles wrongly: it was freed twice, or with another order, or
 * in a state that no free page may have.
 *
 * Under kernel sources the outcome is Linux's: a report (at most 60 a minute), and the page is
 * never touched again. It may be lost. A program that calls the library itself gets one line and
 * abort(), as for any other misuse: there the mistake is the program's own, and a debugger may be
 * at hand. The option bad_page= chooses.
 */
#ifndef PAGE_DEBUG_BAD_PAGE_H
#define PAGE_DEBUG_BAD_PAGE_H

#include <stdbool.h>

struct page;

/* Reports; returns if the program goes on. */
void page_report_bad(const struct page *page, const char *reason)
	__attribute__((__noinline__, __cold__));
/* Prints all that is known of a page, as lines of a report. The reason comes last. */
void page_report_state(const struct page *page, const char *reason)
	__attribute__((__noinline__, __cold__));
/* page_report_bad() for a page whose count says that nobody owns it; `what` was done to it. */
void page_report_unowned(const struct page *page, const char *what)
	__attribute__((__noinline__, __cold__));
/* page_report_bad() for a page that is freed with an order that it cannot have. */
void page_report_wrong_order(const struct page *page, unsigned int order)
	__attribute__((__noinline__, __cold__));

/*
 * An owner's flags (include/kernel/linux/page-flags.h) that a free page cannot have: locked,
 * writeback, lru, active, reserved, private, private_2, unevictable.
 */
#define PAGE_FLAGS_CHECK_AT_FREE						\
	(1UL << 16 | 1UL << 17 | 1UL << 21 | 1UL << 23 | 1UL << 26 | 1UL << 27 |	\
	 1UL << 28 | 1UL << 32)

/* Does the first report end the process? */
bool page_bad_is_fatal(void);
/* For the kernel runtime: bad_page=auto means Linux's outcome. */
void page_bad_as_in_kernel(void);

#endif
