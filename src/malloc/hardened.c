/* SPDX-License-Identifier: MIT */
#include "malloc/hardened.h"

#include <errno.h>

#include "base/check.h"
#include "malloc/classes.h"
#include "malloc/large.h"
#include "malloc/odd.h"
#include "slab/hardened.h"

bool hardened_is_up;

/* A class with room for the size and the seal, whose objects are all aligned. */
static unsigned int hardened_class(size_t size, size_t align)
{
	unsigned int index = class_of(max(size + SLAB_SEAL_BYTES, align));

	while (index < CLASS_COUNT && class_bytes(index) % align)
		index++;
	return index;
}

void *hardened_alloc(size_t size, size_t align, const void *caller)
{
	unsigned int index = size + SLAB_SEAL_BYTES <= CLASS_MAX_BYTES && align <= PAGE_SIZE ?
			     hardened_class(size, align) : CLASS_COUNT;
	struct kmem_cache *cache;
	bool zeroed;

	if (unlikely(index == CLASS_COUNT))
		return malloc_pages(size, align, &zeroed);
	cache = &class_caches[index];
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
	void *object = NULL;

	if (likely(size <= CLASS_TABLE_MAX_BYTES - SLAB_SEAL_BYTES))
		object = slab_hardened_alloc_fast(
			&class_caches[class_step_of(size + SLAB_SEAL_BYTES)->index], size);
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
