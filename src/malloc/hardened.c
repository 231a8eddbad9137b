/* SPDX-License-Identifier: MIT */
#include "malloc/hardened.h"

#include <errno.h>

#include "base/check.h"
#include "malloc/classes.h"
#include "malloc/large.h"
#include "malloc/odd.h"
#include "slab/hardened.h"

bool hardened_is_up;

/* What malloc() of small sizes needs of a class: those that differ by less than a step. */
static struct hardened_step {
	struct percpu_array *sheaf;	/* NULL, which is always empty: not to be used */
	uint32_t bytes;			/* of an object */
} steps[CLASS_SMALL_STEPS] __read_mostly;

void hardened_init(void)
{
	for (size_t i = 0; i < CLASS_SMALL_STEPS; i++) {
		const struct kmem_cache *cache = class_of(i * CLASS_SMALL_STEP);

		steps[i].sheaf = cache->hardened_sheaf;
		steps[i].bytes = cache->size;
	}
	/* pairs with malloc_slow(): the classes, and these */
	atomic_store_release(&hardened_is_up, !options.profile);
}

void *hardened_alloc(size_t size, size_t align, const void *caller)
{
	struct kmem_cache *cache;
	bool zeroed;

	if (unlikely(size + SLAB_SEAL_BYTES > CLASS_MAX_BYTES || align > PAGE_SIZE))
		return malloc_pages(size, align, &zeroed);
	cache = class_of(ALIGN(max(size + SLAB_SEAL_BYTES, align), align));
	if (likely(cache->is_hardened))
		return slab_hardened_alloc(cache, MALLOC_GFP, size, caller);
	return slab_alloc_slow(cache, MALLOC_GFP, size, caller);	/* debugged */
}

static slow_path void *malloc_slower(size_t size, const void *caller)
{
	void *block = NULL;

	if (size <= PTRDIFF_MAX)
		block = hardened_alloc(size, MIN_ALIGN, caller);
	if (!block && !lock_none_held())
		block = large_alloc(size, MIN_ALIGN);
	if (!block)
		errno = ENOMEM;
	return block;
}

void *hardened_malloc(size_t size, const void *caller)
{
	size_t needed = size + SLAB_SEAL_BYTES;
	const struct hardened_step *step;
	void *object;

	if (unlikely(size > CLASS_SMALL_MAX_BYTES - SLAB_SEAL_BYTES))
		return malloc_slower(size, caller);
	step = &steps[DIV_ROUND_UP(needed, CLASS_SMALL_STEP)];
	object = slab_hardened_alloc_fast(step->sheaf, step->bytes, size);
	return likely(object) ? object : malloc_slower(size, caller);
}

void hardened_check_sized(void *pointer, size_t size, size_t align, const void *caller)
{
	bool exact;
	size_t bytes = odd_size(pointer, "free_sized", &exact, caller);

	if (size != bytes && (exact || size > bytes))
		report_fatal("free_sized(%p, %zu): wrong size: the block was allocated with %zu "
			     "bytes", pointer, size, bytes);
	if ((unsigned long)pointer & (align - 1))
		report_fatal("free_aligned_sized(%p): wrong alignment: the block is not aligned to "
			     "%zu", pointer, align);
}
