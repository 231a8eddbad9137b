// SPDX-License-Identifier: MIT
/*
 * The roots of a target: registers, stacks, data, thread-local data, and other mappings. Threads
 * are paused while registers and the roots that change most are copied; stacks come first. Large
 * roots are read when the threads run again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reach.h"

#define PAGE_BYTES 4096UL
/* So much is copied while threads are paused: it takes a few milliseconds. */
#define COPY_BYTES (8UL << 20)
/* A root of more bytes is read afterwards. */
#define COPY_EACH_MAX (2UL << 20)
/* Bytes below the stack pointer that a function may use. */
#define RED_ZONE 128

struct interval {
	uint64_t start, end;
	char *copy;		/* NULL: not copied */
	bool is_stack;
};

struct intervals {
	struct interval *all;
	size_t nr;
	bool failed;		/* no memory */
};

static void add(struct intervals *intervals, uint64_t start, uint64_t end, bool is_stack)
{
	if (start >= end || intervals->failed)
		return;
	if (!(intervals->nr & (intervals->nr - 1))) {
		size_t room = intervals->nr ? 2 * intervals->nr : 1;
		struct interval *all = realloc(intervals->all, room * sizeof(*all));

		intervals->failed = !all;
		if (!all)
			return;
		intervals->all = all;
	}
	intervals->all[intervals->nr++] = (struct interval){ start, end, NULL, is_stack };
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* --- What is no root --------------------------------------------------------------- */

static bool ends_at_guard(const struct target *target, const struct range *range)
{
	return range == target->ranges || range[-1].end != range->start || !range[-1].readable;
}

/*
 * The part of a thread's stack that is not in use. Only if something inaccessible lies below: else
 * other memory may have been joined to the stack's mapping.
 */
static void add_unused_stack(const struct reach *reach, struct intervals *holes,
			     const struct thread *thread)
{
	const struct target *target = reach->heap->target;
	const struct range *range = target_range(target, thread->stack_pointer);

	if (!range || heap_is_online(reach->heap, thread->stack_pointer) ||
	    outside_find(&reach->outside, thread->stack_pointer) ||
	    !(range->is_stack || ends_at_guard(target, range)))
		return;
	/* Another thread's stack may lie in the same mapping: the lowest pointer counts. */
	for (size_t i = 0; i < target->nr_threads; i++)
		if (target->threads[i].stack_pointer >= range->start &&
		    target->threads[i].stack_pointer < thread->stack_pointer)
			return;
	if (thread->stack_pointer - range->start > RED_ZONE)
		add(holes, range->start, thread->stack_pointer - RED_ZONE, false);
}

static void find_holes(const struct reach *reach, struct intervals *holes)
{
	const struct target *target = reach->heap->target;

	for (size_t i = 0; i < reach->outside.nr_own; i++)
		add(holes, reach->outside.own[i].start, reach->outside.own[i].end, false);
	for (size_t i = 0; i < reach->outside.nr; i++)
		add(holes, reach->outside.blocks[i].start,
		    reach->outside.blocks[i].start + reach->outside.blocks[i].bytes, false);
	add(holes, reach->heap->base, reach->heap->base + reach->heap->online_bytes, false);
	for (size_t i = 0; i < target->nr_threads; i++)
		if (target->threads[i].stack_pointer)
			add_unused_stack(reach, holes, &target->threads[i]);
	qsort(holes->all, holes->nr, sizeof(*holes->all), by_start);
}

/* --- What is one ------------------------------------------------------------------- */

static bool may_have_roots(const struct range *range)
{
	if (!range->readable)
		return false;
	if (range->path && (!strcmp(range->path, "[vvar]") || !strcmp(range->path, "[vsyscall]") ||
			    !strcmp(range->path, "[vdso]") || !strncmp(range->path, "/dev/", 5)))
		return false;
	/* Data that became read-only when the program was relocated (RELRO) may have addresses. */
	return range->writable || !range->executable;
}

static bool has_stack(const struct target *target, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < target->nr_threads; i++)
		if (target->threads[i].stack_pointer >= start &&
		    target->threads[i].stack_pointer < end)
			return true;
	return false;
}

/* The range without the holes. */
static void add_range(const struct reach *reach, const struct intervals *holes,
		      struct intervals *roots, const struct range *range)
{
	uint64_t at = range->start;
	bool is_stack = has_stack(reach->heap->target, range->start, range->end);

