/* SPDX-License-Identifier: MIT */
/* slab_freelist_random=, slab_freelist_hardened=, init_on_alloc=, init_on_free=. */
#include "slab/clearing.h"
#include "slab/debug/debug_object.h"
#include "slab/random.h"
#include "slab/slab_free.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"
#include "support/slabs.h"
#include "support/zones.h"

static const unsigned int sizes[] = { 8, 16, 24, 40, 64, 200, 1024, 3000, 8192, 20000 };

static unsigned int nr_constructed;

static void construct(void *object)
{
	nr_constructed++;
	memset(object, 0xc7, 8);
}

static struct kmem_cache *make(struct kunit *test, unsigned int size, slab_flags_t flags,
			       void (*ctor)(void *))
{
	struct slab_cache_request request = {
		.name = "hard", .size = size, .flags = flags, .ctor = ctor,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static unsigned int index_of(const struct kmem_cache *cache, const struct page *slab,
			     const void *object)
{
	const char *first = (const char *)page_address(slab) + cache->red_left_pad;

	return (unsigned int)(((const char *)object - first) / cache->size);
}

static void discard(struct kmem_cache *cache, struct page *slab)
{
	LIST_HEAD(slabs);

	list_add(&slab->lru, &slabs);
	slab_discard_list(cache, &slabs);
}

/* --- Order ---------------------------------------------------------------------- */

/* Numbers of a new slab's objects in the order of its list. */
static void read_order(struct kunit *test, struct kmem_cache *cache, unsigned int *order)
{
	struct page *slab = slab_new(cache, GFP_KERNEL, -1);
	void *object;
	unsigned int nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, slab);
	object = slab->freelist;
	for (; object && !is_slab_token(object) && nr < cache->objects; nr++) {
		order[nr] = index_of(cache, slab, object);
		object = slab_link_read(cache, object);
	}
	KUNIT_EXPECT_PTR_EQ(test, object,
			    cache_is_debugged(cache) ? NULL : slab_token(page_address(slab)));
	KUNIT_EXPECT_EQ(test, nr, cache->objects);
	discard(cache, slab);
}

static void check_permutation(struct kunit *test, struct kmem_cache *cache)
{
	static unsigned int order[SLAB_OBJECTS_MAX];
	static bool seen[SLAB_OBJECTS_MAX];
	unsigned int in_order = 0;

	memset(seen, 0, sizeof(seen));
	nr_constructed = 0;
	read_order(test, cache, order);
	KUNIT_EXPECT_EQ(test, nr_constructed, cache->ctor ? cache->objects : 0u);
	for (unsigned int i = 0; i < cache->objects; i++) {
		KUNIT_ASSERT_LT(test, order[i], cache->objects);
		KUNIT_EXPECT_FALSE(test, seen[order[i]]);
		seen[order[i]] = true;
		in_order += i && order[i] == order[i - 1] + 1;
	}
	/* One is expected; so many has a probability below 10^-20. */
	KUNIT_EXPECT_LT_MSG(test, in_order, 25, "of %u", cache->objects);
}

static void check_permutations(struct kunit *test)
{
	static const slab_flags_t debug[] = {
		0, SLAB_RED_ZONE, USERMM_SLAB_DEBUG_FLAGS & ~SLAB_TRACE,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned int k = 0; k < ARRAY_SIZE(debug); k++) {
			struct kmem_cache *plain = make(test, sizes[i], debug[k], NULL);
			struct kmem_cache *built = make(test, sizes[i], debug[k], construct);

			check_permutation(test, plain);
			check_permutation(test, built);
			kmem_cache_destroy(plain);
			kmem_cache_destroy(built);
		}
}

/*
 * Each object comes first, and follows object 0, as often as any other. The sums of squares have
 * about as many degrees of freedom as there are objects, n; chance never exceeds n + 8 * sqrt(2 *
 * n).
 */
static void check_uniform(struct kunit *test)
{
	enum { EACH = 150 };
	struct kmem_cache *cache = make(test, 1024, 0, NULL);
	unsigned int n = cache->objects, first[64] = { 0 }, second[64] = { 0 }, order[64];
	double sum_first = 0, sum_second = 0, limit;

	KUNIT_ASSERT_LE(test, n, 64);
	KUNIT_ASSERT_GE(test, n, 4);
	for (unsigned int slab = 0; slab < n * EACH; slab++) {
		read_order(test, cache, order);
		first[order[0]]++;
		for (unsigned int i = 0; i < n - 1; i++)
			if (!order[i])
				second[order[i + 1]]++;
	}
	for (unsigned int i = 0; i < n; i++) {
		double expected = i ? (double)EACH : 0;

		sum_first += ((double)first[i] - EACH) * ((double)first[i] - EACH) / EACH;
		sum_second += ((double)second[i] - expected) * ((double)second[i] - expected) /
			      EACH;
	}
	limit = n + 8 * 1.4143 * n;
	KUNIT_EXPECT_LT(test, sum_first, limit);
	KUNIT_EXPECT_LT(test, sum_second, limit);
	kmem_cache_destroy(cache);
}

#define NR_LIVE 600

/* Objects of all sizes come and go, each with its owner's stamp. */
static void check_life(struct kunit *test)
{
	static unsigned long *live[NR_LIVE];
	struct kmem_cache *caches[2 * ARRAY_SIZE(sizes)];
	struct prng prng = { 7 };

	for (unsigned int i = 0; i < ARRAY_SIZE(caches); i++)
		caches[i] = make(test, sizes[i / 2], 0, i % 2 ? construct : NULL);
	for (unsigned int step = 0; step < 60000; step++) {
		unsigned int slot = (unsigned int)prng_below(&prng, NR_LIVE);
		struct kmem_cache *cache = caches[slot % ARRAY_SIZE(caches)];

		if (live[slot]) {
			KUNIT_EXPECT_EQ(test, *live[slot], (unsigned long)&live[slot]);
			memset(live[slot], 0xc7, 8);
			kmem_cache_free(cache, live[slot]);
			live[slot] = NULL;
			continue;
		}
		live[slot] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, live[slot]);
		if (cache->ctor)
			KUNIT_EXPECT_EQ(test, *live[slot], 0xc7c7c7c7c7c7c7c7UL);
		*live[slot] = (unsigned long)&live[slot];
	}
	for (unsigned int slot = 0; slot < NR_LIVE; slot++)
		if (live[slot])
			kmem_cache_free(caches[slot % ARRAY_SIZE(caches)], live[slot]);
	for (unsigned int i = 0; i < ARRAY_SIZE(caches); i++)
		kmem_cache_destroy(caches[i]);
}

