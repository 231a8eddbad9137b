// SPDX-License-Identifier: MIT
/*
 * Memory with an alignment, and on a node: krealloc_node_align() and its relatives (Linux 6.18).
 * Objects of kmalloc() are aligned to the power of two that divides their size, so a larger
 * alignment takes a larger object.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* A size whose objects of kmalloc() have the alignment. */
static size_t aligned_size(size_t size, unsigned long align)
{
	return align <= ARCH_KMALLOC_MINALIGN ? size : roundup_pow_of_two(max(size, align));
}

/* A guarded object has no page, and is at no other node. */
static bool is_at_node(const void *object, int node)
{
	return node == NUMA_NO_NODE || !virt_addr_valid(object) ||
	       page_to_nid(virt_to_page(object)) == node;
}

/* May the object stay where it is? */
static bool may_stay(const void *object, size_t size, unsigned long align, gfp_t gfp, int node)
{
	return size <= ksize(object) && IS_ALIGNED((unsigned long)object, align) &&
	       (!(gfp & __GFP_THISNODE) || is_at_node(object, node));
}

void *usermm_krealloc_node_align(const void *object, size_t size, unsigned long align, gfp_t gfp,
				 int node)
{
	void *moved;

	if (!size || (ZERO_OR_NULL_PTR(object) && align <= ARCH_KMALLOC_MINALIGN &&
		      node == NUMA_NO_NODE) ||
	    (!ZERO_OR_NULL_PTR(object) && may_stay(object, size, align, gfp, node)))
		return krealloc(object, size, gfp);
	moved = kmalloc_node(aligned_size(size, align), gfp, node);
	if (!moved || ZERO_OR_NULL_PTR(object))
		return moved;
	memcpy(moved, object, min(size, ksize(object)));
	kfree(object);
	return moved;
}

void *usermm_kvmalloc_node_align(size_t size, unsigned long align, gfp_t gfp, int node)
{
	if (align <= PAGE_SIZE || !size)
		return (kvmalloc_node)(align <= ARCH_KMALLOC_MINALIGN || size > PAGE_SIZE ?
				       size : aligned_size(size, align), gfp, node);
	return __vmalloc_node(size, align, gfp, node, __builtin_return_address(0));
}

/* (kvrealloc)() would keep neither the alignment nor the node where the object moves. */
void *usermm_kvrealloc_node_align(const void *object, size_t size, unsigned long align, gfp_t gfp,
				  int node)
{
	void *moved;

	if (is_vmalloc_addr(object))
		return vrealloc_node_align_noprof(object, size, align, gfp, node);
	if (!size || (!ZERO_OR_NULL_PTR(object) && may_stay(object, size, align, gfp, node)))
		return (kvrealloc)(object, size, gfp);
	moved = usermm_kvmalloc_node_align(size, align, gfp, node);
	if (!moved || ZERO_OR_NULL_PTR(object))
		return moved;
	memcpy(moved, object, min(size, ksize(object)));
	kfree(object);
	return moved;
}
