/* SPDX-License-Identifier: MIT */
/* What CPUs keep in sheaves, and the traffic between them and the slabs. See slab.h. */
#include "page/pageblock.h"
#include "page/reclaim/release.h"
#include "page/zone.h"
#include "percpu/tagged_list.h"
#include "slab/clearing.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/sheaf/sheaf.h"
#include "slab/sheaf/sheaf_size.h"
#include "slab/slab_fast.h"
#include "slab/slab_free.h"
#include "usermm/fault.h"

/*
 * Objects moved between a sheaf and the slabs at a time, at most. They lie on the stack, which may
 * be that of a coroutine or a signal handler; so only functions that go no deeper than a node's
 * or a barn's lock have them there, and what comes before or behind them is their callers'.
 */
#define SLAB_BATCH_MAX 127
/* Objects of that size and more are likely to be in no cache of the processor's. */
#define PREFETCH_BYTES_MIN 512

/* Half a sheaf: it takes as many calls to be full or empty again. */
static unsigned int batch_size(const struct kmem_cache *cache)
{
	return clamp(cache->sheaf_limit / 2, 1u, (unsigned int)SLAB_BATCH_MAX);
}

/* --- Barns ------------------------------------------------------------------- */

static void return_batch(struct barn *barn, void **objects, unsigned int n)
{
	struct kmem_cache_node *node = (void *)((char *)barn -
						offsetof(struct kmem_cache_node, barn));

	slab_return_objects(node->cache, objects, n);
}

void slab_barns_init(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	for_each_kmem_cache_node(cache, node)
		barn_init(&node->barn, batch_size(cache), cache->size, return_batch);
}

/* Caches without sheaves have none. */
static void for_each_barn(struct kmem_cache *cache, void (*act)(struct barn *barn))
{
	struct kmem_cache_node *node;

	if (!cache->own_sheaf)
		return;
	for_each_kmem_cache_node(cache, node)
		act(&node->barn);
}

void slab_barns_close(struct kmem_cache *cache)
{
	for_each_barn(cache, barn_close);
}

void slab_barns_destroy(struct kmem_cache *cache)
{
	for_each_barn(cache, barn_destroy);
}

static void empty_barn(struct barn *barn)
{
	barn_shrink(barn, 0);
}

void slab_barns_empty(struct kmem_cache *cache)
{
	for_each_barn(cache, empty_barn);
}

/* Of the node that the caller runs on. */
static struct barn *barn_here(struct kmem_cache *cache)
{
	struct kmem_cache_node *node = slab_node(cache, numa_node_id());

	return node ? &node->barn : &cache->first_node.barn;
}

/* --- Taking ------------------------------------------------------------------ */

/* A glance, since whoever looks for many objects does not depend on a batch. */
unsigned int slab_take_batch(struct kmem_cache *cache, void **objects, size_t n)
{
	struct barn *barn = barn_here(cache);

	if (!cache->own_sheaf || n < barn->batch || !atomic_load_relaxed(&barn->nr))
		return 0;
	return barn_take(barn, objects);
}

/*
 * The next allocations write each object's mark. Where objects are large these writes miss,
 * one after the other, and the next lock has to wait for all of them.
 */
static __always_inline void prefetch_marks(const struct kmem_cache *cache, void *const *objects,
					   unsigned int n)
{
	if (cache->size < PREFETCH_BYTES_MIN)
		return;
	while (n--)
		__builtin_prefetch(cache->byte_marks ? (void *)byte_mark(objects[n]) :
							objects[n], 1);
}

/* An object that was free is the user's. */
static void hand_out(const struct kmem_cache *cache, void *object)
{
	if (unlikely(cache->is_hardened))
		slab_hardened_check_free(cache, object);
	if (slab_clears(cache))
		slab_clear_allocated(cache, object);
	slab_mark_in_use(cache, object);
}

/* Objects that have been taken go to the sheaf, but for the last one, which is the caller's. */
static __always_inline void *share_out(struct kmem_cache *cache, void **objects,
				       unsigned int taken, struct list_head *empty)
{
	unsigned int put;

	if (!taken)
		return NULL;
	taken--;
	put = percpu_push_n(cache->own_sheaf, objects, taken);
	if (put < taken)
		slab_return_begin(cache, objects + put, taken - put, empty);
	prefetch_marks(cache, objects, put);
	return objects[taken];
}

