// SPDX-License-Identifier: MIT
/*
 * The roots of a target: registers, stacks, data, thread-local data, and other mappings.
 *
 * Threads are paused while their registers are read, and while the roots that may change are
 * copied: stacks first, then the smallest ones. All that can be found out before the pause is found
 * out before it. Large roots, those that nobody can write to, and mappings that are new are read
 * when the threads run again.
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
#define PAUSES_MAX 4
/* Bytes below the stack pointer that a function may use. */
#define RED_ZONE 128

struct interval {
	uint64_t start, end;
	char *copy;		/* NULL: not copied */
	size_t range;		/* the number of the mapping that it is part of */
};

struct intervals {
	struct interval *all;
	size_t nr;
	bool failed;		/* no memory */
};

/* The stacks that were seen in a mapping. */
struct stack {
	uint64_t lowest;	/* stack pointer; 0: there is none */
	bool has_unused;	/* what lies below is in use by nobody */
};

/* What reach_roots() has found out. */
struct search {
	struct reach *reach;
	struct intervals holes;		/* no roots, or roots that were copied */
	struct intervals copied;	/* shall be copied, or are; then `copy` is set */
	struct intervals rest;		/* is read when the threads run again */
	struct stack *stacks;		/* one for each mapping */
	char *copies;			/* COPY_BYTES */
};

static void add(struct intervals *intervals, uint64_t start, uint64_t end, size_t range)
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
	intervals->all[intervals->nr++] = (struct interval){ start, end, NULL, range };
}

