/* SPDX-License-Identifier: MIT */
/* kmem_dump_obj(), mem_dump_obj(): they describe an address in Linux's words. */
#include <stdarg.h>

#include "page/debug/stack_depot.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"

static void dump(struct kunit *test, void *arg)
{
	(void)test;
	mem_dump_obj(arg);
}

static void dump_object(struct kunit *test, void *arg)
{
	KUNIT_EXPECT_TRUE(test, kmem_dump_obj(arg));
}

static void dump_no_object(struct kunit *test, void *arg)
{
	KUNIT_EXPECT_FALSE(test, kmem_dump_obj(arg));
}

static const char *__attribute__((format(printf, 1, 2))) text_of(const char *format, ...)
{
	static char texts[4][200];
	static unsigned int next;
	char *text = texts[next++ % 4];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(texts[0]), format, args);
	va_end(args);
	return text;
}

/* The whole line. */
static void expect_line(struct kunit *test, void *address, const char *rest)
{
	CHILD_EXPECT_SUCCESS(test, dump, address, text_of("usermm: %p%s\n", address, rest));
}

static void test_dump_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("told", 100, 0, 0, NULL);
	char *object = cache ? kmem_cache_alloc(cache, GFP_KERNEL) : NULL;
	char *small = kmalloc(60, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_NOT_NULL(test, small);
	expect_line(test, object, text_of(" slab told start %016lx pointer offset 0 size 100",
					  (unsigned long)object));
	expect_line(test, object + 77, text_of(" slab told start %016lx pointer offset 77 size 100",
					       (unsigned long)object));
	expect_line(test, small + 63, text_of(" slab kmalloc-64 start %016lx pointer offset 63 "
					      "size 64", (unsigned long)small));
	CHILD_EXPECT_SUCCESS(test, dump_object, object, " slab told start");
	kfree(small);
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
}

/* The pages of the last object of a slab too. */
static void test_dump_large_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("large", 3 * PAGE_SIZE, 0, 0, NULL);
	char *objects[8];

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		expect_line(test, objects[i] + 10000,
			    text_of(" slab large start %016lx pointer offset 10000 size %lu",
				    (unsigned long)objects[i], 3 * PAGE_SIZE));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
}

/* With a red zone in front, and with who allocated it. */
static void test_dump_debugged_object(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("told", 100, 0,
						     SLAB_RED_ZONE | SLAB_STORE_USER, NULL);
	char *object = cache ? kmem_cache_alloc(cache, GFP_KERNEL) : NULL;

	KUNIT_ASSERT_NOT_NULL(test, object);
	CHILD_EXPECT_SUCCESS(test, dump, object + 5,
			     text_of(" slab told start %016lx data offset %u pointer offset 5 "
				     "size 100 allocated at ",
				     (unsigned long)object - cache->red_left_pad,
				     cache->red_left_pad), "test_dump+0x");
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
}

static noinline void *allocate_told(struct kmem_cache *cache)
{
	return kmem_cache_alloc(cache, GFP_KERNEL);
}

static noinline void free_told(struct kmem_cache *cache, void *object)
{
	kmem_cache_free(cache, object);
}

/* The stacks of the allocation and of the last free, as far as there were any. */
static void test_dump_stacks(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("told", 100, 0, SLAB_STORE_USER, NULL);
	char *object = cache ? allocate_told(cache) : NULL;
	struct child_result result;
	const char *free_path;

	KUNIT_ASSERT_NOT_NULL(test, object);
	child_run(test, dump, object, &result);
	KUNIT_EXPECT_NULL(test, strstr(result.err, "Free path:"));
	if (!stack_depot_save_current(0)) {
		free_told(cache, object);
		kmem_cache_destroy(cache);
		kunit_skip(test, "no stacks can be taken here");
	}
	KUNIT_EXPECT_NOT_NULL(test, strstr(result.err, "\nusermm:     "));
	free_told(cache, object);
	KUNIT_ASSERT_PTR_EQ(test, allocate_told(cache), (void *)object);
	child_run(test, dump, object, &result);
	free_path = strstr(result.err, "\nusermm:  Free path:\nusermm:     ");
	KUNIT_ASSERT_NOT_NULL_MSG(test, free_path, "%s", result.err);
	free_told(cache, object);
	kmem_cache_destroy(cache);
}

static void test_dump_others(struct kunit *test)
{
	char on_stack[8], *block = kmalloc(5 * PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, block);
	expect_line(test, block, " non-slab/vmalloc memory");
	expect_line(test, block + PAGE_SIZE + 3, " non-slab/vmalloc memory");
	expect_line(test, on_stack, " non-paged memory");
	CHILD_EXPECT_SUCCESS(test, dump, NULL, " NULL pointer");
	CHILD_EXPECT_SUCCESS(test, dump, ZERO_SIZE_PTR, " zero-size pointer");
	CHILD_EXPECT_SUCCESS(test, dump_no_object, block);
	CHILD_EXPECT_SUCCESS(test, dump_no_object, NULL);
	CHILD_EXPECT_SUCCESS(test, dump_no_object, on_stack);
	kfree(block);
}

static struct kunit_case dump_cases[] = {
	KUNIT_CASE(test_dump_objects),
	KUNIT_CASE(test_dump_large_objects),
	KUNIT_CASE(test_dump_debugged_object),
	KUNIT_CASE(test_dump_stacks),
	KUNIT_CASE(test_dump_others),
	{ 0 },
};

static struct kunit_suite dump_suite = { .name = "slab_dump", .test_cases = dump_cases };

kunit_test_suite(dump_suite);
