// SPDX-License-Identifier: MIT
/* map: what each page of the window is used for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "show/picture.h"
#include "show/show.h"

/* A letter stands for this many pages. */
#define PAGES_PER_LETTER 8

/* Mixed slabs have digits: letter(). */
static const char letters[NR_PAGE_KINDS] = {
	[PAGE_OTHER] = '?', [PAGE_FREE] = '.', [PAGE_LISTED] = ',', [PAGE_KEPT] = 'k',
	[PAGE_SLAB] = 's', [PAGE_SLAB_TAIL] = 's', [PAGE_UNOPENED] = 'u', [PAGE_BLOCK] = 'B',
	[PAGE_BLOCK_TAIL] = 'B', [PAGE_MIXED] = 'm', [PAGE_QUICKLIST] = 'q',
};

/* The kind that most pages of the run have. */
static enum page_kind main_kind(const struct pages *pages, uint64_t first, uint64_t nr)
{
	unsigned int count[NR_PAGE_KINDS] = { 0 };
	enum page_kind best = 0;

	for (uint64_t i = first; i < first + nr && i < pages->nr; i++) {
		enum page_kind kind = pages->info[i].kind;

		count[kind == PAGE_BLOCK ? PAGE_BLOCK_TAIL :
		      kind == PAGE_SLAB_TAIL ? PAGE_SLAB : kind]++;
	}
	for (enum page_kind kind = 0; kind < NR_PAGE_KINDS; kind++)
		if (count[kind] > count[best])
			best = kind;
	return best;
}

/* The used granules of the mixed pages of the run. *all: used or not. */
static uint64_t mixed_used(const struct heap *heap, const struct pages *pages, uint64_t first,
			   uint64_t nr, uint64_t *all)
{
	uint32_t page = mixed_page_granules(heap);
	uint64_t used = 0;

	*all = 0;
	for (uint64_t pfn = first; pfn < first + nr && pfn < pages->nr; pfn++) {
		const struct mixed_slab *slab;
		uint32_t at;

		if (pages->info[pfn].kind != PAGE_MIXED)
			continue;
		slab = mixed_of_page(pages, pfn);
		at = mixed_granule_of(heap, slab, heap->base + pfn * heap_page_bytes(heap));
		used += mixed_used_granules(slab, at, at + page);
		*all += page;
	}
	return used;
}

/* A run of mixed slabs shows how full it is, in tenths. */
static char letter(const struct heap *heap, const struct pages *pages, uint64_t first, uint64_t nr)
{
	enum page_kind kind = main_kind(pages, first, nr);
	uint64_t used, all;

	if (kind != PAGE_MIXED)
		return letters[kind];
	used = mixed_used(heap, pages, first, nr, &all);
	return (char)('0' + (used == all ? 9 : 10 * used / all));
}

static json_t *pageblock_json(const struct heap *heap, const struct pages *pages, uint64_t first,
			      uint64_t nr)
{
	unsigned int count[NR_PAGE_KINDS] = { 0 };
	json_t *object = json_object(), *kinds = json_object();
	uint64_t all;

	for (uint64_t i = first; i < first + nr && i < pages->nr; i++)
		count[pages->info[i].kind]++;
	json_object_set_new(object, "start", show_address(heap->base +
							 first * heap_page_bytes(heap)));
	for (enum page_kind kind = 0; kind < NR_PAGE_KINDS; kind++)
		if (count[kind])
			add_number(kinds, page_kind_name(kind), count[kind]);
	json_object_set_new(object, "pages", kinds);
	if (count[PAGE_MIXED])
		add_number(object, "mixed_used_bytes", mixed_used(heap, pages, first, nr, &all) *
			   heap_value(heap, LAYOUT_mixed_granule_bytes));
	return object;
}

static void print_pageblock(FILE *out, const struct heap *heap, const struct pages *pages,
			    uint64_t first, uint64_t nr)
{
	fprintf(out, "%#lx ", heap->base + first * heap_page_bytes(heap));
	for (uint64_t i = 0; i < nr && first + i < pages->nr; i += PAGES_PER_LETTER)
		fputc(letter(heap, pages, first + i, PAGES_PER_LETTER), out);
	fputc('\n', out);
}

static void print_legend(FILE *out, const struct heap *heap, const struct pages *pages)
{
	char text[16];

	fprintf(out, "a line: %s of the window; a letter: %u pages\n",
		show_bytes(heap_page_bytes(heap) << heap_value(heap, LAYOUT_pageblock_order), text),
		PAGES_PER_LETTER);
	for (enum page_kind kind = 0; kind < NR_PAGE_KINDS; kind++)
		if (kind != PAGE_BLOCK_TAIL)
			fprintf(out, "  %c %-9s %10s%s\n", letters[kind], page_kind_name(kind),
				show_bytes((pages->nr_of_kind[kind] + (kind == PAGE_BLOCK ?
					    pages->nr_of_kind[PAGE_BLOCK_TAIL] : 0)) *
					   heap_page_bytes(heap), text),
				kind == PAGE_MIXED ? "  0 to 9: so many tenths are used" : "");
}

static enum inspect_status print_map(struct heap *heap, const struct pages *pages, FILE *out)
{
	uint64_t step = 1UL << heap_value(heap, LAYOUT_pageblock_order);

	print_legend(out, heap, pages);
	for (uint64_t pfn = 0; pfn < pages->nr; pfn += step)
		print_pageblock(out, heap, pages, pfn, step);
	return INSPECT_OK;
}

static enum inspect_status map_json(struct heap *heap, const struct pages *pages)
{
	uint64_t step = 1UL << heap_value(heap, LAYOUT_pageblock_order);
	json_t *all = json_object(), *blocks = json_array();

	for (uint64_t pfn = 0; pfn < pages->nr; pfn += step)
		json_array_append_new(blocks, pageblock_json(heap, pages, pfn, step));
	add_number(all, "pageblock_bytes", step * heap_page_bytes(heap));
	json_object_set_new(all, "pageblocks", blocks);
	return show_json(heap, all);
}

static enum inspect_status fail_write(struct heap *heap, const char *path)
{
	return target_fail(heap->target, INSPECT_NO_MEMORY, "%s cannot be written: %s", path,
			   strerror(errno));
}

static enum inspect_status write_map(struct heap *heap, const struct pages *pages,
				     const char *path)
{
	FILE *out = fopen(path, "we");
	enum inspect_status status;

	if (!out)
		return fail_write(heap, path);
	status = picture_is(path) ? picture_write(heap, pages, path, out) :
				    print_map(heap, pages, out);
	if (ferror(out) | fclose(out))
		return fail_write(heap, path);
	return status;
}

enum inspect_status show_map(struct heap *heap, const struct view *view)
{
	struct pages pages;
	enum inspect_status status = pages_read(heap, &pages);

	if (status != INSPECT_OK)
		return status;
	show_lacks(heap);
	if (view->json)
		status = map_json(heap, &pages);
	else if (view->output)
		status = write_map(heap, &pages, view->output);
	else
		status = print_map(heap, &pages, stdout);
	pages_free(&pages);
	return status;
}
