/* SPDX-License-Identifier: MIT */
/* How many objects each CPU's sheaf may hold. See sheaf_size.h. */
#include "slab/sheaf/sheaf_size.h"

#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"

/*
 * A sheaf's first room is at least CHOICE_MIN objects, so that colour_of() in sheaf.c has a choice.
 * It may be less if an object has more than CHOICE_BYTES_MAX.
 */
#define CHOICE_MIN 4u
#define CHOICE_BYTES_MAX (2 * PAGE_SIZE)

/* A sheaf keeps at most this many bytes of objects, or one object. */
#define SHEAF_BYTES_MAX (768 * KIB)

uint32_t sheaf_size_max(const struct kmem_cache *cache)
{
	unsigned int size = cache->size;

	if (cache->sheaf_capacity)
		return min(cache->sheaf_capacity, (unsigned int)SHEAF_OBJECTS_MAX);
	if (USERMM_LINUX_SHEAVES)
		return 2 * (size < 256 ? 60 : size < 1024 ? 28 : size < PAGE_SIZE ? 12 : 4);
	if (size <= 256)
		return SHEAF_OBJECTS_MAX;
	if (size <= 512)
		return 127;
	if (size <= 1024)
		return 63;
	return (uint32_t)clamp(SHEAF_BYTES_MAX / size, 1UL, 23UL);
}

static uint32_t *sheaf_size_of(const struct kmem_cache *cache, unsigned int slot)
{
	return percpu_ptr(cache->sheaf_room, slot);
}

/* The room after the first miss, which is free of charge. */
static uint32_t first_room(const struct kmem_cache *cache)
{
	if (cache->sheaf_capacity || USERMM_LINUX_SHEAVES)
		return cache->sheaf_room_max;
	return clamp((uint32_t)(PAGE_SIZE / cache->size), 1u, cache->sheaf_room_max);
}

static size_t reserved_for(const struct kmem_cache *cache, uint32_t room)
{
	uint32_t first = first_room(cache);

	return room > first ? (size_t)(room - first) * cache->size : 0;
}

static bool barn_has_batches(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	for_each_kmem_cache_node(cache, node)
		if (atomic_load_relaxed(&node->barn.nr))
			return true;
	return false;
}

/* Changes the room from *old to new. False if the budget refuses or another thread was faster. */
static bool change(struct kmem_cache *cache, uint32_t *room, uint32_t *old, uint32_t new)
{
	size_t more = reserved_for(cache, new) - reserved_for(cache, *old);

	if (more && !barn_budget_reserve(more))
		return false;
	if (atomic_cas_relaxed(room, old, new))
		return true;
	if (more)
		barn_budget_unreserve(more);
	return false;
}

/* The room after a miss with the room `old`. */
static uint32_t next_room(const struct kmem_cache *cache, uint32_t old)
{
	if (old)
		return min(2 * old, cache->sheaf_room_max);
	if (cache->size > CHOICE_BYTES_MAX || USERMM_LINUX_SHEAVES)
		return first_room(cache);
	return max(first_room(cache), min(CHOICE_MIN, cache->sheaf_room_max));
}

/*
 * Before the cache's first refill, the word's page may be new: a load would cost a page fault, and
 * the next store another one. So this exchanges 0 for 0 there, which takes 20 cycles more (of an
 * addition of 0 clang would make a load). Later a load will do, because it seldom meets a new page.
 */
static uint32_t read_room(const struct kmem_cache *cache, uint32_t *room)
{
	uint32_t old = 0;

	if (atomic_load_relaxed(&cache->refills))
		return atomic_load_relaxed(room);
	atomic_cas_relaxed(room, &old, 0);
	return old;
}

static uint32_t widen(struct kmem_cache *cache, uint32_t *room)
{
	uint32_t old = read_room(cache, room), new;

	if (likely(old >= cache->sheaf_room_max))
		return old;
	if (barn_has_batches(cache) && change(cache, room, &old, cache->sheaf_room_max))
		return cache->sheaf_room_max;
	new = next_room(cache, old);
	if (change(cache, room, &old, new))
		return new;
	new = first_room(cache);
	if (!old && change(cache, room, &old, new))
		return new;
	return max(old, 1u);
}

unsigned int sheaf_size_widen(struct kmem_cache *cache, bool *is_wider)
{
	int slot = percpu_current_slot();
	uint32_t room;

	*is_wider = false;
	if (slot < 0 || !cache->sheaf_room)
		return 0;
	room = widen(cache, sheaf_size_of(cache, (unsigned int)slot));
	*is_wider = percpu_array_prepare(cache->own_sheaf, room);
	return room;
}

void sheaf_size_close(struct kmem_cache *cache, unsigned int slot)
{
	/* Relaxed: the room says nothing about other memory. It is unreserved once. */
	if (cache->sheaf_room)
		barn_budget_unreserve(reserved_for(
			cache, atomic_exchange_relaxed(sheaf_size_of(cache, slot), 0u)));
}

bool sheaf_size_is_open(const struct kmem_cache *cache, unsigned int slot)
{
	return cache->sheaf_room && atomic_load_relaxed(sheaf_size_of(cache, slot));
}

void sheaf_size_init(struct kmem_cache *cache)
{
	cache->sheaf_room = percpu_alloc(sizeof(uint32_t), sizeof(uint32_t));
}

void sheaf_size_destroy(struct kmem_cache *cache)
{
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		if (sheaf_size_is_open(cache, slot))
			sheaf_size_close(cache, slot);
	percpu_free(cache->sheaf_room, sizeof(uint32_t));
	cache->sheaf_room = NULL;
}