static void sort(struct intervals *intervals, int (*order)(const void *, const void *))
{
	if (intervals->nr)
		qsort(intervals->all, intervals->nr, sizeof(*intervals->all), order);
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int by_size(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	uint64_t x_bytes = x->end - x->start, y_bytes = y->end - y->start;

	return (x_bytes > y_bytes) - (x_bytes < y_bytes);
}

/* --- Mappings ---------------------------------------------------------------------- */

/* Finds the ranges that hold no roots: the heap's blocks, and memory of the library itself. */
static void find_holes(struct search *search)
{
	const struct outside_blocks *outside = &search->reach->outside;
	const struct heap *heap = search->reach->heap;

	for (size_t i = 0; i < outside->nr_own; i++)
		add(&search->holes, outside->own[i].start, outside->own[i].end, 0);
	for (size_t i = 0; i < outside->nr; i++)
		add(&search->holes, outside->blocks[i].start,
		    outside->blocks[i].start + outside->blocks[i].bytes, 0);
	add(&search->holes, heap->base, heap->base + heap->online_bytes, 0);
	sort(&search->holes, by_start);
}

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

/* Adds the mappings without the holes. */
static void add_ranges(const struct search *search, struct intervals *roots, bool only_writable)
{
	const struct target *target = search->reach->heap->target;
	const struct interval *hole = search->holes.all;
	const struct interval *end = hole + search->holes.nr;

	for (size_t i = 0; i < target->nr_ranges; i++) {
		const struct range *range = &target->ranges[i];
		uint64_t at = range->start;

		if (!may_have_roots(range) || (only_writable && !range->writable))
			continue;
		while (hole < end && hole->end <= at)
			hole++;
		/* A hole may reach into the next mapping, so `hole` stays. */
		for (const struct interval *next = hole;
		     next < end && next->start < range->there_end; next++) {
			add(roots, at, next->start, i);
			at = next->end > at ? next->end : at;
		}
		add(roots, at, range->there_end, i);
	}
}

/*
 * A page that is no block may belong to somebody who keeps addresses in it. A page on a quicklist
 * may have addresses that its constructor wrote.
 */
static bool is_root(const struct page_info *info)
{
	return info->kind == PAGE_OTHER || info->kind == PAGE_QUICKLIST;
}

/* Pages of the window that may have addresses, but are no block. */
static void add_pages(const struct reach *reach, struct intervals *roots)
{
	const struct heap *heap = reach->heap;
	uint64_t bytes = heap_page_bytes(heap);

	for (uint64_t pfn = 0, end; pfn < reach->pages.nr; pfn = end) {
		for (end = pfn; end < reach->pages.nr && is_root(&reach->pages.info[end]);)
			end++;
		add(roots, heap->base + pfn * bytes, heap->base + end * bytes, 0);
		end += end == pfn;
	}
}

/* --- Stacks ------------------------------------------------------------------------ */

static bool ends_at_guard(const struct target *target, const struct range *range)
{
	return range == target->ranges || range[-1].end != range->start || !range[-1].readable;
}

/*
 * Notes where the stacks are. The part that is not in use is known only if something inaccessible
 * lies below: else other memory may have been joined to the stack's mapping.
 */
static void find_stacks(struct search *search)
{
	const struct reach *reach = search->reach;
	const struct target *target = reach->heap->target;

	for (size_t i = 0; i < target->nr_threads; i++) {
		uint64_t pointer = target->threads[i].stack_pointer;
		const struct range *range = target_range(target, pointer);
		struct stack *stack;

		if (!pointer || !range)
			continue;
		stack = &search->stacks[range - target->ranges];
		/* Another thread's stack may lie in the same mapping: the lowest pointer counts. */
		if (stack->lowest && stack->lowest <= pointer)
			continue;
		stack->lowest = pointer;
		stack->has_unused = !heap_is_online(reach->heap, pointer) &&
				    !outside_find(&reach->outside, pointer) &&
				    (range->is_stack || ends_at_guard(target, range));
	}
}

/* The first address of a mapping that may have roots, as far as stacks tell. */
static uint64_t used_from(const struct stack *stack)
{
	return stack->has_unused && stack->lowest > RED_ZONE ? stack->lowest - RED_ZONE : 0;
}

static void add_unused_stacks(struct search *search, struct intervals *holes)
{
	const struct target *target = search->reach->heap->target;

	for (size_t i = 0; i < target->nr_ranges; i++)
		add(holes, target->ranges[i].start, used_from(&search->stacks[i]), i);
}

/* --- Copies ------------------------------------------------------------------------ */

/* The whole pages that an interval lies in; its first page may begin in front of it. */
static uint64_t first_page(const struct interval *root)
{
	return root->start & ~(PAGE_BYTES - 1);
}

static uint64_t end_page(const struct interval *root)
{
	return (root->end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/* Copies the roots in mappings that have stacks, or in those that have none. */
static enum inspect_status copy_roots(struct search *search, bool of_stacks, uint64_t *used)
{
	struct target *target = search->reach->heap->target;
	enum inspect_status status = INSPECT_OK;

	for (size_t i = 0; i < search->copied.nr && status == INSPECT_OK; i++) {
		struct interval *root = &search->copied.all[i];
		const struct stack *stack = &search->stacks[root->range];
		uint64_t bytes;

		if ((stack->lowest != 0) != of_stacks)
			continue;
		if (root->start < used_from(stack))
			root->start = used_from(stack);
		bytes = root->end > root->start ? end_page(root) - first_page(root) : 0;
		if (!bytes || bytes > COPY_EACH_MAX || *used + bytes > COPY_BYTES)
			continue;
		root->copy = search->copies + *used;
		status = target_read_sparse(target, first_page(root), root->copy, bytes);
		*used += bytes;
	}
	return status;
}

/* Copies the roots that must be copied while the threads are paused; it is called then. */
static enum inspect_status copy_all(struct search *search)
{
	enum inspect_status status;
	uint64_t used = 0;

	find_stacks(search);
	status = copy_roots(search, true, &used);
	return status == INSPECT_OK ? copy_roots(search, false, &used) : status;
}

/* --- All --------------------------------------------------------------------------- */

static enum inspect_status prepare(struct search *search)
{
	struct target *target = search->reach->heap->target;
	enum inspect_status status = target_read_ranges(target);

	if (status != INSPECT_OK)
		return status;
	search->stacks = calloc(target->nr_ranges + 1, sizeof(*search->stacks));
	find_holes(search);
	if (target->is_core)	/* it does not change */
		return INSPECT_OK;
	add_ranges(search, &search->copied, true);
	sort(&search->copied, by_size);
	search->copies = reach_table(COPY_BYTES);
	/* The first use of the memory would take page faults while threads are paused. */
	if (search->copies)
		memset(search->copies, 0, COPY_BYTES);
	return INSPECT_OK;
}

/* Finds what is left to be read. Mappings may be new, or have gone. */
static enum inspect_status find_rest(struct search *search)
{
	struct target *target = search->reach->heap->target;
	enum inspect_status status;

	add_unused_stacks(search, &search->holes);
	for (size_t i = 0; i < search->copied.nr; i++)
		if (search->copied.all[i].copy)
			add(&search->holes, search->copied.all[i].start, search->copied.all[i].end,
			    0);
	sort(&search->holes, by_start);
	status = target->is_core ? INSPECT_OK : target_read_ranges(target);
	if (status == INSPECT_OK)
		add_ranges(search, &search->rest, false);
	add_pages(search->reach, &search->rest);
	return status;
}

static void take_copy(struct reach *reach, const struct interval *root)
{
	uint64_t start = (root->start + 7) & ~7UL;

	if (start < root->end)
		reach_words(reach, (const uint64_t *)(root->copy + (start - first_page(root))),
			    (root->end - start) / sizeof(uint64_t));
}

static enum inspect_status take_all(struct search *search)
{
	struct reach *reach = search->reach;
	const struct target *target = reach->heap->target;
	enum inspect_status status = INSPECT_OK;

	for (size_t i = 0; i < target->nr_threads; i++)
		reach_words(reach, target->threads[i].words, target->threads[i].nr_words);
	for (size_t i = 0; i < search->copied.nr; i++)
		if (search->copied.all[i].copy)
			take_copy(reach, &search->copied.all[i]);
	for (size_t i = 0; i < search->rest.nr && status == INSPECT_OK; i++)
		status = reach_range(reach, search->rest.all[i].start, search->rest.all[i].end);
	return status;
}

/* Is it known of each thread where its stack ends? */
static bool all_stand(const struct target *target)
{
	for (size_t i = 0; i < target->nr_threads; i++)
		if (!target->threads[i].stack_pointer && !target->threads[i].stands)
			return false;
	return true;
}

/*
 * Pauses the threads. On a busy machine one of them may get no processor in time to stop. Then what
 * it left on its stack would hide leaks, so all of them go on, and are paused once more.
 */
static enum inspect_status pause_all(struct target *target)
{
	for (unsigned int i = 1;; i++) {
		enum inspect_status status = target_pause(target);

		if (status != INSPECT_OK || all_stand(target) || i == PAUSES_MAX)
			return status;
		target_resume(target);
	}
}

static bool has_memory(const struct search *search)
{
	return search->stacks && (search->copies || search->reach->heap->target->is_core) &&
	       !search->holes.failed && !search->copied.failed && !search->rest.failed;
}

enum inspect_status reach_roots(struct reach *reach)
{
	struct search search = { .reach = reach };
	struct target *target = reach->heap->target;
	enum inspect_status status = prepare(&search);

	if (status == INSPECT_OK && has_memory(&search)) {
		status = pause_all(target);
		if (status == INSPECT_OK)
			status = copy_all(&search);
		target_resume(target);
		if (status == INSPECT_OK)
			status = find_rest(&search);
	}
	if (status == INSPECT_OK && !has_memory(&search))
		status = target_fail(target, INSPECT_NO_MEMORY, "no memory");
	if (status == INSPECT_OK)
		status = take_all(&search);
	free(search.holes.all);
	free(search.copied.all);
	free(search.rest.all);
	free(search.stacks);
	reach_table_free(search.copies, COPY_BYTES);
	return status;
}
