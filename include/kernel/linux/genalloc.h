/* SPDX-License-Identifier: MIT */
/*
 * Pools of addresses: a caller brings ranges, the pool hands out pieces of them. The memory itself
 * is never touched, so it may be a device's. The calls that take and give back pieces lock by
 * themselves, and work in any context; those that make pools sleep.
 */
#ifndef __GENALLOC_H__
#define __GENALLOC_H__

#include <linux/list.h>
#include <linux/numa.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct device;
struct gen_pool;

/*
 * The place of a free run of nr bits at or behind start; size or more if there is none. data is
 * what gen_pool_set_algo() was given.
 */
typedef unsigned long (*genpool_algo_t)(unsigned long *map, unsigned long size, unsigned long start,
					unsigned int nr, void *data, struct gen_pool *pool,
					unsigned long start_addr);

struct gen_pool_chunk {
	struct list_head next_chunk;
	atomic_long_t avail;		/* bytes */
	phys_addr_t phys_addr;
	void *owner;
	unsigned long start_addr, end_addr;	/* the last byte */
	unsigned long bits[];
};

struct gen_pool {
	spinlock_t lock;
	struct list_head chunks;	/* Sync: lock */
	int min_alloc_order;		/* log2 of a bit's bytes */
	genpool_algo_t algo;		/* Sync: lock */
	void *data;			/* Sync: lock */
	const char *name;
};

USERMM_BEGIN_DECLS

/* A pool whose pieces are multiples of 1 << min_alloc_order bytes, or NULL. */
struct gen_pool *gen_pool_create(int min_alloc_order, int nid)
	USERMM_API(gen_pool_create);

/* Lends size bytes at addr, of the physical address phys, to the pool: 0 or -ENOMEM. */
int gen_pool_add_owner(struct gen_pool *pool, unsigned long addr, phys_addr_t phys, size_t size,
		       int nid, void *owner)
	USERMM_API(gen_pool_add_owner);

/* Frees the pool, not its ranges. A piece that is in use is a BUG. */
void gen_pool_destroy(struct gen_pool *pool)
	USERMM_API(gen_pool_destroy);

/* The address of a piece of size bytes; 0: none, or size is 0. owner may be NULL. */
unsigned long gen_pool_alloc_algo_owner(struct gen_pool *pool, size_t size, genpool_algo_t algo,
					void *data, void **owner)
	USERMM_API(gen_pool_alloc_algo_owner);

/* Gives a piece back. An address that no range has is a BUG, as is a piece that is not in use. */
void gen_pool_free_owner(struct gen_pool *pool, unsigned long addr, size_t size, void **owner)
	USERMM_API(gen_pool_free_owner);

/* The physical address of addr, or -1. */
phys_addr_t gen_pool_virt_to_phys(struct gen_pool *pool, unsigned long addr)
	USERMM_API(gen_pool_virt_to_phys);

/* Bytes that are free, and bytes of all ranges. */
size_t gen_pool_avail(struct gen_pool *pool)
	USERMM_API(gen_pool_avail);
size_t gen_pool_size(struct gen_pool *pool)
	USERMM_API(gen_pool_size);

/* Does one range have all of these bytes? */
bool gen_pool_has_addr(struct gen_pool *pool, unsigned long start, size_t size)
	USERMM_API(gen_pool_has_addr);

/* Chooses the algorithm; NULL: the first free run. */
void gen_pool_set_algo(struct gen_pool *pool, genpool_algo_t algo, void *data)
	USERMM_API(gen_pool_set_algo);

/* The first free run, and the smallest one that is large enough. */
unsigned long gen_pool_first_fit(unsigned long *map, unsigned long size, unsigned long start,
				 unsigned int nr, void *data, struct gen_pool *pool,
				 unsigned long start_addr)
	USERMM_API(gen_pool_first_fit);
unsigned long gen_pool_best_fit(unsigned long *map, unsigned long size, unsigned long start,
				unsigned int nr, void *data, struct gen_pool *pool,
				unsigned long start_addr)
	USERMM_API(gen_pool_best_fit);

USERMM_END_DECLS

static inline int gen_pool_add_virt(struct gen_pool *pool, unsigned long addr, phys_addr_t phys,
				    size_t size, int nid)
{
	return gen_pool_add_owner(pool, addr, phys, size, nid, NULL);
}

static inline int gen_pool_add(struct gen_pool *pool, unsigned long addr, size_t size, int nid)
{
	return gen_pool_add_virt(pool, addr, (phys_addr_t)-1, size, nid);
}

static inline unsigned long gen_pool_alloc_algo(struct gen_pool *pool, size_t size,
						genpool_algo_t algo, void *data)
{
	return gen_pool_alloc_algo_owner(pool, size, algo, data, NULL);
}

static inline unsigned long gen_pool_alloc(struct gen_pool *pool, size_t size)
{
	return gen_pool_alloc_algo(pool, size, pool->algo, pool->data);
}

static inline void gen_pool_free(struct gen_pool *pool, unsigned long addr, size_t size)
{
	gen_pool_free_owner(pool, addr, size, NULL);
}

#endif