static noinline void *refill_from_barn(struct kmem_cache *cache, struct barn *barn,
				       unsigned int *due, struct list_head *empty)
{
	void *objects[SLAB_BATCH_MAX];
	unsigned int taken = barn_take_now(barn, objects, due);

	return share_out(cache, objects, taken, empty);
}

/* Partial slabs, or the new slab; see slab_take_new(). */
struct source {
	bool partial;
	struct page *slab;
};

/*
 * Which one of a cache's first objects the program gets first; then it gets those behind it, and
 * those before it last. Of most caches a program has a few objects, and may use them all the time.
 * Were each the first of its slab, and so of a page, the processor's first cache would have to
 * keep all of them in the same few sets, and loads would wait for stores to the same offset in
 * other pages. Bonwick's allocator coloured its slabs for that (1994), which would cost each free()
 * an instruction more, to find where an object begins.
 */
static unsigned int colour_of(const struct kmem_cache *cache, unsigned int nr)
{
	if (nr < 2 || slab_nr_slabs(cache) > 1)
		return 0;
	return 1 + (cache->size / 16 * FIBONACCI_MULTIPLIER >> 16) % (nr - 1);
}

/*
 * Links were looked at when they were followed. What comes from a barn has none, and whatever is
 * in their place was written to free objects.
 */
static noinline void *refill_from(struct kmem_cache *cache, struct source source,
				  unsigned int n, struct list_head *empty)
{
	void *objects[SLAB_BATCH_MAX];
	unsigned int first = 0;
	unsigned int taken = source.partial ? slab_take_partial(cache, objects, n) :
					      slab_take_new(cache, source.slab, objects, n);

	if (unlikely(cache->is_hardened))
		slab_hardened_clear_ends(cache, objects, taken);
	/*
	 * The last of them is handed out first. Slabs give theirs by rising address, and that is
	 * how the user shall have them, too: who goes through objects in the order of their making
	 * then goes through memory in the direction that processors foresee best.
	 */
	if (!source.partial)
		first = colour_of(cache, taken);
	reverse_pointers(objects, first);
	reverse_pointers(objects + first, taken - first);
	return share_out(cache, objects, taken, empty);
}

/* Part of their callers, since page_owner= has room for 16 of them. */
static __always_inline struct source new_source(struct kmem_cache *cache, gfp_t gfp)
{
	return (struct source){ .slab = slab_new(cache, gfp, NUMA_NO_NODE) };
}

static __always_inline void *refill_from_slabs(struct kmem_cache *cache, gfp_t gfp,
					       unsigned int n, struct list_head *empty)
{
	gfp_t first = slab_gfp_before_victims(cache, gfp);
	void *object;

	if (!slab_may_take(cache))
		return NULL;
	object = refill_from(cache, (struct source){ .partial = true }, n, empty);
	if (!object)
		object = refill_from(cache, new_source(cache, first), n, empty);
	if (unlikely(!object) && first != gfp)
		object = refill_from(cache, new_source(cache, gfp), n, empty);
	return object;
}

/*
 * One object for the caller, and what the sheaf then has room for, up to a batch. Objects that
 * nobody wants yet cost a page fault for each page of them: so it is good that rooms begin small.
 */
static noinline void *refill(struct kmem_cache *cache, gfp_t gfp)
{
	unsigned int room = sheaf_size_widen(cache), batch = batch_size(cache), due = 0;
	void *object = NULL;
	LIST_HEAD(empty);

	if (likely(room >= batch)) {
		struct barn *barn = barn_here(cache);

		object = refill_from_barn(cache, barn, &due, &empty);
		barn_catch_up(barn, due);
	}
	if (!object)
		object = refill_from_slabs(cache, gfp, clamp(room, 1u, batch), &empty);
	slab_discard_list(cache, &empty);
	decay_tick();
	if (!object)
		return NULL;
	slab_count(cache, SLAB_ALLOC_SLOWPATH);
	slab_count_lossy(&cache->refills, 1);
	return object;
}

static void *pop_cached(struct kmem_cache *cache)
{
	void *object = percpu_pop(cache->own_sheaf);

	if (object)
		slab_count(cache, SLAB_ALLOC_FASTPATH);
	return object;
}

/*
 * The fast path tried once; that may have been aborted, or need the lock. A sheaf that was never
 * refilled is not worth a page fault, but for the last of all objects, which was freed to it.
 */
static __always_inline void *alloc_cached(struct kmem_cache *cache, gfp_t gfp)
{
	bool was_refilled = atomic_load_relaxed(&cache->refills);
	void *object = was_refilled ? pop_cached(cache) : NULL;

	if (object)
		return object;
	object = refill(cache, gfp);
	return likely(object) || was_refilled ? object : pop_cached(cache);
}

