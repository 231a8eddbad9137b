// SPDX-License-Identifier: MIT
/* One section of the window at a time: its pages in memory, and its pending blocks. See reach.h. */
#include <string.h>

#include "base/compiler.h"
#include "reach.h"

/* At most 2^READ_AROUND_BITS pages are read at once: they stay in the processor's caches. */
#define READ_AROUND_BITS 6
#define NEAR_PAGES 4

/* --- States ------------------------------------------------------------------------ */

struct bytes section_bytes(const struct reach *reach)
{
	uint64_t start = reach->heap->base + (reach->section << reach->section_shift);

	return (struct bytes){ reach->bytes, start, start + (1UL << reach->section_shift) };
}

/* Finds the free objects of a slab with debugging flags, unless reach->map has them already. */
static void fill_map(struct reach *reach, const struct slab *slab, const struct bytes *bytes)
{
	uint64_t page = heap_struct_page(reach->heap, heap_pfn(reach->heap, slab->start));

	if (!slab->cache->is_debugged || reach->map_slab == slab->start)
		return;
	free_map_fill(&reach->map, slab, heap_read_u64(reach->heap, page +
		      heap_value(reach->heap, LAYOUT_page_freelist)), bytes);
	reach->map_slab = slab->start;
}

enum object_state section_object_state(struct reach *reach, const struct slab *slab,
				       unsigned int index)
{
	const struct heap_cache *cache = slab->cache;
	const struct bytes bytes = section_bytes(reach);
	uint64_t object = slab_object(slab, index);
	uint8_t mark = reach->byte_marks[(object - bytes.start) >> reach->mark_shift];

	if (unlikely(cache->is_debugged || cache->is_hardened)) {
		fill_map(reach, slab, &bytes);
		return object_state(reach->heap, slab, index, &bytes, mark, &reach->map);
	}
	/* As object_state() does, but without a call. */
	return cache->byte_marks ? state_by_byte(reach->heap, mark) :
	       state_by_word(reach->heap, object, bytes_word(&bytes, object + cache->mark_offset));
}

enum object_state section_mixed_state(const struct reach *reach, const struct block *block)
{
	const struct bytes bytes = section_bytes(reach);
	uint64_t mark = heap_byte_mark(reach->heap, block->start) -
			heap_byte_mark(reach->heap, bytes.start);

	return mixed_block_state(reach->heap, block->start, block->bytes, &bytes,
				 reach->byte_marks[mark]);
}

/* --- Pages in memory --------------------------------------------------------------- */

/* Objects of the slab from `start` to `end` that are free become reached. */
static void settle_slab(struct reach *reach, const struct slab *slab, uint64_t start, uint64_t end)
{
	const struct heap *heap = reach->heap;
	unsigned int index = start > slab->first ?
			     slab_index_of(slab, start + slab->cache->size - 1) : 0;

	for (; index < slab->nr; index++) {
		uint64_t object = slab_object_start(slab, index), granule;

		if (object + slab->cache->size > end)
			break;
		if (section_object_state(reach, slab, index) == OBJECT_IN_USE)
			continue;
		granule = (slab_object(slab, index) - heap->base) >> GRANULE_SHIFT;
		reach->bits[granule / 64].reached |= 1UL << granule % 64;
	}
}

/* Settles the slabs of these pages, which are in memory. */
static void settle_free(struct reach *reach, uint64_t first, uint64_t end)
{
	const struct heap *heap = reach->heap;
	uint64_t pfn = reach->section << heap_value(heap, LAYOUT_max_page_order);
	uint64_t address = heap->base + (pfn << reach->page_shift);
	struct slab slab;

	for (uint64_t page = first; page < end;) {
		/*
		 * If struct pages contradict one another, pages of this slab may belong to another
		 * one.
		 */
		if (pfn + page >= reach->pages.nr ||
		    reach->pages.info[pfn + page].kind != PAGE_SLAB) {
			page++;
			continue;
		}
		slab_of_page(heap, &reach->pages, pfn + page, &slab);
		if (reach->pages.info[pfn + page].has_free && !slab.cache->is_debugged)
			settle_slab(reach, &slab, address + (page << reach->page_shift),
				    address + (end << reach->page_shift));
		page = heap_pfn(heap, slab.start + slab.bytes) - pfn;
	}
}

/* Settles all slabs of the section that are in memory. */
static void settle_loaded(struct reach *reach)
{
	uint64_t pages = 1UL << (reach->section_shift - reach->page_shift);

	for (uint64_t page = 0, end; page < pages; page = end + 1) {
		for (end = page; end < pages && reach->loaded[end];)
			end++;
		if (end > page)
			settle_free(reach, page, end);
	}
}

enum inspect_status enter_section(struct reach *reach, uint64_t section)
{
	const struct heap *heap = reach->heap;
	uint64_t bytes = 1UL << reach->section_shift, start = heap->base + section * bytes;

