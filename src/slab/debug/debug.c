/* SPDX-License-Identifier: MIT */
/* Allocation and free in caches with debugging flags. See debug.h. */
#include <string.h>

#include "base/check.h"
#include "page/debug/stack_depot.h"
#include "page/zone.h"
#include "slab/clearing.h"
#include "slab/debug/debug_object.h"
#include "slab/debug/report.h"
#include "slab/partial.h"
#include "slab/slab_free.h"

/* --- The lists' lock ------------------------------------------------------------- */

/*
 * lists_holder is the address of the holder's own copy of lock_held_ranks. A signal handler that
 * finds its own copy there has interrupted the holder. So the lists stand still while the handler
 * runs. The handler may read them, since the holder keeps them consistent after each store.
 */
static void lock_lists(struct kmem_cache *cache)
{
	lock_acquire(&cache->first_node.lock);
	atomic_store_relaxed(&cache->lists_holder, &lock_held_ranks);
}

static bool lock_lists_in_order(struct kmem_cache *cache)
{
	if (!lock_may_wait(RANK_CACHE))
		return false;
	lock_lists(cache);
	return true;
}

static void unlock_lists(struct kmem_cache *cache)
{
	atomic_store_relaxed(&cache->lists_holder, NULL);
	lock_release(&cache->first_node.lock);
}

static bool is_above_lists_holder(const struct kmem_cache *cache)
{
	return atomic_load_relaxed(&cache->lists_holder) == &lock_held_ranks;
}

/* --- Layout ------------------------------------------------------------------ */

/* Must the link lie behind the object, since its bytes must stay? cf. Linux calculate_sizes() */
static bool link_goes_outside(const struct kmem_cache *cache,
			      const struct slab_cache_request *request)
{
	slab_flags_t flags = cache->flags;

	return ((flags & SLAB_TYPESAFE_BY_RCU) && !request->use_freeptr_offset) ||
	       (flags & SLAB_POISON) || (cache->ctor && !slab_places_link(cache, request)) ||
	       ((flags & SLAB_RED_ZONE) &&
		(cache->object_size < WORD_BYTES || keeps_size(cache)));
}

void slab_debug_lay_out(struct kmem_cache *cache, const struct slab_cache_request *request)
{
	unsigned int size = ALIGN(cache->object_size, WORD_BYTES);

	if (cache->flags & SLAB_STORE_USER)
		stack_depot_init();	/* if it fails, no stacks are kept */
	/* A red zone has at least one byte. */
	if ((cache->flags & SLAB_RED_ZONE) && size == cache->object_size)
		size += WORD_BYTES;
	cache->inuse = size;
	if (link_goes_outside(cache, request))
		cache->offset = size;
	else if (slab_places_link(cache, request))
		cache->offset = request->freeptr_offset;
	else
		cache->offset = ALIGN_DOWN(cache->object_size / 2, WORD_BYTES);
	size = padding_start(cache);
	cache->red_left_pad = 0;
	if (cache->flags & SLAB_RED_ZONE) {
		cache->red_left_pad = ALIGN(WORD_BYTES, cache->align);
		size += WORD_BYTES + cache->red_left_pad;
	}
	cache->size = ALIGN(size, cache->align);
}

/* --- Slabs --------------------------------------------------------------------- */

static void prepare_object(struct kmem_cache *cache, void *object, void *next)
{
	if (cache->flags & SLAB_DEBUG_METADATA)
		slab_init_object(cache, object, BYTE_RED_INACTIVE);
	if (cache->flags & SLAB_STORE_USER)
		memset(object_track(cache, object, TRACK_ALLOC), 0,
		       NR_TRACKS * sizeof(struct slab_track));
	if (cache->ctor)
		cache->ctor(object);
	slab_link_write(cache, object, next);
}

