/* SPDX-License-Identifier: MIT */
/*
 * Objects go back into their slabs.
 *
 * A batch is taken apart into runs, each the objects of one slab. A run is linked and pushed
 * to its slab's freelist by one swap, without a lock (slab_word.h), unless the slab then
 * changes lists: a full one gets on the partial list, one whose last objects come leaves it.
 * Such runs wait until the others are done, and share one visit to the node's lock.
 *
 * What a program frees in the order that it came in is runs of many objects, so to look through
 * the batch for each run costs little. What it frees in any other is hardly ever two of a slab
 * in a row: once a run is seen to be short the rest goes back one by one, or is sorted if slabs
 * have so few objects that a run may be all of a full one.
 *
 * A run that is all that its slab has out is not even linked. If the slab is to go then
 * it goes as it is: nobody else has an object of it to push, and whoever would take from it or
 * freeze it needs the lock. So of large objects, whose lines are in no cache any more, none is
 * touched; of small ones only the marks are, which slab.c clears. (Sorting asks for lines before
 * it is known of which runs that is true: of few, where runs are short.)
 *
 * Whoever returns a batch has it on the stack, which may be a small one (a coroutine's, a signal
 * handler's). The way of a slab's pages is as deep again; so empty slabs wait on a list until the
 * batch is off the stack.
 */
#include <string.h>

#include "slab/debug/debug.h"
#include "slab/freeptr.h"
#include "slab/hardened/hardened.h"
#include "slab/partial.h"
#include "slab/slab_free.h"

/*
 * Objects among which those of one slab are looked for: each run passes all of them, and what is
 * sorted is copied to the stack.
 */
#define RUN_WINDOW 32u
/* After a run of so few, with at least so many left, it is not worth while to look for more. */
#define FEW_IN_RUN 3u
#define SCATTERED_MIN 12u
/* To ask for lines of smaller objects takes longer than it saves. */
#define LINK_PREFETCH_BYTES_MIN 128
_Static_assert(RUN_WINDOW <= UINT8_MAX, "places in it are bytes");
#define BUCKET_BITS 5
/* Runs that share a visit to the lock. */
#define WAITING_MAX 8u

/* Objects of one slab. */
struct run {
	struct page *slab;
	void **objects;
	uint16_t nr;
	bool linked;		/* the first is the last of a list that the last one heads */
};

/* Those that need the lock. */
struct waiting {
	unsigned int nr;
	struct run runs[WAITING_MAX];
};

/* --- Deferred objects --------------------------------------------------------- */

/*
 * The list is only ever pushed to and taken as a whole, so a head that is the same again
 * heads the same list.
 */
void slab_defer_object(struct kmem_cache *cache, struct kmem_cache_node *node, void *object)
{
	void *head = atomic_load_relaxed(&node->deferred);

	do {
		slab_link_write(cache, object, head);
		/* pairs with return_deferred(): the links */
	} while (!atomic_cas_release(&node->deferred, &head, object));
}

/* Objects of hardened caches are marked then, whether the run was linked or not. */
static void defer_run(struct kmem_cache *cache, struct kmem_cache_node *node,
		      const struct run *run)
{
	if (unlikely(cache->is_hardened) && !run->linked)
		slab_hardened_check_ends(cache, run->objects, run->nr);
	for (unsigned int i = 0; i < run->nr; i++) {
		if (unlikely(cache->is_hardened))
			slab_mark_free(cache, run->objects[i]);
		slab_defer_object(cache, node, run->objects[i]);
	}
}

/* --- Runs ------------------------------------------------------------------------ */

static uint8_t bucket_of(const struct kmem_cache *cache, const void *object)
{
	uint32_t page = (uint32_t)(slab_start_of(cache, object) >> PAGE_SHIFT);

	return (uint8_t)(page * FIBONACCI_MULTIPLIER >> (32 - BUCKET_BITS));
}

