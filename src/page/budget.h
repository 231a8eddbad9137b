/* SPDX-License-Identifier: MIT */
/*
 * Memory outside the window that counts against the budget of all zones together: malloc's
 * mappings, if limit= is set.
 *
 * A charge takes pages off the free pages of the largest zone or, if that has too few to spare, of
 * several zones. No zone falls below its min mark for a charge. If several zones share a charge,
 * each also keeps what is reserved for requests that only this zone can serve. Nobody remembers
 * which zone bears which block. Each zone only counts the pages that were taken off it (struct
 * zone: mapped), and pages go back to any zone that lacks some.
 *
 * A thread may call fork() while others charge or give back. In the child, budget_fork_child()
 * computes what is charged from what the zones lack.
 */
#ifndef PAGE_BUDGET_H
#define PAGE_BUDGET_H

#include "base/compiler.h"

/*
 * Charges pages to the zones. If all zones together have too few, CPUs and the layers above give
 * back what they keep free, if that could help. If there are still too few, charges nothing and
 * returns false.
 */
bool budget_charge(unsigned long pages);
/* As budget_charge(), but nobody gives memory back for it: the caller can do without. */
bool budget_charge_spare(unsigned long pages);
void budget_uncharge(unsigned long pages);
/* Pages that are charged now; approximate. */
unsigned long budget_mapped_pages(void);
/*
 * For a fork child, whose only thread is in none of these functions: sets what is charged to
 * `pages`.
 */
void budget_fork_child(unsigned long pages);
/* budget_fork_child() where no mappings are charged, but a limit may be (budget_set_limit()). */
void budget_fork_child_limit(void);

/*
 * The limit of what may be in use: the whole budget at first. A lower one holds pages back, as if
 * somebody used them. The zones' watermarks stay as they are, so a part of a low limit is reserve.
 *
 * budget_set_limit() returns 0; -EINVAL if the limit is below a section or above the budget;
 * -ENOMEM, and nothing changes, if more is in use; -EBUSY if another thread sets it, or if the
 * caller is a signal handler that interrupted a holder of a lock.
 */
size_t budget_limit_bytes(void);
int budget_set_limit(size_t bytes);

/*
 * The budget becomes limit->bytes (mm_lower_to_budget()), and the zones' sizes and marks with it
 * (zones_resize()). A lower limit that was set stays as it is. Called by one thread at a time, with
 * no lock held.
 */
struct os_limit;
void budget_resize(const struct os_limit *limit);

#endif
