/* SPDX-License-Identifier: MIT */
/*
 * Caches of equal objects, and kmalloc on top of them.
 *
 * Context, ownership and failure as in page.h: any thread and, but for creating and
 * destroying caches, signal handlers; gfp says whether the call may wait; NULL on
 * failure.
 *
 * Misuse that is noticed (a second free, an address inside an object, an object
 * of another allocator) is reported in one line and ends the process. In a cache
 * with debugging flags, which the option slab_debug= sets as well, it is reported
 * at length in Linux's words, what can be is mended, and the program goes on.
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
#define SLAB_HWCACHE_ALIGN ((slab_flags_t)0x1)
/* Failure to create the cache ends the process. */
#define SLAB_PANIC ((slab_flags_t)0x2)
/*
 * Debugging. Such a cache has no per-CPU fast path; other caches pay nothing.
 *
 *	CONSISTENCY_CHECKS  slabs, freelists and objects are checked by every call
 *	RED_ZONE	    bytes around objects that nobody may change
 *	POISON		    free objects are filled, and nobody may change that
 *	STORE_USER	    who allocated and freed: caller, CPU, thread, time
 *	TRACE		    every call is told
 */
#define SLAB_CONSISTENCY_CHECKS ((slab_flags_t)0x00000100)
#define SLAB_RED_ZONE ((slab_flags_t)0x00000400)
#define SLAB_POISON ((slab_flags_t)0x00000800)
#define SLAB_STORE_USER ((slab_flags_t)0x00010000)
#define SLAB_TRACE ((slab_flags_t)0x00200000)
#define USERMM_SLAB_DEBUG_FLAGS (SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | \
				 SLAB_STORE_USER | SLAB_TRACE)
/* Allocations may be made to fail. */
#define SLAB_FAILSLAB ((slab_flags_t)0x02000000)
/* The cache is never one with others that are equal (option slab_merge=). */
#define SLAB_NO_MERGE ((slab_flags_t)0x01000000)

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
 * A cache of objects of size bytes (8 .. KMALLOC_MAX_SIZE), aligned to align (a
 * power of two, or 0 for 8). The name is copied. ctor, if given, runs once for
 * each object when its slab is made; an object goes back in that state.
 * NULL, and a line that says so, for a bad name, size, alignment or flag, or without memory;
 * with SLAB_PANIC the process ends instead.
 */
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size,
				     unsigned int align, slab_flags_t flags,
				     void (*ctor)(void *object))
	USERMM_API(kmem_cache_create);

/*
 * Gives all of the cache's memory back. Every object must have been freed, and
 * no thread may be using the cache. If objects remain they are reported and
 * their memory stays. NULL is allowed.
 */
void kmem_cache_destroy(struct kmem_cache *cache) USERMM_API(kmem_cache_destroy);

/*
 * __GFP_ZERO zeroes object_size bytes; it must not be used with a ctor. The compiler may not take
 * the object for fresh memory, as it may kmalloc()'s: ctor, or last owner, left things there.
 */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
	USERMM_API(kmem_cache_alloc) USERMM_MUST_CHECK;
void kmem_cache_free(struct kmem_cache *cache, void *object)
	USERMM_API(kmem_cache_free);
/*
 * The same, from a slab of node nid (-1: any). If that has no memory to spare it is
 * another node's, unless gfp has __GFP_THISNODE; a node that is not there, or has no
 * memory at all, is any. With debugging, any node serves.
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
 * n objects, and n; or without memory for all of them none, and 0. gfp is as for one;
 * what the array holds is not looked at, and after a failure says nothing.
 */
int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects)
	USERMM_API(kmem_cache_alloc_bulk) USERMM_MUST_CHECK;
/*
 * Frees n objects, each checked as kmem_cache_free() does it. Without a cache each may be of
 * another one, or a block of kmalloc(). What the array holds afterwards is undefined. NULL
 * must not be among them: it is reported and left out.
 */
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **objects)
	USERMM_API(kmem_cache_free_bulk);

static inline void kfree_bulk(size_t n, void **objects)
{
	kmem_cache_free_bulk(NULL, n, objects);
}

