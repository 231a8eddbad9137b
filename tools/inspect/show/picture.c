// SPDX-License-Identifier: MIT
/*
 * The window as a picture: a row is 2 MiB of addresses, and a page is two columns wide. What
 * neighbours have in common is one rectangle, whose tooltip tells more.
 *
 * The more objects of a slab are out, the stronger its colour is. In a mixed slab each page has a
 * colour of its own: the more of its granules are used, the stronger. A free page that has memory
 * is idle memory; one without was given back to the system.
 */
#include "show/picture.h"

#include <stdlib.h>
#include <string.h>

#include "show/show.h"
#include "usermm/say.h"

#define ROW_PAGES 512u
#define PAGE_WIDTH 2u
#define ROW_HEIGHT 8u
#define ROW_STEP 10u
#define LABEL_WIDTH 170u
#define LEGEND_HEIGHT 30u
/* More rectangles would make the file slow to look at: then cells are made larger. */
#define MOST_RUNS 40000u
#define FILLS 4u
#define CACHES_SHOWN 30u

enum look {
	LOOK_OTHER,
	LOOK_SLAB,
	LOOK_UNOPENED,
	LOOK_MIXED,
	LOOK_BLOCK,
	LOOK_LISTED,
	LOOK_QUICKLIST,
	LOOK_KEPT,
	LOOK_IDLE,
	LOOK_RELEASED,
	NR_LOOKS,
};

static const struct {
	const char *class, *word, *name;
} looks[NR_LOOKS] = {
	[LOOK_OTHER] = { "o", "other", "in use, by the program's own page calls or the library" },
	[LOOK_SLAB] = { "s", "slab", "slab" },
	[LOOK_UNOPENED] = { "u", "unopened", "slab, without an object yet" },
	[LOOK_MIXED] = { "m", "mixed", "mixed slab: objects of several sizes" },
	[LOOK_BLOCK] = { "b", "block", "block of whole pages" },
	[LOOK_LISTED] = { "l", "per-CPU", "free, on a CPU's list" },
	[LOOK_QUICKLIST] = { "q", "quicklist", "free, on a quicklist" },
	[LOOK_KEPT] = { "k", "barns", "free objects in batches (barns)" },
	[LOOK_IDLE] = { "i", "idle", "free, with memory (idle)" },
	[LOOK_RELEASED] = { "r", "given back", "free, without memory" },
};

struct cell {
	uint8_t look;
	uint8_t is_first;	/* first cell of a block, so never joined with the cell before it */
	/* slab: its objects that are out, and all; page of a mixed slab: its granules */
	uint16_t used, objects;
	uint32_t number;	/* slab: its cache; free: the block's order; block: its pages */
};

struct picture {
	struct heap *heap;
	const struct pages *pages;
	struct cell *cells;
	uint64_t nr;
	uint32_t cell_pages;	/* pages in each cell */
	bool merges_blocks;	/* neighbours are drawn as one, if they look the same */
	struct heap_zone zones[HEAP_ZONES_MAX];
	unsigned int nr_zones;
	uint32_t free_order;	/* of the last free block that was looked at */
};

static const char style[] =
	":root{--back:#fff;--text:#1b1f24;--line:#d0d7de;--slab:#0969da;--unopened:#9ec5fe;"
	"--mixed:#1b7c83;--block:#8250df;--other:#bc4c00;--listed:#57ab5a;--quick:#bf8700;"
	"--kept:#9a6700;--idle:#2da44e;--released:#eaeef2}\n"
	"@media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--line:#30363d;"
	"--slab:#4493f8;--unopened:#1f3b61;--mixed:#39c5cf;--block:#ab7df8;--other:#f0883e;"
	"--listed:#7ce38b;--quick:#e3b341;--kept:#d29922;--idle:#3fb950;--released:#21262d}}\n"
	"svg{background:var(--back)}text{fill:var(--text);font:10px monospace}\n"
	".o{fill:var(--other)}.u{fill:var(--unopened)}.b{fill:var(--block)}"
	".l{fill:var(--listed)}"
	".q{fill:var(--quick)}.k{fill:var(--kept)}.i{fill:var(--idle)}.r{fill:var(--released)}\n"
	".s{fill:var(--slab)}.s0{fill:var(--slab);opacity:.3}.s1{fill:var(--slab);opacity:.5}"
	".s2{fill:var(--slab);opacity:.75}.s3{fill:var(--slab)}\n"
	".m{fill:var(--mixed)}.m0{fill:var(--mixed);opacity:.3}.m1{fill:var(--mixed);opacity:.5}"
	".m2{fill:var(--mixed);opacity:.75}.m3{fill:var(--mixed)}\n"
	"rect:hover{stroke:var(--text)}\n";

