/* SPDX-License-Identifier: MIT */
/*
 * Seed 3's table as a synthetic load. Processes fork, exec and exit in a fixed pseudo-random order.
 * Each has page tables of four levels with a few entries set. Teardown clears these entries, so a
 * table goes back in the state it came in. Then both quicklists (of top levels, and of all other
 * tables) are trimmed, as Linux did after flushing the TLB.
 *
 * Every call is timed separately. The load either takes pages from quicklists, if there are any, or
 * takes zeroed pages and builds each top level anew. Both take the same pages in the same order.
 */
#ifndef BENCH_LOOPS_PAGE_TABLES_H
#define BENCH_LOOPS_PAGE_TABLES_H

#include "quicklists.h"
#include "table_timings.h"

#define TRIM_MIN_PAGES 25
#define TRIM_MAX_FREE 16

#define ENTRIES 512
#define USER_ENTRIES 256
#define LIFETIMES 65228		/* as many top levels as the seed counted */
#define MAX_LIVE 24
#define MIN_LIVE 6
#define MAX_SET 24
#define CACHE_BYTES (64 * 1024)

/* Tables of a process: 7 at the lowest level, 3 and 3 above them, 1 at the top. */
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

static struct {
	bool by_quicklist;
	bool failed;
	uint64_t random;
	unsigned long kernel_half[ENTRIES - USER_ENTRIES];
	struct list_head pgds;			/* linked by page->lru */
	unsigned long pgds_made, tables_made;	/* pages from the page allocator */
	struct process live[MAX_LIVE];
	unsigned int nr_live;
	struct timings timings[LEVELS];
	volatile char working_set[CACHE_BYTES];
} load = { .pgds = LIST_HEAD_INIT(load.pgds) };

static unsigned long load_random(void)
{
	load.random ^= load.random << 13;
	load.random ^= load.random >> 7;
	load.random ^= load.random << 17;
	return load.random >> 11;
}

/* Copies the kernel's half of the address space, which all top levels share. */
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

#if HAVE_QUICKLISTS
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

static void trim(void)
{
	if (!load.by_quicklist)
		return;
	quicklist_trim(QUICK_PGD, pgd_dtor, TRIM_MIN_PAGES, TRIM_MAX_FREE);
	quicklist_trim(QUICK_PT, NULL, TRIM_MIN_PAGES, TRIM_MAX_FREE);
}
#else
/* Never called: where there are no quicklists, the load never takes pages from them. */
static void *take_quick(enum level level)
{
	return NULL;
}

static void give_quick(enum level level, void *page)
{
}

static void trim(void)
{
}
#endif

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
	uint64_t start = ticks_begin_stored();
	void *page = load.by_quicklist ? take_quick(level) : take_page(level);
	uint64_t ticks = ticks_end_stored() - start;

	timings_add(t, ticks, load.pgds_made + load.tables_made != made);
	load.failed |= !page;
	return page;
}

static void timed_give(enum level level, void *page)
{
	uint64_t start = ticks_begin_stored();

	if (load.by_quicklist)
		give_quick(level, page);
	else
		give_page(level, page);
	load.timings[level].free_total += ticks_end_stored() - start;
}

/* Sets some entries, spread over the table. Each must be empty, as in a fresh table. */
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

/* Tears a process down, from the bottom level up. */
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

/* Uses the cache, as a process does between its system calls. */
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

/* One fork, mostly followed by an exec; or one exit. */
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

/* Runs the load. False if there was no memory, or a page was not in its state. */
static bool run_load(bool by_quicklist, unsigned int lifetimes)
{
	memset(load.live, 0, sizeof(load.live));
	timings_reset(load.timings);
	load.by_quicklist = by_quicklist;
	load.failed = false;
	load.random = 88172645463325252ull;
	load.nr_live = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(load.kernel_half); i++)
		load.kernel_half[i] = 0xffff888000000067ul + ((unsigned long)i << 12);
	for (unsigned int built = 0; built < lifetimes && !load.failed;)
		built += step_load();
	while (load.nr_live)
		exit_one(load.nr_live - 1);
	return !load.failed;
}

#endif
