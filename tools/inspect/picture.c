// SPDX-License-Identifier: MIT
/*
 * A pageblock is a row; pages in a row that are used alike are one rectangle, whose title tells
 * more. A slab's rectangle is as dark as the slab is full.
 */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include "show.h"

#define PAGE_WIDTH 2
#define ROW_HEIGHT 12
#define LABEL_WIDTH 230
/* Grades of how full a slab is: 0 is empty. */
#define GRADES 4

/* Which pages are drawn in one rectangle: equal keys. */
struct cell {
	enum page_kind kind;
	uint32_t number;	/* cache, or order of a free block */
	unsigned int grade;
};

/* Of each slab how many objects are in use; one slab is kept. */
struct drawing {
	struct heap *heap;
	const struct pages *pages;
	FILE *out;
	uint64_t slab_start;
	unsigned int grade;
};

static unsigned int grade_of(struct drawing *drawing, uint64_t pfn)
{
	struct heap *heap = drawing->heap;
	uint16_t inuse = 0;
	struct slab slab;

	slab_of_page(heap, drawing->pages, pfn, &slab);
	if (slab.start == drawing->slab_start)
		return drawing->grade;
	target_read(heap->target, heap_struct_page(heap, heap_pfn(heap, slab.start)) +
		    heap_value(heap, LAYOUT_page_inuse), &inuse, sizeof(inuse));
	drawing->slab_start = slab.start;
	drawing->grade = slab.nr ? inuse * (GRADES - 1u) / slab.nr : 0;
	if (drawing->grade >= GRADES)
		drawing->grade = GRADES - 1;
	return drawing->grade;
}

static struct cell cell_of(struct drawing *drawing, uint64_t pfn)
{
	const struct page_info *info = &drawing->pages->info[pfn];
	struct cell cell = { .kind = info->kind };

	if (cell.kind == PAGE_BLOCK_TAIL)
		cell.kind = PAGE_BLOCK;
	if (cell.kind == PAGE_SLAB) {
		cell.number = info->number;
		cell.grade = grade_of(drawing, pfn);
	}
	return cell;
}

static bool is_same(const struct cell *a, const struct cell *b)
{
	return a->kind == b->kind && a->number == b->number && a->grade == b->grade;
}

/* A name of a cache may have any letter. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(*text < ' ' || *text >= 0x7f ? '?' : *text, out);
		}
}

static void draw_run(struct drawing *drawing, const struct cell *cell, uint64_t first,
		     uint64_t nr, uint64_t row, uint64_t column)
{
	const struct heap *heap = drawing->heap;
	FILE *out = drawing->out;

	fprintf(out, "<rect class=\"k%d g%u\" x=\"%lu\" y=\"%lu\" width=\"%lu\" height=\"%d\">"
		"<title>%#lx: %lu pages, %s", (int)cell->kind, cell->grade,
		LABEL_WIDTH + column * PAGE_WIDTH, row * ROW_HEIGHT, nr * PAGE_WIDTH,
		ROW_HEIGHT - 2, heap->base + first * heap_page_bytes(heap), nr,
		page_kind_name(cell->kind));
	if (cell->kind == PAGE_SLAB) {
		fputc(' ', out);
		put_text(out, heap->caches[cell->number].name);
		fprintf(out, ", order %u, about %u %% of the objects out",
			heap->caches[cell->number].order, cell->grade * 100 / (GRADES - 1));
	}
	fputs("</title></rect>\n", out);
}

/* The zone and the migrate type of a pageblock, from the window's table. */
static void draw_label(struct drawing *drawing, uint64_t row)
{
	struct heap *heap = drawing->heap;
	uint64_t start = heap->base + (row * heap_page_bytes(heap)
				       << heap_value(heap, LAYOUT_pageblock_order));
	uint16_t class = 0;

	target_read(heap->target, heap->pageblocks + row * sizeof(class), &class, sizeof(class));
	fprintf(drawing->out, "<text x=\"0\" y=\"%lu\">%#lx zone %u type %u</text>\n",
		row * ROW_HEIGHT + ROW_HEIGHT - 3, start,
		class >> (heap_value(heap, LAYOUT_class_zone_shift) & 15),
		class >> (heap_value(heap, LAYOUT_class_type_shift) & 15) & 7u);
}

