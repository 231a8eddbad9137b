// SPDX-License-Identifier: MIT
/*
 * A few pending blocks: lists, mostly. Each block is read by itself, but many with one system call.
 *
 * Neighbours in a list often lie near one another, but not always in one section: blocks of each
 * size have slabs of their own. So the memory of a section holds many small pieces of the heap
 * instead (views), those that were used last. When a second block of a view is wanted, all slabs of
 * the view are read.
 */
#include <stdlib.h>

#include "reach.h"

/* More than any object has. */
#define FEW_BYTES_MAX 65536u
/* A view has up to 2^VIEW_ORDER pages. */
#define VIEW_ORDER 4u
#define NO_VIEW UINT64_MAX
#define NO_BLOCK UINT64_MAX

/* A piece of the heap that is in memory. */
struct view {
	uint64_t number;		/* NO_VIEW: none */
	uint32_t round;			/* the round that reads it, whose bytes come at its end */
	uint32_t used;			/* the round that used it last */
};

/* A pending object, or a block of a mixed slab, and where its bytes go. */
struct few {
	struct slab slab;		/* of an object */
	unsigned int index;
	bool is_mixed;
	uint64_t start, bytes;		/* red zones included */
	uint64_t object;		/* the address for its user */
	struct bytes read;
	const uint8_t *mark;
	uint8_t own_mark;		/* if it is read by itself */
	struct view *view;		/* NULL: it is read by itself */
};

/* What one system call reads. */
struct batch {
	struct few few[FEW_MAX];
	uint64_t page_block; /* the granule of the page block that follows them, or NO_BLOCK */
	struct piece pieces[2 * FEW_MAX];
	size_t nr, nr_pieces, used;	/* used: bytes of reach->chunk */
};

/* --- Views ------------------------------------------------------------------------- */

static unsigned int view_order(const struct reach *reach)
{
	unsigned int most = heap_value(reach->heap, LAYOUT_max_page_order);

	return most < VIEW_ORDER ? most : VIEW_ORDER;
}

static unsigned int view_shift(const struct reach *reach)
{
	return heap_value(reach->heap, LAYOUT_page_shift) + view_order(reach);
}

static unsigned int nr_views(const struct reach *reach)
{
	return 1u << (heap_value(reach->heap, LAYOUT_max_page_order) - view_order(reach));
}

static void forget_views(struct reach *reach)
{
	for (unsigned int i = 0; i < nr_views(reach); i++)
		reach->views[i] = (struct view){ .number = NO_VIEW };
	reach->views_round = 0;
}

struct view *views_make(const struct reach *reach)
{
	struct view *views = calloc(nr_views(reach), sizeof(*views));

	for (unsigned int i = 0; views && i < nr_views(reach); i++)
		views[i].number = NO_VIEW;
	return views;
}

static char *view_bytes(const struct reach *reach, const struct view *view)
{
	return reach->bytes + ((uint64_t)(view - reach->views) << view_shift(reach));
}

static uint8_t *view_marks(const struct reach *reach, const struct view *view)
{
	return reach->byte_marks + ((uint64_t)(view - reach->views) <<
	       (view_shift(reach) - heap_value(reach->heap, LAYOUT_mark_shift)));
}

static uint8_t *view_loaded(const struct reach *reach, const struct view *view)
{
	return reach->loaded + ((uint64_t)(view - reach->views) << view_order(reach));
}

/*
 * The view of this number. If there is none, the set's view whose last use is longest ago becomes
 * it. NULL: this round uses all views of the set. *is_new: nothing of the view was read yet.
 */
static struct view *find_view(struct reach *reach, uint64_t number, bool *is_new)
{
	unsigned int ways = nr_views(reach) < REACH_WAYS ? nr_views(reach) : REACH_WAYS;
	struct view *set = &reach->views[number % (nr_views(reach) / ways) * ways];
	struct view *oldest = set;

