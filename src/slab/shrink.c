/* SPDX-License-Identifier: MIT */
/*
 * Free objects leave the CPUs, and empty slabs leave the caches: on request, for one cache
 * (kmem_cache_shrink()) or for all, and bit by bit in the background.
 */
#include <limits.h>

#include "base/upward_hooks.h"
#include "os/lock.h"
#include "page/reclaim/release.h"
#include "percpu/remote.h"
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/hardened/hardened.h"
#include "slab/mixed/inside.h"
#include "slab/kfence/kfence.h"
#include "slab/mixed/mixed_source.h"
#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/sheaf/sheaf.h"
#include "slab/sheaf/sheaf_size.h"
#include "slab/shrink.h"
#include "slab/slab_free.h"
#include "slab/slab_word.h"

/* Slabs with at most SORTED_FREE_MAX free objects are sorted; the others follow unsorted. */
#define SORTED_FREE_MAX 32

struct lock slab_sheaves_lock;
/*
 * Objects on their way from a CPU to the slabs while all caches are gone through. They are not on
 * the stack, since the caller may have little of it. Sync: slab_caches_lock
 */
#define GATHERED_MAX (2 * QUARANTINE_HALF_MAX)
static void *gathered[GATHERED_MAX] __large_bss;
_Static_assert(GATHERED_MAX >= SHEAF_OBJECTS_MAX, "any array's objects");

/* Takes the second half of an array of two generations (percpu/generations.h), if in use. */
static unsigned int empty_second_half(struct percpu_stopped_array *stopped, unsigned int half,
				      void **objects)
{
	if (!half || stopped->limit != half)
		return 0;
	for (unsigned int i = 0; i < half; i++)
		objects[i] = percpu_stopped_item(stopped, half + i);
	stopped->limit = 2 * half;
	return half;
}

/*
 * Takes all that one CPU's array holds. `half` is the size of a generation, or 0 for a plain array.
 * If the array is a cache's sheaf whose room should become 0, too, `closing` is that cache; else it
 * is NULL.
 */
static unsigned int empty_array(struct percpu_array *array, unsigned int half, unsigned int slot,
				void **objects, struct kmem_cache *closing)
{
	struct percpu_stopped_array stopped;
	unsigned int nr = 0;

	if (!lock_acquire_unless_handler(&slab_sheaves_lock))
		return 0;
	if (!percpu_stop_array(array, slot, &stopped)) {
		for (; nr < stopped.count; nr++)
			objects[nr] = percpu_stopped_item(&stopped, nr);
		nr += empty_second_half(&stopped, half, objects + nr);
		stopped.count = 0;
		if (closing) {
			sheaf_size_close(closing, slot);
			stopped.limit = 0;
		}
		percpu_start_array(&stopped);
	}
	lock_release(&slab_sheaves_lock);
	return nr;
}

/* Touches the room for an array's objects, so that the sequence is not the first to touch it. */
static void touch(void **objects)
{
	atomic_store_relaxed(&objects[0], NULL);
	atomic_store_relaxed(&objects[SHEAF_OBJECTS_MAX - 1], NULL);
}

/* Pops all that this CPU's array holds. */
static unsigned int pop_all(struct percpu_array *array, void **objects)
{
	touch(objects);
	return percpu_pop_n(array, objects, SHEAF_OBJECTS_MAX);
}

/* If other CPUs cannot be stopped, this takes only this CPU's objects. */
void slab_empty_sheaves(struct kmem_cache *cache, void **objects)
{
	unsigned int nr;

	if (!cache->own_sheaf)
		return;
	while ((nr = pop_all(cache->own_sheaf, objects)))
		slab_return_objects(cache, objects, nr);
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);

		/* A plain read first: idle CPUs are not stopped. */
		if (!atomic_load_relaxed(&sheaf->count) && !sheaf_size_is_open(cache, slot))
			continue;
		nr = empty_array(cache->own_sheaf, 0, slot, objects, cache);
		if (nr)
			slab_return_objects(cache, objects, nr);
	}
}

/*
 * Moves the fullest slabs to the front, so that new objects fill them up and other slabs become
 * empty. cf. Linux mm/slub.c: __kmem_cache_do_shrink()
 */
