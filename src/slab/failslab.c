/* SPDX-License-Identifier: MIT */
/*
 * The option failslab=: when allocations from caches with SLAB_FAILSLAB (slab_debug=A)
 * fail. cf. Linux lib/fault-inject.c: should_fail_ex(), with cache-filter on and
 * ignore-gfp-wait off. __GFP_NOFAIL never fails.
 */
#include <string.h>

#include "base/check.h"
#include "base/options.h"
#include "os/os.h"
#include "slab/debug.h"

enum { INTERVAL, PROBABILITY, SPACE, TIMES, NR_NUMBERS };

/* Sync: constant after slab_failslab_init(), but SPACE and TIMES: atomic relaxed */
static long numbers[NR_NUMBERS];
/* Sync: atomic relaxed */
static unsigned long calls;

/* A decimal number with an optional sign; where the text goes on, or NULL. */
static const char *read_number(const char *text, long *number)
{
	bool negative = *text == '-';
	const char *digits = text += negative;

	for (*number = 0; *text >= '0' && *text <= '9' && text < digits + 18; text++)
		*number = *number * 10 + (*text - '0');
	if (negative)
		*number = -*number;
	return text > digits ? text : NULL;
}

void slab_failslab_init(void)
{
	const char *text = option_text(options.failslab);

	memset(numbers, 0, sizeof(numbers));
	if (!text)
		return;
	for (unsigned int i = 0; i < NR_NUMBERS; i++) {
		text = read_number(text, &numbers[i]);
		if (!text || *text != (i + 1 < NR_NUMBERS ? ',' : '\0')) {
			report_warning("failslab: not used, it takes "
				       "interval,probability,space,times");
			memset(numbers, 0, sizeof(numbers));
			return;
		}
		text++;
	}
}

/* One failure less to come; false if there is none. -1 never ends. */
static bool take_one(void)
{
	long times = atomic_load_relaxed(&numbers[TIMES]);

	do {
		if (times <= 0)
			return times < 0;
	} while (!atomic_cas_relaxed(&numbers[TIMES], &times, times - 1));
	return true;
}

bool slab_failslab_fails(const struct kmem_cache *cache, gfp_t gfp)
{
	if (!numbers[PROBABILITY] || (gfp & __GFP_NOFAIL) ||
	    !atomic_load_relaxed(&numbers[TIMES]))
		return false;
	if (atomic_load_relaxed(&numbers[SPACE]) > (long)cache->object_size) {
		atomic_add_relaxed(&numbers[SPACE], -(long)cache->object_size);
		return false;
	}
	if (numbers[INTERVAL] > 1 &&
	    (atomic_add_relaxed(&calls, 1) + 1) % (unsigned long)numbers[INTERVAL])
		return false;
	if ((long)(os_random() % 100) >= numbers[PROBABILITY] || !take_one())
		return false;
	if (!(gfp & __GFP_NOWARN))
		report_warning("FAULT_INJECTION: forcing a failure of an allocation from %s",
			       cache->name);
	return true;
}
