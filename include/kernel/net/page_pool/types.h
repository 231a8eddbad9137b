/* SPDX-License-Identifier: MIT */
/*
 * Pages that a network driver uses again. A page that comes back is kept, up to pool_size pages; no
 * device sees them, so DMA addresses are the pages' own.
 */
#ifndef _NET_PAGE_POOL_TYPES_H
#define _NET_PAGE_POOL_TYPES_H

#include <linux/dma-direction.h>
#include <linux/mm.h>
#include <linux/ptr_ring.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <usermm/compiler.h>

#define PP_FLAG_DMA_MAP BIT(0)
#define PP_FLAG_DMA_SYNC_DEV BIT(1)
#define PP_FLAG_ALL (PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV)

struct device;
struct napi_struct;
struct net_device;
struct page_pool;

struct page_pool_params {
	unsigned int flags, order, pool_size;
	int nid;
	struct device *dev;
	struct napi_struct *napi;
	enum dma_data_direction dma_dir;
	unsigned int max_len, offset;
	struct net_device *netdev;
	void (*init_callback)(struct page *page, void *data);
	void *init_arg;
};

USERMM_BEGIN_DECLS

/* An error pointer on failure: -EINVAL for unknown flags or too high an order; -ENOMEM. */
struct page_pool *page_pool_create(const struct page_pool_params *params)
	USERMM_API(page_pool_create);
/* Pages that are still out are freed when they come back; then the pool goes. */
void page_pool_destroy(struct page_pool *pool) USERMM_API(page_pool_destroy);
/* NULL without memory. */
struct page *page_pool_alloc_pages(struct page_pool *pool, gfp_t gfp)
	USERMM_API(page_pool_alloc_pages);
/* A page with other users as well leaves the pool. Any context. */
void usermm_page_pool_put(struct page_pool *pool, struct page *page)
	__attribute__((visibility("default")));
/* Pages that are out. */
unsigned int usermm_page_pool_inflight(struct page_pool *pool)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#endif
