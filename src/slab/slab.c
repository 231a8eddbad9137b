/* SPDX-License-Identifier: MIT */
/* Slabs come and go. See slab.h. */
#include "base/check.h"
#include "mm/page_flags.h"
#include "page/debug/hooks.h"
#include "page/gfp.h"
#include "page/pageblock.h"
#include "page/reclaim/limits.h"
#include "page/reclaim/oom.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/freeptr.h"
#include "slab/mixed/mixed.h"
#include "slab/partial.h"
#include "slab/random.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/small_slab.h"

/*
 * Opens all objects that start in the same page as the next object. From here on the pages up to
 * this one name the cache.
 */
uint16_t slab_open_page(struct kmem_cache *cache, struct page *slab, uint16_t opened)
{
	char *start = page_address(slab);
	char *object = slab_first(cache, slab) + (unsigned long)opened * cache->size;
	unsigned long page = (unsigned long)(object - start) >> PAGE_SHIFT;
	unsigned long left = PAGE_SIZE - (unsigned long)object % PAGE_SIZE;
	struct kmem_cache **first = mm_slab_cache(slab), **named = first + page;
	unsigned int nr = (unsigned int)DIV_ROUND_UP(left, (unsigned long)cache->size);

	ASSERT(opened < slab->objects);
	nr = min(nr, 0u + slab->objects - opened);
	slab_mark_free_n(cache, object, nr);
	/*
	 * From here on a free looks at the marks, so they are written before this release. The load
	 * in cache_of_online() is relaxed: an object's owner got it by a hand-over that orders
	 * memory itself. A free of a wrong address sees the marks if its processor keeps loads in
	 * order, as x86-64 does; others may miss the mistake.
	 *
	 * The page's own word is NULL, or already the cache if the page is opened again. It need
	 * not be read: in new memory of the table a read would be one more page fault.
	 */
	do
		atomic_store_release(named, cache);
	while (named-- > first && !*named);
	return (uint16_t)(opened + nr);
}

static void construct_all(struct kmem_cache *cache, struct page *slab)
{
	struct slab_word word = slab_word_read(slab);
	char *object = slab_first(cache, slab);

	while (word.opened < word.objects)
		word.opened = slab_open_page(cache, slab, word.opened);
	for (unsigned int i = 0; i < word.objects; i++, object += cache->size)
		cache->ctor(object);
	slab_word_set(slab, &word);
}

/* Opens all objects at once, since the random list may name any of them. */
static void open_in_random_order(struct kmem_cache *cache, struct page *slab)
{
	struct slab_word word = slab_word_read(slab);

	while (word.opened < word.objects)
		word.opened = slab_open_page(cache, slab, word.opened);
	word.carved = word.objects;
	for (unsigned int i = 0; i < word.objects && !cache_is_debugged(cache); i++)
		slab_mark_listed(cache, slab_first(cache, slab) + (size_t)i * cache->size);
	word.freelist = slab_random_freelist(cache, slab);
	slab_word_set(slab, &word);
}

/* A block of a node, without references. */
static struct page *alloc_node_pages(gfp_t gfp, unsigned int order, int nid)
{
	struct page *page = __alloc_pages(gfp, order, nid, NULL);

	if (page)
		atomic_store_relaxed(&page->_refcount, 0);
	return page;
}

/*
 * The flags of a request that the pages get: how to allocate, and on which node. The cache says
 * where pages lie and how they move. cf. Linux new_slab(), where these two sets are
 * GFP_RECLAIM_MASK and GFP_CONSTRAINT_MASK.
 */
#define GFP_HOW_MASK								\
	(__GFP_RECLAIM | __GFP_HIGH | __GFP_IO | __GFP_FS | __GFP_NOWARN |	\
	 __GFP_RETRY_MAYFAIL | __GFP_NOFAIL | __GFP_NORETRY | __GFP_MEMALLOC |	\
	 __GFP_NOMEMALLOC | __GFP_NOLOCKDEP)
#define GFP_NODE_MASK (__GFP_HARDWALL | __GFP_THISNODE)

/*
 * Slabs of several pages are compound pages, so compound_head() finds their head. Inline in every
 * build: page_owner=1 keeps 16 callers, and the program's own must be among them.
 */
static __always_inline struct page *alloc_slab_pages(gfp_t gfp, unsigned int order, int nid)
{
	struct page *slab = nid == NUMA_NO_NODE ? alloc_frozen_pages(gfp, order) :
						  alloc_node_pages(gfp, order, nid);

	if (slab && order) {
		slab->order = (uint8_t)order;
		page_set_flags(slab, PG_head);
	}
	return slab;
}

/*
 * May the new slab be a small one? Not with fault injection: one injected fault then is one
 * failure.
 */
static bool may_be_small(const struct kmem_cache *cache)
{
	return cache->min_order < cache->order && likely(!(page_hooks() & HOOK_FAULTS));
}

/*
 * Tries a usual slab without reclaim, then a small one with the request's own flags: nobody waits
 * for a large block where a small one would do.
 */
static struct page *alloc_either(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	gfp_t modest = (gfp & ~__GFP_NOFAIL) | __GFP_NOWARN | __GFP_NORETRY;
	struct page *slab;

	if (gfp & __GFP_DIRECT_RECLAIM)
		modest = (modest & ~__GFP_RECLAIM) | __GFP_NOMEMALLOC;
	slab = alloc_slab_pages(modest, cache->order, nid);
	if (likely(slab))
		return slab;
	slab = alloc_slab_pages(gfp, cache->min_order, nid);
	if (slab) {
		slab_make_small(cache, slab);
		slab_count(cache, SLAB_ORDER_FALLBACK);
	}
	return slab;
}

