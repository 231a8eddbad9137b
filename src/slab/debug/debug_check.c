/* SPDX-License-Identifier: MIT */
/* The checks of slab debugging, and how damage is mended. cf. Linux mm/slub.c. */
#include <string.h>

#include "slab/debug/debug_object.h"

void slab_map_fill(struct slab_map *map, const struct kmem_cache *cache, const struct page *slab)
{
	/* In a cache without debugging others may be freeing objects meanwhile. */
	struct slab_word word = slab_word_read(slab);
	void *object = word.freelist;

	memset(map, 0, sizeof(*map));
	/* At most one step for each object: a broken chain may be a circle. */
	for (unsigned int i = 0; i < word.objects && object; i++) {
		unsigned int index = slab_index(cache, slab, object);

		if (!pointer_is_valid(cache, slab, object))
			return;
		map->bits[index / 64] |= 1UL << (index % 64);
		object = slab_link_read(cache, object);
	}
}

void slab_init_object(const struct kmem_cache *cache, void *object, uint8_t red)
{
	uint8_t *bytes = object;
	size_t poisoned = cache->object_size;

	if (cache->flags & SLAB_RED_ZONE) {
		memset(bytes - cache->red_left_pad, red, cache->red_left_pad);
		if (keeps_size(cache) && red == BYTE_RED_ACTIVE)
			poisoned = *object_asked(cache, object);
	}
	if (poisons_objects(cache) && poisoned) {
		memset(bytes, BYTE_FREE, poisoned - 1);
		bytes[poisoned - 1] = BYTE_FREE_END;
	}
	if (cache->flags & SLAB_RED_ZONE)
		memset(bytes + poisoned, red, cache->inuse - poisoned);
}

/* The first byte that is not value; NULL if all are. */
static uint8_t *find_other(uint8_t *start, uint8_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (start[i] != value)
			return start + i;
	return NULL;
}

/* The end of the wrong bytes from fault on: behind the last one that is not value. */
static uint8_t *find_end(uint8_t *fault, uint8_t *end, uint8_t value)
{
	while (end > fault && end[-1] == value)
		end--;
	return end;
}

static void restore(const struct kmem_cache *cache, const char *what, uint8_t *from, uint8_t *end,
		    uint8_t value)
{
	slab_fixed(cache, "Restoring %s %p-%p=0x%x", what, from, end - 1, (unsigned int)value);
	memset(from, value, (size_t)(end - from));
}

/* The check of one object; `good` until a byte was wrong. */
struct check {
	const struct kmem_cache *cache;
	struct page *slab;
	uint8_t *object;
	bool good;
};

static void check_bytes(struct check *check, const char *what, uint8_t *start, uint8_t value,
			size_t bytes)
{
	uint8_t *base = page_address(check->slab), *end;
	uint8_t *fault = find_other(start, value, bytes);

	if (!fault)
		return;
	end = find_end(fault, start + bytes, value);
	if (!slab_error_is_counted()) {
		slab_say("[%s overwritten] %p-%p @offset=%lu. First byte 0x%x instead of 0x%x",
			 what, fault, end - 1, (unsigned long)(fault - base),
			 (unsigned int)*fault, (unsigned int)value);
		if (check->good)	/* the object is shown once */
			slab_object_error(check->cache, check->slab, check->object,
					  "Object corrupt");
	}
	restore(check->cache, what, fault, end, value);
	check->good = false;
}

static void check_red_zones(struct check *check, uint8_t red)
{
	const struct kmem_cache *cache = check->cache;
	uint8_t *object = check->object;
	unsigned long asked;

	check_bytes(check, "Left Redzone", object - cache->red_left_pad, red, cache->red_left_pad);
	check_bytes(check, "Right Redzone", object + cache->object_size, red,
		    cache->inuse - cache->object_size);
	if (!keeps_size(cache) || red != BYTE_RED_ACTIVE)
		return;
	asked = *object_asked(cache, object);
	if (asked < cache->object_size)
		check_bytes(check, "kmalloc Redzone", object + asked, red,
			    cache->object_size - asked);
}

static void check_poison(struct check *check, uint8_t red)
{
	const struct kmem_cache *cache = check->cache;
	uint8_t *object = check->object;

	if (red == BYTE_RED_INACTIVE && poisons_objects(cache)) {
		check_bytes(check, "Poison", object, BYTE_FREE, cache->object_size - 1);
		check_bytes(check, "End Poison", object + cache->object_size - 1, BYTE_FREE_END, 1);
	}
	check_bytes(check, "Object padding", object + padding_start(cache), BYTE_PADDING,
		    padding_end(cache) - padding_start(cache));
}

