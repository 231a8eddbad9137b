/* SPDX-License-Identifier: MIT */
/* kmalloc's kinds of caches, where their slabs lie, and the random copies. */
#include "page/pageblock.h"
#include "slab/cache.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/slab_fast.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/zones.h"

#define GFP_ANY_KIND (GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN)

/* All combinations of the bits that choose a kind. */
static const struct {
	gfp_t gfp;
	const char *prefix;
} kinds[] = {
	{ 0, "kmalloc-" },
	{ __GFP_ACCOUNT, "kmalloc-cg-" },
	{ __GFP_RECLAIMABLE, "kmalloc-rcl-" },
	{ __GFP_RECLAIMABLE | __GFP_ACCOUNT, "kmalloc-rcl-" },
	{ __GFP_DMA, "dma-kmalloc-" },
	{ __GFP_DMA | __GFP_ACCOUNT, "dma-kmalloc-" },
	{ __GFP_DMA | __GFP_RECLAIMABLE, "dma-kmalloc-" },
	{ __GFP_DMA | __GFP_RECLAIMABLE | __GFP_ACCOUNT, "dma-kmalloc-" },
};

static const struct {
	size_t size;
	const char *name;
} classes[] = {
	{ 8, "8" }, { 16, "16" }, { 32, "32" }, { 64, "64" }, { 96, "96" }, { 128, "128" },
	{ 192, "192" }, { 256, "256" }, { 512, "512" }, { 1024, "1k" }, { 2048, "2k" },
	{ 4096, "4k" }, { 8192, "8k" },
};

static const char *cache_name(const void *object)
{
	return cache_of(object)->name;
}

static void expect_cache(struct kunit *test, void *object, const char *prefix, unsigned int i)
{
	char name[32];

	KUNIT_ASSERT_NOT_NULL(test, object);
	snprintf(name, sizeof(name), "%s%s", prefix, classes[i].name);
	KUNIT_EXPECT_STREQ(test, cache_name(object), name);
	KUNIT_EXPECT_EQ(test, ksize(object), classes[i].size);
	KUNIT_EXPECT_EQ(test, (unsigned long)object % (classes[i].size & -classes[i].size), 0);
	kfree(object);
}

/* Neither size nor flags are known to the compiler. */
static void test_types_by_variable(struct kunit *test)
{
	static volatile size_t size;
	static volatile gfp_t gfp;

	for (unsigned int kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
			const char *prefix = kinds[kind].prefix;

			gfp = GFP_ANY_KIND | kinds[kind].gfp;
			size = classes[i].size;
			expect_cache(test, kmalloc(size, gfp), prefix, i);
			expect_cache(test, kmalloc(size - 1 - size / 8, gfp), prefix, i);
			expect_cache(test, kmalloc_array(size / 8, 8, gfp), prefix, i);
			expect_cache(test, kmalloc_node(size, gfp, NUMA_NO_NODE), prefix, i);
			expect_cache(test, kmalloc_node(size, gfp, 0), prefix, i);
			expect_cache(test, krealloc(NULL, size, gfp), prefix, i);
			expect_cache(test, kmalloc(classes[i].size, gfp), prefix, i);
		}
}

/* Both are. */
static void test_types_by_constant(struct kunit *test)
{
#define EXPECT_CONSTANT(i, size)							\
	do {										\
		expect_cache(test, kmalloc(size, GFP_KERNEL), "kmalloc-", i);		\
		expect_cache(test, kmalloc(size, GFP_KERNEL_ACCOUNT), "kmalloc-cg-", i); \
		expect_cache(test, kzalloc(size, GFP_NOWAIT | __GFP_RECLAIMABLE),	\
			     "kmalloc-rcl-", i);					\
		expect_cache(test, kcalloc(1, size, GFP_KERNEL_ACCOUNT | GFP_DMA),	\
			     "dma-kmalloc-", i);					\
	} while (0)
	EXPECT_CONSTANT(0, 8);
	EXPECT_CONSTANT(1, 9);
	EXPECT_CONSTANT(4, 96);
	EXPECT_CONSTANT(5, 97);
	EXPECT_CONSTANT(6, 192);
	EXPECT_CONSTANT(7, 193);
	EXPECT_CONSTANT(12, 8192);
#undef EXPECT_CONSTANT
}

