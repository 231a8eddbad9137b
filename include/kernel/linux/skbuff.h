/* SPDX-License-Identifier: MIT */
/* A packet is a size here: benchmarks of allocators allocate them, nobody sends any. */
#ifndef _LINUX_SKBUFF_H
#define _LINUX_SKBUFF_H

#include <linux/slab.h>
#include <linux/types.h>

struct sk_buff {
	struct sk_buff *next, *prev;
	unsigned char opaque[216];
};

#define SMP_CACHE_BYTES 64
#define SKB_DATA_ALIGN(x) (((x) + (SMP_CACHE_BYTES - 1)) & ~(SMP_CACHE_BYTES - 1))

#endif
