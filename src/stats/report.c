/* SPDX-License-Identifier: MIT */
/* The counters as text, in the formats of Linux's /proc if it has such a file. */
#include <unistd.h>

#include "base/fmt.h"
#include "base/options.h"
#include "mm/memmap.h"
#include "os/report/process.h"
#include "page/debug/hooks.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "quicklist/cache.h"
#include "slab/debug/debug_object.h"
#include "stats/caches.h"
#include "stats/metrics.h"
#include "stats/report.h"
#include "usermm/stats.h"
#include "usermm/usermm.h"

/* This many quicklists at a time are copied under the lock; then they are written without it. */
#define QUICKLISTS_AT_A_TIME 16

static void print_cache(const struct cache_line *line, void *arg)
{
	struct fmt_writer *out = arg;

	fmt_print(out, "%-17s %6lu %6lu %6lu %4lu %4lu : tunables %4u %4u %4u", line->name,
		  line->active_objects, line->objects, line->size, line->objects_per_slab,
		  line->pages_per_slab, 0u, 0u, 0u);
	fmt_print(out, " : slabdata %6lu %6lu %6lu\n", line->active_slabs, line->slabs, 0UL);
}

/*
 * /proc/slabinfo version 2.1. An object in a CPU's sheaf does not count as
 * active. Caches that have never had a slab are left out.
 */
static void print_slabinfo(struct fmt_writer *out)
{
	fmt_print(out, "slabinfo - version: 2.1\n");
	fmt_print(out, "# name            <active_objs> <num_objs> <objsize> <objperslab> "
			"<pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : "
			"slabdata <active_slabs> <num_slabs> <sharedavail>\n");
	cache_lines_walk(print_cache, out, NULL);
}

void usermm_print_slabinfo(int fd)
{
	fmt_print_to(fd, print_slabinfo);
}

/* Hits are counted only with quicklist_debug=. Lists that were never used are left out. */
static void print_quicklist(struct fmt_writer *out, const struct quicklist_line *line)
{
	const struct quicklist_stats *stats = &line->stats;

	if (!stats->pages && !stats->misses && !stats->returned)
		return;
	fmt_print(out, "%-17s %8lu ", line->name, stats->pages);
	if (options.quicklist_debug)
		fmt_print(out, "%8lu ", stats->hits);
	else
		fmt_print(out, "%8s ", "-");
	fmt_print(out, "%8lu %8lu %8lu %8lu %8lu\n", stats->misses, stats->ctors, stats->dtors,
		  stats->returned, stats->trimmed);
}

static void print_quicklists(struct fmt_writer *out)
{
	struct quicklist_line lines[QUICKLISTS_AT_A_TIME];
	unsigned int first = 0, n;

	fmt_print(out, "Quicklists:     %8lu kB\n",
		  quicklist_total_size() * (PAGE_SIZE / 1024));
	fmt_print(out, "# name            <pages> <hits> <misses> <ctors> <dtors> <returned> "
		       "<trimmed>\n");
	for (; (n = quicklist_lines(lines, first, QUICKLISTS_AT_A_TIME)); first += n)
		for (const struct quicklist_line *line = lines; line < lines + n; line++)
			print_quicklist(out, line);
}

void usermm_print_quicklists(int fd)
{
	fmt_print_to(fd, print_quicklists);
}

static const char *mode_name(void)
{
	switch (percpu_mode()) {
	case PERCPU_RSEQ_MM_CID:
		return "rseq, slots by mm_cid";
	case PERCPU_RSEQ_CPU_ID:
		return "rseq, slots by cpu_id";
	default:
		return "locked slots";
	}
}

static void print_kib(struct fmt_writer *out, const char *name, size_t bytes)
{
	fmt_print(out, "  %-22s %10zu KiB\n", name, bytes / 1024);
}

static void print_count(struct fmt_writer *out, const char *name, size_t count)
{
	fmt_print(out, "  %-22s %10zu\n", name, count);
}

/*
 * "objects=" counts objects that left slabs for the CPUs' sheaves. The fast paths count
 * nothing, so there were at least as many allocations.
 */
static void print_summary_of(struct fmt_writer *out, const struct usermm_stats *stats)
{
	fmt_print(out, "usermm: %s pid=%d objects=%zu pageblocks=%zu mappings=%zu mode: %s (%s)\n",
		  USERMM_VERSION, (int)getpid(), stats->slab_objects, stats->malloc_page_blocks,
		  stats->malloc_large_blocks, mode_name(),
		  percpu_mode_reason() ? percpu_mode_reason() : "not used yet");
	print_kib(out, "window", stats->window_bytes);
	print_kib(out, "budget", stats->budget_bytes);
	print_kib(out, "online", stats->online_bytes);
	print_kib(out, "free of the budget", stats->free_bytes);
	print_kib(out, "per-CPU pages", stats->pcp_bytes);
	print_kib(out, "slabs", stats->slab_bytes);
	print_kib(out, "quicklists", stats->quicklist_bytes);
	print_kib(out, "mappings", stats->mapped_bytes);
	print_kib(out, "freed mappings, kept", stats->large_kept_bytes);
	print_count(out, "sheaf refills", stats->slab_refills);
	print_count(out, "sheaf flushes", stats->slab_flushes);
	print_count(out, "slabs created", stats->slabs_created);
	print_count(out, "slabs freed", stats->slabs_freed);
	print_count(out, "page list refills", stats->page_refills);
	print_count(out, "page list spills", stats->page_spills);
	print_count(out, "page failures", stats->page_failures);
}

static void print_summary(struct fmt_writer *out)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	print_summary_of(out, &stats);
}

void usermm_print_summary(int fd)
{
	fmt_print_to(fd, print_summary);
}

/* The first line of a process's report; a file may contain several reports. */
static void print_process(struct fmt_writer *out, const struct usermm_stats *stats)
{
	struct process_facts facts;

	process_facts_read(&facts);
	fmt_print(out, "usermm: %s pid=%s command=", USERMM_VERSION, facts.pid);
	metric_print_quoted(out, facts.command, true);
	fmt_print(out, " executable=");
	metric_print_quoted(out, facts.executable, true);
	fmt_print(out, " start=%lu allocated=%zu resident=%zu\n", facts.start_time_seconds,
		  stats->allocated_bytes, stats->resident_bytes);
}

void stats_print_text(struct fmt_writer *out)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	print_process(out, &stats);
	stats_print_buddyinfo(out);
	print_slabinfo(out);
	print_quicklists(out);
	print_summary_of(out, &stats);
	if (options.stats > 1) {
		stats_print_pagetypeinfo(out);
		stats_print_zoneinfo(out);
		stats_print_vmstat(out);
		slab_print_alloc_traces(out);
	}
	page_owner_print(out);
}

void usermm_print_stats(int fd)
{
	fmt_print_to(fd, stats_print_text);
}
