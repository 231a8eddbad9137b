/* SPDX-License-Identifier: MIT */
/* Memory in holes, and caches whose slabs have more pages than a hole. */
#ifndef TESTS_SLAB_SMALL_SLABS_H
#define TESTS_SLAB_SMALL_SLABS_H

#include "slab/debug/debug.h"
#include "slab/small_slab.h"
#include "support/kernel.h"
#include "support/slabs.h"
#include "support/zones.h"

#define ZONE "nodes=1:zone_normal=16M:pcp=off:background=off"
#define ZONE_PAGES MIB_PAGES(16)

static struct page *held[ZONE_PAGES];
static unsigned long nr_held;

/* One of each two neighbours of the order is free; no block is left in the reserves. */
static void scatter(struct kunit *test, unsigned int order)
{
	unsigned long kept = 0;

	while (nr_held < ZONE_PAGES &&
	       (held[nr_held] = alloc_page(GFP_NOWAIT | __GFP_MEMALLOC | __GFP_NOWARN)))
		nr_held++;
	KUNIT_ASSERT_GT(test, nr_held, ZONE_PAGES / 2);
	for (unsigned long i = 0; i < nr_held; i++)
		if (page_to_pfn(held[i]) >> order & 1)
			__free_page(held[i]);
		else
			held[kept++] = held[i];
	nr_held = kept;
}

static void let_go(unsigned long nr)
{
	while (nr-- && nr_held)
		__free_page(held[--nr_held]);
}

/* All memory is free except one slab, which has the caches' own structures. */
static void check_all_free(struct kunit *test)
{
	let_go(ZONE_PAGES);
	KUNIT_EXPECT_GE(test, zone_at(0, ZONE_NORMAL)->free_pages, ZONE_PAGES - 8);
	zones_check_lists(test);
}

static void construct(void *object)
{
	memset(object, 0x33, 24);
}

struct kind {
	const char *text;
	unsigned int size, align;
	slab_flags_t flags;
	bool ctor;
	unsigned int hole;	/* order */
};

/* Sizes that divide a page, others of many factors of two and of few, and marks of each kind. */
static const struct kind kinds[] = {
	{ "400", 400, 0, 0, false, 0 },
	{ "512", 512, 0, 0, false, 0 },
	{ "4096", 4096, 0, 0, false, 0 },
	{ "8192", 8192, 0, 0, false, 1 },
	{ "640", 640, 0, 0, false, 0 },
	{ "1000", 1000, 0, 0, false, 0 },
	{ "1536", 1536, 0, 0, false, 0 },
	{ "2560", 2560, 0, 0, false, 1 },
	{ "3000", 3000, 0, 0, false, 1 },
	{ "5000", 5000, 0, 0, false, 2 },
	{ "aligned", 700, 256, 0, false, 0 },
	{ "constructed", 1000, 0, 0, true, 0 },
	{ "debugged", 1000, 0, SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON, false, 1 },
	{ "debugged with owners", 600, 0,
	  SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER, false, 0 },
	{ "debugged and constructed", 1000, 0, SLAB_CONSISTENCY_CHECKS | SLAB_POISON, true, 1 },
};

static void describe_kind(const struct kind *kind, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", kind->text);
}

static const struct kind *kind_now;

KUNIT_ARRAY_PARAM(kind, kinds, describe_kind);

static struct kmem_cache *cache_of_kind(struct kunit *test, const struct kind *kind)
{
	struct kmem_cache *cache = kmem_cache_create("small_slabs", kind->size, kind->align,
						     kind->flags | SLAB_NO_MERGE,
						     kind->ctor ? construct : NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	cache->counts = true;
	KUNIT_ASSERT_GT(test, cache->order, kind->hole);
	KUNIT_ASSERT_LE(test, cache->min_order, kind->hole);
	return cache;
}

static unsigned long fallbacks(const struct kmem_cache *cache)
{
	return cache->counters.nr[SLAB_ORDER_FALLBACK];
}

static int slab_errors;

static bool count_error(void)
{
	slab_errors++;
	return true;
}

static bool counts_errors(void)
{
	return true;
}

/* In children too, where no case is running. */
static int count_errors(struct kunit *test)
{
	(void)test;
	slab_debug_hooks.count_error = count_error;
	slab_debug_hooks.counts_errors = counts_errors;
	return 0;
}

static int errors_of_validation(struct kmem_cache *cache)
{
	slab_errors = 0;
	validate_slab_cache(cache);
	return slab_errors;
}

#endif
