/* SPDX-License-Identifier: MIT */
/*
 * A cache's slabs of one memory node: the list of those that have free objects, and how objects
 * are taken from them. slab_free.c is the way back. Nothing here knows how CPUs keep objects.
 */
#include "base/check.h"
#include "page/pageblock.h"
#include "page/zone.h"
#include "slab/cpu_cache.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/freeptr.h"
#include "slab/partial.h"
#include "slab/random.h"
#include "slab/slab_free.h"
#include "slab/small_slab.h"

/* --- Nodes ----------------------------------------------------------------- */

void slab_node_init(struct kmem_cache *cache, struct kmem_cache_node *node)
{
	node->cache = cache;
	lock_init(&node->lock, RANK_CACHE);
	INIT_LIST_HEAD(&node->partial);
	INIT_LIST_HEAD(&node->full);
}

struct kmem_cache_node *slab_node(const struct kmem_cache *cache, unsigned int nid)
{
	if (!nid)
		return (struct kmem_cache_node *)&cache->first_node;
	return cache->more_nodes && nid < nr_online_nodes ? &cache->more_nodes[nid - 1] : NULL;
}

struct kmem_cache_node *slab_node_of(struct kmem_cache *cache, const struct page *slab)
{
	if (likely(!cache->more_nodes))
		return &cache->first_node;
	return slab_node(cache, page_zone(slab)->node);
}

/* --- Lists; the node's lock is held ---------------------------------------- */

void slab_add_partial_locked(struct kmem_cache_node *node, struct page *slab, bool tail)
{
	if (tail)
		list_add_tail(&slab->lru, &node->partial);
	else
		list_add(&slab->lru, &node->partial);
	slab->on_partial = 1;
	atomic_store_relaxed(&node->nr_partial, node->nr_partial + 1);
}

void slab_remove_partial_locked(struct kmem_cache_node *node, struct page *slab)
{
	list_del(&slab->lru);
	slab->on_partial = 0;
	atomic_store_relaxed(&node->nr_partial, node->nr_partial - 1);
}

/* Counts a small slab that joins the node (nr is 1) or leaves it (nr is -1). */
static slow_path void count_small(const struct kmem_cache *cache, struct kmem_cache_node *node,
				  const struct page *slab, unsigned long nr)
{
	atomic_add_relaxed(&node->small_slabs, nr);
	atomic_add_relaxed(&node->objects_lacking, nr * (cache->objects - slab->objects));
}

void slab_count_new(struct kmem_cache *cache, struct kmem_cache_node *node,
		    const struct page *slab)
{
	if (slab_is_small(slab))
		count_small(cache, node, slab, 1);
	atomic_add_relaxed(&node->slabs_created, 1);
	slab_count(cache, SLAB_ALLOC_SLAB);
}

void slab_count_gone_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			    const struct page *slab)
{
	/* pairs with slab_node_nr_slabs() and slab_read_turnover(): slabs_created */
	atomic_store_release(&node->slabs_freed, node->slabs_freed + 1);
	slab_count(cache, SLAB_FREE_SLAB);
	if (slab_is_small(slab))
		count_small(cache, node, slab, -1UL);
}

void slab_enlist_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab)
{
	slab_count_new(cache, node, slab);
	slab_add_partial_locked(node, slab, false);
}

void slab_retire_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab, struct list_head *empty)
{
	slab_remove_partial_locked(node, slab);
	slab_count_gone_locked(cache, node, slab);
	list_add(&slab->lru, empty);
}

/* --- Taking ------------------------------------------------------------------ */

static void list_again(const struct kmem_cache *cache, void **objects, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		slab_mark_listed(cache, objects[i]);
}

/*
 * Pops up to n objects off the slab's freelist; returns how many. Links are read before the swap of
 * the slab's word: see slab_word.h.
 */
static unsigned int pop_locked(struct kmem_cache *cache, struct page *slab,
			       struct slab_word *word, void **objects, unsigned int n)
{
	void *object = word->freelist, *next;
	unsigned int taken = 0;

	for (; taken < n && !is_slab_token(object); object = next) {
		if (unlikely(!slab_listed_is_free(cache, slab, object)))
			slab_report_bad_freelist(cache, slab, object);
		next = slab_link_follow(cache, object);
		slab_mark_free(cache, object);
		objects[taken++] = object;
	}
	word->freelist = object;
	return taken;
}

/*
 * Carves up to n objects; returns how many. The inner loop stays in one page, so the compiler need
 * not read *word again after each store to objects[].
 */
