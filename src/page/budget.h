/* SPDX-License-Identifier: MIT */
/*
 * Memory outside the window that counts against the budget of all zones together: malloc's
 * mappings, if limit= is set.
 *
 * The pages are taken off the free pages of the largest zone, if that has as many to spare, or
 * else of several zones. No zone falls below its min mark for this. If several zones bear a block,
 * none falls below what it keeps for requests that only it can serve. Nobody remembers which zone
 * bears which block: each zone counts the pages that were taken off it (struct zone: mapped), and
 * pages go back to any zone that lacks some.
 *
 * A thread may call fork() while others charge or give back. In the child, budget_fork_child()
 * computes what is charged from what the zones lack.
 */
#ifndef PAGE_BUDGET_H
#define PAGE_BUDGET_H

#include "base/compiler.h"

/*
 * Charges so many pages. If all zones together have fewer, CPUs and the layers above give back what
 * they keep free, if that could help. If that is not enough, charges nothing and returns false.
 */
bool budget_charge(unsigned long pages);
/* The same for memory that is only a wish: nobody is made to give anything back. */
bool budget_charge_spare(unsigned long pages);
void budget_uncharge(unsigned long pages);
/* Pages that are charged now; approximate. */
unsigned long budget_mapped_pages(void);
/* In a fork child, whose only thread does none of these: sets what is charged to `pages`. */
void budget_fork_child(unsigned long pages);

#endif