static void test_hardening_order(struct kunit *test)
{
	zones_run(test, "slab_freelist_random=on", check_permutations);
	zones_run(test, "slab_freelist_random=on:slab_freelist_hardened=on", check_permutations);
	zones_run(test, "slab_freelist_random=on", check_uniform);
}

static void test_hardening_life(struct kunit *test)
{
	zones_run(test, "slab_freelist_random=on", check_life);
	zones_run(test, "slab_cpu_cache=sheaf:slab_freelist_hardened=on", check_life);
	zones_run(test, "init_on_free=1", check_life);
	zones_run(test, "slab_freelist_random=on:slab_freelist_hardened=on:init_on_alloc=1:"
		  "init_on_free=1:random_kmalloc_caches=on", check_life);
}

/* --- Links ---------------------------------------------------------------------- */

#define NR_FREED 6

/* Takes so many objects of one slab, and frees all of them into it, the first one last. */
static void free_into_slab(struct kunit *test, struct kmem_cache *cache, void **objects)
{
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	for (unsigned int i = 0; i < NR_FREED; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		KUNIT_ASSERT_PTR_EQ(test, slab_of(cache, objects[i]),
				    slab_of(cache, objects[0]));
	}
	for (unsigned int i = NR_FREED; i-- > 0;)
		slab_return_objects(cache, &objects[i], 1);
}

