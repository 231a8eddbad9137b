// SPDX-License-Identifier: MIT
/* Which blocks does the program still reach? See reach.h. */
#include "reach.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/compiler.h"

/* --- Tables ------------------------------------------------------------------------ */

void *reach_table(uint64_t bytes)
{
	void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return table == MAP_FAILED ? NULL : table;
}

void reach_table_free(void *table, uint64_t bytes)
{
	if (table)
		munmap(table, bytes);
}

/* --- Marking ----------------------------------------------------------------------- */

static void set_reached(struct reach *reach, uint64_t offset)
{
	uint64_t granule = offset >> GRANULE_SHIFT, bit = 1UL << granule % 64, section;
	struct reach_bits *bits = &reach->bits[granule / 64];

	if (bits->reached & bit)
		return;
	bits->reached |= bit;
	bits->pending |= bit;
	section = section_of(reach, granule);
	reach->pending_of[section]++;
	reach->nr_pending++;
	if (section == reach->section)
		reach->stack[reach->nr_stack++] =
			(uint32_t)(granule & ((1UL << (reach->section_shift - GRANULE_SHIFT)) - 1));
	else if (reach->nr_few < FEW_ROOM)
		reach->few[reach->nr_few++] = granule;
	else
		reach->few_are_all = false;
}

/* A word that points into a slab. The usual case has no call. */
static void reach_slab(struct reach *reach, uint64_t offset, const struct page_info *info)
{
	const struct heap *heap = reach->heap;
	const struct heap_cache *cache = &heap->caches[info->number];
	uint64_t in_slab, index;
	struct slab slab;

	if (likely(!info->is_small)) {
		in_slab = offset & ((1UL << (reach->page_shift + cache->order)) - 1);
		index = in_slab * cache->inverse >> 40;
		if (index < cache->objects)
			set_reached(reach, offset - in_slab + index * cache->size +
				    cache->red_left_pad);
		return;
	}
	slab_of_page(heap, &reach->pages, offset >> heap_value(heap, LAYOUT_page_shift), &slab);
	index = slab_index_of(&slab, heap->base + offset);
	if (index < slab.nr)
		set_reached(reach, slab_object(&slab, (unsigned int)index) - heap->base);
}

/* A word that points behind the slab's last object so far reaches nothing. */
static void reach_slab_tail(struct reach *reach, uint64_t offset)
{
	const struct heap *heap = reach->heap;
	struct slab slab;
	unsigned int index;

	slab_of_page(heap, &reach->pages, offset >> reach->page_shift, &slab);
	index = slab_index_of(&slab, heap->base + offset);
	if (index < slab.nr && slab_is_opened(heap, &reach->pages, &slab, index))
		set_reached(reach, slab_object(&slab, index) - heap->base);
}

static void reach_mixed(struct reach *reach, uint64_t offset)
{
	const struct heap *heap = reach->heap;
	const struct mixed_slab *slab =
		mixed_of_page(&reach->pages, offset >> heap_value(heap, LAYOUT_page_shift));
	uint32_t first = mixed_block_around(slab, mixed_granule_of(heap, slab,
								   heap->base + offset));

	if (first != slab->nr)
		set_reached(reach, mixed_granule(heap, slab, first) - heap->base);
}

/* A page block, by its struct page or by any address in it. */
static void reach_page(struct reach *reach, uint64_t pfn)
{
	const struct page_info *info = &reach->pages.info[pfn];

	if (info->kind == PAGE_BLOCK)
		set_reached(reach, pfn << heap_value(reach->heap, LAYOUT_page_shift));
	else if (info->kind == PAGE_BLOCK_TAIL)
		set_reached(reach, (pfn - info->number)
			    << heap_value(reach->heap, LAYOUT_page_shift));
}

static void reach_elsewhere(struct reach *reach, uint64_t word)
{
	struct outside *block;
	uint64_t pfn;

	if (word - reach->outside_low < reach->outside_span) {
		block = outside_find(&reach->outside, word);
		if (block && !block->is_reached) {
			block->is_reached = true;
			reach->nr_outside_pending++;
		}
		return;
	}
	if (word - reach->structs >= reach->struct_bytes)
		return;
	pfn = heap_pfn_of_struct(reach->heap, word);
	if (pfn < reach->pages.nr)
		reach_page(reach, pfn);
}

/* An address in the window. */
static void reach_offset(struct reach *reach, uint64_t offset)
{
	uint64_t pfn = offset >> reach->page_shift;
	const struct page_info *info = &reach->pages.info[pfn];

	if (info->kind == PAGE_SLAB)
		reach_slab(reach, offset, info);
	else if (info->kind == PAGE_SLAB_TAIL)
		reach_slab_tail(reach, offset);
	else if (info->kind == PAGE_MIXED)
		reach_mixed(reach, offset);
	else
		reach_page(reach, pfn);
}

