/* SPDX-License-Identifier: MIT */
/*
 * DMA as on a machine whose devices use physical addresses and are cache-coherent. A device's
 * address is the "physical" one: the offset in the window. Masks are obeyed.
 */
#ifndef _LINUX_DMA_MAPPING_H
#define _LINUX_DMA_MAPPING_H

#include <linux/cache.h>
#include <linux/device.h>
#include <linux/dma-direction.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define DMA_ATTR_WEAK_ORDERING (1UL << 1)
#define DMA_ATTR_WRITE_COMBINE (1UL << 2)
#define DMA_ATTR_NO_KERNEL_MAPPING (1UL << 4)
#define DMA_ATTR_SKIP_CPU_SYNC (1UL << 5)
#define DMA_ATTR_FORCE_CONTIGUOUS (1UL << 6)
#define DMA_ATTR_ALLOC_SINGLE_PAGES (1UL << 7)
#define DMA_ATTR_NO_WARN (1UL << 8)
#define DMA_ATTR_PRIVILEGED (1UL << 9)

#define DMA_MAPPING_ERROR (~(dma_addr_t)0)
#define DMA_BIT_MASK(n) ((n) == 64 ? ~0ULL : (1ULL << (n)) - 1)

USERMM_BEGIN_DECLS

/* Zeroed contiguous pages that the device's coherent mask reaches; NULL if there are none. */
void *dma_alloc_attrs(struct device *dev, size_t size, dma_addr_t *handle, gfp_t gfp,
		      unsigned long attrs) USERMM_API(dma_alloc_attrs);
void dma_free_attrs(struct device *dev, size_t size, void *memory, dma_addr_t handle,
		    unsigned long attrs) USERMM_API(dma_free_attrs);
/* dma_alloc_attrs(); the memory is freed with the device. */
void *dmam_alloc_attrs(struct device *dev, size_t size, dma_addr_t *handle, gfp_t gfp,
		       unsigned long attrs) USERMM_API(dmam_alloc_attrs);
void dmam_free_coherent(struct device *dev, size_t size, void *memory, dma_addr_t handle)
	USERMM_API(dmam_free_coherent);
/* DMA_MAPPING_ERROR if the device's mask does not reach the memory. */
dma_addr_t dma_map_page_attrs(struct device *dev, struct page *page, size_t offset, size_t size,
			      enum dma_data_direction direction, unsigned long attrs)
	USERMM_API(dma_map_page_attrs);
/* Returns nents, or 0 if one of the entries cannot be mapped. */
unsigned int dma_map_sg_attrs(struct device *dev, struct scatterlist *sg, int nents,
			      enum dma_data_direction direction, unsigned long attrs)
	USERMM_API(dma_map_sg_attrs);
/* -EIO if the mask is too small, or if dev->dma_mask is NULL. */
int dma_set_mask(struct device *dev, u64 mask) USERMM_API(dma_set_mask);
int dma_set_coherent_mask(struct device *dev, u64 mask) USERMM_API(dma_set_coherent_mask);
u64 dma_get_required_mask(struct device *dev) USERMM_API(dma_get_required_mask);

USERMM_END_DECLS

static inline int dma_mapping_error(struct device *dev __maybe_unused, dma_addr_t address)
{
	return address == DMA_MAPPING_ERROR ? -ENOMEM : 0;
}

static inline u64 dma_get_mask(struct device *dev)
{
	return dev->dma_mask && *dev->dma_mask ? *dev->dma_mask : DMA_BIT_MASK(32);
}

static inline int dma_set_mask_and_coherent(struct device *dev, u64 mask)
{
	int error = dma_set_mask(dev, mask);

	if (!error)
		dma_set_coherent_mask(dev, mask);
	return error;
}

/* Makes dev->dma_mask point to the coherent mask. */
static inline int dma_coerce_mask_and_coherent(struct device *dev, u64 mask)
{
	dev->dma_mask = &dev->coherent_dma_mask;
	return dma_set_mask_and_coherent(dev, mask);
}

static inline dma_addr_t dma_map_single_attrs(struct device *dev, void *memory, size_t size,
					      enum dma_data_direction direction,
					      unsigned long attrs)
{
	if (dev_WARN_ONCE(dev, is_vmalloc_addr(memory), "rejecting DMA map of vmalloc memory\n"))
		return DMA_MAPPING_ERROR;
	return dma_map_page_attrs(dev, virt_to_page(memory), offset_in_page(memory), size,
				  direction, attrs);
}

