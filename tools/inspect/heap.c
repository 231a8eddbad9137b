// SPDX-License-Identifier: MIT
/* Opens a heap: the library's variables that everything else starts from. */
#include "heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No process has more addresses. */
#define ADDRESSES_MAX (1UL << 56)
/* More than any structure of the layout: offsets have 16 bits. */
#define STRUCTURE_BYTES_MAX (65536 + 16)

uint64_t heap_read_u64(struct heap *heap, uint64_t address)
{
	uint64_t word;

	return target_read(heap->target, address, &word, sizeof(word)) ? word : 0;
}

void heap_damaged(struct heap *heap, const char *format, ...)
{
	va_list arguments;

	if (heap->nr_damages++)
		return;
	va_start(arguments, format);
	vsnprintf(heap->damage, sizeof(heap->damage), format, arguments);
	va_end(arguments);
}

static bool is_between(const struct heap *heap, enum layout_value value, unsigned int low,
		       unsigned int high)
{
	return heap_value(heap, value) >= low && heap_value(heap, value) <= high;
}

/* A damaged core may say anything. These numbers are divisors, shifts and lengths of loops. */
static bool layout_is_sane(const struct heap *heap)
{
	return is_between(heap, LAYOUT_page_shift, 12, 16) &&
	       is_between(heap, LAYOUT_max_page_order, 1, HEAP_ORDERS_MAX - 1) &&
	       is_between(heap, LAYOUT_mark_shift, 4, 12) &&
	       is_between(heap, LAYOUT_pageblock_order, 1, 15) &&
	       is_between(heap, LAYOUT_sizeof_page, 16, 1024) &&
	       is_between(heap, LAYOUT_slot_shift, 12, 32) &&
	       is_between(heap, LAYOUT_nr_zone_types, 1, 8) &&
	       is_between(heap, LAYOUT_nr_migratetypes, 1, 16) &&
	       is_between(heap, LAYOUT_nr_pcp_types, 1, 16) &&
	       is_between(heap, LAYOUT_nr_pcp_lists, 1, 256) &&
	       is_between(heap, LAYOUT_pcp_exact_order, 3, 12) &&
	       is_between(heap, LAYOUT_pcp_exact_numbers, 1, 8) &&
	       is_between(heap, LAYOUT_sizeof_mapping, 16, 256) &&
	       is_between(heap, LAYOUT_mapping_levels, 1, 16) &&
	       is_between(heap, LAYOUT_mapping_first_bits, 1, 12) &&
	       is_between(heap, LAYOUT_mapping_bits_step, 1, 3) &&
	       is_between(heap, LAYOUT_nr_guard_slots, 0, 4096) &&
	       is_between(heap, LAYOUT_sizeof_slot, 16, 4096) &&
	       is_between(heap, LAYOUT_stack_depth, 1, 64) &&
	       is_between(heap, LAYOUT_sizeof_slab_track, 16, 256) &&
	       is_between(heap, LAYOUT_profile_group_places, 1, 64) &&
	       is_between(heap, LAYOUT_profile_group_bits, 1, 20) &&
	       is_between(heap, LAYOUT_sizeof_profile_group, 16, 4096) &&
	       is_between(heap, LAYOUT_profile_size_bits, 1, 32) &&
	       is_between(heap, LAYOUT_mark_listed_bit, 1, 63) &&
	       is_between(heap, LAYOUT_mark_waiting_bit, 1, 63) &&
	       is_between(heap, LAYOUT_mapping_word_bits, 1, 32) &&
	       is_between(heap, LAYOUT_mixed_granule_bytes, 16, 16) &&
	       is_between(heap, LAYOUT_mixed_bits, 3, 3) &&
	       is_between(heap, LAYOUT_percpu_list_nr_bits, 8, 24) &&
	       is_between(heap, LAYOUT_nr_options, 1, 256);
}

/* Reads a structure. Fields beyond its end, which a damaged layout may name, read as zero. */
static bool read_structure(struct heap *heap, uint64_t address, char at[STRUCTURE_BYTES_MAX],
			   size_t bytes)
{
	memset(at + bytes, 0, STRUCTURE_BYTES_MAX - bytes);
	return address && target_read(heap->target, address, at, bytes);
}

/* The window's online part must be mapped: else a damaged number would take all our memory. */
static uint64_t covered_bytes(const struct heap *heap, uint64_t bytes)
{
	uint64_t end = heap->base;

	for (size_t i = 0; i < heap->target->nr_ranges; i++) {
		const struct range *range = &heap->target->ranges[i];

		if (range->start < heap->base + bytes && range->end > end)
			end = range->end;
	}
	return end - heap->base < bytes ? end - heap->base : bytes;
}

static void take_window(struct heap *heap, const char *at)
{
	uint64_t online = heap_u64(heap, at, LAYOUT_mm_window_online_bytes);

	heap->base = heap_u64(heap, at, LAYOUT_mm_window_base);
	heap->pages = heap_u64(heap, at, LAYOUT_mm_window_pages);
	heap->slab_caches = heap_u64(heap, at, LAYOUT_mm_window_slab_caches);
	heap->marks = heap_u64(heap, at, LAYOUT_mm_window_marks);
	heap->mark_key = heap_u64(heap, at, LAYOUT_mm_window_mark_key);
	heap->pageblocks = heap_u64(heap, at, LAYOUT_mm_window_pageblocks);
	heap->is_up = heap->base;
	heap->online_bytes = 0;
	if (!heap->is_up)
		return;
	if (heap->base % (heap_page_bytes(heap) << heap_value(heap, LAYOUT_max_page_order)) ||
	    heap->base >= ADDRESSES_MAX || online >= ADDRESSES_MAX ||
	    heap->pages >= ADDRESSES_MAX ||
	    heap->slab_caches >= ADDRESSES_MAX) {
		heap_damaged(heap, "the description of the window is damaged: base %#lx, online "
			     "%lu", heap->base, online);
		heap->is_up = false;
		return;
	}
	heap->online_bytes = covered_bytes(heap, online) & ~(heap_page_bytes(heap) - 1);
	if (heap->online_bytes < online)
		heap_damaged(heap, "%lu bytes of the window are online, but only %lu are mapped",
			     online, heap->online_bytes);
}

