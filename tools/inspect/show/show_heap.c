// SPDX-License-Identifier: MIT
/* summary, caches, zones, options */
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "mixed.h"
#include "show/show.h"

#define OPTION_TEXT_BYTES 1100

/* --- JSON and columns -------------------------------------------------------------- */

enum inspect_status show_json(struct heap *heap, json_t *document)
{
	int error;

	if (document && *heap->target->lacks)
		add_text(document, "lacks", heap->target->lacks);
	error = document ? json_dumpf(document, stdout, JSON_COMPACT) : -1;
	json_decref(document);
	if (error || puts("") == EOF || fflush(stdout))
		return target_fail(heap->target, INSPECT_NO_MEMORY, "the output cannot be written");
	return INSPECT_OK;
}

void add_text(json_t *to, const char *name, const char *text)
{
	json_t *value = json_string(text);
	char copy[512];

	if (!value) {
		snprintf(copy, sizeof(copy), "%s", text);
		for (char *at = copy; *at; at++)
			if ((unsigned char)*at >= 0x80 || (unsigned char)*at < ' ')
				*at = '?';
		value = json_string(copy);
	}
	json_object_set_new(to, name, value);
}

json_t *show_address(uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "%#lx", address);
	return json_string(text);
}

const char *show_bytes(uint64_t bytes, char text[16])
{
	static const char units[] = "BKMGTPE";
	double value = (double)bytes;
	unsigned int unit = 0;

	for (; value >= 9999.5; unit++)
		value /= 1024;
	snprintf(text, 16, unit && value < 99.95 ? "%.1f%.*s" : "%.0f%.*s", value, unit ? 1 : 0,
		 units + unit);
	return text;
}

void show_lacks(const struct heap *heap)
{
	if (*heap->target->lacks)
		fprintf(stderr, "usermm inspect: %s\n", heap->target->lacks);
}

enum inspect_status show_known(const struct heap *heap, const char *what)
{
	if (!heap->target->missed)
		return INSPECT_OK;
	return target_fail(heap->target, INSPECT_BAD_CORE, "%s: what %s is made from is not in the "
			   "core; %s", heap->target->name, what, heap->target->lacks);
}

/* --- summary ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
	const char *text;	/* NULL: only in JSON */
	bool is_count;
} stats_rows[] = {
#define ROW(name, text) { #name, offsetof(struct usermm_stats, name), text, false },
#define COUNT(name, text) { #name, offsetof(struct usermm_stats, name), text, true },
	ROW(allocated_bytes, "in use")
	ROW(active_bytes, "pages and mappings of it")
	ROW(resident_bytes, "memory of the library")
	ROW(window_bytes, "window")
	ROW(window_wished_bytes, NULL)
	ROW(budget_bytes, "budget")
	ROW(online_bytes, "online")
	ROW(free_bytes, "free of the budget")
	ROW(pcp_bytes, "per-CPU pages")
	ROW(quicklist_bytes, "quicklists")
	ROW(slab_bytes, "slabs")
	ROW(mapped_bytes, "mappings")
	COUNT(mapped_count, "number of mappings")
	ROW(large_kept_bytes, "freed mappings, kept")
	ROW(metadata_bytes, "struct pages and tables")
	ROW(dirty_bytes, "idle, to be given back")
	ROW(released_bytes, "idle, given back")
	COUNT(slab_refills, NULL)
	COUNT(slab_flushes, NULL)
	COUNT(slab_objects, NULL)
	COUNT(slabs_created, NULL)
	COUNT(slabs_freed, NULL)
	COUNT(page_refills, NULL)
	COUNT(page_spills, NULL)
	COUNT(page_failures, "requests without memory")
	COUNT(malloc_page_blocks, NULL)
	COUNT(malloc_large_blocks, NULL)
#undef ROW
#undef COUNT
};
#define NR_STATS_ROWS (sizeof(stats_rows) / sizeof(*stats_rows))

