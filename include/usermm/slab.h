/* SPDX-License-Identifier: MIT */
/*
 * Caches of equal objects, and kmalloc on top of them.
 *
 * Context, ownership and failure are those of page.h. Any thread may call these functions, and
 * signal handlers may, except to create or destroy a cache. A call waits only if gfp allows it,
 * and returns NULL on failure.
 *
 * Misuse that is noticed (a second free, an address inside an object, an object of another
 * allocator) is reported in one line and ends the process. A cache with debugging flags (given
 * here or by the option slab_debug=) reports misuse at length in Linux's words, repairs what it
 * can, and the program goes on.
 *
 * Semantics: Linux 6.12 mm/slub.c, mm/slab_common.c, include/linux/slab.h.
 */
#ifndef USERMM_SLAB_H
#define USERMM_SLAB_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "gfp.h"

typedef unsigned int slab_flags_t;

/* Align objects to cache lines (small ones to a fraction of a line). */
#define SLAB_HWCACHE_ALIGN 0x1u
/* If the cache cannot be created, the process ends. */
#define SLAB_PANIC 0x2u
/*
 * Debugging. Such a cache has no per-CPU fast path; other caches pay nothing.
 *
 *	CONSISTENCY_CHECKS  every call checks the slab, its freelist and the object
 *	RED_ZONE	    guard bytes around objects; a changed one is reported
 *	POISON		    free objects hold a pattern; a changed byte is reported
 *	STORE_USER	    keeps who allocated and freed: caller, CPU, thread, time
 *	TRACE		    reports every call
 */
#define SLAB_CONSISTENCY_CHECKS 0x00000100u
#define SLAB_RED_ZONE 0x00000400u
#define SLAB_POISON 0x00000800u
#define SLAB_STORE_USER 0x00010000u
#define SLAB_TRACE 0x00200000u
#define USERMM_SLAB_DEBUG_FLAGS (SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | \
				 SLAB_STORE_USER | SLAB_TRACE)
/* Fault injection may make allocations fail (usermm/fault.h, cache_filter). */
#define SLAB_FAILSLAB 0x02000000u
/* The cache is never merged with equal ones (option slab_merge=). */
#define SLAB_NO_MERGE 0x01000000u
/* All flags that a program may give a cache; others are for kernel sources. */
#define USERMM_SLAB_FLAGS (SLAB_HWCACHE_ALIGN | SLAB_PANIC | SLAB_NO_MERGE | SLAB_FAILSLAB | \
			   USERMM_SLAB_DEBUG_FLAGS)

struct kmem_cache;

#define KMALLOC_SHIFT_LOW 3
#define KMALLOC_MIN_SIZE 8
#define KMALLOC_MAX_CACHE_SIZE 8192UL	/* larger requests are whole pages */
#define KMALLOC_MAX_SIZE (4096UL << 10)
#define KMALLOC_CLASSES 13
#define ARCH_KMALLOC_MINALIGN 8

/* What kmalloc(0) returns: may be freed, must not be read or written. */
#define ZERO_SIZE_PTR ((void *)16)
#define ZERO_OR_NULL_PTR(p) ((unsigned long)(p) <= (unsigned long)ZERO_SIZE_PTR)

USERMM_BEGIN_DECLS

/*
 * Creates a cache of objects of size bytes (8 .. KMALLOC_MAX_SIZE), aligned to align (a power
 * of two, or 0 for 8). The name is copied. ctor may be NULL. It runs once for each object when
 * the object's slab is made; the user frees the object in that state. For a guarded object (option
 * kfence_sample=) it runs at each allocation, since a free discards the object's bytes.
 * NULL and a one-line report for a bad name, size, alignment or flag, or without memory; with
 * SLAB_PANIC the process ends instead. Not for signal handlers.
 */
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size,
				     unsigned int align, slab_flags_t flags,
				     void (*ctor)(void *object))
	USERMM_API(kmem_cache_create);

/*
 * Gives all of the cache's memory back. Every object must have been freed, and no thread may be
 * using the cache. If objects or prefilled sheaves remain, that is reported, and their memory is
 * kept. NULL is allowed.
 * Not for signal handlers.
 */
void kmem_cache_destroy(struct kmem_cache *cache) USERMM_API(kmem_cache_destroy);

/*
 * kmem_cache_destroy() that first frees all objects in use; no destructor runs. The time that it
 * takes grows with the number of slabs, not of objects. Returns 0; or -EBUSY, and nothing has
 * changed, if other users share the cache (option slab_merge=; SLAB_NO_MERGE prevents that) or if
 * prefilled sheaves of it are in use. NULL is allowed. Not for signal handlers.
 */
int usermm_kmem_cache_destroy_all(struct kmem_cache *cache)
	__attribute__((visibility("default")));

