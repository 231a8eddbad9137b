/* SPDX-License-Identifier: MIT */
/*
 * Caches, kmalloc() and kvmalloc(). usermm/slab.h has allocation and free, bulk calls and prefilled
 * sheaves. This header adds creation with all of Linux's flags and both argument forms, calls that
 * allocate by node or by type, Linux's other names, and CONFIG_INIT_ON_ALLOC_DEFAULT_ON.
 *
 * Flags without effect are accepted.
 */
#ifndef _LINUX_SLAB_H
#define _LINUX_SLAB_H

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/nodemask.h>
#include <linux/overflow.h>
#include <linux/page-flags-layout.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/kmem_cache.h>
#include <usermm/slab.h>

/* usermm/slab.h and usermm/kmem_cache.h have the flags; these are other names. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 6, 0)
#define SLAB_DEBUG_FREE		SLAB_CONSISTENCY_CHECKS
#else
USERMM_REMOVED(SLAB_DEBUG_FREE, "4.6", "SLAB_CONSISTENCY_CHECKS")
#endif
#define SLAB_TEMPORARY		SLAB_RECLAIM_ACCOUNT
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 12, 0)
#define SLAB_DESTROY_BY_RCU	SLAB_TYPESAFE_BY_RCU
#else
USERMM_REMOVED(SLAB_DESTROY_BY_RCU, "4.12", "SLAB_TYPESAFE_BY_RCU")
#endif
/* Flags of old kernels, without effect. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define SLAB_MEM_SPREAD		((slab_flags_t)0)
#else
USERMM_REMOVED(SLAB_MEM_SPREAD, "6.9", "no flag")
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 15, 0)
#define SLAB_NOTRACK		((slab_flags_t)0)
#else
USERMM_REMOVED(SLAB_NOTRACK, "4.15", "no flag")
#endif
#define SLAB_NO_SHEAVES		((slab_flags_t)0)

#define KMALLOC_SHIFT_HIGH 13
#define KMALLOC_SHIFT_MAX (MAX_PAGE_ORDER + PAGE_SHIFT)
#define KMALLOC_MAX_ORDER MAX_PAGE_ORDER
#define ARCH_SLAB_MINALIGN 8
#define arch_slab_minalign() ARCH_SLAB_MINALIGN

/* The index of a size's cache in Linux's tables; 96 and 192 come first. */
static inline unsigned int kmalloc_index(size_t size)
{
	if (!size)
		return 0;
	if (size > 64 && size <= 96)
		return 1;
	if (size > 128 && size <= 192)
		return 2;
	return size <= KMALLOC_MIN_SIZE ? KMALLOC_SHIFT_LOW :
		(unsigned int)(64 - __builtin_clzl(size - 1));
}

/*
 * kmalloc_type(gfp, caller); (gfp) up to Linux 6.5, (gfp, token) since 7.2. There are no copies of
 * the caches here that a caller or a token would choose from.
 */
#define kmalloc_type(gfp, ...) usermm_kmalloc_type(gfp)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
typedef struct { } kmalloc_token_t;
#define __kmalloc_token(...) ((kmalloc_token_t){ })
#endif

/* kmalloc()'s caches by kind and kmalloc_index(). Sync: constant */
typedef struct kmem_cache *kmem_buckets[KMALLOC_SHIFT_HIGH + 1];
extern kmem_buckets kmalloc_caches[NR_KMALLOC_TYPES] USERMM_API(kmalloc_caches);

#define __kmalloc_index(size, size_is_constant) kmalloc_index(size)

/* args may be NULL. Returns NULL for bad arguments, or without memory. */
struct kmem_cache *usermm_kernel_cache_create(const char *name, unsigned int size,
						 const struct kmem_cache_args *args,
						 slab_flags_t flags)
	__attribute__((visibility("default")));

/* kmem_cache_create(name, size, align, flags, ctor), or (name, size, args, flags). */
#define USERMM_CACHE_CREATE_4(name, size, args, flags) \
	usermm_kernel_cache_create(name, size, args, flags)
