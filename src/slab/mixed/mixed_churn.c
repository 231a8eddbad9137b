/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_churn.h"

#include <stdint.h>

#include "base/atomic.h"
#include "slab/mixed/mixed_map.h"

/*
 * Requests and frees by size, since the last look. Sizes that differ by a multiple of CHURN_SIZES
 * granules share an entry. Sync: atomic relaxed; threads that count at the same time lose counts
 */
#define CHURN_SIZES 64
static struct churn {
	uint32_t requests, frees;
} churn[CHURN_SIZES] __large_bss;

bool mixed_churns(size_t size)
{
	struct churn *same = &churn[mixed_granules_for(size) % CHURN_SIZES];
	uint32_t requests = atomic_load_relaxed(&same->requests) + 1, frees;

	if (requests < MIXED_CHURN_LOOK) {
		atomic_store_relaxed(&same->requests, requests);
		return false;
	}
	frees = atomic_load_relaxed(&same->frees);
	atomic_store_relaxed(&same->requests, 0U);
	atomic_store_relaxed(&same->frees, 0U);
	return frees >= MIXED_CHURN_LOOK / 2;
}

void mixed_churn_count_free(unsigned int granules)
{
	uint32_t *frees = &churn[granules % CHURN_SIZES].frees;

	atomic_store_relaxed(frees, atomic_load_relaxed(frees) + 1);
}
