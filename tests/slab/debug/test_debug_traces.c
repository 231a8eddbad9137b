/* SPDX-License-Identifier: MIT */
/* Who allocated and who freed objects, with stacks: in reports and for a whole cache. */
#include <unistd.h>

#include "page/debug/stack_depot.h"
#include "slab/debug/debug_object.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "usermm/stats.h"

#define TEXT_BYTES (1 << 18)

static struct kmem_cache *make(struct kunit *test, const char *name, unsigned int size,
			       slab_flags_t flags)
{
	struct slab_cache_request request = {
		.name = name, .size = size, .flags = flags | SLAB_NO_USER_FLAGS,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* The text that print(fd, cache) writes; NULL if it fails. */
static const char *printed(struct kunit *test, int (*print)(int fd, const char *cache),
			   const char *cache)
{
	static char text[TEXT_BYTES];
	FILE *file = tmpfile();
	size_t length;
	int error;

	KUNIT_ASSERT_NOT_NULL(test, file);
	error = print(fileno(file), cache);
	rewind(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return error ? NULL : text;
}

/* Where these calls return to. */
struct place {
	const void *inner, *outer;
};

static noinline void *allocate_inside(struct kmem_cache *cache, struct place *place)
{
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);

	place->outer = __builtin_return_address(0);
	return object;
}

static noinline void *allocate(struct kmem_cache *cache, struct place *place)
{
	void *object = allocate_inside(cache, place);

	place->inner = __builtin_return_address(0);
	return object;
}

static noinline void release(struct kmem_cache *cache, void *object)
{
	kmem_cache_free(cache, object);
	__asm__ volatile("");	/* so that the call is not the last thing, and has a frame */
}

static void test_traces_stack(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "stacked", 60, SLAB_STORE_USER);
	const void *const *frames;
	const struct slab_track *track;
	struct place place;
	unsigned int nr;
	void *object = allocate(cache, &place);

	KUNIT_ASSERT_NOT_NULL(test, object);
	track = object_track(cache, object, TRACK_ALLOC);
	KUNIT_EXPECT_NOT_NULL(test, track->caller);
	KUNIT_EXPECT_EQ(test, track->thread, gettid());
	nr = stack_depot_fetch(track->stack, &frames);
#ifdef USERMM_UNWINDER
	KUNIT_ASSERT_GE(test, nr, 3);
	KUNIT_EXPECT_PTR_EQ(test, frames[0], track->caller);
	KUNIT_EXPECT_PTR_EQ(test, frames[1], place.outer);
	KUNIT_EXPECT_PTR_EQ(test, frames[2], place.inner);
#else
	KUNIT_EXPECT_EQ(test, nr, 0);
#endif
	track = object_track(cache, object, TRACK_FREE);
	KUNIT_EXPECT_NULL(test, track->caller);
	release(cache, object);
	KUNIT_EXPECT_NOT_NULL(test, track->caller);
#ifdef USERMM_UNWINDER
	KUNIT_EXPECT_NE(test, track->stack, object_track(cache, object, TRACK_ALLOC)->stack);
#endif
	kmem_cache_destroy(cache);
}

/* A number that was overwritten is no stack. */
static void test_traces_any_number(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "stacked", 60, SLAB_STORE_USER);
	const void *const *frames;
	u64 number = 1;

	for (unsigned int i = 0; i < 200; i++, number = number * 6364136223846793005UL + 1)
		KUNIT_EXPECT_LE(test, stack_depot_fetch((u32)(number >> 32), &frames),
				STACK_DEPTH);
	KUNIT_EXPECT_EQ(test, stack_depot_fetch(~0u, &frames), 0);
	kmem_cache_destroy(cache);
}

static void free_twice(struct kunit *test, void *unused)
{
	struct kmem_cache *cache = make(test, "stacked", 60,
					SLAB_STORE_USER | SLAB_CONSISTENCY_CHECKS);
	struct place place;
	void *object = allocate(cache, &place);

	(void)unused;
	allocate(cache, &place);
	release(cache, object);
	release(cache, object);
}

static void test_traces_report(struct kunit *test)
{
	static struct child_result result;
	const char *freed, *stack;

	child_run(test, free_twice, NULL, &result);
	KUNIT_ASSERT_NOT_NULL(test, strstr(result.err, "usermm: Allocated in "));
	freed = strstr(result.err, "usermm: Freed in ");
	KUNIT_ASSERT_NOT_NULL_MSG(test, freed, "%s", result.err);
	stack = strchr(freed, '\n') + 1;
#ifdef USERMM_UNWINDER
	for (unsigned int i = 0; i < 3; i++, stack = strchr(stack, '\n') + 1) {
		KUNIT_EXPECT_MEMEQ(test, stack, "usermm:  /", 10);
		KUNIT_EXPECT_NOT_NULL(test, strstr(stack, "/test_debug_traces+0x"));
	}
#else
	KUNIT_EXPECT_MEMEQ(test, stack, "usermm: object allocation/free stack trace missing", 50);
#endif
}

/* --- For a whole cache ----------------------------------------------------------- */

struct told {
	unsigned long count, waste, each;
};

/* The first line of each entry is the only one that does not begin with eight spaces. */
static unsigned int read_entries(const char *text, struct told *told, unsigned int max)
{
	unsigned int nr = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *waste = strstr(line, " waste="), *end = strchr(line, '\n');

		if (!strncmp(line, "        ", 8) || line == end)
			continue;
		if (nr == max)
			return max + 1;
		told[nr] = (struct told){ .count = strtoul(line, NULL, 10) };
		if (waste && waste < end)
			sscanf(waste, " waste=%lu/%lu", &told[nr].waste, &told[nr].each);
		nr++;
	}
	return nr;
}