#define USERMM_CACHE_CREATE_5(name, size, alignment, flags, constructor)	\
	usermm_kernel_cache_create(name, size, &(const struct kmem_cache_args){ \
		.align = (alignment), .ctor = (constructor) }, flags)
#define USERMM_PICK_5(a1, a2, a3, a4, a5, chosen, ...) chosen
#define kmem_cache_create(...)							\
	USERMM_PICK_5(__VA_ARGS__, USERMM_CACHE_CREATE_5, USERMM_CACHE_CREATE_4, 3, 2) \
		(__VA_ARGS__)
#define kmem_cache_create_usercopy(name, size, alignment, flags, offset, bytes, constructor) \
	usermm_kernel_cache_create(name, size, &(const struct kmem_cache_args){ \
		.align = (alignment), .useroffset = (offset), .usersize = (bytes), \
		.ctor = (constructor) }, flags)

#define KMEM_CACHE(__struct, __flags) \
	USERMM_CACHE_CREATE_5(#__struct, sizeof(struct __struct), \
			      __alignof__(struct __struct), (__flags), NULL)
#define KMEM_CACHE_USERCOPY(__struct, __flags, __field)			\
	kmem_cache_create_usercopy(#__struct, sizeof(struct __struct),		\
		__alignof__(struct __struct), (__flags),			\
		__builtin_offsetof(struct __struct, __field),			\
		sizeof(((struct __struct *)0)->__field), NULL)

/* Waits for objects passed to kfree_rcu(), then reports objects that were not freed. */
void usermm_kernel_cache_destroy(struct kmem_cache *cache) __attribute__((visibility("default")));
#define kmem_cache_destroy(cache) usermm_kernel_cache_destroy(cache)
const char *kmem_cache_name(struct kmem_cache *cache) USERMM_API(kmem_cache_name);

/* CONFIG_INIT_ON_ALLOC_DEFAULT_ON takes effect when the source is compiled. */
#ifdef CONFIG_INIT_ON_ALLOC_DEFAULT_ON
void *usermm_kernel_cache_alloc_init(struct kmem_cache *cache, gfp_t gfp)
	__attribute__((visibility("default")));
int usermm_kernel_cache_alloc_bulk_init(struct kmem_cache *cache, gfp_t gfp, size_t n,
				      void **objects) __attribute__((visibility("default")));
void *usermm_kernel_alloc_from_sheaf_init(struct kmem_cache *cache, gfp_t gfp,
					  struct slab_sheaf *sheaf)
	__attribute__((visibility("default")));
#define alloc_pages(gfp, order) (alloc_pages)((gfp) | __GFP_ZERO, order)
#define __get_free_pages(gfp, order) (__get_free_pages)((gfp) | __GFP_ZERO, order)
#define kmalloc(size, gfp) (kmalloc)(size, (gfp) | __GFP_ZERO)
#define kmalloc_array(n, size, gfp) (kmalloc_array)(n, size, (gfp) | __GFP_ZERO)
#define kmem_cache_alloc(cache, gfp) usermm_kernel_cache_alloc_init(cache, gfp)
#define kmem_cache_alloc_bulk(cache, gfp, n, objects) \
	usermm_kernel_cache_alloc_bulk_init(cache, gfp, n, objects)
#define kmem_cache_alloc_from_sheaf(cache, gfp, sheaf) \
	usermm_kernel_alloc_from_sheaf_init(cache, gfp, sheaf)
#endif

/* If there is one node, the number is ignored. */
static inline __attribute__((always_inline)) void *
usermm_kmalloc_of(size_t size, gfp_t gfp, int node)
{
	return likely(nr_node_ids == 1) ? (kmalloc)(size, gfp) : (kmalloc_node)(size, gfp, node);
}

static inline __attribute__((always_inline)) void *
usermm_cache_alloc_of(struct kmem_cache *cache, gfp_t gfp, int node)
{
#ifndef CONFIG_INIT_ON_ALLOC_DEFAULT_ON
	if (unlikely(nr_node_ids > 1))
		return (kmem_cache_alloc_node)(cache, gfp, node);
#endif
	(void)node;
	return kmem_cache_alloc(cache, gfp);
}

