// SPDX-License-Identifier: MIT
/* mempools: the reserve, the masks that the backing allocator sees, resizing. */
#include <linux/gfp.h>
#include <linux/mempool.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance.h"

enum { MASKS = 16, ELEMENTS = 64 };

/* An allocator that does as it is told, and notes what it was asked for. */
struct backing {
	u8 memory[ELEMENTS];		/* an element is the address of a byte */
	unsigned int nr_allocated;
	unsigned int nr_freed;
	unsigned int nr_asked;
	unsigned int refuse;		/* so many calls from now on */
	gfp_t masks[MASKS];
	void *freed[ELEMENTS];
};

static struct backing backing;

static void *backing_alloc(gfp_t gfp, void *data)
{
	struct backing *self = data;

	if (self->nr_asked < MASKS)
		self->masks[self->nr_asked] = gfp;
	self->nr_asked++;
	if (self->refuse) {
		self->refuse--;
		return NULL;
	}
	return &self->memory[self->nr_allocated++ % ELEMENTS];
}

static void backing_free(void *element, void *data)
{
	struct backing *self = data;

	self->freed[self->nr_freed++ % ELEMENTS] = element;
}

/* The compiler assumes that new memory equals no pointer that it knows; here it may equal one. */
static void *seen(void *element)
{
	OPTIMIZER_HIDE_VAR(element);
	return element;
}

/* A pool of minimum 0 keeps one element since Linux 6.17. */
static int kept_at_minimum(int min_nr)
{
	return min_nr || LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0) ? min_nr : 1;
}

static mempool_t *pool_of(struct kunit *test, int min_nr)
{
	mempool_t *pool;

	memset(&backing, 0, sizeof(backing));
	pool = mempool_create(min_nr, backing_alloc, backing_free, &backing);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_ASSERT_EQ(test, backing.nr_asked, (unsigned int)kept_at_minimum(min_nr));
	backing.nr_asked = 0;
	return pool;
}

/* mempool_create() fills the reserve, mempool_destroy() gives all of it back. */
static void filled_and_emptied(struct kunit *test)
{
	for (int min_nr = 0; min_nr <= 20; min_nr++) {
		mempool_t *pool;

		memset(&backing, 0, sizeof(backing));
		pool = mempool_create(min_nr, backing_alloc, backing_free, &backing);
		KUNIT_ASSERT_NOT_NULL(test, pool);
		KUNIT_EXPECT_EQ(test, backing.nr_allocated, (unsigned int)kept_at_minimum(min_nr));
		KUNIT_EXPECT_EQ(test, pool->min_nr, min_nr);
		KUNIT_EXPECT_EQ(test, pool->curr_nr, kept_at_minimum(min_nr));
		KUNIT_EXPECT_TRUE(test, mempool_is_saturated(pool));
		KUNIT_EXPECT_TRUE(test, mempool_initialized(pool));
		for (int i = 0; i < min_nr && i < MASKS; i++)
			KUNIT_EXPECT_EQ(test, backing.masks[i], GFP_KERNEL);
		mempool_destroy(pool);
		KUNIT_EXPECT_EQ(test, backing.nr_freed, (unsigned int)kept_at_minimum(min_nr));
	}
	mempool_destroy(NULL);
}

static void *fourth_is_refused(gfp_t gfp, void *data)
{
	struct backing *self = data;

	if (self->nr_allocated == 3)
		self->refuse = 1;
	return backing_alloc(gfp, data);
}

/* If one of the reserve is refused there is no pool, and the others go back. */
static void creation_that_fails(struct kunit *test)
{
	mempool_t pool = { 0 };

	memset(&backing, 0, sizeof(backing));
	KUNIT_EXPECT_NULL(test, mempool_create(10, fourth_is_refused, backing_free, &backing));
	KUNIT_EXPECT_EQ(test, backing.nr_allocated, 3U);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 3U);
	memset(&backing, 0, sizeof(backing));
	KUNIT_EXPECT_EQ(test, mempool_init(&pool, 10, fourth_is_refused, backing_free, &backing),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 3U);
	KUNIT_EXPECT_FALSE(test, mempool_initialized(&pool));
}

/* mempool_init() for a pool in other memory; mempool_exit() of it, and of a zeroed one. */
static void embedded(struct kunit *test)
{
	mempool_t pool = { 0 };

	mempool_exit(&pool);
	memset(&backing, 0, sizeof(backing));
	KUNIT_ASSERT_EQ(test, mempool_init(&pool, 5, backing_alloc, backing_free, &backing), 0);
	KUNIT_EXPECT_TRUE(test, mempool_initialized(&pool));
	KUNIT_EXPECT_EQ(test, backing.nr_allocated, 5U);
	mempool_exit(&pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 5U);
	KUNIT_EXPECT_FALSE(test, mempool_initialized(&pool));
	mempool_exit(&pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 5U);
}

