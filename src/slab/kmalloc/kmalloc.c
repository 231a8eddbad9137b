/* SPDX-License-Identifier: MIT */
/* Entry points: kmem_cache_alloc(), kmalloc() and their relatives. */
#include <string.h>

#include "base/check.h"
#include "base/linux_version.h"
#include "mm/page_flags.h"
#include "page/debug/bad_page.h"
#include "page/debug/hooks.h"
#include "page/zone.h"
#include "slab/clearing.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/mixed/mixed.h"
#include "slab/slab_fast.h"

/* --- Allocation ---------------------------------------------------------- */

static noinline void *cache_clear(const struct kmem_cache *cache, void *object)
{
	return memset(object, 0, cache->object_size);
}

/*
 * Must __GFP_ZERO clear the object here? Debugging has cleared its objects already, and a guarded
 * object's page was zero.
 */
static bool needs_clearing(const struct kmem_cache *cache, const void *object)
{
	return !cache_is_debugged(cache) && !slab_kfence_owns(object);
}

static __always_inline void *cleared_if_asked(struct kmem_cache *cache, gfp_t gfp, void *object)
{
	if (object && (gfp & __GFP_ZERO) && needs_clearing(cache, object))
		cache_clear(cache, object);
	return object;
}

/* Without sequences the fast path has not looked at the sheaf, which is locked. */
static noinline void *cache_alloc_locked(struct kmem_cache *cache, gfp_t gfp, size_t size,
					 const void *caller)
{
	void *object = slab_alloc_locked(cache);

	if (unlikely(!object))
		object = slab_alloc_slow(cache, gfp, size, caller);
	return cleared_if_asked(cache, gfp, object);
}

/*
 * size: the bytes that the caller asked for. With slab_cpu_cache=slab each allocation comes here.
 * So the locked part, which needs many registers, is a function of its own.
 */
static slow_path void *cache_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size,
					const void *caller)
{
	if (unlikely(!percpu_has_sequences()))
		return cache_alloc_locked(cache, gfp, size, caller);
	return cleared_if_asked(cache, gfp, slab_alloc_slow(cache, gfp, size, caller));
}

static __always_inline void *cache_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size)
{
	void *object = slab_alloc_fast(cache);

	if (unlikely(!object))
		return cache_alloc_slow(cache, gfp, size, __builtin_return_address(0));
	return likely(!(gfp & __GFP_ZERO)) ? object : cache_clear(cache, object);
}

fast_path void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	return cache_alloc(cache, gfp, SIZE_MAX);
}

fast_path void *usermm_kmalloc_cache(struct kmem_cache *cache, gfp_t gfp, size_t size)
{
	return cache_alloc(cache, gfp, size);
}

/*
 * The slow halves of kmalloc() get its arguments unchanged and find the cache again. So the fast
 * halves need not keep a value across the pop.
 */
static slow_path void *kmalloc_slow(unsigned long size_and_class, gfp_t gfp, const void *caller)
{
	/* The caches exist only after slab_init(). */
	if (slab_init())
		return NULL;
	return cache_alloc_slow(kmalloc_cache((uint32_t)size_and_class, caller), gfp,
				size_and_class >> 32, caller);
}

static slow_path void *kmalloc_size_slow(size_t size, gfp_t gfp, const void *caller)
{
	return kmalloc_slow(USERMM_KMALLOC_CLASS(size, 0), gfp, caller);
}

static noinline void *kmalloc_clear(unsigned long size_and_class, void *object)
{
	return cache_clear(&kmalloc_caches[(uint32_t)size_and_class], object);
}

static noinline void *kmalloc_size_clear(size_t size, void *object)
{
	return kmalloc_clear(kmalloc_class(size), object);
}

static __always_inline void *kmalloc_fast(size_t size, unsigned int size_class)
{
	/*
	 * The cache may not be made yet, so nothing else of it is read before this. Pairs with
	 * cache_show_sheaf(), which set_up() calls: the rest of a cache that is just being made.
	 */
	struct percpu_array *sheaf = cache_sheaf_acquire(&kmalloc_caches[size_class]);

	return size <= KMALLOC_SMALL_BYTES ? slab_alloc_small(sheaf, false) :
					     slab_alloc_large(sheaf, false);
}

