/* SPDX-License-Identifier: MIT */
/*
 * What `usermm inspect` prints: a function for each of its commands. Each returns the exit status.
 * Text for people goes to stdout, or one JSON document if view->json is set.
 */
#ifndef INSPECT_SHOW_H
#define INSPECT_SHOW_H

#include <jansson.h>
#include <stdio.h>

#include "heap.h"

struct view {
	bool json;
	const char *sort;		/* a column; NULL: the usual one */
	const char *output;		/* a file for `map`; NULL: stdout */
	uint64_t address;		/* for `whatis` */
	size_t addresses_max;		/* for `leaks` and `owners`: how many of a group */
	bool progress;			/* stderr is a terminal */
};

typedef enum inspect_status show_fn(struct heap *heap, const struct view *view);
show_fn show_summary, show_caches, show_zones, show_options;	/* show_heap.c */
show_fn show_whatis, show_owners, show_leaks;			/* show_blocks.c */
show_fn show_verify;						/* show_verify.c */
show_fn show_map;						/* show_map.c */

/* --- For the files above ----------------------------------------------------------- */

/* Adds what a truncated core lacks, prints the document as one line, and frees it. */
enum inspect_status show_json(struct heap *heap, json_t *document);
/* "4096", "12K", "3.4M": few letters, for a column. */
const char *show_bytes(uint64_t bytes, char text[16]);
/* Adds a number to an object. */
static inline void add_number(json_t *to, const char *name, uint64_t number)
{
	json_object_set_new(to, name, json_integer((json_int_t)number));
}

/* Adds a text; bytes that are not UTF-8 become '?'. */
void add_text(json_t *to, const char *name, const char *text);
/* Adds an address as a text, since many readers of JSON have only 53 bits. */
json_t *show_address(uint64_t address);
/* Writes a line, and what a truncated core lacks, to stderr if there is anything to say. */
void show_lacks(const struct heap *heap);
/*
 * INSPECT_OK, or a failure if numbers were made from what a truncated core lacks: they would be too
 * small, or 0.
 */
enum inspect_status show_known(const struct heap *heap, const char *what);

/* The orders of caches, for `caches` and `top`. */
enum cache_order {
	ORDER_BYTES, ORDER_OBJECTS, ORDER_ACTIVE, ORDER_WASTE, ORDER_SIZE, ORDER_SLABS, ORDER_NAME,
	ORDER_CHANGE, NR_CACHE_ORDERS
};
extern const char *const cache_order_names[NR_CACHE_ORDERS];
/* NR_CACHE_ORDERS if there is none of that name. */
enum cache_order cache_order_of(const char *name);

struct cache_row {
	const struct heap_cache *cache;
	struct heap_usage usage;
	int64_t change;			/* bytes a second; only in `top` */
};
/* All caches that have slabs. *rows belongs to the caller. */
enum inspect_status cache_rows_read(struct heap *heap, size_t most, enum cache_order order,
				    struct cache_row **rows, size_t *nr);
/* As cache_rows_read(), from usages that were read already. */
enum inspect_status cache_rows_make(struct heap *heap, const struct heap_usage *usages,
				    enum cache_order order, struct cache_row **rows, size_t *nr);
void cache_rows_sort(struct cache_row *rows, size_t nr, enum cache_order order);
json_t *cache_row_json(const struct cache_row *row);
json_t *zones_json(struct heap *heap);
json_t *summary_json(const struct heap_summary *summary);

#endif
