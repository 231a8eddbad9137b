/* SPDX-License-Identifier: MIT */
/* A cache's attributes: all that Linux has, their numbers, and which of them may be written. */
#include <errno.h>

#include "slab/debug/debug.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "usermm/stats.h"

#define NR_OBJECTS 300

static struct kmem_cache *make(struct kunit *test, const char *name, slab_flags_t flags)
{
	struct slab_cache_request request = {
		.name = name, .size = 200, .flags = flags | SLAB_NO_USER_FLAGS,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static const char *attributes_of(struct kunit *test, const char *cache)
{
	static char text[8000];
	FILE *file = tmpfile();
	size_t length;

	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_ASSERT_EQ(test, usermm_print_slab_attributes(fileno(file), cache), 0);
	rewind(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

/* The rest of the attribute's line; NULL if it has none. */
static const char *find(const char *text, const char *attribute)
{
	size_t length = strlen(attribute);

	for (; *text; text = strchr(text, '\n') + 1)
		if (!strncmp(text, attribute, length) && text[length] == ' ')
			return text + length + 1;
	return NULL;
}

static long value(struct kunit *test, const char *cache, const char *attribute)
{
	const char *text = find(attributes_of(test, cache), attribute);

	KUNIT_ASSERT_NOT_NULL_MSG(test, text, "%s", attribute);
	return strtol(text, NULL, 10);
}

static const char *const always[] = {
	"slab_size", "object_size", "objs_per_slab", "order", "min_partial", "cpu_partial",
	"objects_partial", "partial", "cpu_slabs", "aliases", "align", "hwcache_align",
	"reclaim_account", "destroy_by_rcu", "slabs_cpu_partial", "total_objects", "objects",
	"slabs", "sanity_checks", "trace", "red_zone", "poison", "store_user", "cache_dma",
	"failslab", "usersize", "remote_node_defrag_ratio",
};

static const char *const counters[] = {
	"alloc_fastpath", "alloc_slowpath", "free_fastpath", "free_slowpath", "free_frozen",
	"free_add_partial", "free_remove_partial", "alloc_from_partial", "alloc_slab",
	"alloc_refill", "alloc_node_mismatch", "free_slab", "cpuslab_flush", "deactivate_full",
	"deactivate_empty", "deactivate_to_head", "deactivate_to_tail",
	"deactivate_remote_frees", "deactivate_bypass", "order_fallback",
	"cmpxchg_double_cpu_fail", "cmpxchg_double_fail", "cpu_partial_alloc",
	"cpu_partial_free", "cpu_partial_node", "cpu_partial_drain",
};

static void test_attributes_names(struct kunit *test)
{
	struct kmem_cache *watched = make(test, "watched", SLAB_RED_ZONE);
	struct kmem_cache *plain = make(test, "plain", 0);
	const char *text = attributes_of(test, "watched");

	for (unsigned int i = 0; i < ARRAY_SIZE(always); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, find(text, always[i]), "%s", always[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(counters); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, find(text, counters[i]), "%s", counters[i]);
	text = attributes_of(test, "plain");
	for (unsigned int i = 0; i < ARRAY_SIZE(always); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, find(text, always[i]), "%s", always[i]);
	/* Calls on the fast path are not counted. */
	KUNIT_EXPECT_NULL(test, find(text, "alloc_fastpath"));
	KUNIT_EXPECT_NULL(test, find(text, "free_fastpath"));
	kmem_cache_destroy(plain);
	kmem_cache_destroy(watched);
}

/* The counters after random allocations and frees. */
static void test_attributes_counters(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "watched", SLAB_CONSISTENCY_CHECKS);
	long allocations = 0, frees = 0, made, gone;
	void *objects[NR_OBJECTS] = { NULL };
	struct prng prng = { 3 };

	for (unsigned int i = 0; i < 20000; i++) {
		/* The number in use goes up and down, so that slabs come and go. */
		unsigned int below = i / 1000 % 2 ? NR_OBJECTS : 10;
		void **object = &objects[prng_below(&prng, NR_OBJECTS)];

		if (*object && prng_below(&prng, NR_OBJECTS) >= below) {
			kmem_cache_free(cache, *object);
			*object = NULL;
			frees++;
		} else if (!*object && prng_below(&prng, NR_OBJECTS) < below) {
			*object = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, *object);
			allocations++;
		}
	}
	made = value(test, "watched", "alloc_slab");
	gone = value(test, "watched", "free_slab");
	KUNIT_EXPECT_EQ(test, value(test, "watched", "alloc_slowpath"), allocations);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "free_slowpath"), frees);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "alloc_fastpath"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "free_fastpath"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "objects"), allocations - frees);
	KUNIT_EXPECT_GT(test, gone, 0);
	KUNIT_EXPECT_EQ(test, made - gone, value(test, "watched", "slabs"));
	KUNIT_EXPECT_EQ(test, value(test, "watched", "free_remove_partial"), gone);
	KUNIT_EXPECT_GT(test, value(test, "watched", "free_add_partial"), 0);

	KUNIT_EXPECT_EQ(test, usermm_write_slab_attribute("watched", "free_slowpath", "1"),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, usermm_write_slab_attribute("watched", "free_slowpath", "0"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "free_slowpath"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "alloc_slowpath"), allocations);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		if (objects[i])
			kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
}