fast_path void *usermm_kmalloc_class(unsigned long size_and_class, gfp_t gfp)
{
	void *object = kmalloc_fast(size_and_class >> 32, (uint32_t)size_and_class);

	if (unlikely(!object))
		return kmalloc_slow(size_and_class, gfp, __builtin_return_address(0));
	return likely(!(gfp & __GFP_ZERO)) ? object :
					     kmalloc_clear(size_and_class, object);
}

static slow_path void *kmalloc_other_size(size_t size, gfp_t gfp, int nid)
{
	struct page *page;

	if (!size)
		return ZERO_SIZE_PTR;
	if (unlikely(gfp & SLAB_GFP_UNUSABLE))
		gfp = slab_fix_gfp(gfp);
	page = alloc_pages_node(nid, gfp | __GFP_COMP, (unsigned int)get_order(size));
	if (!page)
		return NULL;
	/* Since then nobody can take a reference of it: src/page/page_alloc.c: get_page(). */
	if (linux_since(6, 17)) {
		atomic_store_relaxed(&page->_refcount, 0);
		page_set_flags(page, page_flags(page) | PG_large_kmalloc);
	}
	return page_address(page);
}

fast_path void *usermm_kmalloc_size(size_t size, gfp_t gfp)
{
	void *object;

	/* Size 0 wraps around, so one test finds it and the large sizes. */
	if (unlikely(size - 1 >= KMALLOC_MAX_CACHE_SIZE))
		return kmalloc_other_size(size, gfp, NUMA_NO_NODE);
	object = kmalloc_fast(size, kmalloc_class(size));
	if (unlikely(!object))
		return kmalloc_size_slow(size, gfp, __builtin_return_address(0));
	return likely(!(gfp & __GFP_ZERO)) ? object : kmalloc_size_clear(size, object);
}

/* kmalloc() of any kind, on behalf of the given caller. */
static void *kmalloc_track_caller(size_t size, gfp_t gfp, const void *caller)
{
	unsigned long size_and_class;
	void *object;

	if (unlikely(size - 1 >= KMALLOC_MAX_CACHE_SIZE))
		return kmalloc_other_size(size, gfp, NUMA_NO_NODE);
	size_and_class = USERMM_KMALLOC_CLASS(size, gfp);
	object = kmalloc_fast(size, (uint32_t)size_and_class);
	if (unlikely(!object))
		return kmalloc_slow(size_and_class, gfp, caller);
	return likely(!(gfp & __GFP_ZERO)) ? object : kmalloc_clear(size_and_class, object);
}

fast_path void *usermm_kmalloc_typed(size_t size, gfp_t gfp)
{
	return kmalloc_track_caller(size, gfp, __builtin_return_address(0));
}

/* --- On a node ------------------------------------------------------------ */

static void *cache_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
			      const void *caller)
{
	void *object = slab_alloc_node(cache, gfp, nid, size, caller);

	if (object && (gfp & __GFP_ZERO) && needs_clearing(cache, object))
		cache_clear(cache, object);
	return object;
}

void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	return cache_alloc_node(cache, gfp, nid, SIZE_MAX, __builtin_return_address(0));
}

void *slab_kmalloc_node_for(size_t size, gfp_t gfp, int nid, const void *caller)
{
	if (size - 1 < KMALLOC_MAX_CACHE_SIZE) {
		unsigned long size_and_class = USERMM_KMALLOC_CLASS(size, gfp);

		if (slab_init())
			return NULL;
		return cache_alloc_node(kmalloc_cache((uint32_t)size_and_class, caller), gfp, nid,
					size, caller);
	}
	if (nid < 0 || nid >= (int)nr_online_nodes)
		nid = NUMA_NO_NODE;
	return kmalloc_other_size(size, gfp, nid);
}

void *kmalloc_node(size_t size, gfp_t gfp, int nid)
{
	return slab_kmalloc_node_for(size, gfp, nid, __builtin_return_address(0));
}

/* --- Free ----------------------------------------------------------------- */

void slab_free_checked(struct kmem_cache *cache, void *object, const char *function,
		   const void *caller)
{
	if (cache->is_hardened) {
		slab_hardened_free(object, cache, caller, function);
		return;
	}
	if (cache_is_debugged(cache)) {
		slab_debug_free(cache, object, function, caller);
		return;
	}
	if (!object_may_be_freed(cache, object))
		slab_report_bad_free(function, object, caller);
	if (unlikely(is_marked_waiting(cache, object)))
		slab_report_waiting(function, object, caller);
	slab_mark_free(cache, object);
	slab_free_slow(cache, object);
}

