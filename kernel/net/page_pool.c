// SPDX-License-Identifier: MIT
/* Pools of pages: see net/page_pool/types.h. cf. Linux net/core/page_pool.c. */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <net/page_pool/types.h>

struct page_pool {
	struct page_pool_params params;
	spinlock_t lock;
	struct list_head pages;		/* those that are kept. Sync: lock */
	unsigned int nr_pages, nr_out;	/* Sync: lock */
	bool is_destroyed;		/* Sync: lock */
};

struct page_pool *page_pool_create(const struct page_pool_params *params)
{
	struct page_pool *pool;

	if (params->flags & ~(unsigned int)PP_FLAG_ALL || params->order > MAX_PAGE_ORDER)
		return ERR_PTR(-EINVAL);
	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->params = *params;
	if (!pool->params.pool_size)
		pool->params.pool_size = 1024;
	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->pages);
	return pool;
}

static struct page *take_page(struct page_pool *pool)
{
	struct page *page;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	page = list_first_entry_or_null(&pool->pages, struct page, lru);
	if (page) {
		list_del(&page->lru);
		pool->nr_pages--;
		pool->nr_out++;
	}
	spin_unlock_irqrestore(&pool->lock, flags);
	return page;
}

struct page *page_pool_alloc_pages(struct page_pool *pool, gfp_t gfp)
{
	struct page *page = take_page(pool);
	unsigned long flags;

	if (page)
		return page;
	page = alloc_pages_node(pool->params.nid, gfp | (pool->params.order ? __GFP_COMP : 0),
				pool->params.order);
	if (!page)
		return NULL;
	if (pool->params.init_callback)
		pool->params.init_callback(page, pool->params.init_arg);
	spin_lock_irqsave(&pool->lock, flags);
	pool->nr_out++;
	spin_unlock_irqrestore(&pool->lock, flags);
	return page;
}

void usermm_page_pool_put(struct page_pool *pool, struct page *page)
{
	bool keeps, ends;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	keeps = page_ref_count(page) == 1 && !pool->is_destroyed &&
		pool->nr_pages < pool->params.pool_size;
	if (keeps) {
		list_add(&page->lru, &pool->pages);
		pool->nr_pages++;
	}
	ends = !--pool->nr_out && pool->is_destroyed;
	spin_unlock_irqrestore(&pool->lock, flags);
	if (!keeps)
		put_page(page);
	if (ends)
		kfree(pool);
}

unsigned int usermm_page_pool_inflight(struct page_pool *pool)
{
	return READ_ONCE(pool->nr_out);
}

void page_pool_destroy(struct page_pool *pool)
{
	struct page *page;
	unsigned long flags;
	bool ends;

	if (!pool)
		return;
	while ((page = take_page(pool))) {
		put_page(page);
		spin_lock_irqsave(&pool->lock, flags);
		pool->nr_out--;
		spin_unlock_irqrestore(&pool->lock, flags);
	}
	spin_lock_irqsave(&pool->lock, flags);
	pool->is_destroyed = true;
	ends = !pool->nr_out;
	spin_unlock_irqrestore(&pool->lock, flags);
	if (ends)
		kfree(pool);
}