/* mempool_create_node(), mempool_init_node(): the reserve is allocated with the given mask. */
static void created_with_a_mask(struct kunit *test)
{
	static const gfp_t masks[] = { GFP_NOIO, GFP_NOFS, GFP_NOWAIT, GFP_ATOMIC, GFP_USER };

	for (unsigned int i = 0; i < ARRAY_SIZE(masks); i++) {
		mempool_t *pool, embedded_pool = { 0 };

		memset(&backing, 0, sizeof(backing));
		pool = mempool_create_node(2, backing_alloc, backing_free, &backing, masks[i],
					   NUMA_NO_NODE);
		KUNIT_ASSERT_NOT_NULL(test, pool);
		KUNIT_EXPECT_EQ(test, mempool_init_node(&embedded_pool, 2, backing_alloc,
				backing_free, &backing, masks[i], 0), 0);
		for (unsigned int n = 0; n < 4; n++)
			KUNIT_EXPECT_EQ(test, backing.masks[n], masks[i]);
		mempool_exit(&embedded_pool);
		mempool_destroy(pool);
	}
}

/*
 * mempool_alloc() first asks the allocator without direct reclaim and IO, without emergency
 * reserves, without retries, and without a warning; then it takes from the reserve; then it asks
 * with the caller's mask.
 */
static void masks_of_an_allocation(struct kunit *test)
{
	static const gfp_t given[] = {
		GFP_KERNEL, GFP_NOIO, GFP_NOFS, GFP_USER, GFP_KERNEL | __GFP_HIGH,
		GFP_KERNEL | __GFP_RETRY_MAYFAIL, GFP_KERNEL_ACCOUNT,
	};
	mempool_t *pool = pool_of(test, 1);
	void *reserve = mempool_alloc_preallocated(pool), *element;

	KUNIT_ASSERT_NOT_NULL(test, reserve);
	for (unsigned int i = 0; i < ARRAY_SIZE(given); i++) {
		gfp_t full = given[i] | __GFP_NOMEMALLOC | __GFP_NORETRY | __GFP_NOWARN;

		backing.nr_asked = 0;
		element = mempool_alloc(pool, given[i]);
		KUNIT_EXPECT_NOT_NULL(test, element);
		KUNIT_EXPECT_EQ(test, backing.nr_asked, 1U);
		KUNIT_EXPECT_EQ(test, backing.masks[0],
				full & ~(__GFP_DIRECT_RECLAIM | __GFP_IO));
		backing.nr_asked = 0;
		backing.refuse = 1;
		element = mempool_alloc(pool, given[i]);
		KUNIT_EXPECT_NOT_NULL(test, element);
		KUNIT_EXPECT_EQ(test, backing.nr_asked, 2U);
		KUNIT_EXPECT_EQ(test, backing.masks[1], full);
	}
	mempool_free(reserve, pool);
	mempool_destroy(pool);
}

/*
 * A caller that may not wait gets NULL when allocator and reserve have nothing, after one or two
 * tries.
 */
static void without_waiting(struct kunit *test)
{
	static const struct {
		gfp_t gfp;
		unsigned int tries;
	} given[] = {
		{ GFP_ATOMIC, 1 }, { GFP_NOWAIT, 1 }, { __GFP_HIGH, 1 }, { 0, 1 },
		{ GFP_NOWAIT | __GFP_IO, 2 }, { GFP_ATOMIC | __GFP_IO | __GFP_FS, 2 },
	};
	mempool_t *pool = pool_of(test, 1);
	void *reserve = mempool_alloc_preallocated(pool);

	for (unsigned int i = 0; i < ARRAY_SIZE(given); i++) {
		backing.nr_asked = 0;
		backing.refuse = 100;
		KUNIT_EXPECT_NULL(test, mempool_alloc(pool, given[i].gfp));
		KUNIT_EXPECT_EQ(test, backing.nr_asked, given[i].tries);
	}
	mempool_free(reserve, pool);
	/* With something in the reserve the same callers get it. */
	for (unsigned int i = 0; i < ARRAY_SIZE(given); i++) {
		backing.nr_asked = 0;
		backing.refuse = 100;
		KUNIT_EXPECT_PTR_EQ(test, seen(mempool_alloc(pool, given[i].gfp)), reserve);
		KUNIT_EXPECT_EQ(test, backing.nr_asked, 1U);
		mempool_free(reserve, pool);
	}
	mempool_destroy(pool);
}