/*
 * An object, or NULL. __GFP_ZERO zeroes object_size bytes; it must not be used with a ctor. The
 * function has no malloc attribute: ctor or the last owner may have left pointers in the object.
 */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
	USERMM_API(kmem_cache_alloc) USERMM_MUST_CHECK;
void kmem_cache_free(struct kmem_cache *cache, void *object)
	USERMM_API(kmem_cache_free);
/*
 * kmem_cache_alloc() from a slab of node nid (-1: any). If the node has no memory to spare,
 * another node serves, unless gfp has __GFP_THISNODE. A node that does not exist, or has no memory
 * at all, counts as -1. A cache with debugging flags ignores nid.
 */
void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid)
	USERMM_API(kmem_cache_alloc_node) USERMM_MUST_CHECK;
/* The object size that the cache was made for. */
unsigned int kmem_cache_size(const struct kmem_cache *cache) USERMM_API(kmem_cache_size);

static inline void *kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp)
{
	return kmem_cache_alloc(cache, gfp | __GFP_ZERO);
}

/*
 * Puts n objects into the array and returns n. Without memory for all of them it allocates none
 * and returns 0; the array's content is then undefined. gfp means what it does for one object.
 */
int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects)
	USERMM_API(kmem_cache_alloc_bulk) USERMM_MUST_CHECK;
/*
 * Frees n objects with the checks of kmem_cache_free(). If cache is NULL, each object may come
 * from a different cache or from kmalloc(). The array's content is undefined afterwards. A NULL
 * entry is misuse: it is reported and skipped.
 */
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **objects)
	USERMM_API(kmem_cache_free_bulk);

static inline void kfree_bulk(size_t n, void **objects)
{
	kmem_cache_free_bulk(NULL, n, objects);
}

/*
 * Prefilled sheaves: a stock of objects that belongs to the caller. The caller fills it where it
 * may wait, and allocates from it where it must not fail. One thread at a time uses a sheaf. Its
 * objects are freed like any others.
 *
 *	prefill	    a new sheaf with at least size objects; NULL without memory for all of them
 *	refill	    fills it up to at least size objects, perhaps into a new sheaf that replaces
 *		    *sheaf. 0; -ENOMEM: the sheaf is unchanged; -EINVAL: sheaf or *sheaf is NULL
 *	alloc_from  an object; with __GFP_ZERO its bytes are cleared. Never waits or takes a lock.
 *		    NULL only if the sheaf is empty
 *	return	    gives the sheaf and the objects in it back
 *	size	    number of objects in the sheaf
 */
struct slab_sheaf;
struct slab_sheaf *kmem_cache_prefill_sheaf(struct kmem_cache *cache, gfp_t gfp,
					    unsigned int size)
	USERMM_API(kmem_cache_prefill_sheaf) USERMM_MUST_CHECK;
int kmem_cache_refill_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf **sheaf,
			    unsigned int size)
	USERMM_API(kmem_cache_refill_sheaf) USERMM_MUST_CHECK;
void *kmem_cache_alloc_from_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf)
	USERMM_API(kmem_cache_alloc_from_sheaf) USERMM_MUST_CHECK;
void kmem_cache_return_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf)
	USERMM_API(kmem_cache_return_sheaf);
unsigned int kmem_cache_sheaf_size(const struct slab_sheaf *sheaf)
	USERMM_API(kmem_cache_sheaf_size);

/*
 * Returns free objects from all CPUs to their slabs, gives empty slabs back to the page
 * allocator, and sorts the partial slabs so that the fullest serve next. 0 if the cache has no
 * slab any more, and no object in use that kfence_sample= guards. Other threads may use the cache
 * meanwhile. Not for signal handlers.
 */
int kmem_cache_shrink(struct kmem_cache *cache) USERMM_API(kmem_cache_shrink);

/*
 * The class of a size: 8 16 32 64 96 128 192 256 512 1k 2k 4k 8k, numbered from
 * 0 in that order. Only for 1 <= size <= KMALLOC_MAX_CACHE_SIZE. A constant size
 * is resolved by the compiler.
 */
static inline unsigned int kmalloc_class(size_t size)
{
	static const unsigned char small[25] = {
		0, 0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5,
		6, 6, 6, 6, 6, 6, 6, 6,
	};

	if (size <= 192)
		return small[(size + 7) / 8];
	if (size <= 256)
		return 7;
	return 64 - (unsigned int)__builtin_clzl(size - 1) - 1;
}

/*
 * kmalloc's kinds of caches. Each kind has all size classes, in slabs of its own.
 *
 *	NORMAL		kmalloc-N
 *	RECLAIM		kmalloc-rcl-N	__GFP_RECLAIMABLE: shrinkers can free the objects
 *	DMA		dma-kmalloc-N	__GFP_DMA: slabs in the DMA zone, if there is one
 *	CGROUP		kmalloc-cg-N	__GFP_ACCOUNT
 */
