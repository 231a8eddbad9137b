// SPDX-License-Identifier: MIT
/*
 * Suite quicklist: seed 3's table, from a synthetic load. Processes are forked,
 * exec and exit in a fixed pseudo-random order; each has page tables of four
 * levels in which a few entries are set. Teardown clears the entries it set, so
 * a table goes back in the state it came in; then both lists are trimmed, as
 * Linux did after flushing the TLB.
 *
 * Every call is timed by itself. path = "quicklist" takes pages from
 * quicklists, path = "page_allocator" takes zeroed pages and builds the top
 * level anew each time. The load is the same, page for page.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "results.h"
#include "timing.h"
#include "usermm/usermm.h"

#define QUICK_PGD 0
#define QUICK_PT 1
#define TRIM_MIN_PAGES 25
#define TRIM_MAX_FREE 16

#define ENTRIES 512
#define USER_ENTRIES 256
#define LIFETIMES 65228		/* as many top levels as the seed counted */
#define REPEATS 3
#define HIT_ROUNDS 25
#define MAX_LIVE 24
#define MIN_LIVE 6
#define MAX_SET 24
#define CACHE_BYTES (64 * 1024)

enum level { PTE, PMD, PUD, PGD, LEVELS };

static const char *const level_names[LEVELS] = { "pte", "pmd", "pud", "pgd" };

/* Tables of a process: 7 of page entries, 3 + 3 above them, 1 on top. */
#define TABLES 14
static const enum level shape[TABLES] = {
	PGD, PUD, PMD, PTE, PTE, PTE, PUD, PMD, PTE, PTE, PTE, PUD, PMD, PTE,
};

struct table {
	unsigned long *entries;		/* the page */
	unsigned short set[MAX_SET];	/* which entries are in use */
	unsigned int nr_set;
};

struct process {
	struct table tables[TABLES];
};

/* What the calls for one level took, in cycles. */
struct timings {
	unsigned long count, misses;
	double total, min, max, free_total;
};

static struct {
	bool by_quicklist;
	bool failed;
	uint64_t random;
	unsigned long kernel_half[ENTRIES - USER_ENTRIES];
	struct list_head pgds;			/* through page->lru */
	unsigned long pgds_made, tables_made;	/* by the page allocator */
	struct process live[MAX_LIVE];
	unsigned int nr_live;
	struct timings timings[LEVELS];
	volatile char working_set[CACHE_BYTES];
} load;

static unsigned long load_random(void)
{
	load.random ^= load.random << 13;
	load.random ^= load.random >> 7;
	load.random ^= load.random << 17;
	return load.random >> 11;
}

/* The kernel's half of the address space is the same in every top level. */
static void pgd_ctor(void *page)
{
	memcpy((unsigned long *)page + USER_ENTRIES, load.kernel_half,
	       sizeof(load.kernel_half));
	list_add(&virt_to_page(page)->lru, &load.pgds);
	load.pgds_made++;
}

static void pgd_dtor(void *page)
{
	list_del(&virt_to_page(page)->lru);
}

static void table_ctor(void *page)
{
	(void)page;
	load.tables_made++;
}

static noinline void *take_quick(enum level level)
{
	return level == PGD ? quicklist_alloc(QUICK_PGD, GFP_KERNEL, pgd_ctor) :
			      quicklist_alloc(QUICK_PT, GFP_KERNEL, table_ctor);
}

static noinline void give_quick(enum level level, void *page)
{
	if (level == PGD)
		quicklist_free(QUICK_PGD, pgd_dtor, page);
	else
		quicklist_free(QUICK_PT, NULL, page);
}

static noinline void *take_page(enum level level)
{
	void *page = (void *)get_zeroed_page(GFP_KERNEL);

	if (level == PGD && page)
		pgd_ctor(page);
	return page;
}

static noinline void give_page(enum level level, void *page)
{
	if (level == PGD)
		pgd_dtor(page);
	free_page((unsigned long)page);
}

static void *timed_take(enum level level)
{
	struct timings *t = &load.timings[level];
	unsigned long made = load.pgds_made + load.tables_made;
	uint64_t start = ticks_begin();
	void *page = load.by_quicklist ? take_quick(level) : take_page(level);
	double ticks = (double)(ticks_end() - start) - timing_overhead();

	t->total += ticks;
	t->min = fmin(t->min, fmax(ticks, 0));
	t->max = fmax(t->max, ticks);
	t->misses += load.pgds_made + load.tables_made - made;
	t->count++;
	load.failed |= !page;
	return page;
}

static void timed_give(enum level level, void *page)
{
	uint64_t start = ticks_begin();

	if (load.by_quicklist)
		give_quick(level, page);
	else
		give_page(level, page);
	load.timings[level].free_total += (double)(ticks_end() - start) - timing_overhead();
}

