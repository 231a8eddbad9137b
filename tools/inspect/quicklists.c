// SPDX-License-Identifier: MIT
/* Quicklists of a target (src/quicklist/quicklist.c): their pages are free, in a known state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

#define QUICKLISTS_MAX 65536u
/* How often a list that changes meanwhile is walked again. */
#define TRIES 8

static uint64_t list_top(const struct heap *heap, uint64_t head)
{
	return head >> heap_value(heap, LAYOUT_percpu_list_nr_bits);
}

static uint64_t list_nr(const struct heap *heap, uint64_t head)
{
	return head & ((1UL << heap_value(heap, LAYOUT_percpu_list_nr_bits)) - 1);
}

/* --- Which there are --------------------------------------------------------------- */

/* Reads a quicklist whose link is at the address. *next: the link of the one behind it. */
static bool take(struct heap *heap, uint64_t link, struct heap_quicklist *list, uint64_t *next)
{
	uint64_t address = link - heap_value(heap, LAYOUT_quicklist_cache_link), name = 0;
	struct piece pieces[] = {
		{ .address = link, .to = next, .bytes = sizeof(*next) },
		{ .address = address + heap_value(heap, LAYOUT_quicklist_cache_lists),
		  .to = &list->piece, .bytes = sizeof(list->piece) },
		{ .address = address + heap_value(heap, LAYOUT_quicklist_cache_name), .to = &name,
		  .bytes = sizeof(name) },
	};

	if (target_read_pieces(heap->target, pieces, 3) != INSPECT_OK || pieces[0].failed ||
	    pieces[1].failed || pieces[2].failed)
		return false;
	if (!target_read_text(heap->target, name, list->name, sizeof(list->name)))
		snprintf(list->name, sizeof(list->name), "?");
	return true;
}

/* The head of the list of each slot; 0 if it cannot be read. */
static bool read_heads(struct heap *heap, const struct heap_quicklist *list, uint64_t *heads,
		       struct piece *pieces)
{
	memset(heads, 0, heap->nr_slots * sizeof(*heads));
	if (!list->piece)
		return true;
	for (uint32_t slot = 0; slot < heap->nr_slots; slot++)
		pieces[slot] = (struct piece){
			.address = heap_percpu(heap, list->piece, slot) +
				   heap_value(heap, LAYOUT_percpu_list_head),
			.to = &heads[slot], .bytes = sizeof(*heads),
		};
	if (target_read_pieces(heap->target, pieces, heap->nr_slots) != INSPECT_OK)
		return false;
	for (uint32_t slot = 0; slot < heap->nr_slots; slot++)
		if (pieces[slot].failed)
			heads[slot] = 0;
	return true;
}

static uint64_t count_pages(const struct heap *heap, const uint64_t *heads)
{
	uint64_t pages = 0;

	/* A list that is being emptied may have a number but no page. */
	for (uint32_t slot = 0; slot < heap->nr_slots; slot++)
		pages += list_top(heap, heads[slot]) ? list_nr(heap, heads[slot]) : 0;
	return pages;
}

typedef void quicklist_fn(struct heap *heap, const struct heap_quicklist *list,
			  const uint64_t *heads, void *arg);

/* Calls fn for each quicklist. False: the list was not walked to its end. */
static bool walk(struct heap *heap, quicklist_fn *fn, void *arg)
{
	uint64_t first = heap_address(heap, LAYOUT_AT_quicklist_caches);
	uint64_t at = heap_read_u64(heap, first), next = 0;
	uint64_t *heads = calloc(heap->nr_slots + 1, sizeof(*heads));
	struct piece *pieces = calloc(heap->nr_slots + 1, sizeof(*pieces));
	bool good = heads && pieces;

	/* Its first link is 0 until the first quicklist is made. */
	for (unsigned int i = 0; good && at && at != first; at = next, i++) {
		struct heap_quicklist list = { 0 };

		good = i < QUICKLISTS_MAX && !(at % 8) && take(heap, at, &list, &next) &&
		       read_heads(heap, &list, heads, pieces);
		if (good) {
			list.pages = count_pages(heap, heads);
			fn(heap, &list, heads, arg);
		}
	}
	free(heads);
	free(pieces);
	return good;
}

/* --- Their numbers ----------------------------------------------------------------- */

static void add(struct heap *heap, const struct heap_quicklist *list, const uint64_t *heads,
		void *arg)
{
	struct heap_quicklists *all = arg;
	size_t nr = all->nr;
	struct heap_quicklist *lists = all->lists;

	(void)heap, (void)heads;	/* list->pages says it */
	if (!(nr & (nr - 1)))
		lists = realloc(lists, (nr ? 2 * nr : 1) * sizeof(*lists));
	if (!lists)
		return;
	all->lists = lists;
	all->lists[all->nr++] = *list;
	all->pages += list->pages;
}

void heap_read_quicklists(struct heap *heap, struct heap_quicklists *all)
{
	bool whole = false;

	*all = (struct heap_quicklists){ 0 };
	for (unsigned int i = 0; heap->is_up && i < TRIES && !whole; i++) {
		all->nr = all->pages = 0;
		whole = walk(heap, add, all);
		if (heap->target->is_core || heap->target->status != INSPECT_OK)
			break;
	}
	if (heap->is_up && !whole && heap->target->is_core && heap->target->status == INSPECT_OK)
		heap_damaged(heap, "the list of quicklists cannot be read behind %zu of them",
			     all->nr);
}

/* --- Their pages ------------------------------------------------------------------- */

static void take_pages(struct heap *heap, const struct heap_quicklist *list,
		       const uint64_t *heads, void *arg)
{
	struct pages *pages = arg;

	(void)list;	/* its heads are enough */
	for (uint32_t slot = 0; slot < heap->nr_slots; slot++) {
		uint64_t page = list_top(heap, heads[slot]), nr = list_nr(heap, heads[slot]);

		/* A page's first word is the list's head without the page. */
		for (; nr && heap_is_online(heap, page); nr--) {
			struct page_info *info = &pages->info[heap_pfn(heap, page)];

			if (info->kind != PAGE_OTHER)	/* it has left the list */
				break;
			*info = (struct page_info){ .kind = PAGE_QUICKLIST, .is_first = true };
			page = list_top(heap, heap_read_u64(heap, page));
		}
	}
}

void pages_take_quicklists(struct heap *heap, struct pages *pages)
{
	if (heap->is_up)
		walk(heap, take_pages, pages);
}