static unsigned int carve_locked(struct kmem_cache *cache, struct page *slab,
				 struct slab_word *word, void **objects, unsigned int n)
{
	const size_t size = cache->size;
	unsigned int taken = 0;

	while (taken < n && word->carved < word->objects) {
		char *object = slab_first(cache, slab) + word->carved * size;
		unsigned int end;

		if (word->carved == word->opened)
			word->opened = slab_open_page(cache, slab, word->opened);
		end = taken + min(n - taken, 0u + word->opened - word->carved);
		word->carved = (uint16_t)(word->carved + end - taken);
		for (; taken < end; object += size)
			objects[taken++] = object;
	}
	return taken;
}

/*
 * Takes up to n free objects of an unfrozen slab, which has at least one. Changes nothing but
 * *word.
 */
static unsigned int take_free_locked(struct kmem_cache *cache, struct page *slab,
				     struct slab_word *word, void **objects, unsigned int n)
{
	unsigned int taken = pop_locked(cache, slab, word, objects, n);

	taken += carve_locked(cache, slab, word, objects + taken, n - taken);
	if (unlikely(!taken))	/* a write to a free object has broken the list */
		slab_report_bad_freelist(cache, slab, word->freelist);
	word->inuse = (uint16_t)(word->inuse + taken);
	return taken;
}

static unsigned int take_from_slab_locked(struct kmem_cache *cache, struct page *slab,
					  void **objects, unsigned int n, bool *full)
{
	struct slab_word old, new;
	unsigned int taken;

	while (true) {
		old = new = slab_word_read(slab);
		taken = take_free_locked(cache, slab, &new, objects, n);
		if (likely(slab_word_cas(slab, &old, &new)))
			break;
		/* The next try opens the same pages again, with the same effect. */
		list_again(cache, objects, taken - (new.carved - old.carved));
	}
	*full = new.inuse == new.objects;
	return taken;
}

static unsigned int take_from_partial_locked(struct kmem_cache *cache,
					     struct kmem_cache_node *node, void **objects,
					     unsigned int n)
{
	unsigned int taken = 0;
	bool full;

	while (taken < n && !list_empty(&node->partial)) {
		struct page *slab = list_first_entry(&node->partial, struct page, lru);

		taken += take_from_slab_locked(cache, slab, objects + taken, n - taken, &full);
		if (full)
			slab_remove_partial_locked(node, slab);
	}
	return taken;
}

unsigned int slab_pop_last(struct kmem_cache_node *node, void **objects, unsigned int n)
{
	struct kmem_cache *cache = node->cache;
	struct slab_word old, new;
	unsigned int taken = 0;
	struct page *slab;

	if (!lock_acquire_unless_handler(&node->lock))
		return 0;
	if (!list_empty(&node->partial)) {
		slab = list_last_entry(&node->partial, struct page, lru);
		for (;;) {
			old = new = slab_word_read(slab);
			taken = pop_locked(cache, slab, &new, objects, n);
			new.inuse = (uint16_t)(new.inuse + taken);
			if (likely(slab_word_cas(slab, &old, &new)))
				break;
			list_again(cache, objects, taken);
		}
		if (new.inuse == new.objects)
			slab_remove_partial_locked(node, slab);
		else
			list_move(&slab->lru, &node->partial);
	}
	lock_release(&node->lock);
	return taken;
}

static unsigned int take_from_node(struct kmem_cache *cache, struct kmem_cache_node *node,
				   void **objects, unsigned int n)
{
	unsigned int taken;

	if (!atomic_load_relaxed(&node->nr_partial) || !lock_acquire_unless_handler(&node->lock))
		return 0;
	taken = take_from_partial_locked(cache, node, objects, n);
	lock_release(&node->lock);
	if (taken)
		slab_count(cache, SLAB_ALLOC_FROM_PARTIAL);
	return taken;
}

/*
 * Takes up to n objects of a new slab. Nobody else knows the slab until it is on its list, so its
 * word is stored without a swap.
 */
static unsigned int take_from_new(struct kmem_cache *cache, struct page *slab, void **objects,
				  unsigned int n)
{
	struct kmem_cache_node *node = slab_node_of(cache, slab);
	struct slab_word word = slab_word_read(slab);
	unsigned int taken = take_free_locked(cache, slab, &word, objects, n);

	slab_word_set(slab, &word);
	if (word.inuse == word.objects) {
		slab_count_new(cache, node, slab);
	} else {
		lock_acquire(&node->lock);
		slab_enlist_locked(cache, node, slab);
		lock_release(&node->lock);
	}
	return taken;
}

