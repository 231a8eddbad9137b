/* SPDX-License-Identifier: MIT */
/* Makes kmalloc's caches. See kmalloc.h. */
#include "slab/kmalloc/kmalloc.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "slab/debug/debug.h"
#include "slab/random.h"
#include "slab/slab_fast.h"

/* These copies and the plain cache make 2^RANDOM_BITS. cf. Linux RANDOM_KMALLOC_CACHES_NR */
#define RANDOM_COPIES 15
#define RANDOM_BITS 4
/* 2^64 divided by the golden ratio: spreads addresses over the upper bits. */
#define GOLDEN_RATIO_64 0x61c8864680b583ebUL

static const struct {
	const char *name;
	unsigned int size;
	unsigned int align;
} kmalloc_table[KMALLOC_CLASSES] = {
	{ "8", 8, 8 },		{ "16", 16, 16 },	{ "32", 32, 32 },
	{ "64", 64, 64 },	{ "96", 96, 32 },	{ "128", 128, 128 },
	{ "192", 192, 64 },	{ "256", 256, 256 },	{ "512", 512, 512 },
	{ "1k", 1024, 1024 },	{ "2k", 2048, 2048 },	{ "4k", 4096, 4096 },
	{ "8k", 8192, 8192 },
};

static const struct {
	const char *prefix;
	slab_flags_t flags;
} kinds[NR_KMALLOC_TYPES] = {
	[KMALLOC_NORMAL] = { "kmalloc-", 0 },
	[KMALLOC_RECLAIM] = { "kmalloc-rcl-", SLAB_RECLAIM_ACCOUNT },
	[KMALLOC_DMA] = { "dma-kmalloc-", SLAB_CACHE_DMA },
	[KMALLOC_CGROUP] = { "kmalloc-cg-", SLAB_ACCOUNT },
};

struct kmem_cache kmalloc_caches[KMALLOC_CACHES] __large_bss;

/* Sync: written by kmalloc_setup(), constant afterwards */
static struct kmem_cache random_caches[RANDOM_COPIES][KMALLOC_CLASSES] __large_bss;
static unsigned long random_seed;
static bool is_random;

static void setup_class(struct kmem_cache *cache, const char *prefix, unsigned int size_class,
			slab_flags_t flags)
{
	char name[CACHE_NAME_BYTES];

	fmt_format(name, sizeof(name), "%s%s", prefix, kmalloc_table[size_class].name);
	slab_cache_setup(cache, name, kmalloc_table[size_class].size,
			 kmalloc_table[size_class].align, flags | SLAB_KMALLOC, NULL);
	cache->refcount = 1;		/* other caches may be merged with it */
}

static void setup_random(void)
{
	char prefix[CACHE_NAME_BYTES];

	for (unsigned int copy = 0; copy < RANDOM_COPIES; copy++) {
		fmt_format(prefix, sizeof(prefix), "kmalloc-rnd-%02u-", copy + 1);
		for (unsigned int i = 0; i < KMALLOC_CLASSES; i++)
			setup_class(&random_caches[copy][i], prefix, i, SLAB_NO_MERGE);
	}
	/* From here on every kmalloc() takes the slow path, which looks at the caller. */
	for (unsigned int i = 0; i < KMALLOC_CLASSES; i++)
		cache_show_sheaf(&kmalloc_caches[i], NULL);
	random_seed = slab_random_number();
	is_random = true;
}

void kmalloc_setup(void)
{
	bool random = options.random_kmalloc_caches;

	for (unsigned int i = 0; i < KMALLOC_CACHES; i++) {
		unsigned int kind = i / KMALLOC_CLASSES;
		slab_flags_t flags = kinds[kind].flags;

		if (random && kind == KMALLOC_NORMAL)
			flags |= SLAB_NO_MERGE;
		setup_class(&kmalloc_caches[i], kinds[kind].prefix, i % KMALLOC_CLASSES, flags);
		ASSERT(!kmalloc_caches[i].own_sheaf ||
		       kmalloc_caches[i].byte_marks ==
			       (kmalloc_caches[i].size > KMALLOC_SMALL_BYTES));
	}
	if (random)
		setup_random();
}

/* One of the 16 caches: the plain one or a copy. cf. Linux kmalloc_type() */
static struct kmem_cache *pick_random(unsigned int size_class, const void *caller)
{
	unsigned long hash = ((unsigned long)caller ^ random_seed) * GOLDEN_RATIO_64;
	unsigned int copy = (unsigned int)(hash >> (64 - RANDOM_BITS));

	return copy ? &random_caches[copy - 1][size_class] : &kmalloc_caches[size_class];
}

struct kmem_cache *kmalloc_cache(unsigned int index, const void *caller)
{
	if (is_random && index < KMALLOC_CLASSES)
		return pick_random(index, caller);
	return &kmalloc_caches[index];
}

unsigned int kmalloc_class_bytes(unsigned int size_class)
{
	return kmalloc_table[size_class].size;
}

FOR_KERNEL(kmalloc_caches);
