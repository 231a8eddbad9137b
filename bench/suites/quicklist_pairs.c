// SPDX-License-Identifier: MIT
/*
 * The cost of a quicklist hit, compared with other sources of a zeroed page: the page allocator,
 * the system, calloc(). Pages are taken and given back at once, or several at a time.
 */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "allocators.h"
#include "child.h"
#include "loops/zeroed_pairs.h"
#include "quicklist_pairs.h"
#include "results.h"
#include "measure/timing.h"
#include "usermm/pgtable.h"

#define ROUNDS 25
#define CHILD_ROUNDS 12

/* volatile pointers, so that the compiler cannot optimise the calls. */
static void *(*volatile take_calloc)(size_t nr, size_t bytes) = calloc;
static void (*volatile give_calloc)(void *object) = free;

static inline void *take_quick_pgd(void)
{
	return pgtable_quicklist_pages.alloc(PGTABLE_PGD, GFP_KERNEL);
}

static inline void give_quick_pgd(void *pgd)
{
	pgtable_quicklist_pages.free(PGTABLE_PGD, pgd);
}

static inline void *take_plain_pgd(void)
{
	return pgtable_plain_pages.alloc(PGTABLE_PGD, GFP_KERNEL);
}

static inline void give_plain_pgd(void *pgd)
{
	pgtable_plain_pages.free(PGTABLE_PGD, pgd);
}

/* Touches the page, since the system gives none before. */
static inline void *take_mapped(void)
{
	volatile char *page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	*page = 0;
	return (void *)page;
}

static inline void give_mapped(void *page)
{
	munmap(page, PAGE_SIZE);
}

static inline void *take_callocated(void)
{
	return take_calloc(1, PAGE_SIZE);
}

static inline void give_callocated(void *page)
{
	give_calloc(page);
}

PAGE_PAIRS(quick_pgd, take_quick_pgd, give_quick_pgd);
PAGE_PAIRS(plain_pgd, take_plain_pgd, give_plain_pgd);
PAGE_PAIRS(mapped, take_mapped, give_mapped);
PAGE_PAIRS(callocated, take_callocated, give_callocated);

#define DEPTH PAGE_PAIRS_MAX

static const struct {
	const char *name, *path, *what;
	const bench_loop *loops[2];	/* for depth 1 and for DEPTH */
} kinds[] = {
	{ "hit", "quicklist", "hit", { hit_one_loops, hit_loops } },
	{ "pgd_pair", "quicklist", "pgd, hit", { quick_pgd_one_loops, quick_pgd_loops } },
	{ "pgd_pair", "page_allocator", "pgd, page allocator",
	  { plain_pgd_one_loops, plain_pgd_loops } },
	{ "zeroed_page", "page_allocator", "zeroed page", { zeroed_one_loops, zeroed_loops } },
	{ "mmap_page", "mmap", "mmap, touch, munmap", { mapped_one_loops, mapped_loops } },
};

#define KINDS ARRAY_SIZE(kinds)

static struct bench_case page_case(const bench_loop *loops, bool deep)
{
	long depth = deep ? DEPTH : 1;

	return (struct bench_case){ .loops = loops, .step = depth, .per = (double)depth,
				    .bare = 1 };
}

/* hits[] are the costs of a hit at depth 1 and DEPTH. */
static void add_pair(struct bench *bench, const char *name, const char *path, const char *what,
		     const struct bench_case *c, const double hits[2])
{
	struct json *row = results_add_counted(bench, name, c->step, c->cycles[0], c->instructions);

	if (!row)
		return;
	json_add_text(row, "path", path);
	bench_print(bench, "%-20s alloc + free at depth %2ld: %6s cycles %8s ns %6s, as %.1f hits"
		    "\n", what, c->step, show_cycles(c->cycles[0]), show_ns(c->cycles[0]),
		    show_ratio(bench, c->cycles[0]), c->cycles[0] / hits[c->step > 1]);
}

int bench_quicklist_child(const char *arg)
{
	struct bench_case cases[] = { page_case(callocated_one_loops, false),
				      page_case(callocated_loops, true) };

	if (!allocators_in_use(arg)) {
		fprintf(stderr, "usermm bench: calloc does not come from libc\n");
		return 1;
	}
	bench_measure(cases, ARRAY_SIZE(cases), CHILD_ROUNDS);
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		child_report("calloc_page", cases[i].step, cases[i].cycles[0]);
	return 0;
}

struct calloc_context {
	struct bench *bench;
	double hits[2];
};

static void take_calloc_row(void *context, const char *name, long step, double cycles)
{
	const struct calloc_context *c = context;
	struct bench_case row = { .step = step, .cycles = { cycles }, .instructions = NAN };

	add_pair(c->bench, name, "glibc", "calloc by glibc", &row, c->hits);
}

void quicklist_measure_pairs(struct bench *bench)
{
	static const struct child_request libc = { .suite = "quicklist", .arg = "" };
	struct calloc_context context = { .bench = bench };
	struct bench_case cases[KINDS][2];
	const char *error;
	struct pgtable mm;

	/* Tables can be allocated only after an address space has been initialised. */
	if (pgtable_init(&mm, &pgtable_plain_pages, GFP_KERNEL))
		return;
	pgtable_exit(&mm);
	for (unsigned int i = 0; i < KINDS; i++)
		for (unsigned int deep = 0; deep < 2; deep++)
			cases[i][deep] = page_case(kinds[i].loops[deep], deep);
	bench_measure(cases[0], KINDS * 2, ROUNDS);
	for (unsigned int deep = 0; deep < 2; deep++)
		context.hits[deep] = cases[0][deep].cycles[0];
	for (unsigned int i = 0; i < KINDS * 2; i++)
		add_pair(bench, kinds[i / 2].name, kinds[i / 2].path, kinds[i / 2].what,
			 &cases[i / 2][i % 2], context.hits);
	error = child_run(&libc, take_calloc_row, &context);
	if (error)
		bench_print(bench, "calloc by glibc: %s\n", error);
}
