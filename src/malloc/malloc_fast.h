/* SPDX-License-Identifier: MIT */
/* The fast path of malloc(), which calloc(), realloc() and aligned_alloc() share. */
#ifndef MALLOC_MALLOC_FAST_H
#define MALLOC_MALLOC_FAST_H

#include "malloc/hardened/hardened.h"
#include "malloc/malloc_slow.h"
#include "malloc/size_classes.h"
#include "slab/slab_fast.h"

/* Inlined and not a slow path, since every request comes here with hardened=1. */
static __always_inline void *malloc_without_sheaf(size_t size, const void *caller)
{
	const struct hardened_step *step = hardened_step_of(size);

	return likely(step) ? step->alloc(size, caller, step) : malloc_dispatch(size, caller);
}

/*
 * An object of this CPU's sheaf, or NULL. A class that is not made yet shows a NULL sheaf, which is
 * always empty. The loads of a sheaf pair with show(). A size below a limit says that there are
 * restartable sequences (percpu_pop_sequence()): the limits are set after them, and the load of a
 * sheaf stands between the load of a limit and those of the sequence.
 *
 * The limits are in memory, so that hardened=1 can set them to 0 and every request ends here. A
 * comparison with memory takes no more instructions than one with a constant.
 *
 * A call waits for its code, cache line by cache line (docs/notes/fast-paths.md). So small objects
 * have the first two lines of malloc(), and large ones the next two and parts of the first two; the
 * rest runs nearly never.
 */
static __always_inline void *malloc_at_hand(size_t size)
{
	if (likely(size < atomic_load_operand(&class_small_limit)))
		return slab_alloc_small(atomic_load_acquire(&class_step_small(size)->sheaf), true);
	if (likely(size < atomic_load_operand(&class_large_limit)))
		return slab_alloc_large(atomic_load_acquire(&class_step_large(size)->sheaf), true);
	return NULL;
}

/* malloc(). caller: who called the entry point that inlines this. */
static __always_inline void *malloc_for(size_t size, const void *caller)
{
	void *object = malloc_at_hand(size);

	return almost_always(object) ? object : malloc_without_sheaf(size, caller);
}

/*
 * malloc_for(), where the caller is the entry point's. The return address is read only when no
 * object is at hand, which saves the fast path an instruction.
 */
static __always_inline void *malloc_inline(size_t size)
{
	void *object = malloc_at_hand(size);

	return almost_always(object) ? object :
				       malloc_without_sheaf(size, __builtin_return_address(0));
}

#endif
