/* SPDX-License-Identifier: MIT */
/*
 * What is not the window's memory, and counts against the budget of all zones together: malloc's
 * mappings, if there is a limit= for them.
 *
 * The pages are taken off the free pages of the largest zone as long as that has as many to
 * spare, else of several. No zone falls below its minimum for it; of several none falls below
 * what it keeps for requests that only it can serve. Which block is charged to which zone is not
 * remembered: each zone counts what was taken off it (struct zone: mapped), and pages go back to
 * any zone that lacks some.
 *
 * What other threads are charging, or giving back, while a thread calls fork() is found in the
 * child by what zones lack: budget_fork_child().
 */
#ifndef PAGE_BUDGET_H
#define PAGE_BUDGET_H

#include "base/compiler.h"

/*
 * False, and nothing taken, if all zones together have not as many; not before CPUs and the
 * layers above have given back what they keep free, if that could help.
 */
bool budget_charge(unsigned long pages);
/* The same for what is only a wish: nobody is asked to give anything back for it. */
bool budget_charge_spare(unsigned long pages);
void budget_uncharge(unsigned long pages);
/* What is charged now; approximate. */
unsigned long budget_mapped_pages(void);
/* In a fork child, whose only thread does none of these: so much is charged, and no more. */
void budget_fork_child(unsigned long pages);

#endif
