// SPDX-License-Identifier: MIT
#include "mixed.h"

#include <stdlib.h>
#include <string.h>

/* Records that are read at a time. */
#define BATCH 256UL
#define STRUCTURE_BYTES_MAX (65536 + 16)
#define WORD_BITS 64U

/* --- The record -------------------------------------------------------------------- */

void mixed_slab_init(const struct heap *heap, struct mixed_slab *slab, uint64_t pfn,
		     unsigned int order, uint64_t freelist)
{
	uint64_t bits = heap_value(heap, LAYOUT_mixed_bits);

	*slab = (struct mixed_slab){
		.start = heap->base + pfn * heap_page_bytes(heap),
		.bytes = heap_page_bytes(heap) << order,
		.record = (freelist & bits) == bits ? freelist & ~bits : 0,
		.nr = mixed_page_granules(heap) << order,
	};
}

/* Do the words of the map lie in the record? */
static bool has_room(const struct heap *heap, const struct mixed_slab *slab,
		     enum layout_value field)
{
	return heap_value(heap, LAYOUT_mixed_record_map) + heap_value(heap, field) + slab->nr / 8 <=
	       heap_value(heap, LAYOUT_sizeof_mixed_record);
}

/* at: the record's bytes. False: no memory. */
static bool take_record(const struct heap *heap, struct mixed_slab *slab, const char *at)
{
	const char *map = at + heap_value(heap, LAYOUT_mixed_record_map);
	uint32_t words = slab->nr / WORD_BITS;

	if (heap_u64(heap, at, LAYOUT_mixed_record_slab) !=
	    heap_struct_page(heap, heap_pfn(heap, slab->start)) ||
	    !has_room(heap, slab, LAYOUT_mixed_map_first) ||
	    !has_room(heap, slab, LAYOUT_mixed_map_more) ||
	    heap_u32(heap, map, LAYOUT_mixed_map_nr) != slab->nr)
		return true;
	slab->first = calloc(2UL * words, sizeof(*slab->first));
	if (!slab->first)
		return false;
	slab->more = slab->first + words;
	memcpy(slab->first, map + heap_value(heap, LAYOUT_mixed_map_first), slab->nr / 8);
	memcpy(slab->more, map + heap_value(heap, LAYOUT_mixed_map_more), slab->nr / 8);
	slab->used = heap_u32(heap, at, LAYOUT_mixed_record_used);
	slab->released = heap_u32(heap, at, LAYOUT_mixed_record_released);
	slab->is_read = true;
	return true;
}

/* chunk: room for BATCH records, and zeros behind them. */
static enum inspect_status read_batch(struct heap *heap, struct mixed_slab *slabs, size_t nr,
				      char *chunk)
{
	struct piece pieces[BATCH];
	size_t bytes = heap_value(heap, LAYOUT_sizeof_mixed_record);
	enum inspect_status status;

	for (size_t i = 0; i < nr; i++)
		pieces[i] = (struct piece){ .address = slabs[i].record, .to = chunk + i * bytes,
					    .bytes = slabs[i].record ? bytes : 0 };
	status = target_read_pieces(heap->target, pieces, nr);
	for (size_t i = 0; i < nr && status == INSPECT_OK; i++)
		if (slabs[i].record && !pieces[i].failed &&
		    !take_record(heap, &slabs[i], chunk + i * bytes))
			status = target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	return status;
}

enum inspect_status mixed_slabs_read(struct heap *heap, struct mixed_slab *slabs, size_t nr)
{
	size_t most = nr < BATCH ? nr : BATCH;
	enum inspect_status status = INSPECT_OK;
	char *chunk;

	if (!nr)
		return INSPECT_OK;
	/* If the size is damaged, fields may lie beyond it. */
	chunk = calloc(1, most * heap_value(heap, LAYOUT_sizeof_mixed_record) +
		       2 * STRUCTURE_BYTES_MAX);
	if (!chunk)
		return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	for (size_t i = 0; i < nr && status == INSPECT_OK; i += BATCH)
		status = read_batch(heap, slabs + i, nr - i < BATCH ? nr - i : BATCH, chunk);
	free(chunk);
	return status;
}

void mixed_slab_free(struct mixed_slab *slab)
{
	free(slab->first);
	slab->first = slab->more = NULL;
	slab->is_read = false;
}

/* --- Granules and blocks ----------------------------------------------------------- */

uint32_t mixed_granule_of(const struct heap *heap, const struct mixed_slab *slab, uint64_t address)
{
	return (uint32_t)((address - slab->start) / heap_value(heap, LAYOUT_mixed_granule_bytes));
}

uint64_t mixed_granule(const struct heap *heap, const struct mixed_slab *slab, uint32_t granule)
{
	return slab->start + (uint64_t)granule * heap_value(heap, LAYOUT_mixed_granule_bytes);
}

static bool has(const uint64_t *words, uint32_t bit)
{
	return words[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

uint32_t mixed_block_around(const struct mixed_slab *slab, uint32_t granule)
{
	if (!slab->is_read || granule >= slab->nr)
		return slab->nr;
	while (granule && has(slab->more, granule) && !has(slab->first, granule))
		granule--;
	return has(slab->first, granule) ? granule : slab->nr;
}

uint32_t mixed_next_block(const struct mixed_slab *slab, uint32_t from)
{
	while (slab->is_read && from < slab->nr) {
		uint64_t word = slab->first[from / WORD_BITS] >> from % WORD_BITS;

		if (word)
			return from + (uint32_t)__builtin_ctzl(word);
		from = (from / WORD_BITS + 1) * WORD_BITS;
	}
	return slab->nr;
}

uint32_t mixed_block_length(const struct mixed_slab *slab, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < slab->nr && has(slab->more, end))
		end++;
	return end - first;
}

uint32_t mixed_used_granules(const struct mixed_slab *slab, uint32_t first, uint32_t end)
{
	uint32_t used = 0;

	for (uint32_t i = first / WORD_BITS; slab->is_read && i < end / WORD_BITS; i++)
		used += (uint32_t)__builtin_popcountl(slab->first[i] | slab->more[i]);
	return used;
}

/* --- Totals ------------------------------------------------------------------------ */

bool heap_read_mixed(struct heap *heap, struct heap_mixed *mixed)
{
	static char at[2 * STRUCTURE_BYTES_MAX];

	*mixed = (struct heap_mixed){ 0 };
	if (!target_read(heap->target, heap_address(heap, LAYOUT_AT_mixed_usage), at,
			 heap_value(heap, LAYOUT_sizeof_slab_mixed_usage)))
		return false;
	mixed->slabs = heap_u64(heap, at, LAYOUT_slab_mixed_usage_slabs);
	mixed->pages = heap_u64(heap, at, LAYOUT_slab_mixed_usage_pages);
	mixed->released_pages = heap_u64(heap, at, LAYOUT_slab_mixed_usage_released);
	mixed->blocks = heap_u64(heap, at, LAYOUT_slab_mixed_usage_blocks);
	mixed->used_bytes = heap_u64(heap, at, LAYOUT_slab_mixed_usage_used_bytes);
	return true;
}
