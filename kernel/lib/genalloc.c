// SPDX-License-Identifier: MIT
/*
 * Pools of addresses: each range has a bitmap, a bit for 1 << min_alloc_order bytes (cf. Linux
 * lib/genalloc.c). One lock guards bitmaps and the list; ranges come, and go with the pool only.
 */
#include <linux/bitmap.h>
#include <linux/genalloc.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static unsigned int bits_of(const struct gen_pool *pool, size_t size)
{
	return (unsigned int)((size + (1UL << pool->min_alloc_order) - 1) >> pool->min_alloc_order);
}

static size_t chunk_size(const struct gen_pool_chunk *chunk)
{
	return chunk->end_addr - chunk->start_addr + 1;
}

static size_t chunk_avail(const struct gen_pool_chunk *chunk)
{
	return (size_t)atomic_long_read(&chunk->avail);
}

struct gen_pool *gen_pool_create(int min_alloc_order, int nid)
{
	struct gen_pool *pool = kzalloc_node(sizeof(*pool), GFP_KERNEL, nid);

	if (!pool)
		return NULL;
	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->chunks);
	pool->min_alloc_order = min_alloc_order;
	pool->algo = gen_pool_first_fit;
	return pool;
}

int gen_pool_add_owner(struct gen_pool *pool, unsigned long addr, phys_addr_t phys, size_t size,
		       int nid, void *owner)
{
	unsigned long nr = size >> pool->min_alloc_order, flags;
	struct gen_pool_chunk *chunk = kvzalloc_node(sizeof(*chunk) +
		BITS_TO_LONGS(nr) * sizeof(long), GFP_KERNEL, nid);

	if (!chunk)
		return -ENOMEM;
	chunk->phys_addr = phys;
	chunk->start_addr = addr;
	chunk->end_addr = addr + size - 1;
	chunk->owner = owner;
	atomic_long_set(&chunk->avail, (long)size);
	spin_lock_irqsave(&pool->lock, flags);
	list_add_tail(&chunk->next_chunk, &pool->chunks);
	spin_unlock_irqrestore(&pool->lock, flags);
	return 0;
}

void gen_pool_destroy(struct gen_pool *pool)
{
	struct gen_pool_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &pool->chunks, next_chunk) {
		unsigned long nr = chunk_size(chunk) >> pool->min_alloc_order;

		BUG_ON(find_first_bit(chunk->bits, nr) < nr);
		list_del(&chunk->next_chunk);
		kvfree(chunk);
	}
	kfree(pool);
}

unsigned long gen_pool_alloc_algo_owner(struct gen_pool *pool, size_t size, genpool_algo_t algo,
					void *data, void **owner)
{
	unsigned long addr = 0, flags;
	struct gen_pool_chunk *chunk;
	unsigned int nr = bits_of(pool, size);

	if (owner)
		*owner = NULL;
	if (!size)
		return 0;
	spin_lock_irqsave(&pool->lock, flags);
	list_for_each_entry(chunk, &pool->chunks, next_chunk) {
		unsigned long end = chunk_size(chunk) >> pool->min_alloc_order, at;

		if (size > chunk_avail(chunk))
			continue;
		at = algo(chunk->bits, end, 0, nr, data, pool, chunk->start_addr);
		if (at >= end)
			continue;
		bitmap_set(chunk->bits, (unsigned int)at, nr);
		atomic_long_sub((long)nr << pool->min_alloc_order, &chunk->avail);
		addr = chunk->start_addr + (at << pool->min_alloc_order);
		if (owner)
			*owner = chunk->owner;
		break;
	}
	spin_unlock_irqrestore(&pool->lock, flags);
	return addr;
}

/* The range that has all of these bytes, or NULL. The caller holds the lock. */
static struct gen_pool_chunk *chunk_of(struct gen_pool *pool, unsigned long addr, size_t size)
{
	struct gen_pool_chunk *chunk;

	list_for_each_entry(chunk, &pool->chunks, next_chunk)
		if (addr >= chunk->start_addr && addr <= chunk->end_addr &&
		    size <= chunk->end_addr - addr + 1)
			return chunk;
	return NULL;
}

void gen_pool_free_owner(struct gen_pool *pool, unsigned long addr, size_t size, void **owner)
{
	unsigned int nr = bits_of(pool, size), at;
	struct gen_pool_chunk *chunk;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	chunk = chunk_of(pool, addr, size);
	BUG_ON(!chunk);
	at = (unsigned int)((addr - chunk->start_addr) >> pool->min_alloc_order);
	BUG_ON(find_next_zero_bit(chunk->bits, at + nr, at) < at + nr);
	bitmap_clear(chunk->bits, at, nr);
	atomic_long_add((long)nr << pool->min_alloc_order, &chunk->avail);
	if (owner)
		*owner = chunk->owner;
	spin_unlock_irqrestore(&pool->lock, flags);
}

phys_addr_t gen_pool_virt_to_phys(struct gen_pool *pool, unsigned long addr)
{
	phys_addr_t phys = (phys_addr_t)-1;
	struct gen_pool_chunk *chunk;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	chunk = chunk_of(pool, addr, 1);
	if (chunk)
		phys = chunk->phys_addr + (addr - chunk->start_addr);
	spin_unlock_irqrestore(&pool->lock, flags);
	return phys;
}

/* The sum of what bytes_of() says of each chunk. */
static size_t sum_of_chunks(struct gen_pool *pool,
			    size_t (*bytes_of)(const struct gen_pool_chunk *chunk))
{
	struct gen_pool_chunk *chunk;
	unsigned long flags;
	size_t sum = 0;

	spin_lock_irqsave(&pool->lock, flags);
	list_for_each_entry(chunk, &pool->chunks, next_chunk)
		sum += bytes_of(chunk);
	spin_unlock_irqrestore(&pool->lock, flags);
	return sum;
}

size_t gen_pool_avail(struct gen_pool *pool)
{
	return sum_of_chunks(pool, chunk_avail);
}

size_t gen_pool_size(struct gen_pool *pool)
{
	return sum_of_chunks(pool, chunk_size);
}

bool gen_pool_has_addr(struct gen_pool *pool, unsigned long start, size_t size)
{
	unsigned long flags;
	bool has;

	spin_lock_irqsave(&pool->lock, flags);
	has = chunk_of(pool, start, size);
	spin_unlock_irqrestore(&pool->lock, flags);
	return has;
}

void gen_pool_set_algo(struct gen_pool *pool, genpool_algo_t algo, void *data)
{
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	pool->algo = algo ? algo : gen_pool_first_fit;
	pool->data = data;
	spin_unlock_irqrestore(&pool->lock, flags);
}

unsigned long gen_pool_first_fit(unsigned long *map, unsigned long size, unsigned long start,
				 unsigned int nr, void *data, struct gen_pool *pool,
				 unsigned long start_addr)
{
	(void)data;
	(void)pool;
	(void)start_addr;
	return bitmap_find_next_zero_area(map, size, start, nr, 0);
}

unsigned long gen_pool_best_fit(unsigned long *map, unsigned long size, unsigned long start,
				unsigned int nr, void *data, struct gen_pool *pool,
				unsigned long start_addr)
{
	unsigned long best = size, best_length = size + 1, at;

	(void)data;
	(void)pool;
	(void)start_addr;
	for (at = bitmap_find_next_zero_area(map, size, start, nr, 0); at < size;) {
		unsigned long end = find_next_bit(map, size, at + nr);

		if (end - at < best_length) {
			best = at;
			best_length = end - at;
		}
		at = bitmap_find_next_zero_area(map, size, end, nr, 0);
	}
	return best;
}
