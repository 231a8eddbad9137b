/* SPDX-License-Identifier: MIT */
#include "malloc/hardened/hardened.h"

#include <errno.h>

#include "malloc/checked_blocks.h"
#include "malloc/hardened/zero_size.h"
#include "malloc/interpose/cxx_runtime.h"
#include "malloc/malloc_slow.h"
#include "malloc/mapped/mapped.h"
#include "malloc/mapped/mapped_reuse.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "os/report/process.h"
#include "slab/cache.h"
#include "slab/debug/report.h"
#include "slab/hardened/hardened.h"
#include "slab/shrink.h"

bool hardened_is_up __read_mostly;
size_t hardened_limit __read_mostly;
struct hardened_step hardened_steps[CLASS_SMALL_STEPS] __large_bss;

void hardened_init(void)
{
	zero_size_init();
	for (size_t i = 0; i < CLASS_SMALL_STEPS; i++) {
		const struct kmem_cache *cache = class_of(i * CLASS_SMALL_STEP);

		hardened_steps[i].alloc = hardened_alloc_of(cache->size, os_has_avx2());
		hardened_steps[i].bytes = cache->size;
		/* A cache with debugging flags has no hardened sheaf. */
		hardened_steps[i].sheaf = cache->is_hardened ? cache->hardened_sheaf :
					  percpu_ptr(NULL, 0);
	}
	if (options.profile)	/* every allocation is to be counted */
		return;
	/* pairs with hardened_step_of(): the steps */
	atomic_store_release(&hardened_limit, CLASS_SMALL_MAX_BYTES - SLAB_SEAL_BYTES + 1);
	/* pairs with malloc_dispatch(): the classes and the steps */
	atomic_store_release(&hardened_is_up, true);
}

/* Reports what was written to freed blocks that were not allocated again, and behind blocks. */
__attribute__((__destructor__)) static void sweep_at_exit(void)
{
	if (!hardened_is_on() || !slab_is_up())
		return;
	mapped_reuse_check();
	slab_hardened_sweep();
	/*
	 * A fork child may have objects that threads of its parent were changing. A sandbox may
	 * forbid the system calls.
	 */
	if (os_fork_generation || process_files_are_forbidden() || !os_is_only_thread())
		return;
	slab_hardened_check_slabs();
	mapped_check_all();
}

static void *alloc_of_cache(struct kmem_cache *cache, size_t size, size_t align,
			    const void *caller)
{
	void *block = NULL;

	if (unlikely(!cache->is_hardened))
		return slab_alloc_slow(cache, MALLOC_GFP, size, caller);	/* slab_debug= */
	if (unlikely(!size))
		block = zero_size_alloc(align);
	return block ? block : slab_hardened_alloc(cache, MALLOC_GFP, size, caller);
}

void *hardened_alloc(size_t size, size_t align, const void *caller)
{
	size_t class_size = ALIGN(max(size + SLAB_SEAL_BYTES, align), align);

	if (unlikely(size + SLAB_SEAL_BYTES > CLASS_MAX_BYTES || align > PAGE_SIZE))
		return malloc_pages(size, align, NULL);
	return alloc_of_cache(class_of(class_size), size, align, caller);
}

void *hardened_malloc(size_t size, const void *caller)
{
	void *block = NULL;

	if (size <= PTRDIFF_MAX)
		block = hardened_alloc(size, MIN_ALIGN, caller);
	if (!block && !lock_none_held())
		block = mapped_alloc(size, MIN_ALIGN, false);
	if (!block)
		errno = ENOMEM;
	return block;
}

void hardened_check_sized(void *pointer, size_t size, size_t align, const void *caller)
{
	bool exact;
	size_t bytes = checked_size(pointer, "free_sized", &exact, caller);

	/* A program's own operator new may have asked malloc() for more than it was asked for. */
	if (size < bytes && exact && cxx_new_is_programs && cxx_new_is_programs())
		exact = false;
	if (size != bytes && (exact || size > bytes))
		slab_report_fatal(caller, "free_sized(%p, %zu): wrong size: the block %s %zu "
				  "bytes; say as many as it was allocated with, or call free()",
				  pointer, size, exact ? "was allocated with" : "has only", bytes);
	if (align && ((unsigned long)pointer & (align - 1)))
		slab_report_fatal(caller, "free_aligned_sized(%p): wrong alignment: the block is "
				  "not aligned to %zu; say what it was allocated with, or call "
				  "free()", pointer, align);
}