void slab_debug_prepare(struct kmem_cache *cache, struct page *slab)
{
	void *next = NULL;

	for (unsigned int i = 0; i < 1u << slab_order_of(cache, slab); i++)
		atomic_store_relaxed(mm_slab_cache(slab + i), cache);
	slab->opened = slab->carved = slab->objects;
	if (cache->flags & SLAB_POISON)
		memset(page_address(slab), BYTE_PADDING, slab_bytes_of(cache, slab));
	for (unsigned int i = slab->objects; i-- > 0;) {
		void *object = slab_object(cache, slab, i);

		prepare_object(cache, object, next);
		next = object;
	}
	slab->freelist = next;
}

void slab_debug_check_discarded(struct kmem_cache *cache, struct page *slab)
{
	if (!(cache->flags & SLAB_CONSISTENCY_CHECKS))
		return;
	slab_check_tail(cache, slab);
	for (unsigned int i = 0; i < slab->objects; i++)
		slab_check_object(cache, slab, slab_object(cache, slab, i), BYTE_RED_INACTIVE);
}

static void add_full_locked(struct kmem_cache *cache, struct page *slab)
{
	if (cache->flags & SLAB_STORE_USER)
		list_add(&slab->lru, &cache->first_node.full);
}

static void remove_full_locked(struct kmem_cache *cache, struct page *slab)
{
	if (cache->flags & SLAB_STORE_USER)
		list_del(&slab->lru);
}

/* --- Allocation ------------------------------------------------------------------ */

static bool may_be_allocated(struct kmem_cache *cache, struct page *slab, void *object)
{
	if (!(cache->flags & SLAB_CONSISTENCY_CHECKS))
		return true;
	if (!slab_check_slab(cache, slab))
		return false;
	if (!pointer_is_valid(cache, slab, object)) {
		slab_object_error(cache, slab, object, "Freelist Pointer check fails");
		return false;
	}
	return slab_check_object(cache, slab, object, BYTE_RED_INACTIVE);
}

static void disable_slab_locked(struct kmem_cache *cache, struct page *slab)
{
	slab_fixed(cache, "Marking all objects used");
	slab->inuse = slab->objects;
	slab->freelist = NULL;
	slab->disabled = 1;
	slab_remove_partial_locked(&cache->first_node, slab);
}

/* A request: the bytes that are wanted, and who wants them. */
struct wish {
	size_t size;
	struct slab_track track;
};

/* The next object of a slab on the partial list; NULL if the slab has left the list. */
static void *take_object_locked(struct kmem_cache *cache, struct page *slab,
				const struct wish *wish)
{
	void *object = slab->freelist;

	if (!object) {		/* a broken chain was cut: its rest is lost */
		slab_remove_partial_locked(&cache->first_node, slab);
		add_full_locked(cache, slab);
		return NULL;
	}
	if (pointer_is_valid(cache, slab, object))
		slab->freelist = slab_link_read(cache, object);
	else if (!(cache->flags & SLAB_CONSISTENCY_CHECKS))
		slab_report_bad_freelist(cache, slab, object);
	slab->inuse++;
	if (!may_be_allocated(cache, slab, object)) {
		disable_slab_locked(cache, slab);
		return NULL;
	}
	slab_trace(cache, slab, object, true);
	if (keeps_size(cache))
		*object_asked(cache, object) = min(wish->size, (size_t)cache->object_size);
	slab_init_object(cache, object, BYTE_RED_ACTIVE);
	slab_track_set(cache, object, TRACK_ALLOC, &wish->track);
	if (slab->inuse == slab->objects) {
		slab_remove_partial_locked(&cache->first_node, slab);
		add_full_locked(cache, slab);
	}
	return object;
}

static void *take_from_partial_locked(struct kmem_cache *cache, const struct wish *wish)
{
	struct list_head *partial = &cache->first_node.partial;
	void *object = NULL;

	while (!object && !list_empty(partial))
		object = take_object_locked(cache, list_first_entry(partial, struct page, lru),
					    wish);
	return object;
}

static void *take_partial(struct kmem_cache *cache, const struct wish *wish)
{
	void *object;

	lock_lists(cache);
	object = take_from_partial_locked(cache, wish);
	unlock_lists(cache);
	return object;
}