/*
 * Objects of one slab come to lie side by side, mostly: in between may be those of a slab whose
 * bucket is the same. Without branches, none of which could be foreseen. Their links are about
 * to be written, and each swap waits until they are.
 */
static noinline void sort_window(const struct kmem_cache *cache, void **objects, unsigned int n)
{
	uint8_t bucket[RUN_WINDOW], next[1 << BUCKET_BITS] = { 0 }, sum = 0;
	void *sorted[RUN_WINDOW];

	for (unsigned int i = 0; i < n; i++) {
		bucket[i] = bucket_of(cache, objects[i]);
		next[bucket[i]]++;
		if (cache->size < PAGE_SIZE)
			__builtin_prefetch(slab_link_word(cache, objects[i]), 1);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(next); i++) {
		uint8_t nr = next[i];

		next[i] = sum;
		sum = (uint8_t)(sum + nr);
	}
	for (unsigned int i = 0; i < n; i++)
		sorted[next[bucket[i]]++] = objects[i];
	memcpy(objects, sorted, n * sizeof(*sorted));
}

/*
 * Objects of the last one's slab: all, which are moved to the end of objects[0 .. n-1]; or those
 * that lie there side by side, and more runs of the slab may follow. *run is written where it
 * is used. As a value it would be copied before its parts have got from the processor's stores to
 * its cache, which takes longer than the rest.
 */
static void gather_run(const struct kmem_cache *cache, void **objects, unsigned int n,
		       bool side_by_side, struct run *run)
{
	unsigned long slab = slab_start_of(cache, objects[n - 1]);
	unsigned int first = n - 1;

	for (unsigned int i = first; i-- > 0;) {
		void *object = objects[i];

		if (slab_start_of(cache, object) == slab) {
			objects[i] = objects[--first];
			objects[first] = object;
		} else if (side_by_side) {
			break;
		}
	}
	run->slab = virt_to_page((void *)slab);
	run->objects = objects + first;
	run->nr = (uint16_t)(n - first);
	run->linked = false;
}

static void link_run(struct kmem_cache *cache, struct run *run)
{
	if (unlikely(cache->is_hardened))
		slab_hardened_check_ends(cache, run->objects, run->nr);
	for (unsigned int i = 0; i < run->nr; i++) {
		slab_mark_listed(cache, run->objects[i]);
		if (i)
			slab_link_write(cache, run->objects[i], run->objects[i - 1]);
	}
	run->linked = true;
}

/* Are so many all that is out of a slab that no CPU has? */
static __always_inline bool is_all(const struct slab_word *word, unsigned int nr)
{
	return !word->frozen && word->inuse == nr;
}

/*
 * Would the slab be on another list, or on none, when so many are back? Without a swap of two
 * words every push needs the lock.
 */
static __always_inline bool needs_lock(const struct slab_word *word, unsigned int nr)
{
	return !CAS16_SUPPORTED || is_all(word, nr) ||
	       (!word->frozen && word->inuse == word->objects);
}

/*
 * The swap that gives nr objects back, which are linked from the head down to the tail; false if
 * the slab's state asks for the lock, which the caller does not hold. *old is what the slab's
 * words were.
 *
 * The objects count in the slab's inuse until the swap, so nobody lets the slab go before, and
 * neither is touched behind it. Words that were read at two times make the swap fail, or the
 * answer false, and whoever has the lock reads them again. A head that is the same again is that
 * of a list as well: what is below it does not matter to a push.
 */
static __always_inline bool push_list(struct kmem_cache *cache, struct page *slab, void *head,
				      void *tail, unsigned int nr, bool locked,
				      struct slab_word *old)
{
	struct slab_word new;

	while (true) {
		*old = new = slab_word_read(slab);
		if (!locked && unlikely(needs_lock(old, nr)))
			return false;
		new.inuse = (uint16_t)(new.inuse - nr);
		slab_link_write(cache, tail, old->freelist);
		new.freelist = head;
		if (likely(slab_word_cas(slab, old, &new)))
			return true;
		slab_count(cache, SLAB_CMPXCHG_DOUBLE_FAIL);
	}
}

