/* SPDX-License-Identifier: MIT */
/*
 * Per-CPU page lists: the fast path of the page allocator.
 *
 * A zone has a list for each order and each of three migrate types. With one node the zone that
 * malloc() asks first has one more for each of the numbers of pages between the orders that it
 * asks for (exact.h). A list is a per-CPU array of struct page pointers; a page on it is in no
 * state: its flags and its count are 0. cf. Linux struct per_cpu_pages.
 *
 * The fast path finds its list in a table, with one index. For an allocation that is
 * what the gfp says of the place: the list of the one zone that is asked first. For a
 * free it is the class of the page's pageblock. With several nodes the allocation's slow
 * half looks into its node's table first. What cannot be served like that (no such zone,
 * isolated pageblocks, lists switched off, a library that is not up) has the array that
 * is always empty and full, and is sorted out in the slow functions.
 *
 * How many. Linux bounds the pages on all lists of a zone and a CPU by `high`, which
 * moves between high_min and high_max. Here each list has a limit of its own, which is
 * high or the array's length, whichever is less, and is set whenever the slow
 * functions look at the list: so all lists together may hold more than high, and never
 * more than the arrays (pcp.c). What Linux counts at each call is counted there as well:
 * an allocation that finds its list empty is the end of a run of allocations, a free that
 * finds it full that of a run of frees.
 *
 * Large blocks. Linux has lists for orders 0 to 3 and 9 alone; what others cost there is
 * the zone's lock, twice for each pair and fought over by all CPUs. Here blocks of the
 * other orders may stay on lists too, a few of each CPU, and are free all the same:
 * whatever shows free memory counts them as free, and an allocation that would otherwise
 * be refused, or go to another zone, takes them back first (pcp_return_blocks()), and one that
 * would get new memory from the system those of its own CPU. Lists
 * are opened for them by a zone above its high mark, without much that is to go back to
 * the system, and nothing is fetched in advance.
 */
#ifndef PAGE_PCP_PCP_H
#define PAGE_PCP_PCP_H

#include "base/atomic.h"
#include "page/gfp.h"
#include "page/pageblock.h"
#include "page/refs.h"
#include "page/zone.h"
#include "percpu/percpu.h"

/* Sync: constant after pcp_init(); NULL, which is always empty and full, before. */
extern struct percpu_array *pcp_alloc_lists[(GFP_PLACE_MASK + 1) << CLASS_ORDER_BITS];
extern struct percpu_array *pcp_free_lists[PAGE_CLASSES_END];

static __always_inline unsigned int pcp_alloc_index(gfp_t gfp, unsigned int order)
{
	return ((gfp & GFP_PLACE_MASK) << CLASS_ORDER_BITS) + order;
}

static __always_inline struct percpu_array *pcp_alloc_list(gfp_t gfp, unsigned int order)
{
	return atomic_load_relaxed(&pcp_alloc_lists[pcp_alloc_index(gfp, order)]);
}

static __always_inline struct percpu_array *pcp_free_list(unsigned int class, unsigned int order)
{
	return atomic_load_relaxed(&pcp_free_lists[class + order]);
}

/*
 * One try each, orders 0 to MAX_PAGE_ORDER: pcp_pop_again() and pcp_free_slow() are the slow
 * paths.
 */
static __always_inline struct page *pcp_pop(gfp_t gfp, unsigned int order)
{
	return percpu_pop_fast(pcp_alloc_list(gfp, order));
}

static __always_inline bool pcp_push(unsigned int order, struct page *page)
{
	return percpu_push_fast(pcp_free_list(page_class(page), order), page);
}

/* Up to so many frozen pages are moved one by one, more in pieces: nobody reads their structs. */
#define PCP_FROZEN_SHORT_MAX 3

/*
 * A piece of a list, of up to nr pages, at least one; how many. What the buffer holds behind
 * them is undefined. It may be two pages, which must not be touched first inside the sequence.
 */
static __always_inline unsigned int pcp_pop_n(struct percpu_array *list, struct page **pages,
					      unsigned int nr)
{
	pages[0] = NULL;
	pages[nr - 1] = NULL;
	return percpu_pop_n(list, (void **)pages, nr);
}

