/* SPDX-License-Identifier: MIT */
#include "page/pcp/pcp_tuning.h"

#include "base/atomic.h"
#include "base/compiler.h"

/* A batch is a quarter of this at most: of the pages of a megabyte. */
#define BATCH_PAGES_MAX (MIB / PAGE_SIZE)
/* The lists of all CPUs together may keep this fraction of a zone: one page in eight. */
#define HIGH_MAX_FRACTION 8

static int zone_batch(const struct zone *z)
{
	unsigned long batch = min(zone_managed_pages(z) >> 10, BATCH_PAGES_MAX) / 4;

	batch = max(batch, 1UL);
	/*
	 * One less than a power of two, as in Linux. With a power of two, if two threads take
	 * batches in turns, each might get only pages that use one half of the processor's cache.
	 */
	batch = (1UL << ilog2(batch + batch / 2)) - 1;
	return (int)max(batch, 1UL);
}

void pcp_set_high(struct zone *z, unsigned int nr_cpus)
{
	unsigned long least = (unsigned long)z->pcp_batch * 4;
	unsigned long low = atomic_load_relaxed(&z->watermark[WMARK_LOW]);
	unsigned long share = zone_share_pages(z) / HIGH_MAX_FRACTION;

	atomic_store_relaxed(&z->pcp_high_min, (int)min(max(low / nr_cpus, least),
							(unsigned long)INT32_MAX));
	atomic_store_relaxed(&z->pcp_high_max, (int)min(max(share / nr_cpus, least),
							(unsigned long)INT32_MAX));
}

void pcp_set_limits(struct zone *z, unsigned int nr_cpus, bool pages)
{
	z->pcp_batch = 1;
	z->pcp_high_min = z->pcp_high_max = 0;
	if (!pages)
		return;
	z->pcp_batch = zone_batch(z);
	pcp_set_high(z, nr_cpus);
}

static int high_min(const struct zone *z)
{
	return atomic_load_relaxed(&z->pcp_high_min);
}

static int high_max(const struct zone *z)
{
	return atomic_load_relaxed(&z->pcp_high_max);
}

int pcp_read_high(const struct zone *z, const struct pcp_tuning *tuning)
{
	return min(max(atomic_load_relaxed(&tuning->high), high_min(z)), high_max(z));
}

/* Is there nothing to tune, because lists are off or the zone is small? */
static bool is_fixed(const struct zone *z)
{
	return high_min(z) == high_max(z);
}

int pcp_nr_alloc(const struct zone *z, struct pcp_tuning *tuning, unsigned int order,
		 int count)
{
	int base = z->pcp_batch, batch = base, high, factor, most;

	/*
	 * This store comes first: a page that is read before it is written to costs two page
	 * faults.
	 */
	atomic_store_relaxed(&tuning->free_count, 0);
	high = pcp_read_high(z, tuning);
	factor = atomic_load_relaxed(&tuning->alloc_factor);
	if (high < base)
		return 1;
	if (!order)
		batch <<= factor;
	if (!is_fixed(z) && !zone_test_flag(z, ZONE_BELOW_HIGH))
		high = min(high + batch, high_max(z));
	atomic_store_relaxed(&tuning->high, high);
	if (!order) {
		most = max(high - count - base, base);
		if (batch <= most && factor < PCP_BATCH_SCALE_MAX)
			atomic_store_relaxed(&tuning->alloc_factor, factor + 1);
		batch = min(batch, most);
	}
	return batch > 1 ? max(batch >> order, 2) : batch;
}

/* If a CPU frees blocks of orders 1 to 3 run after run, its lists do not keep them. */
static bool frees_high_orders(struct pcp_tuning *tuning, unsigned int order, int free_count,
			      int batch)
{
	bool is_high = order && order <= PAGE_ALLOC_COSTLY_ORDER;
	bool was_high = atomic_load_relaxed(&tuning->freed_high_order);

	atomic_store_relaxed(&tuning->freed_high_order, is_high);
	return is_high && was_high && free_count >= batch;
}

int pcp_nr_free(const struct zone *z, struct pcp_tuning *tuning, unsigned int order,
		int count, int nr, int *new_high)
{
	int batch = z->pcp_batch, high = pcp_read_high(z, tuning);
	int free_count = atomic_load_relaxed(&tuning->free_count);
	bool free_high = frees_high_orders(tuning, order, free_count, batch);

	atomic_store_relaxed(&tuning->alloc_factor, 0);
	free_count = min(free_count + nr, batch << PCP_BATCH_SCALE_MAX);
	atomic_store_relaxed(&tuning->free_count, free_count);
	*new_high = high;
	if (high < batch)
		return 1;
	if (free_high)
		*new_high = max(high - (batch << PCP_BATCH_SCALE_MAX), high_min(z));
	else if (zone_test_flag(z, ZONE_RECLAIM_ACTIVE | ZONE_BELOW_HIGH))
		*new_high = max(high - max(free_count, batch), high_min(z));
	else if (!is_fixed(z) && count >= high)
		*new_high = min(max(high, free_count + batch), high_max(z));
	atomic_store_relaxed(&tuning->high, *new_high);
	if (free_high)
		return min(count, batch << PCP_BATCH_SCALE_MAX);
	if (zone_test_flag(z, ZONE_RECLAIM_ACTIVE))
		*new_high = min(batch * 4, *new_high);
	return max(min(free_count, high - batch), batch);
}
