// SPDX-License-Identifier: MIT
/* kmalloc()'s kinds of caches: which flags choose which kind, and that kinds share no objects. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../conformance.h"

enum { SETS = 8, OBJECTS = 40 };

static const size_t classes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192,
};

static gfp_t flags_of(unsigned int set)
{
	return GFP_KERNEL | (set & 1 ? __GFP_RECLAIMABLE : 0) | (set & 2 ? __GFP_ACCOUNT : 0) |
	       (set & 4 ? __GFP_DMA : 0);
}

/*
 * DMA goes before RECLAIMABLE, and that before ACCOUNT; a kind that the kernel is not
 * configured to have is the normal one by another name.
 */
static unsigned int kind_of(gfp_t gfp)
{
	if (KMALLOC_DMA != KMALLOC_NORMAL && (gfp & __GFP_DMA))
		return KMALLOC_DMA;
	if (gfp & __GFP_RECLAIMABLE)
		return KMALLOC_RECLAIM;
	return gfp & __GFP_ACCOUNT ? KMALLOC_CGROUP : KMALLOC_NORMAL;
}

static struct kmem_cache *cache_of(unsigned int kind, size_t size)
{
	return kmalloc_caches[kind][__kmalloc_index(size, false)];
}

static void kinds_there_are(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, (int)KMALLOC_RECLAIM, (int)KMALLOC_NORMAL);
	if (ON_USERMM) {
		KUNIT_EXPECT_NE(test, (int)KMALLOC_DMA, (int)KMALLOC_NORMAL);
		KUNIT_EXPECT_NE(test, (int)KMALLOC_CGROUP, (int)KMALLOC_NORMAL);
		DIFFERS(test, "kmalloc has all kinds of caches");
	} else {
		KUNIT_EXPECT_EQ(test, (int)KMALLOC_DMA, (int)KMALLOC_NORMAL);
		KUNIT_EXPECT_EQ(test, (int)KMALLOC_CGROUP, (int)KMALLOC_NORMAL);
	}
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define CALLER __kmalloc_token(0)
#else
#define CALLER _RET_IP_
#endif

/* kmalloc_type() */
static void kind_of_flags(struct kunit *test)
{
	for (unsigned int set = 0; set < SETS; set++)
		KUNIT_EXPECT_EQ_MSG(test, (unsigned int)kmalloc_type(flags_of(set), CALLER),
				    kind_of(flags_of(set)), "set %u", set);
}

/* kmalloc_caches[]: all kinds have all sizes, each a cache of its own. */
static void table_of_caches(struct kunit *test)
{
	for (unsigned int set = 0; set < SETS; set++)
		for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
			unsigned int kind = kind_of(flags_of(set));
			struct kmem_cache *cache = cache_of(kind, classes[i]);

			KUNIT_ASSERT_NOT_NULL(test, cache);
			KUNIT_EXPECT_EQ(test, (size_t)kmem_cache_size(cache), classes[i]);
			KUNIT_EXPECT_EQ(test, cache == cache_of(KMALLOC_NORMAL, classes[i]),
					kind == KMALLOC_NORMAL);
			KUNIT_EXPECT_PTR_EQ(test, cache_of(kind, classes[i] - 1), cache);
		}
}

/* What the cache got back last is what kmalloc() of that kind hands out. */
static void expect_from(struct kunit *test, struct kmem_cache *cache, size_t size, gfp_t gfp)
{
	void *freed = kmem_cache_alloc(cache, GFP_KERNEL), *object;

	KUNIT_ASSERT_NOT_NULL(test, freed);
	kmem_cache_free(cache, freed);
	object = kmalloc(size, gfp);
	KUNIT_EXPECT_PTR_EQ_MSG(test, object, hidden(freed), "size %zu, flags %x", size, gfp);
	kfree(object);
	object = kmalloc_node(size, gfp, NUMA_NO_NODE);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
	object = kmalloc_array(1, size, gfp);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
	object = krealloc(NULL, size, gfp);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
	object = kvmalloc(size, gfp);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kvfree(object);
}

