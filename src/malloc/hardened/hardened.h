/* SPDX-License-Identifier: MIT */
/*
 * malloc with hardened=1. Blocks up to a class's size are objects of hardened caches
 * (slab/hardened/hardened.h), but those of no bytes are addresses that cannot be touched
 * (zero_size.h). All others are mappings between pages that cannot be touched (mapped.h). All know
 * the bytes that were asked for, so malloc_usable_size() says these. Caches with debugging flags
 * (slab_debug=) have their own checks, and keep them.
 */
#ifndef MALLOC_HARDENED_HARDENED_H
#define MALLOC_HARDENED_HARDENED_H

#include "base/options.h"
#include "malloc/size_classes.h"
#include "slab/hardened/hardened.h"

static inline bool hardened_is_on(void)
{
	return unlikely(options.hardened);
}

/* Is malloc() hardened_malloc()? Not with profile=. Sync: constant after classes_init() */
extern bool hardened_is_up __hidden;
/* There are: classes_init() has made them. */
void hardened_init(void);

struct hardened_step;
/* malloc() of objects of one size, or of any; step says of which class. */
typedef void *hardened_alloc_fn(size_t size, const void *caller,
				const struct hardened_step *step);

/* What malloc() of small sizes needs of a class: those that differ by less than a step. */
struct hardened_step {
	hardened_alloc_fn *alloc;	/* Sync: constant when hardened_limit says so */
	/* cache->hardened_sheaf. Sync: constant after hardened_init() */
	struct percpu_array *sheaf;
	uint32_t bytes;			/* of an object. Sync: the same */
} __aligned(32);			/* twice CLASS_SMALL_STEP: what finds it is one addition */
extern struct hardened_step hardened_steps[CLASS_SMALL_STEPS] __hidden;
/* Smaller sizes have steps. Sync: 0 before hardened_init(), and without hardened=1 */
extern size_t hardened_limit __hidden;

/* Of a small size, if there are hardened caches. */
static __always_inline const struct hardened_step *hardened_step_of(size_t size)
{
	/* pairs with hardened_init(): the functions, the rest */
	if (unlikely(size >= atomic_load_operand_acquire(&hardened_limit)))
		return NULL;
	atomic_signal_barrier();	/* for the compiler */
	return &hardened_steps[DIV_ROUND_UP(size + SLAB_SEAL_BYTES, CLASS_SMALL_STEP)];
}

/* The function for objects of so many bytes, or of any size; avx2: as slab_hardened_free_of(). */
hardened_alloc_fn *hardened_alloc_of(size_t bytes, bool avx2);
hardened_alloc_fn *hardened_alloc_of_avx2(size_t bytes);

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