struct kmem_cache_node *slab_node_here(struct kmem_cache *cache)
{
	struct kmem_cache_node *node = slab_node(cache, numa_mem_id());

	return node ? node : &cache->first_node;
}

/*
 * cf. Linux get_any_partial(). remote_node_defrag_ratio says how often other nodes' slabs are
 * looked at. With leaves_some other nodes keep the slabs that they need themselves; without it,
 * when there is no other memory, they do not.
 */
struct slab_remote slab_look_elsewhere(struct kmem_cache *cache, bool leaves_some)
{
	unsigned int ratio = atomic_load_relaxed(&cache->remote_node_defrag_ratio);
	struct slab_remote remote = { .cache = cache, .leaves_some = leaves_some };

	if (likely(!cache->more_nodes) ||
	    (leaves_some && (!ratio || slab_random_number() % 1024 > ratio)))
		return remote;
	remote.ref = NODE_DATA(numa_node_id())->node_zonelists[ZONELIST_FALLBACK].refs;
	return remote;
}

static bool has_to_spare(const struct slab_remote *remote, const struct kmem_cache_node *node)
{
	unsigned long nr = atomic_load_relaxed(&node->nr_partial);

	/* A cache that never frees its slabs lets every node have them. */
	if (!remote->leaves_some || cache_keeps_slabs(remote->cache))
		return nr;
	return nr > atomic_load_relaxed(&remote->cache->min_partial);
}

struct kmem_cache_node *slab_next_remote(struct slab_remote *remote)
{
	struct kmem_cache_node *here = slab_node_here(remote->cache), *node;

	for (; remote->ref && remote->ref->zone; remote->ref++) {
		node = slab_node(remote->cache, remote->ref->zone->node);
		if (node && node != here && has_to_spare(remote, node)) {
			remote->ref++;
			return node;
		}
	}
	return NULL;
}

static unsigned int take_elsewhere(struct kmem_cache *cache, void **objects, unsigned int n,
				   bool leaves_some)
{
	struct slab_remote remote = slab_look_elsewhere(cache, leaves_some);
	struct kmem_cache_node *node;
	unsigned int taken = 0;

	while (!taken && (node = slab_next_remote(&remote)))
		taken = take_from_node(cache, node, objects, n);
	return taken;
}

/* A thread that may not wait for the node's lock may not make a slab either. */
bool slab_may_take(struct kmem_cache *cache)
{
	if (!lock_may_wait(RANK_CACHE))
		return false;
	slab_return_deferred(cache);
	return true;
}

/* From the caller's node, then from others. */
unsigned int slab_take_partial(struct kmem_cache *cache, void **objects, unsigned int n)
{
	unsigned int taken = take_from_node(cache, slab_node_here(cache), objects, n);

	if (!taken)
		taken = take_elsewhere(cache, objects, n, true);
	slab_count_lossy(&cache->objects_up, taken);
	return taken;
}

/*
 * There is no memory for a new slab. But looking for memory made CPUs give back what they kept, so
 * slabs may have objects now.
 */
static unsigned int take_what_there_is(struct kmem_cache *cache, void **objects, unsigned int n)
{
	unsigned int taken = take_from_node(cache, slab_node_here(cache), objects, n);

	return taken ? taken : take_elsewhere(cache, objects, n, false);
}

unsigned int slab_take_new(struct kmem_cache *cache, struct page *slab, void **objects,
			   unsigned int n)
{
	unsigned int taken = slab ? take_from_new(cache, slab, objects, n) :
				    take_what_there_is(cache, objects, n);

	slab_count_lossy(&cache->objects_up, taken);
	return taken;
}

unsigned int slab_take_objects(struct kmem_cache *cache, gfp_t gfp, void **objects,
			       unsigned int n)
{
	gfp_t first = slab_gfp_before_victims(cache, gfp);
	unsigned int taken;

	if (!slab_may_take(cache))
		return 0;
	taken = slab_take_partial(cache, objects, n);
	if (!taken)
		taken = slab_take_new(cache, slab_new(cache, first, NUMA_NO_NODE), objects, n);
	if (!taken && first != gfp)
		taken = slab_take_new(cache, slab_new(cache, gfp, NUMA_NO_NODE), objects, n);
	return taken;
}

