// SPDX-License-Identifier: MIT
/* verify: the invariants of mixed slabs. */
#include <stdlib.h>
#include <string.h>

#include "mixed.h"
#include "pages.h"
#include "show/verify.h"

bool check_is_mixed_page(struct heap *heap, uint64_t pfn)
{
	return heap_read_u64(heap, heap_struct_page(heap, pfn) +
			     heap_value(heap, LAYOUT_page_flags)) &
	       heap_value(heap, LAYOUT_page_mixed_slab);
}

static bool mixed_is_locked(struct heap *heap)
{
	uint32_t state = 0;

	return target_read(heap->target, heap_address(heap, LAYOUT_AT_mixed_lock), &state,
			   sizeof(state)) && state;
}

/* Reads the slab once more. False: it has no record any more. */
static bool read_mixed(struct heap *heap, const struct mixed_slab *found, struct mixed_slab *slab)
{
	uint64_t pfn = heap_pfn(heap, found->start);
	uint64_t freelist = heap_read_u64(heap, heap_struct_page(heap, pfn) +
					  heap_value(heap, LAYOUT_page_freelist));

	*slab = *found;
	slab->first = slab->more = NULL;
	slab->is_read = false;
	return check_is_mixed_page(heap, pfn) && freelist == (found->record |
							heap_value(heap, LAYOUT_mixed_bits)) &&
	       mixed_slabs_read(heap, slab, 1) == INSPECT_OK && slab->is_read;
}

static bool is_same_map(const struct mixed_slab *a, const struct mixed_slab *b)
{
	return a->used == b->used && a->released == b->released &&
	       !memcmp(a->first, b->first, a->nr / 8) && !memcmp(a->more, b->more, a->nr / 8);
}

/* Each granule is free, the first of a block, or behind another one of its block. */
static bool check_granules(struct check *check, const struct mixed_slab *slab)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < slab->nr / 64; i++) {
		uint64_t used = slab->first[i] | slab->more[i];

		if (slab->first[i] & slab->more[i])
			return violated(check, "the map of the mixed slab at %#lx is damaged: a "
					"granule begins a block and continues one", slab->start);
		if (slab->more[i] & ~(used << 1 | before))
			return violated(check, "the map of the mixed slab at %#lx is damaged: a "
					"granule continues no block", slab->start);
		before = used >> 63;
	}
	return true;
}

static bool check_map(struct check *check, const struct mixed_slab *slab)
{
	uint32_t page = mixed_page_granules(check->heap);
	uint32_t used = mixed_used_granules(slab, 0, slab->nr);

	if (!check_granules(check, slab))
		return false;
	if (used != slab->used)
		return violated(check, "the mixed slab at %#lx counts %u granules in use, but its "
				"map has %u", slab->start, slab->used, used);
	for (uint32_t i = 0; i < slab->nr / page; i++)
		if (i < 32 && slab->released >> i & 1 &&
		    mixed_used_granules(slab, i * page, (i + 1) * page))
			return violated(check, "the mixed slab at %#lx has a block in page %u, "
					"which went back to the system", slab->start, i);
	return true;
}

static bool check_mixed_slab(struct check *check, const void *what)
{
	const struct mixed_slab *found = what;
	struct heap *heap = check->heap;
	bool is_locked = mixed_is_locked(heap), good = true;
	struct mixed_slab slab, again = { .first = NULL };

	if (read_mixed(heap, found, &slab) && read_mixed(heap, found, &again))
		good = !is_locked && is_same_map(&slab, &again) ? check_map(check, &slab) :
		       heap->target->is_core || moves(check);
	mixed_slab_free(&slab);
	mixed_slab_free(&again);
	return good;
}

static void sum_up_mixed(const struct heap *heap, const struct pages *pages,
			 struct heap_mixed *sum)
{
	*sum = (struct heap_mixed){ 0 };
	for (size_t i = 0; i < pages->nr_mixed; i++) {
		const struct mixed_slab *slab = &pages->mixed[i];

		sum->slabs += slab->is_read;
		sum->pages += slab->is_read ? slab->bytes / heap_page_bytes(heap) : 0;
		sum->released_pages += (unsigned int)__builtin_popcount(slab->released);
		sum->used_bytes += (uint64_t)mixed_used_granules(slab, 0, slab->nr) *
				   heap_value(heap, LAYOUT_mixed_granule_bytes);
		for (uint32_t at = mixed_next_block(slab, 0); at < slab->nr;
		     at = mixed_next_block(slab, at + 1))
			sum->blocks++;
	}
}

/* Nothing can be said while the totals change. */
static bool check_mixed_totals(struct check *check, const void *what)
{
	struct heap *heap = check->heap;
	struct heap_mixed before, after, sum;
	struct pages pages;

	(void)what;
	if (mixed_is_locked(heap) || !heap_read_mixed(heap, &before) ||
	    pages_read(heap, &pages) != INSPECT_OK)
		return true;
	sum_up_mixed(heap, &pages, &sum);
	pages_free(&pages);
	if (!heap_read_mixed(heap, &after) || memcmp(&before, &after, sizeof(before)) ||
	    !memcmp(&before, &sum, sizeof(sum)))
		return true;
	return violated(check, "%lu mixed slabs with %lu blocks of %lu bytes are counted, but "
			"there are %lu with %lu blocks of %lu bytes", before.slabs, before.blocks,
			before.used_bytes, sum.slabs, sum.blocks, sum.used_bytes);
}

bool check_mixed(struct check *check)
{
	struct pages pages;
	bool good = true;

	if (pages_read(check->heap, &pages) != INSPECT_OK)
		return true;	/* the target's status says why */
	for (size_t i = 0; i < pages.nr_mixed && good; i++)
		if (pages.mixed[i].is_read)
			good = holds(check, check_mixed_slab, &pages.mixed[i]);
	pages_free(&pages);
	return good && holds(check, check_mixed_totals, NULL);
}