/*
 * Takes an object from a new slab. If no slab can be made, looks at the lists again: objects may
 * have been freed meanwhile.
 */
static void *take_new(struct kmem_cache *cache, gfp_t gfp, const struct wish *wish)
{
	struct page *slab = slab_new(cache, gfp, NUMA_NO_NODE);
	void *object;

	if (!slab)
		return take_partial(cache, wish);
	lock_lists(cache);
	slab_enlist_locked(cache, &cache->first_node, slab);
	object = take_object_locked(cache, slab, wish);
	unlock_lists(cache);
	return object;
}

static void *alloc_object(struct kmem_cache *cache, gfp_t gfp, const struct wish *wish)
{
	gfp_t first = slab_gfp_before_victims(cache, gfp);
	void *object;

	slab_return_deferred(cache);
	if (!lock_may_wait(RANK_CACHE))
		return NULL;
	object = take_partial(cache, wish);
	if (!object)
		object = take_new(cache, first, wish);
	if (!object && first != gfp)
		object = take_new(cache, gfp, wish);
	return object;
}

void *slab_debug_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller)
{
	const struct wish wish = { size, slab_track_take(cache, caller) };
	void *object;

	slab_count(cache, SLAB_ALLOC_SLOWPATH);
	object = alloc_object(cache, gfp, &wish);
	if (!object)
		return NULL;
	slab_count_lossy(&cache->objects_up, 1);
	if (cache->init_on_free && !link_is_outside(cache))
		*slab_link_word(cache, object) = 0;
	if (gfp & __GFP_ZERO)
		memset(object, 0, slab_debug_size(cache, object));
	return object;
}

/* --- Free ---------------------------------------------------------------------------- */

static bool may_be_freed(struct kmem_cache *cache, struct page *slab, void *object)
{
	if (!(cache->flags & SLAB_CONSISTENCY_CHECKS))
		return true;
	if (!slab_check_slab(cache, slab))
		return false;
	if (!slab->inuse) {
		slab_empty_error(cache, slab, object);
		return false;
	}
	if (slab_on_freelist(cache, slab, object)) {
		slab_object_error(cache, slab, object, "Object already free");
		return false;
	}
	return slab_check_object(cache, slab, object, BYTE_RED_ACTIVE);
}

/*
 * Puts the object back on the freelist. A slab that becomes empty and is not needed moves to the
 * list `empty`.
 */
static void put_object_locked(struct kmem_cache *cache, struct page *slab, void *object,
			      struct list_head *empty)
{
	bool goes, was_full = !slab->on_partial;

	slab->inuse--;
	slab_link_write(cache, object, slab->freelist);
	atomic_signal_barrier();	/* see lock_lists() */
	slab->freelist = object;
	goes = !slab->inuse &&
	       cache->first_node.nr_partial >= atomic_load_relaxed(&cache->min_partial);
	if (was_full) {
		remove_full_locked(cache, slab);
		slab_add_partial_locked(&cache->first_node, slab, true);
	}
	if (was_full && !goes)
		slab_count(cache, SLAB_FREE_ADD_PARTIAL);
	if (!goes)
		return;
	if (!was_full)
		slab_count(cache, SLAB_FREE_REMOVE_PARTIAL);
	slab_retire_locked(cache, &cache->first_node, slab, empty);
}

/* freed: the track of the free; NULL if the track has been set already. */
static void give_locked(struct kmem_cache *cache, void *object, const struct slab_track *freed,
			struct list_head *empty)
{
	struct page *slab = slab_of(cache, object);

	slab_count(cache, SLAB_FREE_SLOWPATH);
	if (!may_be_freed(cache, slab, object)) {
		slab_fixed(cache, "Object at %p not freed", object);
		return;
	}
	if (freed)
		slab_track_set(cache, object, TRACK_FREE, freed);
	slab_trace(cache, slab, object, false);
	slab_clear_debugged(cache, object);
	if (cache->flags & SLAB_DEBUG_METADATA)
		slab_init_object(cache, object, BYTE_RED_INACTIVE);
	put_object_locked(cache, slab, object, empty);
}