static uint64_t stats_row(const struct heap_summary *summary, unsigned int i)
{
	size_t number;

	memcpy(&number, (const char *)&summary->stats + stats_rows[i].offset, sizeof(number));
	return number;
}

static json_t *mixed_json(const struct heap_mixed *mixed)
{
	json_t *object = json_object();

	add_number(object, "slabs", mixed->slabs);
	add_number(object, "pages", mixed->pages);
	add_number(object, "released_pages", mixed->released_pages);
	add_number(object, "blocks", mixed->blocks);
	add_number(object, "used_bytes", mixed->used_bytes);
	return object;
}

json_t *summary_json(const struct heap_summary *summary)
{
	json_t *all = json_object(), *process = json_object(), *stats = json_object();

	add_number(process, "pid", (uint64_t)summary->pid);
	add_text(process, "command", summary->command);
	add_text(process, "executable", summary->executable);
	add_text(process, "version", summary->release);
	add_text(process, "library", summary->library);
	add_text(process, "mode", summary->mode);
	add_number(process, "rss_bytes", summary->rss_bytes);
	for (unsigned int i = 0; i < NR_STATS_ROWS; i++)
		add_number(stats, stats_rows[i].name, stats_row(summary, i));
	json_object_set_new(all, "process", process);
	json_object_set_new(all, "stats", stats);
	json_object_set_new(all, "mixed", mixed_json(&summary->mixed));
	return all;
}

static void print_summary(const struct heap *heap, const struct heap_summary *summary)
{
	char text[16];

	printf("%s: %s, usermm %s in %s\n", heap->target->is_core ? "core" : "process",
	       summary->command, summary->release, summary->library);
	printf("  %-26s %10d\n", "pid", summary->pid);
	printf("  %-26s %10s\n", "per-CPU lists by", summary->mode);
	printf("  %-26s %10u\n", "caches", summary->nr_caches);
	if (!heap->is_up)
		printf("  no memory was asked for yet\n");
	if (summary->rss_bytes)
		printf("  %-26s %10s\n", "resident, all of it",
		       show_bytes(summary->rss_bytes, text));
	for (unsigned int i = 0; i < NR_STATS_ROWS && heap->is_up; i++)
		if (!stats_rows[i].text)
			continue;
		else if (stats_rows[i].is_count)
			printf("  %-26s %10lu\n", stats_rows[i].text, stats_row(summary, i));
		else
			printf("  %-26s %10s\n", stats_rows[i].text,
			       show_bytes(stats_row(summary, i), text));
}

static void print_mixed(const struct heap *heap, const struct heap_mixed *mixed)
{
	uint64_t page = heap_page_bytes(heap);
	char text[3][16];

	if (mixed->slabs)
		printf("  %-26s %10s, %s of it used, %s given back\n", "mixed slabs, of the slabs",
		       show_bytes(mixed->pages * page, text[0]),
		       show_bytes(mixed->used_bytes, text[1]),
		       show_bytes(mixed->released_pages * page, text[2]));
}

enum inspect_status show_summary(struct heap *heap, const struct view *view)
{
	static struct heap_summary summary;
	enum inspect_status status = heap_read_summary(heap, &summary);
	json_t *all, *zones = zones_json(heap);

	if (status == INSPECT_OK)
		status = show_known(heap, "the summary");
	if (status != INSPECT_OK) {
		json_decref(zones);
		return status;
	}
	show_lacks(heap);
	if (!view->json) {
		json_decref(zones);
		print_summary(heap, &summary);
		print_mixed(heap, &summary.mixed);
		return INSPECT_OK;
	}
	all = summary_json(&summary);
	json_object_set_new(all, "zones", zones);
	return show_json(heap, all);
}

/* --- caches ------------------------------------------------------------------------ */

const char *const cache_order_names[NR_CACHE_ORDERS] = {
	"bytes", "objects", "active", "waste", "size", "slabs", "name", "change",
};