static const char page_style[] =
	"body{margin:0 auto;max-width:80rem;padding:1rem;background:var(--back);"
	"color:var(--text);font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.4rem}h2{font-size:1.1rem}\n"
	".tables{display:flex;flex-wrap:wrap;gap:2rem;align-items:flex-start}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"td,th{padding:.1rem .6rem;text-align:right;border-bottom:1px solid var(--line)}\n"
	"td:first-child,th:first-child{text-align:left}svg{width:100%;height:auto}\n"
	"td span{display:inline-block;width:.8em;height:.8em;margin-right:.5em}\n"
	"span.o{background:var(--other)}span.s{background:var(--slab)}"
	"span.u{background:var(--unopened)}span.m{background:var(--mixed)}"
	"span.b{background:var(--block)}"
	"span.l{background:var(--listed)}span.q{background:var(--quick)}"
	"span.k{background:var(--kept)}"
	"span.i{background:var(--idle)}span.r{background:var(--released)}\n";

static bool ends_in(const char *path, const char *end)
{
	size_t length = strlen(path), end_length = strlen(end);

	return length > end_length && !strcmp(path + length - end_length, end);
}

bool picture_is(const char *path)
{
	return ends_in(path, ".html") || ends_in(path, ".svg");
}

/* Writes a text so that it is no markup. */
static void put_text(FILE *out, const char *text)
{
	char clean[4 * INSPECT_TEXT_BYTES];

	say_clean(clean, sizeof(clean), text);
	for (const char *at = clean; *at; at++)
		if (strchr("<>&\"", *at))
			fprintf(out, "&#%d;", *at);
		else
			putc(*at, out);
}

/* --- What each page looks like --------------------------------------------------------------- */

static enum look look_of(enum page_kind kind, bool has_memory)
{
	switch (kind) {
	case PAGE_FREE:
		return has_memory ? LOOK_IDLE : LOOK_RELEASED;
	case PAGE_LISTED:
		return LOOK_LISTED;
	case PAGE_QUICKLIST:
		return LOOK_QUICKLIST;
	case PAGE_KEPT:
		return LOOK_KEPT;
	case PAGE_SLAB:
	case PAGE_SLAB_TAIL:
		return LOOK_SLAB;
	case PAGE_UNOPENED:
		return LOOK_UNOPENED;
	case PAGE_MIXED:
		return LOOK_MIXED;
	case PAGE_BLOCK:
	case PAGE_BLOCK_TAIL:
		return LOOK_BLOCK;
	default:
		return LOOK_OTHER;
	}
}

/* Counts the objects of the page's slab. structs are the struct pages from `first` on. */
static void look_at_slab(const struct picture *picture, const char *structs, uint64_t first,
			 uint64_t pfn)
{
	struct cell *cell = &picture->cells[pfn];
	const struct heap *heap = picture->heap;
	struct slab slab;
	uint64_t head;

	slab_of_page(heap, picture->pages, pfn, &slab);
	head = heap_pfn(heap, slab.start);
	cell->objects = (uint16_t)slab.nr;
	if (head < first || head > pfn)
		return;
	cell->used = heap_u16(heap, structs + (head - first) *
				    heap_value(heap, LAYOUT_sizeof_page), LAYOUT_page_inuse);
	if (cell->used > cell->objects)
		cell->used = cell->objects;
}

static void look_at_mixed(const struct picture *picture, uint64_t pfn)
{
	const struct heap *heap = picture->heap;
	const struct mixed_slab *slab = mixed_of_page(picture->pages, pfn);
	struct cell *cell = &picture->cells[pfn];
	uint32_t page = mixed_page_granules(heap);
	uint32_t at = mixed_granule_of(heap, slab, heap->base + pfn * heap_page_bytes(heap));

	cell->objects = (uint16_t)page;
	cell->used = (uint16_t)mixed_used_granules(slab, at, at + page);
}