enum kmalloc_cache_type {
	KMALLOC_NORMAL,
	KMALLOC_RECLAIM,
	KMALLOC_DMA,
	KMALLOC_CGROUP,
	NR_KMALLOC_TYPES
};

/* Without any of these the kind is NORMAL. */
#define KMALLOC_NOT_NORMAL_BITS (__GFP_RECLAIMABLE | __GFP_DMA | __GFP_ACCOUNT)

/* The kind for a request's flags. DMA wins over RECLAIMABLE, and RECLAIMABLE over ACCOUNT. */
static inline __attribute__((always_inline)) enum kmalloc_cache_type
usermm_kmalloc_type(gfp_t gfp)
{
	if (__builtin_expect(!(gfp & KMALLOC_NOT_NORMAL_BITS), 1))
		return KMALLOC_NORMAL;
	if (gfp & __GFP_DMA)
		return KMALLOC_DMA;
	return gfp & __GFP_RECLAIMABLE ? KMALLOC_RECLAIM : KMALLOC_CGROUP;
}

/*
 * One argument: kind and class in the lower half, the size in the upper half. Only debugging
 * reads the size, and in this form it costs no further register.
 */
#define USERMM_KMALLOC_CLASS(size, gfp)						\
	((unsigned long)(size) << 32 |						\
	 ((unsigned int)usermm_kmalloc_type(gfp) * KMALLOC_CLASSES + kmalloc_class(size)))
void *usermm_kmalloc_class(unsigned long size_and_class, gfp_t gfp)
	__attribute__((visibility("default"))) USERMM_MALLOC;
/* The class is found at run time: among the NORMAL caches (_size), or among all kinds (_typed). */
void *usermm_kmalloc_size(size_t size, gfp_t gfp)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(1);
void *usermm_kmalloc_typed(size_t size, gfp_t gfp)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(1);

/*
 * A block of at least size bytes; NULL without memory or beyond KMALLOC_MAX_SIZE. A size of 0
 * gives ZERO_SIZE_PTR. A power of two is aligned to itself, 96 to 32, 192 to 64. A block of more
 * than KMALLOC_MAX_CACHE_SIZE is a compound page. If size and gfp are constants, the compiler
 * resolves kind and class.
 */
static inline __attribute__((always_inline)) void *kmalloc(size_t size, gfp_t gfp)
{
	if (__builtin_constant_p(size) && size && size <= KMALLOC_MAX_CACHE_SIZE)
		return usermm_kmalloc_class(USERMM_KMALLOC_CLASS(size, gfp), gfp);
	if (__builtin_expect(!!(gfp & KMALLOC_NOT_NORMAL_BITS), 0))
		return usermm_kmalloc_typed(size, gfp);
	return usermm_kmalloc_size(size, gfp);
}

static inline __attribute__((always_inline)) void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

/* NULL if n * size overflows. */
static inline void *kmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return kmalloc(bytes, gfp);
}

static inline void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	return kmalloc_array(n, size, gfp | __GFP_ZERO);
}

/* kmalloc() from node nid; see kmem_cache_alloc_node(). */
void *kmalloc_node(size_t size, gfp_t gfp, int nid)
	USERMM_API(kmalloc_node) USERMM_MALLOC USERMM_ALLOC_SIZE(1);

/*
 * Changes an object's size. If new_size fits into ksize(), the object stays in place; otherwise
 * its content moves to a new one. A NULL object means kmalloc(new_size); a new_size of 0 frees
 * the object and returns ZERO_SIZE_PTR. On failure NULL, and the old object is untouched. With
 * __GFP_ZERO new bytes are zero, provided that every call for this object used __GFP_ZERO.
 */
void *krealloc(const void *object, size_t new_size, gfp_t gfp)
	USERMM_API(krealloc) USERMM_MUST_CHECK USERMM_ALLOC_SIZE(2);
/* Frees a block of kmalloc() or an object of any cache. NULL and ZERO_SIZE_PTR are allowed. */
void kfree(const void *object) USERMM_API(kfree);
/* Clears ksize() bytes, then kfree(). */
void kfree_sensitive(const void *object) USERMM_API(kfree_sensitive);
/*
 * kmalloc_node() that never waits for memory and leaves the reserves alone. NULL for more than
 * KMALLOC_MAX_CACHE_SIZE bytes.
 */
void *kmalloc_nolock(size_t size, gfp_t gfp, int nid)
	USERMM_API(kmalloc_nolock) USERMM_MALLOC USERMM_ALLOC_SIZE(1);

static inline void kfree_nolock(const void *object)
{
	kfree(object);
}

/* How many bytes of the object the caller may use; 0 for NULL and ZERO_SIZE_PTR. */
size_t ksize(const void *object) USERMM_API(ksize);
/*
 * kmem_cache_alloc() from a cache with SLAB_KMALLOC; the cache may have a ctor. The caller asked
 * for size bytes, which debugging checks.
 */
