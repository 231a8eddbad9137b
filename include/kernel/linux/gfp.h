/* SPDX-License-Identifier: MIT */
/*
 * Page allocation. usermm/page.h has the functions. This header adds names that take a node, names
 * whose arguments changed between versions, and names built from other functions.
 *
 * If a call's arguments changed, their number and types select the version, so old and new sources
 * compile.
 */
#ifndef _LINUX_GFP_H
#define _LINUX_GFP_H

#include <asm/topology.h>
#include <linux/alloc_tag.h>
#include <linux/bug.h>
#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/gfp_types.h>
#include <linux/mm_types.h>
#include <linux/mmzone.h>
#include <linux/numa.h>
#include <linux/topology.h>
#include <usermm/mempolicy.h>
#include <usermm/page.h>

extern gfp_t gfp_allowed_mask USERMM_API(gfp_allowed_mask);

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
static inline bool gfpflags_normal_context(const gfp_t gfp)
{
	return (gfp & (__GFP_DIRECT_RECLAIM | __GFP_MEMALLOC)) == __GFP_DIRECT_RECLAIM;
}
#else
USERMM_REMOVED(gfpflags_normal_context, "6.1", "gfpflags_allow_blocking()")
#endif

static inline bool gfpflags_allow_spinning(const gfp_t gfp)
{
	return !!(gfp & __GFP_RECLAIM);
}

static inline bool gfp_has_flags(gfp_t gfp, gfp_t flags)
{
	return (gfp & flags) == flags;
}

static inline bool gfp_has_io_fs(gfp_t gfp)
{
	return gfp_has_flags(gfp, __GFP_IO | __GFP_FS);
}

