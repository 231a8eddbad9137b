/* SPDX-License-Identifier: MIT */
#include "malloc/checked_blocks.h"

#include "malloc/block_kind.h"
#include "malloc/hardened/zero_size.h"
#include "malloc/mapped/mapped.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"

void checked_report(const char *function, void *pointer, const void *caller)
{
	mapped_report_inside(function, pointer, caller);
	slab_report_bad_free(function, pointer, caller);
}

struct kmem_cache *checked_cache(void *pointer, const char *function, const void *caller)
{
	struct kmem_cache *cache;
	size_t asked;
	bool known;

	if (slab_kfence_owns(pointer))
		return NULL;
	if (zero_size_owns(pointer)) {
		zero_size_check(function, pointer, caller);
		return NULL;
	}
	cache = cache_of(pointer);
	if (cache)
		known = cache_is_debugged(cache) || cache->is_hardened;
	else
		known = mapped_asked(pointer, &asked) || block_bytes_outside_slabs(pointer);
	if (!known)
		checked_report(function, pointer, caller);
	return cache;
}

size_t checked_size(void *pointer, const char *function, bool *exact, const void *caller)
{
	struct kmem_cache *cache = cache_of(pointer);
	size_t asked = 0;

	*exact = false;
	/* An object of kmalloc() or of a program's own cache, which free() takes as well. */
	if (cache && object_may_be_freed(cache, pointer))
		return cache->object_size;
	cache = checked_cache(pointer, function, caller);
	*exact = true;
	if (slab_kfence_owns(pointer))
		return slab_kfence_size(pointer, function, caller);
	if (zero_size_owns(pointer))
		return 0;
	if (cache && cache->is_hardened)
		return slab_hardened_size(cache, pointer, function, caller);
	if (!cache && mapped_asked(pointer, &asked))
		return asked;
	*exact = false;
	if (cache && !slab_debug_is_object(cache, pointer))
		return SIZE_MAX;	/* freeing it reports the mistake */
	if (cache) {
		asked = slab_debug_size(cache, pointer);
		/* The whole object: malloc_usable_size() may have handed out all of it. */
		*exact = slab_debug_knows_size(cache) && asked < cache->object_size;
		return asked;
	}
	return block_bytes_outside_slabs(pointer);
}

size_t checked_usable(void *pointer, const void *caller)
{
	struct kmem_cache *cache = checked_cache(pointer, "malloc_usable_size", caller);
	bool exact;

	if (!cache || cache->is_hardened)
		return checked_size(pointer, "malloc_usable_size", &exact, caller);
	if (!slab_debug_check_in_use(cache, pointer, "malloc_usable_size", caller))
		return 0;
	return slab_debug_usable(cache, pointer);
}

size_t checked_clear_bytes(void *pointer)
{
	const struct kmem_cache *cache = cache_of(pointer);

	return cache && cache_is_debugged(cache) && !slab_debug_knows_size(cache) ?
		       cache->usable_bytes : 0;
}
