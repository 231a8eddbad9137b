/* SPDX-License-Identifier: MIT */
/* Sheaves are refilled and flushed: sheaf_ops (cpu_cache.h). See sheaf.h. */
#include "slab/sheaf/sheaf.h"

#include "page/reclaim/decay.h"
#include "slab/cpu_cache.h"
#include "slab/debug/debug.h"
#include "slab/hardened/hardened.h"
#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/sheaf/cache_barns.h"
#include "slab/sheaf/sheaf_size.h"
#include "slab/shrink.h"
#include "slab/slab_fast.h"
#include "slab/slab_free.h"

/* Objects from this size on are seldom in the processor's caches. */
#define PREFETCH_BYTES_MIN 512

/* --- Taking ------------------------------------------------------------------ */

/*
 * Prefetches what the next allocations write: each object's mark. If objects are large, these
 * writes miss the caches one after the other, and the next locked instruction waits for all of
 * them.
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

/* The last of the taken objects is the caller's. The others go to the sheaf, or back to slabs. */
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
 * Which of the first slab's nr objects does the program get first? After it come those behind it,
 * and then those before it.
 *
 * A program has few objects of most caches, and may use these all the time. If each were the first
 * of its slab, and so of a page, all would share a few sets of the processor's first cache, and
 * loads would wait for stores to the same offset in other pages. Bonwick's allocator (1994)
 * coloured its slabs against that. Here colours would cost each free() one more instruction, to
 * find where an object begins.
 */
static unsigned int colour_of(const struct kmem_cache *cache, unsigned int nr)
{
	if (nr < 2 || slab_nr_slabs(cache) > 1)
		return 0;
	return 1 + (cache->size / 16 * FIBONACCI_MULTIPLIER >> 16) % (nr - 1);
}

/*
 * Refills the sheaf from slabs; returns the caller's object. A slab has written a link and a mark
 * into hardened objects; these are cleared here. The links were checked when they were followed.
 * Objects from a barn have neither: any byte there that is not 0 was written after the free.
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
	 * The last object in objects[] is handed out first. Slabs fill objects[] by rising address.
	 * The user shall get them by rising address, too: going through objects in the order of
	 * their allocation is then the direction that processors prefetch best.
	 */
	if (!source.partial)
		first = colour_of(cache, taken);
	reverse_pointers(objects, first);
	reverse_pointers(objects + first, taken - first);
	return share_out(cache, objects, taken, empty);
}

/*
 * Inlined up to slab_new(), since page_owner= keeps 16 callers and the program's must be among
 * them.
 */
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
 * Gets one object for the caller, and as many as the sheaf has room for, up to a batch. Objects
 * that nobody wants yet cost a page fault for each of their pages, so rooms begin small
 * (sheaf_size.h).
 */
