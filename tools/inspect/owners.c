// SPDX-License-Identifier: MIT
#include "owners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "usermm/kmem_cache.h"

#define GROUPS_AT_A_TIME 256UL
#define STRUCTURE_BYTES_MAX (65536 + 16)

/* --- profile= ---------------------------------------------------------------------- */

static bool add_sample(struct owners *owners, uint64_t block, uint64_t size, uint32_t stack)
{
	if (!(owners->nr_samples & (owners->nr_samples - 1))) {
		size_t room = owners->nr_samples ? 2 * owners->nr_samples : 1;
		void *samples = realloc(owners->samples, room * sizeof(*owners->samples));

		if (!samples)
			return false;
		owners->samples = samples;
	}
	owners->samples[owners->nr_samples].block = block;
	owners->samples[owners->nr_samples].size = size;
	owners->samples[owners->nr_samples++].stack = stack;
	return true;
}

/* The stack of a site's key: see profile_site_stack(). */
static uint32_t stack_of_site(struct heap *heap, uint64_t sites, uint32_t site)
{
	uint64_t key;

	if (site >> (heap_value(heap, LAYOUT_profile_sites_bits) & 31))
		return 0;
	key = heap_read_u64(heap, sites + (uint64_t)site *
			    heap_value(heap, LAYOUT_sizeof_profile_site) +
			    heap_value(heap, LAYOUT_profile_site_key));
	return (uint32_t)(key >> heap_value(heap, LAYOUT_profile_size_bits));
}

static bool take_group(struct owners *owners, const char *at, uint64_t sites)
{
	struct heap *heap = owners->heap;
	size_t places = heap_value(heap, LAYOUT_profile_group_places);
	size_t blocks = heap_value(heap, LAYOUT_profile_group_blocks);
	size_t samples = heap_value(heap, LAYOUT_profile_group_samples);
	size_t step = heap_value(heap, LAYOUT_sizeof_profile_sample);

	for (size_t i = 0; i < places; i++) {
		const char *sample = at + (samples + i * step) % STRUCTURE_BYTES_MAX;
		uint64_t block;

		memcpy(&block, at + (blocks + i * sizeof(block)) % STRUCTURE_BYTES_MAX,
		       sizeof(block));
		/* 0 and 1 stand for a free place, and for one that is being changed. */
		if (block > 1 &&
		    !add_sample(owners, block, heap_u64(heap, sample, LAYOUT_profile_sample_size),
				stack_of_site(heap, sites, heap_u32(heap, sample,
								LAYOUT_profile_sample_site))))
			return false;
	}
	return true;
}

