// SPDX-License-Identifier: MIT
/*
 * DMA memory for devices that use the CPU's physical addresses; see linux/dma-mapping.h. A device
 * never gets memory that its mask cannot reach. cf. Linux kernel/dma/direct.c, mapping.c.
 */
#include <linux/dma-mapping.h>
#include <linux/kernel.h>
#include <linux/mmzone.h>

/* The smallest mask that is accepted: the DMA zone's limit. cf. Linux zone_dma_limit. */
#define LEAST_MASK DMA_BIT_MASK(24)

static bool reaches(u64 mask, const struct device *dev, dma_addr_t start, size_t size)
{
	u64 limit = dev->bus_dma_limit ? min(mask, dev->bus_dma_limit) : mask;

	return size && start + size - 1 >= start && start + size - 1 <= limit;
}

/* Takes exactly the pages that are needed, not a whole block of 2^order. */
static void *take(struct device *dev, size_t size, gfp_t gfp)
{
	void *memory = alloc_pages_exact_nid(dev_to_node(dev) == NUMA_NO_NODE ? numa_node_id() :
					     dev_to_node(dev), size, gfp | __GFP_ZERO);

	if (memory && !reaches(dev->coherent_dma_mask, dev, virt_to_phys(memory), size)) {
		free_pages_exact(memory, size);
		return NULL;
	}
	return memory;
}

void *dma_alloc_attrs(struct device *dev, size_t size, dma_addr_t *handle, gfp_t gfp,
		      unsigned long attrs)
{
	size_t bytes = PAGE_ALIGN(size);
	void *memory;

	WARN_ON_ONCE(!dev->coherent_dma_mask);
	if (WARN_ON_ONCE(gfp & __GFP_COMP) || bytes < size || !bytes)
		return NULL;
	/* The device's mask decides about the zone, not the caller's flags. */
	gfp &= ~(__GFP_DMA | __GFP_DMA32 | __GFP_HIGHMEM);
	if (attrs & DMA_ATTR_NO_WARN)
		gfp |= __GFP_NOWARN;
	memory = take(dev, bytes, gfp);
	if (!memory && dev->coherent_dma_mask < DMA_BIT_MASK(64))
		memory = take(dev, bytes, gfp | GFP_DMA32);
	if (!memory && dev->coherent_dma_mask < DMA_BIT_MASK(32))
		memory = take(dev, bytes, gfp | GFP_DMA);
	if (memory)
		*handle = virt_to_phys(memory);
	return memory;
}

void dma_free_attrs(struct device *dev __maybe_unused, size_t size, void *memory,
		    dma_addr_t handle __maybe_unused, unsigned long attrs __maybe_unused)
{
	WARN_ON(irqs_disabled());
	if (memory)
		free_pages_exact(memory, PAGE_ALIGN(size));
}

struct managed {
	size_t size;
	void *memory;
	dma_addr_t handle;
};

static void release(struct device *dev, void *resource)
{
	struct managed *managed = resource;

	dma_free_attrs(dev, managed->size, managed->memory, managed->handle, 0);
}

static int match(struct device *dev __maybe_unused, void *resource, void *data)
{
	struct managed *managed = resource, *wanted = data;

	if (managed->memory != wanted->memory)
		return 0;
	WARN_ON(managed->size != wanted->size || managed->handle != wanted->handle);
	return 1;
}

void *dmam_alloc_attrs(struct device *dev, size_t size, dma_addr_t *handle, gfp_t gfp,
		       unsigned long attrs)
{
	struct managed *managed = devres_alloc(release, sizeof(*managed), gfp);

	if (!managed)
		return NULL;
	managed->memory = dma_alloc_attrs(dev, size, handle, gfp, attrs);
	if (!managed->memory) {
		devres_free(managed);
		return NULL;
	}
	managed->size = size;
	managed->handle = *handle;
	devres_add(dev, managed);
	return managed->memory;
}

void dmam_free_coherent(struct device *dev, size_t size, void *memory, dma_addr_t handle)
{
	struct managed wanted = { .size = size, .memory = memory, .handle = handle };

	WARN_ON(devres_release(dev, release, match, &wanted));
}

dma_addr_t dma_map_page_attrs(struct device *dev, struct page *page, size_t offset, size_t size,
			      enum dma_data_direction direction,
			      unsigned long attrs __maybe_unused)
{
	dma_addr_t address = page_to_phys(page) + offset;

	BUG_ON(!valid_dma_direction(direction));
	if (WARN_ON_ONCE(!dev->dma_mask))
		return DMA_MAPPING_ERROR;
	if (reaches(*dev->dma_mask, dev, address, size))
		return address;
	dev_WARN_ONCE(dev, true, "DMA addr %pad+%zu overflow (mask %llx, bus limit %llx).\n",
		      &address, size, *dev->dma_mask, dev->bus_dma_limit);
	return DMA_MAPPING_ERROR;
}

/* Does not call sg_next(), since the module may define a function of that name. */
static struct scatterlist *next_entry(struct scatterlist *sg)
{
	sg++;
	return sg_is_chain(sg) ? sg_chain_ptr(sg) : sg;
}

unsigned int dma_map_sg_attrs(struct device *dev, struct scatterlist *sg, int nents,
			      enum dma_data_direction direction, unsigned long attrs)
{
	for (int i = 0; i < nents; i++) {
		sg->dma_address = dma_map_page_attrs(dev, sg_page(sg), sg->offset, sg->length,
						     direction, attrs);
		if (sg->dma_address == DMA_MAPPING_ERROR)
			return 0;
		sg->dma_length = sg->length;
		if (i + 1 < nents)
			sg = next_entry(sg);
	}
	return (unsigned int)nents;
}

/* The last address of memory, or LEAST_MASK if that is less. */
static u64 least_mask(void)
{
	return min_t(u64, LEAST_MASK, ((u64)totalram_pages() << PAGE_SHIFT) - 1);
}

static bool is_supported(u64 mask)
{
	return mask >= least_mask();
}

int dma_set_mask(struct device *dev, u64 mask)
{
	if (!dev->dma_mask || !is_supported(mask))
		return -EIO;
	*dev->dma_mask = mask;
	return 0;
}

int dma_set_coherent_mask(struct device *dev, u64 mask)
{
	if (!is_supported(mask))
		return -EIO;
	dev->coherent_dma_mask = mask;
	return 0;
}

/* All ones up to the address of the last possible page. */
u64 dma_get_required_mask(struct device *dev __maybe_unused)
{
	u64 last = ((u64)totalram_pages() << PAGE_SHIFT) - 1;

	return (1ULL << fls64(last)) - 1;
}