/* Sizes beyond the classes, and size 0, are the same for all kinds. */
static void test_types_of_odd_sizes(struct kunit *test)
{
	static volatile size_t zero = 0, large = 20000, huge = KMALLOC_MAX_SIZE + 1;

	for (unsigned int kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		gfp_t gfp = GFP_ANY_KIND | kinds[kind].gfp;
		void *block = kmalloc(large, gfp);

		KUNIT_EXPECT_PTR_EQ(test, kmalloc(zero, gfp), ZERO_SIZE_PTR);
		KUNIT_EXPECT_NULL(test, kmalloc(huge, gfp));
		KUNIT_ASSERT_NOT_NULL(test, block);
		KUNIT_EXPECT_EQ(test, ksize(block), 32768);
		kfree(block);
	}
}

/*
 * A block that moves gets the new request's kind; a block that fits stays in place, whatever the
 * new kind.
 */
static void test_types_of_krealloc(struct kunit *test)
{
	void *object = kmalloc(40, GFP_KERNEL_ACCOUNT), *same;

	KUNIT_ASSERT_NOT_NULL(test, object);
	same = krealloc(object, 64, GFP_KERNEL | __GFP_RECLAIMABLE);
	KUNIT_EXPECT_PTR_EQ(test, same, object);
	KUNIT_EXPECT_STREQ(test, cache_name(same), "kmalloc-cg-64");
	object = krealloc(same, 65, GFP_KERNEL | __GFP_RECLAIMABLE);
	expect_cache(test, object, "kmalloc-rcl-", 4);
}

/*
 * A cache of the same size and flags may be merged with the cache of its own kind, and of no other.
 */
static void test_types_merge_apart(struct kunit *test)
{
	static const struct {
		slab_flags_t flags;
		const char *name;
	} rows[] = {
		{ 0, "kmalloc-256" }, { SLAB_RECLAIM_ACCOUNT, "kmalloc-rcl-256" },
		{ SLAB_CACHE_DMA, "dma-kmalloc-256" }, { SLAB_ACCOUNT, "kmalloc-cg-256" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct slab_cache_request request = {
			.name = "merges", .size = 256, .flags = rows[i].flags, .may_merge = true,
		};
		struct kmem_cache *cache = slab_cache_create(&request);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_EXPECT_STREQ(test, cache->name, rows[i].name);
		kmem_cache_destroy(cache);
	}
}

/* --- Where slabs lie -------------------------------------------------------------- */

static enum zone_type zone_of(const void *object)
{
	return page_zone(virt_to_page(object))->index;
}

static struct kmem_cache *make(struct kunit *test, slab_flags_t flags)
{
	struct slab_cache_request request = { .name = "lies", .size = 520, .flags = flags };
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static void check_zone(struct kunit *test, void *object, enum zone_type type)
{
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, zone_of(object), type);
	kfree(object);
}

static void check_zones(struct kunit *test)
{
	static const struct {
		slab_flags_t flags;
		enum zone_type type;
	} rows[] = {
		{ 0, ZONE_NORMAL }, { SLAB_CACHE_DMA, ZONE_DMA }, { SLAB_CACHE_DMA32, ZONE_DMA32 },
		{ SLAB_RECLAIM_ACCOUNT | SLAB_CACHE_DMA32, ZONE_DMA32 },
	};

	check_zone(test, kmalloc(64, GFP_KERNEL), ZONE_NORMAL);
	check_zone(test, kmalloc(64, GFP_KERNEL | GFP_DMA), ZONE_DMA);
	check_zone(test, kmalloc(3000, GFP_KERNEL_ACCOUNT), ZONE_NORMAL);
	check_zone(test, kmalloc(20000, GFP_KERNEL | GFP_DMA), ZONE_DMA);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kmem_cache *cache = make(test, rows[i].flags);

		check_zone(test, kmem_cache_alloc(cache, GFP_KERNEL), rows[i].type);
		check_zone(test, kmem_cache_alloc_node(cache, GFP_KERNEL, 0), rows[i].type);
		kmem_cache_destroy(cache);
	}
}

