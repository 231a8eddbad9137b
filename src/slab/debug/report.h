/* SPDX-License-Identifier: MIT */
/* Reports of misuse in caches without debugging: one line, then the process ends. */
#ifndef SLAB_DEBUG_REPORT_H
#define SLAB_DEBUG_REPORT_H

#include "slab/slab.h"

/*
 * The cache of the slab that the address lies in, or NULL; for reports. Pages behind the start of
 * the last opened object do not name the cache.
 */
struct kmem_cache *slab_cache_around(const void *address);
/* Does not return: the slab's freelist leads to something other than a free object of the slab. */
void slab_report_bad_freelist(const struct kmem_cache *cache, const struct page *slab,
			      const void *object) slow_path __attribute__((__noreturn__));
/*
 * Does not return: reports why the pointer cannot be freed. caller: where the free was called
 * (NULL: unknown).
 */
void slab_report_bad_free(const char *function, const void *pointer, const void *caller)
	slow_path __attribute__((__noreturn__));
/* Does not return: reports a free of an object that kfree_rcu() is going to free. */
void slab_report_waiting(const char *function, const void *object, const void *caller)
	slow_path __attribute__((__noreturn__));
/* Does not return: reports the given text. */
void slab_report_fatal(const void *caller, const char *format, ...) __printf(2, 3)
	slow_path __attribute__((__noreturn__));

#endif