/* -EINVAL if the device's mask does not reach the memory. */
static inline int dma_map_sgtable(struct device *dev, struct sg_table *table,
				  enum dma_data_direction direction, unsigned long attrs)
{
	unsigned int nents = dma_map_sg_attrs(dev, table->sgl, (int)table->orig_nents, direction,
					      attrs);

	if (!nents)
		return -EINVAL;
	table->nents = nents;
	return 0;
}

#define dma_map_single(dev, memory, size, dir) dma_map_single_attrs(dev, memory, size, dir, 0)
#define dma_map_page(dev, page, offset, size, dir) \
	dma_map_page_attrs(dev, page, offset, size, dir, 0)
#define dma_map_sg(dev, sg, nents, dir) dma_map_sg_attrs(dev, sg, nents, dir, 0)
#define dma_alloc_coherent(dev, size, handle, gfp) \
	dma_alloc_attrs(dev, size, handle, gfp,			\
			(gfp) & __GFP_NOWARN ? DMA_ATTR_NO_WARN : 0)
#define dma_free_coherent(dev, size, memory, handle) dma_free_attrs(dev, size, memory, handle, 0)
#define dmam_alloc_coherent(dev, size, handle, gfp) \
	dmam_alloc_attrs(dev, size, handle, gfp,		\
			 (gfp) & __GFP_NOWARN ? DMA_ATTR_NO_WARN : 0)
#define dma_alloc_wc(dev, size, handle, gfp) dma_alloc_coherent(dev, size, handle, gfp)
#define dma_free_wc(dev, size, memory, handle) dma_free_coherent(dev, size, memory, handle)

/* No effect: there is nothing to unmap, and memory is coherent. */
#define dma_unmap_page_attrs(dev, address, size, dir, attrs) ((void)(address))
#define dma_unmap_single_attrs(dev, address, size, dir, attrs) ((void)(address))
#define dma_unmap_sg_attrs(dev, sg, nents, dir, attrs) ((void)(sg))
#define dma_unmap_single(dev, address, size, dir) ((void)(address))
#define dma_unmap_page(dev, address, size, dir) ((void)(address))
#define dma_unmap_sg(dev, sg, nents, dir) ((void)(sg))
#define dma_unmap_sgtable(dev, table, dir, attrs) ((void)(table))
#define dma_sync_single_for_cpu(dev, address, size, dir) ((void)(address))
#define dma_sync_single_for_device(dev, address, size, dir) ((void)(address))
#define dma_sync_single_range_for_cpu(dev, address, offset, size, dir) \
	dma_sync_single_for_cpu(dev, (address) + (offset), size, dir)
#define dma_sync_single_range_for_device(dev, address, offset, size, dir) \
	dma_sync_single_for_device(dev, (address) + (offset), size, dir)
#define dma_max_mapping_size(dev) ((void)(dev), (size_t)-1)
#define dma_sync_sg_for_cpu(dev, sg, nents, dir) ((void)(sg))
#define dma_sync_sg_for_device(dev, sg, nents, dir) ((void)(sg))
#define dma_sync_sgtable_for_cpu(dev, table, dir) ((void)(table))
#define dma_sync_sgtable_for_device(dev, table, dir) ((void)(table))
#define dma_need_sync(dev, address) false
#define dma_get_cache_alignment() 1

/* The largest size of an entry, and the boundary that it must not cross. */
static inline unsigned int dma_get_max_seg_size(struct device *dev)
{
	return dev->dma_parms && dev->dma_parms->max_segment_size ?
		dev->dma_parms->max_segment_size : 65536;
}

static inline void dma_set_max_seg_size(struct device *dev, unsigned int size)
{
	if (!WARN_ON_ONCE(!dev->dma_parms))
		dev->dma_parms->max_segment_size = size;
}

static inline unsigned long dma_get_seg_boundary(struct device *dev)
{
	return dev->dma_parms && dev->dma_parms->segment_boundary_mask ?
		dev->dma_parms->segment_boundary_mask : ULONG_MAX;
}

static inline void dma_set_seg_boundary(struct device *dev, unsigned long mask)
{
	if (!WARN_ON_ONCE(!dev->dma_parms))
		dev->dma_parms->segment_boundary_mask = mask;
}

#define DEFINE_DMA_UNMAP_ADDR(name) dma_addr_t name
#define DEFINE_DMA_UNMAP_LEN(name) __u32 name
#define dma_unmap_addr(ptr, name) ((ptr)->name)
#define dma_unmap_addr_set(ptr, name, value) ((ptr)->name = (value))
#define dma_unmap_len(ptr, name) ((ptr)->name)
#define dma_unmap_len_set(ptr, name, value) ((ptr)->name = (value))

#endif
