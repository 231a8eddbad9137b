/* SPDX-License-Identifier: MIT */
/*
 * /proc/vmstat: names and order are those of Linux 6.12 mm/vmstat.c, vmstat_text[].
 *
 * What does not exist here (pages on LRU lists, dirty pages, swap) is 0, as it would be in
 * a Linux that never had any; counters of machinery that is not there (compaction, huge
 * page faults, balloons) are left out.
 */
#include "stats/vmstat.h"

#include "base/fmt.h"
#include "mm/memmap.h"
#include "os/os.h"
#include "page/pcp.h"
#include "page/reclaim.h"
#include "slab/slab.h"
#include "usermm/stats.h"

enum { ITEM_FREE, ITEM_FREE_CMA = NR_ZONE_ITEMS - 1 };

const char *const vmstat_zone_names[NR_ZONE_ITEMS] = {
	"nr_free_pages", "nr_zone_inactive_anon", "nr_zone_active_anon",
	"nr_zone_inactive_file", "nr_zone_active_file", "nr_zone_unevictable",
	"nr_zone_write_pending", "nr_mlock", "nr_bounce", "nr_free_cma",
};

const char *const vmstat_numa_names[NR_NUMA_EVENTS] = {
	"numa_hit", "numa_miss", "numa_foreign", "numa_interleave", "numa_local", "numa_other",
};

static const char *const zone_suffixes[MAX_NR_ZONES] = { "dma", "dma32", "normal", "movable" };

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
	unsigned long pages = 0;
	struct kmem_cache *cache;

	if (!slab_is_up())
		return 0;
	lock_acquire(&slab_caches_lock);
	list_for_each_entry(cache, &slab_caches, caches)
		if (!!(cache->flags & SLAB_RECLAIM_ACCOUNT) == reclaimable)
			pages += slab_nr_pages(cache);
	lock_release(&slab_caches_lock);
	return pages;
}

static void print_item(struct fmt_writer *out, const char *name, unsigned long value)
{
	fmt_print(out, "%s %lu\n", name, value);
}

static void print_zeros(struct fmt_writer *out, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		print_item(out, names[i], 0);
}

#define PRINT_ZEROS(out, ...)							\
	do {									\
		static const char *const names[] = { __VA_ARGS__ };		\
										\
		print_zeros(out, names, ARRAY_SIZE(names));			\
	} while (0)

static void print_zone_sums(struct fmt_writer *out)
{
	const struct zone *z;

	for (unsigned int i = 0; i < NR_ZONE_ITEMS; i++) {
		unsigned long sum = 0;

		for_each_populated_zone(z)
			sum += vmstat_zone_item(z, i);
		print_item(out, vmstat_zone_names[i], sum);
	}
	for (unsigned int i = 0; i < NR_NUMA_EVENTS; i++) {
		unsigned long sum = 0;

		for_each_populated_zone(z)
			sum += vmstat_numa_item(z, (enum numa_event)i);
		print_item(out, vmstat_numa_names[i], sum);
	}
}

static void print_node_sums(struct fmt_writer *out)
{
	PRINT_ZEROS(out, "nr_inactive_anon", "nr_active_anon", "nr_inactive_file",
		    "nr_active_file", "nr_unevictable");
	print_item(out, "nr_slab_reclaimable", vmstat_slab_pages(true));
	print_item(out, "nr_slab_unreclaimable", vmstat_slab_pages(false));
	PRINT_ZEROS(out, "nr_dirty", "nr_writeback");
	print_item(out, "nr_memmap_pages",
		   atomic_load_relaxed(&mm_window.online_bytes) / PAGE_SIZE *
			   sizeof(struct page) / PAGE_SIZE);
	PRINT_ZEROS(out, "pgpgin", "pgpgout", "pswpin", "pswpout");
}

/* One for each kind of zone. */
static void print_by_zone(struct fmt_writer *out, const char *name,
			  const unsigned long values[MAX_NR_ZONES])
{
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		fmt_print(out, "%s_%s %lu\n", name, zone_suffixes[i], values[i]);
}

static void print_events(struct fmt_writer *out)
{
	unsigned long taken[MAX_NR_ZONES] = { 0 }, stalls[MAX_NR_ZONES], none[MAX_NR_ZONES] = { 0 };
	unsigned long given = 0, faults, major;
	const struct zone *z;

	for_each_populated_zone(z) {
		taken[z->index] += atomic_load_relaxed(&z->nr_taken);
		given += atomic_load_relaxed(&z->nr_given);
	}
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		stalls[i] = atomic_load_relaxed(&reclaim_events.allocstall[i]);
	print_by_zone(out, "pgalloc", taken);
	print_by_zone(out, "allocstall", stalls);
	print_by_zone(out, "pgskip", none);
	print_item(out, "pgfree", given);
	os_page_faults(&faults, &major);
	print_item(out, "pgfault", faults);
	print_item(out, "pgmajfault", major);
	PRINT_ZEROS(out, "pgsteal_kswapd", "pgsteal_direct", "pgscan_kswapd", "pgscan_direct");
	print_item(out, "slabs_scanned", atomic_load_relaxed(&reclaim_events.slabs_scanned));
	print_item(out, "pageoutrun", atomic_load_relaxed(&reclaim_events.pageoutrun));
	print_item(out, "oom_kill", atomic_load_relaxed(&reclaim_events.oom_kill));
}

void usermm_print_vmstat(int fd)
{
	struct fmt_writer out;

	fmt_writer_open(&out, fd);
	if (!page_init()) {
		print_zone_sums(&out);
		print_node_sums(&out);
		print_events(&out);
	}
	fmt_writer_close(&out);
}
