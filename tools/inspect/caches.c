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
	       cache->objects <= HEAP_OBJECTS_MAX &&
	       cache->order <= heap_value(heap, LAYOUT_max_page_order) &&
	       cache->min_order <= cache->order && cache->object_size <= cache->size &&
	       (uint64_t)cache->objects * cache->size <= heap_page_bytes(heap) << cache->order &&
	       cache->mark_offset < cache->size && cache->link_offset < cache->size &&
	       cache->red_left_pad < cache->size;
}

/*
 * Reads all caches that the last walk found with one call. A cache that is still at its place in
 * the list then needs no call of its own.
 */
struct ahead {
	struct heap_cache *caches;	/* of the last walk */
	size_t nr;
	char *bytes;			/* their structures, side by side */
	char (*names)[HEAP_NAME_BYTES];
	struct piece *pieces;		/* a structure, a name, a structure, ... */
};

static void read_ahead(struct heap *heap, struct ahead *ahead)
{
	size_t bytes = heap_value(heap, LAYOUT_sizeof_kmem_cache), nr = ahead->nr;

	ahead->nr = 0;
	ahead->bytes = malloc(nr * bytes + 1);
	ahead->names = malloc(nr * sizeof(*ahead->names) + 1);
	ahead->pieces = calloc(2 * nr + 1, sizeof(*ahead->pieces));
	if (!ahead->bytes || !ahead->names || !ahead->pieces)
		return;
	for (size_t i = 0; i < nr; i++) {
		ahead->pieces[2 * i] = (struct piece){ .address = ahead->caches[i].address,
						       .to = ahead->bytes + i * bytes,
						       .bytes = bytes };
		ahead->pieces[2 * i + 1] = (struct piece){ .address = ahead->caches[i].name_address,
							   .to = ahead->names[i],
							   .bytes = sizeof(*ahead->names) };
	}
	if (target_read_pieces(heap->target, ahead->pieces, 2 * nr) == INSPECT_OK)
		ahead->nr = nr;
}

static void forget_ahead(struct ahead *ahead)
{
	free(ahead->caches);
	free(ahead->bytes);
	free(ahead->names);
	free(ahead->pieces);
}

/* Reads the structure of the cache that is number `nr` of the list. */
static bool read_cache(struct heap *heap, const struct ahead *ahead, size_t nr, uint64_t address,
		       char *at)
{
	size_t bytes = heap_value(heap, LAYOUT_sizeof_kmem_cache);

	if (nr >= ahead->nr || ahead->caches[nr].address != address || ahead->pieces[2 * nr].failed)
		return target_read(heap->target, address, at, bytes);
	memcpy(at, ahead->bytes + nr * bytes, bytes);
	return true;
}

static bool read_name(struct heap *heap, const struct ahead *ahead, size_t nr,
		      struct heap_cache *cache)
{
	if (nr >= ahead->nr || ahead->caches[nr].name_address != cache->name_address ||
	    ahead->pieces[2 * nr + 1].failed)
		return target_read_text(heap->target, cache->name_address, cache->name,
					sizeof(cache->name));
	snprintf(cache->name, sizeof(cache->name), "%.*s", (int)sizeof(cache->name) - 1,
		 ahead->names[nr]);
	return true;
}

static void take_name(struct heap *heap, const struct ahead *ahead, size_t nr,
		      struct heap_cache *cache)
{
	if (!read_name(heap, ahead, nr, cache) || !*cache->name)
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
	node->partial_first = heap_u64(heap, at, LAYOUT_kmem_cache_node_partial);
	node->is_locked = heap_u32(heap, at, LAYOUT_kmem_cache_node_lock);
	node->nr_partial = heap_u64(heap, at, LAYOUT_kmem_cache_node_nr_partial);
	node->deferred = heap_u64(heap, at, LAYOUT_kmem_cache_node_deferred);
	node->slabs_created = heap_u64(heap, at, LAYOUT_kmem_cache_node_slabs_created);
	node->slabs_freed = heap_u64(heap, at, LAYOUT_kmem_cache_node_slabs_freed);
	node->slabs = node->slabs_created - node->slabs_freed;
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
	/* If the size is damaged, the barn's fields may lie beyond it: so twice the room. */
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

static bool take_cache(struct heap *heap, const struct ahead *ahead, uint64_t address,
		       struct heap_cache *cache, uint64_t *next)
{
	static char at[3 * STRUCTURE_BYTES_MAX];