static inline void *kmalloc_array_node(size_t n, size_t size, gfp_t gfp, int node)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return usermm_kmalloc_of(bytes, USERMM_INIT_ON_ALLOC(gfp), node);
}

#define kmem_cache_alloc_node(cache, gfp, node) usermm_cache_alloc_of(cache, gfp, node)
#define kmem_cache_alloc_lru(cache, lru, gfp) ((void)(lru), kmem_cache_alloc(cache, gfp))
#define kmem_cache_charge(object, gfp) ((void)(object), (void)(gfp), true)
#define kmem_cache_alloc_noprof kmem_cache_alloc
#define kmem_cache_alloc_node_noprof kmem_cache_alloc_node
#define kmem_cache_alloc_lru_noprof kmem_cache_alloc_lru
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0) && !defined(USERMM_KERNEL_LAYER)
/* All objects or none: since Linux 7.2 the result does not say how many. */
static inline bool usermm_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n,
					   void **objects)
{
	return kmem_cache_alloc_bulk(cache, gfp, n, objects) > 0;
}
#undef kmem_cache_alloc_bulk
#define kmem_cache_alloc_bulk usermm_cache_alloc_bulk
#endif
#define kmem_cache_alloc_bulk_noprof kmem_cache_alloc_bulk

#define kmalloc_node(size, gfp, node) \
	usermm_kmalloc_of(size, USERMM_INIT_ON_ALLOC(gfp), node)
#define kzalloc_node(size, gfp, node) usermm_kmalloc_of(size, (gfp) | __GFP_ZERO, node)
#define kcalloc_node(n, size, gfp, node) kmalloc_array_node(n, size, (gfp) | __GFP_ZERO, node)
#define kmalloc_track_caller(size, gfp) kmalloc(size, gfp)
#define kmalloc_node_track_caller(size, gfp, node) kmalloc_node(size, gfp, node)
#define kmalloc_large(size, gfp) kmalloc(size, gfp)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define kmalloc_large_node(size, gfp, node) kmalloc_node(size, gfp, node)
#define __kmalloc(size, gfp) (kmalloc)(size, gfp)
#define __kmalloc_node(size, gfp, node) usermm_kmalloc_of(size, gfp, node)
#else
USERMM_REMOVED(kmalloc_large_node, "6.10", "kmalloc_node()")
USERMM_REMOVED(__kmalloc, "6.10", "kmalloc()")
USERMM_REMOVED(__kmalloc_node, "6.10", "kmalloc_node()")
#endif
#define kmalloc_noprof kmalloc
#define kzalloc_noprof kzalloc
#define kcalloc_noprof kcalloc
#define kmalloc_array_noprof kmalloc_array
#define kmalloc_node_noprof kmalloc_node
#define __kmalloc_noprof(size, gfp) (kmalloc)(size, gfp)
#define __kmalloc_node_noprof(size, gfp, node) usermm_kmalloc_of(size, gfp, node)
#define krealloc_noprof krealloc
#define __kmalloc_cache_noprof(cache, gfp, size) usermm_kmalloc_cache(cache, gfp, size)
#define __kmalloc_cache_node_noprof(cache, gfp, node, size) \
	(nr_node_ids == 1 ? usermm_kmalloc_cache(cache, gfp, size) : \
			    (kmem_cache_alloc_node)(cache, gfp, node))
#define kmalloc_nolock(size, gfp, node) \
	(kmalloc_nolock)(size, USERMM_INIT_ON_ALLOC(gfp), node)
#define kmalloc_nolock_noprof kmalloc_nolock
#define kmem_cache_alloc_from_sheaf_noprof kmem_cache_alloc_from_sheaf

/* As without CONFIG_SLAB_BUCKETS: all buckets are kmalloc()'s caches. */
#define kmem_buckets_create(name, flags, offset, bytes, ctor)		\
	((void)(name), (void)(flags), (void)(offset), (void)(bytes), (void)(ctor), \
	 (kmem_buckets *)ZERO_SIZE_PTR)