/* How many slots of CPUs are mapped. */
static uint32_t mapped_slots(const struct heap *heap)
{
	uint64_t end = heap->slots;

	for (size_t i = 0; i < heap->target->nr_ranges; i++) {
		const struct range *range = &heap->target->ranges[i];

		if (range->start <= end && range->end > end)
			end = range->end;
	}
	return (uint32_t)((end - heap->slots) >> (heap_value(heap, LAYOUT_slot_shift) & 63));
}

/* The slots must be mapped, too: each list of each slot is read, again and again. */
static void take_slots(struct heap *heap, const char *at)
{
	uint32_t nr = heap_u32(heap, at, LAYOUT_percpu_state_nr_slots);

	heap->slots = heap_u64(heap, at, LAYOUT_percpu_state_slots);
	heap->has_sequences = heap_u64(heap, at, LAYOUT_percpu_state_index_field);
	heap->nr_slots = nr;
	/* There may be more CPUs than when the ranges were read. */
	if (nr > mapped_slots(heap) && !heap->target->is_core)
		target_read_ranges(heap->target);
	if (nr > mapped_slots(heap)) {
		heap->nr_slots = mapped_slots(heap);
		heap_damaged(heap, "there are %u slots of CPUs, but only %u are mapped", nr,
			     heap->nr_slots);
	}
}

static bool read_variables(struct heap *heap)
{
	static char at[STRUCTURE_BYTES_MAX];
	uint32_t nodes = 1;

	if (!read_structure(heap, heap_address(heap, LAYOUT_AT_mm_window), at,
			    heap_value(heap, LAYOUT_sizeof_mm_window)))
		return false;
	take_window(heap, at);
	if (!read_structure(heap, heap_address(heap, LAYOUT_AT_mm_facts), at, 64))
		return false;
	heap->wished_bytes = heap_u64(heap, at, LAYOUT_mm_facts_wished_bytes);
	heap->window_bytes = heap_u64(heap, at, LAYOUT_mm_facts_window_bytes);
	heap->budget_bytes = heap_u64(heap, at, LAYOUT_mm_facts_budget_bytes);
	if (!read_structure(heap, heap_address(heap, LAYOUT_AT_percpu), at, 64))
		return false;
	take_slots(heap, at);
	if (target_read(heap->target, heap_address(heap, LAYOUT_AT_slab_hardened_keys), at, 16)) {
		heap->seal_key = heap_u64(heap, at, LAYOUT_slab_hardened_keys_seal);
		heap->fence = heap_u64(heap, at, LAYOUT_slab_hardened_keys_fence);
	}
	target_read(heap->target, heap_address(heap, LAYOUT_AT_nr_online_nodes), &nodes,
		    sizeof(nodes));
	heap->nr_nodes = nodes >= 1 && nodes <= HEAP_NODES_MAX ? nodes : 1;
	return true;
}

enum inspect_status heap_refresh(struct heap *heap)
{
	enum inspect_status status;

	if (!read_variables(heap)) {
		if (heap->target->status != INSPECT_OK)
			return heap->target->status;
		return heap->target->is_core ?
		       target_fail(heap->target, INSPECT_CUT_CORE, "%s lacks the library's "
				   "variables; %s", heap->target->name, *heap->target->lacks ?
				   heap->target->lacks : "was it written without private data "
				   "(coredump_filter)?") :
		       target_fail(heap->target, INSPECT_ENDED, "process %d has ended, or its "
				   "library's variables cannot be read", heap->target->pid);
	}
	status = heap_read_caches(heap);
	return status;
}

static enum inspect_status open_heap(struct heap *heap)
{
	enum inspect_status status = layout_find(heap->target, &heap->layout);

	if (status != INSPECT_OK)
		return status;
	if (!layout_is_sane(heap))
		return target_fail(heap->target, INSPECT_OTHER_VERSION, "%s: the layout note of %s "
				   "is damaged", heap->target->name, heap->layout.library);
	heap->target->missed = false;	/* what the search for the library has missed */
	return heap_refresh(heap);
}

struct heap *heap_open(const char *text, enum inspect_status *status,
		       char error[INSPECT_TEXT_BYTES])
{
	struct target *target = target_open(text, status, error);
	struct heap *heap = target ? calloc(1, sizeof(*heap)) : NULL;

	if (!target)
		return NULL;
	if (!heap) {
		snprintf(error, INSPECT_TEXT_BYTES, "no memory");
		*status = INSPECT_NO_MEMORY;
		target_close(target);
		return NULL;
	}
	heap->target = target;
	*status = open_heap(heap);
	if (*status == INSPECT_OK)
		return heap;
	snprintf(error, INSPECT_TEXT_BYTES, "%s", target->error);
	heap_close(heap);
	return NULL;
}

void heap_close(struct heap *heap)
{
	if (!heap)
		return;
	free(heap->caches);
	free(heap->cache_order);
	target_close(heap->target);
	free(heap);
}
