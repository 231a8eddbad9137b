/* SPDX-License-Identifier: MIT */
/*
 * malloc with hardened=1:
 *
 *	0 bytes			an inaccessible address (zero_size.h)
 *	up to CLASS_MAX_BYTES	an object of a hardened cache (slab/hardened/hardened.h)
 *	beyond			a mapping between inaccessible pages (mapped/mapped_hardened.h)
 *
 * Each block knows the bytes that it was asked for, and malloc_usable_size() returns these. A cache
 * with debugging flags (slab_debug=) keeps its own checks and is not hardened.
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

/* Does malloc() call hardened_malloc()? Not with profile=. Sync: constant after classes_init() */
extern bool hardened_is_up __hidden;
/* Called by classes_init() after it has made all hardened caches. */
void hardened_init(void);

struct hardened_step;
/*
 * malloc() for a class: either a function for the class's own size, or the function for any size.
 * step is the class's entry.
 */
typedef void *hardened_alloc_fn(size_t size, const void *caller,
				const struct hardened_step *step);

/* What malloc() needs for a step of CLASS_SMALL_STEP sizes, which share a class. */
struct hardened_step {
	hardened_alloc_fn *alloc;	/* Sync: constant once hardened_limit is set */
	/* The class's cache->hardened_sheaf. Sync: constant once hardened_limit is set */
	struct percpu_array *sheaf;
	uint32_t bytes;	/* of an object. Sync: constant once hardened_limit is set */
} __aligned(32);		/* twice CLASS_SMALL_STEP: an entry's offset is one addition */
extern struct hardened_step hardened_steps[CLASS_SMALL_STEPS] __hidden;
/* Smaller sizes have a step. Sync: 0 before hardened_init(), and always without hardened=1 */
extern size_t hardened_limit __hidden;

/* The step of a small size; NULL if there are no hardened caches, or the size is larger. */
static __always_inline const struct hardened_step *hardened_step_of(size_t size)
{
	/* pairs with hardened_init(): the steps */
	if (unlikely(size >= atomic_load_operand_acquire(&hardened_limit)))
		return NULL;
	atomic_signal_barrier();	/* the compiler must load the step after this */
	return &hardened_steps[DIV_ROUND_UP(size + SLAB_SEAL_BYTES, CLASS_SMALL_STEP)];
}

/*
 * The function for objects of `bytes` bytes; if there is none, the function for any size. avx2: as
 * in slab_hardened_free_of().
 */
hardened_alloc_fn *hardened_alloc_of(size_t bytes, bool avx2);
hardened_alloc_fn *hardened_alloc_of_avx2(size_t bytes);

/* malloc() of any size, once the hardened caches exist. */
void *hardened_malloc(size_t size, const void *caller);
/* An object, if a class has room for the size and the seal; else a block of malloc_pages(). */
void *hardened_alloc(size_t size, size_t align, const void *caller);
/*
 * For free_sized() and free_aligned_sized(): ends the process unless the block was asked for size
 * bytes and is aligned to align. If only the block's room is known, that must not be less than
 * size.
 */
void hardened_check_sized(void *pointer, size_t size, size_t align, const void *caller);

#endif
