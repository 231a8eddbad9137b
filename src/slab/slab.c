/* SPDX-License-Identifier: MIT */
/* Slabs come and go. See slab.h. */
#include "base/check.h"
#include "mm/page_flags.h"
#include "page/pageblock.h"
#include "slab/barns.h"
#include "slab/debug.h"
#include "slab/link.h"
#include "slab/random.h"

/*
 * Those that start in the page of the next one; from here on the pages up to it name
 * the cache.
 */
uint16_t slab_open_page(struct kmem_cache *cache, struct page *slab, uint16_t opened)
{
	unsigned long offset = (unsigned long)opened * cache->size;
	unsigned long page = offset >> PAGE_SHIFT;

	while (opened < cache->objects && offset >> PAGE_SHIFT == page) {
		slab_mark_free(cache, (char *)page_address(slab) + offset);
		opened++;
		offset += cache->size;
	}
	/* From here on a free looks at the marks. */
	for (struct page *p = slab + page; p >= slab && !p->slab_cache; p--)
		atomic_store_release(&p->slab_cache, cache);
	return opened;
}

static uint16_t construct_all(struct kmem_cache *cache, struct page *slab)
{
	char *object = page_address(slab);
	uint16_t opened = 0;

	while (opened < cache->objects)
		opened = slab_open_page(cache, slab, opened);
	for (unsigned int i = 0; i < cache->objects; i++, object += cache->size)
		cache->ctor(object);
	return opened;
}

/* All at once, since the list is to name any of them. */
static void open_in_random_order(struct kmem_cache *cache, struct page *slab)
{
	struct slab_word word = slab_word_read(slab);

	while (word.opened < word.objects)
		word.opened = slab_open_page(cache, slab, word.opened);
	word.carved = word.objects;
	for (unsigned int i = 0; i < word.objects && !cache_is_debugged(cache); i++)
		slab_mark_listed(cache, (char *)page_address(slab) + (size_t)i * cache->size);
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
 * What of a request is meant for the pages: how they are had and of which node. Where they
 * lie and how they move is the cache's to say. cf. Linux new_slab(), which has the same two
 * sets as GFP_RECLAIM_MASK and GFP_CONSTRAINT_MASK.
 */
#define GFP_HOW_MASK								\
	(__GFP_RECLAIM | __GFP_HIGH | __GFP_IO | __GFP_FS | __GFP_NOWARN |	\
	 __GFP_RETRY_MAYFAIL | __GFP_NOFAIL | __GFP_NORETRY | __GFP_MEMALLOC |	\
	 __GFP_NOMEMALLOC | __GFP_NOLOCKDEP)
#define GFP_NODE_MASK (__GFP_HARDWALL | __GFP_THISNODE)

/* As compound pages slabs of several pages have a head that compound_head() finds. */
static struct page *alloc_slab_pages(const struct kmem_cache *cache, gfp_t gfp, int nid)
{
	unsigned int order = cache->order;
	struct page *slab;

	if (unlikely(gfp & SLAB_GFP_UNUSABLE))
		gfp = slab_fix_gfp(gfp);
	gfp = (gfp & (GFP_HOW_MASK | GFP_NODE_MASK)) | cache->allocflags;
	slab = nid == NUMA_NO_NODE ? alloc_frozen_pages(gfp, order) :
				     alloc_node_pages(gfp, order, nid);
	if (slab && order) {
		slab->order = (uint8_t)order;
		page_set_flags(slab, PG_head);
	}
	return slab;
}

struct page *slab_new(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	struct slab_word word = { .objects = cache->objects & SLAB_OBJECTS_MAX };
	struct page *slab;

	barns_make_way(cache->slab_mask + 1);
	slab = alloc_slab_pages(cache, gfp, nid);
	if (unlikely(cache->ctor && (gfp & __GFP_ZERO)))
		slab_report_zeroing(cache);
	if (!slab) {
		slab_report_out_of_memory(cache, gfp, nid);
		return NULL;
	}
	barns_count_slabs(1, cache->slab_mask + 1);
	slab->on_partial = 0;
	slab->disabled = 0;
	word.freelist = slab_token(page_address(slab));
	if (cache->ctor && !cache_is_debugged(cache))
		word.opened = construct_all(cache, slab);
	slab_word_set(slab, &word);
	if (cache_is_debugged(cache))
		slab_debug_prepare(cache, slab);
	if (unlikely(cache->random_order))
		open_in_random_order(cache, slab);
	return slab;
}

struct slab_rcu_hooks slab_rcu_hooks;

static void free_slab_pages(struct kmem_cache *cache, struct page *slab)
{
	for (unsigned int i = 0; i < 1u << cache->order; i++)
		atomic_store_relaxed(&slab[i].slab_cache, NULL);
	atomic_store_relaxed(&slab->freelist, NULL);
	page_set_flags(slab, 0);
	free_frozen_pages(slab, cache->order);
}

/* The cache is still there: whoever destroys it waits for this. */
static void free_after_readers(void *head)
{
	struct page *slab = list_entry((struct list_head *)head, struct page, lru);

	free_slab_pages(slab->slab_cache, slab);
}

static void discard(struct kmem_cache *cache, struct page *slab)
{
	if (cache_is_debugged(cache))
		slab_debug_check_discarded(cache, slab);
	if ((cache->flags & SLAB_TYPESAFE_BY_RCU) && slab_rcu_hooks.call) {
		/* The first page may not have been opened. */
		atomic_store_relaxed(&slab->slab_cache, cache);
		slab_rcu_hooks.call(&slab->lru, free_after_readers);
		return;
	}
	free_slab_pages(cache, slab);
}

void slab_discard(struct kmem_cache *cache, struct page *slab)
{
	barns_count_slabs(-1, cache->slab_mask + 1);
	discard(cache, slab);
}

void slab_discard_list(struct kmem_cache *cache, struct list_head *slabs)
{
	struct page *slab, *next;
	long nr = 0;

	list_for_each_entry_safe(slab, next, slabs, lru) {
		discard(cache, slab);
		nr++;
	}
	if (nr)
		barns_count_slabs(-nr, cache->slab_mask + 1);
}

bool slab_object_is_free(const struct kmem_cache *cache, const struct page *slab,
			 const void *object)
{
	void *free_object = atomic_load_relaxed(&slab->freelist);

	while (free_object && !is_slab_token(free_object) && free_object != object)
		free_object = slab_link_follow(cache, free_object);
	return free_object == object;
}
