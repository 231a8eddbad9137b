// SPDX-License-Identifier: MIT
/* What `usermm top` shows: all processes on usermm, or the caches of one. */
#include "show/top.h"

#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "usermm/say.h"

/* So many partial slabs of each cache are looked at; the others are estimated. */
#define PARTIAL_LOOKED_AT 16

/* --- Lines ------------------------------------------------------------------------- */

void top_line(struct top_lines *lines, const char *format, ...)
{
	char text[TOP_LINE_BYTES];
	va_list arguments;

	if (lines->nr == lines->room) {
		size_t room = lines->room ? 2 * lines->room : 64;
		void *more = realloc(lines->lines, room * sizeof(*lines->lines));

		if (!more)
			return;
		lines->lines = more;
		lines->room = room;
	}
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	say_clean(lines->lines[lines->nr++], TOP_LINE_BYTES, text);
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- One process ------------------------------------------------------------------- */

/* What the last picture showed of a cache. */
struct former {
	uint64_t address, bytes;
};

static struct {
	struct heap *heap;
	struct former *former;
	size_t nr_former;
	double at;
} one;

static void find_changes(struct cache_row *rows, size_t nr, double seconds)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < one.nr_former && seconds > 0; j++)
			if (one.former[j].address == rows[i].cache->address)
				rows[i].change = (int64_t)(((double)rows[i].usage.active_bytes -
							    (double)one.former[j].bytes) / seconds);
}

static void keep_former(const struct cache_row *rows, size_t nr)
{
	struct former *former = realloc(one.former, (nr + 1) * sizeof(*former));

	if (!former)
		return;
	one.former = former;
	one.nr_former = nr;
	for (size_t i = 0; i < nr; i++)
		former[i] = (struct former){ rows[i].cache->address, rows[i].usage.active_bytes };
}

/* "+1.2M", "-30", or "" for no change. */
static const char *show_change(int64_t change, char text[17])
{
	text[0] = change < 0 ? '-' : '+';
	show_bytes((uint64_t)(change < 0 ? -change : change), text + 1);
	return change ? text : "";
}

static void draw_totals(struct heap *heap, const struct heap_summary *summary,
			struct top_lines *lines)
{
	const struct usermm_stats *stats = &summary->stats;
	char text[4][16];

	(void)heap;
	top_line(lines, "usermm top: %s (%d), usermm %s, %u caches, per-CPU lists by %s",
		 summary->command, summary->pid, summary->release, summary->nr_caches,
		 summary->mode);
	top_line(lines, "RSS %s  budget %s  online %s  in use %s",
		 show_bytes(summary->rss_bytes, text[0]), show_bytes(stats->budget_bytes, text[1]),
		 show_bytes(stats->online_bytes, text[2]),
		 show_bytes(stats->allocated_bytes, text[3]));
	top_line(lines, "slabs %s  mappings %s  per-CPU pages %s  idle %s",
		 show_bytes(stats->slab_bytes, text[0]), show_bytes(stats->mapped_bytes, text[1]),
		 show_bytes(stats->pcp_bytes, text[2]), show_bytes(stats->dirty_bytes, text[3]));
}

static void draw_zones(struct heap *heap, struct top_lines *lines)
{
	static struct heap_zone zones[HEAP_ZONES_MAX];
	unsigned int nr = heap_read_zones(heap, zones, HEAP_ZONES_MAX);
	uint64_t page = heap_page_bytes(heap);
	char text[4][16];

	for (unsigned int i = 0; i < nr; i++)
		top_line(lines, "zone %u %-8s online %s of %s, free %s, low mark %s",
			 zones[i].node, zones[i].name,
			 show_bytes(zones[i].present_pages * page, text[0]),
			 show_bytes(zones[i].managed_pages * page, text[1]),
			 show_bytes(zones[i].free_pages * page, text[2]),
			 show_bytes(zones[i].low_pages * page, text[3]));
}

