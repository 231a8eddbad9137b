/* SPDX-License-Identifier: MIT */
#ifndef _NET_PAGE_POOL_HELPERS_H
#define _NET_PAGE_POOL_HELPERS_H

#include <linux/dma-mapping.h>
#include <net/page_pool/types.h>

#define page_pool_dev_alloc_pages(pool) \
	page_pool_alloc_pages(pool, GFP_ATOMIC | __GFP_NOWARN)
#define page_pool_put_page(pool, page, n, direct) \
	((void)(n), (void)(direct), usermm_page_pool_put(pool, page))
#define page_pool_put_full_page(pool, page, direct) \
	((void)(direct), usermm_page_pool_put(pool, page))
#define page_pool_recycle_direct(pool, page) usermm_page_pool_put(pool, page)
#define page_pool_get_dma_addr(page) ((dma_addr_t)page_to_phys(page))
#define page_pool_get_dma_dir(pool) ((void)(pool), DMA_BIDIRECTIONAL)
#define page_pool_nid_changed(pool, nid) ((void)(pool), (void)(nid))

#endif