/* One row's pages. Slabs do not cross rows. */
static void look_at_row(struct picture *picture, uint64_t first, uint64_t nr, char *structs)
{
	struct heap *heap = picture->heap;
	const struct page_info *info = picture->pages->info;
	uint8_t present[ROW_PAGES / 8];

	memset(present, 0xff, sizeof(present));
	if (heap->target->ops->present)
		heap->target->ops->present(heap->target,
					   heap->base + first * heap_page_bytes(heap), nr, present);
	if (!target_read(heap->target, heap_struct_page(heap, first), structs,
			 nr * heap_value(heap, LAYOUT_sizeof_page)))
		memset(structs, 0, nr * heap_value(heap, LAYOUT_sizeof_page));
	for (uint64_t i = 0; i < nr; i++) {
		const struct page_info *page = &info[first + i];
		struct cell *cell = &picture->cells[first + i];

		*cell = (struct cell){
			.look = look_of(page->kind, present[i / 8] >> i % 8 & 1),
			.is_first = page->is_first, .number = page->number,
		};
		/* The first page of a free block, which may fill several rows, has its order. */
		if (page->kind == PAGE_FREE && page->is_first)
			picture->free_order = page->number;
		if (page->kind == PAGE_FREE)
			cell->number = picture->free_order;
		if (cell->look == LOOK_SLAB)
			look_at_slab(picture, structs, first, first + i);
		if (page->kind == PAGE_MIXED)
			look_at_mixed(picture, first + i);
		if (page->kind == PAGE_BLOCK_TAIL)
			cell->number = i ? picture->cells[first + i - 1].number : 0;
	}
}

static bool look_at_pages(struct picture *picture)
{
	char *structs = malloc(ROW_PAGES * heap_value(picture->heap, LAYOUT_sizeof_page) + 64);

	picture->nr = picture->pages->nr;
	picture->cells = calloc(picture->nr + 1, sizeof(*picture->cells));
	picture->cell_pages = 1;
	for (uint64_t pfn = 0; structs && picture->cells && pfn < picture->nr; pfn += ROW_PAGES) {
		uint64_t left = picture->nr - pfn;

		look_at_row(picture, pfn, left < ROW_PAGES ? left : ROW_PAGES, structs);
	}
	free(structs);
	return structs && picture->cells;
}

/* --- Rectangles ------------------------------------------------------------------------------ */

static unsigned int fill_of(const struct cell *cell)
{
	if (!cell->objects)
		return 0;
	return cell->used == cell->objects ? FILLS - 1 : cell->used * FILLS / cell->objects;
}

/* Are the two cells, which are neighbours, drawn as one? */
static bool is_same_run(const struct picture *picture, const struct cell *a, const struct cell *b)
{
	if (a->look != b->look || fill_of(a) != fill_of(b))
		return false;
	if (picture->merges_blocks)
		return a->look != LOOK_SLAB || a->number == b->number;
	return !b->is_first && a->number == b->number && a->used == b->used;
}

static uint64_t row_cells(const struct picture *picture)
{
	return ROW_PAGES / picture->cell_pages;
}

/* How many cells from this one on, in its row, are drawn as one. */
static uint64_t run_length(const struct picture *picture, uint64_t first)
{
	uint64_t end = (first / row_cells(picture) + 1) * row_cells(picture), next = first + 1;

	if (end > picture->nr)
		end = picture->nr;
	while (next < end &&
	       is_same_run(picture, &picture->cells[next - 1], &picture->cells[next]))
		next++;
	return next - first;
}

static uint64_t count_runs(const struct picture *picture)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < picture->nr; i += run_length(picture, i))
		nr++;
	return nr;
}

/* Drops one of each two neighbours: the second, unless the first is free and the second is not. */
static void halve(struct picture *picture)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < picture->nr; i += 2) {
		struct cell cell = picture->cells[i];

		if (i + 1 < picture->nr && cell.look >= LOOK_IDLE)
			cell = picture->cells[i + 1];
		picture->cells[nr++] = cell;
	}
	picture->nr = nr;
	picture->cell_pages *= 2;
}

/* Makes the picture coarser until it has few enough rectangles. */
static void make_coarse(struct picture *picture)
{
	if (count_runs(picture) <= MOST_RUNS)
		return;
	picture->merges_blocks = true;
	while (picture->cell_pages < ROW_PAGES && count_runs(picture) > MOST_RUNS)
		halve(picture);
}