/* So many of them, one by one or at once, are allocated where NULL is. */
static long fill(struct kunit *test, struct kmem_cache *cache, void **objects, unsigned int n)
{
	if (n == 1)
		*objects = kmem_cache_alloc(cache, GFP_KERNEL);
	else
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, n, objects),
				(int)n);
	KUNIT_ASSERT_NOT_NULL(test, *objects);
	return n;
}

static long drop(struct kmem_cache *cache, void **objects, unsigned int n)
{
	if (n == 1)
		kmem_cache_free(cache, *objects);
	else
		kmem_cache_free_bulk(cache, n, objects);
	*objects = NULL;
	return n;
}

/* Where CPUs keep objects: each counts once when it is allocated, and once when it is freed. */
static void test_attributes_counters_of_cpus(struct kunit *test)
{
	static const unsigned int sizes[] = { 1, 1, 2, 7, 16, 60, 300 };
	static void *objects[100][300];
	struct kmem_cache *cache = make(test, "watched", 0);
	long allocations = 0, frees = 0;
	struct prng prng = { 5 };

	/* As slab_stats=1 would have made it. */
	cache->counts = true;
	cache_show_sheaf(cache, NULL);
	cache->cpu_slab = NULL;
	for (unsigned int i = 0; i < 4000; i++) {
		unsigned int at = (unsigned int)prng_below(&prng, ARRAY_SIZE(objects));
		unsigned int n = sizes[at % ARRAY_SIZE(sizes)];

		if (*objects[at])
			frees += drop(cache, objects[at], n);
		else
			allocations += fill(test, cache, objects[at], n);
	}
	KUNIT_EXPECT_EQ(test, value(test, "watched", "alloc_fastpath") +
			value(test, "watched", "alloc_slowpath"), allocations);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "free_fastpath") +
			value(test, "watched", "free_slowpath"), frees);
	KUNIT_EXPECT_GT(test, value(test, "watched", "alloc_fastpath"), 0);
	KUNIT_EXPECT_GT(test, value(test, "watched", "alloc_slowpath"), 0);
	KUNIT_EXPECT_GT(test, value(test, "watched", "free_fastpath"), 0);
	KUNIT_EXPECT_GT(test, value(test, "watched", "free_slowpath"), 0);
	for (unsigned int at = 0; at < ARRAY_SIZE(objects); at++)
		if (*objects[at])
			drop(cache, objects[at], sizes[at % ARRAY_SIZE(sizes)]);
	kmem_cache_destroy(cache);
}