/*
 * A stock of objects that belongs to the caller: made where waiting is allowed, it gives them
 * where nothing may fail. One thread at a time uses a sheaf; objects are freed as any others.
 *
 *	prefill	    with at least size objects; NULL without memory for all of them
 *	refill	    until there are at least size objects again, perhaps in a new sheaf, which
 *		    *sheaf then is. 0; -ENOMEM, and the sheaf is as it was; -EINVAL without one
 *	alloc_from  an object, with __GFP_ZERO cleared; never fails, waits or takes a lock until
 *		    the sheaf is empty, and then is NULL
 *	return	    gives the sheaf back, with what it holds
 *	size	    objects that it holds
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
 * Takes the objects that wait on CPUs back into their slabs, gives empty slabs back to the
 * page allocator, and has the fullest ones serve next. 0 if the cache holds no slab any more.
 * Others may use the cache meanwhile; not for signal handlers.
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
	return 64 - __builtin_clzl(size - 1) - 1;
}

/*
 * kmalloc's kinds of caches: each has all classes, in slabs of its own.
 *
 *	NORMAL		kmalloc-N
 *	RECLAIM		kmalloc-rcl-N	__GFP_RECLAIMABLE: shrinkers give it back
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

/* The kind that a request wants; DMA comes before RECLAIMABLE, and that before ACCOUNT. */
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
 * Kind and class, and in the upper half the size, which only debugging wants to know: so
 * it travels where it costs nothing.
 */
#define USERMM_KMALLOC_CLASS(size, gfp)						\
	((unsigned long)(size) << 32 |						\
	 ((unsigned int)usermm_kmalloc_type(gfp) * KMALLOC_CLASSES + kmalloc_class(size)))
void *usermm_kmalloc_class(unsigned long size_and_class, gfp_t gfp)
	__attribute__((visibility("default"))) USERMM_MALLOC;
/* Of the NORMAL caches, and of any. */
void *usermm_kmalloc_size(size_t size, gfp_t gfp)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(1);
void *usermm_kmalloc_typed(size_t size, gfp_t gfp)
	__attribute__((visibility("default"))) USERMM_MALLOC USERMM_ALLOC_SIZE(1);

/*
 * size bytes. Powers of two are aligned to themselves, 96 to 32, 192 to 64.
 * More than KMALLOC_MAX_CACHE_SIZE are compound pages; more than
 * KMALLOC_MAX_SIZE is NULL. 0 is ZERO_SIZE_PTR. What the compiler knows of size and
 * gfp is resolved where the call stands.
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

/* As kmem_cache_alloc_node() says of nid. */
void *kmalloc_node(size_t size, gfp_t gfp, int nid)
	USERMM_API(kmalloc_node) USERMM_MALLOC USERMM_ALLOC_SIZE(1);

/*
 * NULL is kmalloc; new_size 0 frees and returns ZERO_SIZE_PTR; what fits in
 * ksize() stays where it is; otherwise the content moves. On failure NULL, and
 * the old object is untouched. With __GFP_ZERO, which must then be used for
 * every call on that object, the bytes gained are zero.
 */
void *krealloc(const void *object, size_t new_size, gfp_t gfp)
	USERMM_API(krealloc) USERMM_MUST_CHECK USERMM_ALLOC_SIZE(2);
/* NULL and ZERO_SIZE_PTR are allowed. */
void kfree(const void *object) USERMM_API(kfree);
/* The same, and all that ksize() says there is of the object is cleared before. */
void kfree_sensitive(const void *object) USERMM_API(kfree_sensitive);
/*
 * kmalloc_node() that never waits for memory and has nothing of the reserves. For up to
 * KMALLOC_MAX_CACHE_SIZE bytes; more is NULL.
 */
void *kmalloc_nolock(size_t size, gfp_t gfp, int nid)
	USERMM_API(kmalloc_nolock) USERMM_MALLOC USERMM_ALLOC_SIZE(1);

static inline void kfree_nolock(const void *object)
{
	kfree(object);
}

