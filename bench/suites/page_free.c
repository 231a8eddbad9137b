// SPDX-License-Identifier: MIT
/*
 * Part of suite page-bulk: the cost of the steps of a free. Seed 1's thread names three steps that
 * a bulk free could omit: references, safety checks, statistics. One loop does all three and then
 * gives the pages to the CPU's list; further loops omit one step each. The allocation of pages is
 * not timed.
 *
 *	references	the count is compared with 1 and becomes 0, as the library does for a
 *			page's only owner; `locked`: by a locked operation
 *	checks		the page is in the window, and has no flags, no mapping and no count
 *	statistics	a counter of the thread is incremented for each page
 *
 * Without references pages are frozen: they never had a count. The library's own calls are shown
 * too; they do references and checks, but no statistics.
 */
#include <math.h>

#include "base/atomic.h"
#include "bench.h"
#include "loops/loop.h"
#include "mm/memmap.h"
#include "page_free.h"
#include "results.h"
#include "measure/timing.h"

#define ROUNDS 41
/* Pages in one free call, and pages that are timed together. */
#define STEP 64
#define HELD 256
#define PAGES_A_RUN 8192

enum {
	REFERENCES = 1,
	LOCKED = 2,
	CHECKS = 4,
	STATISTICS = 8,
	/* The library's own calls. */
	BULK = 16,
	ONE_BY_ONE = 32,
};

#define COUNTED (REFERENCES | BULK | ONE_BY_ONE)

static __thread unsigned long freed;

/* Drops a reference. Was it the last one? */
static __always_inline bool drop(struct page *page, unsigned int steps)
{
	if (steps & LOCKED)
		return !atomic_sub_return_acq_rel(&page->_refcount, 1);
	if (atomic_load_relaxed(&page->_refcount) != 1)
		return false;
	atomic_store_relaxed(&page->_refcount, 0);
	return true;
}

static __always_inline bool is_sound(const struct page *page)
{
	unsigned long offset = (unsigned long)page - (unsigned long)usermm_memmap.pages;

	return offset < atomic_load_relaxed(&mm_window.online_map_bytes) &&
	       !(atomic_load_relaxed(&page->flags) | (unsigned long)page->mapping |
		 (unsigned long)atomic_load_relaxed(&page->_refcount));
}

/* Drops one reference of each page; frees those without references that pass the checks. */
static __always_inline void free_step(struct page **array, unsigned int nr, unsigned int steps)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct page *page = array[i];

		if (steps & REFERENCES && unlikely(!drop(page, steps)))
			continue;
		if (steps & CHECKS && unlikely(!is_sound(page)))
			continue;
		if (steps & STATISTICS)
			atomic_store_relaxed(&freed, atomic_load_relaxed(&freed) + 1);
		array[kept++] = page;
	}
	free_frozen_pages_bulk(array, kept);
}

static __always_inline void give(struct page **array, unsigned int nr, unsigned int steps)
{
	if (steps & BULK) {
		free_pages_bulk(array, nr);
	} else if (steps & ONE_BY_ONE) {
		for (unsigned int i = 0; i < nr; i++)
			put_page(array[i]);
	} else if (steps) {
		free_step(array, nr, steps);
	} else {
		free_frozen_pages_bulk(array, nr);
	}
}

static __always_inline unsigned long take(struct page **array, unsigned int steps)
{
	if (!(steps & COUNTED))
		return alloc_frozen_pages_bulk(GFP_KERNEL, HELD, array);
	memset(array, 0, HELD * sizeof(*array));
	return alloc_pages_bulk_array(GFP_KERNEL, HELD, array);
}

static __always_inline void free_body(struct bench_run *run, unsigned int steps)
{
	struct page *array[HELD];

	for (unsigned long i = 0; i < run->n; i++) {
		unsigned long got = take(array, steps);
		uint64_t start;

		if (got != HELD) {
			run->failed++;
			for (unsigned long j = 0; j < got; j++)
				give(array + j, 1, steps);
			continue;
		}
		start = ticks_begin();
		for (unsigned int first = 0; first < HELD; first += STEP)
			give(array + first, STEP, steps);
		run->ticks[0] += ticks_end() - start;
		run->timed++;
	}
}

BENCH_PLACED(all_loops, free_body(run, REFERENCES | CHECKS | STATISTICS));
BENCH_PLACED(locked_loops, free_body(run, REFERENCES | LOCKED | CHECKS | STATISTICS));
BENCH_PLACED(no_references_loops, free_body(run, CHECKS | STATISTICS));
BENCH_PLACED(no_checks_loops, free_body(run, REFERENCES | STATISTICS));
BENCH_PLACED(no_statistics_loops, free_body(run, REFERENCES | CHECKS));
BENCH_PLACED(bare_loops, free_body(run, 0));
BENCH_PLACED(bulk_loops, free_body(run, BULK));
BENCH_PLACED(put_loops, free_body(run, ONE_BY_ONE));

static const struct {
	const char *name, *help;
	const bench_loop *loops;
} variants[] = {
	{ "free_all", "references, checks, statistics", all_loops },
	{ "free_no_references", "frozen pages: checks, statistics", no_references_loops },
	{ "free_no_checks", "references, statistics", no_checks_loops },
	{ "free_no_statistics", "references, checks", no_statistics_loops },
	{ "free_locked", "all, references by locked operations", locked_loops },
	{ "free_bare", "none of the three: free_frozen_pages_bulk()", bare_loops },
	{ "free_bulk", "the library's free_pages_bulk()", bulk_loops },
	{ "free_put", "the library's put_page(), one by one", put_loops },
};

#define VARIANTS ARRAY_SIZE(variants)

void page_free_rows(struct bench *bench)
{
	struct bench_case cases[VARIANTS];

	for (unsigned int i = 0; i < VARIANTS; i++)
		cases[i] = (struct bench_case){ .loops = variants[i].loops, .step = STEP,
						.per = HELD, .n = PAGES_A_RUN / HELD };
	bench_measure(cases, VARIANTS, ROUNDS);
	bench_print(bench, "The free side alone, %d pages a call; the difference to all three "
			   "steps:\n", STEP);
	for (unsigned int i = 0; i < VARIANTS; i++) {
		double cycles = cases[i].cycles[0], difference = cycles - cases[0].cycles[0];

		/* No instructions: the count would include those of the allocations. */
		json_add_real(results_add(bench, variants[i].name, STEP, cycles), "difference",
			      difference);
		bench_print(bench, "%-20s %s cycles %s %+6.1f   %s\n", variants[i].name,
			    show_cycles(cycles), show_ratio(bench, cycles), difference,
			    variants[i].help);
	}
}
