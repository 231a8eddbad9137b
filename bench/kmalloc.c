// SPDX-License-Identifier: MIT
/*
 * Suite kmalloc: seed 2's test (loops/kmalloc.h), and frees on another CPU.
 *
 * path = "sheaf" is the per-CPU array of objects reached by rseq; "locked" is
 * the same in a process with rseq=off: what a fast path costs that has to keep
 * others out explicitly.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "child.h"
#include "loops/kmalloc.h"
#include "peer.h"
#include "results.h"
#include "timing.h"
#include "usermm/usermm.h"

#define ROUNDS 15
#define REMOTE_ROUNDS 24
#define KINDS 5

/* The seed's figures: kmalloc, kfree and the pair, before and after. */
struct seed {
	int alloc, free, pair;
};

#define SIZE(size, ...) { size, stream_##size, pair_##size, pair16_##size, __VA_ARGS__ }

static const struct size {
	long bytes;
	const bench_loop *stream, *pair, *pair16;
	struct seed before, after;
} sizes[] = {
	SIZE(8, { 68, 107, 114 }, { 41, 81, 100 }),
	SIZE(16, { 69, 108, 115 }, { 47, 88, 108 }),
	SIZE(32, { 78, 112, 117 }, { 48, 93, 101 }),
	SIZE(64, { 97, 112, 115 }, { 58, 89, 109 }),
	SIZE(128, { 111, 119, 111 }, { 84, 104, 125 }),
	SIZE(256, { 114, 139, 116 }, { 92, 125, 60 }),
	SIZE(512, { 110, 142, 110 }, { 86, 129, 60 }),
	SIZE(1024, { 114, 156, 114 }, { 88, 125, 67 }),
	SIZE(2048, { 155, 174, 110 }, { 120, 159, 60 }),
	SIZE(4096, { 203, 209, 107 }, { 176, 183, 65 }),
	SIZE(8192, { 361, 265, 108 }, { 294, 233, 60 }),
	SIZE(16384, { 597, 286, 706 }, { 585, 291, 686 }),
};

static const char *const kinds[KINDS] = { "alloc", "free", "pair", "pair16", "remote_free" };

/* What one path costs: cycles by size and kind; NaN = not measured. */
struct table {
	double cycles[ARRAY_SIZE(sizes)][KINDS];
	double instructions[ARRAY_SIZE(sizes)][KINDS];
	double remote_alloc[ARRAY_SIZE(sizes)];
};

/* Objects that one CPU takes and the other gives back. */
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
	peer_call(free_there, remote);
	return !failed;
}

static void measure_remote(long bytes, double *alloc_cycles, double *free_cycles)
{
	struct remote remote = { .bytes = (size_t)bytes };
	double allocs[REMOTE_ROUNDS], frees[REMOTE_ROUNDS];

	*alloc_cycles = *free_cycles = NAN;
	if (!peer_available())
		return;
	timing_pin(timing_cpu(0));
	for (unsigned int i = 0; i < REMOTE_ROUNDS; i++) {
		bool good = remote_round(&remote);

		allocs[i] = good ? remote.alloc / OBJECTS : NAN;
		frees[i] = good ? remote.free / OBJECTS : NAN;
	}
	*alloc_cycles = bench_median(allocs, REMOTE_ROUNDS);
	*free_cycles = bench_median(frees, REMOTE_ROUNDS);
}

static void clear_table(struct table *table)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		table->remote_alloc[i] = NAN;
		for (unsigned int kind = 0; kind < KINDS; kind++)
			table->cycles[i][kind] = table->instructions[i][kind] = NAN;
	}
}

/* One thread first, then two. */
static void measure_all(struct table *table)
{
	struct bench_case cases[ARRAY_SIZE(sizes)][3];

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		cases[i][0] = (struct bench_case){ .loops = sizes[i].stream, .n = OBJECTS,
						   .bare = 1 };
		cases[i][1] = (struct bench_case){ .loops = sizes[i].pair, .n = OBJECTS,
						   .bare = 1 };
		cases[i][2] = (struct bench_case){ .loops = sizes[i].pair16,
						   .n = OBJECTS / BATCH, .per = BATCH,
						   .bare = 1 };
	}
	bench_measure(cases[0], ARRAY_SIZE(sizes) * 3, ROUNDS);
	clear_table(table);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		table->cycles[i][0] = cases[i][0].cycles[0];
		table->cycles[i][1] = cases[i][0].cycles[1];
		table->cycles[i][2] = cases[i][1].cycles[0];
		table->cycles[i][3] = cases[i][2].cycles[0];
		table->instructions[i][2] = cases[i][1].instructions;
		table->instructions[i][3] = cases[i][2].instructions;
		measure_remote(sizes[i].bytes, &table->remote_alloc[i], &table->cycles[i][4]);
	}
}