/* Bytes that the object really has; 0 for NULL and ZERO_SIZE_PTR. */
size_t ksize(const void *object) USERMM_API(ksize);
/* An object of this cache of SLAB_KMALLOC, which may have a ctor, for size bytes of it. */
void *usermm_kmalloc_cache(struct kmem_cache *cache, gfp_t gfp, size_t size)
	__attribute__((visibility("default"))) USERMM_MUST_CHECK;
/* What ksize() of an object of this size would be. */
size_t kmalloc_size_roundup(size_t size) USERMM_API(kmalloc_size_roundup);

/*
 * Blocks of any size, where kmalloc() ends at KMALLOC_MAX_SIZE as in Linux.
 *
 * kvmalloc() tries kmalloc(), and beyond a page does not insist on it. If that has none the block
 * is a mapping of its own: zeroed memory from the system, aligned to the system's pages, and paid
 * for page by page as it is written. The rest fits what an allocator for programs needs (C++'s
 * or Rust's, say):
 *
 *	context		any thread. A mapping is made only where gfp may wait (GFP_KERNEL); with
 *			GFP_ATOMIC or GFP_NOWAIT kvmalloc() is kmalloc(). Not for signal handlers
 *			beyond that. The block survives fork() in the child
 *	failure		NULL: no memory, or more than PTRDIFF_MAX bytes. With limit= mappings
 *			are counted in, and are refused beyond it; without it the system decides.
 *			With __GFP_NOFAIL the call waits, for any size up to PTRDIFF_MAX
 *	alignment	kmalloc()'s, or that of the system's pages
 *	pages		of a mapping there is no struct page: virt_to_page() and ksize() are not
 *			for blocks that may be one, and virt_addr_valid() is false
 *	misuse		kfree() of a mapping, kvfree() of an address inside of one and a second
 *			kvfree() are reported in one line, and end the process
 *
 * In kernel sources (include/kernel) it is vmalloc() that comes after kmalloc(), and more than
 * INT_MAX bytes are refused.
 * cf. Linux 6.12 mm/util.c: __kvmalloc_node_noprof(), which refuses that too. nid is as in
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

/* n objects of size bytes; NULL if that is more than there are numbers for. */
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
 * krealloc() for what any of these gave. A block of kmalloc()'s becomes a mapping when it outgrows
 * that; a mapping stays one, grows or shrinks by whole pages without a copy, and may move. NULL
 * is kvmalloc(). new_size 0 frees; it returns NULL for a mapping, else ZERO_SIZE_PTR. On failure
 * NULL, and the old block is untouched; a mapping can always be made smaller, and grown with
 * __GFP_NOFAIL, which waits. __GFP_ZERO as with krealloc().
 */
void *kvrealloc(const void *object, size_t new_size, gfp_t gfp)
	USERMM_API(kvrealloc) USERMM_MUST_CHECK USERMM_ALLOC_SIZE(2);
/*
 * Any block of kmalloc()'s or of these; NULL and ZERO_SIZE_PTR are allowed. Any context, but for
 * mappings in a signal handler while limit= is set: these may wait for another thread.
 */
void kvfree(const void *object) USERMM_API(kvfree);
/* The same, and its first size bytes are cleared before. */
void kvfree_sensitive(const void *object, size_t size) USERMM_API(kvfree_sensitive);

/*
 * Checks the cache's slabs, what they say of themselves and, with debugging flags,
 * the bytes of their objects; what is wrong is reported and mended. The number of
 * slabs that were looked at: full ones only with SLAB_STORE_USER.
 */
long validate_slab_cache(struct kmem_cache *cache) USERMM_API(validate_slab_cache);

/*
 * One line about an address: the cache, the object, the pointer's place in it, and with
 * SLAB_STORE_USER who allocated it, with the stacks of that and of its last free behind;
 * mem_dump_obj() of any other address what it is. False if it is in no slab.
 */
bool kmem_dump_obj(void *object) USERMM_API(kmem_dump_obj);
void mem_dump_obj(void *object) USERMM_API(mem_dump_obj);

USERMM_END_DECLS

#endif
