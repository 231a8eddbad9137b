// SPDX-License-Identifier: MIT
/* Blocks outside the window, from the library's tables of mappings and of guarded objects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks.h"

#define CHUNK_BYTES (1UL << 20)
#define PAGE_BYTES 4096UL
#define BLOCK_BYTES_MAX (1UL << 47)

static bool add_own(struct outside_blocks *outside, uint64_t start, uint64_t bytes)
{
	void *own;

	if (!start || !bytes)
		return true;
	own = realloc(outside->own, (outside->nr_own + 1) * sizeof(*outside->own));
	if (!own)
		return false;
	outside->own = own;
	outside->own[outside->nr_own].start = start;
	outside->own[outside->nr_own++].end = start + bytes;
	return true;
}

static bool add_block(struct outside_blocks *outside, const struct outside *block)
{
	if (!(outside->nr & (outside->nr - 1))) {
		size_t room = outside->nr ? 2 * outside->nr : 1;
		struct outside *blocks = realloc(outside->blocks, room * sizeof(*blocks));

		if (!blocks)
			return false;
		outside->blocks = blocks;
	}
	outside->blocks[outside->nr++] = *block;
	return true;
}

/* --- Tables of mappings ------------------------------------------------------------ */

static bool take_entries(struct heap *heap, struct outside_blocks *outside, const char *at,
			 size_t bytes, enum outside_kind kind)
{
	size_t step = heap_value(heap, LAYOUT_sizeof_mapping);

	for (size_t i = 0; i + step <= bytes; i += step) {
		struct outside block = {
			.start = heap_u64(heap, at + i, LAYOUT_mapping_start),
			.bytes = heap_u64(heap, at + i, LAYOUT_mapping_bytes), .kind = kind,
		};

		/* 0 and 1 stand for a free entry, and for one that is being changed. */
		if (block.start < PAGE_BYTES || block.start % PAGE_BYTES || !block.bytes ||
		    block.bytes > BLOCK_BYTES_MAX)
			continue;
		if (!add_block(outside, &block))
			return false;
	}
	return true;
}

static bool take_level(struct heap *heap, struct outside_blocks *outside, uint64_t level,
		       size_t bytes, enum outside_kind kind, char *chunk)
{
	for (size_t at = 0; at < bytes; at += CHUNK_BYTES) {
		size_t part = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;

		memset(chunk, 0, CHUNK_BYTES);
		if (target_read_sparse(heap->target, level + at, chunk,
				       (part + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)) != INSPECT_OK)
			return true;	/* the target's status says so */
		if (!take_entries(heap, outside, chunk, part, kind))
			return false;
	}
	return true;
}

static bool take_mappings(struct heap *heap, struct outside_blocks *outside, uint64_t table,
			  enum outside_kind kind, char *chunk)
{
	for (unsigned int i = 0; table && i < heap_value(heap, LAYOUT_mapping_levels); i++) {
		uint64_t level = heap_read_u64(heap, table +
					       heap_value(heap, LAYOUT_mappings_levels) +
					       i * sizeof(level));
		unsigned int bits = heap_value(heap, LAYOUT_mapping_first_bits) +
				    i * heap_value(heap, LAYOUT_mapping_bits_step);
		size_t bytes = (size_t)heap_value(heap, LAYOUT_sizeof_mapping) << (bits & 31);

		if (!level)
			break;
		if (level % PAGE_BYTES || bytes > 1UL << 32) {
			heap_damaged(heap, "a table of mappings is at %#lx", level);
			break;
		}
		if (!take_level(heap, outside, level, bytes, kind, chunk) ||
		    !add_own(outside, level, bytes))
			return false;
	}
	return true;
}

/* --- Guarded objects --------------------------------------------------------------- */

static bool take_guarded(struct heap *heap, struct outside_blocks *outside, char *chunk)
{
	size_t step = heap_value(heap, LAYOUT_sizeof_slot), nr = heap_value(heap,
									 LAYOUT_nr_guard_slots);
	uint64_t slots = heap_read_u64(heap, heap_address(heap, LAYOUT_AT_slab_kfence_slots));
	uint64_t pool = heap_address(heap, LAYOUT_AT_slab_kfence_pool);
	uint64_t pool_bytes = heap_read_u64(heap, pool +
					    heap_value(heap, LAYOUT_slab_kfence_pool_bytes));
	uint64_t start = heap_read_u64(heap, pool +
				       heap_value(heap, LAYOUT_slab_kfence_pool_start));

	memset(chunk, 0, CHUNK_BYTES);
	if (!slots || nr * step > CHUNK_BYTES - 65552 ||
	    !target_read(heap->target, slots, chunk, nr * step))
		return true;
	for (uint32_t i = 0; i < nr; i++) {
		const char *at = chunk + i * step;
		struct outside block = {
			.start = heap_u64(heap, at, LAYOUT_slot_object),
			.bytes = heap_u64(heap, at, LAYOUT_slot_size),
			.kind = OUTSIDE_GUARDED, .slot = i,
		};

		if (heap_u32(heap, at, LAYOUT_slot_state) !=
		    heap_value(heap, LAYOUT_slot_allocated) || block.start - start >= pool_bytes ||
		    block.bytes > 65536)
			continue;
		block.bytes += !block.bytes;
		snprintf(block.name, sizeof(block.name), "%.31s",
			 at + heap_value(heap, LAYOUT_slot_name));
		if (!add_block(outside, &block))
			return false;
	}
	return add_own(outside, slots, nr * step) && add_own(outside, start, pool_bytes);
}

