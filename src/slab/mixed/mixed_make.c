/* SPDX-License-Identifier: MIT */
/* A slab leaves its cache and becomes a mixed one: see mixed.h, 4. */
#include "slab/mixed/mixed_make.h"

#include "slab/debug/report.h"
#include "slab/freeptr.h"
#include "slab/mixed/mixed.h"
#include "slab/mixed/mixed_record.h"
#include "slab/partial.h"

void slab_mixed_setup(struct kmem_cache *cache)
{
	bool has_usual_marks = cache->byte_marks ?
			       cache->size > KMALLOC_SMALL_BYTES :
			       cache->size <= KMALLOC_SMALL_BYTES &&
			       cache->mark_offset == SLAB_MARK_OFFSET;

	cache->may_mix = cache->may_mix && cache->own_sheaf && has_usual_marks &&
			 !cache->more_nodes && !cache->ctor && !cache->is_hardened &&
			 !cache_is_debugged(cache) && !cache->random && !cache->random_order &&
			 !cache->init_on_alloc && !cache->init_on_free &&
			 !(cache->flags & SLAB_TYPESAFE_BY_RCU) &&
			 !(cache->size % MIXED_GRANULE_BYTES) && cache->order <= MIXED_MAX_ORDER;
}

/*
 * Are so few of the slab's objects in use that it is worth while to make it a mixed slab? inuse
 * also counts the objects that CPUs and barns keep.
 */
static bool is_sparse(const struct kmem_cache *cache, const struct slab_word *word, size_t run)
{
	return word->inuse && word->inuse * MIXED_SPARSE <= word->objects &&
	       2 * (size_t)word->objects * cache->size >= run * word->inuse;
}

/* Gives the slab the word of a mixed one. Returns the word that it had. */
static struct slab_word swap_word_locked(struct kmem_cache *cache, struct page *slab,
					 const struct mixed_record *record)
{
	struct slab_word old, new;

	for (;;) {
		old = new = slab_word_read(slab);
		new.freelist = (void *)((unsigned long)record | SLAB_MIXED_BITS);
		new.inuse = new.objects = SLAB_OBJECTS_MAX;
		/* pairs with slab_word_cas() in push_list(): the links below the head */
		if (likely(slab_word_cas(slab, &old, &new)))
			return old;
		slab_count(cache, SLAB_CMPXCHG_DOUBLE_FAIL);
	}
}

/*
 * Fills in the map: all objects but those of the list that the slab had. The free ones lose their
 * marks: see clear_marks() in slab.c.
 */
static void fill_map(struct kmem_cache *cache, struct page *slab, const struct slab_word *word,
		     struct mixed_record *record)
{
	unsigned int nr = cache->size / (unsigned int)MIXED_GRANULE_BYTES;
	char *first = slab_first(cache, slab);
	void *object = word->freelist, *next;

	for (unsigned int i = 0; i < word->carved; i++)
		mixed_map_take(&record->map, mixed_granule_of(slab, first) + i * nr, nr);
	for (; !is_slab_token(object); object = next) {
		if (unlikely(!slab_listed_is_free(cache, slab, object)))
			slab_report_bad_freelist(cache, slab, object);
		next = slab_link_follow(cache, object);
		mixed_map_put(&record->map, mixed_granule_of(slab, object), nr);
		slab_mark_in_use(cache, object);
	}
	for (unsigned int i = word->carved; i < word->opened; i++)
		slab_mark_in_use(cache, first + (size_t)i * cache->size);
	if (slab_is_small(slab))
		slab_clear_last_mark(cache, slab);
	record->used = word->inuse * nr;
}

static void make_locked(struct kmem_cache *cache, struct kmem_cache_node *node,
			struct page *slab, struct mixed_record *record)
{
	unsigned int order = slab_order_of(cache, slab);
	struct slab_word word;

	slab_remove_partial_locked(node, slab);
	slab_count_gone_locked(cache, node, slab);
	record->slab = slab;
	mixed_map_init(&record->map, (unsigned int)MIXED_PAGE_GRANULES << order);
	word = swap_word_locked(cache, slab, record);
	fill_map(cache, slab, &word, record);
	mixed_publish(record, order, word.inuse);
}

/* The node's lock is held. NULL: no slab. */
static struct page *oldest_locked(struct kmem_cache_node *node)
{
	return list_empty(&node->partial) ? NULL :
					    list_last_entry(&node->partial, struct page, lru);
}

/*
 * Gets a record. This may have to find memory, so the caller holds neither the node's lock nor
 * mixed_lock.
 */
static struct mixed_record *get_record(void)
{
	struct mixed_record *record = NULL;

	if (!mixed_record_is_there() && !mixed_record_refill())
		return NULL;
	if (lock_acquire_unless_handler(&mixed_lock)) {
		record = mixed_record_get_locked();
		lock_release(&mixed_lock);
	}
	return record;
}

static void return_record(struct mixed_record *record)
{
	lock_acquire(&mixed_lock);
	mixed_record_put_locked(record);
	lock_release(&mixed_lock);
}

enum mixed_made slab_mixed_make(struct kmem_cache *cache, struct kmem_cache_node *node, size_t run)
{
	enum mixed_made made = MIXED_NO_SLAB;
	struct mixed_record *record;
	struct slab_word word;
	struct page *slab;

	if (!cache->may_mix || !lock_may_wait(RANK_CACHE))
		return MIXED_NO_SLAB;
	record = get_record();
	if (!record)
		return MIXED_NO_MEMORY;
	lock_acquire(&node->lock);
	slab = oldest_locked(node);
	if (slab) {
		word = slab_word_read(slab);
		made = is_sparse(cache, &word, run) ? MIXED_MADE : MIXED_DENSE;
	}
	/* Threads that push meanwhile make it sparser, but not empty: that needs the lock. */
	if (made == MIXED_MADE)
		make_locked(cache, node, slab, record);
	else if (made == MIXED_DENSE)
		list_move(&slab->lru, &node->partial);
	lock_release(&node->lock);
	if (made != MIXED_MADE)
		return_record(record);
	return made;
}
