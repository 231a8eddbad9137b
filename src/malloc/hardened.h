/* SPDX-License-Identifier: MIT */
/*
 * malloc with hardened=1. Blocks up to a class's size are objects of hardened caches
 * (slab/hardened.h); all others are mappings between pages that cannot be touched
 * (large.h). Both know the bytes that were asked for, so malloc_usable_size() says these.
 * Caches with debugging flags (slab_debug=) have their own checks, and keep them.
 */
#ifndef MALLOC_HARDENED_H
#define MALLOC_HARDENED_H

#include "base/options.h"
#include "malloc/classes.h"
#include "slab/hardened.h"

static inline bool hardened_is_on(void)
{
	return unlikely(options.hardened);
}

/* Is malloc() hardened_malloc()? Not with profile=. Sync: constant after classes_init() */
extern bool hardened_is_up __hidden;
/* There are: classes_init() has made them. */
void hardened_init(void);

/* What malloc() of small sizes needs of a class: those that differ by less than a step. */
struct hardened_step {
	/* Sync: constant after hardened_init(); NULL, which is always empty, before */
	struct percpu_array *sheaf;
	uint32_t seal_offset;		/* in an object. Sync: the same */
};
extern struct hardened_step hardened_steps[CLASS_SMALL_STEPS] __hidden;
/* Smaller sizes have steps. Sync: 0 before hardened_init(), and without hardened=1 */
extern size_t hardened_limit __hidden;

/* A block of a small size, if there is one at hand and there are hardened caches. */
static __always_inline void *hardened_malloc_fast(size_t size)
{
	const struct hardened_step *step;
	struct percpu_array *sheaf;

	if (unlikely(size >= atomic_load_operand(&hardened_limit)))
		return NULL;
	step = &hardened_steps[DIV_ROUND_UP(size + SLAB_SEAL_BYTES, CLASS_SMALL_STEP)];
	/* pairs with hardened_init(): the offset, the cache */
	sheaf = atomic_load_acquire(&step->sheaf);
	return slab_hardened_alloc_fast(sheaf, (size_t)step->seal_offset + SLAB_SEAL_BYTES, size);
}

/* malloc() of any size, when there are hardened caches. */
void *hardened_malloc(size_t size, const void *caller);
/* A block of a class, if the size fits one with what belongs behind it; else of pages. */
void *hardened_alloc(size_t size, size_t align, const void *caller);
/*
 * Ends the process unless the block is one of so many bytes, or has room for them if no more is
 * known, and is aligned to align.
 */
void hardened_check_sized(void *pointer, size_t size, size_t align, const void *caller);

#endif
