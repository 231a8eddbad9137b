/* SPDX-License-Identifier: MIT */
/*
 * vmalloc() areas. Up to the highest order an area is a block of pages, each with a reference of
 * its own. A larger area is a mapping that is charged to the zone. But if the program calls vmap(),
 * vm_map_ram() or vmalloc_to_page(), all pages are shared memory, which can have several addresses;
 * a larger area then consists of pages that are mapped side by side.
 */
#ifndef _LINUX_VMALLOC_H
#define _LINUX_VMALLOC_H

#include <linux/gfp.h>
#include <linux/overflow.h>
#include <linux/pgtable.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

void *__vmalloc_noprof(unsigned long size, gfp_t gfp) USERMM_API(__vmalloc);
void *__vmalloc_node_noprof(unsigned long size, unsigned long align, gfp_t gfp, int node,
			    const void *caller) USERMM_API(__vmalloc_node);
/* Keeps the content up to the smaller size. A size of 0 frees the area and returns NULL. */
void *vrealloc_noprof(const void *address, size_t size, gfp_t gfp) USERMM_API(vrealloc);
/*
 * If the area moves, it stays aligned, and gets pages of the node. An area that is not aligned now
 * stays as it is: the result is NULL, with a warning. With __GFP_THISNODE an area of another node
 * moves, whatever the size.
 */
void *vrealloc_node_align_noprof(const void *address, size_t size, unsigned long align, gfp_t gfp,
				 int node) USERMM_API(vrealloc_node_align);
void vfree(const void *address) USERMM_API(vfree);
bool is_vmalloc_addr(const void *address) USERMM_API(is_vmalloc_addr);
struct page *vmalloc_to_page(const void *address) USERMM_API(vmalloc_to_page);
/* vfree() of the mapping also frees the pages and the array, which came from kvmalloc(). */
#define VM_MAP_PUT_PAGES 0x00000200
#define VM_MAP 0x00000004
#define VM_ALLOC 0x00000002
/* Maps pages side by side; a page may occur several times. NULL without address space. */
void *vmap(struct page **pages, unsigned int count, unsigned long flags, pgprot_t prot)
	USERMM_API(vmap);
void vunmap(const void *address) USERMM_API(vunmap);
void *vm_map_ram(struct page **pages, unsigned int count, int node) USERMM_API(vm_map_ram);
void vm_unmap_ram(const void *memory, unsigned int count) USERMM_API(vm_unmap_ram);
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0) || defined(USERMM_KERNEL_LAYER)
unsigned long vmalloc_nr_pages(void) USERMM_API(vmalloc_nr_pages);
#else
USERMM_REMOVED(vmalloc_nr_pages, "7.1", "NR_VMALLOC")
#endif

/* Up to Linux 5.7 there was a third argument, the protection. */
#define __vmalloc(size, gfp, ...) __vmalloc_noprof(size, USERMM_INIT_ON_ALLOC(gfp))

static inline void *vmalloc(unsigned long size)
{
	return __vmalloc(size, GFP_KERNEL);
}

static inline void *vzalloc(unsigned long size)
{
	return __vmalloc_noprof(size, GFP_KERNEL | __GFP_ZERO);
}

static inline void *vmalloc_node(unsigned long size, int node)
{
	return __vmalloc_node_noprof(size, 1, USERMM_INIT_ON_ALLOC(GFP_KERNEL), node, NULL);
}

static inline void *vzalloc_node(unsigned long size, int node)
{
	return __vmalloc_node_noprof(size, 1, GFP_KERNEL | __GFP_ZERO, node, NULL);
}

#define __vmalloc_node(size, align, gfp, node, caller) \
	__vmalloc_node_noprof(size, align, USERMM_INIT_ON_ALLOC(gfp), node, caller)
#define vrealloc(address, size, gfp) vrealloc_noprof(address, size, USERMM_INIT_ON_ALLOC(gfp))
#define vrealloc_node_align(address, size, align, gfp, node) \
	vrealloc_node_align_noprof(address, size, align, USERMM_INIT_ON_ALLOC(gfp), node)
#define vrealloc_node(address, size, gfp, node) vrealloc_node_align(address, size, 1, gfp, node)
#define vmalloc_user(size) vzalloc(size)
#define vmalloc_32(size) vmalloc(size)
#define vmalloc_32_user(size) vzalloc(size)
#define vmalloc_huge(size, gfp) __vmalloc(size, gfp)
#define vmalloc_noprof vmalloc
#define vzalloc_noprof vzalloc
#define vfree_atomic(address) vfree(address)
#define vmalloc_to_pfn(address) page_to_pfn(vmalloc_to_page(address))
#define vm_unmap_aliases() do { } while (0)

static inline void *vmalloc_array(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : vmalloc(bytes);
}

static inline void *vcalloc(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : vzalloc(bytes);
}

#endif
