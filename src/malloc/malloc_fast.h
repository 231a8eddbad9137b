/* SPDX-License-Identifier: MIT */
/* malloc()'s fast path, which the others that allocate have as well. */
#ifndef MALLOC_MALLOC_FAST_H
#define MALLOC_MALLOC_FAST_H

#include "malloc/hardened/hardened.h"
#include "malloc/malloc_slow.h"
#include "malloc/size_classes.h"
#include "slab/slab_fast.h"

/* In line, not a slow path: with hardened=1 all requests come here. */
static __always_inline void *malloc_without_sheaf(size_t size, const void *caller)
{
	const struct hardened_step *step = hardened_step_of(size);

	return likely(step) ? step->alloc(size, caller, step) : malloc_dispatch(size, caller);
}

/*
 * What malloc() finds at hand, or NULL. Until a class is made its sheaf is NULL as well: pairs with
 * show(). With the limits in memory: comparing with these takes no instruction more than with
 * constants, and with hardened=1 is where this ends.
 *
 * What a call waits for is its code, line by line (docs/notes/fast-paths.md): small objects have
 * the first two lines of malloc(), large ones the next two, since the rest comes nearly never.
 */
static __always_inline void *malloc_at_hand(size_t size)
{
	if (likely(size < atomic_load_operand(&class_small_limit)))
		return slab_alloc_small(atomic_load_acquire(&class_step_small(size)->sheaf));
	if (likely(size < atomic_load_operand(&class_large_limit)))
		return slab_alloc_large(atomic_load_acquire(&class_step_large(size)->sheaf));
	return NULL;
}

/* malloc(). caller: who called the entry point that inlines this. */
static __always_inline void *malloc_for(size_t size, const void *caller)
{
	void *object = malloc_at_hand(size);

	return almost_always(object) ? object : malloc_without_sheaf(size, caller);
}

/* malloc_for() whoever called, who is read only when needed: that saves malloc() an instruction. */
static __always_inline void *malloc_inline(size_t size)
{
	void *object = malloc_at_hand(size);

	return almost_always(object) ? object :
				       malloc_without_sheaf(size, __builtin_return_address(0));
}

#endif