/* What is on top of a list comes last in a piece of it. */
static inline void pcp_turn_round(struct page **pages, unsigned long nr)
{
	reverse_pointers((void **)pages, nr);
}

/*
 * A page of that class whose last reference the caller has, and whose flags may go; see
 * percpu_push_last_fast().
 */
static __always_inline bool pcp_push_last(unsigned int class, unsigned int order,
					  struct page *page, bool *interrupted)
{
	return percpu_push_last_fast(pcp_free_list(class, order), page, interrupted);
}

/* After nodes_init(). 0 or -1. */
int pcp_init(void);
/*
 * From now on all requests and frees take the slow way, where the lists still serve; but not those
 * of exact numbers of pages, which keep what they have until it is taken back.
 */
void pcp_hide_lists(void);
/* The same for requests of MOVABLE pages alone, which may turn out to be others. */
void pcp_hide_movable_lists(void);
/* A block from this CPU's list if there is one: what the fast path tried once. */
struct page *pcp_pop_again(gfp_t gfp, unsigned int order);
/*
 * The same of nr_pages pages that are no power of two: of the numbers that malloc() asks for there
 * are lists, where a machine has one node. The second one gives it to this CPU's list or, if that
 * has no room, to the buddy lists; false, and nothing has happened, if there is no list for it.
 */
struct page *pcp_pop_exact(gfp_t gfp, unsigned long nr_pages);
bool pcp_give_exact(struct page *page, unsigned long nr_pages);
/*
 * A block of the zone from this CPU's list, else from the buddy lists with more for
 * this CPU's; NULL without memory, or if such blocks are on no list. The caller has
 * looked at the zone's marks.
 */
struct page *pcp_alloc(struct zone *z, unsigned int order, enum migratetype type,
		       unsigned int alloc_flags);
/* Up to nr pages of order 0, in the same way; their flags are 0. */
unsigned long pcp_alloc_bulk(struct zone *z, enum migratetype type, unsigned int alloc_flags,
			     struct page **pages, unsigned long nr);
/* Where a block of any order goes whose list is full, or that has none on the fast path. */
void pcp_free_slow(unsigned int order, struct page *page);
/* Empties this CPU's lists; those of all CPUs, where they can be stopped. NULL: all zones. */
void pcp_drain_local(struct zone *z);
void pcp_drain_all(struct zone *z);
/*
 * And until the caller releases page_drain_lock no block is on its way between lists, or to the
 * system, but for what drain_local_pages() or a request that may not wait takes off its CPU's.
 * False if this thread cannot do it: then it has no lock, and only this CPU's lists were emptied.
 */
bool pcp_drain_all_and_hold(struct zone *z);
/*
 * Large blocks on the lists go back to the buddy lists, and the lists are shut: until the
 * zone is above its high mark none are kept. True if it is worth looking again: there may
 * have been some, or another thread had some in its hands. False also if this thread
 * cannot do it.
 */
bool pcp_return_blocks(struct zone *z);
/* The same for this CPU's alone, which may have more at once: true if there were some. */
bool pcp_return_own_blocks(struct zone *z);
/* Does Linux have lists for the order? Pages on these do not count as free. */
static inline bool pcp_allowed_order(unsigned int order)
{
	return order <= PAGE_ALLOC_COSTLY_ORDER || order == PAGEBLOCK_ORDER;
}
/* Pages on all CPUs' lists of such orders, of one zone or of all; approximate. */
unsigned long pcp_zone_pages(const struct zone *z);
unsigned long pcp_pages(void);
/* What is free, and blocks of other orders on all CPUs' lists are; approximate. */
unsigned long zone_free_blocks(const struct zone *z, unsigned int order, enum migratetype type);
unsigned long zone_free_blocks_of_order(const struct zone *z, unsigned int order);
unsigned long zone_free_pages(const struct zone *z);
/* One slot's lists of the zone. */
struct pcp_counts {
	unsigned long count;	/* pages */
	int high, batch;
};
void pcp_counts_read(const struct zone *z, unsigned int slot, struct pcp_counts *counts);

#endif
