// SPDX-License-Identifier: MIT
/* Which blocks does the program still reach? See reach.h. */
#include "reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* With fewer pending blocks than this, they are read one by one. */
#define FEW_MAX 256u
#define FEW_ROOM 4096u
/* A block of more bytes is read with its section. */
#define FEW_BYTES_MAX 8192u
/* So often the next block may be in the same section, before that is read as a whole. */
#define FEW_REPEATS 16u
/* At most 2^READ_AROUND_BITS pages are read at once. */
#define READ_AROUND_BITS 8
#define NO_SECTION UINT64_MAX

static unsigned int section_shift(const struct reach *reach)
{
	return heap_value(reach->heap, LAYOUT_page_shift) +
	       heap_value(reach->heap, LAYOUT_max_page_order);
}

static uint64_t section_of(const struct reach *reach, uint64_t granule)
{
	return granule >> (section_shift(reach) - GRANULE_SHIFT);
}

/* --- Marking ----------------------------------------------------------------------- */

static void clear_pending(struct reach *reach, uint64_t granule)
{
	reach->pending[granule / 64] &= ~(1UL << granule % 64);
	reach->pending_of[section_of(reach, granule)]--;
	reach->nr_pending--;
}

static void set_reached(struct reach *reach, uint64_t offset)
{
	uint64_t granule = offset >> GRANULE_SHIFT, section;

	if (reach_has(reach->reached, granule))
		return;
	reach->reached[granule / 64] |= 1UL << granule % 64;
	reach->pending[granule / 64] |= 1UL << granule % 64;
	section = section_of(reach, granule);
	reach->pending_of[section]++;
	reach->nr_pending++;
	if (section == reach->section)
		reach->stack[reach->nr_stack++] =
			(uint32_t)(granule & ((1UL << (section_shift(reach) - GRANULE_SHIFT)) - 1));
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

	if (!info->is_small) {
		in_slab = offset & ((heap_page_bytes(heap) << cache->order) - 1);
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
	pfn = heap_pfn_of_struct(reach->heap, word);
	if (pfn < reach->pages.nr)
		reach_page(reach, pfn);
}

/*
 * The window's first address is no block's in the library's description of the window: mm_window
 * begins with it, and usermm_memmap ends with it.
 */
static bool is_description(const struct heap *heap, const uint64_t *words, size_t i, size_t nr)
{
	size_t caches = heap_value(heap, LAYOUT_mm_window_slab_caches) / sizeof(*words);

	return (i + caches < nr && words[i + caches] == heap->slab_caches) ||
	       (i >= 2 && words[i - 1] == heap->slab_caches && words[i - 2] == heap->pages);
}

void reach_words(struct reach *reach, const uint64_t *words, size_t nr)
{
	const struct heap *heap = reach->heap;
	const uint64_t base = heap->base, online = heap->online_bytes, pages = heap->pages;
	const uint64_t structs = reach->pages.nr * heap_value(heap, LAYOUT_sizeof_page);
	const unsigned int shift = heap_value(heap, LAYOUT_page_shift);

	for (size_t i = 0; i < nr; i++) {
		uint64_t word = words[i], offset = word - base;

		if (offset < online) {
			const struct page_info *info = &reach->pages.info[offset >> shift];

			if (unlikely(!offset) && is_description(heap, words, i, nr))
				continue;
			if (info->kind == PAGE_SLAB)
				reach_slab(reach, offset, info);
			else
				reach_page(reach, offset >> shift);
		} else if (word - reach->outside_low < reach->outside_span ||
			   word - pages < structs) {
			reach_elsewhere(reach, word);
		}
	}
}

static enum inspect_status reach_mapped(struct reach *reach, uint64_t start, uint64_t end)
{
	enum inspect_status status = INSPECT_OK;

	for (; start < end && status == INSPECT_OK; start += REACH_CHUNK_BYTES) {
		size_t bytes = end - start < REACH_CHUNK_BYTES ? end - start : REACH_CHUNK_BYTES;

		status = target_read_sparse(reach->heap->target, start, reach->chunk, bytes);
		if (status == INSPECT_OK)
			reach_words(reach, (const uint64_t *)reach->chunk,
				    bytes / sizeof(uint64_t));
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

/* --- Blocks of a section ----------------------------------------------------------- */

static enum inspect_status enter_section(struct reach *reach, uint64_t section)
{
	const struct heap *heap = reach->heap;
	uint64_t bytes = 1UL << section_shift(reach), start = heap->base + section * bytes;

	if (reach->section == section)
		return INSPECT_OK;
	reach->section = section;
	reach->nr_stack = 0;
	reach->nr_loads = 0;
	reach->map_slab = 0;
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
	uint64_t address = heap->base + (reach->section << section_shift(reach)) +
			   (first << shift);

	memset(reach->loaded + first, 1, end - first);
	if (of_slabs && target_read(heap->target, address, reach->bytes + (first << shift),
				    (end - first) << shift))
		return INSPECT_OK;
	return target_read_sparse(heap->target, address, reach->bytes + (first << shift),
				  (end - first) << shift);
}

/*
 * Makes sure that these bytes of the section are in memory. The more often a section is read, the
 * more pages beside are read at once, in both directions: lists are built either way.
 */
static enum inspect_status load(struct reach *reach, uint64_t offset, uint64_t bytes)
{
	const struct heap *heap = reach->heap;
	unsigned int shift = heap_value(heap, LAYOUT_page_shift);
	uint64_t section_pages = 1UL << heap_value(heap, LAYOUT_max_page_order);
	uint64_t in_section = offset & ((1UL << section_shift(reach)) - 1), around;
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
	around = reach->nr_loads < READ_AROUND_BITS ? (1UL << reach->nr_loads++) - 1 :
						      (1UL << READ_AROUND_BITS) - 1;
	for (uint64_t least = first & ~around; of_slabs && first > least &&
	     is_worth_reading(reach, first - 1);)
		first--;
	for (uint64_t most = end | around; of_slabs && end <= most && end < section_pages &&
	     is_worth_reading(reach, end);)
		end++;
	return read_pages(reach, first, end, of_slabs);
}

static struct bytes section_bytes(const struct reach *reach)
{
	uint64_t start = reach->heap->base + (reach->section << section_shift(reach));

	return (struct bytes){ reach->bytes, start, start + (1UL << section_shift(reach)) };
}

/* Reads the free objects of a slab with debugging flags, unless that was the last slab. */
static void fill_map(struct reach *reach, const struct slab *slab, const struct bytes *bytes)
{
	uint64_t page = heap_struct_page(reach->heap, heap_pfn(reach->heap, slab->start));

	if (!slab->cache->is_debugged || reach->map_slab == slab->start)
		return;
	free_map_fill(&reach->map, slab, heap_read_u64(reach->heap, page +
		      heap_value(reach->heap, LAYOUT_page_freelist)), bytes);
	reach->map_slab = slab->start;
}

static enum object_state state_of(struct reach *reach, const struct slab *slab, unsigned int index,
				  const struct bytes *bytes)
{
	uint64_t object = slab_object(slab, index);
	uint64_t mark = heap_byte_mark(reach->heap, object) -
			heap_byte_mark(reach->heap, bytes->start);

	return object_state(reach->heap, slab, index, bytes, reach->byte_marks[mark], &reach->map);
}

static void reach_bytes(struct reach *reach, const struct bytes *bytes, uint64_t start,
			uint64_t nr)
{
	uint64_t from = (start + 7) & ~7UL, end = start + nr;

	if (end > bytes->end)
		end = bytes->end;
	if (from < end)
		reach_words(reach, (const uint64_t *)(bytes->at + (from - bytes->start)),
			    (end - from) / sizeof(uint64_t));
}

/* How many bytes of an object are its user's. Behind them debugging keeps links and stacks. */
static uint64_t user_bytes(const struct heap_cache *cache)
{
	return cache->is_debugged ? cache->object_size : cache->size;
}

/* Looks at the words of a pending block of the section. */
static enum inspect_status scan_in_section(struct reach *reach, uint64_t granule)
{
	const struct heap *heap = reach->heap;
	uint64_t offset = granule << GRANULE_SHIFT;
	uint64_t pfn = offset >> heap_value(heap, LAYOUT_page_shift);
	const struct page_info *info = &reach->pages.info[pfn];
	struct bytes bytes = section_bytes(reach);
	enum inspect_status status;
	unsigned int index;
	struct slab slab;
	uint64_t size;

	if (info->kind == PAGE_BLOCK) {
		size = (uint64_t)info->number * heap_page_bytes(heap);
		status = load(reach, offset, size);
		if (status == INSPECT_OK)
			reach_bytes(reach, &bytes, heap->base + offset, size);
		return status;
	}
	if (info->kind != PAGE_SLAB)
		return INSPECT_OK;
	slab_of_page(heap, &reach->pages, pfn, &slab);
	/* A granule may begin a little before its object. */
	index = slab_index_of(&slab, heap->base + offset + (1 << GRANULE_SHIFT) - 1);
	if (index == slab.nr)
		return INSPECT_OK;
	status = slab.cache->is_debugged ?
		 load(reach, slab.start - heap->base, slab.bytes) :
		 load(reach, slab.first + (uint64_t)index * slab.cache->size - heap->base,
		      slab.cache->size);
	if (status != INSPECT_OK)
		return status;
	fill_map(reach, &slab, &bytes);
	if (state_of(reach, &slab, index, &bytes) == OBJECT_IN_USE)
		reach_bytes(reach, &bytes, slab_object(&slab, index), user_bytes(slab.cache));
	return INSPECT_OK;
}

/* The first pending granule of the section from number `from` on; UINT32_MAX if there is none. */
static uint32_t next_pending(const struct reach *reach, uint32_t from)
{
	uint32_t nr = 1u << (section_shift(reach) - GRANULE_SHIFT);
	const uint64_t *words = reach->pending + reach->section * (nr / 64);

	for (uint32_t i = from / 64; i < nr / 64; i++) {
		uint64_t word = words[i];

		if (i == from / 64)
			word &= ~0UL << from % 64;
		if (word)
			return i * 64 + (uint32_t)__builtin_ctzl(word);
	}
	return UINT32_MAX;
}

static enum inspect_status work_off_section(struct reach *reach, uint64_t section)
{
	uint64_t first = section << (section_shift(reach) - GRANULE_SHIFT);
	enum inspect_status status;
	uint32_t from = 0, next;

	reach->section = NO_SECTION;
	status = enter_section(reach, section);
	while (status == INSPECT_OK && reach->pending_of[section]) {
		if (reach->nr_stack) {
			next = reach->stack[--reach->nr_stack];
			if (!reach_has(reach->pending, first + next))
				continue;
		} else {
			next = next_pending(reach, from);
			from = next == UINT32_MAX ? 0 : next;
			if (next == UINT32_MAX)
				continue;
		}
		clear_pending(reach, first + next);
		status = scan_in_section(reach, first + next);
	}
	reach->section = NO_SECTION;
	return status;
}

/* --- Few pending blocks ------------------------------------------------------------ */

/* A pending object and where its bytes go. */
struct few {
	uint64_t granule;
	struct slab slab;
	unsigned int index;
	uint64_t start, bytes;
	uint8_t mark;
};

/* Is this a pending object that can be read by itself? */
static bool take_few(struct reach *reach, uint64_t granule, struct few *few)
{
	const struct heap *heap = reach->heap;
	uint64_t offset = granule << GRANULE_SHIFT;
	uint64_t pfn = offset >> heap_value(heap, LAYOUT_page_shift);

	if (!reach_has(reach->pending, granule) || reach->pages.info[pfn].kind != PAGE_SLAB)
		return false;
	few->granule = granule;
	slab_of_page(heap, &reach->pages, pfn, &few->slab);
	few->index = slab_index_of(&few->slab, heap->base + offset + (1 << GRANULE_SHIFT) - 1);
	few->start = few->slab.first + (uint64_t)few->index * few->slab.cache->size;
	few->bytes = few->slab.cache->size;
	few->mark = (uint8_t)heap_value(heap, LAYOUT_byte_mark_in_use);
	return few->index < few->slab.nr && few->bytes <= FEW_BYTES_MAX;
}

static void scan_few(struct reach *reach, const struct few *few, const char *at)
{
	const struct bytes bytes = { at, few->start, few->start + few->bytes };

	if (object_state(reach->heap, &few->slab, few->index, &bytes, few->mark, NULL) ==
	    OBJECT_IN_USE)
		reach_bytes(reach, &bytes, slab_object(&few->slab, few->index), few->bytes);
}

/* Reads as many of the few objects as the chunk has room for. *done: how many. */
static enum inspect_status work_off_few(struct reach *reach, size_t *done)
{
	static struct few few[FEW_MAX];
	static struct piece pieces[2 * FEW_MAX];
	enum inspect_status status;
	size_t n = 0, used = 0;

	while (reach->nr_few && n < FEW_MAX && used + FEW_BYTES_MAX <= REACH_CHUNK_BYTES) {
		struct few *next = &few[n];

		if (!take_few(reach, reach->few[--reach->nr_few], next))
			continue;
		pieces[2 * n] = (struct piece){ .address = next->start, .to = reach->chunk + used,
						.bytes = next->bytes };
		pieces[2 * n + 1] = (struct piece){
			.address = heap_byte_mark(reach->heap, next->start), .to = &next->mark,
			.bytes = next->slab.cache->byte_marks,
		};
		used += (next->bytes + 7) & ~7UL;
		clear_pending(reach, next->granule);
		n++;
	}
	status = target_read_pieces(reach->heap->target, pieces, 2 * n);
	for (size_t i = 0; i < n && status == INSPECT_OK; i++)
		if (!pieces[2 * i].failed)
			scan_few(reach, &few[i], pieces[2 * i].to);
	*done = n;
	return status;
}

/* Lists all pending blocks, if they are few. */
static void collect_few(struct reach *reach)
{
	uint32_t nr = 1u << (section_shift(reach) - GRANULE_SHIFT);

	reach->nr_few = 0;
	reach->few_are_all = reach->nr_pending < FEW_MAX;
	for (uint64_t section = 0; reach->few_are_all && section < reach->nr_sections; section++) {
		if (!reach->pending_of[section])
			continue;
		reach->section = section;
		for (uint32_t next = next_pending(reach, 0); next != UINT32_MAX;
		     next = next + 1 < nr ? next_pending(reach, next + 1) : UINT32_MAX)
			reach->few[reach->nr_few++] = section * nr + next;
	}
	reach->section = NO_SECTION;
}

/* --- All --------------------------------------------------------------------------- */

static enum inspect_status scan_outside(struct reach *reach)
{
	enum inspect_status status = INSPECT_OK;

	reach->nr_outside_pending = 0;
	for (size_t i = 0; i < reach->outside.nr && status == INSPECT_OK; i++) {
		struct outside *block = &reach->outside.blocks[i];
		uint64_t start = block->start & ~4095UL;

		if (!block->is_reached || block->is_scanned)
			continue;
		block->is_scanned = true;
		status = reach_range(reach, start, (block->start + block->bytes + 4095) & ~4095UL);
	}
	return status;
}

static enum inspect_status work_off_sections(struct reach *reach)
{
	enum inspect_status status = INSPECT_OK;

	for (uint64_t i = 0; i < reach->nr_sections && status == INSPECT_OK; i++)
		if (reach->pending_of[i])
			status = work_off_section(reach, i);
	collect_few(reach);
	return status;
}

/*
 * A long list that stays in a section for a while: many steps in this section are cheaper than one
 * system call each.
 */
static bool stays_in_section(struct reach *reach)
{
	uint64_t section;

	if (!reach->nr_few)
		return false;
	section = section_of(reach, reach->few[reach->nr_few - 1]);
	reach->few_repeats = section == reach->few_section ? reach->few_repeats + 1 : 0;
	reach->few_section = section;
	return reach->few_repeats >= FEW_REPEATS;
}

enum inspect_status reach_all(struct reach *reach)
{
	enum inspect_status status = INSPECT_OK;
	size_t done;

	while (status == INSPECT_OK && (reach->nr_pending || reach->nr_outside_pending)) {
		if (reach->nr_outside_pending) {
			status = scan_outside(reach);
		} else if (!reach->has_debugged && reach->few_are_all &&
			   reach->nr_pending < FEW_MAX) {
			if (stays_in_section(reach)) {
				reach->few_repeats = 0;
				status = work_off_section(reach, reach->few_section);
				continue;
			}
			status = work_off_few(reach, &done);
			if (!done)	/* none that can be read by itself */
				reach->few_are_all = false;
		} else {
			status = work_off_sections(reach);
		}
	}
	return status;
}

/* --- What was not reached ---------------------------------------------------------- */

struct sweep {
	struct reach *reach;
	const uint64_t *only;
	unreached_fn *fn;
	void *arg;
};

static bool is_wanted(const struct sweep *sweep, uint64_t offset)
{
	uint64_t granule = offset >> GRANULE_SHIFT;

	return !reach_has(sweep->reach->reached, granule) &&
	       (!sweep->only || reach_has(sweep->only, granule));
}

static enum inspect_status pass_object(const struct sweep *sweep, const struct slab *slab,
				       unsigned int index)
{
	struct reach *reach = sweep->reach;
	uint64_t start = slab->first + (uint64_t)index * slab->cache->size;
	uint64_t offset = start - reach->heap->base;
	struct bytes bytes;
	struct block block;
	enum inspect_status status = enter_section(reach, offset >> section_shift(reach));

	if (status == INSPECT_OK)
		status = slab->cache->is_debugged ?
			 load(reach, slab->start - reach->heap->base, slab->bytes) :
			 load(reach, offset, slab->cache->size);
	if (status != INSPECT_OK)
		return status;
	bytes = section_bytes(reach);
	fill_map(reach, slab, &bytes);
	if (state_of(reach, slab, index, &bytes) != OBJECT_IN_USE)
		return INSPECT_OK;
	block = (struct block){
		.kind = BLOCK_OBJECT, .start = slab_object(slab, index), .state = OBJECT_IN_USE,
		.bytes = slab->cache->object_size, .cache = slab->cache->name, .slab = *slab,
		.index = index,
	};
	sweep->fn(reach, &block, &bytes, sweep->arg);
	return INSPECT_OK;
}

/* An object belongs to the page where its bytes begin; a page that is not opened has none. */
static enum inspect_status pass_slab(const struct sweep *sweep, uint64_t pfn)
{
	struct reach *reach = sweep->reach;
	const struct heap *heap = reach->heap;
	enum inspect_status status = INSPECT_OK;
	struct slab slab;

	slab_of_page(heap, &reach->pages, pfn, &slab);
	if (slab.cache->is_of_caches)
		return INSPECT_OK;
	for (unsigned int i = 0; i < slab.nr && status == INSPECT_OK; i++) {
		uint64_t start = slab.first + (uint64_t)i * slab.cache->size;
		uint64_t page = heap_pfn(heap, start);

		if (page < reach->pages.nr && reach->pages.info[page].kind == PAGE_SLAB &&
		    is_wanted(sweep, slab_object(&slab, i) - heap->base))
			status = pass_object(sweep, &slab, i);
	}
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
	status = enter_section(reach, offset >> section_shift(reach));
	if (status == INSPECT_OK)
		status = load(reach, offset, heap_page_bytes(heap));
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

/* --- Begin and end ----------------------------------------------------------------- */

static void find_outside_bounds(struct reach *reach)
{
	const struct outside_blocks *outside = &reach->outside;

	if (!outside->nr)
		return;
	reach->outside_low = outside->blocks[0].start;
	reach->outside_span = outside->blocks[outside->nr - 1].start +
			      outside->blocks[outside->nr - 1].bytes - reach->outside_low;
}

static bool make_room(struct reach *reach)
{
	const struct heap *heap = reach->heap;
	uint64_t section = 1UL << section_shift(reach);

	/* A granule more, since the last one may begin in the middle of a section. */
	reach->nr_sections = (heap->online_bytes + section - 1) / section;
	reach->reached = calloc(reach->nr_sections * section / 64 / (1 << GRANULE_SHIFT) + 1, 8);
	reach->pending = calloc(reach->nr_sections * section / 64 / (1 << GRANULE_SHIFT) + 1, 8);
	reach->pending_of = calloc(reach->nr_sections + 1, sizeof(*reach->pending_of));
	reach->bytes = malloc(section);
	reach->byte_marks = malloc(section >> heap_value(heap, LAYOUT_mark_shift));
	reach->loaded = malloc(section >> heap_value(heap, LAYOUT_page_shift));
	reach->stack = malloc((section >> GRANULE_SHIFT) * sizeof(*reach->stack));
	reach->few = malloc(FEW_ROOM * sizeof(*reach->few));
	reach->chunk = malloc(REACH_CHUNK_BYTES);
	return reach->reached && reach->pending && reach->pending_of && reach->bytes &&
	       reach->byte_marks && reach->loaded && reach->stack && reach->few && reach->chunk;
}

enum inspect_status reach_begin(struct heap *heap, struct reach *reach)
{
	enum inspect_status status;

	*reach = (struct reach){ .heap = heap, .section = NO_SECTION, .few_are_all = true };
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
	find_outside_bounds(reach);
	for (size_t i = 0; i < heap->nr_caches; i++)
		reach->has_debugged |= heap->caches[i].is_debugged;
	return INSPECT_OK;
}

void reach_end(struct reach *reach)
{
	pages_free(&reach->pages);
	outside_free(&reach->outside);
	free(reach->reached);
	free(reach->pending);
	free(reach->pending_of);
	free(reach->bytes);
	free(reach->byte_marks);
	free(reach->loaded);
	free(reach->stack);
	free(reach->few);
	free(reach->chunk);
	*reach = (struct reach){ 0 };
}
