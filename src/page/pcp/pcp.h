/* SPDX-License-Identifier: MIT */
/*
 * Per-CPU page lists: the fast path of the page allocator.
 *
 * A zone has a list for each order and each of three migrate types. With one node, the zone that
 * malloc() asks first also has a list for each number of pages between the orders that malloc()
 * asks for (exact.h). A list is a per-CPU array of struct page pointers. A page on a list has flags
 * 0 and count 0. cf. Linux struct per_cpu_pages.
 *
 * The fast path finds its list in a table, with one index. For an allocation the index is made of
 * the gfp's bits for zone and migrate type (GFP_PLACE_MASK) and of the order, and the list is that
 * of the zone that is asked first. For a free the index is made of the class of the page's
 * pageblock. With several nodes an allocation's fast path finds no list; its slow path first looks
 * into the table of its node. A call that cannot be served like that (no such zone, an isolated
 * pageblock, lists switched off, a library that is not up) finds NULL instead of a list. NULL
 * counts as empty for a pop and full for a push, so the slow functions serve the call.
 *
 * Limits. Linux bounds the pages on all lists of a zone and a CPU by `high`, which moves between
 * high_min and high_max. Here each list has a limit of its own: high or the array's length,
 * whichever is less. The slow functions set the limit whenever they look at the list. So all lists
 * together may hold more than high, and never more than the arrays (pcp_lists.c). Linux counts at
 * each call; here the slow functions count. An allocation that finds its list empty is the end of a
 * run of allocations, and a free that finds its list full is the end of a run of frees.
 *
 * Large blocks. Linux has lists for orders 0 to 3 and 9 alone. A block of another order costs the
 * zone's lock there, twice for each pair of calls, and all CPUs contend for that lock. Here a few
 * blocks of the other orders may stay on each CPU's lists too, and count as free all the same:
 *
 *   - whatever shows free memory counts them as free;
 *   - an allocation that would be refused otherwise, or go to another zone, first takes them back
 *     from all CPUs (pcp_return_blocks());
 *   - an allocation that would get new memory from the system first takes back those of its own
 *     CPU (pcp_return_own_blocks()).
 *
 * A zone opens these lists while it is above its high mark and not much of it is about to go back
 * to the system. Nothing is put on them in advance.
 */
#ifndef PAGE_PCP_PCP_H
#define PAGE_PCP_PCP_H

#include "base/atomic.h"
#include "page/gfp.h"
#include "page/pageblock.h"
#include "page/refs.h"
#include "page/zone.h"
#include "percpu/percpu.h"

/* Sync: constant after pcp_init(). NULL before that: empty for a pop, full for a push */
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
 * Each makes one attempt, for orders 0 to MAX_PAGE_ORDER. After a failure, pcp_pop_again() and
 * pcp_free_slow() go on.
 */
static __always_inline struct page *pcp_pop(gfp_t gfp, unsigned int order)
{
	return percpu_pop_fast(pcp_alloc_list(gfp, order));
}

static __always_inline bool pcp_push(unsigned int order, struct page *page)
{
	return percpu_push_fast(pcp_free_list(page_class(page), order), page);
}

/*
 * Up to this many frozen pages move one by one, and more move in one batch. A batch is cheap, since
 * nobody reads the pages' struct pages.
 */
#define PCP_FROZEN_SHORT_MAX 3

/*
 * Takes up to nr pages (at least 1) off a list at once, and returns how many. The rest of the
 * buffer is undefined. Both ends of the buffer are written to here, because it may lie on two
 * pages and the sequence must not be the first to touch them.
 */
static __always_inline unsigned int pcp_pop_n(struct percpu_array *list, struct page **pages,
					      unsigned int nr)
{
	pages[0] = NULL;
	pages[nr - 1] = NULL;
	return percpu_pop_n(list, (void **)pages, nr);
}

/* Reverses the array. pcp_pop_n() puts the list's top page last; the callers want it first. */
static inline void pcp_turn_round(struct page **pages, unsigned long nr)
{
	reverse_pointers((void **)pages, nr);
}

/*
 * Pushes a page whose pageblock has this class. The caller has the page's last reference, and the
 * page's flags may go; see percpu_push_last_fast().
 */
static __always_inline bool pcp_push_last(unsigned int class, unsigned int order,
					  struct page *page, bool *interrupted)
{
	return percpu_push_last_fast(pcp_free_list(class, order), page, interrupted);
}

