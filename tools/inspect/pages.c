// SPDX-License-Identifier: MIT
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Struct pages that are read at a time. */
#define BATCH 8192UL
#define STRUCTURE_SLACK (65536 + 16)
/* The longest per-CPU list that is believed. */
#define LIST_MAX 4096
/* More pages than a barn ever has. */
#define CHAIN_MAX 1000000

const char *page_kind_name(enum page_kind kind)
{
	static const char *const names[NR_PAGE_KINDS] = {
		"other", "free", "listed", "kept", "slab", "slab tail", "unopened", "block",
		"block tail", "mixed", "quicklist",
	};

	return names[kind];
}

/* --- From struct pages ------------------------------------------------------------- */

struct reading {
	struct heap *heap;
	struct pages *pages;
	char *structs;			/* a batch of struct pages */
	uint64_t *caches;		/* and of their pointers to caches */
	uint64_t slab_end;		/* the last slab's pages end before this pfn */
	uint32_t slab_cache;
	bool slab_is_small, slab_has_free;
	uint64_t known_address;		/* the last cache that was looked up */
	uint32_t known;
	bool failed;			/* no memory */
};

static void set(struct pages *pages, uint64_t pfn, uint64_t nr, enum page_kind first,
		enum page_kind others)
{
	for (uint64_t i = 0; i < nr && pfn + i < pages->nr; i++) {
		struct page_info *info = &pages->info[pfn + i];

		*info = (struct page_info){ .kind = i ? others : first, .is_first = !i };
		if (first == PAGE_BLOCK)
			info->number = (uint32_t)(i ? i : nr);
	}
}

static bool find_cache(struct reading *reading, uint64_t address)
{
	const struct heap_cache *cache;

	if (address == reading->known_address)
		return true;
	cache = heap_find_cache(reading->heap, address);
	if (!cache)
		return false;
	reading->known_address = address;
	reading->known = (uint32_t)(cache - reading->heap->caches);
	return true;
}

/* at: the struct page of the slab's first page. */
static bool has_free_objects(const struct heap *heap, const char *at)
{
	uint16_t objects;

	memcpy(&objects, at + heap_value(heap, LAYOUT_page_opened) + sizeof(objects),
	       sizeof(objects));
	objects = heap_value(heap, LAYOUT_frozen_bit) ? objects & 0x7fff : objects >> 1;
	return heap_u16(heap, at, LAYOUT_page_inuse) != objects;
}

static void take_slab_page(struct reading *reading, uint64_t pfn, const char *at, uint64_t cache)
{
	uint64_t flags = heap_u64(reading->heap, at, LAYOUT_page_flags);
	struct heap *heap = reading->heap;
	struct page_info *info = &reading->pages->info[pfn];
	bool is_small = flags & heap_value(heap, LAYOUT_page_small_slab);
	unsigned int order;

	if (!find_cache(reading, cache)) {
		/* A cache that was made since the list of caches was read, or damage. */
		if (heap->target->is_core)
			heap_damaged(heap, "page %#lx names a cache at %#lx that does not exist",
				     heap->base + pfn * heap_page_bytes(heap), cache);
		*info = (struct page_info){ .kind = PAGE_OTHER };
		return;
	}
	order = is_small ? heap->caches[reading->known].min_order :
			   heap->caches[reading->known].order;
	if (pfn >= reading->slab_end || !(pfn & ((1UL << order) - 1)))
		reading->slab_has_free = has_free_objects(heap, at);
	*info = (struct page_info){ .kind = PAGE_SLAB, .is_small = is_small,
				    .is_first = !(pfn & ((1UL << order) - 1)),
				    .has_free = reading->slab_has_free,
				    .number = reading->known };
	reading->slab_end = (pfn | ((1UL << order) - 1)) + 1;
	reading->slab_cache = reading->known;
	reading->slab_is_small = is_small;
}

static void take_mixed(struct reading *reading, uint64_t pfn, unsigned int order,
		       uint64_t freelist)
{
	struct pages *pages = reading->pages;
	size_t nr = pages->nr_mixed;
	struct mixed_slab *mixed = pages->mixed;

	if (!(nr & (nr - 1)))
		mixed = realloc(mixed, (nr ? 2 * nr : 1) * sizeof(*mixed));
	reading->failed |= !mixed;
	if (!mixed)
		return;
	pages->mixed = mixed;
	pages->nr_mixed++;
	mixed_slab_init(reading->heap, &mixed[nr], pfn, order, freelist);
	set(pages, pfn, 1UL << order, PAGE_MIXED, PAGE_MIXED);
	for (uint64_t i = 0; i < 1UL << order && pfn + i < pages->nr; i++)
		pages->info[pfn + i].number = (uint32_t)nr;
}