	*is_new = false;
	for (unsigned int i = 0; i < ways; i++) {
		if (set[i].number == number)
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	if (oldest->number != NO_VIEW && oldest->round == reach->views_round)
		return NULL;
	*oldest = (struct view){ .number = number };
	for (unsigned int i = 0; i < 1u << view_order(reach); i++)
		view_loaded(reach, oldest)[i] = 0;
	*is_new = true;
	return oldest;
}

/* --- Reading ----------------------------------------------------------------------- */

static bool take_object(const struct reach *reach, uint64_t offset, struct few *few)
{
	const struct heap *heap = reach->heap;

	slab_of_page(heap, &reach->pages, offset >> heap_value(heap, LAYOUT_page_shift),
		     &few->slab);
	/* A granule may begin a little before its object. */
	few->index = slab_index_of(&few->slab, heap->base + offset + (1 << GRANULE_SHIFT) - 1);
	few->start = few->slab.first + (uint64_t)few->index * few->slab.cache->size;
	few->bytes = few->slab.cache->size;
	few->object = few->start + few->slab.cache->red_left_pad;
	return few->index < few->slab.nr;
}

static bool take_mixed(const struct reach *reach, uint64_t offset, struct few *few)
{
	const struct heap *heap = reach->heap;
	const struct mixed_slab *slab =
		mixed_of_page(&reach->pages, offset >> heap_value(heap, LAYOUT_page_shift));
	uint32_t first = mixed_granule_of(heap, slab, heap->base + offset);

	few->start = few->object = heap->base + offset;
	few->bytes = (uint64_t)mixed_block_length(slab, first) *
		     heap_value(heap, LAYOUT_mixed_granule_bytes);
	return slab->is_read;
}

/* False: no object; or a page block, which *page_block becomes. */
static bool take_few(const struct reach *reach, uint64_t granule, struct few *few,
		     uint64_t *page_block)
{
	uint64_t offset = granule << GRANULE_SHIFT;
	uint64_t pfn = offset >> heap_value(reach->heap, LAYOUT_page_shift);
	enum page_kind kind = reach->pages.info[pfn].kind;

	few->is_mixed = kind == PAGE_MIXED;
	if (kind == PAGE_BLOCK)
		*page_block = granule;
	return ((kind == PAGE_SLAB || kind == PAGE_SLAB_TAIL) && take_object(reach, offset, few)) ||
	       (kind == PAGE_MIXED && take_mixed(reach, offset, few) &&
		few->bytes <= FEW_BYTES_MAX);
}

static enum object_state state_of(const struct reach *reach, const struct few *few)
{
	return few->is_mixed ?
	       mixed_block_state(reach->heap, few->start, few->bytes, &few->read, *few->mark) :
	       object_state(reach->heap, &few->slab, few->index, &few->read, *few->mark, NULL);
}

static void scan_few(struct reach *reach, const struct few *few)
{
	if (state_of(reach, few) == OBJECT_IN_USE)
		reach_bytes(reach, &few->read, few->object, few->bytes);
}

static enum inspect_status scan_page_block(struct reach *reach, uint64_t granule)
{
	const struct heap *heap = reach->heap;
	uint64_t start = heap->base + (granule << GRANULE_SHIFT);
	uint64_t pages = reach->pages.info[heap_pfn(heap, start)].number;

	return reach_range(reach, start, start + pages * heap_page_bytes(heap));
}

static bool is_worth_reading(const struct reach *reach, uint64_t pfn, const uint8_t *loaded)
{
	return pfn < reach->pages.nr && !*loaded && reach->pages.info[pfn].kind == PAGE_SLAB;
}

/* Adds pages of the view to the batch, with their marks. */
static void read_view(struct reach *reach, struct batch *batch, struct view *view,
		      unsigned int first, unsigned int end)
{
	const struct heap *heap = reach->heap;
	unsigned int page = heap_value(heap, LAYOUT_page_shift);
	unsigned int mark = page - heap_value(heap, LAYOUT_mark_shift);
	uint64_t start = heap->base + (view->number << view_shift(reach));

	for (unsigned int i = first; i < end; i++)
		view_loaded(reach, view)[i] = 1;
	view->round = reach->views_round;
	batch->pieces[batch->nr_pieces++] = (struct piece){
		.address = start + ((uint64_t)first << page),
		.to = view_bytes(reach, view) + ((uint64_t)first << page),
		.bytes = (uint64_t)(end - first) << page,
	};
	batch->pieces[batch->nr_pieces++] = (struct piece){
		.address = heap_byte_mark(heap, start) + ((uint64_t)first << mark),
		.to = view_marks(reach, view) + ((uint64_t)first << mark),
		.bytes = (uint64_t)(end - first) << mark,
	};
}

/* Makes the batch read those of the pages that were not read before. */
static void want_pages(struct reach *reach, struct batch *batch, struct view *view, bool is_new,
		       unsigned int first, unsigned int end)
{
	uint64_t pfn = view->number << view_order(reach);
	uint8_t *loaded = view_loaded(reach, view);

	while (first < end && loaded[first])
		first++;
	while (first < end && loaded[end - 1])
		end--;
	if (first == end)
		return;
	while (!is_new && first && is_worth_reading(reach, pfn + first - 1, &loaded[first - 1]))
		first--;
	while (!is_new && end < 1u << view_order(reach) &&
	       is_worth_reading(reach, pfn + end, &loaded[end]))
		end++;
	read_view(reach, batch, view, first, end);
}

/* Finds the object's bytes in a view. False: it has to be read by itself. */
static bool take_view(struct reach *reach, struct batch *batch, struct few *few)
{
	const struct heap *heap = reach->heap;
	uint64_t offset = few->start - heap->base, number = offset >> view_shift(reach), start;
	unsigned int page = heap_value(heap, LAYOUT_page_shift), first, end;
	bool is_new;

	few->view = (offset + few->bytes - 1) >> view_shift(reach) == number ?
		    find_view(reach, number, &is_new) : NULL;
	if (!few->view)
		return false;
	start = heap->base + (number << view_shift(reach));
	first = (unsigned int)((few->start - start) >> page);
	end = (unsigned int)((few->start + few->bytes - 1 - start) >> page) + 1;
	want_pages(reach, batch, few->view, is_new, first, end);
	few->view->used = reach->views_round;
	few->read = (struct bytes){ view_bytes(reach, few->view), start,
				    start + (1UL << view_shift(reach)) };
	few->mark = view_marks(reach, few->view) +
		    (heap_byte_mark(heap, few->object) - heap_byte_mark(heap, start));
	return true;
}

static void read_alone(struct reach *reach, struct batch *batch, struct few *few)
{
	char *to = reach->chunk + batch->used;

	few->view = NULL;
	few->read = (struct bytes){ to, few->start, few->start + few->bytes };
	few->own_mark = (uint8_t)heap_value(reach->heap, LAYOUT_byte_mark_in_use);
	few->mark = &few->own_mark;
	batch->used += (few->bytes + 7) & ~7UL;
	batch->pieces[batch->nr_pieces++] = (struct piece){
		.address = few->start, .to = to, .bytes = few->bytes,
	};
	batch->pieces[batch->nr_pieces++] = (struct piece){
		.address = heap_byte_mark(reach->heap, few->object), .to = &few->own_mark,
		.bytes = few->is_mixed || few->slab.cache->byte_marks,
	};
}

/* --- Following --------------------------------------------------------------------- */

/* A page of a view is gone, so all views are out of date. Reads each object by itself. */
static enum inspect_status scan_one_by_one(struct reach *reach, struct batch *batch)
{
	enum inspect_status status = INSPECT_OK;

