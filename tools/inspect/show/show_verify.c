// SPDX-License-Identifier: MIT
/*
 * verify: do the invariants of every layer hold?
 *
 * A process goes on meanwhile. So what looks wrong is looked at again, and counts only if it is
 * wrong every time, and at last twice in the same way. What changes all the time, or has its lock
 * held all the time, is not checked.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blocks.h"
#include "mixed.h"
#include "show/show.h"
#include "show/verify.h"
#include "usermm/kmem_cache.h"
#include "usermm/say.h"

#define TRIES 10
#define PAUSE_NS 1000000L
#define STRUCTURE_BYTES_MAX (65536 + 16)
/* cf. src/slab/debug/debug.h */
#define RED_INACTIVE 0xbb
#define RED_ACTIVE 0xcc

bool violated(struct check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->wrong, sizeof(check->wrong), format, arguments);
	va_end(arguments);
	return false;
}

bool moves(struct check *check)
{
	*check->wrong = '\0';
	return false;
}

bool holds(struct check *check, check_fn *fn, const void *what)
{
	struct timespec moment = { .tv_nsec = PAUSE_NS };
	char before[sizeof(check->wrong)] = "";

	check->nr++;
	for (unsigned int i = 0; i < TRIES; i++) {
		memcpy(before, check->wrong, sizeof(before));
		*check->wrong = '\0';
		if (fn(check, what) || check->heap->target->status != INSPECT_OK)
			return true;
		if (check->heap->target->is_core)
			return false;
		nanosleep(&moment, NULL);
	}
	if (*check->wrong && !strcmp(check->wrong, before))
		return false;
	*check->wrong = '\0';
	check->nr_moving++;
	return true;
}

/* --- Free lists of pages ----------------------------------------------------------- */

struct free_list {
	const struct heap_zone *zone;
	unsigned int order, type;
};

static bool zone_is_locked(const struct heap *heap, const struct heap_zone *zone)
{
	uint32_t state = 0;

	return target_read(heap->target, zone->address + heap_value(heap, LAYOUT_zone_lock), &state,
			   sizeof(state)) && state;
}

static bool check_free_page(struct check *check, const struct free_list *list, uint64_t node,
			    uint64_t before, uint64_t *next)
{
	static char at[1024 + STRUCTURE_BYTES_MAX];
	struct heap *heap = check->heap;
	uint16_t link = heap_value(heap, LAYOUT_page_lru);
	uint64_t pfn = heap_pfn_of_struct(heap, node - link), previous;

	if (pfn == UINT64_MAX)
		return violated(check, "zone %s: the free list of order %u, type %u leads to %#lx, "
				"which is no page", list->zone->name, list->order, list->type,
				node);
	if (!target_read(heap->target, node - link, at, heap_value(heap, LAYOUT_sizeof_page)))
		return violated(check, "the struct page at %#lx cannot be read", node - link);
	memcpy(next, at + link, sizeof(*next));
	memcpy(&previous, at + link + sizeof(*next), sizeof(previous));
	if (!(heap_u64(heap, at, LAYOUT_page_flags) & heap_value(heap, LAYOUT_page_buddy)))
		return violated(check, "zone %s: page %#lx is on a free list, but is not free",
				list->zone->name, heap->base + pfn * heap_page_bytes(heap));
	if (heap_u8(heap, at, LAYOUT_page_order) != list->order ||
	    pfn & ((1UL << list->order) - 1))
		return violated(check, "zone %s: block %#lx is on the free list of order %u, but "
				"has order %u", list->zone->name,
				heap->base + pfn * heap_page_bytes(heap), list->order,
				heap_u8(heap, at, LAYOUT_page_order));
	return previous == before ||
	       violated(check, "zone %s: the links of the free block %#lx are damaged",
			list->zone->name, heap->base + pfn * heap_page_bytes(heap));
}

static bool check_free_list(struct check *check, const void *what)
{
	const struct free_list *list = what;
	struct heap *heap = check->heap;
	uint64_t area = list->zone->address + heap_value(heap, LAYOUT_zone_free_area) +
			(uint64_t)list->order * heap_value(heap, LAYOUT_sizeof_free_area);
	uint64_t head = area + heap_value(heap, LAYOUT_free_area_free_list) + list->type * 16UL;
	uint64_t blocks = heap_read_u64(heap, area + heap_value(heap, LAYOUT_free_area_nr_of_type) +
					list->type * sizeof(blocks));
	uint64_t before = head, node = heap_read_u64(heap, head), next = head, nr = 0;

	if (zone_is_locked(heap, list->zone))
		return heap->target->is_core || moves(check);
	for (; node != head && nr <= blocks + 1; node = next, nr++) {
		if (!check_free_page(check, list, node, before, &next))
			return false;
		before = node;
	}
	return nr == blocks ||
	       violated(check, "zone %s: the free list of order %u, type %u has %s%lu blocks, but "
			"counts %lu", list->zone->name, list->order, list->type,
			nr > blocks ? "more than " : "", nr > blocks ? blocks : nr, blocks);
}