/*
 * A page that does not name its slab's cache. An object that begins in a page before may reach into
 * it: only pages in which objects begin name the cache (slab_open_page()).
 */
static void take_unnamed_page(struct reading *reading, uint64_t pfn)
{
	struct pages *pages = reading->pages;
	struct page_info *info = &pages->info[pfn];
	uint64_t address = reading->heap->base + pfn * heap_page_bytes(reading->heap);
	struct slab slab;
	unsigned int index;

	*info = (struct page_info){ .kind = PAGE_UNOPENED, .is_small = reading->slab_is_small,
				    .number = reading->slab_cache };
	slab_of_page(reading->heap, pages, pfn, &slab);
	index = slab_index_of(&slab, address);
	if (index < slab.nr && slab_is_opened(reading->heap, pages, &slab, index))
		info->kind = PAGE_SLAB_TAIL;
}

static bool is_zero(const char *at, size_t bytes)
{
	return !*at && !memcmp(at, at + 1, bytes - 1);
}

static void take_page(struct reading *reading, uint64_t pfn, const char *at, uint64_t cache)
{
	struct heap *heap = reading->heap;
	struct page_info *info = &reading->pages->info[pfn];
	uint64_t flags = heap_u64(heap, at, LAYOUT_page_flags), bytes;
	unsigned int order = heap_u8(heap, at, LAYOUT_page_order);
	bool order_is_good = order <= heap_value(heap, LAYOUT_max_page_order) &&
			     !(pfn & ((1UL << order) - 1));

	if (cache) {
		take_slab_page(reading, pfn, at, cache);
		return;
	}
	if (info->kind != PAGE_OTHER)	/* inside a block that began before */
		return;
	if (pfn < reading->slab_end) {
		take_unnamed_page(reading, pfn);
		return;
	}
	if (flags & heap_value(heap, LAYOUT_page_mixed_slab)) {
		/* If the first page was no mixed one yet, the others stay PAGE_OTHER. */
		if (order_is_good)
			take_mixed(reading, pfn, order, heap_u64(heap, at, LAYOUT_page_freelist));
	} else if (flags & heap_value(heap, LAYOUT_page_block)) {
		bytes = heap_u64(heap, at, LAYOUT_page_index);
		if (bytes && bytes <= heap_page_bytes(heap)
				      << heap_value(heap, LAYOUT_max_page_order))
			set(reading->pages, pfn, (bytes - 1) / heap_page_bytes(heap) + 1,
			    PAGE_BLOCK, PAGE_BLOCK_TAIL);
		else if (heap->target->is_core)
			heap_damaged(heap, "the page block at %#lx has %lu bytes",
				     heap->base + pfn * heap_page_bytes(heap), bytes);
	} else if (flags & heap_value(heap, LAYOUT_page_buddy) && order_is_good) {
		set(reading->pages, pfn, 1UL << order, PAGE_FREE, PAGE_FREE);
		info->number = order;
	} else if (flags & heap_value(heap, LAYOUT_page_head) && order_is_good &&
		   (int32_t)heap_u32(heap, at, LAYOUT_page__refcount) > 0) {
		set(reading->pages, pfn, 1UL << order, PAGE_BLOCK, PAGE_BLOCK_TAIL);
	}
	if (info->kind == PAGE_OTHER)
		info->number = is_zero(at, heap_value(heap, LAYOUT_sizeof_page));
}

static enum inspect_status take_batch(struct reading *reading, uint64_t first, uint64_t nr)
{
	struct heap *heap = reading->heap;
	size_t bytes = heap_value(heap, LAYOUT_sizeof_page);
	struct piece pieces[] = {
		{ .address = heap_struct_page(heap, first), .to = reading->structs,
		  .bytes = nr * bytes },
		{ .address = heap->slab_caches + first * sizeof(uint64_t), .to = reading->caches,
		  .bytes = nr * sizeof(uint64_t) },
	};
	enum inspect_status status = target_read_pieces(heap->target, pieces, 2);

	if (status != INSPECT_OK)
		return status;
	if (pieces[0].failed || pieces[1].failed) {
		heap_damaged(heap, "the struct pages of %#lx to %#lx cannot be read%s%s",
			     heap->base + first * heap_page_bytes(heap),
			     heap->base + (first + nr) * heap_page_bytes(heap),
			     *heap->target->lacks ? ": " : "", heap->target->lacks);
		return INSPECT_OK;
	}
	for (uint64_t i = 0; i < nr; i++)
		take_page(reading, first + i, reading->structs + i * bytes, reading->caches[i]);
	return INSPECT_OK;
}

static enum inspect_status take_all(struct reading *reading)
{
	enum inspect_status status = INSPECT_OK;
	uint64_t nr = reading->pages->nr;