/* A cache's slabs lie where its flags say; a request cannot send one elsewhere. */
static void check_request_has_no_say(struct kunit *test)
{
	static const gfp_t bits[] = { __GFP_DMA, __GFP_MOVABLE, __GFP_RECLAIMABLE };

	for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++) {
		struct kmem_cache *cache = make(test, 0);
		void *object = kmem_cache_alloc(cache, GFP_KERNEL | bits[i]);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(virt_to_page(object)),
				MIGRATE_UNMOVABLE);
		check_zone(test, object, ZONE_NORMAL);
		kmem_cache_destroy(cache);
	}
}

static void check_reclaimable(struct kunit *test)
{
	struct kmem_cache *cache = make(test, SLAB_RECLAIM_ACCOUNT);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	void *plain = kmalloc(64, GFP_KERNEL), *other = kmalloc(64, GFP_KERNEL | __GFP_RECLAIMABLE);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(virt_to_page(object)), MIGRATE_RECLAIMABLE);
	KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(virt_to_page(plain)), MIGRATE_UNMOVABLE);
	KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(virt_to_page(other)), MIGRATE_RECLAIMABLE);
	kfree(plain);
	kfree(other);
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
}

static void test_types_place_slabs(struct kunit *test)
{
	const char *zones = "zone_dma=8M:zone_dma32=16M:zone_normal=64M:zone_movable=32M";

	zones_run(test, zones, check_zones);
	zones_run(test, zones, check_request_has_no_say);
	zones_run(test, "zone_normal=64M", check_reclaimable);
}

static void use_impossible_zones(struct kunit *test, void *arg)
{
	static volatile size_t large = 20000;
	struct kmem_cache *cache = make(test, 0);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_HIGHMEM);
	void *block = kmalloc(large, GFP_KERNEL | __GFP_DMA32);

	(void)arg;
	KUNIT_EXPECT_NOT_NULL(test, object);
	KUNIT_EXPECT_NOT_NULL(test, block);
	kfree(block);
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
}

static void test_types_fix_impossible_zones(struct kunit *test)
{
	char highmem[80], dma32[80];

	snprintf(highmem, sizeof(highmem), "Unexpected gfp: 0x%x (__GFP_HIGHMEM). Fixing up to "
		 "gfp: 0x%x (GFP_KERNEL).", __GFP_HIGHMEM, GFP_KERNEL);
	snprintf(dma32, sizeof(dma32), "Unexpected gfp: 0x%x (GFP_DMA32).", __GFP_DMA32);
	CHILD_EXPECT_SUCCESS(test, use_impossible_zones, NULL, highmem, dma32, "Fix your code!");
}

/* --- Random copies ---------------------------------------------------------------- */

#define NR_SITES 64
#define SITE_1 object = kmalloc(size, gfp); sites[n++] = object;
#define SITE_4 SITE_1 SITE_1 SITE_1 SITE_1
#define SITE_16 SITE_4 SITE_4 SITE_4 SITE_4
#define SITE_64 SITE_16 SITE_16 SITE_16 SITE_16

/*
 * Allocates an object at each of so many places; notes which of the sixteen caches they come from.
 */
static unsigned int copies_used(struct kunit *test, void **sites, size_t size, gfp_t gfp)
{
	unsigned int n = 0, used = 0, copies = 0;
	void *object;

	SITE_64
	for (unsigned int i = 0; i < NR_SITES; i++) {
		unsigned int copy = 0;

		KUNIT_ASSERT_NOT_NULL(test, sites[i]);
		KUNIT_EXPECT_EQ(test, ksize(sites[i]), size);
		sscanf(cache_name(sites[i]), "kmalloc-rnd-%u-", &copy);
		used |= 1u << copy;
	}
	for (; used; used &= used - 1)
		copies++;
	return copies;
}

static void free_sites(void **sites)
{
	for (unsigned int i = 0; i < NR_SITES; i++)
		kfree(sites[i]);
}

