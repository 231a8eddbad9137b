// SPDX-License-Identifier: MIT
/* The blocks in use that were not reached. See reach.h. */
#include "reach.h"

struct sweep {
	struct reach *reach;
	const uint64_t *only;
	unreached_fn *fn;
	void *arg;
};

static bool is_wanted(const struct sweep *sweep, uint64_t offset)
{
	uint64_t granule = offset >> GRANULE_SHIFT;

	return !(sweep->reach->bits[granule / 64].reached >> granule % 64 & 1) &&
	       (!sweep->only || sweep->only[granule / 64] >> granule % 64 & 1);
}

static enum inspect_status pass_object(const struct sweep *sweep, const struct slab *slab,
				       unsigned int index)
{
	struct reach *reach = sweep->reach;
	uint64_t start = slab_object_start(slab, index);
	uint64_t offset = start - reach->heap->base;
	struct bytes bytes;
	struct block block;
	enum inspect_status status = enter_section(reach, offset >> reach->section_shift);

	if (status == INSPECT_OK)
		status = slab->cache->is_debugged ?
			 load_section(reach, slab->start - reach->heap->base, slab->bytes) :
			 load_section(reach, offset, slab->cache->size);
	if (status != INSPECT_OK)
		return status;
	bytes = section_bytes(reach);
	if (section_object_state(reach, slab, index) != OBJECT_IN_USE)
		return INSPECT_OK;
	block = (struct block){
		.kind = BLOCK_OBJECT, .start = slab_object(slab, index), .state = OBJECT_IN_USE,
		.bytes = slab->cache->object_size, .cache = slab->cache->name, .slab = *slab,
		.index = index,
	};
	sweep->fn(reach, &block, &bytes, sweep->arg);
	return INSPECT_OK;
}

/*
 * Most slabs have no object that is wanted: all of them are reached, or none is among `only`. Each
 * object has a granule of its own, so the bits of its slab tell.
 */
static bool has_nothing(const struct sweep *sweep, const struct slab *slab)
{
	const struct reach *reach = sweep->reach;
	uint64_t offset = slab->start - reach->heap->base;
	uint64_t first = offset >> GRANULE_SHIFT >> 6;
	uint64_t end = (offset + slab->bytes) >> GRANULE_SHIFT >> 6, only = 0;
	unsigned int reached = 0;

	for (uint64_t i = first; i < end && i < reach->nr_bits; i++) {
		reached += (unsigned int)__builtin_popcountl(reach->bits[i].reached);
		only |= sweep->only ? sweep->only[i] : 1;
	}
	return reached == slab->nr || !only;
}

/* An object belongs to the page where its bytes begin; a page that is not opened has none. */
static enum inspect_status pass_slab(const struct sweep *sweep, uint64_t pfn)
{
	struct reach *reach = sweep->reach;
	const struct heap *heap = reach->heap;
	enum inspect_status status = INSPECT_OK;
	struct slab slab;

	slab_of_page(heap, &reach->pages, pfn, &slab);
	if (slab.cache->is_of_caches || has_nothing(sweep, &slab))
		return INSPECT_OK;
	for (unsigned int i = 0; i < slab.nr && status == INSPECT_OK; i++) {
		if (slab_is_opened(heap, &reach->pages, &slab, i) &&
		    is_wanted(sweep, slab_object(&slab, i) - heap->base))
			status = pass_object(sweep, &slab, i);
	}
	return status;
}

static enum inspect_status pass_mixed_block(const struct sweep *sweep,
					     const struct mixed_slab *slab, uint32_t first)
{
	struct reach *reach = sweep->reach;
	enum inspect_status status;
	struct bytes bytes;
	struct block block;
	uint64_t offset;

	block_of_mixed(reach->heap, slab, first, &block);
	offset = block.start - reach->heap->base;
	if (!is_wanted(sweep, offset))
		return INSPECT_OK;
	status = enter_section(reach, offset >> reach->section_shift);
	if (status == INSPECT_OK)
		status = load_section(reach, offset, block.bytes);
	bytes = section_bytes(reach);
	if (status == INSPECT_OK && section_mixed_state(reach, &block) == OBJECT_IN_USE)
		sweep->fn(reach, &block, &bytes, sweep->arg);
	return status;
}

static enum inspect_status pass_mixed(const struct sweep *sweep, const struct mixed_slab *slab)
{
	enum inspect_status status = INSPECT_OK;

	for (uint32_t at = mixed_next_block(slab, 0); at < slab->nr && status == INSPECT_OK;
	     at = mixed_next_block(slab, at + 1))
		status = pass_mixed_block(sweep, slab, at);
	return status;
}

static enum inspect_status pass_pages(const struct sweep *sweep, uint64_t pfn)
{
	struct reach *reach = sweep->reach;
	const struct heap *heap = reach->heap;
	uint64_t offset = pfn << heap_value(heap, LAYOUT_page_shift);
	struct block block = {
		.kind = BLOCK_PAGES, .start = heap->base + offset, .cache = "pages",
		.bytes = (uint64_t)reach->pages.info[pfn].number * heap_page_bytes(heap),
	};
	enum inspect_status status;
	struct bytes bytes;

	if (!is_wanted(sweep, offset))
		return INSPECT_OK;
	status = enter_section(reach, offset >> reach->section_shift);
	if (status == INSPECT_OK)
		status = load_section(reach, offset, heap_page_bytes(heap));
	bytes = section_bytes(reach);
	if (status == INSPECT_OK)
		sweep->fn(reach, &block, &bytes, sweep->arg);
	return status;
}

static enum inspect_status pass_outside(const struct sweep *sweep, const struct outside *outside)
{
	struct reach *reach = sweep->reach;
	struct block block = {
		.kind = BLOCK_OUTSIDE, .start = outside->start, .bytes = outside->bytes,
		.outside = *outside,
	};
	struct bytes bytes = { reach->chunk, block.start, block.start + 64 };

	block.cache = outside->kind == OUTSIDE_GUARDED ? block.outside.name : "mapping";
	if (bytes.end > block.start + block.bytes)
		bytes.end = block.start + block.bytes;
	if (outside->is_reached || !target_read(reach->heap->target, block.start, reach->chunk,
						bytes.end - bytes.start))
		return reach->heap->target->status;
	sweep->fn(reach, &block, &bytes, sweep->arg);
	return INSPECT_OK;
}

enum inspect_status reach_unreached(struct reach *reach, const uint64_t *only, unreached_fn *fn,
				    void *arg)
{
	const struct sweep sweep = { reach, only, fn, arg };
	enum inspect_status status = INSPECT_OK;
	uint64_t slab_start = UINT64_MAX;

	reach->section = NO_SECTION;
	for (uint64_t pfn = 0; pfn < reach->pages.nr && status == INSPECT_OK; pfn++) {
		const struct page_info *info = &reach->pages.info[pfn];
		struct slab slab;

		if (info->kind == PAGE_BLOCK) {
			status = pass_pages(&sweep, pfn);
		} else if (info->kind == PAGE_MIXED && info->is_first) {
			status = pass_mixed(&sweep, mixed_of_page(&reach->pages, pfn));
		} else if (info->kind == PAGE_SLAB) {
			slab_of_page(reach->heap, &reach->pages, pfn, &slab);
			if (slab.start != slab_start)
				status = pass_slab(&sweep, pfn);
			slab_start = slab.start;
		}
	}
	for (size_t i = 0; i < reach->outside.nr && status == INSPECT_OK; i++)
		status = pass_outside(&sweep, &reach->outside.blocks[i]);
	return status;
}