static void draw_row(struct drawing *drawing, uint64_t row, uint64_t first, uint64_t nr)
{
	uint64_t end = first + nr < drawing->pages->nr ? first + nr : drawing->pages->nr, next;

	draw_label(drawing, row);
	for (uint64_t pfn = first; pfn < end; pfn = next) {
		struct cell cell = cell_of(drawing, pfn), other;

		for (next = pfn + 1; next < end; next++) {
			other = cell_of(drawing, next);
			if (!is_same(&cell, &other))
				break;
		}
		if (cell.kind != PAGE_FREE)
			draw_run(drawing, &cell, pfn, next - pfn, row, pfn - first);
	}
}

static const char style[] =
	"text{font:9px monospace;fill:#333}\n"
	".k0{fill:#a0a}.k2{fill:#9cf}.k3{fill:#06c}.k5{fill:#fd9}.k6{fill:#c33}\n"
	".k4.g0{fill:#cec}.k4.g1{fill:#9c9}.k4.g2{fill:#595}.k4.g3{fill:#252}\n"
	"@media(prefers-color-scheme:dark){text{fill:#ccc}.k4.g0{fill:#353}.k4.g1{fill:#575}"
	".k4.g2{fill:#7a7}.k4.g3{fill:#9e9}}\n";

static void draw_svg(struct drawing *drawing)
{
	const struct heap *heap = drawing->heap;
	uint64_t step = 1UL << heap_value(heap, LAYOUT_pageblock_order), row = 0;
	uint64_t rows = (drawing->pages->nr + step - 1) / step;

	fprintf(drawing->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lu\" "
		"height=\"%lu\">\n<style>%s</style>\n", LABEL_WIDTH + step * PAGE_WIDTH,
		rows * ROW_HEIGHT, style);
	for (uint64_t pfn = 0; pfn < drawing->pages->nr; pfn += step)
		draw_row(drawing, row++, pfn, step);
	fputs("</svg>\n", drawing->out);
}

static const char *const meanings[NR_PAGE_KINDS] = {
	[PAGE_OTHER] = "in use, by the program's own calls for pages or by the library",
	[PAGE_FREE] = "free (left white)", [PAGE_LISTED] = "free, on a CPU's list",
	[PAGE_KEPT] = "holds batches of free objects",
	[PAGE_SLAB] = "slab: the darker, the more objects are out",
	[PAGE_UNOPENED] = "slab, no object there yet", [PAGE_BLOCK] = "block of whole pages",
};

static void write_table(struct drawing *drawing)
{
	const struct pages *pages = drawing->pages;
	char text[16];

	fputs("<table><tr><th>kind<th>bytes<th>meaning</tr>\n", drawing->out);
	for (enum page_kind kind = 0; kind < NR_PAGE_KINDS; kind++)
		if (meanings[kind])
			fprintf(drawing->out, "<tr><td><svg width=\"10\" height=\"10\"><rect "
				"class=\"k%d g2\" width=\"10\" height=\"10\"/></svg> %s<td>%s<td>%s"
				"</tr>\n", (int)kind, page_kind_name(kind),
				show_bytes((pages->nr_of_kind[kind] + (kind == PAGE_BLOCK ?
					    pages->nr_of_kind[PAGE_BLOCK_TAIL] : 0)) *
					   heap_page_bytes(drawing->heap), text), meanings[kind]);
	fputs("</table>\n", drawing->out);
}

enum inspect_status picture_write(struct heap *heap, const struct pages *pages, FILE *out,
				  bool html)
{
	struct drawing drawing = { .heap = heap, .pages = pages, .out = out,
				   .slab_start = UINT64_MAX };

	if (!html) {
		draw_svg(&drawing);
		return heap->target->status;
	}
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>usermm: ", out);
	put_text(out, heap->target->command);
	fputs("</title>\n<style>:root{color-scheme:light dark}body{font:14px sans-serif;"
	      "background:Canvas;color:CanvasText}td,th{padding:0 1em 0 0;text-align:left}"
	      "</style>\n<h1>The heap of ", out);
	put_text(out, heap->target->command);
	fprintf(out, " (%d)</h1>\n<p>A row is %lu KiB of the window. Point at a part to see "
		"more.\n", heap->target->pid, heap_page_bytes(heap) >> 10
		<< heap_value(heap, LAYOUT_pageblock_order));
	write_table(&drawing);
	draw_svg(&drawing);
	fputs("</html>\n", out);
	return heap->target->status;
}
