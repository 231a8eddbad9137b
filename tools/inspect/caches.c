// SPDX-License-Identifier: MIT
/* The caches of a heap, and how their objects stand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "usermm/kmem_cache.h"

#define CACHES_MAX 65536
#define STRUCTURE_BYTES_MAX (65536 + 16)
/* How often a list that changes meanwhile is walked again. */
#define TRIES 8

/* --- The list of caches ------------------------------------------------------------ */

static bool is_plausible(const struct heap *heap, const struct heap_cache *cache)
{
	return cache->size >= 16 && !(cache->size % 8) &&
	       cache->size <= heap_page_bytes(heap) << 10 && cache->objects &&
	       cache->order <= heap_value(heap, LAYOUT_max_page_order) &&
	       cache->min_order <= cache->order && cache->object_size <= cache->size &&
	       (uint64_t)cache->objects * cache->size <= heap_page_bytes(heap) << cache->order &&
	       cache->mark_offset < cache->size && cache->link_offset < cache->size &&
	       cache->red_left_pad < cache->size;
}

static void take_name(struct heap *heap, struct heap_cache *cache, uint64_t address)
{
	if (!target_read_text(heap->target, address, cache->name, sizeof(cache->name)) ||
	    !*cache->name)
		snprintf(cache->name, sizeof(cache->name), "?");
	for (char *at = cache->name; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '?';
}

static void take_node(const struct heap *heap, const char *at, uint64_t address,
		      struct heap_node *node)
{
	const char *barn = at + heap_value(heap, LAYOUT_kmem_cache_node_barn);

	node->address = address;
	node->partial = address + heap_value(heap, LAYOUT_kmem_cache_node_partial);
	node->is_locked = heap_u32(heap, at, LAYOUT_kmem_cache_node_lock);
	node->nr_partial = heap_u64(heap, at, LAYOUT_kmem_cache_node_nr_partial);
	node->deferred = heap_u64(heap, at, LAYOUT_kmem_cache_node_deferred);
	node->slabs = heap_u64(heap, at, LAYOUT_kmem_cache_node_slabs_created) -
		      heap_u64(heap, at, LAYOUT_kmem_cache_node_slabs_freed);
	node->small_slabs = heap_u64(heap, at, LAYOUT_kmem_cache_node_small_slabs);
	node->objects_lacking = heap_u64(heap, at, LAYOUT_kmem_cache_node_objects_lacking);
	node->barn_nr = heap_u32(heap, barn, LAYOUT_barn_nr);
	node->barn_nr_on_top = heap_u32(heap, barn, LAYOUT_barn_nr_on_top);
	node->barn_nr_pages = heap_u32(heap, barn, LAYOUT_barn_nr_pages);
	node->barn_batch = heap_u16(heap, barn, LAYOUT_barn_batch);
	node->barn_per_page = heap_u16(heap, barn, LAYOUT_barn_batches_per_page);
	node->barn_top = heap_u64(heap, barn, LAYOUT_barn_top);
	/* A slab was freed between the two reads. */
	if (node->slabs > UINT32_MAX)
		node->slabs = 0;
}

bool heap_read_node(struct heap *heap, const struct heap_cache *cache, unsigned int nid,
		    struct heap_node *node)
{
	/* The barn's fields may lie behind a damaged size: twice the room. */
	static char at[2 * STRUCTURE_BYTES_MAX];
	size_t bytes = heap_value(heap, LAYOUT_sizeof_kmem_cache_node);
	uint64_t address = cache->more_nodes + (nid - 1) * bytes;

	if (!nid) {
		*node = cache->node;
		return true;
	}
	if (!cache->more_nodes || nid >= heap->nr_nodes ||
	    !target_read(heap->target, address, at, bytes))
		return false;
	take_node(heap, at, address, node);
	return true;
}

static bool take_cache(struct heap *heap, uint64_t address, struct heap_cache *cache,
		       uint64_t *next)
{
	static char at[3 * STRUCTURE_BYTES_MAX];
	size_t bytes = heap_value(heap, LAYOUT_sizeof_kmem_cache);

	if (!target_read(heap->target, address, at, bytes))
		return false;
	*next = heap_u64(heap, at, LAYOUT_kmem_cache_caches);
	*cache = (struct heap_cache){
		.address = address,
		.flags = heap_u32(heap, at, LAYOUT_kmem_cache_flags),
		.random = heap_u64(heap, at, LAYOUT_kmem_cache_random),
		.object_size = heap_u32(heap, at, LAYOUT_kmem_cache_object_size),
		.size = heap_u32(heap, at, LAYOUT_kmem_cache_size),
		.inuse = heap_u32(heap, at, LAYOUT_kmem_cache_inuse),
		.offset = heap_u32(heap, at, LAYOUT_kmem_cache_offset),
		.red_left_pad = heap_u32(heap, at, LAYOUT_kmem_cache_red_left_pad),
		.link_offset = heap_u32(heap, at, LAYOUT_kmem_cache_link_offset),
		.mark_offset = heap_u32(heap, at, LAYOUT_kmem_cache_mark_offset),
		.sheaf_room_max = heap_u32(heap, at, LAYOUT_kmem_cache_sheaf_room_max),
		.quarantine_half = heap_u32(heap, at, LAYOUT_kmem_cache_quarantine_half),
		.objects = heap_u16(heap, at, LAYOUT_kmem_cache_objects),
		.order = heap_u16(heap, at, LAYOUT_kmem_cache_order),
		.min_order = heap_u16(heap, at, LAYOUT_kmem_cache_min_order),
		.byte_marks = heap_u8(heap, at, LAYOUT_kmem_cache_byte_marks),
		.is_hardened = heap_u8(heap, at, LAYOUT_kmem_cache_is_hardened),
		.own_sheaf = heap_u64(heap, at, LAYOUT_kmem_cache_own_sheaf),
		.own_cpu_slab = heap_u64(heap, at, LAYOUT_kmem_cache_own_cpu_slab),
		.quarantine = heap_u64(heap, at, LAYOUT_kmem_cache_quarantine),
		.more_nodes = heap_u64(heap, at, LAYOUT_kmem_cache_more_nodes),
		.refills = heap_u64(heap, at, LAYOUT_kmem_cache_refills),
		.flushes = heap_u64(heap, at, LAYOUT_kmem_cache_flushes),
		.objects_up = heap_u64(heap, at, LAYOUT_kmem_cache_objects_up),
	};
	cache->is_debugged = cache->flags & USERMM_SLAB_DEBUG_FLAGS;
	take_node(heap, at + heap_value(heap, LAYOUT_kmem_cache_first_node),
		  address + heap_value(heap, LAYOUT_kmem_cache_first_node), &cache->node);
	if (!is_plausible(heap, cache))
		return false;
	cache->inverse = (1UL << 40) / cache->size + 1;
	take_name(heap, cache, heap_u64(heap, at, LAYOUT_kmem_cache_name));
	cache->is_of_caches = !strcmp(cache->name, "kmem_cache") && cache->object_size == bytes;
	return true;
}

static bool add_cache(struct heap *heap, const struct heap_cache *cache, size_t *room)
{
	if (heap->nr_caches == *room) {
		size_t more = *room ? 2 * *room : 128;
		struct heap_cache *caches = realloc(heap->caches, more * sizeof(*caches));

		if (!caches)
			return false;
		heap->caches = caches;
		*room = more;
	}
	heap->caches[heap->nr_caches++] = *cache;
	return true;
}

/* NULL if the list was walked to its end; else what is wrong. */
static const char *walk_caches(struct heap *heap, size_t *room, uint64_t *where)
{
	uint64_t head = heap_address(heap, LAYOUT_AT_slab_caches), at = 0, next;
	uint16_t link = heap_value(heap, LAYOUT_kmem_cache_caches);
	struct heap_cache cache;

	heap->nr_caches = 0;
	if (!target_read(heap->target, head, &at, sizeof(at)))
		return "the list of caches cannot be read";
	for (; at && at != head; at = next) {
		*where = at - link;
		if (at % 8 || heap->nr_caches == CACHES_MAX ||
		    !take_cache(heap, at - link, &cache, &next))
			return "the list of caches leads to something that is no cache";
		if (!add_cache(heap, &cache, room))
			return "no memory for the list of caches";
	}
	return NULL;
}

static const struct heap *sorted_heap;

static int by_address(const void *a, const void *b)
{
	uint64_t x = sorted_heap->caches[*(const uint32_t *)a].address;
	uint64_t y = sorted_heap->caches[*(const uint32_t *)b].address;

	return (x > y) - (x < y);
}

static enum inspect_status sort_caches(struct heap *heap)
{
	uint32_t *order = realloc(heap->cache_order, (heap->nr_caches + 1) * sizeof(*order));

	if (!order)
		return target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	heap->cache_order = order;
	for (uint32_t i = 0; i < heap->nr_caches; i++)
		order[i] = i;
	sorted_heap = heap;
	qsort(order, heap->nr_caches, sizeof(*order), by_address);
	return INSPECT_OK;
}

enum inspect_status heap_read_caches(struct heap *heap)
{
	const char *wrong = NULL;
	uint64_t where = 0;
	size_t room = 0;

	free(heap->caches);
	heap->caches = NULL;
	heap->nr_caches = 0;
	if (heap->is_up)
		for (unsigned int i = 0; i < TRIES; i++) {
			wrong = walk_caches(heap, &room, &where);
			if (!wrong || heap->target->is_core ||
			    heap->target->status != INSPECT_OK)
				break;
		}
	if (heap->target->status != INSPECT_OK)
		return heap->target->status;
	if (wrong)
		heap_damaged(heap, "%s: %#lx, behind %zu caches", wrong, where, heap->nr_caches);
	return sort_caches(heap);
}

struct heap_cache *heap_find_cache(const struct heap *heap, uint64_t address)
{
	size_t low = 0, high = heap->nr_caches;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (heap->caches[heap->cache_order[middle]].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == heap->nr_caches || heap->caches[heap->cache_order[low]].address != address)
		return NULL;
	return &heap->caches[heap->cache_order[low]];
}

/* --- Usage ------------------------------------------------------------------------- */

/* What partial slabs have, as far as they were looked at. */
struct partial {
	uint64_t looked_at, free, empty;
	bool is_whole;
};

/* Walks the list of a node's partial slabs, which may change meanwhile: then it is cut short. */
static void walk_partial(struct heap *heap, const struct heap_node *node, uint64_t most,
			 struct partial *partial)
{
	char at[1024 + 65552];
	size_t bytes = heap_value(heap, LAYOUT_sizeof_page);
	uint16_t link = heap_value(heap, LAYOUT_page_lru);
	uint64_t next = heap_read_u64(heap, node->partial);

	partial->is_whole = false;
	for (uint64_t i = 0; i < most && i <= node->nr_partial + 64; i++) {
		uint16_t inuse, objects;

		if (next == node->partial) {
			partial->is_whole = true;
			return;
		}
		if (heap_pfn_of_struct(heap, next - link) == UINT64_MAX ||
		    !target_read(heap->target, next - link, at, bytes))
			return;
		inuse = heap_u16(heap, at, LAYOUT_page_inuse);
		memcpy(&objects, at + heap_value(heap, LAYOUT_page_opened) + 2, sizeof(objects));
		objects = heap_value(heap, LAYOUT_frozen_bit) ? objects & 0x7fff : objects >> 1;
		if (inuse > objects)
			return;
		partial->looked_at++;
		partial->free += objects - inuse;
		partial->empty += !inuse;
		memcpy(&next, at + link, sizeof(next));
	}
}

static void add_node(struct heap *heap, const struct heap_cache *cache,
		     const struct heap_node *node, uint64_t most, struct heap_usage *usage)
{
	uint64_t objects = node->slabs * cache->objects, pages = node->slabs << cache->order;
	uint64_t lacking = node->small_slabs * ((1UL << cache->order) - (1UL << cache->min_order));
	struct partial partial = { 0 };
	unsigned int tries = 0;

	objects -= objects < node->objects_lacking ? objects : node->objects_lacking;
	pages -= pages < lacking ? pages : lacking;
	if (node->nr_partial)
		do {
			partial = (struct partial){ 0 };
			walk_partial(heap, node, most, &partial);
		} while (!partial.is_whole && partial.looked_at < most && !heap->target->is_core &&
			 ++tries < TRIES);
	/* As Linux's count_partial_free_approx(): the others are like those that were looked at. */
	if (!partial.is_whole && partial.looked_at && partial.looked_at < node->nr_partial) {
		double factor = (double)node->nr_partial / (double)partial.looked_at;

		partial.free = (uint64_t)((double)partial.free * factor);
		partial.empty = (uint64_t)((double)partial.empty * factor);
		usage->is_estimate = true;
	}
	usage->slabs += node->slabs;
	usage->pages += pages;
	usage->objects += objects;
	usage->active += objects - (partial.free < objects ? partial.free : objects);
	usage->active_slabs += node->slabs - (partial.empty < node->slabs ? partial.empty :
									    node->slabs);
	usage->cached += (uint64_t)node->barn_nr * node->barn_batch;
}

/* The objects of a sheaf or a quarantine with this head. */
static uint64_t array_objects(const struct heap *heap, const char *head, uint32_t half)
{
	int32_t count = (int32_t)heap_u32(heap, head, LAYOUT_percpu_array_count);
	uint64_t objects = count > 0 && count <= 65536 ? (uint64_t)count : 0;

	return objects + (half && heap_u32(heap, head, LAYOUT_percpu_array_limit) == half ? half :
											    0);
}

static void sum_up(const struct heap *heap, const struct heap_cache *cache,
		   struct heap_usage *usage)
{
	if (usage->cached > usage->active)
		usage->cached = usage->active;
	usage->active -= usage->cached;
	usage->bytes = usage->pages << heap_value(heap, LAYOUT_page_shift);
	usage->active_bytes = usage->active * cache->object_size;
	usage->waste_bytes = usage->bytes > usage->active_bytes ?
			     usage->bytes - usage->active_bytes : 0;
}

/* Heads of arrays are read with one call for all caches and slots. */
struct heads {
	struct piece *pieces;
	char (*bytes)[8];
	size_t nr;
};

static void add_heads(const struct heap *heap, struct heads *heads, uint64_t piece)
{
	for (uint32_t slot = 0; slot < heap->nr_slots; slot++, heads->nr++)
		heads->pieces[heads->nr] = (struct piece){
			.address = heap_percpu(heap, piece, slot),
			.to = heads->bytes[heads->nr], .bytes = sizeof(*heads->bytes),
		};
}

static uint64_t take_heads(const struct heap *heap, const struct heads *heads, size_t *at,
			   uint32_t half)
{
	uint64_t objects = 0;

	for (uint32_t slot = 0; slot < heap->nr_slots; slot++, ++*at)
		if (!heads->pieces[*at].failed)
			objects += array_objects(heap, heads->bytes[*at], half);
	return objects;
}

static uint64_t quarantine_piece(const struct heap *heap, const struct heap_cache *cache)
{
	return cache->quarantine ? cache->quarantine - heap->slots : 0;
}

/* Adds what sheaves and quarantines hold. */
static enum inspect_status add_cached(struct heap *heap, const struct heap_cache *caches, size_t n,
				      struct heap_usage *usages)
{
	size_t most = 2 * n * heap->nr_slots + 1, at = 0;
	struct heads heads = { calloc(most, sizeof(struct piece)), calloc(most, 8), 0 };
	enum inspect_status status = INSPECT_NO_MEMORY;

	if (heads.pieces && heads.bytes) {
		for (size_t i = 0; i < n; i++) {
			if (caches[i].own_sheaf)
				add_heads(heap, &heads, caches[i].own_sheaf);
			if (caches[i].quarantine)
				add_heads(heap, &heads, quarantine_piece(heap, &caches[i]));
		}
		status = target_read_pieces(heap->target, heads.pieces, heads.nr);
	} else {
		target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	}
	for (size_t i = 0; i < n && status == INSPECT_OK; i++) {
		if (caches[i].own_sheaf)
			usages[i].cached += take_heads(heap, &heads, &at, 0);
		if (caches[i].quarantine)
			usages[i].cached += take_heads(heap, &heads, &at,
						       caches[i].quarantine_half);
	}
	free(heads.pieces);
	free(heads.bytes);
	return status;
}

static enum inspect_status read_usages(struct heap *heap, const struct heap_cache *caches,
				       size_t n, size_t most, struct heap_usage *usages)
{
	enum inspect_status status;
	struct heap_node node;

	memset(usages, 0, n * sizeof(*usages));
	for (size_t i = 0; i < n; i++)
		for (unsigned int nid = 0; heap_read_node(heap, &caches[i], nid, &node); nid++)
			add_node(heap, &caches[i], &node, most ? most : UINT64_MAX, &usages[i]);
	status = add_cached(heap, caches, n, usages);
	for (size_t i = 0; i < n; i++)
		sum_up(heap, &caches[i], &usages[i]);
	return status != INSPECT_OK ? status : heap->target->status;
}

enum inspect_status heap_read_usage(struct heap *heap, const struct heap_cache *cache, size_t most,
				    struct heap_usage *usage)
{
	return read_usages(heap, cache, 1, most, usage);
}

enum inspect_status heap_read_usages(struct heap *heap, size_t most, struct heap_usage *usages)
{
	return read_usages(heap, heap->caches, heap->nr_caches, most, usages);
}