/* Queues the offset for reach_offset(), and prefetches the data that it will look at. */
static void reach_later(struct reach *reach, uint64_t offset)
{
	unsigned int first = reach->queue_first, nr = reach->queue_nr;
	uint64_t *place = &reach->queue[(first + nr) % REACH_QUEUE], before = *place;

	__builtin_prefetch(&reach->pages.info[offset >> reach->page_shift]);
	__builtin_prefetch(&reach->bits[offset >> GRANULE_SHIFT >> 6], 1);
	*place = offset;
	if (nr < REACH_QUEUE) {
		reach->queue_nr = nr + 1;
		return;
	}
	reach->queue_first = (first + 1) % REACH_QUEUE;
	reach_offset(reach, before);
}

void reach_queue_end(struct reach *reach)
{
	for (; reach->queue_nr; reach->queue_nr--) {
		uint64_t offset = reach->queue[reach->queue_first];

		reach->queue_first = (reach->queue_first + 1) % REACH_QUEUE;
		reach_offset(reach, offset);
	}
}

/*The library's description of the window contains the window's first address, which there is no
 * pointer to a block: mm_window begins with it, and usermm_memmap ends with it.
 */
static bool is_description(const struct heap *heap, const uint64_t *words, size_t i, size_t nr)
{
	size_t caches = heap_value(heap, LAYOUT_mm_window_slab_caches) / sizeof(*words);

	return (i + caches < nr && words[i + caches] == heap->slab_caches) ||
	       (i >= 2 && words[i - 1] == heap->slab_caches && words[i - 2] == heap->pages);
}

void reach_words(struct reach *reach, const uint64_t *words, size_t nr)
{
	const uint64_t base = reach->base, online = reach->online, low = reach->low;
	const uint64_t span = reach->span;

	for (size_t i = 0; i < nr; i++) {
		uint64_t word = words[i], offset = word - base;

		if (likely(word - low >= span))
			continue;
		if (offset >= online)
			reach_elsewhere(reach, word);
		else if (likely(offset) || !is_description(reach->heap, words, i, nr))
			reach_later(reach, offset);
	}
}

void reach_bytes(struct reach *reach, const struct bytes *bytes, uint64_t start, uint64_t nr)
{
	uint64_t from = (start + 7) & ~7UL, end = start + nr;

	if (end > bytes->end)
		end = bytes->end;
	if (from < end)
		reach_words(reach, (const uint64_t *)(bytes->at + (from - bytes->start)),
			    (end - from) / sizeof(uint64_t));
}

/* Whole pages are read, but only the words of the range count. */
static enum inspect_status reach_mapped(struct reach *reach, uint64_t start, uint64_t end)
{
	enum inspect_status status = INSPECT_OK;

	start = (start + 7) & ~7UL;
	for (uint64_t at = start & ~4095UL; at < end && status == INSPECT_OK;
	     at += REACH_CHUNK_BYTES) {
		uint64_t bytes = (end - at + 4095) & ~4095UL, from = at > start ? at : start, to;

		bytes = bytes < REACH_CHUNK_BYTES ? bytes : REACH_CHUNK_BYTES;
		to = at + bytes < end ? at + bytes : end;
		status = target_read_sparse(reach->heap->target, at, reach->chunk, bytes);
		if (status == INSPECT_OK && from < to)
			reach_words(reach, (const uint64_t *)(reach->chunk + (from - at)),
				    (to - from) / sizeof(uint64_t));
	}
	return status;
}

enum inspect_status reach_range(struct reach *reach, uint64_t start, uint64_t end)
{
	const struct target *target = reach->heap->target;
	const struct range *range = target_range_from(target, start);
	enum inspect_status status = INSPECT_OK;

	for (; range && range < target->ranges + target->nr_ranges && range->start < end &&
	       status == INSPECT_OK; range++)
		status = reach_mapped(reach, start > range->start ? start : range->start,
				      end < range->there_end ? end : range->there_end);
	return status;
}

/* --- All --------------------------------------------------------------------------- */

static enum inspect_status scan_outside(struct reach *reach)
{
	enum inspect_status status = INSPECT_OK;

	reach->nr_outside_pending = 0;
	for (size_t i = 0; i < reach->outside.nr && status == INSPECT_OK; i++) {
		struct outside *block = &reach->outside.blocks[i];

		if (!block->is_reached || block->is_scanned)
			continue;
		block->is_scanned = true;
		status = reach_range(reach, block->start, block->start + block->bytes);
	}
	return status;
}

static enum inspect_status work_off_sections(struct reach *reach)
{
	enum inspect_status status = INSPECT_OK;

	ahead_begin(reach);
	for (uint64_t i = 0; i < reach->nr_sections && status == INSPECT_OK; i++)
		if (reach->pending_of[i])
			status = work_off_section(reach, i);
	collect_few(reach);
	return status;
}

enum inspect_status reach_all(struct reach *reach)
{
	enum inspect_status status = INSPECT_OK;

