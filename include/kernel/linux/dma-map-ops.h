/* SPDX-License-Identifier: MIT */
/* A device's own mapping functions; they are recorded, but never called. */
#ifndef _LINUX_DMA_MAP_OPS_H
#define _LINUX_DMA_MAP_OPS_H

#include <linux/dma-mapping.h>

static inline const struct dma_map_ops *get_dma_ops(struct device *dev)
{
	return dev->dma_ops;
}

static inline void set_dma_ops(struct device *dev, const struct dma_map_ops *ops)
{
	dev->dma_ops = ops;
}

#define dev_is_dma_coherent(dev) ((void)(dev), true)

#endif