static void objects_of_flags(struct kunit *test)
{
	for (unsigned int set = 0; set < SETS; set++)
		for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++)
			expect_from(test, cache_of(kind_of(flags_of(set)), classes[i]),
				    classes[i], flags_of(set));
}

/* The compiler may know size and flags, or one of them. */
static void constant_flags(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(KMALLOC_RECLAIM, 256);
	void *freed = kmem_cache_alloc(cache, GFP_KERNEL), *object;
	gfp_t gfp = GFP_KERNEL | __GFP_RECLAIMABLE;
	size_t size = 250;

	OPTIMIZER_HIDE_VAR(gfp);
	OPTIMIZER_HIDE_VAR(size);
	KUNIT_ASSERT_NOT_NULL(test, freed);
	kmem_cache_free(cache, freed);
	object = kmalloc(250, GFP_KERNEL | __GFP_RECLAIMABLE);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
	object = kmalloc(size, GFP_KERNEL | __GFP_RECLAIMABLE);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
	object = kmalloc(250, gfp);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
	object = kzalloc(250, gfp);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
}

/* Slabs hold objects of one kind, though sizes are the same. */
static void kinds_are_apart(struct kunit *test)
{
	static void *objects[SETS][OBJECTS];
	unsigned int nr_shared = 0;

	for (unsigned int i = 0; i < OBJECTS; i++)
		for (unsigned int set = 0; set < SETS; set++) {
			objects[set][i] = kmalloc(200, flags_of(set));
			KUNIT_ASSERT_NOT_NULL(test, objects[set][i]);
		}
	for (unsigned int a = 0; a < SETS; a++)
		for (unsigned int b = 0; b < a; b++)
			for (unsigned int i = 0; i < OBJECTS * OBJECTS; i++)
				nr_shared += kind_of(flags_of(a)) != kind_of(flags_of(b)) &&
					virt_to_head_page(objects[a][i / OBJECTS]) ==
					virt_to_head_page(objects[b][i % OBJECTS]);
	KUNIT_EXPECT_EQ(test, nr_shared, 0U);
	for (unsigned int set = 0; set < SETS; set++)
		kfree_bulk(OBJECTS, objects[set]);
}

/* krealloc(): what fits stays where it is; what moves is of the kind that is asked for. */
static void moving(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(KMALLOC_RECLAIM, 128);
	void *freed = kmem_cache_alloc(cache, GFP_KERNEL);
	void *object = kmalloc(40, GFP_KERNEL), *same;

	KUNIT_ASSERT_NOT_NULL(test, freed);
	KUNIT_ASSERT_NOT_NULL(test, object);
	kmem_cache_free(cache, freed);
	same = krealloc(object, 64, GFP_KERNEL | __GFP_RECLAIMABLE);
	KUNIT_EXPECT_PTR_EQ(test, same, hidden(object));
	object = krealloc(same, 100, GFP_KERNEL | __GFP_RECLAIMABLE);
	KUNIT_EXPECT_PTR_EQ(test, object, hidden(freed));
	kfree(object);
}

/* find_mergeable(): a reclaimable cache becomes one with the reclaimable kind. */
static void merging(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_reclaimable", 512, 0,
						     SLAB_RECLAIM_ACCOUNT, NULL);
	struct kmem_cache *own = kmem_cache_create("conformance_own", 512, 0,
						   SLAB_RECLAIM_ACCOUNT | SLAB_NO_MERGE, NULL);

	KUNIT_EXPECT_PTR_EQ(test, cache, cache_of(KMALLOC_RECLAIM, 512));
	KUNIT_EXPECT_PTR_NE(test, own, cache);
	kmem_cache_destroy(own);
	kmem_cache_destroy(cache);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(kinds_there_are),
	KUNIT_CASE(kind_of_flags),
	KUNIT_CASE(table_of_caches),
	KUNIT_CASE(objects_of_flags),
	KUNIT_CASE(constant_flags),
	KUNIT_CASE(kinds_are_apart),
	KUNIT_CASE(moving),
	KUNIT_CASE(merging),
	{}
};

static struct kunit_suite suite = {
	.name = "conformance_slab_kmalloc_types", .test_cases = cases,
};
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
