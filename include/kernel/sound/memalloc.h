/* SPDX-License-Identifier: MIT */
#ifndef __SOUND_MEMALLOC_H
#define __SOUND_MEMALLOC_H

#include <linux/dma-mapping.h>

#define SNDRV_DMA_TYPE_UNKNOWN 0
#define SNDRV_DMA_TYPE_CONTINUOUS 1
#define SNDRV_DMA_TYPE_DEV 2
#define SNDRV_DMA_TYPE_VMALLOC 7
#define snd_dma_continuous_data(gfp) ((struct device *)(unsigned long)(gfp))

#endif
