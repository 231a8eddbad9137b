/* SPDX-License-Identifier: MIT */
/*
 * The link of a free object to the next one.
 *
 * With slab_freelist_hardened=on the word is the XOR of three: the address of the next object, a
 * key of the cache, and the word's own address with its bytes reversed. Reversed, the address's
 * upper half, which nobody can guess, meets the lower half of the pointer (cf. Linux
 * freelist_ptr_encode()). An attacker who overwrites a link cannot choose where it leads. An
 * overwritten link hardly ever decodes to an object of the slab, so it is reported and not
 * followed. Without the option a cache's key is 0 and the word is the address. The CPU's own slab
 * (cpu_slab.c) reads links on its fast path, so only caches without a key have it.
 */
#ifndef SLAB_FREEPTR_H
#define SLAB_FREEPTR_H

#include "slab/debug/report.h"
#include "slab/slab_fast.h"
#include "slab/slab_word.h"
#include "slab/small_slab.h"

static inline bool slab_links_are_hardened(const struct kmem_cache *cache)
{
	return unlikely(cache->random);
}

static inline unsigned long *slab_link_word(const struct kmem_cache *cache, const void *object)
{
	return (unsigned long *)((char *)object + cache->link_offset);
}

static inline unsigned long slab_link_key(const struct kmem_cache *cache,
					  const unsigned long *word)
{
	return cache->random ^ __builtin_bswap64((unsigned long)word);
}

static inline void *slab_link_read(const struct kmem_cache *cache, const void *object)
{
	const unsigned long *word = slab_link_word(cache, object);
	unsigned long next = *word;

	if (slab_links_are_hardened(cache))
		next ^= slab_link_key(cache, word);
	return (void *)next;
}

static inline void slab_link_write(const struct kmem_cache *cache, void *object,
				   const void *next)
{
	unsigned long *word = slab_link_word(cache, object);
	unsigned long value = (unsigned long)next;

	if (slab_links_are_hardened(cache)) {
		/*
		 * A link to itself: the first object of a list is freed again. cf. Linux
		 * set_freepointer()
		 */
		if (unlikely(object == next))
			slab_report_link_to_itself(cache, object);
		value ^= slab_link_key(cache, word);
	}
	*word = value;
}

/* The next object of the slab's list, or the list's end. With hardened links this is checked. */
static inline void *slab_link_follow(const struct kmem_cache *cache, const void *object)
{
	void *next = slab_link_read(cache, object);

	if (slab_links_are_hardened(cache) && next &&
	    (slab_start_of(cache, next) != slab_start_of(cache, object) ||
	     !(object_is_at(cache, next) || is_slab_token(next))))
		slab_report_corrupt_link(cache, object, next);
	return next;
}

/* As slab_link_follow(), for a list across the cache's slabs. */
static inline void *slab_link_follow_anywhere(const struct kmem_cache *cache, const void *object)
{
	void *next = slab_link_read(cache, object);

	if (slab_links_are_hardened(cache) && next &&
	    (cache_of(next) != cache || !object_is_at(cache, next)))
		slab_report_corrupt_link(cache, object, next);
	return next;
}

/*
 * Is this entry of the slab's freelist a free object of the slab? If not, somebody wrote to a free
 * object: to its link, which then names anything, or to its mark.
 */
static inline bool slab_listed_is_free(const struct kmem_cache *cache, const struct page *slab,
				       const void *object)
{
	if (slab_of(cache, object) != slab || !object_is_at(cache, object))
		return false;
	return is_marked_listed(cache, object);
}

#endif