static void sort_partial(struct kmem_cache_node *node)
{
	struct list_head sorted[SORTED_FREE_MAX];
	struct page *slab, *next;

	for (unsigned int i = 0; i < SORTED_FREE_MAX; i++)
		INIT_LIST_HEAD(&sorted[i]);
	lock_acquire(&node->lock);
	list_for_each_entry_safe(slab, next, &node->partial, lru) {
		struct slab_word word = slab_word_read(slab);
		unsigned int nr_free = (unsigned int)(word.objects - word.inuse);

		if (nr_free && nr_free <= SORTED_FREE_MAX)
			list_move(&slab->lru, &sorted[nr_free - 1]);
	}
	for (unsigned int i = SORTED_FREE_MAX; i-- > 0;)
		while (!list_empty(&sorted[i]))
			list_move(sorted[i].next, &node->partial);
	lock_release(&node->lock);
}

/*
 * Forgets the objects of the last sweep, which belong to others now: `usermm inspect PID leaks`
 * takes an object that a variable names as in use. The objects stand side by side, but touch() may
 * have written to the first place since.
 */
static void forget_gathered(void)
{
	gathered[0] = NULL;
	for (unsigned int i = 1; i < GATHERED_MAX && gathered[i]; i++)
		gathered[i] = NULL;
}

static bool has_objects(struct kmem_cache *cache)
{
	struct slab_usage usage;

	slab_usage_read(cache, &usage);
	return usage.inuse != 0;
}

/* Free objects of a hardened cache are all zero. This reports one that was written to. */
static void check_and_return(struct kmem_cache *cache, void **objects, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		slab_hardened_check_free(cache, objects[i]);
	if (nr)
		slab_return_objects(cache, objects, nr);
}

/*
 * Checks and returns all objects of an array, of this CPU and of others. Stops at most `stops`
 * arrays of other CPUs and returns how many. half: as for empty_array(). Adds the objects to
 * *swept, by slab_count_lossy(). From here to decay() the caller holds slab_caches_lock.
 */
static seldom_called unsigned int sweep_array(struct kmem_cache *cache, struct percpu_array *array,
				unsigned int half, unsigned int stops, unsigned long *swept)
{
	unsigned int done = 0, nr = pop_all(array, gathered);

	check_and_return(cache, gathered, nr);
	slab_count_lossy(swept, nr);
	for (unsigned int slot = 0; done < stops && slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *there = percpu_ptr(array, slot);

		if (!percpu_generations_nr(there, half))
			continue;
		nr = empty_array(array, half, slot, gathered, NULL);
		check_and_return(cache, gathered, nr);
		slab_count_lossy(swept, nr);
		done++;
	}
	return done;
}

static seldom_called unsigned int sweep_quarantine(struct kmem_cache *cache, unsigned int stops)
{
	unsigned int half = cache->quarantine_half;

	touch(gathered);
	/*
	 * This CPU's two generations. sweep_array() then pops what is left, as from a plain array.
	 * Only a thread that may stop an array of two generations may pop from it: here the holder
	 * of slab_caches_lock.
	 */
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int nr = slab_quarantine_take(cache, gathered, 0);

		check_and_return(cache, gathered, nr);
		slab_count_lossy(&cache->passed_quarantine, nr);
	}
	return sweep_array(cache, slab_quarantine(cache), half, stops, &cache->passed_quarantine);
}

/* Takes at most `batches` batches from the cache's barns; returns how many. */
static unsigned int sweep_barns(struct kmem_cache *cache, unsigned int batches)
{
	struct kmem_cache_node *node;
	unsigned int done = 0, nr;

	for_each_kmem_cache_node(cache, node)
		while (done < batches && atomic_load_relaxed(&node->barn.nr) &&
		       (nr = barn_take(&node->barn, gathered))) {
			check_and_return(cache, gathered, nr);
			done++;
		}
	return done;
}

/*
 * The most that one sweep does. To stop another CPU's array may take tens of microseconds; a batch
 * takes about five.
 */
#define SWEEP_STOPS 200
#define SWEEP_BATCHES 1000

seldom_called void slab_hardened_sweep(void)
{
	unsigned int stops = SWEEP_STOPS, batches = SWEEP_BATCHES;
	unsigned long unused = 0;
	struct kmem_cache *cache;

	if (!lock_acquire_unless_handler(&slab_caches_lock))
		return;
	list_for_each_entry(cache, &slab_caches, caches) {
		if (!cache->is_hardened)
			continue;
		stops -= sweep_quarantine(cache, stops);
		if (!cache->own_sheaf)
			continue;
		stops -= sweep_array(cache, cache->own_sheaf, 0, stops, &unused);
		batches -= sweep_barns(cache, batches);
	}
	forget_gathered();
	lock_release(&slab_caches_lock);
}