enum cache_order cache_order_of(const char *name)
{
	enum cache_order order = 0;

	while (order < NR_CACHE_ORDERS && strcmp(name, cache_order_names[order]))
		order++;
	return order;
}

static enum cache_order sorted_by;

static uint64_t key_of(const struct cache_row *row)
{
	switch (sorted_by) {
	case ORDER_OBJECTS:
		return row->usage.objects;
	case ORDER_ACTIVE:
		return row->usage.active;
	case ORDER_WASTE:
		return row->usage.waste_bytes;
	case ORDER_SIZE:
		return row->cache->object_size;
	case ORDER_SLABS:
		return row->usage.slabs;
	case ORDER_CHANGE:
		return (uint64_t)(row->change < 0 ? -row->change : row->change);
	default:
		return row->usage.bytes;
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct cache_row *x = a, *y = b;
	uint64_t x_key = key_of(x), y_key = key_of(y);

	if (sorted_by != ORDER_NAME && x_key != y_key)
		return x_key < y_key ? 1 : -1;
	return strcmp(x->cache->name, y->cache->name);
}

void cache_rows_sort(struct cache_row *rows, size_t nr, enum cache_order order)
{
	sorted_by = order;
	qsort(rows, nr, sizeof(*rows), compare_rows);
}

enum inspect_status cache_rows_make(struct heap *heap, const struct heap_usage *usages,
				    enum cache_order order, struct cache_row **rows, size_t *nr)
{
	*nr = 0;
	*rows = calloc(heap->nr_caches + 1, sizeof(**rows));
	if (!*rows)
		return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	for (size_t i = 0; i < heap->nr_caches; i++)
		if (usages[i].slabs)
			(*rows)[(*nr)++] = (struct cache_row){ .cache = &heap->caches[i],
							      .usage = usages[i] };
	cache_rows_sort(*rows, *nr, order);
	return INSPECT_OK;
}

enum inspect_status cache_rows_read(struct heap *heap, size_t most, enum cache_order order,
				    struct cache_row **rows, size_t *nr)
{
	struct heap_usage *usages = calloc(heap->nr_caches + 1, sizeof(*usages));
	enum inspect_status status;

	*rows = NULL;
	if (!usages)
		return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	status = heap_read_usages(heap, most, usages);
	if (status == INSPECT_OK)
		status = cache_rows_make(heap, usages, order, rows, nr);
	free(usages);
	return status;
}

json_t *cache_row_json(const struct cache_row *row)
{
	json_t *object = json_object();

	add_text(object, "name", row->cache->name);
	add_number(object, "active_objs", row->usage.active);
	add_number(object, "num_objs", row->usage.objects);
	add_number(object, "cached_objs", row->usage.cached);
	add_number(object, "objsize", row->cache->size);
	add_number(object, "object_size", row->cache->object_size);
	add_number(object, "objperslab", row->cache->objects);
	add_number(object, "pagesperslab", 1UL << row->cache->order);
	add_number(object, "active_slabs", row->usage.active_slabs);
	add_number(object, "num_slabs", row->usage.slabs);
	add_number(object, "bytes", row->usage.bytes);
	add_number(object, "active_bytes", row->usage.active_bytes);
	add_number(object, "waste_bytes", row->usage.waste_bytes);
	return object;
}

static void print_row(const struct cache_row *row)
{
	char bytes[16], waste[16];

	printf("%-24s %10lu %10lu %6u %8lu %8s %8s\n", row->cache->name, row->usage.active,
	       row->usage.objects, row->cache->object_size, row->usage.slabs,
	       show_bytes(row->usage.bytes, bytes), show_bytes(row->usage.waste_bytes, waste));
}

/* Mixed slabs have blocks of several sizes, and room for any number of them. */
static void print_mixed_row(const struct heap *heap, const struct heap_mixed *mixed)
{
	uint64_t bytes = mixed->pages * heap_page_bytes(heap);
	char all[16], waste[16];

	if (mixed->slabs)
		printf("%-24s %10lu %10s %6s %8lu %8s %8s\n", "(" MIXED_NAME ")",
		       mixed->blocks, "-", "-", mixed->slabs, show_bytes(bytes, all),
		       show_bytes(bytes - (mixed->used_bytes < bytes ? mixed->used_bytes : bytes),
				  waste));
}

static json_t *quicklists_json(const struct heap_quicklists *all)
{
	json_t *array = json_array(), *object;

	for (size_t i = 0; i < all->nr; i++) {
		object = json_object();
		add_text(object, "name", all->lists[i].name);
		add_number(object, "pages", all->lists[i].pages);
		json_array_append_new(array, object);
	}
	return array;
}

static void print_quicklists(const struct heap_quicklists *all)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->lists[i].pages)
			printf("quicklist %s: %lu free page%s\n", all->lists[i].name,
			       all->lists[i].pages, all->lists[i].pages == 1 ? "" : "s");
}

