/* SPDX-License-Identifier: MIT */
/*
 * What the library and include/kernel have to agree on about caches, with Linux's
 * names. Programs have no use for it.
 */
#ifndef USERMM_KMEM_CACHE_H
#define USERMM_KMEM_CACHE_H

#include <stdbool.h>

#include "slab.h"

/* Flags beside those of slab.h; some ask for nothing here. */
#define SLAB_KMALLOC		((slab_flags_t)0x00001000)
#define SLAB_CACHE_DMA		((slab_flags_t)0x00004000)
#define SLAB_CACHE_DMA32	((slab_flags_t)0x00008000)
#define SLAB_RECLAIM_ACCOUNT	((slab_flags_t)0x00020000)
#define SLAB_TYPESAFE_BY_RCU	((slab_flags_t)0x00080000)
#define SLAB_NOLEAKTRACE	((slab_flags_t)0x00800000)
#define SLAB_ACCOUNT		((slab_flags_t)0x04000000)
#define SLAB_KASAN		((slab_flags_t)0x08000000)
#define SLAB_NO_USER_FLAGS	((slab_flags_t)0x10000000)
#define SLAB_SKIP_KFENCE	((slab_flags_t)0x20000000)
#define SLAB_NO_OBJ_EXT		((slab_flags_t)0x40000000)
#define USERMM_SLAB_KERNEL_FLAGS					\
	(SLAB_KMALLOC | SLAB_CACHE_DMA | SLAB_CACHE_DMA32 | SLAB_RECLAIM_ACCOUNT | \
	 SLAB_TYPESAFE_BY_RCU | SLAB_NOLEAKTRACE | SLAB_ACCOUNT | SLAB_KASAN | \
	 SLAB_NO_USER_FLAGS | SLAB_SKIP_KFENCE | SLAB_NO_OBJ_EXT)

/* What kmem_cache_create() of kernel sources is given; the library reads it as well. */
struct kmem_cache_args {
	unsigned int align;
	unsigned int useroffset;
	unsigned int usersize;
	unsigned int freeptr_offset;
	bool use_freeptr_offset;
	void (*ctor)(void *object);
	unsigned int sheaf_capacity;
};

/*
 * The head of struct kmem_cache. Kernel sources that include "../mm/slab.h" look inside,
 * and the library's own structure begins with the same fields, so that both see one layout.
 *
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
 * under RANK_CACHES when another cache becomes one with this, and min_partial, which is
 * atomic (usermm_write_slab_attribute()).
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
