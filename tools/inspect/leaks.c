// SPDX-License-Identifier: MIT
#include "leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reach.h"

/* After a pause threads need a moment to be back where they waited. */
#define SETTLE_NS 2000000L
#define SETTLE_TRIES 50
#define RUN_NS_MAX 200000UL
/* The most passes, if a program never stands still and no two passes agree. */
#define PASSES_MAX 8

/* What one pass found: bits of the window's blocks, and blocks outside of it. */
struct unreached {
	uint64_t *bits;
	uint64_t words;			/* of bits[] */
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

struct noting {
	const struct unreached *before;	/* NULL in the first pass */
	struct unreached *now;
};

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* outside[] is by address, as reach_unreached() passes the blocks. */
static bool had_outside(const struct unreached *before, uint64_t start)
{
	return before->nr_outside && bsearch(&start, before->outside, before->nr_outside,
					     sizeof(start), by_address);
}

static void note(struct reach *reach, const struct block *block, const struct bytes *bytes,
		 void *arg)
{
	const struct noting *noting = arg;
	struct unreached *now = noting->now;
	uint64_t granule = (block->start - reach->heap->base) >> GRANULE_SHIFT;
	uint64_t *outside;

	(void)bytes;	/* only addresses are kept */
	if (block->kind != BLOCK_OUTSIDE) {
		now->bits[granule / 64] |= 1UL << granule % 64;
		return;
	}
	if (noting->before && !had_outside(noting->before, block->start))
		return;
	outside = now->outside;
	if (!(now->nr_outside & (now->nr_outside - 1)))
		outside = realloc(outside, (now->nr_outside ? 2 * now->nr_outside : 1) *
				  sizeof(*outside));
	now->failed |= !outside;
	if (!outside)
		return;
	now->outside = outside;
	now->outside[now->nr_outside++] = block->start;
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
	uint64_t before = target->ops->run_time(target), now = before;

	for (unsigned int i = 0; i < SETTLE_TRIES && !target->is_core; i++) {
		nanosleep(&moment, NULL);
		now = target->ops->run_time(target);
		if (now == before && now != UINT64_MAX)
			break;
		before = now;
	}
	return now;
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
	reach_table_free(unreached->bits, unreached->words * sizeof(*unreached->bits));
	free(unreached->outside);
	*unreached = (struct unreached){ 0 };
}

static uint64_t count(const struct unreached *unreached, uint64_t words)
{
	uint64_t nr = unreached->nr_outside;

	for (uint64_t i = 0; i < words; i++)
		nr += (unsigned int)__builtin_popcountl(unreached->bits[i]);
	return nr;
}

/* The heap may have grown since: the new part had no block then. */
static bool extend(struct unreached *before, uint64_t words)
{
	uint64_t *bits;

	if (!before->bits || before->words >= words)
		return true;
	bits = reach_table(words * sizeof(*bits));
	if (!bits)
		return false;
	for (uint64_t i = 0; i < before->words; i++)
		if (before->bits[i])
			bits[i] = before->bits[i];
	reach_table_free(before->bits, before->words * sizeof(*bits));
	before->bits = bits;
	before->words = words;
	return true;
}

/*
 * Notes what was not reached now, nor before; `before` is empty in the first pass. *nr: how many
 * blocks.
 */
static enum inspect_status note_unreached(struct reach *reach, struct unreached *before,
					  struct unreached *now, uint64_t *nr)
{
	uint64_t words = reach->heap->online_bytes / 64 / (1 << GRANULE_SHIFT) + 1;
	struct noting noting = { before->bits ? before : NULL, now };
	enum inspect_status status = INSPECT_OK;

	/* The table is mapped lazily: only the parts with leaks take memory. */
	now->bits = reach_table(words * sizeof(*now->bits));
	now->words = words;
	if (now->bits && extend(before, words))
		status = reach_unreached(reach, before->bits, note, &noting);
	else
		now->failed = true;
	if (now->failed)
		return target_fail(reach->heap->target, INSPECT_NO_MEMORY, "no memory");
	*nr = count(now, words);
	return status;
}

/* Makes one pass. `before` is then what no pass has reached. *done: no more passes are needed. */
static enum inspect_status pass(struct heap *heap, struct leaks *leaks, struct reach *reach,
				struct unreached *before, uint64_t *nr, bool *done)
{
	struct unreached now = { 0 };
	uint64_t run_time = 0, nr_before = *nr;
	bool still = false;
	enum inspect_status status = look(heap, reach, leaks, &run_time, &still);

	if (status == INSPECT_OK)
		status = note_unreached(reach, before, &now, nr);
	still = still && stood_still(run_time, heap->target->ops->run_time(heap->target));
	*done = !*nr || still || (leaks->nr_passes > 1 && *nr == nr_before) ||
		leaks->nr_passes == PASSES_MAX;
	forget(before);
	*before = now;
	return status;
}

static enum inspect_status find(struct heap *heap, const struct owners *owners,
				struct leaks *leaks, struct reach *reach)
{
	struct unreached before = { 0 };
	struct collection collection = { leaks, owners, &before };
	enum inspect_status status = INSPECT_OK;
	bool done = false;
	uint64_t nr = 0;

	while (status == INSPECT_OK && !done) {
		if (leaks->nr_passes) {
			reach_end(reach);
			status = heap_refresh(heap);
		}
		if (status == INSPECT_OK)
			status = pass(heap, leaks, reach, &before, &nr, &done);
	}
	if (status == INSPECT_OK && nr)
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
