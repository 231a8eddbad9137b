/* SPDX-License-Identifier: MIT */
/*
 * For bindings of other languages. The macros and inline functions of the other headers are enums
 * and functions here. C and C++ programs do not need this header.
 *
 * A generator such as bindgen reads declarations. It loses a macro with a cast (GFP_KERNEL) and
 * every inline function (kmalloc). So the libraries export each inline function NAME of the public
 * headers as the symbol usermm_NAME, in the same way as every other function; here are their
 * prototypes, under that name. Contract, context and failure are those of NAME, which stand in the
 * header named above each group.
 *
 * Promise. Within a soname (libusermm.so.0) the values below do not change, no function goes, and
 * no function changes its arguments. The library is compiled with a check of each value, and a test
 * compares the built library with a reference (tests/abi).
 */
#ifndef USERMM_BINDINGS_H
#define USERMM_BINDINGS_H

#include "usermm.h"

#define USERMM_BINDING __attribute__((visibility("default")))

USERMM_BEGIN_DECLS

/* gfp.h: the flags __GFP_NAME, and the composites GFP_NAME. Values of gfp_t. */
enum usermm_gfp {
	USERMM_GFP_DMA			= ___GFP_DMA,
	USERMM_GFP_HIGHMEM		= ___GFP_HIGHMEM,
	USERMM_GFP_DMA32		= ___GFP_DMA32,
	USERMM_GFP_MOVABLE		= ___GFP_MOVABLE,
	USERMM_GFP_RECLAIMABLE		= ___GFP_RECLAIMABLE,
	USERMM_GFP_HIGH			= ___GFP_HIGH,
	USERMM_GFP_IO			= ___GFP_IO,
	USERMM_GFP_FS			= ___GFP_FS,
	USERMM_GFP_ZERO			= ___GFP_ZERO,
	USERMM_GFP_DIRECT_RECLAIM	= ___GFP_DIRECT_RECLAIM,
	USERMM_GFP_KSWAPD_RECLAIM	= ___GFP_KSWAPD_RECLAIM,
	USERMM_GFP_WRITE		= ___GFP_WRITE,
	USERMM_GFP_NOWARN		= ___GFP_NOWARN,
	USERMM_GFP_RETRY_MAYFAIL	= ___GFP_RETRY_MAYFAIL,
	USERMM_GFP_NOFAIL		= ___GFP_NOFAIL,
	USERMM_GFP_NORETRY		= ___GFP_NORETRY,
	USERMM_GFP_MEMALLOC		= ___GFP_MEMALLOC,
	USERMM_GFP_COMP			= ___GFP_COMP,
	USERMM_GFP_NOMEMALLOC		= ___GFP_NOMEMALLOC,
	USERMM_GFP_HARDWALL		= ___GFP_HARDWALL,
	USERMM_GFP_THISNODE		= ___GFP_THISNODE,
	USERMM_GFP_ACCOUNT		= ___GFP_ACCOUNT,
	USERMM_GFP_ZEROTAGS		= ___GFP_ZEROTAGS,
	USERMM_GFP_SKIP_ZERO		= ___GFP_SKIP_ZERO,
	USERMM_GFP_SKIP_KASAN		= ___GFP_SKIP_KASAN,
	USERMM_GFP_NOLOCKDEP		= ___GFP_NOLOCKDEP,
	USERMM_GFP_NO_OBJ_EXT		= ___GFP_NO_OBJ_EXT,
	USERMM_GFP_RECLAIM		= USERMM_GFP_DIRECT_RECLAIM | USERMM_GFP_KSWAPD_RECLAIM,
	USERMM_GFP_ATOMIC		= USERMM_GFP_HIGH | USERMM_GFP_KSWAPD_RECLAIM,
	USERMM_GFP_NOIO			= USERMM_GFP_RECLAIM,
	USERMM_GFP_NOFS			= USERMM_GFP_RECLAIM | USERMM_GFP_IO,
	USERMM_GFP_KERNEL		= USERMM_GFP_NOFS | USERMM_GFP_FS,
	USERMM_GFP_KERNEL_ACCOUNT	= USERMM_GFP_KERNEL | USERMM_GFP_ACCOUNT,
	USERMM_GFP_NOWAIT		= USERMM_GFP_KSWAPD_RECLAIM | USERMM_GFP_NOWARN,
	USERMM_GFP_USER			= USERMM_GFP_KERNEL | USERMM_GFP_HARDWALL,
	USERMM_GFP_HIGHUSER		= USERMM_GFP_USER | USERMM_GFP_HIGHMEM,
	USERMM_GFP_HIGHUSER_MOVABLE	= USERMM_GFP_HIGHUSER | USERMM_GFP_MOVABLE |
					  USERMM_GFP_SKIP_KASAN,
};

