// SPDX-License-Identifier: MIT
/* The states of objects, and which block has an address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "slab/hardened/hardened_object.h"

const char *object_state_name(enum object_state state)
{
	static const char *const names[] = {
		[OBJECT_IN_USE] = "in use", [OBJECT_FREE] = "free",
		[OBJECT_UNOPENED] = "never used", [OBJECT_WAITING] = "waits for kfree_rcu()",
		[OBJECT_WRITTEN] = "free, but overwritten",
	};

	return names[state];
}

/* --- Caches with debugging flags --------------------------------------------------- */

/* cf. slab_link_read() */
static uint64_t read_link(const struct slab *slab, const struct bytes *bytes, uint64_t object)
{
	uint64_t place = object + slab->cache->offset, word = bytes_word(bytes, place);

	return slab->cache->random ? word ^ slab->cache->random ^ __builtin_bswap64(place) : word;
}

void free_map_fill(struct free_map *map, const struct slab *slab, uint64_t freelist,
		   const struct bytes *bytes)
{
	uint64_t object = freelist;

	memset(map, 0, sizeof(*map));
	for (unsigned int i = 0; object && !(object & 1); i++) {
		unsigned int index = slab_index_of(slab, object);

		if (index >= slab->nr || slab_object(slab, index) != object || i >= slab->nr) {
			map->is_broken = true;
			return;
		}
		map->bits[index / 64] |= 1UL << index % 64;
		object = read_link(slab, bytes, object);
	}
}

/* --- Hardened caches --------------------------------------------------------------- */

/* Is the seal right? *asked: the bytes that the program asked for. cf. slab_hardened_is_whole() */
static bool is_sealed(const struct heap *heap, const struct slab *slab, const struct bytes *bytes,
		      uint64_t object, uint64_t *asked)
{
	uint64_t most = slab->cache->size - SLAB_SEAL_BYTES;
	uint64_t word = bytes_word(bytes, object + most) ^ object ^ heap->seal_key;
	uint64_t twice = word * SLAB_SEAL_HALF_INVERSE;

	if (twice % 2 || twice / 2 > most)
		return false;
	*asked = most - twice / 2;
	return true;
}

static enum object_state hardened_state(const struct heap *heap, const struct slab *slab,
					const struct bytes *bytes, uint64_t object)
{
	uint64_t last = bytes_word(bytes, object + slab->cache->size - SLAB_SEAL_BYTES), asked;
	uint64_t mark = bytes_word(bytes, object + slab->cache->mark_offset);
	uint64_t flags = 1UL << heap_value(heap, LAYOUT_mark_listed_bit);

	if (is_sealed(heap, slab, bytes, object, &asked))
		return OBJECT_IN_USE;
	if (!last || !((mark ^ object ^ heap->mark_key) & ~flags))
		return OBJECT_FREE;
	return OBJECT_WRITTEN;
}

/* --- Any cache --------------------------------------------------------------------- */

enum object_state object_state(const struct heap *heap, const struct slab *slab,
			       unsigned int index, const struct bytes *bytes, uint8_t mark,
			       const struct free_map *map)
{
	uint64_t object = slab_object(slab, index);

	if (slab->cache->is_debugged)
		return map->bits[index / 64] >> index % 64 & 1 ? OBJECT_FREE : OBJECT_IN_USE;
	if (slab->cache->is_hardened)
		return hardened_state(heap, slab, bytes, object);
	if (slab->cache->byte_marks)
		return state_by_byte(heap, mark);
	return state_by_word(heap, object, bytes_word(bytes, object + slab->cache->mark_offset));
}

enum object_state mixed_block_state(const struct heap *heap, uint64_t start, uint64_t bytes,
				    const struct bytes *read, uint8_t byte_mark)
{
	if (bytes > heap_value(heap, LAYOUT_mixed_word_mark_bytes))
		return state_by_byte(heap, byte_mark);
	return state_by_word(heap, start,
			  bytes_word(read, start + heap_value(heap, LAYOUT_mixed_mark_offset)));
}

uint64_t object_asked(const struct heap *heap, const struct slab *slab, unsigned int index,
		      const struct bytes *bytes)
{
	uint64_t asked;

	if (slab->cache->is_hardened && is_sealed(heap, slab, bytes, slab_object(slab, index),
						  &asked))
		return asked;
	return slab->cache->object_size;
}

/* --- One address ------------------------------------------------------------------- */

/* Reads the slab's bytes, its struct page and marks, and fills in the block. */
static enum inspect_status find_in_slab(struct heap *heap, struct block *block, char *bytes)
{
	const struct slab *slab = &block->slab;
	uint64_t object = slab_object(slab, block->index);
	uint64_t page = heap_struct_page(heap, heap_pfn(heap, slab->start));
	const struct bytes read = { bytes, slab->start, slab->start + slab->bytes };
	struct free_map map;
	uint8_t mark = 0;

	if (!target_read(heap->target, slab->start, bytes, slab->bytes))
		return target_fail(heap->target, INSPECT_BAD_CORE, "%s: the slab at %#lx cannot be "
				   "read; %s", heap->target->name, slab->start,
				   *heap->target->lacks ? heap->target->lacks : "it has gone");
	target_read(heap->target, heap_byte_mark(heap, object), &mark, 1);
	if (slab->cache->is_debugged)
		free_map_fill(&map, slab, heap_read_u64(heap, page +
			      heap_value(heap, LAYOUT_page_freelist)), &read);
	block->kind = BLOCK_OBJECT;
	block->start = object;
	block->cache = slab->cache->name;
	block->state = object_state(heap, slab, block->index, &read, mark, &map);
	block->bytes = object_asked(heap, slab, block->index, &read);
	return INSPECT_OK;
}