/* Sets a sparse run of entries; each must be free, as in a fresh table. */
static void fill_table(struct table *table, enum level level)
{
	unsigned int limit = level == PGD ? USER_ENTRIES : ENTRIES;
	unsigned int nr = level == PTE ? 4 + load_random() % (MAX_SET - 4) :
					 1 + load_random() % 3;
	unsigned int first = load_random() % (limit - MAX_SET);

	load.failed |= table->entries[0] != 0;
	table->nr_set = nr;
	for (unsigned int i = 0; i < nr; i++) {
		table->set[i] = (unsigned short)(first + i);
		load.failed |= table->entries[first + i] != 0;
		table->entries[first + i] = load_random() << 12 | 0x67;
	}
}

static void build(struct process *process)
{
	for (unsigned int i = 0; i < TABLES && !load.failed; i++) {
		process->tables[i].entries = timed_take(shape[i]);
		if (process->tables[i].entries)
			fill_table(&process->tables[i], shape[i]);
	}
}

static void trim(void)
{
	if (!load.by_quicklist)
		return;
	quicklist_trim(QUICK_PGD, pgd_dtor, TRIM_MIN_PAGES, TRIM_MAX_FREE);
	quicklist_trim(QUICK_PT, NULL, TRIM_MIN_PAGES, TRIM_MAX_FREE);
}

/* Bottom up, as a process is torn down. */
static void tear_down(struct process *process)
{
	for (unsigned int i = TABLES; i-- > 0;) {
		struct table *table = &process->tables[i];

		if (!table->entries)
			continue;
		for (unsigned int j = 0; j < table->nr_set; j++)
			table->entries[table->set[j]] = 0;
		timed_give(shape[i], table->entries);
		table->entries = NULL;
	}
	trim();
}

/* What the process does between its system calls: it uses the cache. */
static void work(void)
{
	unsigned int start = load_random() % (CACHE_BYTES / 2);

	for (unsigned int i = 0; i < CACHE_BYTES / 4; i += 64)
		load.working_set[start + i]++;
}

static void exit_one(unsigned int i)
{
	tear_down(&load.live[i]);
	load.live[i] = load.live[--load.nr_live];
	memset(&load.live[load.nr_live], 0, sizeof(load.live[0]));
}

/* One fork, mostly with an exec behind it, or one exit. */
static unsigned int step_load(void)
{
	unsigned int built = 1;

	if (load.nr_live == MAX_LIVE || (load.nr_live > MIN_LIVE && load_random() % 2)) {
		exit_one(load_random() % load.nr_live);
		return 0;
	}
	build(&load.live[load.nr_live++]);
	work();
	if (load_random() % 4) {
		tear_down(&load.live[load.nr_live - 1]);
		build(&load.live[load.nr_live - 1]);
		work();
		built++;
	}
	return built;
}

static bool run_load(bool by_quicklist)
{
	memset(load.live, 0, sizeof(load.live));
	memset(load.timings, 0, sizeof(load.timings));
	load.by_quicklist = by_quicklist;
	load.failed = false;
	load.random = 88172645463325252ull;
	load.nr_live = 0;
	INIT_LIST_HEAD(&load.pgds);
	for (unsigned int i = 0; i < ARRAY_SIZE(load.kernel_half); i++)
		load.kernel_half[i] = 0xffff888000000067ul + ((unsigned long)i << 12);
	for (unsigned int level = 0; level < LEVELS; level++)
		load.timings[level].min = INFINITY;
	for (unsigned int built = 0; built < LIFETIMES && !load.failed;)
		built += step_load();
	while (load.nr_live)
		exit_one(load.nr_live - 1);
	return !load.failed;
}

/* 401ns, 2.7us, 179.7us, 573.4ms, 4.3s: one decimal from the microsecond on. */
static const char *human(double ns)
{
	static const struct { double above, unit; const char *suffix; } units[] = {
		{ 1e9, 1e9, "s" }, { 1e6, 1e6, "ms" }, { 1e3, 1e3, "us" }, { 0, 1, "ns" },
	};
	static char buffers[8][32];
	static unsigned int next;
	char *text = buffers[next++ % 8];
	unsigned int i = 0;

	while (i < ARRAY_SIZE(units) - 1 && ns < units[i].above)
		i++;
	ns /= units[i].unit;
	snprintf(text, sizeof(buffers[0]), "%.*f%s",
		 units[i].unit > 1 && fabs(ns - nearbyint(ns)) >= 0.05 ? 1 : 0, ns,
		 units[i].suffix);
	return text;
}

static const char *const seed_lines[2][LEVELS] = {
	{ "1569048 4.3s(401ns/2.7us/179.7us)", "780988 2.1s(337ns/2.7us/86.1us)",
	  "780072 2.2s(424ns/2.8us/300.6us)", "260022 1s(920ns/4us/263.1us)" },
	{ "452436 573.4ms(8ns/1.3us/121.1us)", "196204 174.5ms(7ns/889ns/46.1us)",
	  "195688 172.4ms(7ns/881ns/151.3us)", "65228 9.8ms(8ns/150ns/6.1us)" },
};

