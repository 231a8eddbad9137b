// SPDX-License-Identifier: MIT
/*
 * Not for people: the numbers of a process for `usermm record` and `usermm export`, which start
 * this program (tools/usermm/library.c). For each line of input it writes one line of JSON: "stats"
 * and "caches" with the names of usermm_print_json(), or "error". The first line of output is {},
 * or the error for which nothing can be read. The end of the input ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "show.h"
#include "stats/caches.h"
#include "stats/metrics.h"

/* So many partial slabs of a cache are looked at; the rest is estimated. */
#define PARTIAL_LOOKED_AT 64

static bool write_line(json_t *document)
{
	bool written = !json_dumpf(document, stdout, JSON_COMPACT) && putchar('\n') != EOF &&
		       !fflush(stdout);

	json_decref(document);
	return written;
}

static json_t *error_json(const char *text)
{
	json_t *document = json_object();

	add_text(document, "error", text);
	return document;
}

/* A row of numbers, by the names that the library's own JSON has for them. */
static json_t *row_json(const char *table_name, const void *values)
{
	const struct metric_row row = { .values = values };
	json_t *object = json_object();

	for (unsigned int i = 0; i < NR_METRIC_TABLES; i++) {
		const struct metric_table *table = &metric_tables[i];

		if (strcmp(table->name, table_name))
			continue;
		for (unsigned int j = 0; j < table->nr_metrics; j++)
			add_number(object, table->metrics[j].name,
				   metric_value(&table->metrics[j], &row, 0));
	}
	return object;
}

static json_t *cache_json(const struct cache_row *row)
{
	const struct cache_line line = {
		.active_objects = row->usage.active, .objects = row->usage.objects,
		.size = row->cache->size, .objects_per_slab = row->cache->objects,
		.pages_per_slab = 1ul << row->cache->order,
		.active_slabs = row->usage.active_slabs, .slabs = row->usage.slabs,
	};
	json_t *object = row_json("caches", &line);

	add_text(object, "name", row->cache->name);
	return object;
}

static json_t *numbers_json(struct heap *heap)
{
	struct heap_summary summary;
	struct cache_row *rows = NULL;
	json_t *document, *caches;
	size_t nr = 0;

	if (heap_refresh(heap) != INSPECT_OK || heap_read_summary(heap, &summary) != INSPECT_OK ||
	    cache_rows_read(heap, PARTIAL_LOOKED_AT, ORDER_BYTES, &rows, &nr) != INSPECT_OK)
		return error_json(heap->target->error);
	document = json_object();
	caches = json_array();
	json_object_set_new(document, "stats", row_json("stats", &summary.stats));
	for (size_t i = 0; i < nr; i++)
		if (!rows[i].cache->is_of_caches)
			json_array_append_new(caches, cache_json(&rows[i]));
	json_object_set_new(document, "caches", caches);
	free(rows);
	return document;
}

int numbers_serve(const char *target)
{
	char error[INSPECT_TEXT_BYTES];
	enum inspect_status status;
	struct heap *heap = heap_open(target, &status, error);
	int c;

	if (!heap) {
		write_line(error_json(error));
		return status;
	}
	write_line(json_object());
	while ((c = getchar()) != EOF)
		if (c == '\n' && !write_line(numbers_json(heap)))
			break;
	heap_close(heap);
	return INSPECT_OK;
}