static bool check_zone(struct check *check, const void *what)
{
	const struct heap_zone *zone = what;

	/* More pages may be online than the zone has: its budget may have become less. */
	return (zone->min_pages <= zone->low_pages && zone->low_pages <= zone->high_pages) ||
	       violated(check, "zone %s: its watermarks are not in order", zone->name);
}

static bool check_zones(struct check *check)
{
	static struct heap_zone zones[HEAP_ZONES_MAX];
	unsigned int nr = heap_read_zones(check->heap, zones, HEAP_ZONES_MAX);
	struct free_list list;

	for (unsigned int i = 0; i < nr; i++) {
		if (!holds(check, check_zone, &zones[i]))
			return false;
		list.zone = &zones[i];
		for (list.order = 0; list.order < zones[i].nr_orders; list.order++)
			for (list.type = 0;
			     list.type < heap_value(check->heap, LAYOUT_nr_migratetypes);
			     list.type++)
				if (!holds(check, check_free_list, &list))
					return false;
	}
	return true;
}

/* --- Slabs ------------------------------------------------------------------------- */

struct slab_check {
	struct slab slab;
	const struct pages *pages;
	char *bytes;
};

/* The two words of a slab's struct page. */
struct word {
	uint64_t freelist;
	uint16_t inuse, carved, opened, objects;
	bool is_frozen;
};

static bool read_word(struct heap *heap, uint64_t page, struct word *word)
{
	char at[1024 + STRUCTURE_BYTES_MAX];
	uint16_t last;

	if (!target_read(heap->target, page, at, heap_value(heap, LAYOUT_sizeof_page)))
		return false;
	memset(word, 0, sizeof(*word));
	word->freelist = heap_u64(heap, at, LAYOUT_page_freelist);
	word->inuse = heap_u16(heap, at, LAYOUT_page_inuse);
	word->carved = heap_u16(heap, at, LAYOUT_page_carved);
	word->opened = heap_u16(heap, at, LAYOUT_page_opened);
	memcpy(&last, at + heap_value(heap, LAYOUT_page_opened) + sizeof(last), sizeof(last));
	word->objects = heap_value(heap, LAYOUT_frozen_bit) ? last & 0x7fff : last >> 1;
	word->is_frozen = last >> heap_value(heap, LAYOUT_frozen_bit) % 16 & 1;
	return true;
}

static bool check_red_zone(struct check *check, const struct slab *slab, const char *bytes,
			   unsigned int index, bool is_free)
{
	uint64_t object = slab_object(slab, index), offset = object - slab->start;
	unsigned char red = is_free ? RED_INACTIVE : RED_ACTIVE;
	const struct heap_cache *cache = slab->cache;

	if (!(cache->flags & SLAB_RED_ZONE))
		return true;
	for (uint64_t at = offset - cache->red_left_pad; at < offset; at++)
		if ((unsigned char)bytes[at] != red)
			return violated(check, "cache %s: the bytes in front of the object at %#lx "
					"are overwritten, at %#lx", cache->name, object,
					slab->start + at);
	for (uint64_t at = offset + cache->object_size; at < offset + cache->inuse; at++)
		if (at < slab->bytes && (unsigned char)bytes[at] != red)
			return violated(check, "cache %s: the bytes behind the object at %#lx are "
					"overwritten, at %#lx", cache->name, object,
					slab->start + at);
	return true;
}

static bool check_object(struct check *check, const struct slab_check *what, unsigned int index,
			 const struct free_map *map)
{
	const struct slab *slab = &what->slab;
	const struct bytes bytes = { what->bytes, slab->start, slab->start + slab->bytes };
	enum object_state state;

	if (slab->cache->is_debugged)
		return check_red_zone(check, slab, what->bytes, index,
				      map->bits[index / 64] >> index % 64 & 1);
	if (!slab->cache->is_hardened || !slab_is_opened(check->heap, what->pages, slab, index))
		return true;
	state = object_state(check->heap, slab, index, &bytes, 0, map);
	return state != OBJECT_WRITTEN ||
	       violated(check, "cache %s: the object at %#lx is overwritten: neither its seal nor "
			"its free mark is right", slab->cache->name, slab_object(slab, index));
}