static void check_encoded(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= 3000; i++) {
		struct kmem_cache *cache = make(test, sizes[i], 0, NULL);
		struct kmem_cache *other = make(test, sizes[i], 0, NULL);
		void *objects[NR_FREED];
		unsigned int same = 0;

		free_into_slab(test, cache, objects);
		for (unsigned int k = 0; k < NR_FREED - 1; k++) {
			unsigned long word = *slab_link_word(cache, objects[k]);

			KUNIT_EXPECT_PTR_EQ(test, slab_link_read(cache, objects[k]),
					    objects[k + 1]);
			KUNIT_EXPECT_FALSE(test, mm_is_online((void *)word));
			KUNIT_EXPECT_NE(test, word, 0UL);
			same += (word ^ (unsigned long)objects[k + 1]) ==
				(*slab_link_word(cache, objects[0]) ^ (unsigned long)objects[1]);
		}
		KUNIT_EXPECT_EQ_MSG(test, same, 1, "each word has a key of its own");
		KUNIT_EXPECT_NE(test, cache->random, other->random);
		kmem_cache_destroy(cache);
		kmem_cache_destroy(other);
	}
}

static void check_plain(struct kunit *test)
{
	struct kmem_cache *cache = make(test, 64, 0, NULL);
	void *objects[NR_FREED];

	free_into_slab(test, cache, objects);
	for (unsigned int k = 0; k < NR_FREED - 1; k++)
		KUNIT_EXPECT_EQ(test, *slab_link_word(cache, objects[k]),
				(unsigned long)objects[k + 1]);
	KUNIT_EXPECT_EQ(test, cache->random, 0UL);
	kmem_cache_destroy(cache);
}

/* The word that is written over the link of objects[1]. */
static unsigned long overwritten(const struct kmem_cache *cache, void **objects, unsigned int how)
{
	unsigned long word = *slab_link_word(cache, objects[1]);

	switch (how) {
	case 0:
		return 0;
	case 1:
		return (unsigned long)objects[4];		/* an object, but in plain */
	case 2:
		return word ^ 1;
	case 3:
		return word ^ 1UL << 63;
	case 4:
		return *slab_link_word(cache, objects[2]);	/* copied from elsewhere */
	default:
		return word + slab_mask_of(cache) + 1;
	}
}

#define NR_WAYS 6

struct overwriting {
	unsigned int size, how;
	bool deferred;
};

static void overwrite(struct kunit *test, void *arg)
{
	const struct overwriting *row = arg;
	struct kmem_cache *cache = make(test, row->size, 0, NULL);
	void *objects[NR_FREED];

	free_into_slab(test, cache, objects);
	if (row->deferred) {
		for (unsigned int i = 0; i < NR_FREED; i++)
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		for (unsigned int i = NR_FREED; i-- > 0;)
			slab_defer_object(cache, slab_node_of(cache, slab_of(cache, objects[i])),
					  objects[i]);
	}
	*slab_link_word(cache, objects[1]) = overwritten(cache, objects, row->how);
	for (unsigned int i = 0; i < cache->objects; i++)
		KUNIT_EXPECT_NOT_NULL(test, kmem_cache_alloc(cache, GFP_KERNEL));
}

/* The report names the object with the link, or the address that the slab's freelist then has. */
static void check_overwritten(struct kunit *test)
{
	static const unsigned int victim_sizes[] = { 8, 64, 1000 };
	struct overwriting row;

	for (unsigned int i = 0; i < ARRAY_SIZE(victim_sizes); i++)
		for (row.how = 0; row.how < NR_WAYS; row.how++) {
			row.size = victim_sizes[i];
			row.deferred = false;
			CHILD_EXPECT_DEATH(test, overwrite, &row, "usermm: ",
					   "Freechain corrupt: ", " hard");
			row.deferred = true;
			CHILD_EXPECT_DEATH(test, overwrite, &row, "usermm: ",
					   "Freechain corrupt: ", " hard");
		}
}