static void draw_rows(const struct cache_row *rows, size_t nr, struct top_lines *lines)
{
	char text[2][16], change[17];

	lines->head = lines->nr;
	top_line(lines, "%-24s %10s %10s %6s %5s %8s %9s %8s", "CACHE", "ACTIVE", "OBJECTS", "SIZE",
		 "USE", "BYTES", "CHANGE/s", "WASTE");
	for (size_t i = 0; i < nr; i++) {
		const struct heap_usage *usage = &rows[i].usage;

		top_line(lines, "%-24s %s%*lu %10lu %6u %4lu%% %8s %9s %8s", rows[i].cache->name,
			 usage->is_estimate ? "~" : "", usage->is_estimate ? 9 : 10,
			 (unsigned long)usage->active, usage->objects, rows[i].cache->object_size,
			 usage->objects ? usage->active * 100 / usage->objects : 0,
			 show_bytes(usage->bytes, text[0]), show_change(rows[i].change, change),
			 show_bytes(usage->waste_bytes, text[1]));
	}
}

/* Mixed slabs have blocks of several sizes, and room for any number of them. */
static void draw_mixed(const struct heap *heap, const struct heap_mixed *mixed,
		       struct top_lines *lines)
{
	uint64_t bytes = mixed->pages * heap_page_bytes(heap);
	uint64_t used = mixed->used_bytes < bytes ? mixed->used_bytes : bytes;
	char text[2][16];

	if (bytes)
		top_line(lines, "%-24s %10lu %10s %6s %4lu%% %8s %9s %8s", "(mixed)", mixed->blocks,
			 "-", "-", used * 100 / bytes, show_bytes(bytes, text[0]), "",
			 show_bytes(bytes - used, text[1]));
}

static json_t *one_json(struct heap *heap, const struct heap_summary *summary,
			const struct cache_row *rows, size_t nr)
{
	json_t *all = summary_json(summary), *caches = json_array();

	for (size_t i = 0; i < nr; i++) {
		json_t *cache = cache_row_json(&rows[i]);

		json_object_set_new(cache, "change_bytes_per_second", json_integer(rows[i].change));
		json_array_append_new(caches, cache);
	}
	json_object_set_new(all, "zones", zones_json(heap));
	json_object_set_new(all, "caches", caches);
	return all;
}

static enum inspect_status draw_one(struct top *top, struct top_lines *lines, json_t **document,
				    char error[INSPECT_TEXT_BYTES])
{
	static struct heap_summary summary;
	struct heap_usage *usages = NULL;
	struct cache_row *rows = NULL;
	enum inspect_status status;
	double now = now_seconds();
	size_t nr = 0;

	if (!one.heap)
		one.heap = heap_open(top->target, &status, error);
	else
		status = heap_refresh(one.heap);
	if (!one.heap)
		return status;
	usages = calloc(one.heap->nr_caches + 1, sizeof(*usages));
	if (!usages)
		status = target_fail(one.heap->target, INSPECT_NO_MEMORY, "no memory");
	/* Read once, for the totals and for the rows. */
	if (status == INSPECT_OK)
		status = heap_read_usages(one.heap, PARTIAL_LOOKED_AT, usages);
	if (status == INSPECT_OK)
		status = heap_sum_up(one.heap, usages, &summary);
	if (status == INSPECT_OK)
		status = cache_rows_make(one.heap, usages, top->order, &rows, &nr);
	if (status == INSPECT_OK) {
		find_changes(rows, nr, one.at > 0 ? now - one.at : 0);
		if (top->order == ORDER_CHANGE)
			cache_rows_sort(rows, nr, top->order);
		keep_former(rows, nr);
		one.at = now;
		if (document) {
			*document = one_json(one.heap, &summary, rows, nr);
		} else {
			draw_totals(one.heap, &summary, lines);
			draw_zones(one.heap, lines);
			draw_rows(rows, nr, lines);
			draw_mixed(one.heap, &summary.mixed, lines);
		}
	} else {
		snprintf(error, INSPECT_TEXT_BYTES, "%s", one.heap->target->error);
	}
	free(usages);
	free(rows);
	return status;
}