	if (!read_cache(heap, ahead, heap->nr_caches, address, at))
		return false;
	*next = heap_u64(heap, at, LAYOUT_kmem_cache_caches);
	*cache = (struct heap_cache){
		.address = address,
		.name_address = heap_u64(heap, at, LAYOUT_kmem_cache_name),
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
	take_name(heap, ahead, heap->nr_caches, cache);
	cache->is_of_caches = !strcmp(cache->name, "kmem_cache") &&
			      cache->object_size == heap_value(heap, LAYOUT_sizeof_kmem_cache);
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
static const char *walk_caches(struct heap *heap, const struct ahead *ahead, size_t *room,
			       uint64_t *where)
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
		    !take_cache(heap, ahead, at - link, &cache, &next))
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
	struct ahead ahead = { .caches = heap->caches, .nr = heap->nr_caches };
	const char *wrong = NULL;
	uint64_t where = 0;
	size_t room = 0;

	heap->caches = NULL;
	heap->nr_caches = 0;
	if (heap->is_up) {
		read_ahead(heap, &ahead);
		for (unsigned int i = 0; i < TRIES; i++) {
			wrong = walk_caches(heap, &ahead, &room, &where);
			if (!wrong || heap->target->is_core ||
			    heap->target->status != INSPECT_OK)
				break;
			ahead.nr = 0;
		}
	}
	forget_ahead(&ahead);
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

/*
 * A node's list of partial slabs. The lists of all nodes are walked side by side, so that one call
 * reads the next slab of each.
 */
struct walk {
	const struct heap_cache *cache;
	struct heap_usage *usage;
	struct heap_node node;
	uint64_t next;			/* link of the slab that is read next, or the list's head */
	unsigned int tries;
	/* What the slabs have that were looked at. */
	uint64_t looked_at, free, empty;
	bool is_whole;			/* the list was walked to its end */
};

struct walks {
	struct walk *all;
	size_t nr;
	uint64_t most;			/* slabs of each list */
	/* For the slabs that are read at once: their struct pages, and whose they are. */
	struct piece *pieces;
	struct walk **of_pieces;
	char *pages;
};

static void begin_walk(struct walk *walk, uint64_t first)
{
	walk->next = first;
	walk->looked_at = walk->free = walk->empty = 0;
}

/* A list that changes meanwhile is walked again, but not for ever: then it is cut short. */
static void walk_again(struct heap *heap, struct walk *walk)
{
	if (heap->target->is_core || ++walk->tries == TRIES)
		walk->next = walk->node.partial;
	else
		begin_walk(walk, heap_read_u64(heap, walk->node.partial));
}

/* Takes the slab whose struct page is at `at`. False: it is none, so the list has changed. */
static bool take_partial(const struct heap *heap, struct walk *walk, const char *at)
{
	uint16_t inuse = heap_u16(heap, at, LAYOUT_page_inuse), objects;

	memcpy(&objects, at + heap_value(heap, LAYOUT_page_opened) + 2, sizeof(objects));
	objects = heap_value(heap, LAYOUT_frozen_bit) ? objects & 0x7fff : objects >> 1;
	if (inuse > objects)
		return false;
	walk->looked_at++;
	walk->free += objects - inuse;
	walk->empty += !inuse;
	walk->next = heap_u64(heap, at, LAYOUT_page_lru);
	walk->is_whole = walk->next == walk->node.partial;
	return true;
}

/* False if the walk is over. */
static bool goes_on(struct heap *heap, const struct walks *walks, struct walk *walk)
{
	uint16_t link = heap_value(heap, LAYOUT_page_lru);

	while (walk->next != walk->node.partial && walk->looked_at < walks->most) {
		if (walk->looked_at <= walk->node.nr_partial + 64 &&
		    heap_pfn_of_struct(heap, walk->next - link) != UINT64_MAX)
			return true;
		walk_again(heap, walk);
	}
	return false;
}

/* Reads the next slab of each list. False if all were walked, or the target has gone. */
static bool walk_step(struct heap *heap, const struct walks *walks)
{
	size_t bytes = heap_value(heap, LAYOUT_sizeof_page), nr = 0;
	uint16_t link = heap_value(heap, LAYOUT_page_lru);

	for (size_t i = 0; i < walks->nr; i++) {
		struct walk *walk = &walks->all[i];

		if (!goes_on(heap, walks, walk))
			continue;
		walks->of_pieces[nr] = walk;
		walks->pieces[nr] = (struct piece){ .address = walk->next - link,
						    .to = walks->pages + nr * bytes,
						    .bytes = bytes };
		nr++;
	}
	if (target_read_pieces(heap->target, walks->pieces, nr) != INSPECT_OK)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (walks->pieces[i].failed ||
		    !take_partial(heap, walks->of_pieces[i], walks->pieces[i].to))
			walk_again(heap, walks->of_pieces[i]);
	return nr;
}

static void add_walk(const struct walk *walk)
{
	const struct heap_cache *cache = walk->cache;
	const struct heap_node *node = &walk->node;
	struct heap_usage *usage = walk->usage;
	uint64_t objects = node->slabs * cache->objects, pages = node->slabs << cache->order;
	uint64_t lacking = node->small_slabs * ((1UL << cache->order) - (1UL << cache->min_order));
	uint64_t free_objects = walk->free, empty = walk->empty;

	objects -= objects < node->objects_lacking ? objects : node->objects_lacking;
	pages -= pages < lacking ? pages : lacking;
	/* As Linux's count_partial_free_approx(): the others are like those that were looked at. */
	if (!walk->is_whole && walk->looked_at && walk->looked_at < node->nr_partial) {
		double factor = (double)node->nr_partial / (double)walk->looked_at;

		free_objects = (uint64_t)((double)free_objects * factor);
		empty = (uint64_t)((double)empty * factor);
		usage->is_estimate = true;
	}
	usage->slabs += node->slabs;
	usage->pages += pages;
	usage->objects += objects;
	usage->active += objects - (free_objects < objects ? free_objects : objects);
	usage->active_slabs += node->slabs - (empty < node->slabs ? empty : node->slabs);
	usage->cached += (uint64_t)node->barn_nr * node->barn_batch;
}

/* Lists the nodes of all caches. */
static void begin_walks(struct heap *heap, const struct heap_cache *caches, size_t n,
			struct heap_usage *usages, struct walks *walks)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned int nid = 0; nid < heap->nr_nodes; nid++) {
			struct walk *walk = &walks->all[walks->nr];