static void put_tooltip(FILE *out, const struct picture *picture, uint64_t first, uint64_t nr)
{
	const struct cell *cell = &picture->cells[first];
	const struct heap *heap = picture->heap;
	uint64_t pages = nr * picture->cell_pages;

	fprintf(out, "<title>%#lx, %lu page%s: ",
		heap->base + first * picture->cell_pages * heap_page_bytes(heap), pages,
		pages == 1 ? "" : "s");
	if (cell->look == LOOK_SLAB || cell->look == LOOK_UNOPENED) {
		put_text(out, heap->caches[cell->number].name);
		if (cell->look == LOOK_UNOPENED)
			fputs(", not used yet", out);
		else if (!picture->merges_blocks)
			fprintf(out, ", %u of %u objects are out", cell->used, cell->objects);
	} else {
		fputs(looks[cell->look].name, out);
		if (cell->look == LOOK_MIXED && !picture->merges_blocks)
			fprintf(out, ", %u of %u granules of 16 bytes are used", cell->used,
				cell->objects);
		if (cell->look >= LOOK_IDLE && !picture->merges_blocks)
			fprintf(out, ", order %u", cell->number);
	}
	fputs("</title>", out);
}

static void put_run(FILE *out, const struct picture *picture, uint64_t first, uint64_t nr)
{
	const struct cell *cell = &picture->cells[first];
	unsigned int width = PAGE_WIDTH * picture->cell_pages;
	uint64_t row = first / row_cells(picture), column = first % row_cells(picture);

	fprintf(out, "<rect x=\"%lu\" y=\"%lu\" width=\"%lu\" height=\"%u\" class=\"%s",
		LABEL_WIDTH + column * width, LEGEND_HEIGHT + row * ROW_STEP, nr * width,
		ROW_HEIGHT, looks[cell->look].class);
	if (cell->look == LOOK_SLAB || cell->look == LOOK_MIXED)
		fprintf(out, "%u", fill_of(cell));
	fputs("\">", out);
	put_tooltip(out, picture, first, nr);
	fputs("</rect>\n", out);
}

static const struct heap_zone *zone_of(const struct picture *picture, uint64_t pfn)
{
	for (unsigned int i = 0; i < picture->nr_zones; i++)
		if (pfn >= picture->zones[i].start_pfn && pfn < picture->zones[i].end_pfn)
			return &picture->zones[i];
	return NULL;
}

static void put_label(FILE *out, const struct picture *picture, uint64_t row)
{
	uint64_t pfn = row * ROW_PAGES;
	const struct heap_zone *zone = zone_of(picture, pfn);

	fprintf(out, "<text x=\"0\" y=\"%lu\">%#lx", LEGEND_HEIGHT + row * ROW_STEP + ROW_HEIGHT,
		picture->heap->base + pfn * heap_page_bytes(picture->heap));
	if (zone) {
		fprintf(out, " %u ", zone->node);
		put_text(out, zone->name);
	}
	fputs("</text>\n", out);
}

static void put_legend(FILE *out)
{
	unsigned int x = 0;

	for (unsigned int look = 0; look < NR_LOOKS; look++, x += 110) {
		fprintf(out, "<rect x=\"%u\" y=\"6\" width=\"10\" height=\"10\" class=\"%s\"/>"
			"<text x=\"%u\" y=\"15\">%s</text>\n", x, looks[look].class, x + 15,
			looks[look].word);
	}
}

static void put_svg(FILE *out, const struct picture *picture)
{
	uint64_t rows = (picture->nr + row_cells(picture) - 1) / row_cells(picture);
	unsigned int width = LABEL_WIDTH + ROW_PAGES * PAGE_WIDTH;
	uint64_t height = LEGEND_HEIGHT + rows * ROW_STEP;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %lu\" "
		"width=\"%u\" height=\"%lu\">\n<style>%s</style>\n", width, height, width, height,
		style);
	put_legend(out);
	for (uint64_t row = 0; row < rows; row++)
		put_label(out, picture, row);
	for (uint64_t i = 0, nr; i < picture->nr; i += nr) {
		nr = run_length(picture, i);
		put_run(out, picture, i, nr);
	}
	fputs("</svg>\n", out);
}

