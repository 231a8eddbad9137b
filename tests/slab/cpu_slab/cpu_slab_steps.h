/* SPDX-License-Identifier: MIT */
/*
 * Steps with a CPU's own slab, and checks of its state after them. One thread moves between two
 * CPUs, A and B: see be_on().
 */
#ifndef TESTS_SLAB_CPU_SLAB_STEPS_H
#define TESTS_SLAB_CPU_SLAB_STEPS_H

#include <stdlib.h>

#include "slab/cpu_cache.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "slab/partial.h"
#include "support/kernel.h"
#include "support/slabs.h"
#include "support/threads.h"

enum cpu { A, B };

static void *objects[2048];

/* mm_cid has one slot for one thread, so sequences are indexed by the CPU here. */
static inline const char *two_cpus(void)
{
	const char *options = getenv("USERMM_OPTIONS");

	if (options && (strstr(options, "rseq=off") || strstr(options, "simulated_cpus")))
		return "slab_cpu_cache=slab:simulated_cpus=4";
	return test_nr_cpus() > 1 ? "slab_cpu_cache=slab:rseq=cpu_id" :
				    "slab_cpu_cache=slab:simulated_cpus=4";
}

static inline void be_on(struct kunit *test, enum cpu cpu)
{
	if (percpu_mode() != PERCPU_LOCKED)
		test_pin(cpu);
	else
		KUNIT_ASSERT_TRUE(test, percpu_bind_slot(cpu));
}

static inline struct kmem_cache *make(struct kunit *test, unsigned int size, void (*ctor)(void *))
{
	struct kmem_cache *cache = kmem_cache_create("mine", size, 0, 0, ctor);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_NOT_NULL(test, cache->own_cpu_slab);
	KUNIT_ASSERT_NULL(test, cache->own_sheaf);
	KUNIT_ASSERT_LE(test, 2u * cache->objects, ARRAY_SIZE(objects));
	be_on(test, A);
	return cache;
}

/* objects[from .. to-1] */
static inline void take(struct kunit *test, struct kmem_cache *cache, unsigned int from,
			unsigned int to)
{
	for (unsigned int i = from; i < to; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
}

static inline void give(struct kmem_cache *cache, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		kmem_cache_free(cache, objects[i]);
}

/* This CPU's word. */
static inline void *cpu_word(struct kunit *test, struct kmem_cache *cache)
{
	unsigned long head = ~0UL;

	KUNIT_ASSERT_TRUE(test, percpu_tagged_read(cache->own_cpu_slab, &head));
	return (void *)head;
}

static inline void *token_of(const struct page *slab)
{
	return slab_token(page_address(slab));
}

static inline unsigned int times_on_partial(struct kmem_cache *cache, const struct page *slab)
{
	const struct page *other;
	unsigned int times = 0;

	list_for_each_entry(other, &slab_node_of(cache, slab)->partial, lru)
		times += other == slab;
	return times;
}

/* Checks the slab's state; a frozen one is on no list. */
#define EXPECT_SLAB(test, cache, slab, is_frozen, nr_inuse, times)			\
do {											\
	struct slab_word word_ = slab_word_read(slab);					\
											\
	KUNIT_EXPECT_EQ((test), (int)word_.frozen, (is_frozen));				\
	KUNIT_EXPECT_EQ((test), word_.inuse, (nr_inuse));				\
	KUNIT_EXPECT_EQ((test), times_on_partial((cache), (slab)), (times));		\
} while (0)

/* Checks that every object is free, so that no slab of the cache is left. */
static inline void end(struct kunit *test, struct kmem_cache *cache)
{
	const struct kmem_cache_node *node;

	slab_drain_all(cache);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0);
	KUNIT_EXPECT_EQ(test, slab_free_empty(cache), 0);
	for_each_kmem_cache_node(cache, node)
		KUNIT_EXPECT_EQ(test, node->nr_partial, 0);
	kmem_cache_destroy(cache);
}

/* Takes all objects of a slab, as objects[0 ..], on A. Returns the slab. */
static inline struct page *use_up(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab;

	take(test, cache, 0, cache->objects);
	slab = slab_of(cache, objects[0]);
	KUNIT_ASSERT_PTR_EQ(test, cpu_word(test, cache), token_of(slab));
	return slab;
}

#define MAGIC 0xfeedfacecafeUL

static inline void construct(void *object)
{
	*(unsigned long *)object = MAGIC ^ (unsigned long)object;
}

static inline bool is_constructed(const void *object)
{
	return *(const unsigned long *)object == (MAGIC ^ (unsigned long)object);
}

#endif