/* An object of 8 bytes has no mark while it is in its slab. */
static void free_head(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = make(test, 8, 0, NULL);
	void *objects[NR_FREED];

	(void)arg;
	free_into_slab(test, cache, objects);
	slab_return_objects(cache, &objects[0], 1);
}

static void check_head(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, free_head, NULL, "usermm: BUG: object ", "double free");
}

static void overwrite_checked(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = make(test, 64, SLAB_CONSISTENCY_CHECKS | SLAB_NO_USER_FLAGS,
					NULL);
	void *objects[NR_FREED];

	(void)arg;
	for (unsigned int i = 0; i < NR_FREED; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned int i = 0; i < NR_FREED; i++)
		kmem_cache_free(cache, objects[i]);
	*slab_link_word(cache, objects[3]) = (unsigned long)objects[1];
	validate_slab_cache(cache);
	for (unsigned int i = 0; i < NR_FREED; i++)
		KUNIT_EXPECT_NOT_NULL(test, kmem_cache_alloc(cache, GFP_KERNEL));
}

/* With checks it is reported and repaired, and the program goes on. */
static void check_checked(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, overwrite_checked, NULL, "BUG hard (Not tainted): Free");
}

static void test_hardening_links(struct kunit *test)
{
	zones_run(test, "slab_cpu_cache=sheaf:slab_freelist_hardened=on", check_encoded);
	zones_run(test, "slab_cpu_cache=sheaf:slab_freelist_hardened=on", check_overwritten);
	zones_run(test, "slab_cpu_cache=sheaf:slab_freelist_hardened=on", check_head);
	zones_run(test, "slab_cpu_cache=sheaf:slab_freelist_hardened=on", check_checked);
	zones_run(test, "slab_freelist_hardened=off", check_plain);
}

/* --- Clearing --------------------------------------------------------------------- */

#define FILL 0x5e

static bool all_bytes(const void *object, size_t from, size_t to, u8 value)
{
	return shadow_all_bytes((const u8 *)object + from, to - from, value);
}

#define NR_CLEARED 150

typedef void *(*alloc_fn)(struct kmem_cache *cache);

static void *alloc_plain(struct kmem_cache *cache)
{
	return kmem_cache_alloc(cache, GFP_KERNEL);
}

static void *alloc_of_node(struct kmem_cache *cache)
{
	return kmem_cache_alloc_node(cache, GFP_KERNEL, 0);
}

static void *alloc_as_kmalloc(struct kmem_cache *cache)
{
	return kmalloc(cache->object_size, GFP_KERNEL);
}

static void *alloc_as_kmalloc_of_node(struct kmem_cache *cache)
{
	return kmalloc_node(cache->object_size, GFP_KERNEL_ACCOUNT, 0);
}

static void *alloc_as_bulk(struct kmem_cache *cache)
{
	void *object = NULL;

	return kmem_cache_alloc_bulk(cache, GFP_KERNEL, 1, &object) ? object : NULL;
}

static void *alloc_from_sheaf(struct kmem_cache *cache)
{
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 1);
	void *object = sheaf ? kmem_cache_alloc_from_sheaf(cache, GFP_KERNEL, sheaf) : NULL;

	if (sheaf)
		kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
	return object;
}

/* Takes, fills and frees so many objects: are all cleared when they are allocated again? */
static bool comes_cleared(struct kunit *test, struct kmem_cache *cache, alloc_fn alloc)
{
	void *objects[NR_CLEARED];
	bool cleared = true;

	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < NR_CLEARED; i++) {
			objects[i] = alloc(cache);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			cleared &= all_bytes(objects[i], 0, cache->object_size, 0);
			memset(objects[i], FILL, cache->object_size);
		}
		for (unsigned int i = 0; i < NR_CLEARED; i++)
			kfree(objects[i]);
	}
	return cleared;
}

