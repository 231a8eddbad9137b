/* SPDX-License-Identifier: MIT */
/*
 * Objects go back into their slabs.
 *
 * Runs. A batch is taken apart into runs; a run is the objects of one slab. A run is linked and
 * pushed to the slab's freelist by one swap, without a lock (slab_word.h). The lock is needed only
 * if the slab changes lists: a full slab gets on the partial list, and a slab whose last objects
 * come back leaves the list. Runs of such slabs wait until the others are done, and share one visit
 * to the node's lock.
 *
 * Finding runs. If a program frees objects in the order of their allocation, runs are long, and
 * looking through the batch for each run costs little. In any other order a batch hardly ever has
 * two objects of a slab in a row. Once a run is short, the rest goes back one by one. Where slabs
 * have few objects, a run may be all objects of a full slab; then the rest is sorted instead.
 *
 * Empty slabs. A run may be all objects that its slab has out. If that slab is to be freed, the run
 * is not even linked: nobody else has an object to push to the slab, and taking from the slab or
 * freezing it needs the lock. So large objects, which have left the processor's caches, are not
 * touched; of small objects slab.c clears the marks. (Sorting prefetches the lines of all runs,
 * also of those that are never linked. Where runs are short, these are few.)
 *
 * The stack. The caller has the batch on the stack, which may be small (a coroutine's or a signal
 * handler's). Freeing a slab's pages needs as much stack again. So empty slabs wait on a list until
 * the batch is off the stack: slab_return_begin(), slab_return_end().
 */
#include <string.h>

#include "slab/debug/debug.h"
#include "slab/freeptr.h"
#include "slab/hardened/hardened.h"
#include "slab/mixed/mixed.h"
#include "slab/partial.h"
#include "slab/slab_free.h"

/*
 * How many objects of the batch are looked at for one run. The search for each run goes through
 * this many, and sorting copies them to the stack.
 */
#define RUN_WINDOW 32u
/*
 * After a run of at most FEW_IN_RUN objects, with at least SCATTERED_MIN objects left, looking for
 * more runs costs more than it saves.
 */
#define FEW_IN_RUN 3u
#define SCATTERED_MIN 12u
/* Prefetching the links of smaller objects takes longer than it saves. */
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
	bool linked;		/* into a list from objects[nr - 1] down to objects[0] */
};

/* Runs that need the lock. */
struct waiting {
	unsigned int nr;
	struct run runs[WAITING_MAX];
};

/* --- Deferred objects --------------------------------------------------------- */

/*
 * Lock-free: objects are only pushed, and the list is only taken as a whole. So if the head is the
 * same again (ABA), it heads the same list.
 */
void slab_defer_object(struct kmem_cache *cache, struct kmem_cache_node *node, void *object)
{
	void *head = atomic_load_relaxed(&node->deferred);

	do {
		slab_link_write(cache, object, head);
		/* pairs with return_deferred(): the links */
	} while (!atomic_cas_release(&node->deferred, &head, object));
}

/* Deferred objects of hardened caches are marked, whether the run was linked or not. */
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
 * Sorts by bucket, so that objects of one slab mostly lie side by side; objects of another slab in
 * the same bucket may lie between them. There are no branches that depend on the objects, since no
 * processor could predict them. The links are prefetched: they are written next, and each swap
 * waits for these writes.
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
 * Makes a run of the objects that lie in the slab of objects[n - 1]. The run stands at the end of
 * objects[0 .. n-1]: all objects of that slab, moved there; or with side_by_side only those that
 * stand there already, and more runs of the slab may follow.
 *
 * The run is written in place through a pointer. Returned as a value it would be copied while its
 * fields are still in the processor's store buffer, which takes longer than all the rest.
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

/* Are nr objects all that the slab has out, and has no CPU the slab for itself? */
static __always_inline bool is_all(const struct slab_word *word, unsigned int nr)
{
	return !word->frozen && word->inuse == nr;
}

/*
 * Would the slab change lists when nr objects are back? On a processor that cannot swap two words
 * every push needs the lock.
 */