/* --- Tables ---------------------------------------------------------------------------------- */

static void put_looks(FILE *out, const struct picture *picture)
{
	uint64_t count[NR_LOOKS] = { 0 }, page = heap_page_bytes(picture->heap);
	char text[16];

	for (uint64_t i = 0; i < picture->nr; i++)
		count[picture->cells[i].look]++;
	fputs("<table><tr><th>pages<th>number<th>bytes<th>share\n", out);
	for (unsigned int look = 0; look < NR_LOOKS; look++)
		fprintf(out, "<tr><td><span class=\"%s\"></span>%s<td>%lu<td>%s<td>%.1f %%\n",
			looks[look].class, looks[look].name, count[look],
			show_bytes(count[look] * page, text),
			picture->nr ? 100.0 * (double)count[look] / (double)picture->nr : 0);
	fputs("</table>\n", out);
}

static void put_orders(FILE *out, const struct picture *picture)
{
	uint64_t count[HEAP_ORDERS_MAX] = { 0 }, page = heap_page_bytes(picture->heap);
	char text[16];

	for (uint64_t i = 0; i < picture->nr; i++) {
		const struct page_info *info = &picture->pages->info[i];

		if (info->kind == PAGE_FREE && info->is_first && info->number < HEAP_ORDERS_MAX)
			count[info->number]++;
	}
	fputs("<table><tr><th>order<th>free blocks<th>bytes\n", out);
	for (unsigned int order = 0; order <= heap_value(picture->heap, LAYOUT_max_page_order) &&
	     order < HEAP_ORDERS_MAX; order++)
		fprintf(out, "<tr><td>%u<td>%lu<td>%s\n", order, count[order],
			show_bytes((count[order] * page) << order, text));
	fputs("</table>\n", out);
}

static void put_caches(FILE *out, const struct picture *picture)
{
	struct cache_row *rows = NULL;
	size_t nr = 0;
	char text[16];

	if (cache_rows_read(picture->heap, 0, ORDER_BYTES, &rows, &nr) != INSPECT_OK)
		return;
	fputs("<table><tr><th>cache<th>slabs<th>bytes<th>objects in use\n", out);
	for (size_t i = 0; i < nr && i < CACHES_SHOWN; i++) {
		const struct heap_usage *usage = &rows[i].usage;

		fputs("<tr><td>", out);
		put_text(out, rows[i].cache->name);
		fprintf(out, "<td>%lu<td>%s<td>%.0f %%\n", usage->slabs,
			show_bytes(usage->bytes, text), usage->objects ?
			100.0 * (double)usage->active / (double)usage->objects : 0);
	}
	fputs("</table>\n", out);
	free(rows);
}

static void put_page(FILE *out, struct picture *picture)
{
	const struct target *target = picture->heap->target;

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\"><title>usermm: ", out);
	put_text(out, target->name);
	fprintf(out, "</title>\n<style>%s%s</style></head>\n<body><h1>", style, page_style);
	put_text(out, target->command);
	fputs(": ", out);
	put_text(out, target->name);
	fputs("</h1>\n<div class=\"tables\">\n", out);
	put_looks(out, picture);
	put_orders(out, picture);
	put_caches(out, picture);
	make_coarse(picture);
	fprintf(out, "</div>\n<h2>The window</h2>\n<p>A row is 2 MiB, from its address on, with "
		"node and zone. The more objects of a slab are out, the stronger its colour is. In "
		"a mixed slab each page has a colour of its own.%s Point at a rectangle to see "
		"more.</p>\n", picture->cell_pages > 1 ?
		" The heap is large: the smallest rectangle stands for several pages." : "");
	put_svg(out, picture);
	fputs("</body></html>\n", out);
}

enum inspect_status picture_write(struct heap *heap, const struct pages *pages, const char *path,
				  FILE *out)
{
	struct picture picture = { .heap = heap, .pages = pages };

	if (!look_at_pages(&picture)) {
		free(picture.cells);
		return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory for the picture");
	}
	picture.nr_zones = heap_read_zones(heap, picture.zones, HEAP_ZONES_MAX);
	if (ends_in(path, ".html")) {
		put_page(out, &picture);
	} else {
		make_coarse(&picture);
		put_svg(out, &picture);
	}
	free(picture.cells);
	return INSPECT_OK;
}
