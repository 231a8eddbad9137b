/* SPDX-License-Identifier: MIT */
/*
 * stats: reads the counters that the layers keep.
 *
 * Reading brings up no layer: a layer that is not up counts 0. It takes only the caches' locks, one
 * at a time. Other counters are read without a lock, so sums may miss objects or pages that move
 * meanwhile. Nothing here allocates, and no other layer depends on it.
 */
#include "usermm/stats.h"

#include "malloc/counts.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "os/report/process.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/limits.h"
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/events.h"
#include "slab/kmalloc/kvmalloc.h"
#include "slab/mixed/mixed.h"
#include "slab/partial.h"
#include "usermm/quicklist.h"

__attribute__((__weak__)) void malloc_counts_read(struct malloc_counts *counts)
{
	*counts = (struct malloc_counts){ 0 };
}

/*
 * in_slabs: bytes of caches' pages that no object in use covers. in_empty_slabs: bytes of the slabs
 * that have no object in use. released: bytes of mixed slabs that the system has back; part of
 * in_slabs.
 */
struct idle_bytes {
	size_t in_slabs, in_empty_slabs, released;
};

static void add_cache(struct usermm_stats *stats, struct idle_bytes *idle,
		      struct kmem_cache *cache)
{
	struct slab_usage usage;
	size_t in_use = slab_objects_in_use(cache, &usage) * cache->size;
	size_t bytes = usage.pages * PAGE_SIZE;

	stats->slab_bytes += bytes;
	idle->in_slabs += bytes - min(in_use, bytes);
	idle->in_empty_slabs += usage.empty * (PAGE_SIZE << cache->order);
}

static void read_caches(struct usermm_stats *stats, struct idle_bytes *idle)
{
	struct slab_mixed_usage mixed;
	struct slab_events events;
	struct kmem_cache *cache;

	if (!slab_is_up())
		return;
	lock_acquire(&slab_caches_lock);
	events = slab_events_of_gone_locked();
	list_for_each_entry(cache, &slab_caches, caches) {
		slab_events_add(&events, cache);
		add_cache(stats, idle, cache);
	}
	lock_release(&slab_caches_lock);
	slab_mixed_read_usage(&mixed);
	stats->slab_bytes += mixed.pages * PAGE_SIZE;
	idle->in_slabs += mixed.pages * PAGE_SIZE - mixed.used_bytes;
	idle->released = mixed.released * PAGE_SIZE;
	stats->slab_refills = events.refills;
	stats->slab_flushes = events.flushes;
	stats->slab_objects = events.objects;
	stats->slabs_created = events.slabs_created;
	stats->slabs_freed = events.slabs_freed;
}

static void read_pages(struct usermm_stats *stats)
{
	struct zone *z;

	stats->window_bytes = mm_facts.window_bytes;
	stats->window_wished_bytes = mm_facts.wished_bytes;
	stats->budget_bytes = mm_budget_bytes();
	stats->online_bytes = atomic_load_relaxed(&mm_window.online_bytes);
	stats->metadata_bytes = mm_table_bytes(stats->online_bytes);
	stats->free_bytes = nodes_free_pages() * PAGE_SIZE;
	stats->pcp_bytes = pcp_pages() * PAGE_SIZE;
	stats->dirty_bytes = nodes_dirty_pages() * PAGE_SIZE;
	for_each_populated_zone(z) {
		stats->page_refills += atomic_load_relaxed(&z->pcp_refills);
		stats->page_spills += atomic_load_relaxed(&z->pcp_spills);
	}
}

/* The layers' counts are not of one moment, so a difference may be negative: then it becomes 0. */
static void sum_up(struct usermm_stats *stats, const struct idle_bytes *idle)
{
	size_t used = page_is_up() ? nodes_used_pages() * PAGE_SIZE : 0, in_ram;

	stats->resident_bytes = used - min(idle->released, used) + stats->mapped_bytes +
				stats->large_kept_bytes + stats->pcp_bytes +
				stats->metadata_bytes + stats->dirty_bytes;
	stats->released_bytes = stats->online_bytes - min(stats->online_bytes, used +
				stats->pcp_bytes + stats->dirty_bytes);
	used -= min(stats->quicklist_bytes + barn_pages() * PAGE_SIZE, used);
	stats->active_bytes = used - min(idle->in_empty_slabs + idle->released, used) +
			      stats->mapped_bytes;
	stats->allocated_bytes = used - min(idle->in_slabs, used) + stats->mapped_bytes;
	in_ram = os_resident_bytes();
	if (in_ram)
		stats->resident_bytes = min(stats->resident_bytes, in_ram);
}

void usermm_stats_read(struct usermm_stats *stats)
{
	struct idle_bytes idle = { 0 };
	struct malloc_counts counts;

	*stats = (struct usermm_stats){ 0 };
	limits_refresh();
	if (page_is_up())
		read_pages(stats);
	stats->page_failures = atomic_load_relaxed(&page_failures);
	stats->quicklist_bytes = quicklist_total_size() * PAGE_SIZE;
	read_caches(stats, &idle);
	malloc_counts_read(&counts);
	stats->mapped_bytes = counts.mapped_bytes + atomic_load_relaxed(&kv_counts.bytes);
	stats->mapped_count = counts.large_blocks + atomic_load_relaxed(&kv_counts.blocks);
	stats->large_kept_bytes = counts.mapped_cache_bytes;
	stats->malloc_large_blocks = counts.large_allocations;
	stats->malloc_page_blocks = counts.page_blocks;
	sum_up(stats, &idle);
}