void block_of_mixed(const struct heap *heap, const struct mixed_slab *slab, uint32_t first,
		    struct block *block)
{
	*block = (struct block){
		.kind = BLOCK_MIXED, .start = mixed_granule(heap, slab, first),
		.bytes = (uint64_t)mixed_block_length(slab, first) *
			 heap_value(heap, LAYOUT_mixed_granule_bytes),
		.cache = MIXED_NAME, .slab.start = slab->start, .slab.bytes = slab->bytes,
		.record = slab->record,
	};
}

static void find_in_mixed(struct heap *heap, const struct mixed_slab *slab, uint64_t address,
			  struct block *block)
{
	uint32_t first = mixed_block_around(slab, mixed_granule_of(heap, slab, address));
	uint64_t word = 0, at;
	struct bytes read;
	uint8_t mark = 0;

	if (first == slab->nr) {
		snprintf(block->where, sizeof(block->where), "in a mixed slab, where no block is");
		return;
	}
	block_of_mixed(heap, slab, first, block);
	at = block->start + heap_value(heap, LAYOUT_mixed_mark_offset);
	read = (struct bytes){ (const char *)&word, at, at + sizeof(word) };
	target_read(heap->target, at, &word, sizeof(word));
	target_read(heap->target, heap_byte_mark(heap, block->start), &mark, 1);
	block->state = mixed_block_state(heap, block->start, block->bytes, &read, mark);
}

static enum inspect_status find_in_window(struct heap *heap, uint64_t address, struct block *block)
{
	struct pages pages;
	enum inspect_status status = pages_read(heap, &pages);
	uint64_t pfn = heap_pfn(heap, address), page_bytes = heap_page_bytes(heap);
	struct page_info info;
	char *bytes;

	if (status != INSPECT_OK)
		return status;
	info = pages.info[pfn];
	switch ((enum page_kind)info.kind) {
	case PAGE_SLAB:
	case PAGE_SLAB_TAIL:
	case PAGE_UNOPENED:
		slab_of_page(heap, &pages, pfn, &block->slab);
		block->index = slab_index_of(&block->slab, address);
		if (block->index == block->slab.nr ||
		    !slab_is_opened(heap, &pages, &block->slab, block->index)) {
			snprintf(block->where, sizeof(block->where), "in a slab of %.40s, where no "
				 "object is", block->slab.cache->name);
			break;
		}
		bytes = malloc(block->slab.bytes);
		status = bytes ? find_in_slab(heap, block, bytes) :
				 target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
		free(bytes);
		break;
	case PAGE_BLOCK:
	case PAGE_BLOCK_TAIL:
		if (info.kind == PAGE_BLOCK_TAIL)
			pfn -= info.number;
		block->kind = BLOCK_PAGES;
		block->cache = "pages";
		block->start = heap->base + pfn * page_bytes;
		block->bytes = (uint64_t)pages.info[pfn].number * page_bytes;
		break;
	case PAGE_MIXED:
		find_in_mixed(heap, mixed_of_page(&pages, pfn), address, block);
		break;
	case PAGE_FREE:
		snprintf(block->where, sizeof(block->where), "in a free page of the window");
		break;
	case PAGE_LISTED:
		snprintf(block->where, sizeof(block->where), "in a free page on a CPU's list");
		break;
	case PAGE_QUICKLIST:
		snprintf(block->where, sizeof(block->where), "in a free page on a quicklist");
		break;
	default:
		snprintf(block->where, sizeof(block->where), "in a page that is in use, but no "
			 "block of malloc or kmalloc");
	}
	pages_free(&pages);
	return status;
}

static void describe_outside(const struct heap *heap, const struct outside_blocks *outside,
			     uint64_t address, struct block *block)
{
	const struct range *range = target_range(heap->target, address);

	for (size_t i = 0; i < outside->nr_own; i++)
		if (address - outside->own[i].start < outside->own[i].end - outside->own[i].start) {
			snprintf(block->where, sizeof(block->where),
				 "in the library's own memory, or in a freed mapping");
			return;
		}
	snprintf(block->where, sizeof(block->where), "%s%.60s", range ? "in the mapping " :
		 "in no mapping", !range ? "" : range->path ? range->path : "(anonymous)");
}

enum inspect_status block_find(struct heap *heap, uint64_t address, struct block *block)
{
	struct outside_blocks outside;
	enum inspect_status status;
	const struct outside *found;

	*block = (struct block){ .kind = BLOCK_NONE };
	if (heap_is_online(heap, address))
		return find_in_window(heap, address, block);
	status = outside_read(heap, &outside);
	if (status != INSPECT_OK)
		return status;
	found = outside_find(&outside, address);
	if (found) {
		block->kind = BLOCK_OUTSIDE;
		block->outside = *found;
		block->start = found->start;
		block->bytes = found->bytes;
		block->cache = found->kind == OUTSIDE_GUARDED ? block->outside.name : "mapping";
	} else {
		describe_outside(heap, &outside, address, block);
	}
	outside_free(&outside);
	return INSPECT_OK;
}