/* The slab's list of free objects, of one moment. *nr: how many there are. */
static bool check_freelist(struct check *check, const struct slab_check *what,
			   const struct word *word, struct free_map *map, unsigned int *nr)
{
	const struct slab *slab = &what->slab;
	const struct bytes bytes = { what->bytes, slab->start, slab->start + slab->bytes };

	/*
	 * The library finds links at `offset` with debugging, else at link_offset: the same place.
	 */
	free_map_fill(map, slab, word->freelist, &bytes);
	*nr = 0;
	for (unsigned int i = 0; i < slab->nr; i++)
		*nr += map->bits[i / 64] >> i % 64 & 1;
	return !map->is_broken ||
	       violated(check, "cache %s: the list of free objects of the slab at %#lx leads out "
			"of it, behind %u objects", slab->cache->name, slab->start, *nr);
}

static bool check_slab(struct check *check, const void *arg)
{
	static struct free_map map;
	const struct slab_check *what = arg;
	const struct slab *slab = &what->slab;
	struct heap *heap = check->heap;
	uint64_t page = heap_struct_page(heap, heap_pfn(heap, slab->start));
	struct word word, again;
	unsigned int nr;

	if (!read_word(heap, page, &word) ||
	    !target_read(heap->target, slab->start, what->bytes, slab->bytes) ||
	    !read_word(heap, page, &again))
		return heap->target->is_core && *heap->target->lacks ? true :
		       violated(check, "cache %s: the slab at %#lx cannot be read",
				slab->cache->name, slab->start);
	/* The slab was freed, or became a mixed slab. */
	if (heap_read_u64(heap, heap->slab_caches + heap_pfn(heap, slab->start) * 8) !=
	    slab->cache->address)
		return true;
	if (memcmp(&word, &again, sizeof(word)))
		return heap->target->is_core || moves(check);
	if (word.objects != slab->nr || word.carved > word.opened || word.opened > word.objects ||
	    word.inuse > word.objects)
		return violated(check, "cache %s: the counts of the slab at %#lx are damaged: %u "
				"in use, %u carved, %u opened, of %u", slab->cache->name,
				slab->start, word.inuse, word.carved, word.opened, word.objects);
	if (!check_freelist(check, what, &word, &map, &nr))
		return false;
	if (!slab->cache->is_debugged && !word.is_frozen &&
	    word.inuse + nr + (word.objects - word.carved) != word.objects)
		return violated(check, "cache %s: the slab at %#lx has %u objects in use, %u free "
				"and %u never used, but %u in all", slab->cache->name, slab->start,
				word.inuse, nr, word.objects - word.carved, word.objects);
	for (unsigned int i = 0; i < slab->nr; i++)
		if (!check_object(check, what, i, &map))
			return false;
	return true;
}

static bool check_slabs(struct check *check)
{
	struct heap *heap = check->heap;
	struct slab_check what = { .bytes = NULL };
	uint64_t last = UINT64_MAX, room = 0;
	struct pages pages;
	bool good = true;

	if (pages_read(heap, &pages) != INSPECT_OK)
		return true;	/* the target's status says why */
	what.pages = &pages;
	for (uint64_t pfn = 0; pfn < pages.nr && good; pfn++) {
		if (pages.info[pfn].kind != PAGE_SLAB)
			continue;
		slab_of_page(heap, &pages, pfn, &what.slab);
		if (what.slab.start == last)
			continue;
		last = what.slab.start;
		if (what.slab.bytes > room) {
			room = what.slab.bytes;
			free(what.bytes);
			what.bytes = malloc(room);
		}
		if (!what.bytes) {
			target_fail(heap->target, INSPECT_NO_MEMORY, "no memory");
			break;
		}
		good = holds(check, check_slab, &what);
	}
	free(what.bytes);
	pages_free(&pages);
	return good;
}

/* --- What CPUs keep ---------------------------------------------------------------- */

struct sheaf_check {
	const struct heap_cache *cache;
	uint32_t slot;
};

/* An object whose slab became a mixed one stays in the sheaf. */
static bool is_object_of(struct heap *heap, const struct heap_cache *cache, uint64_t object)
{
	uint64_t found;

	if (!heap_is_online(heap, object))
		return false;
	found = heap_read_u64(heap, heap->slab_caches + heap_pfn(heap, object) * sizeof(found));
	return found == cache->address ||
	       (!found && check_is_mixed_page(heap, heap_pfn(heap, object)));
}