enum inspect_status show_caches(struct heap *heap, const struct view *view)
{
	enum cache_order order = view->sort ? cache_order_of(view->sort) : ORDER_BYTES;
	json_t *all, *caches;
	struct heap_quicklists quicklists;
	struct heap_mixed mixed;
	struct cache_row *rows;
	size_t nr;
	enum inspect_status status = cache_rows_read(heap, 0, order, &rows, &nr);

	if (status != INSPECT_OK)
		return status;
	heap_read_mixed(heap, &mixed);
	heap_read_quicklists(heap, &quicklists);
	status = show_known(heap, "the table of caches");
	if (status == INSPECT_OK)
		show_lacks(heap);
	if (status == INSPECT_OK && view->json) {
		all = json_object();
		caches = json_array();
		for (size_t i = 0; i < nr; i++)
			json_array_append_new(caches, cache_row_json(&rows[i]));
		json_object_set_new(all, "caches", caches);
		json_object_set_new(all, "mixed", mixed_json(&mixed));
		json_object_set_new(all, "quicklists", quicklists_json(&quicklists));
		status = show_json(heap, all);
	} else if (status == INSPECT_OK) {
		printf("%-24s %10s %10s %6s %8s %8s %8s\n", "CACHE", "ACTIVE", "OBJECTS", "SIZE",
		       "SLABS", "BYTES", "WASTE");
		for (size_t i = 0; i < nr; i++)
			print_row(&rows[i]);
		print_mixed_row(heap, &mixed);
		print_quicklists(&quicklists);
	}
	free(quicklists.lists);
	free(rows);
	return status;
}

/* --- zones ------------------------------------------------------------------------- */

static json_t *zone_json(const struct heap_zone *zone)
{
	json_t *object = json_object(), *blocks = json_array();

	add_number(object, "node", zone->node);
	add_text(object, "name", zone->name);
	add_number(object, "managed_pages", zone->managed_pages);
	add_number(object, "present_pages", zone->present_pages);
	add_number(object, "min_pages", zone->min_pages);
	add_number(object, "low_pages", zone->low_pages);
	add_number(object, "high_pages", zone->high_pages);
	add_number(object, "free_pages", zone->free_pages);
	add_number(object, "pcp_pages", zone->pcp_pages);
	add_number(object, "dirty_pages", zone->dirty_pages);
	for (unsigned int order = 0; order < zone->nr_orders; order++)
		json_array_append_new(blocks, json_integer((json_int_t)zone->free_blocks[order]));
	json_object_set_new(object, "free_blocks", blocks);
	return object;
}

json_t *zones_json(struct heap *heap)
{
	static struct heap_zone zones[HEAP_ZONES_MAX];
	unsigned int nr = heap_read_zones(heap, zones, HEAP_ZONES_MAX);
	json_t *all = json_array();

	for (unsigned int i = 0; i < nr; i++)
		json_array_append_new(all, zone_json(&zones[i]));
	return all;
}