/* The allocator is asked first, so the reserve stays while it has anything. */
static void reserve_is_the_last_resort(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 4);
	void *elements[10];

	for (unsigned int i = 0; i < ARRAY_SIZE(elements); i++) {
		elements[i] = seen(mempool_alloc(pool, GFP_KERNEL));
		KUNIT_EXPECT_PTR_EQ(test, elements[i], (void *)&backing.memory[4 + i]);
		KUNIT_EXPECT_EQ(test, pool->curr_nr, 4);
	}
	/* The reserve is full, so all of them go to the allocator. */
	for (unsigned int i = 0; i < ARRAY_SIZE(elements); i++) {
		mempool_free(elements[i], pool);
		KUNIT_EXPECT_EQ(test, backing.nr_freed, i + 1);
		KUNIT_EXPECT_PTR_EQ(test, backing.freed[i], elements[i]);
	}
	mempool_destroy(pool);
}

/* remove_element(), add_element(): the last one in is the first one out. */
static void order_of_the_reserve(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 5);
	void *elements[5];

	backing.refuse = 1000;
	for (unsigned int i = 0; i < 5; i++) {
		elements[i] = seen(mempool_alloc(pool, GFP_NOWAIT));
		KUNIT_EXPECT_PTR_EQ(test, elements[i], (void *)&backing.memory[4 - i]);
		KUNIT_EXPECT_EQ(test, pool->curr_nr, 4 - (int)i);
		KUNIT_EXPECT_FALSE(test, mempool_is_saturated(pool));
	}
	KUNIT_EXPECT_NULL(test, mempool_alloc(pool, GFP_NOWAIT));
	for (unsigned int i = 0; i < 5; i++)
		mempool_free(elements[(i * 3) % 5], pool);
	for (unsigned int i = 5; i--; )
		KUNIT_EXPECT_PTR_EQ(test, seen(mempool_alloc(pool, GFP_ATOMIC)),
				    elements[(i * 3) % 5]);
	for (unsigned int i = 0; i < 5; i++)
		mempool_free(elements[i], pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 0U);
	mempool_destroy(pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 5U);
}

/* mempool_free() fills the reserve up to min_nr first, whatever is freed. */
static void free_fills_first(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 3);
	void *reserve[3], *extra[3];

	for (unsigned int i = 0; i < 3; i++)
		extra[i] = mempool_alloc(pool, GFP_KERNEL);
	for (unsigned int i = 0; i < 3; i++)
		reserve[i] = mempool_alloc_preallocated(pool);
	for (unsigned int i = 0; i < 3; i++)
		mempool_free(extra[i], pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 0U);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 3);
	for (unsigned int i = 0; i < 3; i++)
		mempool_free(reserve[i], pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 3U);
	mempool_free(NULL, pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 3U);
	mempool_destroy(pool);
}

/* mempool_alloc_preallocated() is the reserve alone, and never waits. */
static void preallocated_only(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 2);
	void *one = seen(mempool_alloc_preallocated(pool));
	void *two = seen(mempool_alloc_preallocated(pool));

	KUNIT_EXPECT_PTR_EQ(test, one, (void *)&backing.memory[1]);
	KUNIT_EXPECT_PTR_EQ(test, two, (void *)&backing.memory[0]);
	KUNIT_EXPECT_NULL(test, mempool_alloc_preallocated(pool));
	KUNIT_EXPECT_EQ(test, backing.nr_asked, 0U);
	mempool_free(one, pool);
	KUNIT_EXPECT_PTR_EQ(test, seen(mempool_alloc_preallocated(pool)), one);
	mempool_free(one, pool);
	mempool_free(two, pool);
	mempool_destroy(pool);
}

/* mempool_alloc_noreserve() is the allocator alone, with the mask as it is. */
static void allocator_only(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 2);

	KUNIT_EXPECT_PTR_EQ(test, seen(mempool_alloc_noreserve(pool, GFP_NOFS)),
			    (void *)&backing.memory[2]);
	KUNIT_EXPECT_EQ(test, backing.masks[0], GFP_NOFS);
	backing.refuse = 1;
	KUNIT_EXPECT_NULL(test, mempool_alloc_noreserve(pool, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 2);
	mempool_destroy(pool);
}

/* A pool of minimum 0 passes everything on up to Linux 6.16; since then it keeps one element. */
static void pool_without_a_reserve(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 0);
	int kept = kept_at_minimum(0);
	void *element = mempool_alloc(pool, GFP_KERNEL), *last;

	KUNIT_EXPECT_NOT_NULL(test, element);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, kept);
	last = mempool_alloc_preallocated(pool);
	KUNIT_EXPECT_EQ(test, last != NULL, kept);
	KUNIT_EXPECT_NULL(test, mempool_alloc_preallocated(pool));
	backing.refuse = 1;
	KUNIT_EXPECT_NULL(test, mempool_alloc(pool, GFP_NOWAIT));
	mempool_free(element, pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, kept ? 0U : 1U);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, kept);
	mempool_free(last, pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 1U);
	mempool_destroy(pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 1U + (unsigned int)kept);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