/* objects: room for SHEAF_OBJECTS_MAX objects on their way. */
static void empty_cpus(struct kmem_cache *cache, void **objects)
{
	cache->cpu_ops->empty(cache, objects);
}

/*
 * Empties the quarantine if nothing was freed since the last call, so that all objects in it have
 * waited that long. Objects freed during the sweep may leave, too. Each waiting object keeps its
 * slab; with many sizes such slabs were a quarter of the memory.
 */
static void decay_quarantine_locked(struct kmem_cache *cache)
{
	if (slab_hardened_frees(cache) == cache->frees_seen)
		sweep_quarantine(cache, UINT_MAX);
	cache->frees_seen = slab_hardened_frees(cache);
}

static unsigned long moves_of(const struct kmem_cache *cache)
{
	return atomic_load_relaxed(&cache->refills) + atomic_load_relaxed(&cache->flushes);
}

/* Empties the CPUs' arrays if no CPU took or gave a batch of the cache since the last round. */
static void decay_cache_locked(struct kmem_cache *cache)
{
	bool is_idle = moves_of(cache) == cache->moves_seen;

	cache->idle_rounds = is_idle ? cache->idle_rounds + 1 : 0;
	if (cache->is_hardened)
		decay_quarantine_locked(cache);
	if (is_idle)
		empty_cpus(cache, gathered);
}

/*
 * Frees the empty slabs of an idle cache, after the objects of CPUs and barns have come back to
 * their slabs. After ROUNDS_WITH_EMPTY idle rounds there are none.
 */
#define ROUNDS_WITH_EMPTY 3

static void end_round_locked(struct kmem_cache *cache)
{
	if (cache->idle_rounds && cache->idle_rounds <= ROUNDS_WITH_EMPTY &&
	    !cache_keeps_slabs(cache))
		slab_free_empty(cache);
	/* Once, when nothing more comes back by itself. */
	if (cache->idle_rounds == ROUNDS_WITH_EMPTY)
		slab_release_inside(cache);
	cache->moves_seen = moves_of(cache);
}

/*
 * The first loop asks which caches had moves since the last round. Batches that decay() itself
 * gives back count as moves, too. So the last loop reads the counts again: then these moves make no
 * cache seem to be in use.
 */
static size_t decay(void)
{
	struct kmem_cache *cache;
	size_t went;

	if (lock_acquire_unless_handler(&slab_caches_lock)) {
		list_for_each_entry(cache, &slab_caches, caches)
			decay_cache_locked(cache);
		forget_gathered();
		lock_release(&slab_caches_lock);
	}
	barn_budget_decay();
	if (lock_acquire_unless_handler(&slab_caches_lock)) {
		list_for_each_entry(cache, &slab_caches, caches)
			end_round_locked(cache);
		lock_release(&slab_caches_lock);
	}
	/* What goes back in one round may allow more to go back in the next. */
	went = slab_mixed_decay() * PAGE_SIZE;
	return went + (percpu_can_stop() ? barn_budget_reserved_bytes() : 0);
}

/*
 * Gives all free memory of CPUs, barns, quarantines and caches back to the page allocator. Returns
 * how many pages of slabs went back to the system.
 */
static unsigned long give_back(void)
{
	struct kmem_cache *cache;
	unsigned long pages = 0;

	barn_budget_release(~0UL);
	if (!lock_acquire_unless_handler(&slab_caches_lock))
		return 0;
	list_for_each_entry(cache, &slab_caches, caches) {
		if (cache->is_hardened)
			sweep_quarantine(cache, UINT_MAX);
		empty_cpus(cache, gathered);
		if (!cache_keeps_slabs(cache))
			slab_free_empty(cache);
		pages += slab_release_inside(cache);
	}
	forget_gathered();
	lock_release(&slab_caches_lock);
	return pages + slab_mixed_give_back();
}

void slab_shrink_init(void)
{
	lock_init(&slab_sheaves_lock, RANK_SHEAVES);
}

void slab_shrink_begin(void)
{
	release_set_keeper(give_back, decay);
}

int kmem_cache_shrink(struct kmem_cache *cache)
{
	void *objects[SHEAF_OBJECTS_MAX];
	struct kmem_cache_node *node;
	unsigned long remaining;

	empty_cpus(cache, objects);
	slab_barns_empty(cache);
	if (cache_keeps_slabs(cache))	/* and has no guarded objects */
		return has_objects(cache);
	remaining = slab_free_empty(cache);
	for_each_kmem_cache_node(cache, node)
		sort_partial(node);
	return remaining || slab_kfence_objects(cache);
}