			*walk = (struct walk){ .cache = &caches[i], .usage = &usages[i] };
			if (!heap_read_node(heap, &caches[i], nid, &walk->node))
				break;
			begin_walk(walk, walk->node.nr_partial ? walk->node.partial_first :
								 walk->node.partial);
			walks->nr++;
		}
}

/* Adds what slabs hold. most: how many partial slabs of a node are looked at. */
static enum inspect_status add_slabs(struct heap *heap, const struct heap_cache *caches, size_t n,
				     uint64_t most, struct heap_usage *usages)
{
	size_t room = n * heap->nr_nodes + 1, bytes = heap_value(heap, LAYOUT_sizeof_page);
	struct walks walks = {
		.all = calloc(room, sizeof(*walks.all)), .most = most,
		.pieces = calloc(room, sizeof(*walks.pieces)),
		.of_pieces = calloc(room, sizeof(*walks.of_pieces)),
		/* A damaged layout may name fields beyond the end of the last struct page. */
		.pages = calloc(1, room * bytes + STRUCTURE_BYTES_MAX),
	};
	enum inspect_status status = INSPECT_OK;

	if (walks.all && walks.pieces && walks.of_pieces && walks.pages) {
		begin_walks(heap, caches, n, usages, &walks);
		while (walk_step(heap, &walks))
			;
		for (size_t i = 0; i < walks.nr; i++)
			add_walk(&walks.all[i]);
	} else {
		status = target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
	}
	free(walks.all);
	free(walks.pieces);
	free(walks.of_pieces);
	free(walks.pages);
	return status;
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

	memset(usages, 0, n * sizeof(*usages));
	status = add_slabs(heap, caches, n, most ? most : UINT64_MAX, usages);
	if (status == INSPECT_OK)
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