/*
 * A bulk call takes all that the allocator gives, and the rest from the reserve, if the reserve has
 * the whole rest.
 */
static void bulk_from_both(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 6);
	void *elements[6];

	KUNIT_EXPECT_EQ(test, mempool_alloc_bulk(pool, elements, 6), 0);
	KUNIT_EXPECT_EQ(test, backing.nr_asked, 6U);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 6);
	KUNIT_EXPECT_EQ(test, mempool_free_bulk(pool, elements, 6), 0U);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 0U);
	backing.refuse = 1;
	KUNIT_EXPECT_EQ(test, mempool_alloc_bulk(pool, elements, 6), 0);
	KUNIT_EXPECT_EQ(test, backing.nr_asked, 7U);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 0);
	/* the first ones fill the reserve */
	KUNIT_EXPECT_EQ(test, mempool_free_bulk(pool, elements, 2), 2U);
	KUNIT_EXPECT_EQ(test, mempool_free_bulk(pool, elements + 2, 4), 4U);
	KUNIT_EXPECT_PTR_EQ(test, seen(mempool_alloc_preallocated(pool)), seen(elements[5]));
	KUNIT_EXPECT_EQ(test, mempool_free_bulk(pool, elements, 3), 1U);
	mempool_destroy(pool);
}
#else
static void bulk_from_both(struct kunit *test)
{
	kunit_skip(test, "since Linux 6.19");
}
#endif

/* mempool_resize() to more: filled at once with GFP_KERNEL, and to less: given back. */
static void resizing(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 4);

	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 12), 0);
	KUNIT_EXPECT_EQ(test, pool->min_nr, 12);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 12);
	KUNIT_EXPECT_EQ(test, backing.nr_asked, 8U);
	for (unsigned int i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, backing.masks[i], GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 12), 0);
	KUNIT_EXPECT_EQ(test, backing.nr_asked, 8U);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 0U);
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 5), 0);
	KUNIT_EXPECT_EQ(test, pool->min_nr, 5);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 5);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 7U);
	for (unsigned int i = 0; i < 7; i++)
		KUNIT_EXPECT_PTR_EQ(test, backing.freed[i], (void *)&backing.memory[11 - i]);
	mempool_destroy(pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 12U);
}

/* To more, while the allocator refuses: 0 all the same, and frees fill it up later. */
static void growing_without_memory(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 2);
	void *elements[4];

	for (unsigned int i = 0; i < 4; i++)
		elements[i] = seen(mempool_alloc(pool, GFP_KERNEL));
	backing.refuse = 1;
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 6), 0);
	KUNIT_EXPECT_EQ(test, pool->min_nr, 6);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 2);
	KUNIT_EXPECT_FALSE(test, mempool_is_saturated(pool));
	for (unsigned int i = 0; i < 4; i++)
		mempool_free(elements[i], pool);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 6);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 0U);
	mempool_destroy(pool);
}

/* With elements out: what comes back beyond the new size goes to the allocator. */
static void shrinking_with_elements_out(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 6);
	void *elements[6];

	for (unsigned int i = 0; i < 6; i++)
		elements[i] = mempool_alloc_preallocated(pool);
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 2), 0);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 0U);
	for (unsigned int i = 0; i < 6; i++)
		mempool_free(elements[i], pool);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 2);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 4U);
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 1), 0);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 1);
	mempool_destroy(pool);
	KUNIT_EXPECT_EQ(test, backing.nr_freed, 6U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(filled_and_emptied),
	KUNIT_CASE(creation_that_fails),
	KUNIT_CASE(embedded),
	KUNIT_CASE(created_with_a_mask),
	KUNIT_CASE(masks_of_an_allocation),
	KUNIT_CASE(without_waiting),
	KUNIT_CASE(reserve_is_the_last_resort),
	KUNIT_CASE(order_of_the_reserve),
	KUNIT_CASE(free_fills_first),
	KUNIT_CASE(preallocated_only),
	KUNIT_CASE(allocator_only),
	KUNIT_CASE(pool_without_a_reserve),
	KUNIT_CASE(bulk_from_both),
	KUNIT_CASE(resizing),
	KUNIT_CASE(growing_without_memory),
	KUNIT_CASE(shrinking_with_elements_out),
	{}
};

static struct kunit_suite suite = { .name = "conformance_mempool_reserve", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
