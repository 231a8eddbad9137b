/* SPDX-License-Identifier: MIT */
/*
 * A recycling ring for packets' pages, like the kernel's page_pool. The user takes pages from its
 * own small stack. The stack is refilled from a ring to which other contexts return pages or, if
 * the ring is empty, by one bulk request. A returned page that nobody else holds is kept, without a
 * call of the allocator. A shared page only loses the reference; the other holder keeps the page.
 * cf. Linux net/core/page_pool.c, include/linux/ptr_ring.h.
 */
#ifndef BENCH_RECYCLER_H
#define BENCH_RECYCLER_H

#include <stdbool.h>
#include <string.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "usermm/usermm.h"

#define RECYCLER_CACHE 128
#define RECYCLER_REFILL 64
#define RECYCLER_RING 1024

struct recycler {
	/* Sync: only the thread that takes pages uses these. */
	unsigned int count;
	struct page *cache[RECYCLER_CACHE];
	unsigned int next_taken __aligned(CACHE_LINE_BYTES);
	/* Sync: producer_lock, a spin lock. */
	unsigned int producer_lock __aligned(CACHE_LINE_BYTES);
	unsigned int next_returned;
	/* NULL: an empty slot. Sync: atomic release/acquire. */
	struct page *ring[RECYCLER_RING] __aligned(CACHE_LINE_BYTES);
};

static __always_inline void recycler_lock(struct recycler *r)
{
	/* pairs with recycler_unlock(): next_returned */
	while (unlikely(atomic_exchange_acquire(&r->producer_lock, 1)))
		cpu_relax();
}

static __always_inline void recycler_unlock(struct recycler *r)
{
	/* pairs with recycler_lock() */
	atomic_store_release(&r->producer_lock, 0);
}

/* Puts a page into the ring; false if the ring is full. Any thread may call it. */
static __always_inline bool recycler_produce(struct recycler *r, struct page *page)
{
	struct page **slot;
	bool is_free;

	recycler_lock(r);
	slot = &r->ring[r->next_returned];
	is_free = !atomic_load_relaxed(slot);
	if (likely(is_free)) {
		/* pairs with recycler_consume(): earlier stores to the struct page */
		atomic_store_release(slot, page);
		r->next_returned = (r->next_returned + 1) % RECYCLER_RING;
	}
	recycler_unlock(r);
	return is_free;
}

static __always_inline struct page *recycler_consume(struct recycler *r)
{
	struct page **slot = &r->ring[r->next_taken];
	/* pairs with recycler_produce() */
	struct page *page = atomic_load_acquire(slot);

	if (!page)
		return NULL;
	/* pairs with recycler_produce(), which checks if the slot is empty */
	atomic_store_release(slot, NULL);
	r->next_taken = (r->next_taken + 1) % RECYCLER_RING;
	return page;
}

static noinline void recycler_refill(struct recycler *r)
{
	struct page *page;

	while (r->count < RECYCLER_REFILL && (page = recycler_consume(r)))
		r->cache[r->count++] = page;
	if (r->count)
		return;
	memset(r->cache, 0, RECYCLER_REFILL * sizeof(r->cache[0]));
	r->count = (unsigned int)alloc_pages_bulk_array(GFP_KERNEL, RECYCLER_REFILL, r->cache);
}

/* Takes a page with one reference, or NULL. */
static __always_inline struct page *recycler_take(struct recycler *r)
{
	if (unlikely(!r->count))
		recycler_refill(r);
	return likely(r->count) ? r->cache[--r->count] : NULL;
}

/* Returns a page. `direct`: the caller is the thread that takes pages; else it uses the ring. */
static __always_inline void recycler_return(struct recycler *r, struct page *page, bool direct)
{
	if (unlikely(atomic_load_acquire(&page->_refcount) != 1)) {
		put_page(page);
		return;
	}
	if (direct && likely(r->count < RECYCLER_CACHE)) {
		r->cache[r->count++] = page;
		return;
	}
	if (unlikely(!recycler_produce(r, page)))
		put_page(page);
}

/* Gives all kept pages back to the allocator. */
static inline void recycler_drain(struct recycler *r)
{
	struct page *page;

	free_pages_bulk(r->cache, r->count);
	r->count = 0;
	while ((page = recycler_consume(r)))
		put_page(page);
}

#endif