	if (reach->section == section)
		return INSPECT_OK;
	reach->section = section;
	reach->nr_stack = 0;
	reach->nr_loads = 0;
	reach->load_first = reach->load_end = 0;
	reach->map_slab = 0;
	if (ahead_take(reach, section)) {
		settle_loaded(reach);
		return INSPECT_OK;
	}
	memset(reach->loaded, 0, bytes >> heap_value(heap, LAYOUT_page_shift));
	/* Without its marks an object counts as in use. */
	if (!target_read(heap->target, heap_byte_mark(heap, start), reach->byte_marks,
			 bytes >> heap_value(heap, LAYOUT_mark_shift)))
		memset(reach->byte_marks, heap_value(heap, LAYOUT_byte_mark_in_use),
		       bytes >> heap_value(heap, LAYOUT_mark_shift));
	return heap->target->status;
}

/* Is this a page of a slab, which objects probably fill, and that is not in memory yet? */
static bool is_worth_reading(const struct reach *reach, uint64_t page)
{
	uint64_t pfn = (reach->section << heap_value(reach->heap, LAYOUT_max_page_order)) + page;

	return pfn < reach->pages.nr && !reach->loaded[page] &&
	       reach->pages.info[pfn].kind == PAGE_SLAB;
}

/*
 * Reads pages of the section. Those of slabs have memory, since each of their objects is marked: so
 * nobody needs to ask which of them have.
 */
static enum inspect_status read_pages(struct reach *reach, uint64_t first, uint64_t end,
				      bool of_slabs)
{
	const struct heap *heap = reach->heap;
	unsigned int shift = heap_value(heap, LAYOUT_page_shift);
	uint64_t address = heap->base + (reach->section << reach->section_shift) +
			   (first << shift);

	memset(reach->loaded + first, 1, end - first);
	if (of_slabs && target_read(heap->target, address, reach->bytes + (first << shift),
				    (end - first) << shift)) {
		settle_free(reach, first, end);
		return INSPECT_OK;
	}
	return target_read_sparse(heap->target, address, reach->bytes + (first << shift),
				  (end - first) << shift);
}

/*
 * How many pages are read at once, minus 1. The number grows with each read beside the last one.
 * Lists may be built in either direction.
 */
static uint64_t pages_around(struct reach *reach, uint64_t first)
{
	bool is_near = first + NEAR_PAGES >= reach->load_first &&
		       first <= reach->load_end + NEAR_PAGES;

	reach->nr_loads = is_near ? reach->nr_loads + 1 : 0;
	if (reach->nr_loads > READ_AROUND_BITS)
		reach->nr_loads = READ_AROUND_BITS;
	return (1UL << reach->nr_loads) - 1;
}

enum inspect_status load_section(struct reach *reach, uint64_t offset, uint64_t bytes)
{
	const struct heap *heap = reach->heap;
	unsigned int shift = heap_value(heap, LAYOUT_page_shift);
	uint64_t section_pages = 1UL << heap_value(heap, LAYOUT_max_page_order);
	uint64_t in_section = offset & ((1UL << reach->section_shift) - 1), around;
	uint64_t first = in_section >> shift;
	uint64_t end = (in_section + bytes + heap_page_bytes(heap) - 1) >> shift;
	bool of_slabs;

	if (end > section_pages)
		end = section_pages;
	while (first < end && reach->loaded[first])
		first++;
	if (first >= end)
		return INSPECT_OK;
	of_slabs = is_worth_reading(reach, first);
	around = pages_around(reach, first);
	for (uint64_t least = first & ~around; of_slabs && first > least &&
	     is_worth_reading(reach, first - 1);)
		first--;
	for (uint64_t most = end | around; of_slabs && end <= most && end < section_pages &&
	     is_worth_reading(reach, end);)
		end++;
	reach->load_first = first;
	reach->load_end = end;
	return read_pages(reach, first, end, of_slabs);
}

/* --- Pending blocks ---------------------------------------------------------------- */

/* Is a part of the section that lies in one or two pages in memory? */
static bool is_loaded(const struct reach *reach, uint64_t offset, uint64_t bytes)
{
	uint64_t in_section = offset & ((1UL << reach->section_shift) - 1);
	uint64_t first = in_section >> reach->page_shift;
	uint64_t last = (in_section + bytes - 1) >> reach->page_shift;

	return last <= first + 1 && last < 1UL << (reach->section_shift - reach->page_shift) &&
	       reach->loaded[first] && reach->loaded[last];
}

/* The slab around an address of a page of kind PAGE_SLAB: the last one again, mostly. */
static const struct slab *slab_around(struct reach *reach, uint64_t offset)
{
	struct slab *slab = &reach->slab;

	if (reach->heap->base + offset - slab->start >= slab->bytes)
		slab_of_page(reach->heap, &reach->pages, offset >> reach->page_shift, slab);
	return slab;
}

