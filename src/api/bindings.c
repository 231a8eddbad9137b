/* SPDX-License-Identifier: MIT */
/*
 * The inline functions of the public headers as symbols, and a check of the values that
 * usermm/bindings.h promises. tools/check_exports.py knows from the headers which functions are to
 * be here.
 */
#include "usermm/bindings.h"

/* --- Values ------------------------------------------------------------------------------- */

/* Programs have this number compiled in. Another number needs another soname. */
#define PROMISED(constant, number)							\
	_Static_assert(!ARE_PROMISED || (unsigned long)(constant) == (number),		\
		       "bindings.h: " #constant " may not change within a soname");
/* A row: the enum's name, the macro that it stands for, and the promised number. */
#define VALUE(name, macro, number)							\
	_Static_assert((unsigned long)USERMM_##name == (unsigned long)(macro),		\
		       "bindings.h: " #name " differs from the macro");			\
	PROMISED(USERMM_##name, number)
#ifdef USERMM_PERMUTED_GFP
#define ARE_PROMISED 0
#else
#define ARE_PROMISED 1
#endif

VALUE(GFP_DMA, __GFP_DMA, 0x1)
VALUE(GFP_HIGHMEM, __GFP_HIGHMEM, 0x2)
VALUE(GFP_DMA32, __GFP_DMA32, 0x4)
VALUE(GFP_MOVABLE, __GFP_MOVABLE, 0x8)
VALUE(GFP_RECLAIMABLE, __GFP_RECLAIMABLE, 0x10)
VALUE(GFP_HIGH, __GFP_HIGH, 0x20)
VALUE(GFP_IO, __GFP_IO, 0x40)
VALUE(GFP_FS, __GFP_FS, 0x80)
VALUE(GFP_ZERO, __GFP_ZERO, 0x100)
VALUE(GFP_DIRECT_RECLAIM, __GFP_DIRECT_RECLAIM, 0x400)
VALUE(GFP_KSWAPD_RECLAIM, __GFP_KSWAPD_RECLAIM, 0x800)
VALUE(GFP_WRITE, __GFP_WRITE, 0x1000)
VALUE(GFP_NOWARN, __GFP_NOWARN, 0x2000)
VALUE(GFP_RETRY_MAYFAIL, __GFP_RETRY_MAYFAIL, 0x4000)
VALUE(GFP_NOFAIL, __GFP_NOFAIL, 0x8000)
VALUE(GFP_NORETRY, __GFP_NORETRY, 0x10000)
VALUE(GFP_MEMALLOC, __GFP_MEMALLOC, 0x20000)
VALUE(GFP_COMP, __GFP_COMP, 0x40000)
VALUE(GFP_NOMEMALLOC, __GFP_NOMEMALLOC, 0x80000)
VALUE(GFP_HARDWALL, __GFP_HARDWALL, 0x100000)
VALUE(GFP_THISNODE, __GFP_THISNODE, 0x200000)
VALUE(GFP_ACCOUNT, __GFP_ACCOUNT, 0x400000)
VALUE(GFP_ZEROTAGS, __GFP_ZEROTAGS, 0x800000)
VALUE(GFP_SKIP_ZERO, __GFP_SKIP_ZERO, 0x1000000)
VALUE(GFP_SKIP_KASAN, __GFP_SKIP_KASAN, 0x2000000)
VALUE(GFP_NOLOCKDEP, __GFP_NOLOCKDEP, 0x4000000)
VALUE(GFP_NO_OBJ_EXT, __GFP_NO_OBJ_EXT, 0x8000000)
VALUE(GFP_RECLAIM, __GFP_RECLAIM, 0xc00)
VALUE(GFP_ATOMIC, GFP_ATOMIC, 0x820)
VALUE(GFP_NOIO, GFP_NOIO, 0xc00)
VALUE(GFP_NOFS, GFP_NOFS, 0xc40)
VALUE(GFP_KERNEL, GFP_KERNEL, 0xcc0)
VALUE(GFP_KERNEL_ACCOUNT, GFP_KERNEL_ACCOUNT, 0x400cc0)
VALUE(GFP_NOWAIT, GFP_NOWAIT, 0x2800)
VALUE(GFP_USER, GFP_USER, 0x100cc0)
VALUE(GFP_HIGHUSER, GFP_HIGHUSER, 0x100cc2)
VALUE(GFP_HIGHUSER_MOVABLE, GFP_HIGHUSER_MOVABLE, 0x2100cca)
VALUE(SLAB_HWCACHE_ALIGN, SLAB_HWCACHE_ALIGN, 0x1)
VALUE(SLAB_PANIC, SLAB_PANIC, 0x2)
VALUE(SLAB_CONSISTENCY_CHECKS, SLAB_CONSISTENCY_CHECKS, 0x100)
VALUE(SLAB_RED_ZONE, SLAB_RED_ZONE, 0x400)
VALUE(SLAB_POISON, SLAB_POISON, 0x800)
VALUE(SLAB_STORE_USER, SLAB_STORE_USER, 0x10000)
VALUE(SLAB_TRACE, SLAB_TRACE, 0x200000)
VALUE(SLAB_NO_MERGE, SLAB_NO_MERGE, 0x1000000)
VALUE(SLAB_FAILSLAB, SLAB_FAILSLAB, 0x2000000)
VALUE(PAGE_SHIFT, PAGE_SHIFT, 12)
VALUE(PAGE_SIZE, PAGE_SIZE, 4096)
VALUE(MAX_PAGE_ORDER, MAX_PAGE_ORDER, 10)
VALUE(KMALLOC_MIN_SIZE, KMALLOC_MIN_SIZE, 8)
VALUE(KMALLOC_MAX_CACHE_SIZE, KMALLOC_MAX_CACHE_SIZE, 8192)
VALUE(KMALLOC_MAX_SIZE, KMALLOC_MAX_SIZE, 4096UL << 10)
/* An address is no constant for C: tests/api/test_bindings.c compares it with ZERO_SIZE_PTR. */
PROMISED(USERMM_ZERO_SIZE_ADDRESS, 16)

/* --- Functions -------------------------------------------------------------------------------- */

int usermm_gfpflags_allow_blocking(gfp_t gfp)
{
	return gfpflags_allow_blocking(gfp);
}

void usermm_INIT_LIST_HEAD(struct list_head *list)
{
	INIT_LIST_HEAD(list);
}

int usermm_list_empty(const struct list_head *head)
{
	return list_empty(head);
}

void usermm_list_insert_between(struct list_head *entry, struct list_head *prev,
				struct list_head *next)
{
	usermm_list_insert(entry, prev, next);
}

void usermm_list_add(struct list_head *entry, struct list_head *head)
{
	list_add(entry, head);
}

void usermm_list_add_tail(struct list_head *entry, struct list_head *head)
{
	list_add_tail(entry, head);
}

void usermm_list_del(struct list_head *entry)
{
	list_del(entry);
}

void usermm_list_del_init(struct list_head *entry)
{
	list_del_init(entry);
}

void usermm_list_move(struct list_head *entry, struct list_head *head)
{
	list_move(entry, head);
}

void usermm_list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_move_tail(entry, head);
}

struct page *usermm_virt_to_page(const void *addr)
{
	return virt_to_page(addr);
}

void *usermm_page_address(const struct page *page)
{
	return page_address(page);
}

unsigned long usermm_page_to_pfn(const struct page *page)
{
	return page_to_pfn(page);
}

struct page *usermm_pfn_to_page(unsigned long pfn)
{
	return pfn_to_page(pfn);
}

struct page *usermm_virt_to_head_page(const void *addr)
{
	return virt_to_head_page(addr);
}

int usermm_get_order(unsigned long size)
{
	return get_order(size);
}

struct page *usermm_alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	return alloc_pages_node(nid, gfp, order);
}

unsigned long usermm___get_free_page(gfp_t gfp)
{
	return __get_free_page(gfp);
}

void usermm___free_page(struct page *page)
{
	__free_page(page);
}

void usermm_free_page(unsigned long addr)
{
	free_page(addr);
}

void *usermm_kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp)
{
	return kmem_cache_zalloc(cache, gfp);
}

void usermm_kfree_bulk(size_t n, void **objects)
{
	kfree_bulk(n, objects);
}

unsigned int usermm_kmalloc_class_of(size_t size)
{
	return kmalloc_class(size);
}

enum kmalloc_cache_type usermm_kmalloc_type_of(gfp_t gfp)
{
	return usermm_kmalloc_type(gfp);
}

void *usermm_kmalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp);
}

void *usermm_kzalloc(size_t size, gfp_t gfp)
{
	return kzalloc(size, gfp);
}

void *usermm_kmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	return kmalloc_array(n, size, gfp);
}

void *usermm_kcalloc(size_t n, size_t size, gfp_t gfp)
{
	return kcalloc(n, size, gfp);
}

void usermm_kfree_nolock(const void *object)
{
	kfree_nolock(object);
}

void *usermm_kvmalloc(size_t size, gfp_t gfp)
{
	return kvmalloc(size, gfp);
}

void *usermm_kvzalloc(size_t size, gfp_t gfp)
{
	return kvzalloc(size, gfp);
}

void *usermm_kvmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	return kvmalloc_array(n, size, gfp);
}

void *usermm_kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	return kvcalloc(n, size, gfp);
}