	for (uint64_t first = 0; first < nr && status == INSPECT_OK; first += BATCH)
		status = take_batch(reading, first, nr - first < BATCH ? nr - first : BATCH);
	return status;
}

/* --- Mixed slabs --------------------------------------------------------------------- */

/* Pages of a slab whose record has gone meanwhile belong to nobody who is known. */
static void drop_mixed(struct heap *heap, struct pages *pages, const struct mixed_slab *slab)
{
	uint64_t pfn = heap_pfn(heap, slab->start), nr = slab->bytes / heap_page_bytes(heap);

	if (heap->target->is_core)
		heap_damaged(heap, "the mixed slab at %#lx has no good record at %#lx",
			     slab->start, slab->record);
	set(pages, pfn, nr, PAGE_OTHER, PAGE_OTHER);
}

static enum inspect_status read_mixed(struct heap *heap, struct pages *pages)
{
	enum inspect_status status = mixed_slabs_read(heap, pages->mixed, pages->nr_mixed);

	for (size_t i = 0; i < pages->nr_mixed && status == INSPECT_OK; i++) {
		const struct mixed_slab *slab = &pages->mixed[i];
		uint64_t pfn = heap_is_online(heap, slab->record) ?
			       heap_pfn(heap, slab->record) : UINT64_MAX;

		if (!slab->is_read && slab->record)
			drop_mixed(heap, pages, slab);
		else if (pfn < pages->nr && pages->info[pfn].kind == PAGE_OTHER)
			pages->info[pfn] = (struct page_info){ .kind = PAGE_KEPT };
	}
	return status;
}

/* --- Free pages that struct pages do not tell -------------------------------------- */

static void take_listed(struct heap *heap, struct pages *pages, uint64_t piece, unsigned int list)
{
	char at[LIST_MAX * sizeof(uint64_t) + 64];
	uint16_t items = heap_value(heap, LAYOUT_percpu_array_items);

	for (uint32_t slot = 0; slot < heap->nr_slots; slot++) {
		uint64_t address = heap_percpu(heap, piece, slot), page;
		int32_t count;

		if (items > 32 || !target_read(heap->target, address, at, 64))
			continue;
		count = (int32_t)heap_u32(heap, at, LAYOUT_percpu_array_count);
		if (count <= 0 || count > LIST_MAX ||
		    !target_read(heap->target, address + items, at, (size_t)count * sizeof(page)))
			continue;
		for (int32_t i = 0; i < count; i++) {
			uint64_t pfn;

			memcpy(&page, at + i * sizeof(page), sizeof(page));
			pfn = heap_pfn_of_struct(heap, page);
			if (pfn < pages->nr && pages->info[pfn].kind == PAGE_OTHER)
				set(pages, pfn, heap_pcp_pages(heap, list), PAGE_LISTED,
				    PAGE_LISTED);
		}
	}
}

static void take_lists(struct heap *heap, struct pages *pages)
{
	static struct heap_zone zones[HEAP_ZONES_MAX];
	unsigned int nr = heap_read_zones(heap, zones, HEAP_ZONES_MAX);

	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int list = 0; list < heap_value(heap, LAYOUT_nr_pcp_lists); list++) {
			uint64_t piece = heap_read_u64(heap, zones[i].address +
						       heap_value(heap, LAYOUT_zone_pcp_lists) +
						       list * sizeof(piece));

			if (piece)
				take_listed(heap, pages, piece, list);
		}
}

static void take_chain(struct heap *heap, struct pages *pages, uint64_t page)
{
	for (unsigned int i = 0; i < CHAIN_MAX && heap_is_online(heap, page); i++) {
		struct page_info *info = &pages->info[heap_pfn(heap, page)];

		if (info->kind != PAGE_OTHER)
			return;
		*info = (struct page_info){ .kind = PAGE_KEPT };
		page = heap_read_u64(heap, page);
	}
}

static void take_barns(struct heap *heap, struct pages *pages)
{
	uint64_t empty = (uint64_t)heap_value(heap, LAYOUT_kmem_cache_node_barn) +
			 heap_value(heap, LAYOUT_barn_empty);
	struct heap_node node;

	for (size_t i = 0; i < heap->nr_caches; i++) {
		const struct heap_cache *cache = &heap->caches[i];

		for (unsigned int nid = 0; heap_read_node(heap, cache, nid, &node); nid++)
			if (node.barn_nr_pages) {
				take_chain(heap, pages, node.barn_top);
				take_chain(heap, pages, heap_read_u64(heap, node.address + empty));
			}
	}
}

/* --- Parked memory ----------------------------------------------------------------- */