static __always_inline void cache_free(struct kmem_cache *cache, void *object,
				       const char *function)
{
	if (unlikely(!slab_free_fast(cache, object, false)))
		slab_free_checked(cache, object, function, __builtin_return_address(0));
}

/*
 * The caller freed the object to `cache`, but its slab's cache is `owner` (NULL: no slab). Reports
 * that. True if the caller should free the object to its owner. Since Linux 7.1 it is lost instead.
 */
static slow_path bool takes_from_other(struct kmem_cache *cache, const struct kmem_cache *owner,
				       void *object, const char *function, const void *caller)
{
	if (!object)
		return false;
	if (slab_kfence_owns(object)) {
		slab_kfence_free(cache, object, function, caller);
		return false;
	}
	if (!owner && (cache->flags & SLAB_CONSISTENCY_CHECKS)) {
		slab_debug_no_slab();
		return false;
	}
	if (!owner)
		slab_report_bad_free(function, object, caller);
	slab_debug_wrong_cache(cache, owner, object);
	return !linux_since(7, 1);
}

/* The object's slab, if it has any, is of another cache. */
static slow_path void free_to_other(struct kmem_cache *cache, void *object, const char *function,
				    const void *caller)
{
	struct kmem_cache *owner = cache_of(object);

	if (takes_from_other(cache, owner, object, function, caller) &&
	    !slab_free_fast(owner, object, false))
		slab_free_checked(owner, object, function, caller);
}

/* Each slow path is a tail call, so the fast path keeps no register. */
fast_path void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	if (likely(cache_of(object) == cache))
		cache_free(cache, object, "kmem_cache_free");
	else
		free_to_other(cache, object, "kmem_cache_free", __builtin_return_address(0));
}

/*
 * The order of the page block that kmalloc made at this address, or -1. The caller has read NULL in
 * the table of caches.
 */
static often_called int kmalloc_block_order(const void *object)
{
	const struct page *page = virt_to_page(object);

	if (!mm_is_online(object) || ((unsigned long)object & ~PAGE_MASK))
		return -1;
	/* pairs with mixed_publish(): a page that left its cache has no PG_head any more */
	atomic_acquire_loaded(mm_slab_cache(page));
	return page_flags(page) & PG_head ? page->order : -1;
}

often_called size_t slab_page_block_bytes(const void *object)
{
	int order = kmalloc_block_order(object);

	return order < 0 ? 0 : PAGE_SIZE << order;
}

/* Since Linux 6.17 pages that kmalloc did not make are lost, with one warning in a process. */
static void lose_other_page(void *object)
{
	static bool told;	/* Sync: atomic relaxed, as in REPORT_ONCE() */

	if (atomic_exchange_relaxed(&told, true))
		return;
	slab_warn("WARNING: kfree(%p)", object);
	page_report_state(compound_head(virt_to_page(object)), "Not a kmalloc allocation");
}

/*
 * In kernel sources: a single allocated page that kmalloc did not make. Up to Linux 6.16 it is
 * freed, with one warning in a process. The address may be anywhere in the page.
 * cf. Linux mm/slub.c: free_large_kmalloc()
 */
static bool free_other_page(void *object)
{
	static bool told;	/* Sync: atomic relaxed, as in REPORT_ONCE() */
	struct page *page = virt_to_page(object);

	if (page_bad_is_fatal() || !mm_is_online(object) || compound_head(page) != page ||
	    page_flags(page) & (PG_head | PG_buddy | PG_block) ||
	    atomic_load_relaxed(&page->_refcount) <= 0)
		return false;
	if (linux_since(6, 17)) {
		lose_other_page(object);
		return true;
	}
	if (!atomic_exchange_relaxed(&told, true))
		slab_warn("object pointer: %p", object);
	put_page(page);
	return true;
}

/*
 * Makes the block one that free_pages() takes. False if it is not kmalloc's, and is lost. A block
 * that was allocated before linux_version was set lacks PG_large_kmalloc.
 */
static bool take_block_back(struct page *page)
{
	if (page_flags(page) & PG_large_kmalloc) {
		page_set_flags(page, page_flags(page) & ~PG_large_kmalloc);
		atomic_store_relaxed(&page->_refcount, 1);
	} else if (linux_since(6, 17)) {
		lose_other_page(page_address(page));
		return false;
	}
	return true;
}