/* Looks at the words of a pending object. */
static enum inspect_status scan_object(struct reach *reach, uint64_t offset)
{
	const struct heap *heap = reach->heap;
	const struct slab *slab = slab_around(reach, offset);
	const struct heap_cache *cache = slab->cache;
	const struct bytes bytes = section_bytes(reach);
	/* A granule may begin a little before its object. */
	unsigned int index = slab_index_of(slab, heap->base + offset + (1 << GRANULE_SHIFT) - 1);
	uint64_t start = slab_object_start(slab, index) - heap->base;
	enum inspect_status status = INSPECT_OK;

	if (index == slab->nr)
		return INSPECT_OK;
	/* Behind the user's bytes debugging keeps links and stacks. */
	if (unlikely(cache->is_debugged))
		status = load_section(reach, slab->start - heap->base, slab->bytes);
	else if (!is_loaded(reach, start, cache->size))
		status = load_section(reach, start, cache->size);
	if (status == INSPECT_OK && section_object_state(reach, slab, index) == OBJECT_IN_USE)
		reach_bytes(reach, &bytes, slab_object(slab, index), cache->is_debugged ?
			    cache->object_size : cache->size);
	return status;
}

/* Looks at the words of a pending block of a mixed slab. */
static enum inspect_status scan_mixed(struct reach *reach, const struct mixed_slab *slab,
				      uint64_t offset)
{
	const struct heap *heap = reach->heap;
	struct bytes bytes = section_bytes(reach);
	enum inspect_status status;
	struct block block;

	block_of_mixed(heap, slab, mixed_granule_of(heap, slab, heap->base + offset), &block);
	status = load_section(reach, offset, block.bytes);
	if (status == INSPECT_OK && section_mixed_state(reach, &block) == OBJECT_IN_USE)
		reach_bytes(reach, &bytes, block.start, block.bytes);
	return status;
}

/* Looks at the words of a pending block of the section. */
static enum inspect_status scan_in_section(struct reach *reach, uint64_t granule)
{
	const struct heap *heap = reach->heap;
	uint64_t offset = granule << GRANULE_SHIFT, pfn = offset >> reach->page_shift, size;
	const struct page_info *info = &reach->pages.info[pfn];
	struct bytes bytes = section_bytes(reach);
	enum inspect_status status;

	/* Behind a red zone an object may begin in the next page. */
	if (likely(info->kind == PAGE_SLAB || info->kind == PAGE_SLAB_TAIL))
		return scan_object(reach, offset);
	if (info->kind == PAGE_MIXED)
		return scan_mixed(reach, mixed_of_page(&reach->pages, pfn), offset);
	if (info->kind != PAGE_BLOCK)
		return INSPECT_OK;
	size = (uint64_t)info->number * heap_page_bytes(heap);
	status = load_section(reach, offset, size);
	if (status == INSPECT_OK)
		reach_bytes(reach, &bytes, heap->base + offset, size);
	return status;
}

uint32_t next_pending(const struct reach *reach, uint64_t section, uint32_t from)
{
	uint32_t nr = 1u << (reach->section_shift - GRANULE_SHIFT);
	const struct reach_bits *bits = reach->bits + section * (nr / 64);

	for (uint32_t i = from / 64; i < nr / 64; i++) {
		uint64_t word = bits[i].pending;

		if (i == from / 64)
			word &= ~0UL << from % 64;
		if (word)
			return i * 64 + (uint32_t)__builtin_ctzl(word);
	}
	return UINT32_MAX;
}

/* One of the section's pending blocks: the last one that was reached, or else the next one. */
static uint32_t choose(struct reach *reach, uint64_t section, uint32_t *from)
{
	uint64_t first = section << (reach->section_shift - GRANULE_SHIFT);
	uint32_t next;

	while (reach->nr_stack) {
		next = reach->stack[--reach->nr_stack];
		if (is_pending(reach, first + next))
			return next;
	}
	next = next_pending(reach, section, *from);
	if (next == UINT32_MAX)
		next = next_pending(reach, section, 0);
	*from = next;
	return next;
}

enum inspect_status work_off_section(struct reach *reach, uint64_t section)
{
	uint64_t first = section << (reach->section_shift - GRANULE_SHIFT);
	enum inspect_status status;
	uint32_t from = 0, next;

	reach->section = NO_SECTION;
	status = enter_section(reach, section);
	ahead_want_next(reach, section);
	while (status == INSPECT_OK) {
		if (!reach->pending_of[section])
			reach_queue_end(reach);
		if (!reach->pending_of[section])
			break;
		next = choose(reach, section, &from);
		clear_pending(reach, first + next);
		status = scan_in_section(reach, first + next);
	}
	reach->section = NO_SECTION;
	return status;
}