static void check_cleared_when_allocated(struct kunit *test)
{
	static const alloc_fn ways[] = {
		alloc_plain, alloc_of_node, alloc_as_kmalloc, alloc_as_kmalloc_of_node,
		alloc_as_bulk, alloc_from_sheaf,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned int way = 0; way < ARRAY_SIZE(ways); way++) {
			struct kmem_cache *cache = make(test, sizes[i], 0, NULL);

			KUNIT_EXPECT_TRUE_MSG(test, comes_cleared(test, cache, ways[way]),
					      "%u bytes, way %u", sizes[i], way);
			kmem_cache_destroy(cache);
		}
}

static void check_debugged_of(struct kunit *test, slab_flags_t flags, unsigned int size)
{
	static const alloc_fn ways[] = {
		alloc_plain, alloc_of_node, alloc_as_bulk, alloc_from_sheaf,
	};

	for (unsigned int way = 0; way < ARRAY_SIZE(ways); way++) {
		struct kmem_cache *cache = make(test, size, flags | SLAB_NO_USER_FLAGS, NULL);

		KUNIT_EXPECT_TRUE_MSG(test, comes_cleared(test, cache, ways[way]),
				      "flags %#x, %u bytes, way %u", flags, size, way);
		validate_slab_cache(cache);
		kmem_cache_destroy(cache);
	}
}

static void check_debugged_cleared(struct kunit *test)
{
	static const slab_flags_t flags[] = {
		SLAB_CONSISTENCY_CHECKS, SLAB_RED_ZONE, SLAB_STORE_USER,
		SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_STORE_USER,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++)
		for (unsigned int k = 0; k < ARRAY_SIZE(sizes); k++)
			check_debugged_of(test, flags[i], sizes[k]);
}