/* How many pages of the window are online, but no zone's: these are parked (page/parked.h). */
static uint64_t nr_parked(struct heap *heap, uint64_t online)
{
	static struct heap_zone zones[HEAP_ZONES_MAX];
	unsigned int nr = heap_read_zones(heap, zones, HEAP_ZONES_MAX);

	for (unsigned int i = 0; i < nr; i++)
		online -= zones[i].present_pages < online ? zones[i].present_pages : online;
	return online;
}

static bool may_be_parked(const struct pages *pages, uint64_t first, uint64_t nr)
{
	for (uint64_t pfn = first; pfn < first + nr; pfn++)
		if (pages->info[pfn].kind != PAGE_OTHER || !pages->info[pfn].number)
			return false;
	return true;
}

/*
 * All struct pages of a parked chunk are zero, but so are some in the middle of a large block in
 * use. If there are as many such chunks as are parked, they are the parked ones. If there are more,
 * nobody knows which, and they stay what they are.
 */
static void take_parked(struct heap *heap, struct pages *pages)
{
	uint64_t chunk = (uint64_t)sysconf(_SC_PAGESIZE) / heap_value(heap, LAYOUT_sizeof_page);
	uint64_t parked = nr_parked(heap, pages->nr), found = 0;
	unsigned int order = (unsigned int)__builtin_ctzl(chunk | 1UL << 63);

	if (!parked || order >= heap_value(heap, LAYOUT_max_page_order))
		return;
	for (uint64_t pfn = 0; pfn + chunk <= pages->nr; pfn += chunk)
		found += may_be_parked(pages, pfn, chunk) ? chunk : 0;
	for (uint64_t pfn = 0; found == parked && pfn + chunk <= pages->nr; pfn += chunk)
		if (may_be_parked(pages, pfn, chunk)) {
			set(pages, pfn, chunk, PAGE_FREE, PAGE_FREE);
			pages->info[pfn].number = order;
		}
}

/* --- All --------------------------------------------------------------------------- */

enum inspect_status pages_read(struct heap *heap, struct pages *pages)
{
	struct reading reading = { .heap = heap, .pages = pages };
	enum inspect_status status;

	*pages = (struct pages){ .nr = heap_nr_pages(heap) };
	pages->info = calloc(pages->nr + 1, sizeof(*pages->info));
	reading.structs = calloc(1, BATCH * heap_value(heap, LAYOUT_sizeof_page) + STRUCTURE_SLACK);
	reading.caches = calloc(BATCH, sizeof(uint64_t));
	if (pages->info && reading.structs && reading.caches)
		status = take_all(&reading);
	else
		status = target_fail(heap->target, INSPECT_NO_MEMORY, "no memory for %lu pages",
				     pages->nr);
	if (reading.failed)
		status = target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	if (status == INSPECT_OK)
		status = read_mixed(heap, pages);
	free(reading.structs);
	free(reading.caches);
	if (status != INSPECT_OK) {
		pages_free(pages);
		return status;
	}
	take_lists(heap, pages);
	take_barns(heap, pages);
	pages_take_quicklists(heap, pages);
	take_parked(heap, pages);
	for (uint64_t i = 0; i < pages->nr; i++)
		pages->nr_of_kind[pages->info[i].kind]++;
	return heap->target->status;
}

void pages_free(struct pages *pages)
{
	for (size_t i = 0; i < pages->nr_mixed; i++)
		mixed_slab_free(&pages->mixed[i]);
	free(pages->mixed);
	free(pages->info);
	*pages = (struct pages){ 0 };
}

/* --- Slabs ------------------------------------------------------------------------- */

/* cf. slab_first(), slab_nr_objects() */
void slab_of_page(const struct heap *heap, const struct pages *pages, uint64_t pfn,
		  struct slab *slab)
{
	const struct page_info *info = &pages->info[pfn];
	const struct heap_cache *cache = &heap->caches[info->number];
	unsigned int order = info->is_small ? cache->min_order : cache->order;
	uint64_t usual = heap_page_bytes(heap) << cache->order, before, fit;

	slab->cache = cache;
	slab->is_small = info->is_small;
	slab->bytes = heap_page_bytes(heap) << order;
	slab->start = heap->base + (pfn & ~((1UL << order) - 1)) * heap_page_bytes(heap);
	slab->first = slab->start;
	slab->nr = cache->objects;
	if (!slab->is_small)
		return;
	before = (slab->start & (usual - 1)) % cache->size;
	if (before)
		slab->first += cache->size - before;
	/* Even if a number is damaged, no slab has more objects than a usual one. */
	fit = slab->first - slab->start < slab->bytes ?
	      (slab->bytes - (slab->first - slab->start)) / cache->size : 0;
	slab->nr = fit < cache->objects ? (unsigned int)fit : cache->objects;
}