/*
 * Reports a block that waits for a grace period. Looks only if page debugging is on, which may fill
 * or hide freed pages. Caches with debugging are checked in the same way.
 */
static void check_waiting(const char *function, void *object, unsigned int order,
			  const void *caller)
{
	if (unlikely(page_hooks()) && slab_rcu_hooks.has &&
	    slab_rcu_hooks.has(object, PAGE_SIZE << order))
		slab_report_waiting(function, object, caller);
}

void slab_free_page_block(const char *function, void *object, const void *caller)
{
	int order = kmalloc_block_order(object);

	if (order >= 0) {
		check_waiting(function, object, (unsigned int)order, caller);
		if (take_block_back(virt_to_page(object)))
			free_pages((unsigned long)object, (unsigned int)order);
	} else if (!slab_mixed_free(object) && !free_other_page(object)) {
		slab_report_bad_free(function, object, caller);
	}
}

static slow_path void kfree_other(void *object, const char *function, const void *caller)
{
	if (slab_kfence_owns(object))
		slab_kfence_free(NULL, object, function, caller);
	else if (!ZERO_OR_NULL_PTR(object))
		slab_free_page_block(function, object, caller);
}

fast_path void kfree(const void *object)
{
	struct kmem_cache *cache = cache_of(object);

	if (likely(cache))
		cache_free(cache, (void *)object, "kfree");
	else
		kfree_other((void *)object, "kfree", __builtin_return_address(0));
}

void slab_free_for(struct kmem_cache *cache, void *object, const char *function,
		   const void *caller)
{
	struct kmem_cache *owner = cache_of(object);

	if (!cache && !owner)
		kfree_other(object, function, caller);
	else if (cache && owner != cache)
		free_to_other(cache, object, function, caller);
	else if (!slab_free_fast(owner, object, false))
		slab_free_checked(owner, object, function, caller);
}

/* --- Sizes ---------------------------------------------------------------- */

/* The object's usable bytes. 0 if the slow path must find them, or if it is no object. */
static __always_inline size_t object_bytes(const void *object)
{
	struct kmem_cache *cache = cache_of(object);

	if (likely(cache))
		return object_may_be_freed(cache, object) ? cache->fast_usable_bytes : 0;
	return slab_clears_what_krealloc_leaves() ? 0 : slab_page_block_bytes(object);
}

/*
 * Like object_bytes(), for slow paths. Finds blocks of mixed slabs, too, and the sizes for which
 * object_bytes() returns 0 because of init_on_alloc=1. 0: the object is guarded, debugged or
 * hardened, or this is no object.
 */
static size_t object_bytes_slow(const struct kmem_cache *cache, const void *object)
{
	if (!cache)
		return max(slab_page_block_bytes(object), slab_mixed_bytes(object));
	return object_may_be_freed(cache, object) ? cache->usable_bytes : 0;
}

static slow_path size_t ksize_slow(const void *object)
{
	struct kmem_cache *cache = cache_of(object);
	size_t bytes = object_bytes_slow(cache, object);

	if (bytes)
		return bytes;
	if (slab_kfence_owns(object))
		return slab_kfence_size(object, "ksize", __builtin_return_address(0));
	if (cache && cache_is_debugged(cache))
		return slab_debug_usable(cache, (void *)object);
	if (cache && cache->is_hardened)
		return slab_hardened_size(cache, (void *)object, "ksize",
					  __builtin_return_address(0));
	slab_report_bad_free("ksize", object, __builtin_return_address(0));
}

size_t ksize(const void *object)
{
	size_t bytes;

	if (ZERO_OR_NULL_PTR(object))
		return 0;
	bytes = object_bytes(object);
	return likely(bytes) ? bytes : ksize_slow(object);
}

void kfree_sensitive(const void *object)
{
	if (!ZERO_OR_NULL_PTR(object)) {
		memset((void *)object, 0, ksize(object));
		/* Else the compiler could leave out stores to an object that is freed. */
		__asm__ __volatile__("" : : "r"(object) : "memory");
	}
	kfree(object);
}

size_t kmalloc_size_roundup(size_t size)
{
	if (!size || size > KMALLOC_MAX_SIZE)
		return size;
	if (size <= KMALLOC_MAX_CACHE_SIZE)
		return kmalloc_class_bytes(kmalloc_class(size));
	return PAGE_SIZE << get_order(size);
}

