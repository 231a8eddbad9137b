// SPDX-License-Identifier: MIT
/* Memory pools: allocators with a reserve of elements; see linux/mempool.h. */
#include <linux/bug.h>
#include <linux/jiffies.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "base/linux_version.h"

/* Up to Linux 6.18. */
void *mempool_kvmalloc_of_old(gfp_t gfp, void *pool_data) USERMM_API(mempool_kvmalloc);
void mempool_kvfree_of_old(void *element, void *pool_data) USERMM_API(mempool_kvfree);

/* A waiting caller looks again after this time, in case that a wake-up was missed. */
#define WAIT_SECONDS 5

/*
 * How many elements the reserve holds. Since Linux 6.17 a pool of minimum 0 keeps one element, so
 * that a free wakes those who wait.
 */
static int capacity(const mempool_t *pool)
{
	int min_nr = READ_ONCE(pool->min_nr);

	return min_nr || !linux_since(6, 17) ? min_nr : 1;
}

/* The caller holds the lock, or nobody else knows the pool yet. */
static void push(mempool_t *pool, void *element)
{
	pool->elements[pool->curr_nr++] = element;
}

static void *pop(mempool_t *pool)
{
	unsigned long flags;
	void *element = NULL;

	spin_lock_irqsave(&pool->lock, flags);
	if (pool->curr_nr)
		element = pool->elements[--pool->curr_nr];
	spin_unlock_irqrestore(&pool->lock, flags);
	return element;
}

void mempool_exit(mempool_t *pool)
{
	while (pool->curr_nr)
		pool->free(pool->elements[--pool->curr_nr], pool->pool_data);
	kfree(pool->elements);
	pool->elements = NULL;
}

int mempool_init_node(mempool_t *pool, int min_nr, mempool_alloc_t *alloc,
		      mempool_free_t *release, void *pool_data, gfp_t gfp, int node)
{
	spin_lock_init(&pool->lock);
	init_waitqueue_head(&pool->wait);
	pool->min_nr = min_nr;
	pool->curr_nr = 0;
	pool->alloc = alloc;
	pool->free = release;
	pool->pool_data = pool_data;
	pool->elements = kmalloc_array_node((size_t)capacity(pool), sizeof(void *), gfp, node);
	if (!pool->elements)
		return -ENOMEM;
	while (pool->curr_nr < capacity(pool)) {
		void *element = alloc(gfp, pool_data);

		if (!element) {
			mempool_exit(pool);
			return -ENOMEM;
		}
		push(pool, element);
	}
	return 0;
}

int mempool_init(mempool_t *pool, int min_nr, mempool_alloc_t *alloc, mempool_free_t *release,
		 void *pool_data)
{
	return mempool_init_node(pool, min_nr, alloc, release, pool_data, GFP_KERNEL,
				 NUMA_NO_NODE);
}

mempool_t *mempool_create_node(int min_nr, mempool_alloc_t *alloc, mempool_free_t *release,
			       void *pool_data, gfp_t gfp, int node)
{
	mempool_t *pool = kzalloc_node(sizeof(*pool), gfp, node);

	if (pool && mempool_init_node(pool, min_nr, alloc, release, pool_data, gfp, node)) {
		kfree(pool);
		pool = NULL;
	}
	return pool;
}

void mempool_destroy(mempool_t *pool)
{
	if (!pool)
		return;
	mempool_exit(pool);
	kfree(pool);
}

/*
 * Reduces the reserve to new_min_nr and frees the surplus. False if the reserve is smaller than
 * new_min_nr, so that the caller must grow it. It may be smaller from the start, or become so: the
 * lock is dropped around each free, and another thread may reduce the reserve meanwhile.
 */
static bool shrink(mempool_t *pool, int new_min_nr)
{
	unsigned long flags;
	bool fewer;

	spin_lock_irqsave(&pool->lock, flags);
	while ((fewer = new_min_nr <= pool->min_nr) && new_min_nr < pool->curr_nr) {
		void *element = pool->elements[--pool->curr_nr];

		spin_unlock_irqrestore(&pool->lock, flags);
		pool->free(element, pool->pool_data);
		spin_lock_irqsave(&pool->lock, flags);
	}
	if (fewer)
		pool->min_nr = new_min_nr;
	spin_unlock_irqrestore(&pool->lock, flags);
	return fewer;
}

/* Puts the first elements into the reserve. Returns how many; the others are the caller's. */
static unsigned int push_many(mempool_t *pool, void **elements, unsigned int nr)
{
	unsigned long flags;
	unsigned int n = 0;

	spin_lock_irqsave(&pool->lock, flags);
	while (n < nr && pool->curr_nr < capacity(pool))
		push(pool, elements[n++]);
	spin_unlock_irqrestore(&pool->lock, flags);
	return n;
}

/* Fills the reserve, as far as there is memory. */
static void fill(mempool_t *pool)
{
	while (!mempool_is_saturated(pool)) {
		void *element = pool->alloc(GFP_KERNEL, pool->pool_data);

		if (!element)
			return;
		if (!push_many(pool, &element, 1)) {
			pool->free(element, pool->pool_data);
			return;
		}
	}
}