/* Makes the lists, after nodes_init(). Returns 0 or -1. */
int pcp_init(void);
/* Sets anew how many pages CPUs keep, after zones' sizes and marks have changed. */
void pcp_resize(void);
/*
 * From now on all requests and frees take the slow path. There the lists still serve. The exception
 * is lists of exact numbers of pages: they keep their blocks until somebody takes these back.
 */
void pcp_hide_lists(void);
/*
 * As pcp_hide_lists(), but only for requests for MOVABLE pages: SCOPE_PIN turns these into requests
 * of another type.
 */
void pcp_hide_movable_lists(void);
/*
 * A block from this CPU's list, or NULL. For the slow path, after the fast path's one attempt
 * failed.
 */
struct page *pcp_pop_again(gfp_t gfp, unsigned int order);
/*
 * As pcp_pop_again(), for a number of pages that is no power of two. If the machine has one node,
 * there are lists for the numbers that malloc() asks for. pcp_give_exact() gives a block to this
 * CPU's list or, if the list has no room, to the buddy lists. If there is no list for the number,
 * it does nothing and returns false.
 */
struct page *pcp_pop_exact(gfp_t gfp, unsigned long nr_pages);
bool pcp_give_exact(struct page *page, unsigned long nr_pages);
/*
 * A block of the zone from this CPU's list. If the list is empty, takes a batch from the buddy
 * lists: one block for the caller, the others for the list. Returns NULL if there is no memory. If
 * the list is empty, also returns NULL for orders of which no batches are taken, and since Linux
 * 7.1 with ALLOC_HIGHATOMIC. The caller has checked the zone's marks.
 */
struct page *pcp_alloc(struct zone *z, unsigned int order, enum migratetype type,
		       unsigned int alloc_flags);
/*
 * Takes up to nr pages of order 0 from this CPU's list or, if that is empty, from the buddy lists.
 * Returns how many; their flags are 0.
 */
unsigned long pcp_alloc_bulk(struct zone *z, enum migratetype type, unsigned int alloc_flags,
			     struct page **pages, unsigned long nr);
/* Frees a block of any order, if its list is full or the fast path finds none. */
void pcp_free_slow(unsigned int order, struct page *page);
/* Empty the lists of this CPU, or of all CPUs that can be stopped. NULL: all zones. */
void pcp_drain_local(struct zone *z);
void pcp_drain_all(struct zone *z);
/*
 * As pcp_drain_all(), and holds page_drain_lock. Until the caller releases that lock, no block is
 * on its way between lists or to the system. The exceptions are drain_local_pages() and requests
 * that may not wait: they may take blocks off their own CPU's lists. False if this thread cannot
 * take the lock: then only this CPU's lists were emptied.
 */
bool pcp_drain_all_and_hold(struct zone *z);
/*
 * Gives the large blocks on all CPUs' lists back to the buddy lists, and shuts the lists: they keep
 * none until the zone is above its high mark. True if the caller should look again, because there
 * may have been some, or another thread had some in its hands. False if there were none, or if this
 * thread cannot do it.
 */
bool pcp_return_blocks(struct zone *z);
/*
 * As pcp_return_blocks(), for this CPU's lists alone, which stay open. True if there were some
 * blocks.
 */
bool pcp_return_own_blocks(struct zone *z);
/* Does Linux have lists for the order? Pages on such lists do not count as free here either. */
static inline bool pcp_allowed_order(unsigned int order)
{
	return order <= PAGE_ALLOC_COSTLY_ORDER || order == PAGEBLOCK_ORDER;
}
/* Pages on all CPUs' lists (pcp_allowed_order() alone), of one zone or of all; approximate. */
unsigned long pcp_zone_pages(const struct zone *z);
unsigned long pcp_pages(void);
/* Free blocks and pages, including those of the other orders on CPUs' lists; approximate. */
unsigned long zone_free_blocks(const struct zone *z, unsigned int order, enum migratetype type);
unsigned long zone_free_blocks_of_order(const struct zone *z, unsigned int order);
unsigned long zone_free_pages(const struct zone *z);
/* What one slot's lists of the zone hold. */
struct pcp_counts {
	unsigned long count;	/* pages */
	int high, batch;
};
void pcp_counts_read(const struct zone *z, unsigned int slot, struct pcp_counts *counts);

#endif