	forget_views(reach);
	for (size_t i = 0; i < batch->nr && status == INSPECT_OK; i++) {
		batch->nr_pieces = batch->used = 0;
		read_alone(reach, batch, &batch->few[i]);
		status = target_read_pieces(reach->heap->target, batch->pieces, 2);
		if (status == INSPECT_OK && !batch->pieces[0].failed)
			scan_few(reach, &batch->few[i]);
	}
	return status;
}

static enum inspect_status scan_batch(struct reach *reach, struct batch *batch)
{
	enum inspect_status status = target_read_pieces(reach->heap->target, batch->pieces,
							batch->nr_pieces);
	bool failed = false;

	for (size_t i = 0; i < batch->nr_pieces; i++)
		failed |= batch->pieces[i].failed;
	if (status == INSPECT_OK && failed)
		return scan_one_by_one(reach, batch);
	for (size_t i = 0; i < batch->nr && status == INSPECT_OK; i++)
		scan_few(reach, &batch->few[i]);
	return status;
}

/* Adds the granules that must be read first to the batch, and scans those that are in memory. */
static void fill_batch(struct reach *reach, struct batch *batch)
{
	while (reach->nr_few && batch->nr < FEW_MAX && batch->page_block == NO_BLOCK &&
	       batch->used + FEW_BYTES_MAX <= REACH_CHUNK_BYTES) {
		uint64_t granule = reach->few[--reach->nr_few];
		struct few *next = &batch->few[batch->nr];

		if (!is_pending(reach, granule))
			continue;
		clear_pending(reach, granule);
		if (!take_few(reach, granule, next, &batch->page_block))
			continue;
		if (!take_view(reach, batch, next)) {
			read_alone(reach, batch, next);
			batch->nr++;
		} else if (next->view->round == reach->views_round) {
			batch->nr++;
		} else {
			scan_few(reach, next);
		}
		if (!reach->nr_few)
			reach_queue_end(reach);
	}
}

enum inspect_status work_off_few(struct reach *reach)
{
	static struct batch batch;
	enum inspect_status status;

	reach->views_round++;
	batch.nr = batch.nr_pieces = batch.used = 0;
	batch.page_block = NO_BLOCK;
	fill_batch(reach, &batch);
	status = scan_batch(reach, &batch);
	if (status == INSPECT_OK && batch.page_block != NO_BLOCK)
		status = scan_page_block(reach, batch.page_block);
	return status;
}

void collect_few(struct reach *reach)
{
	uint32_t nr = 1u << (reach->section_shift - GRANULE_SHIFT);

	forget_views(reach);
	reach->nr_few = 0;
	reach->few_are_all = reach->nr_pending < FEW_MAX;
	for (uint64_t section = 0; reach->few_are_all && section < reach->nr_sections; section++) {
		if (!reach->pending_of[section])
			continue;
		for (uint32_t next = next_pending(reach, section, 0); next != UINT32_MAX;
		     next = next + 1 < nr ? next_pending(reach, section, next + 1) : UINT32_MAX)
			reach->few[reach->nr_few++] = section * nr + next;
	}
}