int mempool_resize(mempool_t *pool, int new_min_nr)
{
	unsigned long flags;
	void **elements, **unused;

	BUG_ON(new_min_nr <= 0);
	if (shrink(pool, new_min_nr))
		return 0;
	elements = kmalloc_array((size_t)new_min_nr, sizeof(void *), GFP_KERNEL);
	if (!elements)
		return -ENOMEM;
	spin_lock_irqsave(&pool->lock, flags);
	unused = elements;
	if (new_min_nr > pool->min_nr) {	/* else another thread has grown it more */
		memcpy(elements, pool->elements, (size_t)pool->curr_nr * sizeof(void *));
		unused = pool->elements;
		pool->elements = elements;
		pool->min_nr = new_min_nr;
	}
	spin_unlock_irqrestore(&pool->lock, flags);
	kfree(unused);
	if (unused != elements)
		fill(pool);
	return 0;
}

void *mempool_alloc_preallocated(mempool_t *pool)
{
	return pop(pool);
}

/*
 * Waits until an element may have come back. Freeing takes the lock, so no wake-up is missed. A
 * caller that wants more than the reserve has goes on after WAIT_SECONDS at the latest.
 */
static void wait_for_element(mempool_t *pool)
{
	unsigned long flags;
	bool empty;
	DEFINE_WAIT(wait);

	spin_lock_irqsave(&pool->lock, flags);
	prepare_to_wait(&pool->wait, &wait, TASK_UNINTERRUPTIBLE);
	empty = !pool->curr_nr;
	spin_unlock_irqrestore(&pool->lock, flags);
	if (empty)
		io_schedule_timeout(WAIT_SECONDS * HZ);
	finish_wait(&pool->wait, &wait);
}

void *mempool_alloc(mempool_t *pool, gfp_t gfp)
{
	gfp_t full, try;
	void *element;

	VM_WARN_ON_ONCE(gfp & __GFP_ZERO);
	full = gfp | __GFP_NOMEMALLOC | __GFP_NORETRY | __GFP_NOWARN;
	try = full & ~(__GFP_DIRECT_RECLAIM | __GFP_IO);
	for (;;) {
		element = pool->alloc(try, pool->pool_data);
		if (!element)
			element = pop(pool);
		if (element)
			return element;
		if (try != full) {
			try = full;
			continue;
		}
		if (!(gfp & __GFP_DIRECT_RECLAIM))
			return NULL;
		wait_for_element(pool);
	}
}

/* Takes so many elements of the reserve; all or none. */
static bool pop_many(mempool_t *pool, void **elements, unsigned int nr)
{
	unsigned long flags;
	bool enough;

	spin_lock_irqsave(&pool->lock, flags);
	enough = (unsigned int)pool->curr_nr >= nr;
	for (unsigned int i = 0; enough && i < nr; i++)
		elements[i] = pool->elements[--pool->curr_nr];
	spin_unlock_irqrestore(&pool->lock, flags);
	return enough;
}

int mempool_alloc_bulk(mempool_t *pool, void **elements, unsigned int nr)
{
	gfp_t full = GFP_KERNEL | __GFP_NOMEMALLOC | __GFP_NORETRY | __GFP_NOWARN;
	gfp_t try = full & ~(__GFP_DIRECT_RECLAIM | __GFP_IO);
	unsigned int done = 0;

	VM_WARN_ON_ONCE(nr > (unsigned int)pool->min_nr);
	might_sleep();
	for (;;) {
		while (done < nr && (elements[done] = pool->alloc(try, pool->pool_data)))
			done++;
		if (done == nr || pop_many(pool, elements + done, nr - done))
			return 0;
		if (try == full)
			wait_for_element(pool);
		try = full;
	}
}

unsigned int mempool_free_bulk(mempool_t *pool, void **elements, unsigned int nr)
{
	unsigned int kept = push_many(pool, elements, nr);

	/* Before 6.17 a caller that waits at a pool of minimum 0 asks the allocator again. */
	if (kept || !capacity(pool))
		wake_up(&pool->wait);
	return kept;
}

void mempool_free(void *element, mempool_t *pool)
{
	if (element && !mempool_free_bulk(pool, &element, 1))
		pool->free(element, pool->pool_data);
}

void *mempool_alloc_slab(gfp_t gfp, void *pool_data)
{
	return kmem_cache_alloc(pool_data, gfp);
}

void mempool_free_slab(void *element, void *pool_data)
{
	kmem_cache_free(pool_data, element);
}

void *mempool_kmalloc(gfp_t gfp, void *pool_data)
{
	return kmalloc((size_t)pool_data, gfp);
}

void mempool_kfree(void *element, void *pool_data)
{
	(void)pool_data;
	kfree(element);
}

void *mempool_kvmalloc_of_old(gfp_t gfp, void *pool_data)
{
	return kvmalloc((size_t)pool_data, gfp);
}

void mempool_kvfree_of_old(void *element, void *pool_data)
{
	(void)pool_data;
	kvfree(element);
}

void *mempool_alloc_pages(gfp_t gfp, void *pool_data)
{
	return alloc_pages(gfp, (unsigned int)(long)pool_data);
}

void mempool_free_pages(void *element, void *pool_data)
{
	__free_pages(element, (unsigned int)(long)pool_data);
}