/* --- All processes ----------------------------------------------------------------- */

static int most_resident_first(const void *a, const void *b)
{
	const struct heap_summary *x = a, *y = b;

	return (x->rss_bytes < y->rss_bytes) - (x->rss_bytes > y->rss_bytes);
}

/* Fills in the summary of the process; false if it does not run on usermm, or may not be read. */
static bool look_at(const char *pid, struct heap_summary *summary, bool *forbidden)
{
	char error[INSPECT_TEXT_BYTES];
	enum inspect_status status;
	struct heap *heap = heap_open(pid, &status, error);
	bool good;

	*forbidden |= status == INSPECT_NO_PERMISSION;
	if (!heap)
		return false;
	heap->partial_most = PARTIAL_LOOKED_AT;
	good = heap_read_summary(heap, summary) == INSPECT_OK;
	heap_close(heap);
	return good;
}

static struct heap_summary *find_all(size_t *nr, bool *forbidden)
{
	struct heap_summary *all = NULL, *more;
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	*nr = 0;
	while (folder && (entry = readdir(folder))) {
		if (!isdigit((unsigned char)*entry->d_name) || atoi(entry->d_name) == getpid())
			continue;
		if (!(*nr & (*nr - 1))) {
			more = realloc(all, (*nr ? 2 * *nr : 1) * sizeof(*all));
			if (!more)
				break;
			all = more;
		}
		*nr += look_at(entry->d_name, &all[*nr], forbidden);
	}
	if (folder)
		closedir(folder);
	if (*nr)
		qsort(all, *nr, sizeof(*all), most_resident_first);
	return all;
}

static void draw_all(const struct heap_summary *all, size_t nr, bool forbidden,
		     struct top_lines *lines)
{
	char text[5][16];

	top_line(lines, "usermm top: %zu process%s on usermm%s", nr, nr == 1 ? "" : "es",
		 forbidden ? "; others may not be read, root sees them" : "");
	lines->head = lines->nr;
	top_line(lines, "%7s %-16s %8s %8s %8s %8s %8s", "PID", "COMMAND", "RSS", "BUDGET",
		 "IN USE", "SLABS", "IDLE");
	for (size_t i = 0; i < nr; i++)
		top_line(lines, "%7d %-16s %8s %8s %8s %8s %8s", all[i].pid, all[i].command,
			 show_bytes(all[i].rss_bytes, text[0]),
			 show_bytes(all[i].stats.budget_bytes, text[1]),
			 show_bytes(all[i].stats.allocated_bytes, text[2]),
			 show_bytes(all[i].stats.slab_bytes, text[3]),
			 show_bytes(all[i].stats.dirty_bytes, text[4]));
}

static enum inspect_status draw_processes(struct top_lines *lines, json_t **document)
{
	bool forbidden = false;
	size_t nr;
	struct heap_summary *all = find_all(&nr, &forbidden);
	json_t *processes;

	if (document) {
		processes = json_array();
		for (size_t i = 0; i < nr; i++)
			json_array_append_new(processes, summary_json(&all[i]));
		*document = json_object();
		json_object_set_new(*document, "processes", processes);
	} else {
		draw_all(all, nr, forbidden && geteuid(), lines);
	}
	free(all);
	return INSPECT_OK;
}

/* --- Either ------------------------------------------------------------------------ */

enum inspect_status top_draw(struct top *top, struct top_lines *lines, json_t **document,
			     char error[INSPECT_TEXT_BYTES])
{
	lines->nr = 0;
	lines->head = 0;
	return top->target ? draw_one(top, lines, document, error) :
			     draw_processes(lines, document);
}

void top_end(void)
{
	heap_close(one.heap);
	free(one.former);
	memset(&one, 0, sizeof(one));
}
