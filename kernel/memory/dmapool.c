// SPDX-License-Identifier: MIT
/* Pools of small DMA blocks: see linux/dmapool.h. */
#include <linux/device.h>
#include <linux/dmapool.h>
#include <linux/log2.h>
#include <linux/slab.h>

struct dma_pool {
	struct kmem_cache *cache;
	struct device *dev;
};

struct dma_pool *usermm_dma_pool_create(const char *name, struct device *dev, size_t size,
					size_t align, size_t boundary)
	USERMM_API(dma_pool_create);

struct dma_pool *dma_pool_create_node(const char *name, struct device *dev, size_t size,
				      size_t align, size_t boundary, int node)
{
	struct dma_pool *pool;

	(void)node;
	if (!size || size > INT_MAX || (align & (align - 1)) ||
	    (boundary && (boundary < size || !is_power_of_2(boundary))))
		return NULL;
	/* Objects with the alignment of their rounded size cross no larger boundary. */
	align = boundary ? max(align, roundup_pow_of_two(size)) : max(align, 1UL);
	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return NULL;
	pool->dev = dev;
	pool->cache = kmem_cache_create(name, (unsigned int)max(size, 4UL), (unsigned int)align,
					SLAB_NO_MERGE, NULL);
	if (pool->cache)
		return pool;
	kfree(pool);
	return NULL;
}

/* For modules of a kernel up to 6.14. */
struct dma_pool *usermm_dma_pool_create(const char *name, struct device *dev, size_t size,
					size_t align, size_t boundary)
{
	return dma_pool_create_node(name, dev, size, align, boundary, NUMA_NO_NODE);
}

void dma_pool_destroy(struct dma_pool *pool)
{
	if (!pool)
		return;
	kmem_cache_destroy(pool->cache);
	kfree(pool);
}

void *dma_pool_alloc(struct dma_pool *pool, gfp_t gfp, dma_addr_t *handle)
{
	void *block = kmem_cache_alloc(pool->cache, gfp);

	if (block)
		*handle = (dma_addr_t)virt_to_phys(block);
	return block;
}

void dma_pool_free(struct dma_pool *pool, void *block, dma_addr_t handle)
{
	(void)handle;
	kmem_cache_free(pool->cache, block);
}

static void destroy_managed(void *pool)
{
	dma_pool_destroy(pool);
}

struct dma_pool *dmam_pool_create(const char *name, struct device *dev, size_t size, size_t align,
				  size_t boundary)
{
	struct dma_pool *pool = dma_pool_create(name, dev, size, align, boundary);

	return pool && devm_add_action_or_reset(dev, destroy_managed, pool) ? NULL : pool;
}

void dmam_pool_destroy(struct dma_pool *pool)
{
	devm_release_action(pool->dev, destroy_managed, pool);
}