static inline gfp_t gfp_nested_mask(gfp_t gfp)
{
	return (gfp & (GFP_KERNEL | GFP_ATOMIC | __GFP_NOLOCKDEP)) |
	       __GFP_NORETRY | __GFP_NOMEMALLOC | __GFP_NOWARN;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
static inline int gfp_migratetype(const gfp_t gfp)
{
	if (gfp & __GFP_RECLAIMABLE)
		return MIGRATE_RECLAIMABLE;
	return gfp & __GFP_MOVABLE ? MIGRATE_MOVABLE : MIGRATE_UNMOVABLE;
}
#else
USERMM_REMOVED(gfp_migratetype, "7.3", "the flags __GFP_MOVABLE and __GFP_RECLAIMABLE")
#endif

static inline struct zonelist *node_zonelist(int nid, gfp_t gfp)
{
	return NODE_DATA(nid)->node_zonelists +
	       (gfp & __GFP_THISNODE && nr_node_ids > 1 ? ZONELIST_NOFALLBACK : ZONELIST_FALLBACK);
}

/*
 * The highest zone that the flags allow, as on a 64-bit machine without HIGHMEM. A zone without
 * memory counts as not configured: Normal replaces it.
 */
static inline enum zone_type gfp_zone(gfp_t gfp)
{
	if ((gfp & __GFP_DMA) && usermm_has_zone(ZONE_DMA))
		return ZONE_DMA;
	if ((gfp & __GFP_DMA32) && usermm_has_zone(ZONE_DMA32))
		return ZONE_DMA32;
	if ((gfp & __GFP_MOVABLE) && (gfp & __GFP_HIGHMEM))
		return ZONE_MOVABLE;
	return ZONE_NORMAL;
}

/* CONFIG_INIT_ON_ALLOC_DEFAULT_ON takes effect when the source is compiled. */
#ifdef CONFIG_INIT_ON_ALLOC_DEFAULT_ON
#define USERMM_INIT_ON_ALLOC(gfp) ((gfp) | __GFP_ZERO)
#else
#define USERMM_INIT_ON_ALLOC(gfp) (gfp)
#endif

/*
 * Pages of a node. If there is one node, any node number and any mask mean this node, as in a
 * kernel without NUMA. Otherwise a request for a node that does not exist is reported and returns
 * NULL.
 */
static inline int usermm_nid(int nid)
{
	return nr_node_ids == 1 ? NUMA_NO_NODE : nid;
}

/* For NUMA_NO_NODE: the nearest node with memory. */
static inline int usermm_mem_nid(int nid)
{
	return nid == NUMA_NO_NODE && nr_node_ids > 1 ? numa_mem_id() : usermm_nid(nid);
}

static inline const unsigned long *usermm_nodes(const nodemask_t *nodes)
{
	return nodes && nr_node_ids > 1 ? nodes->bits : NULL;
}

static inline struct page *usermm_alloc_pages_of(gfp_t gfp, unsigned int order, int nid,
						 const nodemask_t *nodes)
{
	if (likely(nr_node_ids == 1))
		return (alloc_pages)(gfp, order);
	return (__alloc_pages)(gfp, order, nid, usermm_nodes(nodes));
}

/* Up to Linux 4.11 callers pass a node's zonelist instead of the node. */
static inline int usermm_zonelist_nid(const struct zonelist *list)
{
	return list->_zonerefs->zone ? zone_to_nid(list->_zonerefs->zone) : NUMA_NO_NODE;
}

static inline int usermm_int_nid(int nid)
{
	return nid;
}

static inline int usermm_no_nid(const void *nothing)
{
	(void)nothing;
	return NUMA_NO_NODE;
}

#define USERMM_NID_OF(where)							\
	_Generic((where), struct zonelist *: usermm_zonelist_nid,		\
		 const struct zonelist *: usermm_zonelist_nid,			\
		 void *: usermm_no_nid, default: usermm_int_nid)(where)
#define USERMM_ALLOC_AT(gfp, order, where, nodes, ...)				\
	usermm_alloc_pages_of(USERMM_INIT_ON_ALLOC(gfp), order, USERMM_NID_OF(where), nodes)

#define alloc_pages_node(nid, gfp, order)					\
	usermm_alloc_pages_of(USERMM_INIT_ON_ALLOC(gfp), order, usermm_mem_nid(nid), NULL)
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define __alloc_pages_node(nid, gfp, order) alloc_pages_node(nid, gfp, order)
#else
USERMM_REMOVED(__alloc_pages_node, "7.3", "alloc_pages_node()")
#endif
#define alloc_pages_exact_node(nid, gfp, order) alloc_pages_node(nid, gfp, order)
/* After gfp and order come a node or zonelist, and a mask of nodes; or neither. */
#define __alloc_pages(gfp, order, ...)						\
	USERMM_ALLOC_AT(gfp, order, ##__VA_ARGS__, (void *)NULL, NULL)
#define __alloc_pages_nodemask(gfp, order, ...) __alloc_pages(gfp, order, ##__VA_ARGS__)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define alloc_pages_mpol(gfp, order, ...) alloc_pages(gfp, order)
#else
USERMM_REMOVED(alloc_pages_mpol, "6.14", "alloc_pages()")
#endif
#define alloc_page_vma(gfp, vma, addr) alloc_pages(gfp, 0)
#define alloc_pages_noprof alloc_pages
#define __alloc_pages_noprof(gfp, order, ...) __alloc_pages(gfp, order, ##__VA_ARGS__)
#define alloc_pages_node_noprof(nid, gfp, order) alloc_pages_node(nid, gfp, order)
#define get_free_pages_noprof __get_free_pages
#define get_zeroed_page_noprof get_zeroed_page
#define __get_dma_pages(gfp, order) __get_free_pages((gfp) | GFP_DMA, order)

/*
 * For any context: never waits for memory, a lock or a reserve. Linux takes only __GFP_ACCOUNT in
 * gfp, and always clears the pages.
 */
static inline struct page *alloc_pages_nolock(gfp_t gfp, int nid, unsigned int order)
{
	if (gfp & ~__GFP_ACCOUNT)
		WARN_ON_ONCE(1);
	return usermm_alloc_pages_of((gfp & __GFP_ACCOUNT) | __GFP_NOWARN | __GFP_ZERO |
				     __GFP_NOMEMALLOC | __GFP_COMP, order,
				     usermm_mem_nid(nid), NULL);
}

static inline void free_pages_nolock(struct page *page, unsigned int order)
{
	__free_pages(page, order);
}

/* Sources see copies of zones (mmzone.h), so the zone is ignored and all zones are drained. */
#define drain_all_pages(zone) ((void)(zone), (drain_all_pages)(NULL))
#define drain_local_pages(zone) ((void)(zone), (drain_local_pages)(NULL))

#define folio_alloc(gfp, order) ((struct folio *)alloc_pages((gfp) | __GFP_COMP, order))
#define folio_alloc_noprof folio_alloc
#define __folio_alloc(gfp, order, nid, nodemask)				\
	((struct folio *)__alloc_pages((gfp) | __GFP_COMP, order, nid, nodemask))
#define __folio_alloc_node(gfp, order, nid) __folio_alloc(gfp, order, nid, NULL)
#define filemap_alloc_folio(gfp, order) folio_alloc(gfp, order)

#define alloc_pages_exact_noprof alloc_pages_exact
#define alloc_pages_exact_nid(nid, size, gfp) \
	(alloc_pages_exact_nid)(usermm_nid(nid), size, USERMM_INIT_ON_ALLOC(gfp))
#define alloc_pages_exact_nid_noprof alloc_pages_exact_nid

/*
 * Bulk allocation, by version:
 *	alloc_pages_bulk(gfp, order, nr, list)			as first proposed
 *	alloc_pages_bulk(gfp, nr, list), alloc_pages_bulk_list	5.13
 *	alloc_pages_bulk_array(gfp, nr, array)			5.13
 *	alloc_pages_bulk(gfp, nr, array)			6.14
 *	__alloc_pages_bulk(gfp, nid, nodemask, nr, list, array)	5.13
 */
#define USERMM_PICK_7(a1, a2, a3, a4, a5, a6, a7, chosen, ...) chosen
/* Linux's counts are ints; nr <= 0 allocates nothing. */
static inline unsigned long usermm_bulk_list(gfp_t gfp, int nr, struct list_head *list)
{
	return nr > 0 ? alloc_pages_bulk_list(gfp, (unsigned long)nr, list) : 0;
}

static inline unsigned long usermm_bulk_array(gfp_t gfp, int nr, struct page **array)
{
	return nr > 0 ? alloc_pages_bulk_array(gfp, (unsigned long)nr, array) : 0;
}

static inline unsigned long usermm_bulk_mempolicy(gfp_t gfp, int nr, struct page **array)
{
	return nr > 0 ? alloc_pages_bulk_mempolicy(gfp, (unsigned long)nr, array) : 0;
}

#define alloc_pages_bulk_list(gfp, nr, list) usermm_bulk_list(gfp, nr, list)
#define alloc_pages_bulk_array(gfp, nr, array) usermm_bulk_array(gfp, nr, array)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define USERMM_BULK_NO_LIST(list)						\
	_Static_assert(_Generic((list), struct list_head *: 0, default: 1),	\
		       "Linux 6.14 removed bulk calls for lists; use an array")
#define USERMM_BULK_3(gfp, nr, array)						\
	({									\
		USERMM_BULK_NO_LIST(array);					\
		usermm_bulk_array(gfp, nr, array);				\
	})
#define USERMM_BULK_6(...)							\
	({									\
		_Static_assert(0, "Linux 6.14 removed bulk calls for lists: "	\
			       "__alloc_pages_bulk() has five arguments");	\
		0UL;								\
	})
#else
#define USERMM_BULK_3(gfp, nr, to)						\
	_Generic((to), struct list_head *: usermm_bulk_list,			\
		 default: usermm_bulk_array)(gfp, nr, (void *)(to))
#define USERMM_BULK_6(gfp, nid, mask, nr, list, array)				\
	(__alloc_pages_bulk)(gfp, usermm_nid(nid), usermm_nodes(mask), nr, list, array)
#endif
#define USERMM_BULK_4(gfp, order, nr, list)					\
	alloc_pages_bulk_order(gfp, order, nr, list)
#define USERMM_BULK_5(gfp, nid, mask, nr, array)				\
	(__alloc_pages_bulk)(gfp, usermm_nid(nid), usermm_nodes(mask), nr, NULL, array)
#define USERMM_BULK(...)							\
	USERMM_PICK_7(__VA_ARGS__, 7, USERMM_BULK_6, USERMM_BULK_5, USERMM_BULK_4, \
		      USERMM_BULK_3, 2, 1)(__VA_ARGS__)
#define alloc_pages_bulk(...) USERMM_BULK(__VA_ARGS__)
#define __alloc_pages_bulk(...) USERMM_BULK(__VA_ARGS__)
#define alloc_pages_bulk_noprof(...) USERMM_BULK(__VA_ARGS__)
#define alloc_pages_bulk_list_noprof usermm_bulk_list
#define alloc_pages_bulk_array_noprof usermm_bulk_array
#define alloc_pages_bulk_node(gfp, nid, nr, array)				\
	(__alloc_pages_bulk)(gfp, usermm_mem_nid(nid), NULL, nr, NULL, array)
#define alloc_pages_bulk_array_node(gfp, nid, nr, array)			\
	alloc_pages_bulk_node(gfp, nid, nr, array)
#define alloc_pages_bulk_array_mempolicy(gfp, nr, array) usermm_bulk_mempolicy(gfp, nr, array)
#define alloc_pages_bulk_mempolicy(gfp, nr, array) usermm_bulk_mempolicy(gfp, nr, array)
#define alloc_pages_bulk_array_mempolicy_noprof usermm_bulk_mempolicy
#define alloc_pages_bulk_mempolicy_noprof usermm_bulk_mempolicy

/*
 * free_pages_bulk(list) as first proposed, free_pages_bulk(array, nr) since Linux 7.2, which frees
 * neighbours as the blocks that they make up.
 */
void usermm_kernel_free_pages_bulk(struct page **array, unsigned long nr)
	__attribute__((visibility("default")));
#define USERMM_FREE_BULK_1(list) free_pages_bulk_list(list)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define USERMM_FREE_BULK_2(array, nr) usermm_kernel_free_pages_bulk(array, nr)
#else
#define USERMM_FREE_BULK_2(array, nr) (free_pages_bulk)(array, nr)
#endif
#define USERMM_PICK_3(a1, a2, chosen, ...) chosen
#define free_pages_bulk(...)							\
	USERMM_PICK_3(__VA_ARGS__, USERMM_FREE_BULK_2, USERMM_FREE_BULK_1)(__VA_ARGS__)

/* align_mask is ANDed with the piece's address. */
static inline void *__page_frag_alloc_align(struct page_frag_cache *cache, unsigned int bytes,
					    gfp_t gfp, unsigned int align_mask)
{
	return page_frag_alloc_align(cache, bytes, gfp, -align_mask);
}

static inline void page_frag_cache_init(struct page_frag_cache *cache)
{
	cache->va = NULL;
}

static inline bool page_frag_cache_is_pfmemalloc(struct page_frag_cache *cache)
{
	return cache->va && cache->pfmemalloc;
}

DEFINE_FREE(free_page, void *, free_page((unsigned long)_T))

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#undef alloc_pages_bulk_list
#define alloc_pages_bulk_list usermm_removed_alloc_pages_bulk_list
USERMM_REMOVED(alloc_pages_bulk_list, "6.14", "alloc_pages_bulk()")
#undef alloc_pages_bulk_array
#define alloc_pages_bulk_array usermm_removed_alloc_pages_bulk_array
USERMM_REMOVED(alloc_pages_bulk_array, "6.14", "alloc_pages_bulk()")
#undef alloc_pages_bulk_array_node
USERMM_REMOVED(alloc_pages_bulk_array_node, "6.14", "alloc_pages_bulk_node()")
#undef alloc_pages_bulk_array_mempolicy
USERMM_REMOVED(alloc_pages_bulk_array_mempolicy, "6.14", "alloc_pages_bulk_mempolicy()")
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
#undef __alloc_pages_nodemask
USERMM_REMOVED(__alloc_pages_nodemask, "5.13", "__alloc_pages()")
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 2, 0)
#undef alloc_pages_exact_node
USERMM_REMOVED(alloc_pages_exact_node, "4.2", "alloc_pages_node()")
#endif

#endif
