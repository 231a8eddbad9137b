/* SPDX-License-Identifier: MIT */
/*
 * malloc() and free() of hardened objects by the functions for their sizes: those that the
 * machine would choose, and those of machines that lack its instructions.
 */
#include <string.h>
#include <sys/mman.h>

#include "base/options.h"
#include "malloc/hardened/hardened.h"
#include "malloc_core/tested.h"
#include "os/load_options.h"
#include "os/os.h"
#include "slab/cpu_cache.h"
#include "slab/partial.h"
#include "slab/slab_free.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#define ROUNDS TEST_STEPS(1000)
#define SIZE_MAX_HERE 1000
#define HELD 7

__attribute__((__constructor__)) static void switch_on(void)
{
	load_options();
	options.hardened = true;
}

/* A size's functions. */
struct functions {
	struct kmem_cache *cache;
	struct hardened_step step;
	slab_free_fn *free;
};

static struct functions functions_of(size_t size, bool avx2)
{
	struct kmem_cache *cache = class_of(size + SLAB_SEAL_BYTES);

	return (struct functions){
		.cache = cache,
		.step = { .alloc = hardened_alloc_of(cache->size, avx2),
			  .sheaf = cache->hardened_sheaf, .bytes = cache->size },
		.free = slab_hardened_free_of(cache->size, avx2),
	};
}

static char *take(const struct functions *functions, size_t size)
{
	return functions->step.alloc(size, NULL, &functions->step);
}

/* Allocates with more room behind the bytes than malloc() leaves. */
static char *take_roomy(const struct functions *functions, size_t asked)
{
	return slab_hardened_alloc(functions->cache, GFP_KERNEL, asked, NULL);
}

static void give(const struct functions *functions, void *object)
{
	functions->free(object, functions->cache, NULL);
}

static bool is_zero(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

/*
 * Objects go through quarantine and sheaf, several times each, and are zero each time. A third of
 * them have more room behind the bytes that were asked for than malloc() leaves, up to all of it.
 */
static void check_size(struct kunit *test, size_t size, bool avx2)
{
	struct functions functions = functions_of(size, avx2);
	char *held[HELD] = { NULL };
	size_t asked[HELD];

	for (unsigned int i = 0; i < ROUNDS; i++) {
		char **object = &held[i % HELD], mine = (char)(i % HELD + 1);

		if (*object) {
			for (size_t k = 0; k < asked[i % HELD]; k++)
				KUNIT_ASSERT_EQ(test, (*object)[k], mine);
			give(&functions, *object);
		}
		asked[i % HELD] = i % 3 ? size : 1 + i / 3 % size;
		*object = i % 3 ? take(&functions, size) :
				  take_roomy(&functions, asked[i % HELD]);
		KUNIT_ASSERT_NOT_NULL(test, *object);
		KUNIT_ASSERT_TRUE(test, is_zero(*object, asked[i % HELD]));
		memset(*object, mine, asked[i % HELD]);
	}
	for (size_t i = 0; i < HELD; i++)
		give(&functions, held[i]);
}

static void check_sizes(struct kunit *test, bool avx2)
{
	tested_free(tested_malloc(1));		/* all classes are made */
	for (size_t size = 1; size <= SIZE_MAX_HERE; size += size < 330 ? 1 : 37)
		check_size(test, size, avx2);
}

static void test_hardened_sizes_plain(struct kunit *test)
{
	check_sizes(test, false);
}

static void test_hardened_sizes_avx2(struct kunit *test)
{
	if (!os_has_avx2())
		kunit_skip(test, "this machine has no such instructions");
	check_sizes(test, true);
}

/*
 * These functions do not check whether free()'s fast path would take the object; they take other
 * caches' objects, too.
 */
static void test_hardened_sizes_without_fast_path(struct kunit *test)
{
	char *block = tested_malloc(40), *object = kmalloc(40, GFP_KERNEL);
	struct kmem_cache *cache = cache_of(object);
	unsigned long cached;

	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_GT(test, mm_window.online_bytes, 0);
	KUNIT_EXPECT_EQ(test, mm_window.free_bytes, 0);
	KUNIT_EXPECT_TRUE(test, cache_of(block)->is_hardened && !cache->is_hardened);
	tested_free(block);
	cached = slab_cached_objects(cache);
	tested_free(object);
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), cached + 1);
	tested_free(NULL);
}

