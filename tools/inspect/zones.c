// SPDX-License-Identifier: MIT
/* The zones of a heap, and the totals: the numbers that usermm_stats_read() has in the process. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"

#define STRUCTURE_BYTES_MAX (65536 + 16)
/* cf. PAGE_ALLOC_COSTLY_ORDER: lists of larger orders hold pages that count as free. */
#define COSTLY_ORDER 3

/* --- Per-CPU page lists ------------------------------------------------------------ */

static unsigned int list_order(const struct heap *heap, unsigned int list)
{
	unsigned int ordered = heap_value(heap, LAYOUT_nr_pcp_order_lists);

	if (list < ordered)
		return list / heap_value(heap, LAYOUT_nr_pcp_types);
	return heap_value(heap, LAYOUT_pcp_exact_order) +
	       (list - ordered) / heap_value(heap, LAYOUT_pcp_exact_numbers);
}

uint64_t heap_pcp_pages(const struct heap *heap, unsigned int list)
{
	unsigned int order = list_order(heap, list) & 31;
	unsigned int ordered = heap_value(heap, LAYOUT_nr_pcp_order_lists);
	uint64_t eighths;

	if (list < ordered)
		return 1UL << order;
	eighths = heap_value(heap, LAYOUT_pcp_exact_first_eighth) +
		  (list - ordered) % heap_value(heap, LAYOUT_pcp_exact_numbers);
	return eighths << (order - 3);
}

static bool counts_as_cached(const struct heap *heap, unsigned int list)
{
	unsigned int order = list_order(heap, list);

	return order <= COSTLY_ORDER || order == heap_value(heap, LAYOUT_pageblock_order);
}

/* Adds the pages on all CPUs' lists to pcp_pages, or to free_pages if they count as free. */
static void add_listed(struct heap *heap, struct heap_zone *zone, const char *at)
{
	const char *lists = at + heap_value(heap, LAYOUT_zone_pcp_lists);
	unsigned int nr_lists = heap_value(heap, LAYOUT_nr_pcp_lists);
	size_t nr = (size_t)nr_lists * heap->nr_slots;
	struct piece *pieces = calloc(nr + 1, sizeof(*pieces));
	char (*heads)[8] = calloc(nr + 1, sizeof(*heads));
	bool are_free = zone->flags & heap_value(heap, LAYOUT_zone_blocks_listed);

	for (size_t i = 0; pieces && heads && i < nr; i++) {
		uint64_t piece;

		memcpy(&piece, lists + i / heap->nr_slots * sizeof(piece), sizeof(piece));
		pieces[i] = (struct piece){
			.address = heap_percpu(heap, piece, (uint32_t)(i % heap->nr_slots)),
			.to = heads[i], .bytes = piece ? sizeof(*heads) : 0,
		};
	}
	if (pieces && heads && target_read_pieces(heap->target, pieces, nr) == INSPECT_OK)
		for (size_t i = 0; i < nr; i++) {
			unsigned int list = (unsigned int)(i / heap->nr_slots);
			int32_t count = (int32_t)heap_u32(heap, heads[i],
							  LAYOUT_percpu_array_count);

			if (pieces[i].failed || count <= 0 || count > 65536)
				continue;
			if (counts_as_cached(heap, list))
				zone->pcp_pages += (uint64_t)count << (list_order(heap, list) & 31);
			else if (are_free)
				zone->free_pages += (uint64_t)count * heap_pcp_pages(heap, list);
		}
	free(pieces);
	free(heads);
}

/* --- Zones ------------------------------------------------------------------------- */

static uint64_t watermark(const struct heap *heap, const char *at, enum layout_value which)
{
	uint64_t pages;

	memcpy(&pages, at + heap_value(heap, LAYOUT_zone_watermark) +
	       (size_t)heap_value(heap, which) % 8 * sizeof(pages), sizeof(pages));
	return pages;
}

static void take_free_blocks(const struct heap *heap, struct heap_zone *zone, const char *at)
{
	const char *areas = at + heap_value(heap, LAYOUT_zone_free_area);

	zone->nr_orders = heap_value(heap, LAYOUT_max_page_order) + 1u;
	for (unsigned int order = 0; order < zone->nr_orders; order++)
		for (unsigned int type = 0; type < heap_value(heap, LAYOUT_nr_migratetypes);
		     type++) {
			size_t offset = (size_t)order * heap_value(heap, LAYOUT_sizeof_free_area) +
					heap_value(heap, LAYOUT_free_area_nr_of_type) +
					type * sizeof(uint64_t);
			uint64_t blocks = 0;

			if (offset + sizeof(blocks) <= STRUCTURE_BYTES_MAX)
				memcpy(&blocks, areas + offset, sizeof(blocks));
			zone->free_blocks[order] += blocks;
		}
}

