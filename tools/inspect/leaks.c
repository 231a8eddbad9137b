// SPDX-License-Identifier: MIT
#include "leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reach.h"

/* After a pause threads need a moment to be back where they waited. */
#define SETTLE_NS 2000000L
#define RUN_NS_MAX 200000UL

/* What one pass found: bits of the window's blocks, and blocks outside of it. */
struct unreached {
	uint64_t *bits;
	uint64_t *outside;
	size_t nr_outside;
	bool failed;			/* no memory */
};

/* The groups that a last pass fills. */
struct collection {
	struct leaks *leaks;
	const struct owners *owners;
	const struct unreached *before;
};

/* --- Passes ------------------------------------------------------------------------ */

static void note(struct reach *reach, const struct block *block, const struct bytes *bytes,
		 void *arg)
{
	struct unreached *now = arg;
	uint64_t granule = (block->start - reach->heap->base) >> GRANULE_SHIFT;
	uint64_t *outside;

	(void)bytes;	/* only addresses are kept */
	if (block->kind != BLOCK_OUTSIDE) {
		now->bits[granule / 64] |= 1UL << granule % 64;
		return;
	}
	outside = realloc(now->outside, (now->nr_outside + 1) * sizeof(*outside));
	now->failed |= !outside;
	if (!outside)
		return;
	now->outside = outside;
	now->outside[now->nr_outside++] = block->start;
}

static bool had_outside(const struct unreached *before, uint64_t start)
{
	for (size_t i = 0; i < before->nr_outside; i++)
		if (before->outside[i] == start)
			return true;
	return false;
}

/* --- Groups ------------------------------------------------------------------------ */

static bool is_of(const struct leak_group *group, const struct block *block,
		  const struct owner *owner)
{
	return group->size == block->bytes && group->owner.stack == owner->stack &&
	       (owner->stack || group->owner.caller == owner->caller) &&
	       !strcmp(group->cache, block->cache);
}

static struct leak_group *find_group(struct leaks *leaks, const struct block *block,
				     const struct owner *owner)
{
	struct leak_group *groups;

	for (size_t i = leaks->nr_groups; i--;)
		if (is_of(&leaks->groups[i], block, owner))
			return &leaks->groups[i];
	if (!(leaks->nr_groups & (leaks->nr_groups - 1))) {
		groups = realloc(leaks->groups, (leaks->nr_groups ? 2 * leaks->nr_groups : 1) *
				 sizeof(*groups));
		if (!groups)
			return NULL;
		leaks->groups = groups;
	}
	groups = &leaks->groups[leaks->nr_groups++];
	*groups = (struct leak_group){ .size = block->bytes, .owner = *owner };
	snprintf(groups->cache, sizeof(groups->cache), "%s", block->cache);
	return groups;
}

static void keep_address(const struct leaks *leaks, struct leak_group *group,
			 const struct block *block, const struct bytes *bytes)
{
	size_t nr = group->nr_addresses;
	uint64_t *addresses = group->addresses, shown = bytes->end - block->start;

	if (nr >= leaks->addresses_max)
		return;
	if (!(nr & (nr - 1)))
		addresses = realloc(addresses, (nr ? 2 * nr : 1) * sizeof(*addresses));
	if (!addresses)
		return;
	group->addresses = addresses;
	addresses[group->nr_addresses++] = block->start;
	if (nr >= LEAK_SAMPLES)
		return;
	shown = shown < block->bytes ? shown : block->bytes;
	shown = shown < LEAK_BYTES_SHOWN ? shown : LEAK_BYTES_SHOWN;
	memcpy(group->first_bytes[nr], bytes->at + (block->start - bytes->start), shown);
	group->nr_first_bytes[nr] = (unsigned char)shown;
}

void leaks_add(struct leaks *leaks, const struct block *block, const struct bytes *bytes,
	       const struct owner *owner)
{
	struct leak_group *group = find_group(leaks, block, owner);

	leaks->blocks++;
	leaks->bytes += block->bytes;
	if (!group)
		return;
	group->blocks++;
	group->bytes += block->bytes;
	keep_address(leaks, group, block, bytes);
}

static void take_unreached(struct reach *reach, const struct block *block,
			   const struct bytes *bytes, void *arg)
{
	struct collection *collection = arg;
	struct owner owner;

	(void)reach;	/* it has passed over other blocks of the window */
	if (block->kind == BLOCK_OUTSIDE && !had_outside(collection->before, block->start))
		return;
	owner_of(collection->owners, block, bytes, OWNER_ALLOCATED, &owner);
	leaks_add(collection->leaks, block, bytes, &owner);
}