#define kmem_buckets_alloc(buckets, size, gfp) ((void)(buckets), kmalloc(size, gfp))
#define kmem_buckets_alloc_track_caller(buckets, size, gfp) \
	kmem_buckets_alloc(buckets, size, gfp)
#define kmem_buckets_valloc(buckets, size, gfp) ((void)(buckets), kvmalloc(size, gfp))

/*
 * The forms of Linux 7.0, which take the object's type, or a variable of it. The flags may be left
 * out: GFP_KERNEL. _flex is a structure with a flexible array of so many entries; it sets the
 * array's counter, if the compiler knows one (__counted_by).
 */
#define USERMM_PICK_2(a1, chosen, ...) chosen
#define default_gfp(...) USERMM_PICK_2(0, ##__VA_ARGS__, GFP_KERNEL)
#define USERMM_OBJS(call, gfp, type, n)	((type *)call(size_mul(sizeof(type), n), gfp))
#define USERMM_FLEX(call, gfp, type, member, n)				\
	({								\
		const size_t flex_n_ = (n);				\
		type *flex_ = call(struct_size_t(type, member, flex_n_), gfp); \
									\
		if (flex_)						\
			__set_flex_counter(flex_->member, flex_n_);	\
		flex_;							\
	})

#define kmalloc_obj(var, ...) USERMM_OBJS(kmalloc, default_gfp(__VA_ARGS__), __typeof__(var), 1)
#define kmalloc_objs(var, n, ...) USERMM_OBJS(kmalloc, default_gfp(__VA_ARGS__), __typeof__(var), n)
#define kmalloc_flex(var, member, n, ...) \
	USERMM_FLEX(kmalloc, default_gfp(__VA_ARGS__), __typeof__(var), member, n)
#define kzalloc_obj(var, ...) USERMM_OBJS(kzalloc, default_gfp(__VA_ARGS__), __typeof__(var), 1)
#define kzalloc_objs(var, n, ...) USERMM_OBJS(kzalloc, default_gfp(__VA_ARGS__), __typeof__(var), n)
#define kzalloc_flex(var, member, n, ...) \
	USERMM_FLEX(kzalloc, default_gfp(__VA_ARGS__), __typeof__(var), member, n)
#define kvmalloc_obj(var, ...) \
	USERMM_OBJS(kvmalloc, default_gfp(__VA_ARGS__), __typeof__(var), 1)
#define kvmalloc_objs(var, n, ...) \
	USERMM_OBJS(kvmalloc, default_gfp(__VA_ARGS__), __typeof__(var), n)
#define kvmalloc_flex(var, member, n, ...) \
	USERMM_FLEX(kvmalloc, default_gfp(__VA_ARGS__), __typeof__(var), member, n)
#define kvzalloc_obj(var, ...) \
	USERMM_OBJS(kvzalloc, default_gfp(__VA_ARGS__), __typeof__(var), 1)
#define kvzalloc_objs(var, n, ...) \
	USERMM_OBJS(kvzalloc, default_gfp(__VA_ARGS__), __typeof__(var), n)
#define kvzalloc_flex(var, member, n, ...) \
	USERMM_FLEX(kvzalloc, default_gfp(__VA_ARGS__), __typeof__(var), member, n)

/*
 * Aligned to `align`, a power of two, as the object moves too; on a node. All of these may be given
 * to kfree() or, with a v, kvfree(). A larger alignment than the object has anyway takes a larger
 * object, or for kvmalloc() an area of vmalloc().
 */
void *usermm_krealloc_node_align(const void *object, size_t size, unsigned long align, gfp_t gfp,
				 int node) __attribute__((visibility("default")));
void *usermm_kvmalloc_node_align(size_t size, unsigned long align, gfp_t gfp, int node)
	__attribute__((visibility("default")));
void *usermm_kvrealloc_node_align(const void *object, size_t size, unsigned long align, gfp_t gfp,
				  int node) __attribute__((visibility("default")));
#define krealloc_node_align(object, size, align, gfp, node) \
	usermm_krealloc_node_align(object, size, align, USERMM_INIT_ON_ALLOC(gfp), node)