static bool check_sheaf(struct check *check, const void *arg)
{
	static char at[STRUCTURE_BYTES_MAX + 65536];
	const struct sheaf_check *what = arg;
	const struct heap_cache *cache = what->cache;
	struct heap *heap = check->heap;
	uint64_t address = heap_percpu(heap, cache->own_sheaf, what->slot), object;
	uint64_t items = heap_value(heap, LAYOUT_percpu_array_items);
	int32_t count;

	if (!target_read(heap->target, address, at, 64))
		return violated(check, "cache %s: the sheaf of slot %u cannot be read", cache->name,
				what->slot);
	count = (int32_t)heap_u32(heap, at, LAYOUT_percpu_array_count);
	/* A negative count: another thread empties the sheaf just now. */
	if (count <= 0)
		return true;
	if (count > 65536 / 8 || (uint32_t)count > cache->sheaf_room_max)
		return violated(check, "cache %s: the sheaf of slot %u has %d objects, and room "
				"for %u", cache->name, what->slot, count, cache->sheaf_room_max);
	if (!target_read(heap->target, address + items, at, (size_t)count * sizeof(object)))
		return violated(check, "cache %s: the sheaf of slot %u cannot be read", cache->name,
				what->slot);
	for (int32_t i = 0; i < count; i++) {
		memcpy(&object, at + (size_t)i * sizeof(object), sizeof(object));
		if (!is_object_of(heap, cache, object))
			return violated(check, "cache %s: the sheaf of slot %u names %#lx, which "
					"is no object of it", cache->name, what->slot,
					object);
	}
	return true;
}

static bool check_sheaves(struct check *check)
{
	struct heap *heap = check->heap;
	struct sheaf_check what;

	for (size_t i = 0; i < heap->nr_caches; i++) {
		what.cache = &heap->caches[i];
		if (!what.cache->own_sheaf)
			continue;
		for (what.slot = 0; what.slot < heap->nr_slots; what.slot++)
			if (!holds(check, check_sheaf, &what))
				return false;
	}
	return true;
}

/* --- Mappings ---------------------------------------------------------------------- */

static bool check_mappings_once(struct check *check, const void *what)
{
	struct heap *heap = check->heap;
	struct outside_blocks outside;
	bool good = true;

	(void)what;
	if (target_read_ranges(heap->target) != INSPECT_OK ||
	    outside_read(heap, &outside) != INSPECT_OK)
		return true;
	for (size_t i = 0; i < outside.nr && good; i++) {
		const struct outside *block = &outside.blocks[i];

		check->nr++;
		if (heap_is_online(heap, block->start))
			good = violated(check, "the mapping block at %#lx lies in the window",
					block->start);
		else if (!target_range(heap->target, block->start))
			good = violated(check, "the block at %#lx, of %lu bytes, is not mapped",
					block->start, block->bytes);
	}
	outside_free(&outside);
	return good;
}

/* --- All --------------------------------------------------------------------------- */

static bool check_all(struct check *check)
{
	return check_zones(check) && check_slabs(check) && check_mixed(check) &&
	       check_sheaves(check) && holds(check, check_mappings_once, NULL);
}

enum inspect_status show_verify(struct heap *heap, const struct view *view)
{
	struct check check = { .heap = heap };
	bool good = !heap->nr_damages && (!heap->is_up || check_all(&check));
	json_t *all;

	if (heap->target->status != INSPECT_OK)
		return heap->target->status;
	show_lacks(heap);
	if (view->json) {
		all = json_object();
		json_object_set_new(all, "good", json_boolean(good));
		add_number(all, "checks", check.nr);
		add_number(all, "unchecked", check.nr_moving);
		if (!good)
			add_text(all, "violation", *check.wrong ? check.wrong : heap->damage);
		if (show_json(heap, all) != INSPECT_OK)
			return heap->target->status;
	} else if (good && check.nr_moving) {
		say(stdout, "%lu checks: all invariants hold, but %lu could not be made: what they "
		    "look at changed all the time\n", check.nr, check.nr_moving);
	} else if (good) {
		say(stdout, "%lu checks: all invariants hold\n", check.nr);
	}
	if (good && heap->target->missed)
		return target_fail(heap->target, INSPECT_CUT_CORE, "what the core lacks was not "
				   "checked");
	if (good)
		return INSPECT_OK;
	if (heap->nr_damages && !*check.wrong)
		return INSPECT_OK;	/* the caller reports the damage */
	return target_fail(heap->target, INSPECT_DAMAGED, "the heap is damaged: %s", check.wrong);
}