static void take_zone(struct heap *heap, struct heap_zone *zone, const char *at)
{
	zone->node = heap_u32(heap, at, LAYOUT_zone_node);
	zone->managed_pages = heap_u64(heap, at, LAYOUT_zone_managed_pages);
	zone->present_pages = heap_u64(heap, at, LAYOUT_zone_present_pages);
	zone->free_pages = heap_u64(heap, at, LAYOUT_zone_free_pages);
	zone->dirty_pages = heap_u64(heap, at, LAYOUT_zone_dirty_pages);
	zone->boost = heap_u64(heap, at, LAYOUT_zone_watermark_boost);
	zone->min_pages = watermark(heap, at, LAYOUT_wmark_min) + zone->boost;
	zone->low_pages = watermark(heap, at, LAYOUT_wmark_low) + zone->boost;
	zone->high_pages = watermark(heap, at, LAYOUT_wmark_high) + zone->boost;
	zone->mapped = heap_u64(heap, at, LAYOUT_zone_mapped);
	zone->refills = heap_u64(heap, at, LAYOUT_zone_pcp_refills);
	zone->spills = heap_u64(heap, at, LAYOUT_zone_pcp_spills);
	zone->start_pfn = heap_u64(heap, at, LAYOUT_zone_start_pfn);
	zone->end_pfn = heap_u64(heap, at, LAYOUT_zone_end_pfn);
	zone->flags = heap_u64(heap, at, LAYOUT_zone_flags);
	take_free_blocks(heap, zone, at);
	add_listed(heap, zone, at);
	if (!target_read_text(heap->target, heap_u64(heap, at, LAYOUT_zone_name), zone->name,
			      sizeof(zone->name)))
		snprintf(zone->name, sizeof(zone->name), "?");
}

unsigned int heap_read_zones(struct heap *heap, struct heap_zone *zones, unsigned int most)
{
	static char at[3 * STRUCTURE_BYTES_MAX];
	unsigned int types = heap_value(heap, LAYOUT_nr_zone_types), nr = 0;

	for (unsigned int i = 0; heap->is_up && i < heap->nr_nodes * types && nr < most; i++) {
		struct heap_zone *zone = &zones[nr];
		uint64_t node = (uint64_t)heap_value(heap, LAYOUT_sizeof_pglist_data);
		uint64_t address = heap_address(heap, LAYOUT_AT_page_nodes) + i / types * node +
				   i % types * (uint64_t)heap_value(heap, LAYOUT_sizeof_zone);

		*zone = (struct heap_zone){ .address = address, .number = i };
		if (!target_read(heap->target, address, at, heap_value(heap, LAYOUT_sizeof_zone)) ||
		    !heap_u64(heap, at, LAYOUT_zone_managed_pages))
			continue;
		take_zone(heap, zone, at);
		nr++;
	}
	return nr;
}

/* --- Totals ------------------------------------------------------------------------ */

/* cf. mm_table_bytes() */
static uint64_t table_bytes(const struct heap *heap, uint64_t bytes)
{
	uint64_t pages = bytes >> heap_value(heap, LAYOUT_page_shift);

	return pages * heap_value(heap, LAYOUT_sizeof_page) + pages * sizeof(uint64_t) +
	       (bytes >> heap_value(heap, LAYOUT_mark_shift));
}

static void add_mappings(struct heap *heap, struct usermm_stats *stats)
{
	char at[65536 + 16];
	uint64_t address = heap_address(heap, LAYOUT_AT_mapped_counts);
	uint64_t bits = heap_value(heap, LAYOUT_mapping_word_bits), places[64];
	size_t nr = heap_value(heap, LAYOUT_mapped_cache_places);

	memset(at, 0, sizeof(at));
	if (target_read(heap->target, heap_address(heap, LAYOUT_AT_kv_counts), at, 16)) {
		stats->mapped_bytes += heap_u64(heap, at, LAYOUT_kv_counts_bytes);
		stats->mapped_count += heap_u64(heap, at, LAYOUT_kv_counts_blocks);
	}
	if (address && target_read(heap->target, address, at, 64)) {
		stats->mapped_bytes += heap_u64(heap, at, LAYOUT_mapped_counts_bytes);
		stats->mapped_count += heap_u64(heap, at, LAYOUT_mapped_counts_blocks);
		stats->malloc_large_blocks = heap_u64(heap, at, LAYOUT_mapped_counts_allocations);
	}
	stats->malloc_page_blocks = heap_read_u64(heap,
						  heap_address(heap, LAYOUT_AT_block_allocated));
	nr = nr < 64 ? nr : 64;
	address = heap_address(heap, LAYOUT_AT_mapped_cache_places);
	if (address && target_read(heap->target, address, places, nr * sizeof(*places)))
		for (size_t i = 0; i < nr; i++)
			stats->large_kept_bytes += (places[i] & ((1UL << bits) - 1)) *
						   (uint64_t)sysconf(_SC_PAGESIZE);
}