bool slab_check_object(const struct kmem_cache *cache, struct page *slab, void *object, uint8_t red)
{
	struct check check = { cache, slab, object, true };

	if (cache->flags & SLAB_RED_ZONE)
		check_red_zones(&check, red);
	else if (cache->flags & SLAB_POISON)
		check_bytes(&check, "Alignment padding", check.object + cache->object_size,
			    BYTE_PADDING, cache->inuse - cache->object_size);
	if (cache->flags & SLAB_POISON)
		check_poison(&check, red);
	/* While an object is in use, a link inside it is the user's bytes. */
	if ((link_is_outside(cache) || red == BYTE_RED_INACTIVE) &&
	    !pointer_is_valid(cache, slab, slab_link_read(cache, object))) {
		slab_object_error(cache, slab, object, "Freepointer corrupt");
		slab_link_write(cache, object, NULL);	/* loses the rest of the chain */
		check.good = false;
	}
	return check.good;
}

void slab_check_tail(const struct kmem_cache *cache, struct page *slab)
{
	uint8_t *end = (uint8_t *)page_address(slab) + slab_bytes_of(cache, slab), *fault;
	uint8_t *tail = (uint8_t *)slab_first(cache, slab) +
			(size_t)slab_nr_objects(cache, slab) * cache->size;
	size_t rest = (size_t)(end - tail);

	if (!(cache->flags & SLAB_POISON))
		return;
	fault = find_other(tail, BYTE_PADDING, rest);
	if (!fault)
		return;
	end = find_end(fault, end, BYTE_PADDING);
	slab_tail_error(cache, slab, tail, (unsigned int)rest, fault, end);
	restore(cache, "slab padding", fault, end, BYTE_PADDING);
}

bool slab_check_slab(const struct kmem_cache *cache, struct page *slab)
{
	unsigned int most = slab_nr_objects(cache, slab);

	if (slab->objects > most) {
		slab_error(cache, slab, "objects %u > max %u", (unsigned int)slab->objects, most);
		return false;
	}
	if (slab->inuse > slab->objects) {
		slab_error(cache, slab, "inuse %u > max %u", (unsigned int)slab->inuse,
			   (unsigned int)slab->objects);
		return false;
	}
	if (slab->disabled) {
		slab_error(cache, slab,
			   "Slab disabled since SLUB metadata consistency check failed");
		return false;
	}
	slab_check_tail(cache, slab);
	return true;
}

static bool clear_freelist(struct kmem_cache *cache, struct page *slab, const char *reason)
{
	slab_error(cache, slab, "%s", reason);
	slab->freelist = NULL;
	slab->inuse = slab->objects;
	slab_fixed(cache, "Freelist cleared");
	return false;
}

static void mend_counts(struct kmem_cache *cache, struct page *slab, unsigned int nr_free)
{
	unsigned int counted, right = slab_nr_objects(cache, slab);

	if (slab->objects != right) {
		slab_error(cache, slab, "Wrong number of objects. Found %u but should be %u",
			   (unsigned int)slab->objects, right);
		slab->objects = right & SLAB_OBJECTS_MAX;
		slab_fixed(cache, "Number of objects adjusted");
	}
	counted = slab->objects - nr_free;
	if (slab->inuse != counted) {
		slab_error(cache, slab, "Wrong object count. Counter is %u but counted were %u",
			   (unsigned int)slab->inuse, counted);
		slab->inuse = (uint16_t)counted;
		slab_fixed(cache, "Object count adjusted");
	}
}

bool slab_on_freelist(struct kmem_cache *cache, struct page *slab, const void *object)
{
	void *last = NULL, *next = slab->freelist;
	unsigned int nr = 0;

	for (; next && nr <= slab->objects; nr++) {
		if (next == object)
			return true;
		if (!pointer_is_valid(cache, slab, next)) {
			if (!last)
				return clear_freelist(cache, slab, "Freepointer corrupt");
			slab_object_error(cache, slab, last, "Freechain corrupt");
			slab_link_write(cache, last, NULL);
			break;
		}
		last = next;
		next = slab_link_read(cache, next);
	}
	if (nr > slab->objects)
		return clear_freelist(cache, slab, "Freelist cycle detected");
	mend_counts(cache, slab, nr);
	return !object;
}
