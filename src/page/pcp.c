/* SPDX-License-Identifier: MIT */
#include "page/pcp.h"

#include "mm/page_flags.h"
#include "page/gfp.h"
#include "percpu/remote.h"

/* Linux's batch for any zone of a gigabyte or more. */
#define PCP_BATCH 63
/* What a list holds at most: one 4 KiB array for order 0, then about 1 MiB. */
#define PCP_LIMIT_MAX 511
static const uint32_t pcp_limit_max[PCP_MAX_ORDER + 1] = { PCP_LIMIT_MAX, 127, 63, 31 };

struct percpu_array *pcp_lists[PCP_MAX_ORDER + 1] __read_mostly;

/* Sync: constant after pcp_init() */
static uint32_t pcp_limit[PCP_MAX_ORDER + 1];

static size_t list_bytes(unsigned int order)
{
	return sizeof(struct percpu_array) + pcp_limit_max[order] * sizeof(void *);
}

int pcp_init(struct zone *z)
{
	unsigned long high;

	if (percpu_init())
		return -1;
	percpu_keep_apart(pcp_lists, sizeof(pcp_lists));
	/* All lists together may keep an eighth of the zone (cf. zone_highsize()). */
	high = z->managed_pages / 8 / percpu_nr_slots();
	for (unsigned int order = 0; order <= PCP_MAX_ORDER; order++) {
		struct percpu_array *list = percpu_alloc(list_bytes(order), CACHE_LINE_BYTES);

		if (!list)
			return -1;
		pcp_limit[order] = (uint32_t)clamp(high / 4 >> order, 2UL,
						   (unsigned long)pcp_limit_max[order]);
		atomic_store_release(&pcp_lists[order], list);
	}
	return 0;
}

/* pairs with pcp_init(): the list's limit */
static struct percpu_array *list_of(unsigned int order)
{
	return atomic_load_acquire(&pcp_lists[order]);
}

/* cf. Linux nr_pcp_alloc(): at least two blocks, so that the next one is a hit. */
static unsigned int refill_batch(unsigned int order)
{
	unsigned int batch = max(PCP_BATCH >> order, 2);

	if (percpu_current_slot() < 0)
		return 1;	/* nowhere to keep more */
	return min(batch, pcp_limit[order]);
}

struct page *pcp_pop_again(unsigned int order)
{
	return percpu_pop(list_of(order));
}

struct page *pcp_refill(struct zone *z, unsigned int order, unsigned int alloc_flags)
{
	struct page *pages[PCP_BATCH];
	unsigned int batch = refill_batch(order), put;
	unsigned long taken;

	if (!zone_watermark_ok(z, order, alloc_flags))
		return NULL;
	/* Near the mark only the block that was asked for may be taken. */
	if (!zone_watermark_ok_bulk(z, (unsigned long)batch << order, ALLOC_WMARK_LOW))
		batch = 1;
	taken = buddy_take(z, order, pages, batch);
	if (!taken)
		return NULL;
	atomic_add_relaxed(&z->pcp_refills, 1);
	for (unsigned long i = 1; i < taken; i++)
		page_set_flags(pages[i], 0);
	/*
	 * The first block is the caller's. The others go in last block first, so
	 * that the list hands them out in the order of their addresses.
	 */
	for (unsigned long i = 1, j = taken - 1; i < j; i++, j--) {
		struct page *page = pages[i];

		pages[i] = pages[j];
		pages[j] = page;
	}
	percpu_array_prepare(list_of(order), pcp_limit[order]);
	put = percpu_push_n(list_of(order), (void **)pages + 1, (unsigned int)taken - 1);
	if (put < taken - 1)
		buddy_give(z, order, pages + 1 + put, taken - 1 - put);
	return pages[0];
}

void pcp_spill(struct zone *z, unsigned int order, struct page *page)
{
	struct page *pages[PCP_BATCH + 1] = { NULL };
	unsigned int batch = max(min((unsigned int)PCP_BATCH, pcp_limit[order] / 2), 1u);
	unsigned int taken;

	/* The fast path tried once; that may have been aborted, or need the lock. */
	if (percpu_push(list_of(order), page))
		return;
	percpu_array_prepare(list_of(order), pcp_limit[order]);
	if (percpu_push(list_of(order), page))
		return;
	taken = percpu_pop_n(list_of(order), (void **)pages, batch);
	if (!taken || !percpu_push(list_of(order), page))
		pages[taken++] = page;
	atomic_add_relaxed(&z->pcp_spills, 1);
	buddy_give(z, order, pages, taken);
}

void pcp_drain_local(struct zone *z)
{
	struct page *pages[PCP_BATCH] = { NULL };
	unsigned int taken;

	if (!lock_may_wait(RANK_ZONE))	/* a signal handler above a holder */
		return;
	buddy_give_deferred(z);
	for (unsigned int order = 0; order <= PCP_MAX_ORDER; order++)
		while ((taken = percpu_pop_n(list_of(order), (void **)pages, PCP_BATCH)))
			buddy_give(z, order, pages, taken);
}

/* A stopped list has a negative count. */
static unsigned long list_blocks(const struct percpu_array *list)
{
	int32_t count = (int32_t)atomic_load_relaxed(&list->count);

	return count > 0 ? (unsigned long)count : 0;
}

/* One slot's list, emptied by whoever asks for it. */
static void drain_list(struct zone *z, unsigned int order, unsigned int slot)
{
	struct percpu_stopped_array stopped;
	struct page *pages[PCP_LIMIT_MAX];
	unsigned int nr;

	if (percpu_stop_array(pcp_lists[order], slot, &stopped))
		return;
	nr = stopped.count;
	for (unsigned int i = 0; i < nr; i++)
		pages[i] = percpu_stopped_item(&stopped, i);
	stopped.count = 0;
	percpu_start_array(&stopped);
	buddy_give(z, order, pages, nr);
}

void pcp_drain_all(struct zone *z)
{
	pcp_drain_local(z);
	if (!lock_acquire_in_order(&z->drain_lock))
		return;
	for (unsigned int order = 0; order <= PCP_MAX_ORDER; order++)
		for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
			const struct percpu_array *list = percpu_ptr(pcp_lists[order], slot);

			/* A glance, so that idle CPUs cost nothing. */
			if (list_blocks(list))
				drain_list(z, order, slot);
		}
	lock_release(&z->drain_lock);
}

unsigned long pcp_pages(void)
{
	unsigned long pages = 0;

	for (unsigned int order = 0; order <= PCP_MAX_ORDER && pcp_lists[order]; order++)
		for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
			const struct percpu_array *list = percpu_ptr(pcp_lists[order], slot);

			pages += list_blocks(list) << order;
		}
	return pages;
}