static bool is_free_locked(const struct kmem_cache *cache, void *object)
{
	struct page *slab = slab_of(cache, object);
	struct slab_map map;

	slab_map_fill(&map, cache, slab);
	return map_has(&map, slab_index(cache, slab, object));
}

/* Is the object free? If so, reports it; without consistency checks that ends the process. */
static bool report_free_locked(struct kmem_cache *cache, void *object, const char *function,
			       const void *caller)
{
	if (!is_free_locked(cache, object))
		return false;
	if (!(cache->flags & SLAB_CONSISTENCY_CHECKS))
		slab_report_bad_free(function, object, caller);
	slab_object_error(cache, slab_of(cache, object), object, "Object already free");
	return true;
}

/*
 * An object that was deferred twice has made the list of deferred objects a circle: it is free
 * already when the walk meets it again. The deferred list goes through the object's link word,
 * so the link is reset first.
 */
static bool give_deferred_locked(struct kmem_cache *cache, void *object, struct list_head *empty)
{
	if (report_free_locked(cache, object, "kmem_cache_free", NULL)) {
		slab_fixed(cache, "Object at %p not freed", object);
		return false;
	}
	slab_link_write(cache, object, NULL);
	give_locked(cache, object, NULL, empty);
	return true;
}

void slab_debug_return_deferred(struct kmem_cache *cache, void *object)
{
	LIST_HEAD(empty);
	void *next;

	lock_lists(cache);
	for (; object; object = next) {
		next = slab_link_read(cache, object);
		if (!give_deferred_locked(cache, object, &empty))
			break;
	}
	unlock_lists(cache);
	slab_discard_list(cache, &empty);
}

bool slab_debug_is_object(const struct kmem_cache *cache, const void *object)
{
	return pointer_is_valid(cache, slab_of(cache, object), object);
}

bool slab_debug_check_pointer(struct kmem_cache *cache, void *object)
{
	if (slab_debug_is_object(cache, object))
		return true;
	slab_error(cache, slab_of(cache, object), "Invalid object pointer %p", object);
	return false;
}

bool slab_debug_check_in_use(struct kmem_cache *cache, void *object, const char *function,
			     const void *caller)
{
	bool is_free;

	if (!slab_debug_check_pointer(cache, object))
		return false;
	/* A signal handler that interrupted a holder of the lock skips this check. */
	if (!lock_lists_in_order(cache))
		return true;
	is_free = report_free_locked(cache, object, function, caller);
	if (!is_free && (cache->flags & SLAB_CONSISTENCY_CHECKS))
		slab_check_object(cache, slab_of(cache, object), object, BYTE_RED_ACTIVE);
	unlock_lists(cache);
	return !is_free;
}

/*
 * Does the object wait for the end of a grace period? Such an object must not be freed now: a free
 * fills the bytes through which the list of waiting objects goes.
 */
static bool report_waiting(struct kmem_cache *cache, void *object, const char *function,
			   const void *caller)
{
	if (!slab_rcu_hooks.has || !slab_rcu_hooks.has(object, cache->object_size))
		return false;
	if (!(cache->flags & SLAB_CONSISTENCY_CHECKS))
		slab_report_waiting(function, object, caller);
	slab_object_error(cache, slab_of(cache, object), object,
			  "Object waits for the end of a grace period to be freed");
	return true;
}

/*
 * Reports an address that is no object, or an object that waits for RCU. Needs no lock. Is called
 * first, because even deferring the object writes to it.
 */
static bool may_be_object(struct kmem_cache *cache, void *object, const char *function,
			  const void *caller)
{
	if (!(cache->flags & SLAB_CONSISTENCY_CHECKS) && !slab_debug_is_object(cache, object))
		slab_report_bad_free(function, object, caller);
	return slab_debug_check_pointer(cache, object) &&
	       !report_waiting(cache, object, function, caller);
}