static void test_attributes_write(struct kunit *test)
{
	static const struct {
		const char *attribute, *text;
		int plain, watched;
	} writes[] = {
		{ "min_partial", "12", 0, 0 }, { "min_partial", "12\n", 0, 0 },
		{ "min_partial", "0", 0, 0 }, { "min_partial", "", -EINVAL, -EINVAL },
		{ "min_partial", "+7", 0, 0 }, { "min_partial", "+", -EINVAL, -EINVAL },
		{ "min_partial", "-1", -EINVAL, -EINVAL },
		{ "min_partial", "1x", -EINVAL, -EINVAL },
		{ "min_partial", "99999999999999999999", -ERANGE, -ERANGE },
		{ "cpu_partial", "0", 0, 0 }, { "cpu_partial", "x", -EINVAL, -EINVAL },
		{ "remote_node_defrag_ratio", "0", 0, 0 },
		{ "remote_node_defrag_ratio", "100\n", 0, 0 },
		{ "remote_node_defrag_ratio", "101", -ERANGE, -ERANGE },
		{ "remote_node_defrag_ratio", "99999999999999999999", -ERANGE, -ERANGE },
		{ "remote_node_defrag_ratio", "x", -EINVAL, -EINVAL },
		{ "remote_node_defrag_ratio", "", -EINVAL, -EINVAL },
		{ "validate", "1", -EINVAL, 0 }, { "validate", "0", -EINVAL, -EINVAL },
		{ "shrink", "1", 0, 0 }, { "shrink", "0", -EINVAL, -EINVAL },
		{ "failslab", "1", 0, 0 }, { "failslab", "0", 0, 0 }, { "failslab", "", 0, 0 },
		{ "trace", "1", -EIO, -EIO }, { "sanity_checks", "1", -EIO, -EIO },
		{ "order", "1", -EIO, -EIO }, { "slabs", "0", -EIO, -EIO },
		{ "nonsense", "1", -ENOENT, -ENOENT },
		{ "alloc_fastpath", "0", -EINVAL, 0 },
	};
	struct kmem_cache *watched = make(test, "watched", SLAB_RED_ZONE);
	struct kmem_cache *plain = make(test, "plain", 0);

	for (unsigned int i = 0; i < ARRAY_SIZE(writes); i++) {
		KUNIT_EXPECT_EQ_MSG(test, usermm_write_slab_attribute("plain", writes[i].attribute,
								      writes[i].text),
				    writes[i].plain, "%s", writes[i].attribute);
		KUNIT_EXPECT_EQ_MSG(test, usermm_write_slab_attribute("watched",
								      writes[i].attribute,
								      writes[i].text),
				    writes[i].watched, "%s", writes[i].attribute);
	}
	KUNIT_EXPECT_EQ(test, usermm_write_slab_attribute("nobody's", "shrink", "1"), -ENOENT);
	kmem_cache_destroy(plain);
	kmem_cache_destroy(watched);
}

static void test_attributes_take_effect(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "watched", SLAB_RED_ZONE);
	void *objects[NR_OBJECTS];

	KUNIT_ASSERT_EQ(test, usermm_write_slab_attribute("watched", "min_partial", "3"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "min_partial"), 3);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_GT(test, value(test, "watched", "slabs"), 3);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
	KUNIT_EXPECT_GT(test, value(test, "watched", "slabs"), 0);
	KUNIT_EXPECT_LE(test, value(test, "watched", "slabs"), 3);
	KUNIT_EXPECT_EQ(test, usermm_write_slab_attribute("watched", "shrink", "1"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "slabs"), 0);

	KUNIT_EXPECT_EQ(test, value(test, "watched", "remote_node_defrag_ratio"), 100);
	KUNIT_EXPECT_EQ(test, cache->remote_node_defrag_ratio, 1000);
	KUNIT_EXPECT_EQ(test, usermm_write_slab_attribute("watched", "remote_node_defrag_ratio",
							  "37"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "remote_node_defrag_ratio"), 37);
	KUNIT_EXPECT_EQ(test, cache->remote_node_defrag_ratio, 370);

	KUNIT_EXPECT_EQ(test, value(test, "watched", "failslab"), 0);
	KUNIT_EXPECT_EQ(test, usermm_write_slab_attribute("watched", "failslab", "1"), 0);
	KUNIT_EXPECT_EQ(test, value(test, "watched", "failslab"), 1);
	KUNIT_EXPECT_TRUE(test, cache->flags & SLAB_FAILSLAB);
	kmem_cache_destroy(cache);
}

static void validate_damaged(struct kunit *test, void *unused)
{
	struct kmem_cache *cache = make(test, "damaged", SLAB_RED_ZONE);
	u8 *object = kmem_cache_alloc(cache, GFP_KERNEL);

	(void)unused;
	KUNIT_ASSERT_NOT_NULL(test, object);
	object[200] = 1;
	KUNIT_EXPECT_EQ(test, usermm_write_slab_attribute("damaged", "validate", "1"), 0);
}

static void test_attributes_validate(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, validate_damaged, NULL, "BUG damaged (Not tainted): ",
			     "[Right Redzone overwritten]");
}

static struct kunit_case slab_attributes_cases[] = {
	KUNIT_CASE(test_attributes_names),
	KUNIT_CASE(test_attributes_counters),
	KUNIT_CASE(test_attributes_counters_of_cpus),
	KUNIT_CASE(test_attributes_write),
	KUNIT_CASE(test_attributes_take_effect),
	KUNIT_CASE(test_attributes_validate),
	{ 0 },
};

static struct kunit_suite slab_attributes_suite = {
	.name = "slab-attributes",
	.test_cases = slab_attributes_cases,
};

kunit_test_suite(slab_attributes_suite);