struct idle {
	uint64_t in_slabs, in_empty_slabs, barn_pages;
};

static uint64_t less(uint64_t from, uint64_t what)
{
	return from - (what < from ? what : from);
}

static enum inspect_status add_caches(struct heap *heap, struct usermm_stats *stats,
				      struct idle *idle)
{
	struct heap_usage *usages = calloc(heap->nr_caches + 1, sizeof(*usages));
	enum inspect_status status;
	struct heap_node node;

	if (!usages)
		return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	status = heap_read_usages(heap, heap->partial_most, usages);
	for (size_t i = 0; i < heap->nr_caches; i++) {
		const struct heap_cache *cache = &heap->caches[i];

		stats->slab_bytes += usages[i].bytes;
		stats->slab_refills += cache->refills;
		stats->slab_flushes += cache->flushes;
		stats->slab_objects += cache->objects_up;
		idle->in_slabs += less(usages[i].bytes, usages[i].active * cache->size);
		idle->in_empty_slabs += (usages[i].slabs - usages[i].active_slabs) *
					(heap_page_bytes(heap) << cache->order);
		for (unsigned int nid = 0; heap_read_node(heap, cache, nid, &node); nid++)
			idle->barn_pages += node.barn_nr_pages;
	}
	free(usages);
	return status;
}

static uint64_t read_rss(const struct heap *heap)
{
	unsigned long size, resident = 0;
	char path[64];
	FILE *file;

	if (heap->target->is_core)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/statm", heap->target->pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The sums that usermm_stats_read() makes. */
static void sum_up(struct usermm_stats *stats, uint64_t used, const struct idle *idle,
		   uint64_t page_bytes, uint64_t rss)
{
	stats->resident_bytes = used + stats->mapped_bytes + stats->large_kept_bytes +
				stats->pcp_bytes + stats->metadata_bytes + stats->dirty_bytes;
	if (rss && rss < stats->resident_bytes)
		stats->resident_bytes = rss;
	stats->released_bytes = less(stats->online_bytes,
				     used + stats->pcp_bytes + stats->dirty_bytes);
	used = less(used, stats->quicklist_bytes + idle->barn_pages * page_bytes);
	stats->active_bytes = less(used, idle->in_empty_slabs) + stats->mapped_bytes;
	stats->allocated_bytes = less(used, idle->in_slabs) + stats->mapped_bytes;
}

static void take_facts(const struct heap *heap, struct heap_summary *summary)
{
	const struct target *target = heap->target;

	summary->pid = target->pid;
	memcpy(summary->command, target->command, sizeof(summary->command));
	memcpy(summary->executable, target->executable, sizeof(summary->executable));
	memcpy(summary->release, heap->layout.release, sizeof(summary->release));
	memcpy(summary->library, heap->layout.library, sizeof(summary->library));
	summary->rss_bytes = read_rss(heap);
	summary->nr_caches = (unsigned int)heap->nr_caches;
	summary->nr_slots = heap->nr_slots;
	summary->mode = heap->has_sequences ? "rseq" : "locked";
}

enum inspect_status heap_read_summary(struct heap *heap, struct heap_summary *summary)
{
	static struct heap_zone zones[HEAP_ZONES_MAX];
	uint64_t managed = 0, free_pages = 0, pcp = 0, mapped = 0, page = heap_page_bytes(heap);
	struct usermm_stats *stats = &summary->stats;
	struct idle idle = { 0 };
	enum inspect_status status;

	memset(summary, 0, sizeof(*summary));
	take_facts(heap, summary);
	if (!heap->is_up)
		return INSPECT_OK;
	summary->nr_zones = heap_read_zones(heap, zones, HEAP_ZONES_MAX);
	for (unsigned int i = 0; i < summary->nr_zones; i++) {
		managed += zones[i].managed_pages;
		free_pages += zones[i].free_pages;
		pcp += zones[i].pcp_pages;
		mapped += zones[i].mapped;
		stats->dirty_bytes += zones[i].dirty_pages * page;
		stats->page_refills += zones[i].refills;
		stats->page_spills += zones[i].spills;
	}
	stats->window_bytes = heap->window_bytes;
	stats->window_wished_bytes = heap->wished_bytes;
	stats->budget_bytes = heap->budget_bytes;
	stats->online_bytes = heap->online_bytes;
	stats->metadata_bytes = table_bytes(heap, heap->online_bytes);
	stats->free_bytes = free_pages * page;
	stats->pcp_bytes = pcp * page;
	stats->page_failures = heap_read_u64(heap, heap_address(heap, LAYOUT_AT_page_failures));
	add_mappings(heap, stats);
	status = add_caches(heap, stats, &idle);
	sum_up(stats, less(managed, free_pages + pcp + mapped) * page, &idle, page,
	       summary->rss_bytes);
	return status;
}