/* Like a signal handler above a thread that holds the lock that the call needs. */
static void test_hardened_sizes_above_a_holder(struct kunit *test)
{
	struct kmem_cache *cache = class_get(2048);
	void *rest[4096], *block;
	unsigned int nr = 0;

	lock_acquire(&slab_node_here(cache)->lock);
	do {
		KUNIT_ASSERT_LT(test, nr, (unsigned int)ARRAY_SIZE(rest));
		block = tested_aligned_alloc(512, 1555);
		rest[nr++] = block;
		KUNIT_ASSERT_NOT_NULL(test, block);
	} while (mm_is_online(block));
	KUNIT_EXPECT_EQ(test, tested_malloc_usable_size(block), (size_t)1555);
	lock_release(&slab_node_here(cache)->lock);
	while (nr)
		tested_free_aligned_sized(rest[--nr], 512, 1555);
}

/* Makes the objects look like freed ones; returns the first one's node. */
static struct kmem_cache_node *take_cleared(struct kunit *test, struct kmem_cache *cache,
					    void **objects, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		objects[i] = slab_hardened_alloc(cache, GFP_KERNEL, 1, NULL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		memset(objects[i], 0, cache->size);
	}
	return slab_node_of(cache, slab_of(cache, objects[0]));
}

#define TAKEN 300

/*
 * Gives free objects back without the right to take the lock, until one is deferred, because its
 * slab was full and would change lists. Returns that object.
 */
static char *defer_one(struct kunit *test, struct kmem_cache *cache)
{
	struct kmem_cache_node *node;
	void *objects[TAKEN];
	unsigned int nr = 0;

	test_pin(0);
	node = take_cleared(test, cache, objects, TAKEN);
	lock_acquire(&node->lock);
	while (!node->deferred && nr < TAKEN)
		slab_return_objects(cache, &objects[nr++], 1);
	lock_release(&node->lock);
	KUNIT_ASSERT_NOT_NULL(test, node->deferred);
	return node->deferred;
}

/* The last object of its slab, which has no link yet. First `byte` is written to it. */
static void defer_last(struct kunit *test, struct kmem_cache *cache, char byte)
{
	struct kmem_cache_node *node;
	void *object;

	test_pin(0);
	kmem_cache_shrink(cache);
	node = take_cleared(test, cache, &object, 1);
	kmem_cache_shrink(cache);
	KUNIT_ASSERT_EQ(test, slab_word_read(slab_of(cache, object)).inuse, 1);
	((volatile char *)object)[cache->size - 1] = byte;
	lock_acquire(&node->lock);
	slab_return_objects(cache, &object, 1);
	lock_release(&node->lock);
	KUNIT_ASSERT_PTR_EQ(test, node->deferred, object);
}

static void test_hardened_sizes_deferred(struct kunit *test)
{
	static const size_t sizes[] = { 16, 100, 2000 };

	tested_free(tested_malloc(1));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = class_of(sizes[i]);

		for (unsigned int round = 0; round < 10; round++) {
			defer_one(test, cache);
			slab_return_deferred(cache);
			KUNIT_ASSERT_NULL(test, slab_node_here(cache)->deferred);
		}
	}
	defer_last(test, class_of(1500), 0);
	slab_return_deferred(class_of(1500));
	tested_free(tested_malloc(1400));
}

static void write_to_deferred(struct kunit *test, void *arg)
{
	const size_t *from_end = arg;
	struct kmem_cache *cache = class_of(100);

	defer_one(test, cache)[cache->size - *from_end] ^= 1;
	slab_return_deferred(cache);
	for (unsigned int i = 0; i < 100000; i++)
		if (!tested_malloc(90))
			break;
}

static void write_before_deferred(struct kunit *test, void *arg)
{
	(void)arg;
	defer_last(test, class_of(1500), 1);
}

static void test_hardened_sizes_deferred_and_written(struct kunit *test)
{
	size_t from_end;
	char text[60];

	tested_free(tested_malloc(1));
	for (from_end = 1; from_end <= 8; from_end++) {
		snprintf(text, sizeof(text), "write after free: byte %zu of",
			 class_of(100)->size - from_end);
		CHILD_EXPECT_DEATH(test, write_to_deferred, &from_end, text);
	}
	for (; from_end <= 16; from_end++)
		CHILD_EXPECT_DEATH(test, write_to_deferred, &from_end, "corrupt");
	CHILD_EXPECT_DEATH(test, write_before_deferred, NULL, "write after free");
}

struct mistake {
	size_t size;
	bool avx2;
};

static void write_behind(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct functions functions = functions_of(mistake->size, mistake->avx2);
	char *object = take(&functions, mistake->size);

	KUNIT_ASSERT_NOT_NULL(test, object);
	*(volatile char *)(object + mistake->size) = 0;
	give(&functions, object);
}

