/* SPDX-License-Identifier: MIT */
/*
 * Pools of small DMA blocks. A pool is a cache of objects, which never cross the boundary. The
 * kernel's mm/dmapool.c beside a module replaces these.
 */
#ifndef LINUX_DMAPOOL_H
#define LINUX_DMAPOOL_H

#include <asm/io.h>
#include <linux/gfp.h>
#include <linux/scatterlist.h>

struct device;
struct dma_pool;

USERMM_BEGIN_DECLS

/*
 * NULL without memory, for a size of 0, or a boundary that is less than the size or no power of
 * two. May sleep.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
struct dma_pool *dma_pool_create(const char *name, struct device *dev, size_t size, size_t align,
				 size_t boundary) USERMM_API(dma_pool_create);
#else
struct dma_pool *dma_pool_create_node(const char *name, struct device *dev, size_t size,
				      size_t align, size_t boundary, int node)
	USERMM_API(dma_pool_create_node);
static inline struct dma_pool *dma_pool_create(const char *name, struct device *dev, size_t size,
					       size_t align, size_t boundary)
{
	return dma_pool_create_node(name, dev, size, align, boundary, -1);	/* any node */
}
#endif
/* Blocks that are still in use are reported. NULL is ignored. */
void dma_pool_destroy(struct dma_pool *pool) USERMM_API(dma_pool_destroy);
void *dma_pool_alloc(struct dma_pool *pool, gfp_t gfp, dma_addr_t *handle)
	USERMM_API(dma_pool_alloc);
void dma_pool_free(struct dma_pool *pool, void *block, dma_addr_t handle)
	USERMM_API(dma_pool_free);
/* A pool that goes with its device. */
struct dma_pool *dmam_pool_create(const char *name, struct device *dev, size_t size,
				  size_t align, size_t boundary) USERMM_API(dmam_pool_create);
void dmam_pool_destroy(struct dma_pool *pool) USERMM_API(dmam_pool_destroy);

USERMM_END_DECLS

static inline void *dma_pool_zalloc(struct dma_pool *pool, gfp_t gfp, dma_addr_t *handle)
{
	return dma_pool_alloc(pool, gfp | __GFP_ZERO, handle);
}

#endif