/* slab.h: flags of kmem_cache_create(). Values of slab_flags_t. */
enum usermm_slab_flags {
	USERMM_SLAB_HWCACHE_ALIGN	= 0x1,
	USERMM_SLAB_PANIC		= 0x2,
	USERMM_SLAB_CONSISTENCY_CHECKS	= 0x100,
	USERMM_SLAB_RED_ZONE		= 0x400,
	USERMM_SLAB_POISON		= 0x800,
	USERMM_SLAB_STORE_USER		= 0x10000,
	USERMM_SLAB_TRACE		= 0x200000,
	USERMM_SLAB_NO_MERGE		= 0x1000000,
	USERMM_SLAB_FAILSLAB		= 0x2000000,
};

/* Sizes and limits. */
enum usermm_limits {
	USERMM_PAGE_SHIFT		= 12,
	USERMM_PAGE_SIZE		= 4096,
	USERMM_MAX_PAGE_ORDER		= 10,
	USERMM_KMALLOC_MIN_SIZE		= 8,
	USERMM_KMALLOC_MAX_CACHE_SIZE	= 8192,
	USERMM_KMALLOC_MAX_SIZE		= 4194304,
	USERMM_ZERO_SIZE_ADDRESS	= 16,
};

/* gfp.h */
int usermm_gfpflags_allow_blocking(gfp_t gfp) USERMM_BINDING;

/* list.h; usermm_list_insert_between() is usermm_list_insert(). */
void usermm_INIT_LIST_HEAD(struct list_head *list) USERMM_BINDING;
int usermm_list_empty(const struct list_head *head) USERMM_BINDING;
void usermm_list_insert_between(struct list_head *entry, struct list_head *prev,
				struct list_head *next) USERMM_BINDING;
void usermm_list_add(struct list_head *entry, struct list_head *head) USERMM_BINDING;
void usermm_list_add_tail(struct list_head *entry, struct list_head *head) USERMM_BINDING;
void usermm_list_del(struct list_head *entry) USERMM_BINDING;
void usermm_list_del_init(struct list_head *entry) USERMM_BINDING;
void usermm_list_move(struct list_head *entry, struct list_head *head) USERMM_BINDING;
void usermm_list_move_tail(struct list_head *entry, struct list_head *head) USERMM_BINDING;

/* page.h, and its macros __get_free_page(), __free_page() and free_page() */
struct page *usermm_virt_to_page(const void *addr) USERMM_BINDING;
void *usermm_page_address(const struct page *page) USERMM_BINDING;
unsigned long usermm_page_to_pfn(const struct page *page) USERMM_BINDING;
struct page *usermm_pfn_to_page(unsigned long pfn) USERMM_BINDING;
struct page *usermm_virt_to_head_page(const void *addr) USERMM_BINDING;
int usermm_get_order(unsigned long size) USERMM_BINDING;
struct page *usermm_alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
	USERMM_BINDING USERMM_MUST_CHECK;
unsigned long usermm___get_free_page(gfp_t gfp) USERMM_BINDING USERMM_MUST_CHECK;
void usermm___free_page(struct page *page) USERMM_BINDING;
void usermm_free_page(unsigned long addr) USERMM_BINDING;

/*
 * slab.h. usermm_kmalloc_class_of() is kmalloc_class(), and usermm_kmalloc_type_of() is
 * usermm_kmalloc_type().
 */
void *usermm_kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp)
	USERMM_BINDING USERMM_MUST_CHECK;
void usermm_kfree_bulk(size_t n, void **objects) USERMM_BINDING;
unsigned int usermm_kmalloc_class_of(size_t size) USERMM_BINDING;
enum kmalloc_cache_type usermm_kmalloc_type_of(gfp_t gfp) USERMM_BINDING;
void *usermm_kmalloc(size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1);
void *usermm_kzalloc(size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1);
void *usermm_kmalloc_array(size_t n, size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1, 2);
void *usermm_kcalloc(size_t n, size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1, 2);
void usermm_kfree_nolock(const void *object) USERMM_BINDING;
void *usermm_kvmalloc(size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1);
void *usermm_kvzalloc(size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1);
void *usermm_kvmalloc_array(size_t n, size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1, 2);
void *usermm_kvcalloc(size_t n, size_t size, gfp_t gfp)
	USERMM_BINDING USERMM_MALLOC USERMM_ALLOC_SIZE(1, 2);

USERMM_END_DECLS

#endif