/* Not marked as in use so far. Part of its callers, as refill_from_slabs(). */
static __always_inline void *alloc_anywhere(struct kmem_cache *cache, gfp_t gfp)
{
	return cache->own_freelist ? slab_freelist_alloc(cache, gfp) : alloc_cached(cache, gfp);
}

static noinline void *slab_alloc_dispatch(struct kmem_cache *cache, gfp_t gfp, size_t size,
				   const void *caller)
{
	void *object = NULL;

	if (!slab_cache_is_up(cache) || (slab_failslab_is_armed() && should_failslab(cache, gfp)))
		return NULL;
	if (unlikely(options.kfence_sample) && slab_kfence_is_due()) {
		object = slab_kfence_alloc(cache, gfp, size, caller);
		if (object)
			return object;
	}
	if (cache_is_debugged(cache))
		return slab_debug_alloc(cache, slab_clearing_gfp(cache, gfp), size, caller);
	object = alloc_anywhere(cache, gfp);
	if (object)
		hand_out(cache, object);
	return object;
}

/* The fast path of caches with a freelist begins here: others pay nothing for it. */
void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller)
{
	/* pairs with set_up(): the rest of the cache */
	struct percpu_tagged_list *list = atomic_load_acquire(&cache->freelist);
	void *object = NULL;

	if (list)
		object = percpu_tagged_pop_fast(list, cache->link_offset);
	if (unlikely(!object))
		return slab_alloc_dispatch(cache, gfp, size, caller);
	slab_mark_in_use(cache, object);
	return object;
}

/* --- Objects of a node ---------------------------------------------------- */

static bool is_of_node(const void *object, unsigned int nid)
{
	return page_zone(virt_to_page(object))->node == nid;
}

static void *pop_here(struct kmem_cache *cache)
{
	return cache->own_freelist ? percpu_tagged_pop(cache->own_freelist, cache->link_offset) :
				     percpu_pop(cache->own_sheaf);
}

static bool push_here(struct kmem_cache *cache, void *object)
{
	return cache->own_freelist ? slab_freelist_push(cache, object) :
				     percpu_push(cache->own_sheaf, object);
}

/* What the CPU hands out first, if it is of the node. */
static void *take_cached_of_node(struct kmem_cache *cache, unsigned int nid)
{
	void *object = pop_here(cache);

	if (!object || is_of_node(object, nid)) {
		slab_count_n(cache, SLAB_ALLOC_FASTPATH, !!object);
		return object;
	}
	slab_count(cache, SLAB_ALLOC_NODE_MISMATCH);
	if (!push_here(cache, object))
		slab_return_objects(cache, &object, 1);
	return NULL;
}

/* Is this a node that could be meant, and has memory? */
static bool is_node_with_memory(int nid)
{
	return nr_online_nodes > 1 && nid >= 0 && nid < (int)nr_online_nodes &&
	       NODE_DATA(nid)->node_zonelists[ZONELIST_NOFALLBACK].refs->zone;
}

void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller)
{
	void *object = NULL;

	if (!slab_cache_is_up(cache))
		return NULL;
	if (!is_node_with_memory(nid) || cache_is_debugged(cache))
		return slab_alloc_slow(cache, gfp, size, caller);
	if (slab_failslab_is_armed() && should_failslab(cache, gfp))
		return NULL;
	object = take_cached_of_node(cache, (unsigned int)nid);
	if (!object) {
		object = slab_take_of_node(cache, gfp, (unsigned int)nid);
		slab_count_n(cache, SLAB_ALLOC_SLOWPATH, !!object);
	}
	if (!object && !(gfp & __GFP_THISNODE))
		object = alloc_anywhere(cache, gfp);
	if (object)
		hand_out(cache, object);
	return object;
}

/* --- Giving back ---------------------------------------------------------- */

static bool push_cached(struct kmem_cache *cache, void *object)
{
	bool pushed = percpu_push(cache->own_sheaf, object);

	if (pushed)
		slab_count(cache, SLAB_FREE_FASTPATH);
	return pushed;
}

/* So many of the sheaf's objects make room for this one. */
static noinline void flush(struct kmem_cache *cache, void *object, unsigned int n,
			   struct barn *barn, unsigned int *due, struct list_head *empty)
{
	void *objects[SLAB_BATCH_MAX];
	unsigned int taken;