bool slab_debug_check_later(struct kmem_cache *cache, void *object, const char *function,
			    const void *caller)
{
	bool is_free;

	if (!may_be_object(cache, object, function, caller))
		return false;
	/*
	 * A signal handler that interrupted a holder skips this check; the free at the end of the
	 * grace period repeats it.
	 */
	if (!lock_lists_in_order(cache))
		return true;
	is_free = report_free_locked(cache, object, function, caller);
	unlock_lists(cache);
	return !is_free;
}

/* A second free must not break the lists of a cache without consistency checks either. */
static void check_unchecked_locked(struct kmem_cache *cache, void *object, const char *function,
				   const void *caller)
{
	if (!(cache->flags & SLAB_CONSISTENCY_CHECKS) && is_free_locked(cache, object))
		slab_report_bad_free(function, object, caller);
}

/*
 * Frees in a signal handler that interrupted a holder of a lock: defers the object. That overwrites
 * the object's link. If the object is free already, the link belongs to a list. So this first looks
 * for the object in the lists, if this thread holds their lock and they cannot change.
 */
static void free_later(struct kmem_cache *cache, void *object, const struct slab_track *track,
		       const char *function, const void *caller)
{
	if (is_above_lists_holder(cache) &&
	    report_free_locked(cache, object, function, caller)) {
		slab_fixed(cache, "Object at %p not freed", object);
		return;
	}
	slab_track_set(cache, object, TRACK_FREE, track);
	slab_defer_object(cache, &cache->first_node, object);
}

void slab_debug_free(struct kmem_cache *cache, void *object, const char *function,
		     const void *caller)
{
	struct slab_track track;
	LIST_HEAD(empty);

	if (!may_be_object(cache, object, function, caller)) {
		slab_fixed(cache, "Object at %p not freed", object);
		return;
	}
	track = slab_track_take(cache, caller);
	slab_return_deferred(cache);
	if (!lock_lists_in_order(cache)) {
		free_later(cache, object, &track, function, caller);
		return;
	}
	check_unchecked_locked(cache, object, function, caller);
	give_locked(cache, object, &track, &empty);
	unlock_lists(cache);
	slab_discard_list(cache, &empty);
}

/* --- Sizes ----------------------------------------------------------------------------- */

bool slab_debug_knows_size(const struct kmem_cache *cache)
{
	return keeps_size(cache);
}

size_t slab_debug_size(const struct kmem_cache *cache, const void *object)
{
	size_t bytes = cache->object_size;

	/* An overflow may have overwritten the size that is kept behind the object. */
	return keeps_size(cache) ? min(*object_asked(cache, object), bytes) : bytes;
}

/*
 * The user gets the whole object. The new bytes are zeroed, since the object may come from
 * calloc().
 */
static void give_rest(struct kmem_cache *cache, void *object)
{
	size_t asked = slab_debug_size(cache, object);

	if (asked == cache->object_size)
		return;
	slab_debug_resize(cache, object, cache->object_size);
	memset((char *)object + asked, 0, cache->object_size - asked);
}

size_t slab_debug_usable(struct kmem_cache *cache, void *object)
{
	if (!slab_debug_check_pointer(cache, object))
		return 0;
	if (keeps_size(cache))
		give_rest(cache, object);
	return cache->usable_bytes;
}

void slab_debug_resize(struct kmem_cache *cache, void *object, size_t size)
{
	bool locked;

	if (!keeps_size(cache))
		return;
	/*
	 * A signal handler that interrupted a holder writes without the lock; a validation may then
	 * miss a fault.
	 */
	locked = lock_lists_in_order(cache);
	*object_asked(cache, object) = size;
	if (cache->flags & SLAB_RED_ZONE)
		memset((char *)object + size, BYTE_RED_ACTIVE, cache->object_size - size);
	if (locked)
		unlock_lists(cache);
}

FOR_KERNEL(slab_debug_check_later);
