/* SPDX-License-Identifier: MIT */
/*
 * /proc/vmstat, with those of Linux's items that vmstat.def lists.
 *
 * Pages that do not exist here (on LRU lists, dirty, in swap) count as 0, as in a Linux that
 * never had any. Counters of absent machinery (compaction, huge page faults, balloons) are
 * left out.
 */
#include "stats/vmstat.h"

#include "base/fmt.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "slab/cache.h"
#include "slab/mixed/mixed.h"
#include "slab/partial.h"
#include "slab/slab.h"
#include "stats/report.h"
#include "usermm/stats.h"

enum { ITEM_FREE, ITEM_FREE_CMA = NR_ZONE_ITEMS - 1 };

_Static_assert(VMSTAT_nr_free_cma - VMSTAT_nr_free_pages == ITEM_FREE_CMA, "zones' items");
_Static_assert(VMSTAT_numa_other - VMSTAT_numa_hit == NR_NUMA_EVENTS - 1, "nodes' events");
_Static_assert(VMSTAT_pgalloc_movable - VMSTAT_pgalloc_dma == MAX_NR_ZONES - 1, "kinds of zones");

const char vmstat_names[NR_VMSTAT][VMSTAT_NAME_BYTES] = {
#define VMSTAT(kind, name) #name,
#include "stats/vmstat.def"
#undef VMSTAT
};

unsigned long vmstat_zone_item(const struct zone *z, unsigned int item)
{
	if (item == ITEM_FREE)
		return zone_free_pages(z);
	return item == ITEM_FREE_CMA ? atomic_load_relaxed(&z->nr_free_cma) : 0;
}

unsigned long vmstat_numa_item(const struct zone *z, enum numa_event event)
{
	if (nr_online_nodes > 1)
		return atomic_load_relaxed(&z->numa_events[event]);
	return event == NUMA_HIT || event == NUMA_LOCAL ? atomic_load_relaxed(&z->nr_taken) : 0;
}

unsigned long vmstat_slab_pages(bool reclaimable)
{
	struct slab_mixed_usage mixed;
	unsigned long pages = 0;
	struct kmem_cache *cache;

	if (!slab_is_up())
		return 0;
	slab_mixed_read_usage(&mixed);
	if (!reclaimable)	/* mixed slabs were malloc's, which are not reclaimable */
		pages = mixed.pages;
	lock_acquire(&slab_caches_lock);
	list_for_each_entry(cache, &slab_caches, caches)
		if (!!(cache->flags & SLAB_RECLAIM_ACCOUNT) == reclaimable)
			pages += slab_nr_pages(cache);
	lock_release(&slab_caches_lock);
	return pages;
}

static void add_zone(unsigned long values[NR_VMSTAT], const struct zone *z)
{
	for (unsigned int i = 0; i < NR_ZONE_ITEMS; i++)
		values[VMSTAT_nr_free_pages + i] += vmstat_zone_item(z, i);
	for (unsigned int i = 0; i < NR_NUMA_EVENTS; i++)
		values[VMSTAT_numa_hit + i] += vmstat_numa_item(z, (enum numa_event)i);
	values[VMSTAT_pgalloc_dma + z->index] += atomic_load_relaxed(&z->nr_taken);
	values[VMSTAT_pgfree] += atomic_load_relaxed(&z->nr_given);
}

bool vmstat_read(unsigned long values[NR_VMSTAT])
{
	const struct zone *z;

	for (unsigned int i = 0; i < NR_VMSTAT; i++)
		values[i] = 0;
	if (page_init())
		return false;
	for_each_populated_zone(z)
		add_zone(values, z);
	values[VMSTAT_nr_slab_reclaimable] = vmstat_slab_pages(true);
	values[VMSTAT_nr_slab_unreclaimable] = vmstat_slab_pages(false);
	values[VMSTAT_nr_memmap_pages] = atomic_load_relaxed(&mm_window.online_bytes) / PAGE_SIZE *
					 sizeof(struct page) / PAGE_SIZE;
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		values[VMSTAT_allocstall_dma + i] =
			atomic_load_relaxed(&reclaim_events.allocstall[i]);
	os_page_faults(&values[VMSTAT_pgfault], &values[VMSTAT_pgmajfault]);
	values[VMSTAT_slabs_scanned] = atomic_load_relaxed(&reclaim_events.slabs_scanned);
	values[VMSTAT_pageoutrun] = atomic_load_relaxed(&reclaim_events.pageoutrun);
	values[VMSTAT_oom_kill] = atomic_load_relaxed(&reclaim_events.oom_kill);
	return true;
}

void stats_print_vmstat(struct fmt_writer *out)
{
	unsigned long values[NR_VMSTAT];

	if (vmstat_read(values))
		for (unsigned int i = 0; i < NR_VMSTAT; i++)
			fmt_print(out, "%s %lu\n", vmstat_names[i], values[i]);
}

void usermm_print_vmstat(int fd)
{
	fmt_print_to(fd, stats_print_vmstat);
}

FOR_KERNEL(vmstat_slab_pages);