seldom_called void *slab_take_of_node(struct kmem_cache *cache, gfp_t gfp, unsigned int nid)
{
	struct kmem_cache_node *node = slab_node(cache, nid);
	void *object = NULL;
	struct page *slab;

	if (!lock_may_wait(RANK_CACHE))
		return NULL;
	slab_return_deferred(cache);
	if (node && take_from_node(cache, node, &object, 1))
		return object;
	/* cf. Linux mm/slub.c: ___slab_alloc() */
	if (!(gfp & __GFP_THISNODE))
		gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_THISNODE;
	slab = slab_new(cache, gfp, (int)nid);
	if (slab)
		take_from_new(cache, slab, &object, 1);
	else if (node)
		take_from_node(cache, node, &object, 1);
	return object;
}

/* --- As a whole ------------------------------------------------------------------ */

static void free_empty_of_node(struct kmem_cache *cache, struct kmem_cache_node *node)
{
	struct page *slab, *next;
	LIST_HEAD(empty);

	lock_acquire(&node->lock);
	list_for_each_entry_safe(slab, next, &node->partial, lru)
		if (!slab_word_read(slab).inuse)
			slab_retire_locked(cache, node, slab, &empty);
	lock_release(&node->lock);
	slab_discard_list(cache, &empty);
}

unsigned long slab_free_empty(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	slab_return_deferred(cache);
	for_each_kmem_cache_node(cache, node)
		free_empty_of_node(cache, node);
	return slab_nr_slabs(cache);
}

unsigned long slab_nr_slabs(const struct kmem_cache *cache)
{
	const struct kmem_cache_node *node;
	unsigned long nr = 0;

	for_each_kmem_cache_node(cache, node)
		nr += slab_node_nr_slabs(node);
	return nr;
}

/* How many pages fewer the small slabs have than as many usual slabs. */
static unsigned long pages_lacking(const struct kmem_cache *cache,
				   const struct kmem_cache_node *node)
{
	return atomic_load_relaxed(&node->small_slabs) *
	       ((1UL << cache->order) - (1UL << cache->min_order));
}

/* The two numbers are read at different moments, so pages_lacking() may be more than all pages. */
static unsigned long node_nr_pages(const struct kmem_cache *cache,
				   const struct kmem_cache_node *node)
{
	unsigned long pages = slab_node_nr_slabs(node) << cache->order;

	return pages - min(pages, pages_lacking(cache, node));
}

static unsigned long node_nr_objects(const struct kmem_cache *cache,
				     const struct kmem_cache_node *node)
{
	unsigned long objects = slab_node_nr_slabs(node) * cache->objects;

	return objects - min(objects, atomic_load_relaxed(&node->objects_lacking));
}

unsigned long slab_nr_pages(const struct kmem_cache *cache)
{
	const struct kmem_cache_node *node;
	unsigned long nr = 0;

	for_each_kmem_cache_node(cache, node)
		nr += node_nr_pages(cache, node);
	return nr;
}

void slab_read_turnover(const struct kmem_cache *cache, unsigned long *created,
			unsigned long *freed)
{
	const struct kmem_cache_node *node;

	*created = *freed = 0;
	for_each_kmem_cache_node(cache, node) {
		/* pairs with slab_count_gone_locked(), as in slab_node_nr_slabs(): slabs_created */
		*freed += atomic_load_acquire(&node->slabs_freed);
		*created += atomic_load_relaxed(&node->slabs_created);
	}
}

void slab_usage_add_node(struct kmem_cache *cache, struct kmem_cache_node *node,
			 struct slab_usage *usage)
{
	unsigned long objects, free = 0;
	const struct page *slab;

	lock_acquire(&node->lock);
	objects = node_nr_objects(cache, node);
	usage->slabs += slab_node_nr_slabs(node);
	usage->pages += node_nr_pages(cache, node);
	list_for_each_entry(slab, &node->partial, lru) {
		struct slab_word word = slab_word_read(slab);

		usage->partial++;
		usage->partial_inuse += word.inuse;
		usage->empty += !word.inuse;
		free += word.objects - word.inuse;
	}
	lock_release(&node->lock);
	usage->objects += objects;
	usage->inuse += objects - min(free, objects);
}

void slab_usage_read(struct kmem_cache *cache, struct slab_usage *usage)
{
	struct kmem_cache_node *node;

	*usage = (struct slab_usage){ 0 };
	for_each_kmem_cache_node(cache, node)
		slab_usage_add_node(cache, node, usage);
}

unsigned long slab_objects_in_use(struct kmem_cache *cache, struct slab_usage *usage)
{
	unsigned long cached = slab_cached_objects(cache);

	slab_usage_read(cache, usage);
	return usage->inuse - min(cached, usage->inuse);
}

FOR_KERNEL(slab_nr_pages);
FOR_KERNEL(slab_objects_in_use);
