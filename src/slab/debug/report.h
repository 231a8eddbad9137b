/* SPDX-License-Identifier: MIT */
/* Reports of bad pointers and bad requests, for all caches; most of them end the process. */
#ifndef SLAB_DEBUG_REPORT_H
#define SLAB_DEBUG_REPORT_H

#include "slab/slab.h"

struct slab_cache_request;

/* report.c: pointers */
/*
 * The cache of the slab that the address lies in, or NULL; for reports. A slab's pages name the
 * cache once objects that start there were opened (slab_open_page()). So this is NULL in a page
 * behind all of them.
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
/* These do not return: a free object's link is overwritten, or leads to the object itself. */
void slab_report_corrupt_link(const struct kmem_cache *cache, const void *object,
			      const void *next) slow_path __attribute__((__noreturn__));
void slab_report_link_to_itself(const struct kmem_cache *cache, const void *object) slow_path
	__attribute__((__noreturn__));

/* refused.c: requests */
/* Flags that no slab and no kmalloc() can honour. cf. Linux GFP_SLAB_BUG_MASK */
#define SLAB_GFP_UNUSABLE (__GFP_DMA32 | __GFP_HIGHMEM | ~__GFP_BITS_MASK)
/* Warns about flags that slabs cannot honour and returns gfp without them. */
gfp_t slab_fix_gfp(gfp_t gfp) slow_path;
/* Ends the process with SLAB_PANIC. error is a negative errno value. */
void slab_report_not_created(const struct slab_cache_request *request, int error) slow_path;
/* Warns once that a cache with a constructor was asked for zeroed objects. */
void slab_report_zeroing(const struct kmem_cache *cache) slow_path;
/* Reports that no slab could be allocated, as Linux does: at most ten times in five seconds. */
void slab_report_out_of_memory(struct kmem_cache *cache, gfp_t gfp, int nid) slow_path;

#endif
