/* SPDX-License-Identifier: MIT */
/*
 * What the library and include/kernel must agree on about caches, with Linux's names. Programs do
 * not need this header.
 */
#ifndef USERMM_KMEM_CACHE_H
#define USERMM_KMEM_CACHE_H

#include <stdbool.h>

#include "slab.h"

/* Flags beside those of slab.h. Some are accepted but have no effect in usermm. */
#define SLAB_KMALLOC		0x00001000u
#define SLAB_CACHE_DMA		0x00004000u
#define SLAB_CACHE_DMA32	0x00008000u
#define SLAB_RECLAIM_ACCOUNT	0x00020000u
#define SLAB_TYPESAFE_BY_RCU	0x00080000u
#define SLAB_NOLEAKTRACE	0x00800000u
#define SLAB_ACCOUNT		0x04000000u
#define SLAB_KASAN		0x08000000u
#define SLAB_NO_USER_FLAGS	0x10000000u
#define SLAB_SKIP_KFENCE	0x20000000u
#define SLAB_NO_OBJ_EXT		0x40000000u
#define USERMM_SLAB_KERNEL_FLAGS					\
	(SLAB_KMALLOC | SLAB_CACHE_DMA | SLAB_CACHE_DMA32 | SLAB_RECLAIM_ACCOUNT | \
	 SLAB_TYPESAFE_BY_RCU | SLAB_NOLEAKTRACE | SLAB_ACCOUNT | SLAB_KASAN | \
	 SLAB_NO_USER_FLAGS | SLAB_SKIP_KFENCE | SLAB_NO_OBJ_EXT)

/* An argument of kmem_cache_create() in kernel sources; the library reads it as well. */
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
 * The head of struct kmem_cache. Kernel sources that include "../mm/slab.h" read these fields.
 * The library's own structure begins with the same fields, so both see one layout.
 *
 *	flags		as given at creation, plus those of slab_debug=
 *	object_size	bytes that the user asked for; the largest, if caches were merged
 *	inuse		object_size plus padding to a word, or plus the right red zone
 *	align		alignment of objects
 *	size		distance of two objects, with red zones and all other overhead
 *	offset		where a free object holds its link to the next free one
 *	refcount	how many created caches this one serves; negative: it is never merged
 *	red_left_pad	bytes of the red zone in front of an object
 *	min_partial	how many partial slabs to keep, even if they are empty
 *
 * Sync: constant after creation, with two exceptions. object_size, inuse and refcount change under
 * RANK_CACHES when another cache is merged into this one; min_partial is atomic
 * (usermm_write_slab_attribute()).
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