/* Of a linked run. */
static bool push_run(struct kmem_cache *cache, const struct run *run, bool locked,
		     struct slab_word *old)
{
	return push_list(cache, run->slab, run->objects[run->nr - 1], run->objects[0], run->nr,
			 locked, old);
}

/* Does the node have as many slabs with free objects as it keeps, an empty one more apart? */
static bool has_enough_locked(const struct kmem_cache *cache, const struct kmem_cache_node *node,
			      const struct page *slab)
{
	return node->nr_partial + !slab->on_partial > atomic_load_relaxed(&cache->min_partial);
}

/* A slab without objects leaves the node. */
static void drop_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab, struct list_head *empty)
{
	if (slab->on_partial) {
		slab_remove_partial_locked(node, slab);
		slab_count(cache, SLAB_FREE_REMOVE_PARTIAL);
	}
	slab_count_gone_locked(cache, node, slab);
	list_add(&slab->lru, empty);
}

/* The slab changes lists, as it seemed. */
static void return_run_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			      struct run *run, struct list_head *empty)
{
	struct slab_word old = slab_word_read(run->slab);

	if (is_all(&old, run->nr) && has_enough_locked(cache, node, run->slab)) {
		/* pairs with slab_word_cas(): others are through with what they gave back */
		(void)atomic_load_acquire(&run->slab->index);
		drop_locked(cache, node, run->slab, empty);
		return;
	}
	if (!run->linked)
		link_run(cache, run);
	push_run(cache, run, true, &old);
	if (old.frozen) {
		slab_count(cache, SLAB_FREE_FROZEN);
	} else if (is_all(&old, run->nr) && has_enough_locked(cache, node, run->slab)) {
		drop_locked(cache, node, run->slab, empty);
	} else if (old.inuse == old.objects) {
		slab_add_partial_locked(node, run->slab, false);
		slab_count(cache, SLAB_FREE_ADD_PARTIAL);
	}
}

static noinline void return_locked(struct kmem_cache *cache, struct run *runs, unsigned int nr,
				   struct list_head *empty)
{
	struct kmem_cache_node *held = NULL;

	for (struct run *run = runs; run < runs + nr; run++) {
		struct kmem_cache_node *node = slab_node_of(cache, run->slab);

		if (held != node) {
			if (held)
				lock_release(&held->lock);
			held = lock_acquire_unless_handler(&node->lock) ? node : NULL;
		}
		if (held)
			return_run_locked(cache, node, run, empty);
		else
			defer_run(cache, node, run);
	}
	if (held)
		lock_release(&held->lock);
}

static void return_waiting(struct kmem_cache *cache, struct waiting *waiting,
			   struct list_head *empty)
{
	return_locked(cache, waiting->runs, waiting->nr, empty);
	waiting->nr = 0;
}

/* Without the lock; false if it is needed. */
static bool return_run(struct kmem_cache *cache, struct run *run)
{
	struct slab_word old = slab_word_read(run->slab);

	if (is_all(&old, run->nr))
		return false;
	link_run(cache, run);
	if (!push_run(cache, run, false, &old))
		return false;
	if (old.frozen)
		slab_count(cache, SLAB_FREE_FROZEN);
	return true;
}

/* A run of one, without a look for more; false if the lock is needed. */
static __always_inline bool return_one_object(struct kmem_cache *cache, void *object)
{
	struct slab_word old;

	slab_mark_listed(cache, object);
	if (unlikely(!push_list(cache, slab_of(cache, object), object, object, 1, false, &old)))
		return false;
	if (unlikely(old.frozen))
		slab_count(cache, SLAB_FREE_FROZEN);
	return true;
}