static __always_inline void *refill(struct kmem_cache *cache, gfp_t gfp)
{
	bool is_wider;
	unsigned int room = sheaf_size_widen(cache, &is_wider), batch = sheaf_batch(cache);
	unsigned int due = 0;
	void *object = NULL;
	LIST_HEAD(empty);

	if (likely(room >= batch)) {
		struct barn *barn = slab_barn_here(cache);

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
 * Pops first: the fast path's one try may have been aborted, or may need the lock. If the cache was
 * never refilled, a look at the sheaf is not worth a page fault. Without memory it is looked at
 * after all: the last free object may have been freed to it.
 */
static void *sheaf_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	bool was_refilled = atomic_load_relaxed(&cache->refills);
	void *object = was_refilled ? pop_cached(cache) : NULL;

	if (object)
		return object;
	object = refill(cache, gfp);
	return likely(object) || was_refilled ? object : pop_cached(cache);
}

/* --- Giving back ---------------------------------------------------------- */

static bool push_cached(struct kmem_cache *cache, void *object)
{
	bool pushed = percpu_push(cache->own_sheaf, object);

	if (pushed)
		slab_count(cache, SLAB_FREE_FASTPATH);
	return pushed;
}

/*
 * Moves n of the sheaf's objects to the barn or to their slabs, and puts `object` into the sheaf.
 */
static noinline void flush(struct kmem_cache *cache, void *object, unsigned int n,
			   struct barn *barn, unsigned int *due, struct list_head *empty)
{
	void *objects[SLAB_BATCH_MAX];
	unsigned int taken;

	/*
	 * Touches all pages of the array before the sequence. It is smaller than a page: two at
	 * most.
	 */
	atomic_store_relaxed(&objects[0], NULL);
	atomic_store_relaxed(&objects[SLAB_BATCH_MAX - 1], NULL);
	taken = percpu_pop_n(cache->own_sheaf, objects, n);
	if (!taken || !percpu_push(cache->own_sheaf, object))
		slab_return_begin(cache, &object, 1, empty);
	if (taken && !barn_give_now(barn, objects, taken, due))
		slab_return_begin(cache, objects, taken, empty);
}

static void sheaf_free(struct kmem_cache *cache, void *object)
{
	struct barn *barn;
	unsigned int room, n, due = 0;
	bool is_wider;
	LIST_HEAD(empty);

	/* The fast path's one try may have been aborted, or may need the lock. */
	if (push_cached(cache, object))
		return;
	room = sheaf_size_widen(cache, &is_wider);
	if (is_wider && push_cached(cache, object))
		return;
	slab_count(cache, SLAB_FREE_SLOWPATH);
	n = min(sheaf_batch(cache), (room + 1) / 2);
	barn = slab_barn_here(cache);
	if (n == barn->batch)
		barn_make_room(barn);
	flush(cache, object, n, barn, &due, &empty);
	slab_return_end(cache, &empty);
	barn_catch_up(barn, due);
}

/*
 * Pushes as many objects as the sheaf has room for; the free of the next one makes room. If the
 * cache counts frees, it pushes them one by one.
 */
void sheaf_free_n(struct kmem_cache *cache, void **objects, unsigned int n)
{
	for (unsigned int put = 0; put < n; put++) {
		if (likely(!cache->counts))
			put += percpu_push_n(cache->own_sheaf, objects + put, n - put);
		if (put < n)
			sheaf_free(cache, objects[put]);
	}
}

/* --- The table of operations -------------------------------------------------- */

static size_t sheaf_bytes(const struct kmem_cache *cache)
{
	return sizeof(struct percpu_array) + cache->sheaf_room_max * sizeof(void *);
}

static void sheaf_set_up(struct kmem_cache *cache)
{
	if (cache_is_debugged(cache))
		return;
	/* In this order a slot's word of room is mostly in one page with the head of its sheaf. */
	sheaf_size_init(cache);
	cache->own_sheaf = cpu_cache_alloc(cache, sheaf_bytes(cache), CACHE_LINE_BYTES);
	if (!cache->own_sheaf) {
		sheaf_size_destroy(cache);
		return;
	}
	slab_barns_init(cache);
}

static void sheaf_show(struct kmem_cache *cache, bool shown)
{
	cache_show_sheaf(cache, shown ? cache->own_sheaf : NULL);
}

static void sheaf_destroy(struct kmem_cache *cache)
{
	sheaf_size_destroy(cache);
	percpu_free(cache->own_sheaf, sheaf_bytes(cache));
	sheaf_show(cache, false);
	cache->own_sheaf = NULL;
}

static void *sheaf_pop(struct kmem_cache *cache)
{
	return percpu_pop(cache->own_sheaf);
}

static bool sheaf_push(struct kmem_cache *cache, void *object)
{
	return percpu_push(cache->own_sheaf, object);
}

static void sheaf_drain(struct kmem_cache *cache)
{
	slab_barns_empty(cache);
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);

		if (sheaf->count)
			slab_return_objects(cache, sheaf->items, sheaf->count);
		sheaf->count = 0;
	}
}

static unsigned long sheaf_nr_objects(const struct kmem_cache *cache)
{
	const struct kmem_cache_node *node;
	unsigned long nr = slab_hardened_waiting(cache);

	for_each_kmem_cache_node(cache, node)
		nr += barn_objects(&node->barn);
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);
		int32_t count = (int32_t)atomic_load_relaxed(&sheaf->count);

		/* The count of a sheaf that is stopped (percpu/remote.h) is negative. */
		nr += (unsigned long)max(count, 0);
	}
	return nr;
}

static unsigned int sheaf_nr_slabs(const struct kmem_cache *cache)
{
	(void)cache;
	return 0;
}

const struct cpu_cache_ops sheaf_ops = {
	.set_up = sheaf_set_up,
	.destroy = sheaf_destroy,
	.show = sheaf_show,
	.alloc = sheaf_alloc,
	.free = sheaf_free,
	.pop = sheaf_pop,
	.push = sheaf_push,
	.take = sheaf_take,
	.put = sheaf_put,
	.empty = slab_empty_sheaves,
	.drain = sheaf_drain,
	.nr_objects = sheaf_nr_objects,
	.nr_slabs = sheaf_nr_slabs,
};