static __always_inline bool needs_lock(const struct slab_word *word, unsigned int nr)
{
	return !CAS16_SUPPORTED || is_all(word, nr) ||
	       (!word->frozen && word->inuse == word->objects);
}

/*
 * Gives back nr objects, linked from head down to tail, by one swap of the slab's words. *old is
 * what the words were. False, and the slab is as it was, if the slab's state needs the lock and the
 * caller does not hold it.
 *
 * Why it is safe without the lock:
 *
 * - Until the swap the objects count in the slab's inuse, so nobody frees the slab. After the swap
 *   neither slab nor objects are touched.
 * - The two words may be read at different moments. Then the swap fails, or the answer is false,
 *   and the caller reads them again with the lock.
 * - ABA: if the head is the same again, it is the head of a list again. A push does not depend on
 *   what is below the head.
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

/* push_list() of a linked run. */
static bool push_run(struct kmem_cache *cache, const struct run *run, bool locked,
		     struct slab_word *old)
{
	return push_list(cache, run->slab, run->objects[run->nr - 1], run->objects[0], run->nr,
			 locked, old);
}

/* Without this slab, does the node have as many slabs with free objects as it keeps? */
static bool has_enough_locked(const struct kmem_cache *cache, const struct kmem_cache_node *node,
			      const struct page *slab)
{
	return node->nr_partial + !slab->on_partial > atomic_load_relaxed(&cache->min_partial);
}

/* A slab with no object in use leaves the node, for the list `empty`. */
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

/* Returns a run whose slab seemed to change lists. Looks again, with the lock. */
static void return_run_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			      struct run *run, struct list_head *empty)
{
	struct slab_word old = slab_word_read(run->slab);

	/* make_locked() in mixed_make.c changed the word and made the map under this lock. */
	if (unlikely(slab_word_is_mixed(&old))) {
		slab_mixed_take_back(run->objects, run->nr, empty);
		return;
	}
	if (is_all(&old, run->nr) && has_enough_locked(cache, node, run->slab)) {
		/* pairs with slab_word_cas(): what others did before they gave objects back */
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

/* Returns a run without the lock; false if the lock is needed. */
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

/* Returns a run of one object; false if the lock is needed. */
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

/* Returns objects from the last one on, until one needs the lock. Returns how many are left. */
static noinline unsigned int return_one_by_one(struct kmem_cache *cache, void *const *objects,
					       unsigned int n)
{
	while (n && return_one_object(cache, objects[n - 1]))
		n--;
	return n;
}

/* Prefetches the objects' links: these are written next, and each swap waits for such a write. */
static void prefetch_links(const struct kmem_cache *cache, void *const *objects, unsigned int n)
{
	if (cache->size >= LINK_PREFETCH_BYTES_MIN)
		while (n--)
			__builtin_prefetch(slab_link_word(cache, objects[n]), 1);
}

/*
 * May the rest of a window go back object by object, not in runs?
 *
 * If a slab holds more objects than the window, no run can be all of a full slab. A run could be
 * all of a slab with few objects out, but looking for one costs more than linking its objects,
 * which is all that is lost.
 *
 * Objects of hardened caches go back as runs: each is checked once, before its link is written. A
 * failed swap has already written the link, and the check would then report it.
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

	waiting.nr = 0;		/* runs[] is written as runs come */
	/* Not for one object: CPUs that free to each other's slabs would all write the counter. */
	if (n > 1)
		slab_count_lossy(&cache->flushes, 1);
	for (; n; n -= window, objects += window) {
		window = min(n, RUN_WINDOW);
		return_window(cache, objects, window, &waiting, empty);
	}
	if (waiting.nr)
		return_waiting(cache, &waiting, empty);
}

void slab_return_objects(struct kmem_cache *cache, void **objects, unsigned int n)
{
	LIST_HEAD(empty);

	slab_return_begin(cache, objects, n, &empty);
	slab_return_end(cache, &empty);
}

/* --- Returning deferred objects ----------------------------------------------------- */

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
