// SPDX-License-Identifier: MIT
/* Suite kmalloc by one thread: seed 2's loops, frees on another CPU, and bulk calls. */
#include <math.h>

#include "child.h"
#include "kmalloc.h"
#include "loops/kmalloc.h"
#include "second_thread.h"
#include "measure/timing.h"
#include "usermm/usermm.h"

#define ROUNDS 7
#define REMOTE_ROUNDS 24
#define BULK_MAX 64
#define BULK_OBJECTS 4096	/* objects in a run */

#define SIZE(size) { stream_##size, pair_##size, pair16_##size },

static const struct {
	const bench_loop *stream, *pair, *pair16;
} loops[NR_KMALLOC_SIZES] = { KMALLOC_SIZES(SIZE) };

const long kmalloc_bench_sizes[NR_KMALLOC_SIZES] = {
	8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384
};

/* --- Frees on another CPU -------------------------------------------------- */

/* Objects that one CPU allocates and the other frees. */
struct remote {
	size_t bytes;
	double alloc, free;
};

static void free_there(void *arg)
{
	struct remote *remote = arg;
	uint64_t start = ticks_begin();

	for (unsigned int i = 0; i < OBJECTS; i++)
		kfree(objects[i]);
	remote->free = (double)(ticks_end() - start) - timing_overhead();
}

static bool remote_round(struct remote *remote)
{
	unsigned int failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned int i = 0; i < OBJECTS; i++)
		objects[i] = kmalloc(remote->bytes, GFP_KERNEL);
	remote->alloc = (double)(ticks_end() - start) - timing_overhead();
	for (unsigned int i = 0; i < OBJECTS; i++)
		failed += !objects[i];
	second_thread_call(free_there, remote);
	return !failed;
}

static void measure_remote(long bytes)
{
	struct remote remote = { .bytes = (size_t)bytes };
	double allocs[REMOTE_ROUNDS], frees[REMOTE_ROUNDS];

	if (!second_thread_available())
		return;
	timing_pin(timing_cpu(0));
	for (unsigned int i = 0; i < REMOTE_ROUNDS; i++) {
		bool good = remote_round(&remote);

		allocs[i] = good ? remote.alloc / OBJECTS : NAN;
		frees[i] = good ? remote.free / OBJECTS : NAN;
	}
	child_report("remote_alloc", bytes, bench_median(allocs, REMOTE_ROUNDS));
	child_report("remote_free", bytes, bench_median(frees, REMOTE_ROUNDS));
}

/* Measures with one thread first, then with two. */
void kmalloc_measure_single(void)
{
	struct bench_case cases[NR_KMALLOC_SIZES][3];

	for (unsigned int i = 0; i < NR_KMALLOC_SIZES; i++) {
		cases[i][0] = (struct bench_case){ .loops = loops[i].stream, .n = OBJECTS,
						   .bare = 1 };
		cases[i][1] = (struct bench_case){ .loops = loops[i].pair, .n = OBJECTS,
						   .bare = 1 };
		cases[i][2] = (struct bench_case){ .loops = loops[i].pair16,
						   .n = OBJECTS / BATCH, .per = BATCH,
						   .bare = 1 };
	}
	bench_measure(cases[0], NR_KMALLOC_SIZES * 3, ROUNDS);
	for (unsigned int i = 0; i < NR_KMALLOC_SIZES; i++) {
		long bytes = kmalloc_bench_sizes[i];

		child_report("alloc", bytes, cases[i][0].cycles[0]);
		child_report("free", bytes, cases[i][0].cycles[1]);
		child_report("pair", bytes, cases[i][1].cycles[0]);
		child_report("pair16", bytes, cases[i][2].cycles[0]);
		child_report("instructions_pair", bytes, cases[i][1].instructions);
		child_report("instructions_pair16", bytes, cases[i][2].instructions);
		measure_remote(bytes);
	}
}

/* --- Bulk ------------------------------------------------------------------ */

/* Weak: with a library that lacks them there are no bulk rows. */
int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n, void **taken)
	USERMM_API(kmem_cache_alloc_bulk) __attribute__((__weak__));
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **given)
	USERMM_API(kmem_cache_free_bulk) __attribute__((__weak__));

static __always_inline void bulk_body(struct bench_run *run)
{
	size_t n = (size_t)run->step;
	void *batch[BULK_MAX];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		if (kmem_cache_alloc_bulk(run->arg, GFP_KERNEL, n, batch) != (int)n) {
			run->failed++;
			break;
		}
		kmem_cache_free_bulk(run->arg, n, batch);
	}
	run->ticks[0] = ticks_end() - start;
}

/* Allocates and frees the same objects one by one. */
static __always_inline void bulk_single_body(struct bench_run *run)
{
	unsigned int n = (unsigned int)run->step;
	void *batch[BULK_MAX];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned int j = 0; j < n; j++) {
			batch[j] = kmem_cache_alloc(run->arg, GFP_KERNEL);
			run->failed += !batch[j];
		}
		for (unsigned int j = 0; j < n; j++)
			kmem_cache_free(run->arg, batch[j]);
	}
	run->ticks[0] = ticks_end() - start;
}

BENCH_PLACED(bulk_loops, bulk_body(run));
BENCH_PLACED(bulk_single_loops, bulk_single_body(run));

void kmalloc_measure_bulk(void)
{
	static const unsigned int sizes[] = { 1, 2, 4, 8, 16, 32, BULK_MAX };
	struct bench_case cases[ARRAY_SIZE(sizes)][2];
	struct kmem_cache *cache;

	if (!&kmem_cache_alloc_bulk || !&kmem_cache_free_bulk)
		return;
	cache = kmem_cache_create("bench-bulk", BULK_BYTES, 0, SLAB_HWCACHE_ALIGN, NULL);
	if (!cache)
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bench_case c = { .loops = bulk_loops, .step = sizes[i], .arg = cache,
					.n = BULK_OBJECTS / sizes[i], .per = sizes[i],
					.bare = 1 };

		cases[i][0] = c;
		c.loops = bulk_single_loops;
		cases[i][1] = c;
	}
	bench_measure(cases[0], ARRAY_SIZE(sizes) * 2, ROUNDS);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		child_report("bulk", sizes[i], cases[i][0].cycles[0]);
		child_report("bulk_single", sizes[i], cases[i][1].cycles[0]);
	}
	kmem_cache_destroy(cache);
}