static void add_level(struct bench *bench, enum level level, bool by_quicklist,
		      const struct timings *t)
{
	double average = t->total / (double)t->count;
	json_t *row = results_add(bench, level_names[level], 1, average);
	char line[96];

	json_object_set_new(row, "path",
			    json_string(by_quicklist ? "quicklist" : "page_allocator"));
	json_object_set_new(row, "count", json_integer((json_int_t)t->count));
	json_object_set_new(row, "total_ns", json_real(timing_ns(t->total)));
	json_object_set_new(row, "min_ns", json_real(timing_ns(t->min)));
	json_object_set_new(row, "avg_ns", json_real(timing_ns(average)));
	json_object_set_new(row, "max_ns", json_real(timing_ns(t->max)));
	json_object_set_new(row, "free_avg_ns",
			    json_real(timing_ns(t->free_total / (double)t->count)));
	if (by_quicklist)
		json_object_set_new(row, "hit_rate",
				    json_real(1 - (double)t->misses / (double)t->count));
	snprintf(line, sizeof(line), "%s_alloc %lu %s(%s/%s/%s)", level_names[level], t->count,
		 human(timing_ns(t->total)), human(timing_ns(t->min)),
		 human(timing_ns(average)), human(timing_ns(t->max)));
	bench_print(bench, "%-46s | seed %s", line, seed_lines[by_quicklist][level]);
	if (by_quicklist)
		bench_print(bench, " | %.1f %% hits",
			    100 * (1 - (double)t->misses / (double)t->count));
	bench_print(bench, "\n");
}

static __always_inline void hit_body(struct bench_run *run)
{
	unsigned long depth = (unsigned long)run->step, failed = 0;
	void *pages[32];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned long j = 0; j < depth; j++) {
			pages[j] = quicklist_alloc(QUICK_PT, GFP_KERNEL, table_ctor);
			failed += !pages[j];
		}
		for (unsigned long j = 0; j < depth; j++)
			quicklist_free(QUICK_PT, NULL, pages[j]);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

static __always_inline void hit_one_body(struct bench_run *run)
{
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		void *page = quicklist_alloc(QUICK_PT, GFP_KERNEL, table_ctor);

		if (likely(page))
			quicklist_free(QUICK_PT, NULL, page);
		else
			failed++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

BENCH_PLACED(hit_one_loops, hit_one_body(run));
BENCH_PLACED(hit_loops, hit_body(run));

static void measure_hits(struct bench *bench)
{
	struct bench_case cases[] = {
		{ .loops = hit_one_loops, .step = 1, .bare = 1 },
		{ .loops = hit_loops, .step = 32, .per = 32, .bare = 1 },
	};

	bench_measure(cases, ARRAY_SIZE(cases), HIT_ROUNDS);
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *row = results_add_counted(bench, "hit", cases[i].step,
						  cases[i].cycles[0], cases[i].instructions);

		json_object_set_new(row, "path", json_string("quicklist"));
		bench_print(bench, "hit, alloc + free at depth %2ld: %s cycles %s ns %s\n",
			    cases[i].step, show_cycles(cases[i].cycles[0]),
			    show_ns(cases[i].cycles[0]), show_ratio(bench, cases[i].cycles[0]));
	}
}

static int compare_totals(const void *a, const void *b)
{
	double x = ((const struct timings *)a)->total, y = ((const struct timings *)b)->total;

	return (x > y) - (x < y);
}

/* Of each level's repeats the one in the middle, by their totals. */
static void add_path(struct bench *bench, bool by_quicklist,
		     struct timings repeats[LEVELS][REPEATS])
{
	bench_print(bench, "%s\n", by_quicklist ? "quicklist" : "no quicklist");
	for (unsigned int level = 0; level < LEVELS; level++) {
		qsort(repeats[level], REPEATS, sizeof(repeats[level][0]), compare_totals);
		add_level(bench, level, by_quicklist, &repeats[level][REPEATS / 2]);
	}
}

void bench_quicklist(struct bench *bench)
{
	static struct timings timings[2][LEVELS][REPEATS];

	timing_pin(timing_cpu(0));
	for (unsigned int repeat = 0; repeat < REPEATS; repeat++)
		for (int path = 0; path < 2; path++) {
			if (!run_load(path)) {
				bench_print(bench, "a page was missing or not in its state\n");
				return;
			}
			for (unsigned int level = 0; level < LEVELS; level++)
				timings[path][level][repeat] = load.timings[level];
		}
	add_path(bench, false, timings[false]);
	add_path(bench, true, timings[true]);
	bench_print(bench, "(min/avg/max; one call is timed to %.1f ns)\n",
		    timing_ns(timing_resolution()));
	measure_hits(bench);
}