	reach_queue_end(reach);
	while (status == INSPECT_OK && (reach->nr_pending || reach->nr_outside_pending)) {
		if (reach->nr_outside_pending) {
			status = scan_outside(reach);
		} else if (!reach->has_debugged && reach->few_are_all &&
			   reach->nr_pending < FEW_MAX) {
			status = work_off_few(reach);
		} else {
			status = work_off_sections(reach);
		}
		reach_queue_end(reach);
	}
	ahead_end(reach);
	return status;
}

/* --- Begin and end ----------------------------------------------------------------- */

/* Takes addresses of blocks into the range that every word is compared with. */
static void widen(struct reach *reach, uint64_t start, uint64_t bytes)
{
	uint64_t end = reach->low + reach->span;

	if (!bytes)
		return;
	end = !reach->span || start + bytes > end ? start + bytes : end;
	reach->low = !reach->span || start < reach->low ? start : reach->low;
	reach->span = end - reach->low;
}

static void find_bounds(struct reach *reach)
{
	const struct outside_blocks *outside = &reach->outside;

	if (outside->nr) {
		reach->outside_low = outside->blocks[0].start;
		reach->outside_span = outside->blocks[outside->nr - 1].start +
				      outside->blocks[outside->nr - 1].bytes - reach->outside_low;
	}
	widen(reach, reach->base, reach->online);
	widen(reach, reach->structs, reach->struct_bytes);
	widen(reach, reach->outside_low, reach->outside_span);
}

static void take_bounds(struct reach *reach)
{
	const struct heap *heap = reach->heap;

	reach->base = heap->base;
	reach->online = heap->online_bytes;
	reach->structs = heap->pages;
	reach->struct_bytes = heap_nr_pages(heap) * heap_value(heap, LAYOUT_sizeof_page);
	reach->page_shift = heap_value(heap, LAYOUT_page_shift);
	reach->section_shift = reach->page_shift + heap_value(heap, LAYOUT_max_page_order);
	reach->mark_shift = heap_value(heap, LAYOUT_mark_shift);
}

static bool make_room(struct reach *reach)
{
	const struct heap *heap = reach->heap;
	uint64_t section = 1UL << reach->section_shift;

	/* A granule more, since the last one may begin in the middle of a section. */
	reach->nr_sections = (heap->online_bytes + section - 1) / section;
	reach->nr_bits = reach->nr_sections * section / 64 / (1 << GRANULE_SHIFT) + 1;
	reach->bits = reach_table(reach->nr_bits * sizeof(*reach->bits));
	if (reach->bits)
		madvise(reach->bits, reach->nr_bits * sizeof(*reach->bits), MADV_HUGEPAGE);
	reach->pending_of = calloc(reach->nr_sections + 1, sizeof(*reach->pending_of));
	reach->bytes = reach_table(section);
	reach->byte_marks = malloc(section >> heap_value(heap, LAYOUT_mark_shift));
	reach->loaded = malloc(section >> heap_value(heap, LAYOUT_page_shift));
	reach->stack = malloc((section >> GRANULE_SHIFT) * sizeof(*reach->stack));
	reach->few = malloc(FEW_ROOM * sizeof(*reach->few));
	reach->views = views_make(reach);
	reach->chunk = reach_table(REACH_CHUNK_BYTES);
	return reach->bits && reach->pending_of && reach->bytes && reach->byte_marks &&
	       reach->loaded && reach->stack && reach->few && reach->views && reach->chunk;
}

enum inspect_status reach_begin(struct heap *heap, struct reach *reach)
{
	enum inspect_status status;

	*reach = (struct reach){ .heap = heap, .section = NO_SECTION, .few_are_all = true };
	take_bounds(reach);
	status = pages_read(heap, &reach->pages);
	if (status == INSPECT_OK)
		status = outside_read(heap, &reach->outside);
	if (status == INSPECT_OK && !make_room(reach))
		status = target_fail(heap->target, INSPECT_NO_MEMORY, "no memory for a heap of %lu "
				     "bytes", heap->online_bytes);
	if (status != INSPECT_OK) {
		reach_end(reach);
		return status;
	}
	find_bounds(reach);
	for (size_t i = 0; i < heap->nr_caches; i++)
		reach->has_debugged |= heap->caches[i].is_debugged;
	return INSPECT_OK;
}

void reach_end(struct reach *reach)
{
	pages_free(&reach->pages);
	outside_free(&reach->outside);
	reach_table_free(reach->bits, reach->nr_bits * sizeof(*reach->bits));
	free(reach->pending_of);
	reach_table_free(reach->bytes, 1UL << reach->section_shift);
	free(reach->byte_marks);
	free(reach->loaded);
	free(reach->stack);
	free(reach->few);
	free(reach->views);
	reach_table_free(reach->chunk, REACH_CHUNK_BYTES);
	*reach = (struct reach){ 0 };
}
