// SPDX-License-Identifier: MIT
/* Suite kmalloc: cache lines that kmalloc() and kfree() touch on their fast paths. */
#include "child.h"
#include "kmalloc.h"
#include "measure/lines.h"
#include "usermm/usermm.h"

#define WARM_RUNS 200
#define BATCH 16
#define STREAM KMALLOC_LINES_STREAM

const long kmalloc_lines_sizes[NR_LINES_SIZES] = { 8, 64, 256, 1024, 4096 };

/* A struct work lies on the stack, whose cache lines are not counted. */
struct work {
	size_t bytes;
	void **objects;
	unsigned int n;
};

static void take(void *arg)
{
	struct work *work = arg;

	for (unsigned int i = 0; i < work->n; i++)
		work->objects[i] = kmalloc(work->bytes, GFP_KERNEL);
}

static void give(void *arg)
{
	struct work *work = arg;

	for (unsigned int i = 0; i < work->n; i++)
		kfree(work->objects[i]);
}

static void take_and_give(void *arg)
{
	take(arg);
	give(arg);
}

static void warm_up(struct work *work, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		take_and_give(work);
}

static void trace_pair(struct work *work)
{
	long step = (long)work->bytes;
	struct lines lines;

	work->n = 1;
	warm_up(work, WARM_RUNS);
	if (!lines_trace(take_and_give, work, &lines))
		return;
	child_report("lines_pair", step, lines_total(&lines));
	child_report("lines_pair_objects", step, (double)lines.objects);
	child_report("lines_pair_pages", step, (double)lines.pages);
	child_report("lines_pair_others", step, (double)lines.others);
}

/* Counts the lines for each of several objects that are allocated at the same time. */
static void trace_many(struct work *work)
{
	long step = (long)work->bytes;
	struct lines lines;

	work->n = BATCH;
	warm_up(work, WARM_RUNS);
	if (lines_trace(take_and_give, work, &lines))
		child_report("lines_pair16", step, lines_total(&lines) / BATCH);
	work->n = STREAM;
	warm_up(work, 2);
	if (lines_trace(take, work, &lines))
		child_report("lines_alloc", step, lines_total(&lines) / STREAM);
	if (lines_trace(give, work, &lines))
		child_report("lines_free", step, lines_total(&lines) / STREAM);
}

const char *kmalloc_measure_lines(void)
{
	void *objects[STREAM];
	struct work work = { .objects = objects };
	const char *why = lines_begin();

	for (unsigned int i = 0; !why && i < NR_LINES_SIZES; i++) {
		work.bytes = (size_t)kmalloc_lines_sizes[i];
		trace_pair(&work);
		trace_many(&work);
	}
	return why;
}