static void test_traces_counts(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "counted", 100, SLAB_STORE_USER | SLAB_KMALLOC);
	void *objects[700], *freed[50];
	unsigned long nr_again = 0;
	struct told told[4];
	const char *text;

	KUNIT_EXPECT_STREQ(test, printed(test, usermm_print_slab_alloc_traces, "counted"),
			   "No data\n");
	/* One call each: gcc for s390x would make several of the loop's. */
#pragma GCC unroll 1
	for (unsigned int i = 0; i < 400; i++)
		objects[i] = usermm_kmalloc_cache(cache, GFP_KERNEL, 100);
#pragma GCC unroll 1
	for (unsigned int i = 400; i < 500; i++)
		objects[i] = usermm_kmalloc_cache(cache, GFP_KERNEL, 70);
#pragma GCC unroll 1
	for (unsigned int i = 500; i < 700; i++)
		objects[i] = usermm_kmalloc_cache(cache, GFP_KERNEL, 97);
#pragma GCC unroll 1
	for (unsigned int i = 0; i < ARRAY_SIZE(freed); i++)
		kmem_cache_free(cache, objects[i]);

	text = printed(test, usermm_print_slab_alloc_traces, "counted");
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_EQ_MSG(test, read_entries(text, told, ARRAY_SIZE(told)), 3, "%s", text);
	KUNIT_EXPECT_EQ(test, told[0].count, 350);
	KUNIT_EXPECT_EQ(test, told[0].waste, 0);
	KUNIT_EXPECT_EQ(test, told[1].count, 200);
	KUNIT_EXPECT_EQ(test, told[1].waste, 600);
	KUNIT_EXPECT_EQ(test, told[1].each, 3);
	KUNIT_EXPECT_EQ(test, told[2].count, 100);
	KUNIT_EXPECT_EQ(test, told[2].waste, 3000);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, " age="));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, " pid="));

	/* Objects in use were never freed, except those that were allocated again. */
	text = printed(test, usermm_print_slab_free_traces, "counted");
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_EQ_MSG(test, read_entries(text, told, ARRAY_SIZE(told)), 1, "%s", text);
	KUNIT_EXPECT_EQ(test, told[0].count, 650);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "    650 <not-available> age="));
	memcpy(freed, objects, sizeof(freed));
	for (unsigned int i = 0; i < ARRAY_SIZE(freed); i++) {
		objects[i] = usermm_kmalloc_cache(cache, GFP_KERNEL, 100);
		for (unsigned int k = 0; k < ARRAY_SIZE(freed); k++)
			nr_again += freed[k] == objects[i];
	}
	KUNIT_ASSERT_GT(test, nr_again, 0);
	text = printed(test, usermm_print_slab_free_traces, "counted");
	KUNIT_ASSERT_EQ_MSG(test, read_entries(text, told, ARRAY_SIZE(told)), 2, "%s", text);
	KUNIT_EXPECT_EQ(test, told[0].count, ARRAY_SIZE(objects) - nr_again);
	KUNIT_EXPECT_EQ(test, told[1].count, nr_again);

	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
}

static void test_traces_names(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "kept", 100, SLAB_STORE_USER);
	struct kmem_cache *plain = make(test, "not kept", 100, 0);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	const char *text;

	KUNIT_EXPECT_NULL(test, printed(test, usermm_print_slab_alloc_traces, "not kept"));
	KUNIT_EXPECT_NULL(test, printed(test, usermm_print_slab_alloc_traces, "nobody's"));
	text = printed(test, usermm_print_slab_alloc_traces, NULL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "alloc_traces of kept\n      1 "));
	kmem_cache_free(cache, object);
	text = printed(test, usermm_print_slab_alloc_traces, NULL);
	KUNIT_EXPECT_NULL(test, strstr(text, "kept"));
	kmem_cache_destroy(plain);
	kmem_cache_destroy(cache);
}

/* Thread 0 looks while the others allocate and free. */
static void look_or_work(struct test_thread *thread)
{
	struct kmem_cache *cache = thread->arg;
	void *objects[32] = { NULL };

	if (!thread->index) {
		for (unsigned int i = 0; i < TEST_STEPS(40); i++)
			KUNIT_EXPECT_NOT_NULL(thread->test,
					      printed(thread->test,
						      usermm_print_slab_alloc_traces, "busy"));
		return;
	}
	for (unsigned int i = 0; i < TEST_STEPS(8000); i++) {
		void **object = &objects[prng_below(&thread->prng, ARRAY_SIZE(objects))];

		if (*object)
			kmem_cache_free(cache, *object);
		*object = *object ? NULL : kmem_cache_alloc(cache, GFP_KERNEL);
	}
	for (unsigned int n = 0; n < ARRAY_SIZE(objects); n++)
		if (objects[n])
			kmem_cache_free(cache, objects[n]);
}

static void test_traces_threads(struct kunit *test)
{
	struct kmem_cache *cache = make(test, "busy", 100, SLAB_STORE_USER);

	test_threads_run(test, 3, look_or_work, cache);
	KUNIT_EXPECT_STREQ(test, printed(test, usermm_print_slab_alloc_traces, "busy"),
			   "No data\n");
	kmem_cache_destroy(cache);
}

static struct kunit_case slab_debug_traces_cases[] = {
	KUNIT_CASE(test_traces_stack),
	KUNIT_CASE(test_traces_any_number),
	KUNIT_CASE(test_traces_report),
	KUNIT_CASE(test_traces_counts),
	KUNIT_CASE(test_traces_names),
	KUNIT_CASE(test_traces_threads),
	{}
};

static struct kunit_suite slab_debug_traces_suite = {
	.name = "slab-debug-traces",
	.test_cases = slab_debug_traces_cases,
};

kunit_test_suite(slab_debug_traces_suite);
