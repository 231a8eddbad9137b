/* SPDX-License-Identifier: MIT */
#include "stats/metrics.h"

#include "base/atomic.h"
#include "base/text.h"
#include "os/report/process.h"
#include "slab/cache.h"
#include "stats/caches.h"
#include "stats/vmstat.h"
#include "stats/zones.h"
#include "usermm/stats.h"
#include "usermm/usermm.h"

_Static_assert(sizeof(size_t) == sizeof(unsigned long), "all values are of one size");

#define METRIC(the_name, member, text, ...) \
	{ .name = #the_name, .help = text, .offset = offsetof(struct ROW, member), __VA_ARGS__ }
#define GAUGE(name, member, text) METRIC(name, member, text, .is_counter = false)
#define COUNTER(name, member, text) METRIC(name, member, text, .is_counter = true)

#define ROW process_facts
static const struct metric process_metrics[] = {
	GAUGE(start_time_seconds, start_time_seconds,
	      "When the process began, in seconds since 1970; 0 if not known."),
};
#undef ROW

#define ROW usermm_stats
static const struct metric stats_metrics[] = {
	GAUGE(window_bytes, window_bytes, "Address space reserved for pages."),
	GAUGE(window_wished_bytes, window_wished_bytes, "Address space that was asked for first."),
	GAUGE(budget_bytes, budget_bytes, "What zones may use of the window."),
	GAUGE(online_bytes, online_bytes, "Memory brought online so far."),
	GAUGE(free_bytes, free_bytes, "Part of the budget that is neither used nor cached."),
	GAUGE(pcp_bytes, pcp_bytes, "Pages on per-CPU lists."),
	GAUGE(slab_bytes, slab_bytes, "Pages that are slabs."),
	GAUGE(quicklist_bytes, quicklist_bytes, "Pages on quicklists."),
	GAUGE(mapped_bytes, mapped_bytes, "Blocks of malloc and kvmalloc outside the window."),
	GAUGE(mapped_count, mapped_count, "Number of blocks outside the window."),
	GAUGE(metadata_bytes, metadata_bytes, "Struct pages and other tables brought online."),
	COUNTER(slab_refills, slab_refills, "Per-CPU arrays filled from slabs."),
	COUNTER(slab_flushes, slab_flushes, "Times that several objects went back to slabs."),
	COUNTER(slab_objects, slab_objects, "Objects that went up to per-CPU arrays."),
	COUNTER(slabs_created, slabs_created, "Slabs made."),
	COUNTER(slabs_freed, slabs_freed, "Slabs given back."),
	COUNTER(page_refills, page_refills, "Per-CPU page lists filled from the zones."),
	COUNTER(page_spills, page_spills, "Per-CPU page lists emptied to the zones."),
	COUNTER(page_failures, page_failures, "Requests that got no pages."),
	COUNTER(malloc_page_blocks, malloc_page_blocks, "Blocks of malloc that were whole pages."),
	COUNTER(malloc_large_blocks, malloc_large_blocks,
		"Blocks of malloc that were mapped outside the window."),
	GAUGE(large_kept_bytes, large_kept_bytes,
	      "Mappings that were freed and stay for the next blocks."),
	GAUGE(allocated_bytes, allocated_bytes, "Objects and blocks in use."),
	GAUGE(active_bytes, active_bytes,
	      "Pages and mappings that hold objects and blocks in use."),
	GAUGE(resident_bytes, resident_bytes,
	      "Memory of the allocator: pages in use or to be used again, and tables."),
	GAUGE(dirty_bytes, dirty_bytes, "Free pages whose memory can be given back."),
	GAUGE(released_bytes, released_bytes, "Free pages whose memory was given back."),
};
#undef ROW

_Static_assert(ARRAY_SIZE(stats_metrics) == sizeof(struct usermm_stats) / sizeof(size_t),
	       "every field of struct usermm_stats");

#define ROW zone_line
static const struct metric zone_metrics[] = {
	GAUGE(managed_pages, managed_pages, "Pages that the zone may have in the end."),
	GAUGE(present_pages, present_pages, "Pages of the zone that are online."),
	GAUGE(min_pages, watermarks[WMARK_MIN], "Watermark: below it only urgent requests go on."),
	GAUGE(low_pages, watermarks[WMARK_LOW], "Watermark: below it reclaim begins."),
	GAUGE(high_pages, watermarks[WMARK_HIGH], "Watermark: where reclaim ends."),
	GAUGE(free_pages, free_pages, "Free pages of the zone."),
	METRIC(free_blocks, free_blocks, "Free blocks of the zone by order, as in buddyinfo.",
	       .nr = NR_PAGE_ORDERS, .index = "order"),
};
#undef ROW

#define ROW cache_line
static const struct metric cache_metrics[] = {
	GAUGE(active_objs, active_objects, "Objects in use."),
	GAUGE(num_objs, objects, "Objects that the slabs have."),
	GAUGE(objsize, size, "Bytes of an object."),
	GAUGE(objperslab, objects_per_slab, "Objects of a slab."),
	GAUGE(pagesperslab, pages_per_slab, "Pages of a slab."),
	GAUGE(active_slabs, active_slabs, "Slabs with objects in use."),
	GAUGE(num_slabs, slabs, "Slabs."),
};
#undef ROW

static const struct metric vmstat_metrics[] = {
#define VMSTAT(kind, item) \
	{ .name = #item, .help = "As " #item " in /proc/vmstat.", \
	  .offset = VMSTAT_##item * sizeof(unsigned long), .is_counter = VMSTAT_IS_##kind },
#define VMSTAT_IS_GAUGE false
#define VMSTAT_IS_COUNTER true
#include "stats/vmstat.def"
#undef VMSTAT
};

typedef void (*metric_row_fn)(const struct metric_row *row, void *arg);

/*
 * If a counter becomes smaller, Prometheus assumes that it began again at 0. Some of ours may
 * become smaller: those of slab/counters.h by a little, and those of memory that goes offline. So a
 * counter here keeps its highest value until the real one has caught up.
 */
static void keep_counters(const struct metric *metrics, unsigned int nr, void *values,
			  unsigned long *highest)
{
	for (unsigned int i = 0; i < nr; i++)
		if (metrics[i].is_counter) {
			unsigned long *value = (void *)((char *)values + metrics[i].offset);

			*value = atomic_raise_relaxed(&highest[i], *value);
		}
}

static void walk_process(metric_row_fn fn, void *arg)
{
	struct process_facts facts;

	process_facts_read(&facts);
	fn(&(struct metric_row){ .values = &facts, .labels = {
			facts.pid, facts.command, facts.executable, USERMM_VERSION } }, arg);
}

/* This table comes before those that bring the layers up, so it brings them up itself. */
static void walk_stats(metric_row_fn fn, void *arg)
{
	static unsigned long highest[ARRAY_SIZE(stats_metrics)];	/* Sync: atomic relaxed */
	struct usermm_stats stats;

	(void)slab_init();
	usermm_stats_read(&stats);
	keep_counters(stats_metrics, ARRAY_SIZE(stats_metrics), &stats, highest);
	fn(&(struct metric_row){ .values = &stats }, arg);
}

static void walk_vmstat(metric_row_fn fn, void *arg)
{
	static unsigned long highest[NR_VMSTAT];	/* Sync: atomic relaxed */
	unsigned long values[NR_VMSTAT];

	if (!vmstat_read(values))
		return;
	keep_counters(vmstat_metrics, NR_VMSTAT, values, highest);
	fn(&(struct metric_row){ .values = values }, arg);
}

static void walk_zones(metric_row_fn fn, void *arg)
{
	struct zone_line line;
	struct zone *z;
	char node[16];

	if (page_init())
		return;
	for_each_populated_zone(z) {
		zone_line_read(&line, z);
		fmt_format(node, sizeof(node), "%d", (int)z->node);
		fn(&(struct metric_row){ .values = &line, .labels = { node, z->name } }, arg);
	}
}

struct cache_rows {
	metric_row_fn fn;
	void *arg;
};

static void pass_cache(const struct cache_line *line, void *arg)
{
	const struct cache_rows *rows = arg;
	char number[24];

	fmt_format(number, sizeof(number), "%lu", line->namesakes);
	rows->fn(&(struct metric_row){ .values = line, .labels = {
			line->name, line->namesakes ? number : NULL } }, rows->arg);
}

static void walk_caches(metric_row_fn fn, void *arg)
{
	struct cache_rows rows = { fn, arg };

	cache_lines_walk(pass_cache, &rows, metric_texts_look_same);
}

const struct metric_table metric_tables[NR_METRIC_TABLES] = {
	{ .name = "process", .prefix = "process_",
	  .labels = { { "pid", "pid", true }, { "command", "command", false },
		      { "executable", "executable", false }, { "version", "version", false } },
	  .metrics = process_metrics, .nr_metrics = ARRAY_SIZE(process_metrics),
	  .walk = walk_process },
	{ .name = "stats", .prefix = "", .metrics = stats_metrics,
	  .nr_metrics = ARRAY_SIZE(stats_metrics), .walk = walk_stats },
	{ .name = "vmstat", .prefix = "vmstat_", .metrics = vmstat_metrics,
	  .nr_metrics = ARRAY_SIZE(vmstat_metrics), .walk = walk_vmstat },
	{ .name = "zones", .prefix = "zone_", .has_rows = true,
	  .labels = { { "node", "node", true }, { "name", "zone", false } },
	  .metrics = zone_metrics, .nr_metrics = ARRAY_SIZE(zone_metrics), .walk = walk_zones },
	{ .name = "caches", .prefix = "cache_", .has_rows = true,
	  .labels = { { "name", "cache", false }, { "namesake", "namesake", true } },
	  .metrics = cache_metrics, .nr_metrics = ARRAY_SIZE(cache_metrics), .walk = walk_caches },
};

/* --- Texts --------------------------------------------------------------------------- */

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

unsigned int metric_utf8_bytes(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned int length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 :
			      *at < 0xf5 ? 4 : 0;

	for (unsigned int i = 1; i < length; i++)
		if (!is_continuation(at[i]))	/* or at the text's end */
			return 0;
	/* Too long an encoding (e0, f0), a surrogate (ed), beyond the last character (f4). */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

bool metric_texts_look_same(const char *a, const char *b)
{
	while (*a && *b) {
		unsigned int length = metric_utf8_bytes(a);

		if (metric_utf8_bytes(b) != length || memcmp(a, b, length))
			return false;
		a += max(length, 1u);
		b += max(length, 1u);
	}
	return !*a && !*b;
}

void metric_print_quoted(struct fmt_writer *out, const char *text, bool controls)
{
	fmt_print(out, "\"");
	while (*text) {
		unsigned int length = metric_utf8_bytes(text);

		if (*text == '"' || *text == '\\')
			fmt_print(out, "\\%c", *text);
		else if (*text == '\n')
			fmt_print(out, "\\n");
		else if (controls && (unsigned char)*text < ' ')
			fmt_print(out, "\\u%04x", (unsigned char)*text);
		else if (!length)
			fmt_print(out, "\xef\xbf\xbd");	/* U+FFFD */
		else
			for (unsigned int i = 0; i < length; i++)
				fmt_print(out, "%c", text[i]);
		text += max(length, 1u);
	}
	fmt_print(out, "\"");
}
