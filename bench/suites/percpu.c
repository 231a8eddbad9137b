// SPDX-License-Identifier: MIT
/*
 * Suite percpu: the primitives below every fast path. `pair` compared with R shows if the library's
 * sequences are as good as possible. freelist_pair is a pair on a tagged list, whose items are
 * linked. The fallback rows are the costs of the same operations without rseq.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "bench.h"
#include "child.h"
#include "percpu/percpu.h"
#include "percpu/remote.h"
#include "percpu/tagged_list.h"
#include "results.h"
#include "measure/timing.h"
#include "usermm/usermm.h"

#define ROUNDS 31
#define CAPACITY 1024
#define FILLED (CAPACITY / 2)
#define BATCH 16
/* The block of the tagged list. */
#define ITEM_BYTES 64
#define NR_ITEMS 64
#define BLOCK_BYTES (ITEM_BYTES * NR_ITEMS)

static __always_inline void pair_body(struct bench_run *run)
{
	struct percpu_array *array = run->arg;
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		void *item = percpu_pop(array);

		if (unlikely(!item) || unlikely(!percpu_push(array, item)))
			failed++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

static __always_inline void pair16_body(struct bench_run *run)
{
	struct percpu_array *array = run->arg;
	unsigned long failed = 0;
	void *items[BATCH];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned int j = 0; j < BATCH; j++) {
			items[j] = percpu_pop(array);
			failed += !items[j];
		}
		for (unsigned int j = 0; j < BATCH; j++)
			failed += !percpu_push(array, items[j]);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

static char block[NR_ITEMS][ITEM_BYTES] __aligned(BLOCK_BYTES);
/* Not a constant, because a cache's offset is not constant either. */
static volatile uint32_t block_link = ITEM_BYTES / 2;

static __always_inline void freelist_pair_body(struct bench_run *run)
{
	struct percpu_tagged_list *list = run->arg;
	uint32_t link = block_link;
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		void *item = percpu_tagged_pop(list, link);

		if (unlikely(!item) ||
		    unlikely(!percpu_tagged_push(list, item, link, BLOCK_BYTES - 1)))
			failed++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

static __always_inline void freelist_pair16_body(struct bench_run *run)
{
	struct percpu_tagged_list *list = run->arg;
	uint32_t link = block_link;
	unsigned long failed = 0;
	void *items[BATCH];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned int j = 0; j < BATCH; j++) {
			items[j] = percpu_tagged_pop(list, link);
			failed += !items[j];
		}
		for (unsigned int j = 0; j < BATCH; j++)
			failed += !percpu_tagged_push(list, items[j], link, BLOCK_BYTES - 1);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

/* Empties the array in calls of `step` items, then fills it again. */
static __always_inline void batch_body(struct bench_run *run, unsigned int step)
{
	static void *items[FILLED];
	struct percpu_array *array = run->arg;
	unsigned long moved = 0;

	for (unsigned long i = 0; i < run->n; i++) {
		uint64_t start = ticks_begin(), middle;

		for (unsigned int j = 0; j < FILLED; j += step)
			moved += percpu_pop_n(array, items + j, step);
		middle = ticks_end();
		run->ticks[0] += middle - start;
		start = ticks_begin();
		for (unsigned int j = 0; j < FILLED; j += step)
			moved += percpu_push_n(array, items + j, step);
		run->ticks[1] += ticks_end() - start;
	}
	run->timed = run->n;
	run->failed = moved != run->n * FILLED * 2;
}

/*
 * Stops a slot that another thread uses, takes its array's items, and starts the slot again with
 * the same items. (In a process with one thread the kernel would have nothing to do.)
 */
static __always_inline void stop_drain_body(struct bench_run *run)
{
	static void *items[CAPACITY];
	struct percpu_array *array = run->arg;
	struct percpu_stopped_array stopped;
	unsigned int slot = percpu_nr_slots() - 1;
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		if (percpu_stop_array(array, slot, &stopped)) {
			failed++;
			continue;
		}
		memcpy(items, stopped.array->items, stopped.count * sizeof(void *));
		percpu_start_array(&stopped);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

BENCH_PLACED(pair_loops, pair_body(run));
BENCH_PLACED(pair16_loops, pair16_body(run));
BENCH_PLACED(freelist_pair_loops, freelist_pair_body(run));
BENCH_PLACED(freelist_pair16_loops, freelist_pair16_body(run));
BENCH_PLACED(batch8_loops, batch_body(run, 8));
BENCH_PLACED(batch32_loops, batch_body(run, 32));
BENCH_PLACED(stop_drain_loops, stop_drain_body(run));

/* Makes an array that is half full on this CPU; NULL without memory. */
static struct percpu_array *make_array(void)
{
	size_t bytes = sizeof(struct percpu_array) + CAPACITY * sizeof(void *);
	static char items[FILLED];
	struct percpu_array *array;

	kfree(kmalloc(8, GFP_KERNEL));	/* the first call initialises the library */
	timing_pin(timing_cpu(0));
	array = percpu_alloc(bytes, CACHE_LINE_BYTES);
	if (!array)
		return NULL;
	percpu_array_prepare(array, CAPACITY);
	for (unsigned int i = 0; i < FILLED; i++)
		if (!percpu_push(array, &items[i]))
			return NULL;
	return array;
}

/* Makes a list with all items of the block, on this CPU; NULL without memory. */
static struct percpu_tagged_list *make_list(void)
{
	struct percpu_tagged_list *list = percpu_alloc(sizeof(*list), CACHE_LINE_BYTES);

	if (!list || !percpu_tagged_cas(list, 0, percpu_tagged_token(block)))
		return NULL;
	for (unsigned int i = 0; i < NR_ITEMS; i++)
		if (!percpu_tagged_push(list, block[i], block_link, BLOCK_BYTES - 1))
			return NULL;
	return list;
}

static void show_row(struct bench *bench, const char *name, long step, double cycles)
{
	if (!isnan(cycles))
		bench_print(bench, "%-14s step %3ld: %8s cycles %8s ns %8s\n", name, step,
			    show_cycles(cycles), show_ns(cycles), show_ratio(bench, cycles));
}

static void add(struct bench *bench, const char *name, const struct bench_case *c, int phase)
{
	results_add_counted(bench, name, c->step, c->cycles[phase], c->instructions);
	show_row(bench, name, c->step, c->cycles[phase]);
}

static void add_fallback(void *context, const char *name, long step, double cycles)
{
	results_add(context, name, step, cycles);
	show_row(context, name, step, cycles);
}

static void measure_rseq(struct bench *bench, struct percpu_array *array,
			 struct percpu_tagged_list *list)
{
	struct bench_case cases[] = {
		{ .loops = pair_loops, .step = 1, .arg = array, .bare = 1 },
		{ .loops = pair16_loops, .step = BATCH, .arg = array, .per = BATCH, .bare = 1 },
		{ .loops = freelist_pair_loops, .step = 1, .arg = list, .bare = 1 },
		{ .loops = freelist_pair16_loops, .step = BATCH, .arg = list, .per = BATCH,
		  .bare = 1 },
		{ .loops = batch8_loops, .step = 8, .arg = array, .per = FILLED },
		{ .loops = batch32_loops, .step = 32, .arg = array, .per = FILLED },
	};

	bench_measure(cases, ARRAY_SIZE(cases), ROUNDS);
	add(bench, "pair", &cases[0], 0);
	add(bench, "pair16", &cases[1], 0);
	add(bench, "freelist_pair", &cases[2], 0);
	add(bench, "freelist_pair16", &cases[3], 0);
	for (int phase = 0; phase < 2; phase++)
		for (unsigned int i = 4; i < ARRAY_SIZE(cases); i++)
			add(bench, phase ? "push_n" : "pop_n", &cases[i], phase);
}

/* The thread on the other CPU. Sync: atomic relaxed. */
static struct {
	struct percpu_array *array;
	unsigned int running, stop;
} worker;

static void *work_meanwhile(void *arg)
{
	timing_pin(timing_cpu(1));
	percpu_array_prepare(worker.array, CAPACITY);
	while (!__atomic_load_n(&worker.stop, __ATOMIC_RELAXED)) {
		void *item = percpu_pop(worker.array);

		percpu_push(worker.array, item ? item : &worker);
		__atomic_store_n(&worker.running, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

static void measure_stop_drain(struct bench *bench, struct percpu_array *array)
{
	struct bench_case c = { .loops = stop_drain_loops, .step = 1, .arg = array };
	pthread_t thread;

	if (!percpu_can_stop()) {
		bench_print(bench, "stop_drain: this kernel or sandbox has no membarrier(2) for "
				   "it\n");
		return;
	}
	worker.array = array;
	if (timing_cpu(1) == timing_cpu(0) || pthread_create(&thread, NULL, work_meanwhile, NULL)) {
		bench_print(bench, "stop_drain: needs two CPUs\n");
		return;
	}
	while (!__atomic_load_n(&worker.running, __ATOMIC_RELAXED))
		cpu_relax();
	bench_measure(&c, 1, ROUNDS);
	__atomic_store_n(&worker.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	add(bench, "stop_drain", &c, 0);
}

static void measure_fallback(child_row report, void *context, struct percpu_array *array,
			     struct percpu_tagged_list *list)
{
	struct bench_case cases[] = {
		{ .loops = pair_loops, .step = 1, .arg = array, .bare = 1 },
		{ .loops = freelist_pair_loops, .step = 1, .arg = list, .bare = 1 },
	};

	bench_measure(cases, ARRAY_SIZE(cases), ROUNDS);
	report(context, "fallback_pair", 1, cases[0].cycles[0]);
	report(context, "fallback_freelist_pair", 1, cases[1].cycles[0]);
}

static void report_to_parent(void *context, const char *name, long step, double cycles)
{
	(void)context;
	child_report(name, step, cycles);
}

int bench_percpu_child(const char *arg)
{
	struct percpu_array *array = make_array();
	struct percpu_tagged_list *list = make_list();

	(void)arg;
	if (!array || !list || percpu_mode() != PERCPU_LOCKED)
		return 1;
	measure_fallback(report_to_parent, NULL, array, list);
	return 0;
}

void bench_percpu(struct bench *bench)
{
	const struct child_request request = { .suite = "percpu", .options = "rseq=off" };
	struct percpu_array *array = make_array();
	struct percpu_tagged_list *list = make_list();
	const char *error;

	if (!array || !list) {
		bench_print(bench, "no per-CPU array or list could be made\n");
		return;
	}
	if (percpu_mode() == PERCPU_LOCKED) {
		bench_print(bench, "no rseq: %s\n", percpu_mode_reason());
		measure_fallback(add_fallback, bench, array, list);
		return;
	}
	measure_rseq(bench, array, list);
	measure_stop_drain(bench, array);
	error = child_run(&request, add_fallback, bench);
	if (error)
		bench_print(bench, "fallback_pair: %s\n", error);
}
