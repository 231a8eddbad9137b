/* SPDX-License-Identifier: MIT */
/* The counters as text, in the formats of Linux's /proc where it has one. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "mm/memmap.h"
#include "os/core.h"
#include "os/load_options.h"
#include "page/zone.h"
#include "percpu/percpu.h"
#include "quicklist/cache.h"
#include "stats/caches.h"
#include "usermm/stats.h"
#include "usermm/usermm.h"

/* Quicklists are copied in steps, so that nothing is written under a lock. */
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
void usermm_print_slabinfo(int fd)
{
	struct fmt_writer out;

	fmt_writer_open(&out, fd);
	fmt_print(&out, "slabinfo - version: 2.1\n");
	fmt_print(&out, "# name            <active_objs> <num_objs> <objsize> <objperslab> "
			"<pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : "
			"slabdata <active_slabs> <num_slabs> <sharedavail>\n");
	cache_lines_walk(print_cache, &out, NULL);
	fmt_writer_close(&out);
}

/* Hits are counted with quicklist_debug= alone; lists that were never used are left out. */
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

void usermm_print_quicklists(int fd)
{
	struct quicklist_line lines[QUICKLISTS_AT_A_TIME];
	unsigned int first = 0, n;
	struct fmt_writer out;

	fmt_writer_open(&out, fd);
	fmt_print(&out, "Quicklists:     %8lu kB\n",
		  quicklist_total_size() * (PAGE_SIZE / 1024));
	fmt_print(&out, "# name            <pages> <hits> <misses> <ctors> <dtors> <returned> "
			"<trimmed>\n");
	for (; (n = quicklist_lines(lines, first, QUICKLISTS_AT_A_TIME)); first += n)
		for (const struct quicklist_line *line = lines; line < lines + n; line++)
			print_quicklist(&out, line);
	fmt_writer_close(&out);
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
 * "objects=" counts what left slabs for the CPUs' sheaves: nothing is counted on
 * the fast paths, so it is a lower bound for the allocations served.
 */
void usermm_print_summary(int fd)
{
	struct usermm_stats stats;
	struct fmt_writer out;

	usermm_stats_read(&stats);
	fmt_writer_open(&out, fd);
	fmt_print(&out, "usermm: %s pid=%d objects=%zu pageblocks=%zu mappings=%zu mode: %s (%s)\n",
		  USERMM_VERSION, (int)getpid(), stats.slab_objects, stats.malloc_page_blocks,
		  stats.malloc_large_blocks, mode_name(),
		  percpu_mode_reason() ? percpu_mode_reason() : "not used yet");
	print_kib(&out, "window", stats.window_bytes);
	print_kib(&out, "budget", stats.budget_bytes);
	print_kib(&out, "online", stats.online_bytes);
	print_kib(&out, "free of the budget", stats.free_bytes);
	print_kib(&out, "per-CPU pages", stats.pcp_bytes);
	print_kib(&out, "slabs", stats.slab_bytes);
	print_kib(&out, "quicklists", stats.quicklist_bytes);
	print_kib(&out, "mappings", stats.large_bytes);
	print_kib(&out, "freed mappings, kept", stats.large_kept_bytes);
	print_count(&out, "sheaf refills", stats.slab_refills);
	print_count(&out, "sheaf flushes", stats.slab_flushes);
	print_count(&out, "slabs created", stats.slabs_created);
	print_count(&out, "slabs freed", stats.slabs_freed);
	print_count(&out, "page list refills", stats.page_refills);
	print_count(&out, "page list spills", stats.page_spills);
	print_count(&out, "page failures", stats.page_failures);
	fmt_writer_close(&out);
}

void usermm_print_stats(int fd)
{
	usermm_print_buddyinfo(fd);
	usermm_print_slabinfo(fd);
	usermm_print_quicklists(fd);
	usermm_print_summary(fd);
	if (options.stats > 1) {
		usermm_print_pagetypeinfo(fd);
		usermm_print_zoneinfo(fd);
		usermm_print_vmstat(fd);
		usermm_print_slab_alloc_traces(fd, NULL);
	}
	usermm_print_page_owner(fd);
}

/*
 * The report at exit goes to stderr as it was at the start: many programs (the
 * core utilities among them) close stderr before they end. A program may close
 * that copy as well and open something else under its number, so the file is
 * compared before anything is written.
 */
static int report_fd = -1;
static struct stat report_file;

#define REPORT_FD_MIN 100

__attribute__((__constructor__)) static void keep_stderr(void)
{
	load_options();
	if (core_is_spare())	/* the process's copy tells */
		return;
	if (!options.stats && options.stats_format)
		report_warning("stats_format= needs stats=; nothing is written");
	if (!options.stats || fstat(STDERR_FILENO, &report_file))
		return;
	report_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, REPORT_FD_MIN);
	if (report_fd < 0)	/* few descriptors allowed: the original must do */
		report_fd = STDERR_FILENO;
}

__attribute__((__destructor__)) static void print_at_exit(void)
{
	struct stat now;

	if (report_fd < 0 || fstat(report_fd, &now) || now.st_dev != report_file.st_dev ||
	    now.st_ino != report_file.st_ino)
		return;
	switch (options.stats_format) {
	case OPTION_STATS_FORMAT_JSON:
		usermm_print_json(report_fd);
		break;
	case OPTION_STATS_FORMAT_PROMETHEUS:
		usermm_print_prometheus(report_fd);
		break;
	default:
		usermm_print_stats(report_fd);
	}
}
