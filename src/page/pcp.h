/* SPDX-License-Identifier: MIT */
/*
 * Per-CPU page lists, orders 0 to 3: the fast path of the page allocator.
 *
 * A list is a per-CPU array of struct page pointers. A page on it is in no
 * state: its flags and its count are 0. cf. Linux struct per_cpu_pages.
 */
#ifndef PAGE_PCP_H
#define PAGE_PCP_H

#include "base/atomic.h"
#include "page/refs.h"
#include "page/zone.h"
#include "percpu/percpu.h"

/* Sync: constant after pcp_init(); NULL, which is always empty, before. */
extern struct percpu_array *pcp_lists[PCP_MAX_ORDER + 1];

/* One try each: pcp_pop_again() and pcp_spill() are the slow paths. */
static __always_inline struct page *pcp_pop(unsigned int order)
{
	return percpu_pop_fast(atomic_load_relaxed(&pcp_lists[order]));
}

static __always_inline bool pcp_push(unsigned int order, struct page *page)
{
	return percpu_push_fast(atomic_load_relaxed(&pcp_lists[order]), page);
}

/*
 * A page without flags whose last reference the caller has; see percpu_push_last_fast()
 * for *seen.
 */
static __always_inline bool pcp_push_last(unsigned int order, struct page *page, uint32_t *seen)
{
	return percpu_push_last_fast(atomic_load_relaxed(&pcp_lists[order]), page,
				     &page_sole_count, seen);
}

#endif