static int most_bytes_first(const void *a, const void *b)
{
	const struct leak_group *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

void leaks_sort(struct leaks *leaks)
{
	if (leaks->nr_groups)
		qsort(leaks->groups, leaks->nr_groups, sizeof(*leaks->groups), most_bytes_first);
}

/* --- The search -------------------------------------------------------------------- */

static void tell(const struct leaks *leaks, const char *what)
{
	if (leaks->progress)
		leaks->progress(what);
}

/* The run time when all threads are back where they waited. */
static uint64_t settled_run_time(struct target *target)
{
	struct timespec moment = { .tv_nsec = SETTLE_NS };

	if (!target->is_core)
		nanosleep(&moment, NULL);
	return target->ops->run_time(target);
}

/* Did no thread run between the two? */
static bool stood_still(uint64_t before, uint64_t after)
{
	return before != UINT64_MAX && before == after;
}

/*
 * One pass up to the blocks that were not reached. *run_time: that of the threads after the pause.
 * *still: did no thread run until the pause?
 */
static enum inspect_status look(struct heap *heap, struct reach *reach, struct leaks *leaks,
				uint64_t *run_time, bool *still)
{
	struct target *target = heap->target;
	uint64_t before = target->ops->run_time(target);
	enum inspect_status status;

	leaks->nr_passes++;
	tell(leaks, "reading the struct pages");
	status = reach_begin(heap, reach);
	if (status != INSPECT_OK)
		return status;
	*still = stood_still(before, target->ops->run_time(target));
	tell(leaks, "reading the roots");
	status = reach_roots(reach);
	*run_time = settled_run_time(target);
	for (size_t i = 0; i < target->nr_threads; i++)
		*still &= target->threads[i].has_registers;
	/* A thread that a pause has interrupted runs on for less than this. */
	if (*run_time - before > RUN_NS_MAX * (target->nr_threads + 1))
		*still = false;
	if (target->paused_ns > leaks->paused_ns)
		leaks->paused_ns = target->paused_ns;
	tell(leaks, "following the addresses");
	return status == INSPECT_OK ? reach_all(reach) : status;
}

static void forget(struct unreached *unreached)
{
	free(unreached->bits);
	free(unreached->outside);
	*unreached = (struct unreached){ 0 };
}

/*
 * Notes what was not reached. *found: was there anything? The bits take memory only where a leak
 * is.
 */
static enum inspect_status note_unreached(struct reach *reach, struct unreached *now, bool *found)
{
	uint64_t words = reach->heap->online_bytes / 64 / (1 << GRANULE_SHIFT) + 1;
	enum inspect_status status = INSPECT_OK;

	now->bits = calloc(words, sizeof(*now->bits));
	if (now->bits)
		status = reach_unreached(reach, NULL, note, now);
	if (!now->bits || now->failed)
		return target_fail(reach->heap->target, INSPECT_NO_MEMORY, "no memory");
	*found = now->nr_outside;
	for (uint64_t i = 0; i < words && !*found; i++)
		*found = now->bits[i];
	return status;
}

/* Looks once more. What is not reached again is a leak. */
static enum inspect_status look_again(struct heap *heap, struct leaks *leaks, struct reach *reach)
{
	enum inspect_status status;
	uint64_t run_time;
	bool still;

	reach_end(reach);
	status = heap_refresh(heap);
	return status == INSPECT_OK ? look(heap, reach, leaks, &run_time, &still) : status;
}

static enum inspect_status find(struct heap *heap, const struct owners *owners,
				struct leaks *leaks, struct reach *reach)
{
	struct target *target = heap->target;
	struct unreached before = { 0 };
	struct collection collection = { leaks, owners, &before };
	bool found = false, still = false;
	uint64_t run_time = 0;
	enum inspect_status status = look(heap, reach, leaks, &run_time, &still);

	if (status == INSPECT_OK)
		status = note_unreached(reach, &before, &found);
	still = still && stood_still(run_time, target->ops->run_time(target));
	if (status == INSPECT_OK && found && !still)
		status = look_again(heap, leaks, reach);
	if (status == INSPECT_OK && found)
		status = reach_unreached(reach, before.bits, take_unreached, &collection);
	forget(&before);
	return status;
}

enum inspect_status leaks_find(struct heap *heap, const struct owners *owners,
			       struct leaks *leaks)
{
	struct reach reach = { 0 };
	enum inspect_status status = INSPECT_OK;

	if (heap->is_up)
		status = find(heap, owners, leaks, &reach);
	reach_end(&reach);
	leaks_sort(leaks);
	return status;
}

void leaks_free(struct leaks *leaks)
{
	for (size_t i = 0; i < leaks->nr_groups; i++)
		free(leaks->groups[i].addresses);
	free(leaks->groups);
	leaks->groups = NULL;
	leaks->nr_groups = 0;
}