/*
 * Prefault a slab if all of its pages will be written to: objects start in each page, and the cache
 * needed a slab before this one. For a cache's first slab nobody knows.
 */
static gfp_t prefault_flag(const struct kmem_cache *cache)
{
	unsigned long created, freed;

	if (cache->size > PAGE_SIZE || page_hooks())
		return 0;
	slab_read_turnover(cache, &created, &freed);
	return created ? GFP_PREFAULT : 0;
}

static struct page *alloc_slab(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	if (unlikely(gfp & SLAB_GFP_UNUSABLE))
		gfp = slab_fix_gfp(gfp);
	gfp = (gfp & (GFP_HOW_MASK | GFP_NODE_MASK)) | cache->allocflags | prefault_flag(cache);
	return may_be_small(cache) ? alloc_either(cache, gfp, nid) :
				     alloc_slab_pages(gfp, cache->order, nid);
}

gfp_t slab_gfp_before_victims(const struct kmem_cache *cache, gfp_t gfp)
{
	if (likely(!oom_could_ask(gfp, cache->min_order)))
		return gfp;
	return (gfp & ~__GFP_NOFAIL) | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
}

struct page *slab_new(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	struct slab_word word = { 0 };
	struct page *slab;

	barn_budget_make_way(slab_mask_of(cache) + 1);
	/*
	 * Here, because alloc_either() first asks for pages with flags that forbid waiting, and
	 * such a request does not look at the limits.
	 */
	if (limits_are_due() && (gfp & __GFP_DIRECT_RECLAIM))
		limits_look(PAGE_SIZE << cache->order);
	slab = alloc_slab(cache, gfp, nid);
	if (unlikely(cache->ctor && (gfp & __GFP_ZERO)))
		slab_report_zeroing(cache);
	if (!slab) {
		slab_report_out_of_memory(cache, gfp, nid);
		return NULL;
	}
	mixed_table_wait(slab, slab_order_of(cache, slab));
	barn_budget_count_slabs((long)slab_bytes_of(cache, slab));
	slab->on_partial = 0;
	slab->disabled = 0;
	word.objects = slab_nr_objects(cache, slab) & SLAB_OBJECTS_MAX;
	word.freelist = slab_token(page_address(slab));
	slab_word_set(slab, &word);
	if (cache->ctor && !cache_is_debugged(cache))
		construct_all(cache, slab);
	if (cache_is_debugged(cache))
		slab_debug_prepare(cache, slab);
	if (unlikely(cache->random_order))
		open_in_random_order(cache, slab);
	return slab;
}

struct slab_rcu_hooks slab_rcu_hooks;

/*
 * Removes all marks from the pages. Programs copy memory that they never wrote, as realloc() does.
 * A stale mark could be copied away and copied back to its old address, and the free of an object
 * there would look like a double free.
 */
static void clear_marks(const struct kmem_cache *cache, const struct page *slab)
{
	char *object = slab_first(cache, slab);

	if (cache->byte_marks || cache_is_debugged(cache))
		return;
	for (unsigned int i = slab_word_read(slab).opened; i; i--, object += cache->size)
		slab_mark_in_use(cache, object);
	if (slab_is_small(slab))
		slab_clear_last_mark(cache, slab);
}

static void free_slab_pages(struct kmem_cache *cache, struct page *slab)
{
	unsigned int order = slab_order_of(cache, slab);

	clear_marks(cache, slab);
	for (unsigned int i = 0; i < 1u << order; i++) {
		atomic_store_relaxed(mm_slab_cache(slab + i), NULL);
		page_set_flags(slab + i, 0);
	}
	atomic_store_relaxed(&slab->freelist, NULL);
	free_frozen_pages(slab, order);
}

/* The cache still exists: its destroyer waits for this. */
static void free_after_readers(void *head)
{
	struct page *slab = list_entry((struct list_head *)head, struct page, lru);

	free_slab_pages(*mm_slab_cache(slab), slab);
}

static void discard(struct kmem_cache *cache, struct page *slab)
{
	if (cache_is_debugged(cache))
		slab_debug_check_discarded(cache, slab);
	if ((cache->flags & SLAB_TYPESAFE_BY_RCU) && slab_rcu_hooks.call) {
		/* The first page may not have been opened. */
		atomic_store_relaxed(mm_slab_cache(slab), cache);
		slab_rcu_hooks.call(&slab->lru, free_after_readers);
		return;
	}
	free_slab_pages(cache, slab);
}

void slab_discard(struct kmem_cache *cache, struct page *slab)
{
	barn_budget_count_slabs(-(long)slab_bytes_of(cache, slab));
	discard(cache, slab);
}

void slab_discard_all(struct kmem_cache *cache, struct list_head *slabs)
{
	struct page *slab, *next;
	long bytes = 0;

	list_for_each_entry_safe(slab, next, slabs, lru) {
		if (unlikely(slab_is_mixed(slab))) {
			slab_mixed_discard(slab);
			continue;
		}
		bytes += (long)slab_bytes_of(cache, slab);
		discard(cache, slab);
	}
	if (bytes)
		barn_budget_count_slabs(-bytes);
}