	for (size_t i = 0; i < holes->nr && at < range->there_end; i++) {
		const struct interval *hole = &holes->all[i];

		if (hole->end <= at)
			continue;
		if (hole->start >= range->there_end)
			break;
		add(roots, at, hole->start, is_stack);
		at = hole->end;
	}
	add(roots, at, range->there_end, is_stack);
}

/* Pages of the window that are in use, but are no block: their users may keep addresses there. */
static void add_pages(const struct reach *reach, struct intervals *roots)
{
	const struct heap *heap = reach->heap;
	uint64_t bytes = heap_page_bytes(heap);

	for (uint64_t pfn = 0, end; pfn < reach->pages.nr; pfn = end) {
		for (end = pfn; end < reach->pages.nr && reach->pages.info[end].kind == PAGE_OTHER;)
			end++;
		add(roots, heap->base + pfn * bytes, heap->base + end * bytes, false);
		end += end == pfn;
	}
}

/* --- Reading ----------------------------------------------------------------------- */

static int stacks_first(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	uint64_t x_bytes = x->end - x->start, y_bytes = y->end - y->start;

	if (x->is_stack != y->is_stack)
		return x->is_stack ? -1 : 1;
	return (x_bytes > y_bytes) - (x_bytes < y_bytes);
}

/* The whole pages that an interval lies in; its first page may begin in front of it. */
static uint64_t first_page(const struct interval *root)
{
	return root->start & ~(PAGE_BYTES - 1);
}

static uint64_t end_page(const struct interval *root)
{
	return (root->end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static enum inspect_status copy_roots(struct reach *reach, struct intervals *roots, char *copies)
{
	enum inspect_status status = INSPECT_OK;
	uint64_t used = 0;

	for (size_t i = 0; i < roots->nr && status == INSPECT_OK; i++) {
		struct interval *root = &roots->all[i];
		uint64_t bytes = end_page(root) - first_page(root);

		if (bytes > COPY_EACH_MAX || used + bytes > COPY_BYTES)
			continue;
		root->copy = copies + used;
		status = target_read_sparse(reach->heap->target, first_page(root), root->copy,
					    bytes);
		used += bytes;
	}
	return status;
}

static enum inspect_status take_root(struct reach *reach, const struct interval *root)
{
	uint64_t start = (root->start + 7) & ~7UL;

	if (!root->copy)
		return reach_range(reach, first_page(root), end_page(root));
	if (start < root->end)
		reach_words(reach,
			    (const uint64_t *)(root->copy + (start - first_page(root))),
			    (root->end - start) / sizeof(uint64_t));
	return INSPECT_OK;
}

/* While threads are paused. */
static enum inspect_status copy_all(struct reach *reach, struct intervals *roots, char *copies)
{
	struct target *target = reach->heap->target;
	struct intervals holes = { 0 };
	enum inspect_status status = target_read_ranges(target);

	if (status == INSPECT_OK) {
		find_holes(reach, &holes);
		for (size_t i = 0; i < target->nr_ranges; i++)
			if (may_have_roots(&target->ranges[i]))
				add_range(reach, &holes, roots, &target->ranges[i]);
		roots->failed |= holes.failed;
		qsort(roots->all, roots->nr, sizeof(*roots->all), stacks_first);
		status = copy_roots(reach, roots, copies);
	}
	free(holes.all);
	return status;
}

enum inspect_status reach_roots(struct reach *reach)
{
	struct target *target = reach->heap->target;
	struct intervals roots = { 0 };
	char *copies = malloc(COPY_BYTES);
	enum inspect_status status;

	if (!copies)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	/* Its first use would take page faults while threads are paused. */
	if (!target->is_core)
		memset(copies, 0, COPY_BYTES);
	status = target_pause(target);
	if (status == INSPECT_OK)
		status = copy_all(reach, &roots, copies);
	target_resume(target);
	if (status == INSPECT_OK)
		add_pages(reach, &roots);
	if (roots.failed)
		status = target_fail(target, INSPECT_NO_MEMORY, "no memory");
	for (size_t i = 0; i < target->nr_threads && status == INSPECT_OK; i++)
		reach_words(reach, target->threads[i].words, target->threads[i].nr_words);
	for (size_t i = 0; i < roots.nr && status == INSPECT_OK; i++)
		status = take_root(reach, &roots.all[i]);
	free(roots.all);
	free(copies);
	return status;
}