/* From the last one on, until one needs the lock or none is left; how many are. */
static noinline unsigned int return_one_by_one(struct kmem_cache *cache, void *const *objects,
					       unsigned int n)
{
	while (n && return_one_object(cache, objects[n - 1]))
		n--;
	return n;
}

/* Each swap waits for the link that is written before it. */
static void prefetch_links(const struct kmem_cache *cache, void *const *objects, unsigned int n)
{
	if (cache->size >= LINK_PREFETCH_BYTES_MIN)
		while (n--)
			__builtin_prefetch(slab_link_word(cache, objects[n]), 1);
}

/*
 * Of slabs with more objects than are looked through no run is all of a full one, and it is not
 * worth while to look for one that is all of a slab with few objects out: that is linked for
 * nothing, but for the last. Objects that are checked on their way (hardened.h) are so once, as
 * runs: after a swap in vain the link is not what it is to be.
 */
static bool may_go_one_by_one(const struct kmem_cache *cache)
{
	return cache->objects > RUN_WINDOW && !cache->is_hardened;
}

static void return_window(struct kmem_cache *cache, void **objects, unsigned int n,
			  struct waiting *waiting, struct list_head *empty)
{
	bool are_scattered = false, one_by_one = false;

	while (n) {
		struct run *run = &waiting->runs[waiting->nr];

		gather_run(cache, objects, n, are_scattered, run);
		n -= run->nr;
		if (run->nr <= FEW_IN_RUN && n >= SCATTERED_MIN && !are_scattered) {
			are_scattered = true;
			one_by_one = may_go_one_by_one(cache);
			if (one_by_one)
				prefetch_links(cache, objects, n);
			else
				sort_window(cache, objects, n);
		}
		if (!return_run(cache, run) && ++waiting->nr == WAITING_MAX)
			return_waiting(cache, waiting, empty);
		if (one_by_one)
			n = return_one_by_one(cache, objects, n);
	}
}

void slab_return_begin(struct kmem_cache *cache, void **objects, unsigned int n,
		       struct list_head *empty)
{
	struct waiting waiting;
	unsigned int window;

	waiting.nr = 0;		/* the runs are written as they come */
	/* Of one alone this would be what CPUs meet at that free to each other's slabs. */
	if (n > 1)
		slab_count_lossy(&cache->flushes, 1);
	for (; n; n -= window, objects += window) {
		window = min(n, RUN_WINDOW);
		return_window(cache, objects, window, &waiting, empty);
	}
	if (waiting.nr)
		return_waiting(cache, &waiting, empty);
}

void slab_return_end(struct kmem_cache *cache, struct list_head *empty)
{
	slab_discard_list(cache, empty);
	slab_return_deferred(cache);
}

void slab_return_objects(struct kmem_cache *cache, void **objects, unsigned int n)
{
	LIST_HEAD(empty);

	slab_return_begin(cache, objects, n, &empty);
	slab_return_end(cache, &empty);
}

/* --- What was deferred -------------------------------------------------------------- */

static slow_path void return_deferred(struct kmem_cache *cache, struct kmem_cache_node *node)
{
	/* pairs with slab_defer_object() */
	void *next, *object = atomic_exchange_acquire(&node->deferred, NULL);
	LIST_HEAD(empty);

	if (cache_is_debugged(cache)) {
		slab_debug_return_deferred(cache, object);
		return;
	}
	for (; object; object = next) {
		struct run run = { .slab = slab_of(cache, object), .objects = &object, .nr = 1 };

		next = slab_link_follow_anywhere(cache, object);
		if (unlikely(cache->is_hardened))
			slab_hardened_take_back(cache, object);
		if (!return_run(cache, &run))
			return_locked(cache, &run, 1, &empty);
	}
	slab_discard_list(cache, &empty);
}

void slab_return_deferred(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	if (!lock_may_wait(RANK_CACHE))
		return;
	for_each_kmem_cache_node(cache, node)
		if (unlikely(atomic_load_relaxed(&node->deferred)))
			return_deferred(cache, node);
}