/* Moves old_size bytes to a new object and frees the old one. */
static void *krealloc_move(const void *object, size_t old_size, size_t new_size, gfp_t gfp,
			   const void *caller)
{
	void *new_object = kmalloc_track_caller(new_size, gfp, caller);

	if (new_object && !ZERO_OR_NULL_PTR(object)) {
		memcpy(new_object, object, old_size);
		kfree(object);
	}
	return new_object;
}

static __always_inline void *krealloc_plain(const void *object, size_t old_size, size_t new_size,
					    gfp_t gfp, const void *caller)
{
	if (new_size > old_size)
		return krealloc_move(object, old_size, new_size, gfp, caller);
	if (gfp & __GFP_ZERO)
		memset((char *)object + new_size, 0, old_size - new_size);
	return (void *)object;
}

/* With debugging the cache may keep the size that was asked for; this updates it. */
static slow_path void *krealloc_debugged(struct kmem_cache *cache, void *object, size_t new_size,
					 gfp_t gfp, const void *caller)
{
	size_t old_size;

	if (!slab_debug_check_pointer(cache, object))
		return NULL;
	/* A cache that does not keep sizes: all that ksize() allows may be in use. */
	old_size = slab_debug_knows_size(cache) ? slab_debug_size(cache, object) :
						  cache->usable_bytes;
	if (new_size > cache->usable_bytes)
		return krealloc_move(object, old_size, new_size, gfp, caller);
	if ((gfp & __GFP_ZERO) && old_size < new_size)
		memset((char *)object + old_size, 0, new_size - old_size);
	else if (gfp & __GFP_ZERO)
		memset((char *)object + new_size, 0, cache->usable_bytes - new_size);
	slab_debug_resize(cache, object, new_size);
	return object;
}

/* A guarded object has exactly the bytes that were asked for. */
static slow_path void *krealloc_guarded(const void *object, size_t new_size, gfp_t gfp,
					const char *function, const void *caller)
{
	size_t old_size = slab_kfence_size(object, function, caller);

	if (!old_size)
		return NULL;
	return krealloc_plain(object, old_size, new_size, gfp, caller);
}

/*
 * krealloc() where object_bytes() is 0: there is no object yet, or only slow paths find its size,
 * or the address may be no object.
 */
static slow_path void *krealloc_slow_for(const void *object, size_t new_size, gfp_t gfp,
					const char *function, const void *caller)
{
	struct kmem_cache *cache;
	size_t old_size;

	if (slab_clears_what_krealloc_leaves())
		gfp |= __GFP_ZERO;
	if (ZERO_OR_NULL_PTR(object))
		return krealloc_move(object, 0, new_size, gfp, caller);
	if (slab_kfence_owns(object))
		return krealloc_guarded(object, new_size, gfp, function, caller);
	cache = cache_of(object);
	old_size = object_bytes_slow(cache, object);
	if (old_size)
		return krealloc_plain(object, old_size, new_size, gfp, caller);
	if (cache && cache_is_debugged(cache))
		return krealloc_debugged(cache, (void *)object, new_size, gfp, caller);
	if (cache && cache->is_hardened)
		return krealloc_plain(object, slab_hardened_size(cache, (void *)object, function,
								 caller),
				      new_size, gfp, caller);
	slab_report_bad_free(function, object, caller);
}

/* A function of its own, so that krealloc() has one argument less to pass. */
static slow_path void *krealloc_slow(const void *object, size_t new_size, gfp_t gfp,
				    const void *caller)
{
	return krealloc_slow_for(object, new_size, gfp, "krealloc", caller);
}

void *krealloc(const void *object, size_t new_size, gfp_t gfp)
{
	size_t old_size;

	if (!new_size) {
		kfree(object);
		return ZERO_SIZE_PTR;
	}
	old_size = ZERO_OR_NULL_PTR(object) ? 0 : object_bytes(object);
	if (unlikely(!old_size))
		return krealloc_slow(object, new_size, gfp, __builtin_return_address(0));
	return krealloc_plain(object, old_size, new_size, gfp, __builtin_return_address(0));
}

void *slab_krealloc_for(const void *object, size_t new_size, gfp_t gfp, const char *function,
			const void *caller)
{
	size_t old_size = ZERO_OR_NULL_PTR(object) ? 0 : object_bytes(object);

	if (!old_size)
		return krealloc_slow_for(object, new_size, gfp, function, caller);
	return krealloc_plain(object, old_size, new_size, gfp, caller);
}
