/* SPDX-License-Identifier: MIT */
/*
 * Free marks: each object of a slab has a mark that says whether the object is free.
 *
 * Every free looks at the object's mark, and so finds a double free. Every walk of a list of free
 * objects looks at the marks, and so finds an overwritten link. The mark of an object is in one of
 * three places:
 *
 *	small objects	the object's second word: its address with a key while it is free,
 *			anything else while it is the user's. It lies in the line that the
 *			user wrote to or will write to, next to the link.
 *	large objects	the byte of the window's table (mm_mark()) for the address where the
 *			object starts. The lines of such objects are far apart, and seldom in the
 *			processor's caches. One line of the table has the bytes of 32 KiB
 *			of objects.
 *	objects whose content stays while they are free (ctor, SLAB_TYPESAFE_BY_RCU)
 *			in a word behind the object, if they are not large
 *
 * An object that waits for kfree_rcu() may have a mark of its own, where RCU readers do not look at
 * the mark's place. The fast paths see only that such an object is not "in use".
 *
 * Sync: a mark belongs to the object's owner: the user who frees it, then whoever holds the object
 * off the slab's lists.
 */
#ifndef SLAB_FREE_MARK_H
#define SLAB_FREE_MARK_H

#include "mm/memmap.h"
#include "slab/slab.h"

/* --- In a word ------------------------------------------------------------- */

/* Keys these marks; random, so that no program writes them by accident. Constant. */
#define slab_mark_key mm_window.mark_key

/* Where a small object has its mark: see lay_out_plain(). */
#define SLAB_MARK_OFFSET 8

static __always_inline unsigned long *object_mark(const void *object, uint32_t mark_offset)
{
	return (unsigned long *)((char *)object + mark_offset);
}

/*
 * Set in the mark of an object on its slab's freelist, so that a list which leads to an object
 * already taken is detected. In the upper half: see mark_may_say_free().
 */
#define MARK_LISTED (1UL << 63)

/* XORed into the mark of an object that waits for kfree_rcu(). In the upper half, too. */
#define MARK_WAITING (1UL << 62)

/* The mark word of a free object, without MARK_LISTED and MARK_WAITING. */
static __always_inline unsigned long free_mark_by(const void *object, unsigned long key)
{
	return (unsigned long)object ^ key;
}

static __always_inline unsigned long free_mark(const void *object)
{
	return free_mark_by(object, slab_mark_key);
}

/*
 * The lower half of the word is enough to say that an object is in use. If the half says "free" the
 * program may have written it by accident, with a chance of 1 in 2^32.
 */
static __always_inline bool mark_may_say_free(const void *object, uint32_t mark_offset)
{
	return (uint32_t)*object_mark(object, mark_offset) == (uint32_t)free_mark(object);
}

/* --- In a table --------------------------------------------------------------- */

/*
 * Objects of more bytes than this are large: they lie so far apart that each has a byte of its own
 * in the table. For kmalloc() and malloc() the limit is twice that. Both fast paths branch on it,
 * so the limit lies beyond the sizes that programs mix most. A mispredicted branch takes longer
 * than the rest of a call (docs/notes/slab.md).
 */
#define SLAB_SMALL_BYTES (1UL << MM_MARK_SHIFT)
#define KMALLOC_SMALL_BYTES (2 * SLAB_SMALL_BYTES)

/* Memory that no longer belongs to a slab may have any of these. */
enum byte_mark { BYTE_MARK_IN_USE, BYTE_MARK_WAITING, BYTE_MARK_FREE, BYTE_MARK_LISTED };

static __always_inline uint8_t *byte_mark(const void *object)
{
	return mm_mark(object);
}

/* --- In either ---------------------------------------------------------------- */

static __always_inline void slab_mark_in_use(const struct kmem_cache *cache, void *object)
{
	if (cache->byte_marks)
		*byte_mark(object) = BYTE_MARK_IN_USE;
	else
		*object_mark(object, cache->mark_offset) = 0;
}

static __always_inline void slab_mark_free(const struct kmem_cache *cache, void *object)
{
	if (cache->byte_marks)
		*byte_mark(object) = BYTE_MARK_FREE;
	else
		*object_mark(object, cache->mark_offset) = free_mark(object);
}

/*
 * Marks nr objects that lie side by side. Cache and key are read once, not again after each store.
 */
static inline void slab_mark_free_n(const struct kmem_cache *cache, char *object, unsigned int nr)
{
	const unsigned long size = cache->size, key = slab_mark_key;
	const uint32_t offset = cache->mark_offset;

	if (cache->byte_marks)
		for (; nr; nr--, object += size)
			*byte_mark(object) = BYTE_MARK_FREE;
	else
		for (; nr; nr--, object += size)
			*object_mark(object, offset) = free_mark_by(object, key);
}

/* Marks an object that goes on its slab's freelist. Call this before its link is written. */
static inline void slab_mark_listed(const struct kmem_cache *cache, void *object)
{
	if (cache->byte_marks)
		*byte_mark(object) = BYTE_MARK_LISTED;
	else
		*object_mark(object, cache->mark_offset) = free_mark(object) | MARK_LISTED;
}

/* For a mark in a word. */
static __always_inline bool mark_says_free(unsigned long mark, const void *object)
{
	return !((mark ^ free_mark(object)) & ~MARK_LISTED);
}

static inline bool is_marked_free(const struct kmem_cache *cache, const void *object)
{
	if (cache->byte_marks)
		return *byte_mark(object) >= BYTE_MARK_FREE;
	return mark_says_free(*object_mark(object, cache->mark_offset), object);
}

static inline bool is_marked_listed(const struct kmem_cache *cache, const void *object)
{
	if (cache->byte_marks)
		return *byte_mark(object) == BYTE_MARK_LISTED;
	return *object_mark(object, cache->mark_offset) == (free_mark(object) | MARK_LISTED);
}

static inline void slab_mark_waiting(const struct kmem_cache *cache, void *object)
{
	if (cache->byte_marks)
		*byte_mark(object) = BYTE_MARK_WAITING;
	else
		*object_mark(object, cache->mark_offset) = free_mark(object) ^ MARK_WAITING;
}

static inline bool is_marked_waiting(const struct kmem_cache *cache, const void *object)
{
	if (cache->byte_marks)
		return *byte_mark(object) == BYTE_MARK_WAITING;
	return *object_mark(object, cache->mark_offset) == (free_mark(object) ^ MARK_WAITING);
}

/*
 * True if the object is marked free or waiting. May also be true of an object in use: the program
 * may have written a word that looks like the mark.
 */
static __always_inline bool may_be_marked(const struct kmem_cache *cache,
					  const void *object)
{
	return cache->byte_marks ? *byte_mark(object) != BYTE_MARK_IN_USE :
				    mark_may_say_free(object, cache->mark_offset);
}

#endif
