/* SPDX-License-Identifier: MIT */
/*
 * Pools of small DMA blocks. The functions are in the kernel's mm/dmapool.c, which a module must
 * include as a source of its own: see docs/kernel-tests.md.
 */
#ifndef LINUX_DMAPOOL_H
#define LINUX_DMAPOOL_H

#include <asm/io.h>
#include <linux/gfp.h>
#include <linux/scatterlist.h>

struct device;
struct dma_pool;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
struct dma_pool *dma_pool_create(const char *name, struct device *dev, size_t size, size_t align,
				 size_t boundary);
#else
struct dma_pool *dma_pool_create_node(const char *name, struct device *dev, size_t size,
				      size_t align, size_t boundary, int node);
static inline struct dma_pool *dma_pool_create(const char *name, struct device *dev, size_t size,
					       size_t align, size_t boundary)
{
	return dma_pool_create_node(name, dev, size, align, boundary, -1);	/* any node */
}
#endif
void dma_pool_destroy(struct dma_pool *pool);
void *dma_pool_alloc(struct dma_pool *pool, gfp_t gfp, dma_addr_t *handle);
void dma_pool_free(struct dma_pool *pool, void *block, dma_addr_t handle);
struct dma_pool *dmam_pool_create(const char *name, struct device *dev, size_t size,
				  size_t align, size_t boundary);
void dmam_pool_destroy(struct dma_pool *pool);

static inline void *dma_pool_zalloc(struct dma_pool *pool, gfp_t gfp, dma_addr_t *handle)
{
	return dma_pool_alloc(pool, gfp | __GFP_ZERO, handle);
}

#endif
