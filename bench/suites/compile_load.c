// SPDX-License-Identifier: MIT
#include "compile_load.h"

#include <math.h>

#include "measure/counters.h"
#include "loads/replay.h"

/*
 * Stands in for the work of the processes. Linux clears a page that a process gets, and the process
 * then works on it. So for each page that is touched, one page of memory is written. The number of
 * these pages is chosen so that they fill the second-level cache, and that older data of the load
 * is no longer in the first-level cache.
 */
#define USED_PAGES 256

static struct {
	const struct pgtable_pages *from;
	bool by_quicklist;
	unsigned long misses[LEVELS];	/* misses so far of each level's quicklist */
	struct timings *timings;
	struct counted_level {
		double sums[NR_COUNTERS];
		unsigned long calls;
	} counted[LEVELS];
} tables;

static struct replay replay;

static void use_page(void)
{
	static unsigned char memory[USED_PAGES][PAGE_SIZE] __aligned(PAGE_SIZE);
	static unsigned int next;
	volatile unsigned char *page = memory[next++ % USED_PAGES];

	for (unsigned int line = 0; line < PAGE_SIZE; line += CACHE_LINE_BYTES)
		page[line]++;
}

/*
 * Did the call that just ended miss? Statistics are read only after the call, so that the call
 * finds the cache as the load has left it.
 */
static bool has_missed(enum pgtable_level level)
{
	struct quicklist_stats stats;
	unsigned int list = level == PGTABLE_PGD ? PGD : PTE;
	bool missed;

	if (!tables.by_quicklist)
		return true;
	pgtable_quicklist_stats(level, &stats);
	missed = stats.misses != tables.misses[list];
	tables.misses[list] = stats.misses;
	return missed;
}

/* The function is looked up before the clock starts, since pgtable does so once, too. */
static void *timed_alloc(enum pgtable_level level, gfp_t gfp)
{
	void *(*alloc)(enum pgtable_level level, gfp_t gfp) = tables.from->alloc;
	uint64_t start = ticks_begin_stored(), ticks;
	void *table = alloc(level, gfp);

	ticks = ticks_end_stored() - start;
	timings_add(&tables.timings[level], ticks, has_missed(level));
	return table;
}

static void timed_free(enum pgtable_level level, void *table)
{
	void (*free)(enum pgtable_level level, void *table) = tables.from->free;
	uint64_t start = ticks_begin_stored();

	free(level, table);
	tables.timings[level].free_total += ticks_end_stored() - start;
}

static const struct pgtable_pages timed_pages = { timed_alloc, timed_free };

/* The counter in use. Each is used alone, since a machine may have only one. */
static enum counter counter;

static void *counted_alloc(enum pgtable_level level, gfp_t gfp)
{
	struct counted_level *counted = &tables.counted[level];
	void *table;

	counters_start(counter);
	table = tables.from->alloc(level, gfp);
	counted->sums[counter] += counters_stop(counter);
	counted->calls++;
	return table;
}

static void counted_free(enum pgtable_level level, void *table)
{
	tables.from->free(level, table);
}

static const struct pgtable_pages counted_pages = { counted_alloc, counted_free };

static const char *run(struct trace *trace, bool by_quicklist, const struct pgtable_pages *pages)
{
	struct trace_event event;
	int error = 0;

	tables.by_quicklist = by_quicklist;
	tables.from = by_quicklist ? &pgtable_quicklist_pages : &pgtable_plain_pages;
	for (unsigned int level = 0; level < LEVELS; level++)
		has_missed(level);
	replay.pages = pages;
	replay.trim = by_quicklist;
	replay.used = use_page;
	replay.next_frame = 0;
	trace_rewind(trace);
	while (!error && trace_next(trace, &event))
		error = replay_event(&replay, &event);
	replay_end(&replay);
	return error ? "the page tables could not be built" : trace->error;
}

const char *compile_load_time(struct trace *trace, bool by_quicklist,
			      struct timings timings[LEVELS])
{
	timings_reset(timings);
	tables.timings = timings;
	return run(trace, by_quicklist, &timed_pages);
}

/* What start and stop themselves add to the counter: the minimum of several tries. */
static double count_nothing(void)
{
	double least = INFINITY;

	for (unsigned int i = 0; i < 64; i++) {
		counters_start(counter);
		least = fmin(least, counters_stop(counter));
	}
	return least;
}

static const char *count_all(struct trace *trace, bool by_quicklist)
{
	for (unsigned int level = 0; level < LEVELS; level++)
		tables.counted[level] = (struct counted_level){ .calls = 0 };
	return run(trace, by_quicklist, &counted_pages);
}

const char *compile_load_count(struct trace *trace, bool by_quicklist,
			       struct table_counts counts[LEVELS])
{
	const char *error = NULL;

	for (unsigned int level = 0; level < LEVELS; level++)
		counts[level] = (struct table_counts){ NAN, NAN };
	for (counter = 0; counter < NR_COUNTERS && !error; counter++) {
		double nothing;

		if (!counters_have(counter))
			continue;
		error = count_all(trace, by_quicklist);
		nothing = count_nothing();
		for (unsigned int level = 0; level < LEVELS; level++) {
			struct counted_level *counted = &tables.counted[level];
			double each = counted->sums[counter] / (double)counted->calls - nothing;

			*(counter == COUNT_INSTRUCTIONS ? &counts[level].instructions :
			  &counts[level].cache_misses) = fmax(each, 0);
		}
	}
	return error;
}