/* --- The library's own mappings ---------------------------------------------------- */

/* Mappings that were freed and are kept for the next blocks. */
static bool take_kept(struct heap *heap, struct outside_blocks *outside)
{
	uint64_t places = heap_address(heap, LAYOUT_AT_mapped_cache_places);
	uint64_t pages = heap_address(heap, LAYOUT_AT_handler_pages);
	unsigned int bits = heap_value(heap, LAYOUT_mapping_word_bits);
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	bool good = true;

	for (unsigned int i = 0; places && good && i < heap_value(heap, LAYOUT_mapped_cache_places);
	     i++) {
		uint64_t word = heap_read_u64(heap, places + i * sizeof(word));

		good = add_own(outside, (word >> bits) * page_bytes,
			       (word & ((1UL << bits) - 1)) * page_bytes);
	}
	for (unsigned int i = 0; pages && good && i < heap_value(heap, LAYOUT_handler_pages); i++)
		good = add_own(outside, heap_read_u64(heap, pages + i * sizeof(uint64_t)),
			       page_bytes);
	return good;
}

static bool take_tables(struct heap *heap, struct outside_blocks *outside)
{
	uint64_t groups = heap_address(heap, LAYOUT_AT_profile_groups);
	uint64_t sites = heap_address(heap, LAYOUT_AT_profile_sites);
	uint64_t blocks = heap->window_bytes >> (heap_value(heap, LAYOUT_page_shift) +
						 heap_value(heap, LAYOUT_pageblock_order));

	/* The tables lie in front of the window, that of struct pages first. */
	return (heap->pages >= heap->base ||
		add_own(outside, heap->pages, heap->base + heap->window_bytes - heap->pages)) &&
	       add_own(outside, heap->pageblocks, blocks * sizeof(uint16_t)) &&
	       add_own(outside, heap->slots,
		       (uint64_t)heap->nr_slots << heap_value(heap, LAYOUT_slot_shift)) &&
	       add_own(outside, heap_read_u64(heap, heap_address(heap,
								 LAYOUT_AT_stack_depot_stacks)),
		       (uint64_t)heap_value(heap, LAYOUT_sizeof_stack) << 16) &&
	       (!groups || add_own(outside, heap_read_u64(heap, groups),
				   (uint64_t)heap_value(heap, LAYOUT_sizeof_profile_group) <<
				   heap_value(heap, LAYOUT_profile_group_bits))) &&
	       (!sites || add_own(outside, heap_read_u64(heap, sites),
				  (uint64_t)heap_value(heap, LAYOUT_sizeof_profile_site) <<
				  (heap_value(heap, LAYOUT_profile_sites_bits) & 31)));
}

static int by_start(const void *a, const void *b)
{
	const struct outside *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* A block that moved is in its table twice for a moment. */
static void sort_blocks(struct outside_blocks *outside)
{
	size_t kept = 0;

	if (!outside->nr)
		return;
	qsort(outside->blocks, outside->nr, sizeof(*outside->blocks), by_start);
	for (size_t i = 0; i < outside->nr; i++)
		if (!kept || outside->blocks[i].start >= outside->blocks[kept - 1].start +
							 outside->blocks[kept - 1].bytes)
			outside->blocks[kept++] = outside->blocks[i];
	outside->nr = kept;
}

enum inspect_status outside_read(struct heap *heap, struct outside_blocks *outside)
{
	char *chunk = malloc(CHUNK_BYTES + 65552);
	bool good;

	*outside = (struct outside_blocks){ 0 };
	good = chunk && (!heap->is_up ||
	       (take_mappings(heap, outside, heap_address(heap, LAYOUT_AT_kv_mappings),
			      OUTSIDE_KVMALLOC, chunk) &&
		take_mappings(heap, outside, heap_address(heap, LAYOUT_AT_mapped_blocks),
			      OUTSIDE_MAPPING, chunk) &&
		take_guarded(heap, outside, chunk) && take_kept(heap, outside) &&
		take_tables(heap, outside)));
	free(chunk);
	if (!good) {
		outside_free(outside);
		return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	}
	sort_blocks(outside);
	return heap->target->status;
}

void outside_free(struct outside_blocks *outside)
{
	free(outside->blocks);
	free(outside->own);
	*outside = (struct outside_blocks){ 0 };
}

struct outside *outside_find(const struct outside_blocks *outside, uint64_t address)
{
	size_t low = 0, high = outside->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (outside->blocks[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - outside->blocks[low - 1].start >= outside->blocks[low - 1].bytes)
		return NULL;
	return &outside->blocks[low - 1];
}