static int by_block(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool take_samples(struct owners *owners)
{
	struct heap *heap = owners->heap;
	uint64_t groups = heap_address(heap, LAYOUT_AT_profile_groups);
	uint64_t sites = heap_address(heap, LAYOUT_AT_profile_sites);
	size_t step = heap_value(heap, LAYOUT_sizeof_profile_group);
	uint64_t nr = 1UL << heap_value(heap, LAYOUT_profile_group_bits);
	char *chunk;
	bool good = true;

	groups = groups ? heap_read_u64(heap, groups) : 0;
	sites = sites ? heap_read_u64(heap, sites) : 0;
	if (!groups || !sites)
		return true;
	chunk = malloc(GROUPS_AT_A_TIME * step + 4096 + 3 * STRUCTURE_BYTES_MAX);
	for (uint64_t i = 0; chunk && good && i < nr; i += GROUPS_AT_A_TIME) {
		uint64_t start = (groups + i * step) & ~4095UL;

		memset(chunk, 0, GROUPS_AT_A_TIME * step + 4096 + 3 * STRUCTURE_BYTES_MAX);
		if (target_read_sparse(heap->target, start, chunk,
				       (GROUPS_AT_A_TIME * step + 4095) & ~4095UL) != INSPECT_OK)
			break;
		for (uint64_t j = 0; good && j < GROUPS_AT_A_TIME && i + j < nr; j++)
			good = take_group(owners, chunk + (groups + i * step - start) + j * step,
					  sites);
	}
	good = good && chunk;
	free(chunk);
	if (owners->nr_samples)
		qsort(owners->samples, owners->nr_samples, sizeof(*owners->samples), by_block);
	return good;
}

enum inspect_status owners_read(struct heap *heap, struct owners *owners)
{
	*owners = (struct owners){ .heap = heap };
	for (size_t i = 0; i < heap->nr_caches; i++)
		owners->has_tracks |= heap->caches[i].flags & SLAB_STORE_USER;
	owners->has_guarded = heap_read_u64(heap, heap_address(heap,
							       LAYOUT_AT_slab_kfence_slots));
	if (take_samples(owners))
		return heap->target->status;
	owners_free(owners);
	return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
}

void owners_free(struct owners *owners)
{
	free(owners->samples);
	*owners = (struct owners){ 0 };
}

/* --- One block --------------------------------------------------------------------- */

static void take_track(const struct heap *heap, const char *at, struct owner *owner)
{
	owner->caller = heap_u64(heap, at, LAYOUT_slab_track_caller);
	owner->stack = heap_u32(heap, at, LAYOUT_slab_track_stack);
	owner->thread = (int32_t)heap_u32(heap, at, LAYOUT_slab_track_thread);
	owner->milliseconds = heap_u64(heap, at, LAYOUT_slab_track_milliseconds);
}

/* cf. object_track(): behind the object and its link. */
static bool object_owner(const struct owners *owners, const struct block *block,
			 const struct bytes *bytes, enum owner_event event, struct owner *owner)
{
	const struct heap_cache *cache = block->slab.cache;
	uint64_t end = cache->offset >= cache->inuse ? cache->inuse + 8 : cache->inuse;
	size_t step = heap_value(owners->heap, LAYOUT_sizeof_slab_track);
	uint64_t at = block->start + end + (uint64_t)event * step;
	char track[256 + STRUCTURE_BYTES_MAX] = "";

	if (!(cache->flags & SLAB_STORE_USER) || at < bytes->start || at + step > bytes->end)
		return false;
	memcpy(track, bytes->at + (at - bytes->start), step);
	take_track(owners->heap, track, owner);
	return owner->caller || owner->stack;
}

static bool guarded_owner(const struct owners *owners, const struct block *block,
			  enum owner_event event, struct owner *owner)
{
	struct heap *heap = owners->heap;
	size_t step = heap_value(heap, LAYOUT_sizeof_slab_track);
	uint64_t slots = heap_read_u64(heap, heap_address(heap, LAYOUT_AT_slab_kfence_slots));
	uint64_t at = slots + (uint64_t)block->outside.slot * heap_value(heap, LAYOUT_sizeof_slot) +
		      heap_value(heap, LAYOUT_slot_tracks) + (uint64_t)event * step;
	char track[256 + STRUCTURE_BYTES_MAX] = "";

	if (!slots || !target_read(heap->target, at, track, step))
		return false;
	take_track(heap, track, owner);
	return owner->caller || owner->stack;
}

static bool sampled_owner(const struct owners *owners, uint64_t start, struct owner *owner)
{
	size_t low = 0, high = owners->nr_samples;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (owners->samples[middle].block < start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == owners->nr_samples || owners->samples[low].block != start)
		return false;
	*owner = (struct owner){ .stack = owners->samples[low].stack };
	return owner->stack;
}

bool owner_of(const struct owners *owners, const struct block *block, const struct bytes *bytes,
	      enum owner_event event, struct owner *owner)
{
	*owner = (struct owner){ 0 };
	if (block->kind == BLOCK_OBJECT && owners->has_tracks &&
	    object_owner(owners, block, bytes, event, owner))
		return true;
	if (block->kind == BLOCK_OUTSIDE && block->outside.kind == OUTSIDE_GUARDED)
		return guarded_owner(owners, block, event, owner);
	return event == OWNER_ALLOCATED && owners->nr_samples &&
	       sampled_owner(owners, block->start, owner);
}

unsigned int owner_frames(const struct owners *owners, const struct owner *owner,
			  uint64_t frames[OWNER_FRAMES_MAX])
{
	struct heap *heap = owners->heap;
	uint64_t stacks = heap_read_u64(heap, heap_address(heap, LAYOUT_AT_stack_depot_stacks));
	uint64_t at = stacks + (uint64_t)(owner->stack - 1) * heap_value(heap, LAYOUT_sizeof_stack);
	uint32_t nr = 0;

	frames[0] = owner->caller;
	if (!owner->stack || !stacks ||
	    !target_read(heap->target, at + heap_value(heap, LAYOUT_stack_nr), &nr, sizeof(nr)) ||
	    !nr || nr > heap_value(heap, LAYOUT_stack_depth) || nr > OWNER_FRAMES_MAX ||
	    !target_read(heap->target, at + heap_value(heap, LAYOUT_stack_frames), frames,
			 nr * sizeof(*frames)))
		return owner->caller != 0;
	return nr;
}