#define krealloc_node(object, size, gfp, node) krealloc_node_align(object, size, 1, gfp, node)
#define kvmalloc_node_align(size, align, gfp, node) \
	usermm_kvmalloc_node_align(size, align, USERMM_INIT_ON_ALLOC(gfp), node)
#define kvrealloc_node_align(object, size, align, gfp, node) \
	usermm_kvrealloc_node_align(object, size, align, USERMM_INIT_ON_ALLOC(gfp), node)
#define kvrealloc_node(object, size, gfp, node) kvrealloc_node_align(object, size, 1, gfp, node)

static inline void *krealloc_array(void *object, size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return krealloc(object, bytes, gfp);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#define kzfree(object) kfree_sensitive(object)
#else
USERMM_REMOVED(kzfree, "5.10", "kfree_sensitive()")
#endif
DEFINE_FREE(kfree, void *, if (!IS_ERR_OR_NULL(_T)) kfree(_T))
DEFINE_FREE(kfree_sensitive, void *, if (_T) kfree_sensitive(_T))

/*
 * Memory whose pages need not be contiguous. The calls are those of usermm/slab.h: kmalloc() first;
 * if it fails, vmalloc() instead of a mapping.
 */
DEFINE_FREE(kvfree, void *, if (!IS_ERR_OR_NULL(_T)) kvfree(_T))
/* kvfree() where the caller must not sleep; here kvfree() never does. */
static inline void kvfree_atomic(const void *object)
{
	kvfree(object);
}

DEFINE_FREE(kvfree_atomic, void *, if (!IS_ERR_OR_NULL(_T)) kvfree_atomic(_T))
/* kvrealloc() up to Linux 6.11: never shrinks. A block of `size` bytes or more stays as it is. */
void *usermm_kvrealloc_from(const void *address, size_t old_size, size_t size, gfp_t gfp)
	__attribute__((visibility("default")));

#define kvmalloc(size, gfp) kvmalloc_node(size, USERMM_INIT_ON_ALLOC(gfp), NUMA_NO_NODE)
#define kvzalloc(size, gfp) kvmalloc((size), (gfp) | __GFP_ZERO)
#define kvzalloc_node(size, gfp, node) kvmalloc_node((size), (gfp) | __GFP_ZERO, node)
#define kvmalloc_node_noprof kvmalloc_node
#define kvmalloc_node_align_noprof kvmalloc_node_align
#define kvrealloc_node_align_noprof kvrealloc_node_align
#define krealloc_node_align_noprof krealloc_node_align
#define kmalloc_array_node_noprof kmalloc_array_node
#define kvmalloc_array_node_noprof kvmalloc_array_node
#define kvmalloc_noprof kvmalloc
#define kvzalloc_noprof kvzalloc

static inline void *kvmalloc_array_node(size_t n, size_t size, gfp_t gfp, int node)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return kvmalloc_node(bytes, USERMM_INIT_ON_ALLOC(gfp), node);
}

#define kvmalloc_array(n, size, gfp) kvmalloc_array_node(n, size, gfp, NUMA_NO_NODE)
#define kvcalloc(n, size, gfp) kvmalloc_array(n, size, (gfp) | __GFP_ZERO)
#define kvcalloc_node(n, size, gfp, node) kvmalloc_array_node(n, size, (gfp) | __GFP_ZERO, node)

/* kvrealloc(address, old_size, size, gfp) up to Linux 6.11; without old_size from 6.12 on. */
#define USERMM_KVREALLOC_3(address, size, gfp) (kvrealloc)(address, size, gfp)
#define USERMM_KVREALLOC_4(address, old, size, gfp) \
	usermm_kvrealloc_from(address, old, size, gfp)
#define USERMM_PICK_4(a1, a2, a3, a4, chosen, ...) chosen
#define kvrealloc(...)								\
	USERMM_PICK_4(__VA_ARGS__, USERMM_KVREALLOC_4, USERMM_KVREALLOC_3)(__VA_ARGS__)

static inline bool slab_is_available(void)
{
	return true;
}

#include <linux/rcupdate.h>

#endif
