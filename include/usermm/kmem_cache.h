/* SPDX-License-Identifier: MIT */
/*
 * The head of struct kmem_cache, with Linux's names. Programs have no use for it;
 * kernel sources that include "../mm/slab.h" look inside, and the library's own
 * structure begins with the same fields, so that both see one layout.
 */
#ifndef USERMM_KMEM_CACHE_H
#define USERMM_KMEM_CACHE_H

#include "slab.h"

/*
 *	flags		as given, and what slab_debug= adds
 *	object_size	what the user asked for; the largest of caches that are one
 *	inuse		object_size and what fills it up to a word, or the right red zone
 *	align		of objects
 *	size		distance of objects, with all that belongs to them
 *	offset		of a free object's link to the next one
 *	refcount	creations that this cache stands for; negative: it is never shared
 *	red_left_pad	bytes of the red zone in front of an object
 *	min_partial	slabs with free objects that are kept, though they be empty
 *
 * Sync: constant after creation, but object_size, inuse and refcount, which change
 * under RANK_CACHES when another cache becomes one with this.
 */
#define USERMM_KMEM_CACHE_HEAD						\
	slab_flags_t flags;						\
	unsigned int object_size;					\
	unsigned int inuse;						\
	unsigned int align;						\
	unsigned int size;						\
	unsigned int offset;						\
	int refcount;							\
	unsigned int red_left_pad;					\
	unsigned long min_partial;					\
	void (*ctor)(void *object);					\
	const char *name;						\
	unsigned int useroffset;					\
	unsigned int usersize

#endif