static bool mode_is_locked(void)
{
	struct usermm_doctor doctor;

	usermm_doctor_read(&doctor);
	return !strcmp(doctor.percpu_mode, "locked");
}

int bench_kmalloc_child(const char *arg)
{
	static struct table table;

	(void)arg;
	if (!mode_is_locked())
		return 1;
	measure_all(&table);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (unsigned int kind = 0; kind < KINDS; kind++)
			child_report(kinds[kind], sizes[i].bytes, table.cycles[i][kind]);
		child_report("remote_alloc", sizes[i].bytes, table.remote_alloc[i]);
	}
	return 0;
}

static void take_row(void *context, const char *name, long step, double cycles)
{
	struct table *table = context;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i].bytes != step)
			continue;
		if (!strcmp(name, "remote_alloc"))
			table->remote_alloc[i] = cycles;
		for (unsigned int kind = 0; kind < KINDS; kind++)
			if (!strcmp(name, kinds[kind]))
				table->cycles[i][kind] = cycles;
	}
}

static void add_rows(struct bench *bench, const struct table *table, const char *path)
{
	for (unsigned int kind = 0; kind < KINDS; kind++)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
			json_t *row = results_add_counted(bench, kinds[kind], sizes[i].bytes,
							  table->cycles[i][kind],
							  table->instructions[i][kind]);

			json_object_set_new(row, "path", json_string(path));
			if (kind == 4 && !isnan(table->remote_alloc[i]))
				json_object_set_new(row, "alloc_cycles",
						    json_real(table->remote_alloc[i]));
		}
}

/* Three columns of whole cycles: this machine, the seed before, the seed after. */
static void print_table(struct bench *bench, const struct table *table, const char *path)
{
	bench_print(bench, "Single thread testing (path=%s; beside it the seed before -> after)\n"
			   "1. Kmalloc: Repeatedly allocate then free test\n", path);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_print(bench, "%d times kmalloc(%ld) -> %s cycles kfree -> %s cycles  "
				   "[%s %s | seed %d/%d -> %d/%d]\n", OBJECTS, sizes[i].bytes,
			    show_whole(table->cycles[i][0]), show_whole(table->cycles[i][1]),
			    show_ratio(bench, table->cycles[i][0]),
			    show_ratio(bench, table->cycles[i][1]), sizes[i].before.alloc,
			    sizes[i].before.free, sizes[i].after.alloc, sizes[i].after.free);
	bench_print(bench, "2. Kmalloc: alloc/free test\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_print(bench, "%d times kmalloc(%ld)/kfree -> %s cycles  "
				   "[%s; by sixteen %s %s | seed %d -> %d]\n", OBJECTS,
			    sizes[i].bytes, show_whole(table->cycles[i][2]),
			    show_ratio(bench, table->cycles[i][2]),
			    show_cycles(table->cycles[i][3]),
			    show_ratio(bench, table->cycles[i][3]), sizes[i].before.pair,
			    sizes[i].after.pair);
	bench_print(bench, "Remote free test\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!isnan(table->cycles[i][4]))
			bench_print(bench, "1 alloc 1 free(%ld): 0=%s 1=%s\n", sizes[i].bytes,
				    show_whole(table->remote_alloc[i]),
				    show_whole(table->cycles[i][4]));
}

void bench_kmalloc(struct bench *bench)
{
	const struct child_request request = { .suite = "kmalloc", .options = "rseq=off" };
	static struct table table;
	const char *error;

	if (!mode_is_locked()) {
		measure_all(&table);
		add_rows(bench, &table, "sheaf");
		print_table(bench, &table, "sheaf");
	}
	clear_table(&table);
	error = child_run(&request, take_row, &table);
	if (error) {
		bench_print(bench, "path=locked: %s\n", error);
		return;
	}
	add_rows(bench, &table, "locked");
	print_table(bench, &table, "locked");
}
