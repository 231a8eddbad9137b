/* SPDX-License-Identifier: MIT */
/*
 * Marks: what says of each object of a slab whether it is free.
 *
 * Every free looks at the object's mark, so that a second one is found, and every list of
 * free objects that is walked, so that what was written to a link is. The mark of an object
 * is in one of three places:
 *
 *	small objects	the object's second word: its address with a key while it is free,
 *			anything else while it is the user's. It lies in the line that the
 *			user wrote to or will write to, next to the link.
 *	large objects	a byte of the struct page where the object starts. Such objects' own
 *			lines are far apart and in no cache any more, or not wanted there; a
 *			page's struct page is read by every free anyway, and has the bytes of
 *			eight objects.
 *	objects whose content stays while they are free (ctor, SLAB_TYPESAFE_BY_RCU)
 *			as of small ones, in a word behind the object
 *
 * Sync: a mark is its object's: of the user who frees it, then of whoever has the object
 * off the slab's lists.
 */
#ifndef SLAB_MARKS_H
#define SLAB_MARKS_H

#include "mm/memmap.h"
#include "slab/slab.h"

/* --- In a word ------------------------------------------------------------- */

/* Keys these marks; random, so that no program writes them by accident. Constant. */
extern unsigned long slab_mark_key __hidden;

/* Where small objects have it; lay_out_plain() says so. */
#define SLAB_MARK_OFFSET 8

static __always_inline unsigned long *object_mark(const void *object, uint32_t mark_offset)
{
	return (unsigned long *)((char *)object + mark_offset);
}

/*
 * In the mark of an object on its slab's freelist, so that a list which leads back to what
 * was taken from it is found out. In the upper half: see mark_may_say_free().
 */
#define MARK_LISTED (1UL << 63)

/* What the word holds while the object is free, or that + MARK_LISTED. */
static __always_inline unsigned long free_mark(const void *object)
{
	return (unsigned long)object ^ slab_mark_key;
}

/*
 * The lower half of the word is enough to say that an object is in use. If it says "free",
 * a program may have written that by accident: one word of 2^32 does.
 */
static __always_inline bool mark_may_say_free(const void *object, uint32_t mark_offset)
{
	return (uint32_t)*object_mark(object, mark_offset) == (uint32_t)free_mark(object);
}

/* --- In the struct page ------------------------------------------------------ */

/* Objects of more bytes are large: so far apart that each has a byte of its own. */
#define SLAB_SMALL_BYTES 512UL

/* PAGE_MARK_IN_USE is what a page without a slab has there. */
enum page_mark { PAGE_MARK_IN_USE, PAGE_MARK_FREE, PAGE_MARK_LISTED };

_Static_assert(sizeof(((struct page *)0)->object_marks) == PAGE_SIZE / SLAB_SMALL_BYTES,
	       "a byte for every object that starts in a page");

static __always_inline uint8_t *page_mark(const void *object)
{
	return &mm_page(object)->object_marks[(unsigned long)object / SLAB_SMALL_BYTES %
					      (PAGE_SIZE / SLAB_SMALL_BYTES)];
}

/* --- In either ---------------------------------------------------------------- */

static __always_inline void slab_mark_in_use(const struct kmem_cache *cache, void *object)
{
	if (cache->marks_pages)
		*page_mark(object) = PAGE_MARK_IN_USE;
	else
		*object_mark(object, cache->mark_offset) = 0;
}

static __always_inline void slab_mark_free(const struct kmem_cache *cache, void *object)
{
	if (cache->marks_pages)
		*page_mark(object) = PAGE_MARK_FREE;
	else
		*object_mark(object, cache->mark_offset) = free_mark(object);
}

/* It goes on its slab's freelist; before its link is written. */
static inline void slab_mark_listed(const struct kmem_cache *cache, void *object)
{
	if (cache->marks_pages)
		*page_mark(object) = PAGE_MARK_LISTED;
	else
		*object_mark(object, cache->mark_offset) = free_mark(object) | MARK_LISTED;
}

static inline bool is_marked_free(const struct kmem_cache *cache, const void *object)
{
	if (cache->marks_pages)
		return *page_mark(object) != PAGE_MARK_IN_USE;
	return !((*object_mark(object, cache->mark_offset) ^ free_mark(object)) & ~MARK_LISTED);
}

static inline bool is_marked_listed(const struct kmem_cache *cache, const void *object)
{
	if (cache->marks_pages)
		return *page_mark(object) == PAGE_MARK_LISTED;
	return *object_mark(object, cache->mark_offset) == (free_mark(object) | MARK_LISTED);
}

/* is_marked_free(), or a program's word that looks like it. */
static __always_inline bool may_be_marked_free(const struct kmem_cache *cache,
					       const void *object)
{
	return cache->marks_pages ? *page_mark(object) != PAGE_MARK_IN_USE :
				    mark_may_say_free(object, cache->mark_offset);
}

#endif