	/* Touched outside of the sequence; it is smaller than a page. */
	atomic_store_relaxed(&objects[0], NULL);
	atomic_store_relaxed(&objects[SLAB_BATCH_MAX - 1], NULL);
	taken = percpu_pop_n(cache->own_sheaf, objects, n);
	if (!taken || !percpu_push(cache->own_sheaf, object))
		slab_return_begin(cache, &object, 1, empty);
	if (taken && !barn_give_now(barn, objects, taken, due))
		slab_return_begin(cache, objects, taken, empty);
}

static noinline void free_to_sheaf(struct kmem_cache *cache, void *object)
{
	struct barn *barn;
	unsigned int room, n, due = 0;
	LIST_HEAD(empty);

	/* The fast path tried once; that may have been aborted, or need the lock. */
	if (push_cached(cache, object))
		return;
	room = sheaf_size_widen(cache);
	if (push_cached(cache, object))
		return;
	slab_count(cache, SLAB_FREE_SLOWPATH);
	n = min(batch_size(cache), (room + 1) / 2);
	barn = barn_here(cache);
	if (n == barn->batch)
		barn_make_room(barn);
	flush(cache, object, n, barn, &due, &empty);
	slab_return_end(cache, &empty);
	barn_catch_up(barn, due);
}

static noinline void free_slower(struct kmem_cache *cache, void *object)
{
	if (slab_clears(cache)) {
		slab_clear_freed(cache, object);
		slab_mark_free(cache, object);
	}
	slab_free_cleared(cache, object);
}

static void return_one(struct kmem_cache *cache, void *object)
{
	slab_count(cache, SLAB_FREE_SLOWPATH);
	slab_return_objects(cache, &object, 1);
}

void slab_free_cleared(struct kmem_cache *cache, void *object)
{
	if (!cache->own_freelist)
		free_to_sheaf(cache, object);
	else if (slab_freelist_push(cache, object))
		slab_count(cache, SLAB_FREE_FASTPATH);
	else
		return_one(cache, object);
}

/* As many at a time as the sheaf has room for; the next one makes room. */
void slab_free_cleared_n(struct kmem_cache *cache, void **objects, unsigned int n)
{
	for (unsigned int put = 0; put < n; put++) {
		if (likely(!cache->counts))
			put += percpu_push_n(cache->own_sheaf, objects + put, n - put);
		if (put < n)
			slab_free_cleared(cache, objects[put]);
	}
}

/* Without restartable sequences all frees come here. */
static noinline void free_locked(struct kmem_cache *cache, void *object)
{
	if (unlikely(!slab_keep_locked(cache, object)))
		free_slower(cache, object);
}

/* See slab_alloc_slow(). It has no frame if it ends here at once. */
void slab_free_slow(struct kmem_cache *cache, void *object)
{
	struct percpu_tagged_list *list;

	if (!percpu_has_sequences()) {
		free_locked(cache, object);
		return;
	}
	list = atomic_load_relaxed(&cache->freelist);
	if (!list || !percpu_tagged_push_fast(list, object, cache->link_offset,
					      slab_list_mask(cache)))
		free_slower(cache, object);
}

void slab_drain_all(struct kmem_cache *cache)
{
	slab_barns_empty(cache);
	for (unsigned int slot = 0; cache->own_freelist && slot < percpu_nr_slots(); slot++)
		slab_freelist_drain(cache, slot);
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);

		if (sheaf->count)
			slab_return_objects(cache, sheaf->items, sheaf->count);
		sheaf->count = 0;
	}
}

unsigned int slab_nr_cpu_slabs(const struct kmem_cache *cache)
{
	unsigned int nr = 0;

	for (unsigned int slot = 0; cache->own_freelist && slot < percpu_nr_slots(); slot++) {
		const struct percpu_tagged_list *list = percpu_ptr(cache->own_freelist, slot);

		nr += !!atomic_load_relaxed(&list->head);
	}
	return nr;
}

unsigned long slab_cached_objects(const struct kmem_cache *cache)
{
	const struct kmem_cache_node *node;
	unsigned long cached = slab_hardened_waiting(cache);

	for (unsigned int slot = 0; cache->own_freelist && slot < percpu_nr_slots(); slot++)
		cached += slab_freelist_cached(cache, slot);
	for_each_kmem_cache_node(cache, node)
		cached += barn_objects(&node->barn);
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);
		int32_t count = (int32_t)atomic_load_relaxed(&sheaf->count);

		/* A sheaf that somebody has stopped (percpu/remote.h) has less than none. */
		cached += (unsigned long)max(count, 0);
	}
	return cached;
}