static void free_twice(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct functions functions = functions_of(mistake->size, mistake->avx2);
	char *object = take(&functions, mistake->size);

	KUNIT_ASSERT_NOT_NULL(test, object);
	give(&functions, object);
	give(&functions, object);
}

static void free_inside(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct functions functions = functions_of(mistake->size, mistake->avx2);
	char *object = take(&functions, mistake->size);

	KUNIT_ASSERT_NOT_NULL(test, object);
	give(&functions, object + 16);
}

/* Far from the seal. */
static void write_behind_little(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct functions functions = functions_of(mistake->size, mistake->avx2);
	char *object = take_roomy(&functions, 1);

	KUNIT_ASSERT_NOT_NULL(test, object);
	*(volatile char *)(object + 1 + mistake->size / 3) ^= 1;
	give(&functions, object);
}

/* Only frees on the same CPU bring the object out of its quarantine, so there is one CPU. */
static void write_later(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct functions functions = functions_of(mistake->size, mistake->avx2);
	char *object;

	test_pin(0);
	object = take(&functions, mistake->size);
	KUNIT_ASSERT_NOT_NULL(test, object);
	give(&functions, object);
	*(volatile char *)(object + mistake->size / 2) = 1;
	for (unsigned int i = 0; i < 10000; i++)
		if (!take(&functions, mistake->size))
			break;
		else if (i % 2)
			give(&functions, take(&functions, mistake->size));
}

#define MANY 4000

/* The place of the link while the object is in its slab. In a barn it has none. */
static void write_where_links_are(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct functions functions = functions_of(mistake->size, mistake->avx2);
	static char *objects[MANY];

	test_pin(0);
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int i = 0; i < MANY; i++)
			objects[i] = take(&functions, mistake->size);
		for (unsigned int i = 0; i < MANY; i++)
			give(&functions, objects[i]);
	}
	KUNIT_ASSERT_NOT_NULL(test, objects[MANY / 3]);
	*(volatile char *)(objects[MANY / 3] + functions.cache->size - 16) = 1;
	for (unsigned int i = 0; i < 4 * MANY; i++)
		if (!take(&functions, mistake->size))
			break;
}

/* The memory that it may read ends in front of the seal that it would look at. */
static void free_inside_at_the_end(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct functions functions = functions_of(mistake->size, mistake->avx2);
	unsigned int bytes = functions.cache->size;

	for (unsigned int i = 0; i < MANY; i++) {
		char *object = take(&functions, mistake->size), *end, *inside;

		KUNIT_ASSERT_NOT_NULL(test, object);
		end = (char *)((unsigned long)object | slab_mask_of(functions.cache)) + 1;
		inside = object + bytes - 16;
		if (object + 2 * bytes <= end)
			continue;	/* another one follows */
		KUNIT_ASSERT_EQ(test, mprotect(end, PAGE_SIZE, PROT_NONE), 0);
		give(&functions, inside);
	}
}

/* All sizes share the slow halves; this case checks which calls reach them. */
static void test_hardened_sizes_mistakes(struct kunit *test)
{
	static const size_t sizes[] = { 17, 33, 40, 56, 72, 120, 136, 200, 280, 310, 900 };

	tested_free(tested_malloc(1));
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		struct mistake mistake = { .size = sizes[i / 2], .avx2 = i % 2 };

		if (mistake.avx2 && !os_has_avx2())
			continue;
		CHILD_EXPECT_DEATH(test, write_behind, &mistake, "heap overflow");
		CHILD_EXPECT_DEATH(test, write_behind_little, &mistake, "heap overflow");
		CHILD_EXPECT_DEATH(test, free_twice, &mistake, "free");
		CHILD_EXPECT_DEATH(test, free_inside, &mistake, "free");
		CHILD_EXPECT_DEATH(test, write_later, &mistake, "write after free");
		CHILD_EXPECT_DEATH(test, write_where_links_are, &mistake, "write after free");
		CHILD_EXPECT_DEATH(test, free_inside_at_the_end, &mistake, "invalid pointer");
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_hardened_sizes_plain),
	KUNIT_CASE(test_hardened_sizes_avx2),
	KUNIT_CASE(test_hardened_sizes_without_fast_path),
	KUNIT_CASE(test_hardened_sizes_above_a_holder),
	KUNIT_CASE(test_hardened_sizes_deferred),
	KUNIT_CASE(test_hardened_sizes_deferred_and_written),
	KUNIT_CASE(test_hardened_sizes_mistakes),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-hardened-sizes", .test_cases = cases };

kunit_test_suite(suite);