static void print_zone(const struct heap *heap, const struct heap_zone *zone)
{
	uint64_t page = heap_page_bytes(heap);
	char text[3][16];

	printf("node %u, zone %s\n", zone->node, zone->name);
	printf("  managed %s, online %s, free of it %s\n",
	       show_bytes(zone->managed_pages * page, text[0]),
	       show_bytes(zone->present_pages * page, text[1]),
	       show_bytes((zone->free_pages + zone->present_pages >= zone->managed_pages ?
			   zone->free_pages + zone->present_pages - zone->managed_pages : 0) *
			  page, text[2]));
	printf("  per-CPU lists %s, idle but not given back %s\n",
	       show_bytes(zone->pcp_pages * page, text[0]),
	       show_bytes(zone->dirty_pages * page, text[1]));
	printf("  watermarks: min %lu, low %lu, high %lu pages\n", zone->min_pages,
	       zone->low_pages, zone->high_pages);
	printf("  free blocks by order:");
	for (unsigned int order = 0; order < zone->nr_orders; order++)
		printf(" %lu", zone->free_blocks[order]);
	printf("\n");
}

enum inspect_status show_zones(struct heap *heap, const struct view *view)
{
	static struct heap_zone zones[HEAP_ZONES_MAX];
	unsigned int nr = heap_read_zones(heap, zones, HEAP_ZONES_MAX);
	enum inspect_status status = heap->target->status;
	json_t *all;

	if (status == INSPECT_OK)
		status = show_known(heap, "the table of zones");
	if (status != INSPECT_OK)
		return status;
	show_lacks(heap);
	if (view->json) {
		all = json_object();
		json_object_set_new(all, "zones", zones_json(heap));
		return show_json(heap, all);
	}
	for (unsigned int i = 0; i < nr; i++)
		print_zone(heap, &zones[i]);
	return INSPECT_OK;
}

/* --- options ----------------------------------------------------------------------- */

/* The text of an option as the parser would read it. */
static void format_option(struct heap *heap, const struct option_row *row, uint64_t value,
			  char text[OPTION_TEXT_BYTES])
{
	uint64_t choices = 1;

	if (!strcmp(row->type, "TEXT")) {
		if (!value || !target_read_text(heap->target, value, text, OPTION_TEXT_BYTES))
			snprintf(text, OPTION_TEXT_BYTES, "-");
		return;
	}
	for (const char *at = row->range; *at; at++)
		choices += *at == '|';
	if (!strcmp(row->type, "ENUM") && value >= choices)
		snprintf(text, OPTION_TEXT_BYTES, "?");
	else
		options_format_value(row, value, text, OPTION_TEXT_BYTES);
}

enum inspect_status show_options(struct heap *heap, const struct view *view)
{
	uint64_t values[256] = { 0 };
	unsigned int nr = heap_value(heap, LAYOUT_nr_options);
	char text[OPTION_TEXT_BYTES];
	const struct option_row *row;
	json_t *all = json_object();

	if (!target_read(heap->target, heap_address(heap, LAYOUT_AT_options), values,
			 nr * sizeof(*values))) {
		json_decref(all);
		return target_fail(heap->target, heap->target->is_core ? INSPECT_BAD_CORE :
				   INSPECT_ENDED, "%s: the options cannot be read",
				   heap->target->name);
	}
	show_lacks(heap);
	for (unsigned int i = 0; i < nr && (row = options_row(i)); i++) {
		format_option(heap, row, values[i], text);
		add_text(all, row->name, text);
		if (!view->json)
			printf("%-24s %s%s\n", row->name, text,
			       values[i] == row->default_value ? "" : "  (not the default)");
	}
	if (view->json)
		return show_json(heap, all);
	json_decref(all);
	return INSPECT_OK;
}