void *usermm_kmalloc_cache(struct kmem_cache *cache, gfp_t gfp, size_t size)
	__attribute__((visibility("default"))) USERMM_MUST_CHECK;
/* The ksize() that kmalloc(size) would have. */
size_t kmalloc_size_roundup(size_t size) USERMM_API(kmalloc_size_roundup);

/*
 * Blocks of any size; kmalloc() ends at KMALLOC_MAX_SIZE, as in Linux.
 *
 * kvmalloc() tries kmalloc() first; for more than a page this try ends early (__GFP_NORETRY). If it
 * fails, the block is a mapping of its own: zeroed memory from the system, aligned to the system's
 * pages, whose pages become present when they are written. The rules suit an allocator for programs
 * (C++'s or Rust's, for example):
 *
 *	context		any thread. A mapping is made only if gfp may wait (GFP_KERNEL). With
 *			GFP_ATOMIC or GFP_NOWAIT kvmalloc() is kmalloc(), and only then may a
 *			signal handler call it. Blocks remain valid in a fork child
 *	failure		NULL: no memory, or more than PTRDIFF_MAX bytes. limit= counts mappings
 *			and refuses those beyond it; without limit= the system decides. With
 *			__GFP_NOFAIL the call waits, for any size up to PTRDIFF_MAX
 *	alignment	kmalloc()'s, or that of the system's pages
 *	pages		a mapping has no struct page: do not use virt_to_page() or ksize() on a
 *			block that may be one; virt_addr_valid() is false
 *	misuse		kfree() of a mapping, kvfree() of an address inside a mapping and a
 *			second kvfree() are reported in one line, and end the process
 *
 * For kernel sources (include/kernel) kvmalloc() falls back to vmalloc(), and refuses more than
 * INT_MAX bytes, as Linux does. cf. Linux 6.12 mm/util.c: __kvmalloc_node_noprof(). nid is that of
 * kmalloc_node().
 */
void *kvmalloc_node(size_t size, gfp_t gfp, int nid)
	USERMM_API(kvmalloc_node) USERMM_MALLOC USERMM_ALLOC_SIZE(1);

static inline void *kvmalloc(size_t size, gfp_t gfp)
{
	return kvmalloc_node(size, gfp, -1);
}

static inline void *kvzalloc(size_t size, gfp_t gfp)
{
	return kvmalloc(size, gfp | __GFP_ZERO);
}

/* NULL if n * size overflows. */
static inline void *kvmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kvmalloc(bytes, gfp);
}

static inline void *kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	return kvmalloc_array(n, size, gfp | __GFP_ZERO);
}

/*
 * krealloc() for blocks of kmalloc() and kvmalloc(). A kmalloc() block that outgrows kmalloc()
 * becomes a mapping. A mapping stays a mapping; it grows or shrinks by whole pages without a copy,
 * and may move. A NULL object means kvmalloc(new_size). A new_size of 0 frees the block and returns
 * NULL for a mapping, else ZERO_SIZE_PTR. On failure NULL, and the old block is untouched.
 * Shrinking a mapping never fails; growing one with __GFP_NOFAIL waits instead of failing.
 * __GFP_ZERO is as for krealloc().
 */
void *kvrealloc(const void *object, size_t new_size, gfp_t gfp)
	USERMM_API(kvrealloc) USERMM_MUST_CHECK USERMM_ALLOC_SIZE(2);
/*
 * Frees a block of kmalloc() or kvmalloc(). NULL and ZERO_SIZE_PTR are allowed. Any context, with
 * one exception: while limit= is set, a signal handler must not free a mapping, since the call may
 * wait for another thread.
 */
void kvfree(const void *object) USERMM_API(kvfree);
/* Clears the first size bytes, then kvfree(). */
void kvfree_sensitive(const void *object, size_t size) USERMM_API(kvfree_sensitive);

/*
 * Checks the cache's slabs: their own words and, with debugging flags, the bytes of their objects.
 * Errors are reported and repaired. Returns how many slabs it looked at; it sees full slabs only
 * with SLAB_STORE_USER.
 */
long validate_slab_cache(struct kmem_cache *cache) USERMM_API(validate_slab_cache);

/*
 * Print one line about an address: the cache, the object and the pointer's offset in it. With
 * SLAB_STORE_USER the line also names who allocated the object, and the stacks of this allocation
 * and of the last free follow. kmem_dump_obj() returns false, and prints nothing, for an address
 * outside of all slabs; mem_dump_obj() says what kind of address it is.
 */
bool kmem_dump_obj(void *object) USERMM_API(kmem_dump_obj);
void mem_dump_obj(void *object) USERMM_API(mem_dump_obj);

USERMM_END_DECLS

#endif