/* Bytes that realloc gives up within an object, or a block of pages, are cleared. */
static void check_given_up(struct kunit *test)
{
	for (size_t size = 2; size <= 40000; size += 1 + size / 3) {
		unsigned char *object = kmalloc(size, GFP_KERNEL);
		size_t bytes, less = size / 2;

		KUNIT_ASSERT_NOT_NULL(test, object);
		bytes = ksize(object);
		KUNIT_EXPECT_EQ(test, bytes, kmalloc_size_roundup(size));
		memset(object, FILL, bytes);
		KUNIT_ASSERT_PTR_EQ(test, krealloc(object, less, GFP_KERNEL), object);
		KUNIT_EXPECT_TRUE(test, all_bytes(object, 0, less, FILL));
		KUNIT_EXPECT_TRUE_MSG(test, all_bytes(object, less, bytes, 0), "%zu bytes", size);
		object = krealloc(object, bytes + 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_TRUE(test, all_bytes(object, 0, less, FILL));
		KUNIT_EXPECT_TRUE(test, all_bytes(object, less, bytes + 1, 0));
		kfree_sensitive(object);
	}
}

/* Objects with a constructor, of RCU caches, and with poison are not cleared. */
static void check_exceptions(struct kunit *test)
{
	struct kmem_cache *built = make(test, 64, 0, construct);
	struct kmem_cache *read = make(test, 64, SLAB_TYPESAFE_BY_RCU, NULL);
	struct kmem_cache *filled = make(test, 64, SLAB_POISON | SLAB_NO_USER_FLAGS, NULL);
	unsigned char *object = kmem_cache_alloc(built, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_TRUE(test, all_bytes(object, 0, 8, 0xc7));
	kmem_cache_free(built, object);
	KUNIT_EXPECT_TRUE(test, all_bytes(object, 0, 8, 0xc7));

	object = kmem_cache_alloc(read, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	memset(object, FILL, 64);
	kmem_cache_free(read, object);
	KUNIT_EXPECT_TRUE(test, all_bytes(object, 0, 64, FILL));
	KUNIT_EXPECT_PTR_EQ(test, kmem_cache_alloc(read, GFP_KERNEL), object);
	KUNIT_EXPECT_TRUE(test, all_bytes(object, 0, 64, FILL));
	kmem_cache_free(read, object);

	object = kmem_cache_alloc(filled, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	kmem_cache_free(filled, object);
	KUNIT_EXPECT_TRUE(test, all_bytes(object, 0, 63, 0x6b));
	kmem_cache_destroy(built);
	kmem_cache_destroy(read);
	kmem_cache_destroy(filled);
}

/* A freed object contains only its mark and its link, in the first two words. */
static void check_cleared_when_freed(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = make(test, sizes[i], 0, NULL);
		void *objects[NR_CLEARED];

		for (unsigned int k = 0; k < NR_CLEARED; k++) {
			objects[k] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objects[k]);
			memset(objects[k], FILL, ksize(objects[k]));
		}
		/* The last one is another's: its slab stays. */
		for (unsigned int k = 0; k < NR_CLEARED - 1; k++)
			kmem_cache_free(cache, objects[k]);
		if (cache_of(objects[0]) == cache)
			KUNIT_EXPECT_TRUE(test, all_bytes(objects[0], 16, cache->size, 0));
		KUNIT_EXPECT_TRUE(test, all_bytes(objects[NR_CLEARED - 1], 0, sizes[i], FILL));
		KUNIT_EXPECT_TRUE(test, all_bytes(objects[NR_CLEARED - 2], 16, cache->size, 0));
		kmem_cache_free(cache, objects[NR_CLEARED - 1]);
		kmem_cache_destroy(cache);
	}
}

/* page_poison=1 takes precedence over both, as in Linux. Without an option nothing is cleared. */
static void check_not_cleared(struct kunit *test)
{
	struct kmem_cache *cache = make(test, 64, 0, NULL);

	KUNIT_EXPECT_FALSE(test, comes_cleared(test, cache, alloc_plain));
	KUNIT_EXPECT_TRUE(test, test_cache_is_fast(cache));
	kmem_cache_destroy(cache);
}

/* A second free is noticed as ever. */
static void free_twice(struct kunit *test, void *arg)
{
	void *object = kmalloc(64, GFP_KERNEL);

	(void)test;
	(void)arg;
	kfree(object);
	kfree(object);
}

static void check_free_twice(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, free_twice, NULL, "usermm: kfree(", "double free");
}

static void test_hardening_clears(struct kunit *test)
{
	zones_run(test, "init_on_alloc=1", check_cleared_when_allocated);
	zones_run(test, "init_on_free=1", check_cleared_when_allocated);
	zones_run(test, "init_on_free=1:slab_freelist_random=on", check_cleared_when_allocated);
	zones_run(test, "init_on_alloc=1", check_given_up);
	zones_run(test, "init_on_alloc=1:slab_debug=F", check_given_up);
	zones_run(test, "init_on_alloc=1", check_debugged_cleared);
	zones_run(test, "init_on_free=1", check_debugged_cleared);
	zones_run(test, "init_on_alloc=1:init_on_free=1", check_exceptions);
	zones_run(test, "init_on_free=1", check_cleared_when_freed);
	zones_run(test, "init_on_free=1", check_free_twice);
	zones_run(test, "page_poison=1:init_on_alloc=1:init_on_free=1", check_not_cleared);
	zones_run(test, "stats=0", check_not_cleared);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_hardening_order),
	KUNIT_CASE(test_hardening_life),
	KUNIT_CASE(test_hardening_links),
	KUNIT_CASE(test_hardening_clears),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-hardening", .test_cases = cases };

kunit_test_suite(suite);