/* 64 places miss a given one of 16 caches with a probability of 1/62. */
static void check_random(struct kunit *test)
{
	static const gfp_t others[] = { __GFP_ACCOUNT, __GFP_DMA, __GFP_RECLAIMABLE };
	void *first[NR_SITES], *second[NR_SITES];

	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
		KUNIT_EXPECT_GE(test, copies_used(test, first, classes[i].size, GFP_KERNEL), 8);
		copies_used(test, second, classes[i].size, GFP_KERNEL);
		for (unsigned int site = 0; site < NR_SITES; site++)
			KUNIT_EXPECT_STREQ_MSG(test, cache_name(first[site]),
					       cache_name(second[site]), "site %u", site);
		free_sites(first);
		free_sites(second);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_EQ(test, copies_used(test, first, 64, GFP_KERNEL | others[i]), 1);
		free_sites(first);
	}
}

static void check_random_is_merged_with_nobody(struct kunit *test)
{
	struct slab_cache_request request = { .name = "alone", .size = 512, .may_merge = true };
	struct kmem_cache *cache;

	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	cache = slab_cache_create(&request);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_STREQ(test, cache->name, "alone");
	kmem_cache_destroy(cache);
}

/*
 * Constant sizes, and the other calls that reach these caches; a freed object serves the same place
 * again.
 */
static void check_random_ways(struct kunit *test)
{
	unsigned int used = 0;

	for (unsigned int round = 0; round < 3; round++) {
		void *objects[] = {
			kmalloc(100, GFP_KERNEL), kmalloc(100, GFP_KERNEL),
			kzalloc(100, GFP_KERNEL), kcalloc(10, 10, GFP_KERNEL),
			kmalloc_node(100, GFP_KERNEL, 0), krealloc(NULL, 100, GFP_KERNEL),
			kmalloc(100, GFP_ATOMIC), kmalloc(100, GFP_NOWAIT),
			kmalloc(100, GFP_NOIO), kmalloc(100, GFP_NOFS),
			kmalloc_node(100, GFP_KERNEL, -1), kmalloc(100, GFP_USER),
		};

		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
			unsigned int copy = 0;

			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			memset(objects[i], 0x5a, 100);
			sscanf(cache_name(objects[i]), "kmalloc-rnd-%u-128", &copy);
			used |= 1u << copy;
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
			kfree(objects[i]);
	}
	KUNIT_EXPECT_TRUE_MSG(test, used & (used - 1), "only cache %#x of all", used);
}

static void check_not_random(struct kunit *test)
{
	void *sites[NR_SITES];

	KUNIT_EXPECT_EQ(test, copies_used(test, sites, 64, GFP_KERNEL), 1);
	free_sites(sites);
}

static void test_types_random(struct kunit *test)
{
	zones_run(test, "random_kmalloc_caches=on", check_random);
	zones_run(test, "random_kmalloc_caches=on", check_random_ways);
	zones_run(test, "random_kmalloc_caches=on", check_random_is_merged_with_nobody);
	zones_run(test, "random_kmalloc_caches=off", check_not_random);
}

/* Powers of two lie at multiples of themselves, whatever lies around them. */
static void check_alignment(struct kunit *test)
{
	for (size_t size = 8; size <= KMALLOC_MAX_CACHE_SIZE; size *= 2) {
		void *objects[20];

		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
			objects[i] = kmalloc(size, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			KUNIT_EXPECT_EQ_MSG(test, (unsigned long)objects[i] % size, 0, "%zu bytes",
					    size);
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
			kfree(objects[i]);
	}
}

static void test_types_are_aligned(struct kunit *test)
{
	static const char *const ways[] = {
		"slab_debug", "slab_debug=Z", "slab_debug=U", "random_kmalloc_caches=on",
		"kfence_sample=2",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++)
		zones_run(test, ways[i], check_alignment);
}

/* Those that need options run first, in children: here the library is not up yet. */
static struct kunit_case cases[] = {
	KUNIT_CASE(test_types_place_slabs),
	KUNIT_CASE(test_types_random),
	KUNIT_CASE(test_types_are_aligned),
	KUNIT_CASE(test_types_by_variable),
	KUNIT_CASE(test_types_by_constant),
	KUNIT_CASE(test_types_of_odd_sizes),
	KUNIT_CASE(test_types_of_krealloc),
	KUNIT_CASE(test_types_merge_apart),
	KUNIT_CASE(test_types_fix_impossible_zones),
	{ 0 },
};

static struct kunit_suite suite = { .name = "kmalloc-types", .test_cases = cases };

kunit_test_suite(suite);
